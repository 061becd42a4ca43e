// SPDX-License-Identifier: MIT
// Settle: make every flow path fall, partly by cutting, partly by filling.
#pragma once
#include "op/level.h"
#include "op/route.h"

typedef struct kst_settling {
    float cut_share;   // 0 fill .. 1 cut
    float min_fall;    // least slope of a path over a cell [m/m]
    float max_lake_m;  // deeper lakes are left as they are
    double budget_m;   // sediment at hand to fill with [m on one cell]; with less, more is cut
} kst_settling;

// Finds the steepest route (left in `route`) and settles the level along it; where masked or hard ground stands in the
// way, pits stay. *change_m: what the ground gained [m on one cell], below zero where more was cut than filled.
karst_status kst_settle(kst_level *level, kst_route *route, const kst_settling *settling, const kst_team *team,
                        double *change_m, float *deepest_cut_m);
