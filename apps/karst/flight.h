// SPDX-License-Identifier: MIT
// Flight: a closed path over a ground that never enters it, or one through given places.
#pragma once
#include "karst/pack.h"

typedef struct flight_frame {
    karst_pos eye, at;
    double clearance_m;  // straight up or down to the nearest ground
} flight_frame;

// Plan `count` frames round the most rugged part of the land. @param pack whose field it is, known from its height map;
// NULL: the ground is all that is known @return false without memory
bool flight_plan(karst_pack *pack, const karst_ground *ground, int count, flight_frame *out);

// Plan `count` frames through `keys` places, >= 2, as many for each stretch: 6 numbers each, where the eye is and what
// it looks at [m].
void flight_through(const karst_ground *ground, const double *key, int keys, int count, flight_frame *out);
