// SPDX-License-Identifier: MIT
// The command line: zones at a coarser level than the finest, and grounds beside each other, as grounds.
#pragma once
#include "karst/surface.h"
#include "zone_set.h"

// Two grounds that answer as one: rays meet the nearer, heights are those of both.
typedef struct both_grounds {
    karst_ground base;
    const karst_ground *part[2];
} both_grounds;
const karst_ground *both_grounds_make(both_grounds *both, const karst_ground *first, const karst_ground *second);

enum { NET_LEVEL_MAX = 3 };

// Triangles of zones by every 2^level-th finest vertex, for exports: it has triangles and boxes, nothing else. Levels
// 0..NET_LEVEL_MAX keep every corner, so the ground stays closed.
typedef struct net_level {
    karst_ground base;
    const zone_set *set;
    int level;
} net_level;
const karst_ground *net_level_make(net_level *n, const zone_set *set, int level);
