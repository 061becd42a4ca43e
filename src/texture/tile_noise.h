// SPDX-License-Identifier: MIT
// What images of tiles are made of. Only + - * / and floor: the same bytes everywhere, but for sqrtf, which is exact.
#pragma once
#include <math.h>

#include "core/core.h"
#include "karst/tile.h"

static inline float kst_clamp(float v, float low, float high) {
    return v < low ? low : v > high ? high : v;
}
static inline float kst_clamp01(float v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}
static inline float kst_smooth(float low, float high, float v) {
    float t = kst_clamp01((v - low) / (high - low));
    return t * t * (3 - 2 * t);
}
static inline float kst_mix(float a, float b, float t) {
    return a + (b - a) * t;
}
static inline float kst_lattice(uint64_t seed, int i, int j) {
    uint64_t key[2] = {seed, (uint64_t)(uint32_t)j << 32 | (uint32_t)i};
    return (float)(kst_hash(key, sizeof key, 11) >> 40) * 0x1p-24f;
}
// Value noise, 0..1.
static inline float kst_value(uint64_t seed, float x, float y) {
    int i = (int)floorf(x), j = (int)floorf(y);
    float u = x - (float)i, v = y - (float)j;
    u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v);
    return kst_mix(kst_mix(kst_lattice(seed, i, j), kst_lattice(seed, i + 1, j), u),
                   kst_mix(kst_lattice(seed, i, j + 1), kst_lattice(seed, i + 1, j + 1), u), v);
}
static inline float kst_fbm(uint64_t seed, float x, float y, int octaves, float gain) {
    float sum = 0, share = 1, all = 0;
    for (int o = 0; o < octaves; ++o, share *= gain, x = x * 2 + 17, y = y * 2 + 31) {
        sum += share * kst_value(seed + (uint64_t)o, x, y), all += share;
    }
    return sum / all;
}
// Distance to the nearest of one point a cell, and what is random of it.
static inline float kst_pebbles(uint64_t seed, float x, float y, float *which) {
    int ci = (int)floorf(x), cj = (int)floorf(y);
    float best = 9;
    for (int j = cj - 1; j <= cj + 1; ++j)
        for (int i = ci - 1; i <= ci + 1; ++i) {
            float dx = (float)i + 0.15f + 0.7f * kst_lattice(seed, i, j) - x;
            float dy = (float)j + 0.15f + 0.7f * kst_lattice(seed + 1, i, j) - y;
            float size = 0.6f + 0.8f * kst_lattice(seed + 2, i, j), d = (dx * dx + dy * dy) / (size * size);
            if (d < best) best = d, *which = kst_lattice(seed + 3, i, j);
        }
    return sqrtf(best);
}

// Groups of Karst's bank.
enum {
    KST_COMMON,
    KST_SMOOTH,
    KST_CRACKED,
    KST_LICHEN,
    KST_FLOWERS,
    KST_DRY,
    KST_LEAVES,
    KST_STONY,
    KST_GRAVEL,
    KST_TRACKS,
    KST_WET,
    KST_SHELLS,
};

typedef struct kst_texel {
    float c[3], height;  // sRGB, 0..1
} kst_texel;

static inline void kst_paint(kst_texel *t, const float low[3], const float high[3], float share) {
    for (int k = 0; k < 3; ++k) t->c[k] = kst_mix(low[k], high[k], share);
}
static inline void kst_shade(kst_texel *t, float by) {
    for (int k = 0; k < 3; ++k) t->c[k] = kst_clamp01(t->c[k] * by);
}

// tile_ground.c: a set's pattern at (x, y) [cells of about a sixteenth of a tile]; rim: without what would be seen to
// repeat.
kst_texel kst_tile_ground(int set, uint64_t seed, float x, float y, bool rim);
// tile_groups.c: which group an image of Karst's bank is of.
int kst_tile_group(int set, int variant);
// What a group does to the ground of a set at (u, v), and what it leaves on it, all of it within.
void kst_tile_group_ground(int set, int group, uint64_t seed, float u, float v, kst_texel *t);
void kst_tile_group_marks(int set, int group, uint64_t seed, float u, float v, kst_texel *t);
// tile_things.c: what a group lays on an image, all of it within.
void kst_tile_group_things(int set, int group, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]);
