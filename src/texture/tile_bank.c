// SPDX-License-Identifier: MIT
// Images of tiles by code. At its border an image goes over to a pattern of its set that is the same on all four sides
// and read either way, so images meet whatever their variants and turns. Only + - * / and floor: the same bytes
// everywhere, but for sqrtf, which is exact.
#include "texture/tile_noise.h"

// The same on all sides of a tile, and along each side from either end.
static kst_texel border_pattern(int set, float u, float v) {
    float x = fabsf(2 * u - 1) * 8, y = fabsf(2 * v - 1) * 8;
    kst_texel a = kst_tile_ground(set, (uint64_t)set * 1000 + 900, x, y, true),
              b = kst_tile_ground(set, (uint64_t)set * 1000 + 900, y, x, true);
    for (int k = 0; k < 3; ++k) a.c[k] = 0.5f * (a.c[k] + b.c[k]);
    a.height = 0.5f * (a.height + b.height);
    return a;
}

enum { HALF = KARST_TILE_SIDE / 2 };

// A quarter of it, from the corner of the tile; what lies further in is not asked for.
static void make_border(int set, kst_texel out[HALF][HALF]) {
    for (int y = 0; y < HALF; ++y)
        for (int x = 0; x < HALF; ++x)
            if (x < HALF / 4 || y < HALF / 4)
                out[y][x] =
                    border_pattern(set, ((float)x + 0.5f) / KARST_TILE_SIDE, ((float)y + 0.5f) / KARST_TILE_SIDE);
}

static void make_image(int set, int variant, kst_texel border[HALF][HALF],
                       uint8_t out[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    int group = kst_tile_group(set, variant);
    uint64_t seed = (uint64_t)(set * 1000 + variant * 100) + (group ? 100000 : 0);
    for (int y = 0; y < KARST_TILE_SIDE; ++y)
        for (int x = 0; x < KARST_TILE_SIDE; ++x) {
            float u = ((float)x + 0.5f) / KARST_TILE_SIDE, v = ((float)y + 0.5f) / KARST_TILE_SIDE;
            float du = u < 0.5f ? u : 1 - u, dv = v < 0.5f ? v : 1 - v, d = du < dv ? du : dv;
            kst_texel own = kst_tile_ground(set, seed, u * 16, v * 16, false);
            // A ragged way over from the border, where what stands higher wins.
            float in = kst_smooth(0.0f, 0.11f, d);
            kst_tile_group_ground(set, group, seed, u, v, &own);
            if (in < 1) {
                kst_texel rim = border[y < HALF ? y : KARST_TILE_SIDE - 1 - y][x < HALF ? x : KARST_TILE_SIDE - 1 - x];
                float w =
                    in <= 0 ? 0 : kst_smooth(0.25f, 0.75f, in + 0.6f * in * (1 - in) * (own.height - rim.height) * 2);
                for (int k = 0; k < 3; ++k) own.c[k] = kst_mix(rim.c[k], own.c[k], w);
                own.height = kst_mix(rim.height, own.height, w);
            }
            kst_tile_group_marks(set, group, seed, u, v, &own);
            for (int k = 0; k < 3; ++k) out[y][x][k] = (uint8_t)floorf(kst_clamp01(own.c[k]) * 255 + 0.5f);
            out[y][x][3] = (uint8_t)floorf(kst_clamp01(own.height) * 255 + 0.5f);
        }
}

static int ring_of(int x, int y) {
    int dx = x < HALF ? x : KARST_TILE_SIDE - 1 - x, dy = y < HALF ? y : KARST_TILE_SIDE - 1 - y;
    return dx < dy ? dx : dy;
}

// Rings round the middle all have the mean of what is common, so that afar the sides of tiles do not make a grid,
// neither in colour nor in relief. Images of other groups go along.
static void level_rings(uint8_t (*image)[KARST_TILE_SIDE][KARST_TILE_SIDE][4], const uint16_t *groups) {
    int64_t sum[HALF][4] = {{0}}, count[HALF] = {0}, all[4] = {0}, images = 0;
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) {
        if (!(groups[k] & 1)) continue;
        ++images;
        for (int y = 0; y < KARST_TILE_SIDE; ++y)
            for (int x = 0; x < KARST_TILE_SIDE; ++x) {
                int ring = ring_of(x, y);
                ++count[ring];
                for (int c = 0; c < 4; ++c) sum[ring][c] += image[k][y][x][c], all[c] += image[k][y][x][c];
            }
    }
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k)
        for (int y = 0; y < KARST_TILE_SIDE; ++y)
            for (int x = 0; x < KARST_TILE_SIDE; ++x)
                for (int c = 0; c < 4; ++c) {
                    int ring = ring_of(x, y);
                    float mean = (float)all[c] / (float)(images * KARST_TILE_SIDE * KARST_TILE_SIDE);
                    float off = mean - (float)sum[ring][c] / (float)count[ring];
                    float v = (float)image[k][y][x][c] + off * (1 - kst_smooth(24, 48, (float)ring));
                    image[k][y][x][c] = (uint8_t)floorf(kst_clamp01(v / 255) * 255 + 0.5f);
                }
}

