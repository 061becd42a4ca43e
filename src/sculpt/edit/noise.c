// SPDX-License-Identifier: MIT
// Gradient noise in space. After: K. Perlin, "Improving Noise", SIGGRAPH 2002; gradients are drawn from (seed, corner).
#include "edit/image.h"

static double fade(double t) {
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static double corner(int64_t x, int64_t y, int64_t z, uint64_t seed, karst_pos d) {
    uint64_t h = kst_random(kst_random(kst_random(seed, (uint64_t)x), (uint64_t)y), (uint64_t)z);
    double u = h & 8 ? d.y : d.x, v = h & 12 ? (h & 2 ? d.x : d.z) : d.y;  // one of twelve edges, or so
    return (h & 1 ? u : -u) + (h & 4 ? v : -v);
}

double kst_sculpt_noise(karst_pos p, uint64_t seed) {
    double x = floor(p.x), y = floor(p.y), z = floor(p.z);
    int64_t i = (int64_t)x, j = (int64_t)y, k = (int64_t)z;
    karst_pos d = {p.x - x, p.y - y, p.z - z};
    double wx = fade(d.x), wy = fade(d.y), wz = fade(d.z), plane[2];
    for (int c = 0; c < 2; ++c) {
        double line[2];
        for (int b = 0; b < 2; ++b) {
            double one = corner(i, j + b, k + c, seed, (karst_pos){d.x, d.y - b, d.z - c});
            double two = corner(i + 1, j + b, k + c, seed, (karst_pos){d.x - 1, d.y - b, d.z - c});
            line[b] = one + wx * (two - one);
        }
        plane[c] = line[0] + wy * (line[1] - line[0]);
    }
    return plane[0] + wz * (plane[1] - plane[0]);
}
