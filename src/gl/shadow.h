// SPDX-License-Identifier: MIT
// Shadow: how high the land stands before the sun, for one azimuth, over a whole height map.
#pragma once
#include "karst/jobs.h"
#include "karst/pack.h"

// Tangent of the horizon's elevation toward an azimuth (from north, -z, clockwise), per sample; at least 0.
// @param out width * height floats @return KARST_ERROR_MEMORY
// Cost: 60 ms for 1024 x 1024 on two cores. Threads: one sweep of a jobs at a time.
karst_status kst_shadow_sweep(karst_jobs *jobs, const karst_map *height, float cell_m, float azimuth_rad, float *out);
