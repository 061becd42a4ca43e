// SPDX-License-Identifier: MIT
// Beds: rivers as wide as the water they carry.
#pragma once
#include "op/level.h"
#include "op/route.h"

typedef struct kst_beds {
    float width;  // of a river / root of the area it drains [m/m]; 0: nothing is carved
    float bank;   // steepest that banks stay, close by [m/m]
} kst_beds;

// Carve the beds of a route's rivers. A route draws a river as a chain of cells, one wide, that turns by 45 degrees;
// beds take the teeth off that chain and give plains their river courses. Only lowers. *carried_m grows by what is
// taken [m on one cell].
karst_status kst_beds_carve(kst_level *level, const kst_route *route, const kst_beds *beds, const kst_team *team,
                            double *carried_m);
