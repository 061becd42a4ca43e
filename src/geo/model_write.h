// SPDX-License-Identifier: MIT
// Models out: the writers of one format each. The model is checked and has a triangle.
#pragma once
#include "geo/geo.h"

karst_status kst_model_write_glb(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report);
karst_status kst_model_write_obj(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report);
karst_status kst_model_write_ply(const karst_model *model, const char *path, const karst_progress *progress,
                                 karst_report *report);
