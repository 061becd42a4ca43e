// SPDX-License-Identifier: MIT
// Normals from a crease angle, for long work that may be stopped.
#pragma once
#include "core/core.h"
#include "karst/model.h"

// As karst_model_crease().
karst_status kst_model_crease(const karst_model *model, double crease_rad, const karst_progress *progress,
                              karst_report *report, karst_model **out);
