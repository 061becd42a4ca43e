// SPDX-License-Identifier: MIT
// Groups of tiles: their names, which images of Karst's bank are of which, and what a group does to the ground itself.
#include "texture/tile_noise.h"

enum { COMMON = 6 };  // images of a set; then two of each of its groups

const char *karst_tile_group_name(int group) {
    static const char *const names[KARST_TILE_GROUPS] = {"common", "smooth", "cracked", "lichen", "flowers", "dry",
                                                         "leaves", "stony",  "gravel",  "tracks", "wet",     "shells"};
    KARST_ASSERT(group >= 0 && group < KARST_TILE_GROUPS);
    return names[group];
}

int kst_tile_group(int set, int variant) {
    static const uint8_t groups[KARST_NOISE_SETS][(KARST_TILE_VARIANTS - COMMON) / 2] = {
        {KST_CRACKED, KST_LEAVES, KST_STONY},   // earth
        {KST_FLOWERS, KST_DRY, KST_LEAVES},     // grass
        {KST_SMOOTH, KST_CRACKED, KST_LICHEN},  // rock
        {KST_FLOWERS, KST_DRY, KST_STONY},      // moss
        {KST_STONY, KST_WET, KST_SHELLS},       // sand
        {KST_GRAVEL, KST_TRACKS, KST_WET},      // path
    };
    return variant < COMMON ? KST_COMMON : groups[set][(variant - COMMON) / 2];
}

int karst_tile_groups_of(int set) {
    KARST_ASSERT(set >= 0 && set < KARST_NOISE_SETS);
    int groups = 0;
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) groups |= 1 << kst_tile_group(set, k);
    return groups;
}

// How near a place is to a crack between plates, 0..1; they end and bend.
static float plates(uint64_t seed, float x, float y, float wide) {
    x += 0.5f * (kst_fbm(seed + 7, x * 1.7f, y * 1.7f, 2, 0.5f) - 0.5f);
    y += 0.5f * (kst_fbm(seed + 8, x * 1.7f, y * 1.7f, 2, 0.5f) - 0.5f);
    int ci = (int)floorf(x), cj = (int)floorf(y);
    float first = 9, second = 9;
    for (int j = cj - 1; j <= cj + 1; ++j)
        for (int i = ci - 1; i <= ci + 1; ++i) {
            float dx = (float)i + 0.1f + 0.8f * kst_lattice(seed, i, j) - x;
            float dy = (float)j + 0.1f + 0.8f * kst_lattice(seed + 1, i, j) - y, d = sqrtf(dx * dx + dy * dy);
            if (d < first)
                second = first, first = d;
            else if (d < second)
                second = d;
        }
    wide *= 0.5f + kst_value(seed + 9, x * 0.7f, y * 0.7f);
    return 1 - kst_smooth(0.35f * wide, wide, second - first);
}

void kst_tile_group_ground(int set, int group, uint64_t seed, float u, float v, kst_texel *t) {
    static const float rock[2][3] = {{0.405f, 0.397f, 0.386f}, {0.540f, 0.530f, 0.512f}};
    static const float clay[2][3] = {{0.345f, 0.295f, 0.237f}, {0.445f, 0.388f, 0.315f}};
    if (group != KST_SMOOTH && group != KST_CRACKED) return;
    float x = u * 16, y = v * 16, fine = kst_fbm(seed + 310, x * 2, y * 2, 2, 0.6f) - 0.5f;
    if (group == KST_SMOOTH) {  // worn by water, wide and even, with veins
        float wave = kst_fbm(seed + 320, x * 0.22f, y * 0.5f, 3, 0.45f) - 0.5f;
        float ridge = 1 - fabsf(2 * kst_fbm(seed + 325, x * 0.14f, y * 0.14f, 2, 0.4f) - 1);
        kst_paint(t, rock[0], rock[1],
                  kst_clamp01(0.5f + 1.1f * wave + 0.45f * fine + 0.5f * kst_smooth(0.965f, 0.998f, ridge)));
        t->height = kst_clamp01(0.56f + 0.4f * wave + 0.06f * fine);
    } else if (group == KST_CRACKED && set == KARST_TILE_EARTH) {  // clay without stones
        float pale = kst_fbm(seed + 350, x * 0.6f, y * 0.6f, 3, 0.5f);
        kst_paint(t, clay[0], clay[1], kst_clamp01(0.25f + 0.6f * pale + 0.35f * fine));
        t->height = kst_clamp01(0.55f + 0.2f * (pale - 0.5f) + 0.08f * fine);
    }
}

void kst_tile_group_marks(int set, int group, uint64_t seed, float u, float v, kst_texel *t) {
    if (group != KST_CRACKED) return;
    bool stone = set == KARST_TILE_ROCK;
    float size = 16 * (stone ? 0.22f : 0.40f), gap = plates(seed + 330, u * size, v * size, stone ? 0.075f : 0.11f);
    float small = plates(seed + 340, u * size * 2.3f, v * size * 2.3f, 0.09f) * (stone ? 0.35f : 0.5f);
    float du = u < 0.5f ? u : 1 - u, dv = v < 0.5f ? v : 1 - v, d = du < dv ? du : dv;
    float deep = (gap > small ? gap : small) * kst_smooth(0.006f, 0.05f, d);
    t->height = kst_clamp01(t->height - 0.45f * deep);
    kst_shade(t, 1 - (stone ? 0.45f : 0.55f) * deep);
}
