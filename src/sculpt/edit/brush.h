// SPDX-License-Identifier: MIT
// Brushes, inner: a dab with memory that is kept.
#pragma once
#include "edit/walk.h"

// As karst_brush_dab(); out is not NULL.
karst_status kst_brush_dab(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                           karst_jobs *jobs, const karst_progress *progress, kst_work *work, karst_touched *out);

// The smallest rect known to hold all vertices that a dab may change, all its images together; empty when there are
// none.
karst_status kst_brush_rect(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                            karst_rect *out);