// ---- transitions --------------------------------------------------------------------------------------------------

static const uint8_t mask_corners[12] = {1, 2, 4, 8, 3, 6, 12, 9, 7, 11, 13, 14};
static const uint8_t side_ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};

int karst_tile_mask_of(int corners, int first, int second) {
    for (int k = 0; k < 12; ++k)
        if (mask_corners[k] == corners) return 4 * k + 2 * (first != 0) + (second != 0);
    return KARST_NET_NONE;
}

// Signed cover along a side, -1 at a corner that is not covered and 1 at one that is; 0 where the border crosses.
static float side_cover(int corners, int side, int crossing, float at) {
    bool a = corners >> side_ends[side][0] & 1, b = corners >> side_ends[side][1] & 1;
    if (a == b) return a ? 1 : -1;
    float from_bare = a ? 1 - at : at, cross = crossing ? 0.64f : 0.36f;
    return from_bare < cross ? from_bare / cross - 1 : (from_bare - cross) / (1 - cross);
}

// Coons' patch over its four sides, roughened inside.
static float cover(int mask, float u, float v) {
    int corners = mask_corners[mask / 4], crossing[4] = {0}, next = 0;
    for (int side = 0; side < 4; ++side)
        if ((corners >> side_ends[side][0] & 1) != (corners >> side_ends[side][1] & 1))
            crossing[side] = next++ == 0 ? mask >> 1 & 1 : mask & 1;
    float s0 = side_cover(corners, 0, crossing[0], u), s1 = side_cover(corners, 1, crossing[1], v);
    float s2 = side_cover(corners, 2, crossing[2], u), s3 = side_cover(corners, 3, crossing[3], v), c[4];
    for (int k = 0; k < 4; ++k) c[k] = corners >> k & 1 ? 1 : -1;
    float plain = kst_mix(s0, s2, v) + kst_mix(s3, s1, u) - kst_mix(kst_mix(c[0], c[1], u), kst_mix(c[3], c[2], u), v);
    float rough = kst_fbm(7000 + (uint64_t)mask * 10, u * 5, v * 5, 3, 0.55f) - 0.5f;
    return plain + 2.2f * rough * kst_clamp01(12 * u * (1 - u) * v * (1 - v));
}

static void make_mask(int mask, uint8_t out[KARST_TILE_MASK_SIDE][KARST_TILE_MASK_SIDE]) {
    for (int y = 0; y < KARST_TILE_MASK_SIDE; ++y)
        for (int x = 0; x < KARST_TILE_MASK_SIDE; ++x) {
            float u = (float)x / (KARST_TILE_MASK_SIDE - 1), v = (float)y / (KARST_TILE_MASK_SIDE - 1);
            out[y][x] = (uint8_t)floorf(255 * kst_smooth(-0.30f, 0.30f, cover(mask, u, v)) + 0.5f);
        }
}

// ---- means --------------------------------------------------------------------------------------------------------

static void make_far(karst_tile_bank *bank) {
    enum { BLOCK = KARST_TILE_SIDE / KARST_TILE_FAR, MASK_BLOCK = KARST_TILE_MASK_SIDE / KARST_TILE_FAR };
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k)
            for (int j = 0; j < KARST_TILE_FAR; ++j)
                for (int i = 0; i < KARST_TILE_FAR; ++i)
                    for (int c = 0; c < 3; ++c) {
                        double sum = 0;  // of squares: near enough to light
                        for (int y = 0; y < BLOCK; ++y)
                            for (int x = 0; x < BLOCK; ++x) {
                                double v = bank->image[set][k][BLOCK * j + y][BLOCK * i + x][c];
                                sum += v * v;
                            }
                        bank->far_image[set][k][j][i][c] = (uint8_t)(sqrt(sum / (BLOCK * BLOCK)) + 0.5);
                    }
    for (int k = 0; k < KARST_TILE_MASKS; ++k)
        for (int j = 0; j < KARST_TILE_FAR; ++j)
            for (int i = 0; i < KARST_TILE_FAR; ++i) {
                int sum = 0;
                for (int y = 0; y < MASK_BLOCK; ++y)
                    for (int x = 0; x < MASK_BLOCK; ++x) sum += bank->mask[k][MASK_BLOCK * j + y][MASK_BLOCK * i + x];
                bank->far_mask[k][j][i] = (uint8_t)((sum + MASK_BLOCK * MASK_BLOCK / 2) / (MASK_BLOCK * MASK_BLOCK));
            }
}

void karst_tile_bank_make(karst_tile_bank *out) {
    for (int set = 0; set < KARST_NOISE_SETS; ++set) {
        kst_texel border[HALF][HALF];
        make_border(set, border);
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k) {
            out->groups[set][k] = (uint16_t)(1 << kst_tile_group(set, k));
            make_image(set, k, border, out->image[set][k]);
        }
        level_rings(out->image[set], out->groups[set]);
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k)
            kst_tile_group_things(set, kst_tile_group(set, k), (uint64_t)(set * 100 + k), out->image[set][k]);
    }
    for (int k = 0; k < KARST_TILE_MASKS; ++k) make_mask(k, out->mask[k]);
    make_far(out);
}
