// SPDX-License-Identifier: MIT
// Rivers: one time step of stream power, silting and creep on one level.
#pragma once
#include "op/level.h"
#include "op/route.h"

typedef struct kst_rivers_step {
    float cut;         // years of the step * erodibility [1 / yr]
    float creep;       // share of a cell's difference that creeps to all neighbours together, <= 0.2
    float talus;       // steepest slope that stays [m/m]
    float fan;         // 0.. how readily a river lays down what it carries
    float half_cells;  // rivers that drain this much carry off half of what slopes bring them
    float min_fall_m;  // from a cell to its receiver where sediment fills a lake [m]
} kst_rivers_step;

// Rivers cut from the outlets upward (implicit in time, so any step is stable), lay down from the sources downward,
// then slopes creep. The route is of the level's heights as they come in. carried_m grows by what left [m on one cell].
karst_status kst_rivers_cut(kst_level *level, const kst_route *route, const kst_rivers_step *step, const kst_team *team,
                            double *carried_m);
