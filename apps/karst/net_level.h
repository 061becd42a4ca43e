// SPDX-License-Identifier: MIT
// The command line: zones at a coarser level than the finest, as a ground.
#pragma once
#include "karst/surface.h"
#include "zone_set.h"

enum { NET_LEVEL_TILES = 2, NET_LEVEL_MAX = 3 };  // tile corners alone, every second one

// Triangles of zones by every 2^level-th finest vertex, for exports: it has triangles and boxes, nothing else. Levels
// 0..NET_LEVEL_MAX keep every corner, so the ground stays closed.
typedef struct net_level {
    karst_ground base;
    const zone_set *set;
    int level;
} net_level;
const karst_ground *net_level_make(net_level *n, const zone_set *set, int level);
