// SPDX-License-Identifier: MIT
// Paint on the sample: a path from the border to the tunnel, sand round the basin, moss in the cave and under the
// cliff, earth where grass wears thin, groups here and there.
#include <math.h>

#include "core/core.h"
#include "nets.h"

static double unit(uint64_t seed, uint64_t k) {
    return (double)(kst_hash_u64(seed, k) >> 11) * 0x1p-53;
}

// Dabs along a line that bends, one over the other so that the ground is met wherever it is.
static void way(karst_net *net, karst_pos a, karst_pos b, double bend_m, double radius_m, int set, int32_t tint) {
    double x = b.x - a.x, z = b.z - a.z, length = sqrt(x * x + z * z);
    int count = (int)(length / (0.6 * radius_m)) + 1;
    for (int k = 0; k <= count; ++k) {
        double u = (double)k / count, off = bend_m * sin(u * 9.0) * sin(u * 3.1415927);
        karst_pos at = {a.x + u * x - off * z / length, a.y + u * (b.y - a.y), a.z + u * z + off * x / length};
        double radius = radius_m * (0.85 + 0.3 * unit(3, (uint64_t)k));
        for (at.y = 7; at.y < 22; at.y += 0.5 * radius_m) karst_net_paint(net, at, radius, set, tint);
    }
}

// Dabs here and there in a box.
static void spread(karst_net *net, karst_pos low, karst_pos high, int count, double radius_m, int set, int32_t tint,
                   uint64_t seed) {
    for (uint64_t k = 0; k < (uint64_t)count; ++k) {
        karst_pos at = {low.x + (high.x - low.x) * unit(seed, 3 * k), low.y + (high.y - low.y) * unit(seed, 3 * k + 1),
                        low.z + (high.z - low.z) * unit(seed, 3 * k + 2)};
        karst_net_paint(net, at, radius_m * (0.6 + 0.8 * unit(seed + 1, k)), set, tint);
    }
}

void scene_net_sample_paint(karst_net *net) {
    enum {
        DARK = 0x0841,
        WARM = 0x0021
    };  // tints: a fifteenth of green, a thirtieth of red and blue; a thirtieth of blue and green
    // Worn grass, and the shore.
    spread(net, (karst_pos){0, 8, 0}, (karst_pos){480, 20, 180}, 60, 5, KARST_TILE_EARTH, -1, 11);
    spread(net, (karst_pos){0, 8, 0}, (karst_pos){480, 20, 180}, 60, 14, KARST_NET_NONE, WARM, 13);
    for (int k = 0; k < 72; ++k) {
        double a = k * 0.0872664626, r = 0.92 + 0.12 * unit(5, (uint64_t)k);
        karst_pos at = {110 + 60 * r * cos(a), 11, 78 + 38 * r * sin(a)};
        karst_net_paint(net, at, 7, KARST_TILE_SAND, -1);
    }
    // Earth beside the path, then the path.
    static const karst_pos along[5] = {{326, 14, 0}, {322, 15, 50}, {306, 15, 100}, {290, 15, 150}, {281, 15, 200}};
    for (int k = 0; k < 4; ++k) way(net, along[k], along[k + 1], 3, 5.5, KARST_TILE_EARTH, -1);
    for (int k = 0; k < 4; ++k) way(net, along[k], along[k + 1], 3, 3.2, KARST_TILE_PATH, -1);
    // Moss: at the foot of the cliff and about the cave.
    spread(net, (karst_pos){0, 10, 180}, (karst_pos){480, 20, 205}, 70, 4.5, KARST_TILE_MOSS, -1, 17);
    spread(net, (karst_pos){105, 14, 195}, (karst_pos){145, 26, 265}, 50, 5, KARST_TILE_MOSS, DARK, 19);
    // Groups of all kinds, whatever lies there.
    for (uint64_t k = 0; k < 150; ++k) {
        karst_pos at = {480 * unit(23, 3 * k), 10 + 14 * unit(23, 3 * k + 1), 480 * unit(23, 3 * k + 2)};
        karst_net_paint_group(net, at, 6 + 8 * unit(24, k), (int)(k % KARST_TILE_GROUPS));
    }
}
