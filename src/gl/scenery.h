// SPDX-License-Identifier: MIT
// Scenery: what the land as a whole says about how it should look.
#pragma once
#include "karst/pack.h"

typedef struct kst_scenery {
    float low_m, middle_m, high_m;   // world heights: percentiles 1, 50, 99.5
    float slope;                     // percentile 95, rise over run
    float snow_line_m, tree_line_m;  // where they look right
    float size;                      // of the relief, over 1500 m: what the widths of borders are scaled by
    float slope_gain;                // makes rock break through on the steepest twentieth of any land
    float map_cell_m;
    bool full_map;  // the maps have a sample a cell
} kst_scenery;

kst_scenery kst_scenery_of(karst_pack *pack);
