// SPDX-License-Identifier: MIT
// Erode: between the caller's arrays and the finest level.
#pragma once
#include "karst/erode.h"
#include "op/land.h"
#include "op/level.h"

// Heights of a ground, all finite as its mask and hardness are. @return KARST_ERROR_ARGUMENT when one is not
karst_status kst_ground_range(const karst_erosion_ground *ground, const kst_team *team, float *low_m, float *high_m);
// Fill the inner cells of the finest level.
karst_status kst_ground_in(const karst_erosion_ground *ground, kst_level *finest, const kst_team *team);
// Of ground whose samples were pushed aside: fill `out`, which lies in *memory (three arrays of the level's cells, to
// be freed), 1 in the frame; corners of folded cells, *folded of them, neither yield nor take from now on. The finest
// level has its frame.
karst_status kst_ground_metric(const karst_erosion_ground *ground, kst_level *finest, float **memory, kst_metric *out,
                               int64_t *folded);
// Sums over all cells of the level, and over those of the ground, the frame left out [m on one cell].
typedef struct kst_ground_sums {
    double moved_m, worn_m, laid_m;
    float deepest_m;
} kst_ground_sums;
karst_status kst_ground_sum(const kst_level *finest, const kst_team *team, kst_ground_sums *out);
// Heights, wear and deposit to the caller. Cannot fail and asks nobody, so that a ground is whole or untouched.
void kst_ground_out(const karst_erosion_ground *ground, const kst_level *finest, karst_jobs *jobs);

// Rock is where the ground is lower than it ever was.
karst_status kst_level_keep_rock(kst_level *level, const kst_team *team);
// The hardness that yield and take amount to, into the level's spare array.
karst_status kst_level_hardness(kst_level *level, const kst_team *team);
