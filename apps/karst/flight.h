// SPDX-License-Identifier: MIT
// Flight: a closed path over a ground that never enters it.
#pragma once
#include "karst/pack.h"

typedef struct flight_frame {
    karst_pos eye, at;
    double clearance_m;  // over the ground below
} flight_frame;

// Plan `count` frames round the most rugged part of the land. @return false without memory
bool flight_plan(karst_pack *pack, int count, flight_frame *out);
