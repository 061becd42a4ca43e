// SPDX-License-Identifier: MIT
// Relief: sky visibility, curvature at two scales and drainage of a height grid, a byte each.
#pragma once
#include "core/core.h"

typedef struct kst_relief_def {
    const float *level;  // heights [m], row-major
    int width, height;
    float cell_m;  // between samples
    uint8_t *out;  // 4 bytes a sample, see maps.h
} kst_relief_def;

karst_status kst_relief_build(const kst_relief_def *def, karst_jobs *jobs, const karst_progress *progress);
