// SPDX-License-Identifier: MIT
// Images of tiles by code. At its border an image goes over to a pattern of its set that is the same on all four sides
// and read either way, so images meet whatever their variants and turns. Only + - * / and floor: the same bytes
// everywhere, but for sqrtf, which is exact.
#include <math.h>

#include "core/core.h"
#include "karst/tile.h"

static float clamp01(float v) {
    return v < 0 ? 0 : v > 1 ? 1 : v;
}
static float smooth(float low, float high, float v) {
    float t = clamp01((v - low) / (high - low));
    return t * t * (3 - 2 * t);
}
static float mix(float a, float b, float t) {
    return a + (b - a) * t;
}
static float lattice(uint64_t seed, int i, int j) {
    uint64_t key[2] = {seed, (uint64_t)(uint32_t)j << 32 | (uint32_t)i};
    return (float)(kst_hash(key, sizeof key, 11) >> 40) * 0x1p-24f;
}
// Value noise, 0..1.
static float value(uint64_t seed, float x, float y) {
    int i = (int)floorf(x), j = (int)floorf(y);
    float u = x - (float)i, v = y - (float)j;
    u = u * u * (3 - 2 * u), v = v * v * (3 - 2 * v);
    return mix(mix(lattice(seed, i, j), lattice(seed, i + 1, j), u),
               mix(lattice(seed, i, j + 1), lattice(seed, i + 1, j + 1), u), v);
}
static float fbm(uint64_t seed, float x, float y, int octaves, float gain) {
    float sum = 0, share = 1, all = 0;
    for (int o = 0; o < octaves; ++o, share *= gain, x = x * 2 + 17, y = y * 2 + 31) {
        sum += share * value(seed + (uint64_t)o, x, y), all += share;
    }
    return sum / all;
}
// Distance to the nearest of one point a cell, and what is random of it.
static float pebbles(uint64_t seed, float x, float y, float *which) {
    int ci = (int)floorf(x), cj = (int)floorf(y);
    float best = 9;
    for (int j = cj - 1; j <= cj + 1; ++j)
        for (int i = ci - 1; i <= ci + 1; ++i) {
            float dx = (float)i + 0.15f + 0.7f * lattice(seed, i, j) - x;
            float dy = (float)j + 0.15f + 0.7f * lattice(seed + 1, i, j) - y;
            float size = 0.6f + 0.8f * lattice(seed + 2, i, j), d = (dx * dx + dy * dy) / (size * size);
            if (d < best) best = d, *which = lattice(seed + 3, i, j);
        }
    return sqrtf(best);
}

typedef struct texel {
    float c[3], height;  // sRGB, 0..1
} texel;

static void paint(texel *t, const float low[3], const float high[3], float share) {
    for (int k = 0; k < 3; ++k) t->c[k] = mix(low[k], high[k], share);
}
static void shade(texel *t, float by) {
    for (int k = 0; k < 3; ++k) t->c[k] = clamp01(t->c[k] * by);
}

// A set's pattern at (x, y) [cells of about a sixteenth of a tile]; rim: without what would be seen to repeat.
static texel pattern(int set, uint64_t seed, float x, float y, bool rim) {
    // Their means are those of the field's ground: src/gl/shaders/material.glsl.
    static const float colours[KARST_NOISE_SETS][2][3] = {
        {{0.290f, 0.242f, 0.190f}, {0.485f, 0.422f, 0.339f}},  // earth
        {{0.224f, 0.266f, 0.150f}, {0.524f, 0.490f, 0.356f}},  // grass
        {{0.355f, 0.348f, 0.340f}, {0.585f, 0.573f, 0.552f}},  // rock
        {{0.140f, 0.200f, 0.118f}, {0.335f, 0.360f, 0.233f}},  // moss
        {{0.578f, 0.525f, 0.428f}, {0.700f, 0.664f, 0.575f}},  // sand
        {{0.454f, 0.400f, 0.332f}, {0.640f, 0.590f, 0.510f}},  // path
    };
    texel t = {{0}, 0.5f};
    float which = 0, broad = fbm(seed, x * 0.25f, y * 0.25f, 3, 0.5f), fine = fbm(seed + 20, x * 2, y * 2, 2, 0.6f);
    switch ((karst_tile_set)set) {
        case KARST_TILE_EARTH: {
            float d = pebbles(seed + 40, x * 0.9f, y * 0.9f, &which),
                  stone = which > 0.72f ? 1 - smooth(0.28f, 0.40f, d) : 0;
            t.height = clamp01(0.35f + 0.4f * broad + 0.2f * (fine - 0.5f) + 0.3f * stone * (1 - d));
            paint(&t, colours[set][0], colours[set][1],
                  clamp01(0.1f + 0.6f * broad + 0.5f * (fine - 0.5f) + 0.45f * stone));
            shade(&t, 1 - 0.25f * (1 - stone) * (1 - smooth(0.38f, 0.55f, d)) * (which > 0.72f));
            break;
        }
        case KARST_TILE_GRASS: {  // blades: noise drawn out along ways that bend
            float bend = 6 * (broad - 0.5f), a = value(seed + 40, x * 3.1f + bend * 2, y * 0.8f + bend);
            float b = value(seed + 50, x * 0.9f - bend, y * 3.3f + bend * 2), blade = a > b ? a : b;
            float dry = smooth(0.55f, 0.8f, fbm(seed + 60, x * 0.5f, y * 0.5f, 2, 0.5f));
            t.height = clamp01(0.2f + 0.7f * blade);
            paint(&t, colours[set][0], colours[set][1], clamp01(0.95f * blade - 0.15f + 0.3f * (broad - 0.4f)));
            t.c[0] = clamp01(t.c[0] + 0.07f * dry * blade), t.c[1] += 0.02f * dry;
            break;
        }
        case KARST_TILE_ROCK: {  // beds, faces that broke out of them, and cracks that end
            float ridge = 1 - fabsf(2 * fbm(seed + 40, x * 0.35f, y * 0.35f, 3, 0.5f) - 1);
            float open = smooth(0.45f, 0.7f, value(seed + 70, x * 0.6f, y * 0.6f));
            float crack = rim ? 0 : smooth(0.90f, 0.99f, ridge) * open,
                  bed = value(seed + 50, x * 0.2f, y * 1.2f + 2 * broad);
            float bend = 1.2f * (fine - 0.5f), d = pebbles(seed + 60, x * 0.5f + bend, y * 0.8f + bend, &which);
            float face = (which - 0.5f) * (1 - smooth(0.5f, 0.9f, d));
            t.height = clamp01(0.45f + 0.35f * broad + 0.2f * (fine - 0.5f) + 0.25f * face - 0.2f * crack);
            paint(&t, colours[set][0], colours[set][1],
                  clamp01(0.2f + 0.4f * broad + 0.25f * bed + 0.3f * (fine - 0.5f) + 0.25f * face));
            shade(&t, 1 - 0.22f * crack);
            break;
        }
        case KARST_TILE_MOSS: {  // cushions
            float d = pebbles(seed + 40, x * 0.55f, y * 0.55f, &which), dome = clamp01(1 - d * d);
            t.height = clamp01(0.2f + 0.6f * dome + 0.3f * (fine - 0.5f));
            paint(&t, colours[set][0], colours[set][1], clamp01(0.75f * dome + 0.5f * (fine - 0.5f) + 0.2f * which));
            break;
        }
        case KARST_TILE_SAND: {
            float grain = lattice(seed + 40, (int)floorf(x * 8), (int)floorf(y * 8));
            float ripple = value(seed + 50, x * 0.5f + 1.5f * broad, y * 1.6f + 1.5f * broad);
            t.height = clamp01(0.3f + 0.4f * ripple + 0.1f * broad);
            paint(&t, colours[set][0], colours[set][1], clamp01(0.35f * ripple + 0.35f * broad + 0.3f * grain));
            break;
        }
        case KARST_TILE_PATH: {  // trodden gravel
            float d = pebbles(seed + 40, x * 1.6f, y * 1.6f, &which), stone = 1 - smooth(0.3f, 0.48f, d);
            t.height = clamp01(0.4f + 0.3f * stone * (1 - d) + 0.2f * broad);
            paint(&t, colours[set][0], colours[set][1],
                  clamp01(0.25f + 0.4f * broad + 0.35f * stone * (which - 0.3f) + 0.25f * (fine - 0.5f)));
            shade(&t, 1 - 0.18f * (1 - stone));
            break;
        }
    }
    return t;
}

// The same on all sides of a tile, and along each side from either end.
static texel border_pattern(int set, float u, float v) {
    float x = fabsf(2 * u - 1) * 8, y = fabsf(2 * v - 1) * 8;
    texel a = pattern(set, (uint64_t)set * 1000 + 900, x, y, true),
          b = pattern(set, (uint64_t)set * 1000 + 900, y, x, true);
    for (int k = 0; k < 3; ++k) a.c[k] = 0.5f * (a.c[k] + b.c[k]);
    a.height = 0.5f * (a.height + b.height);
    return a;
}

static void make_image(int set, int variant, uint8_t out[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    for (int y = 0; y < KARST_TILE_SIDE; ++y)
        for (int x = 0; x < KARST_TILE_SIDE; ++x) {
            float u = ((float)x + 0.5f) / KARST_TILE_SIDE, v = ((float)y + 0.5f) / KARST_TILE_SIDE;
            float du = u < 0.5f ? u : 1 - u, dv = v < 0.5f ? v : 1 - v, d = du < dv ? du : dv;
            texel own = pattern(set, (uint64_t)(set * 1000 + variant * 100), u * 16, v * 16, false);
            // A ragged way over from the border, where what stands higher wins.
            float in = smooth(0.0f, 0.11f, d);
            if (in < 1) {
                texel rim = border_pattern(set, u, v);
                float w = in <= 0 ? 0 : smooth(0.25f, 0.75f, in + 0.6f * in * (1 - in) * (own.height - rim.height) * 2);
                for (int k = 0; k < 3; ++k) own.c[k] = mix(rim.c[k], own.c[k], w);
                own.height = mix(rim.height, own.height, w);
            }
            for (int k = 0; k < 3; ++k) out[y][x][k] = (uint8_t)floorf(clamp01(own.c[k]) * 255 + 0.5f);
            out[y][x][3] = (uint8_t)floorf(clamp01(own.height) * 255 + 0.5f);
        }
}

// Rings round the middle all have the mean of the set, so that afar the sides of tiles do not make a grid, neither in
// colour nor in relief.
static void level_rings(uint8_t (*image)[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    enum { RINGS = KARST_TILE_SIDE / 2 };
    int64_t sum[RINGS][4] = {{0}}, count[RINGS] = {0}, all[4] = {0};
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k)
            for (int y = 0; y < KARST_TILE_SIDE; ++y)
                for (int x = 0; x < KARST_TILE_SIDE; ++x) {
                    int dx = x < RINGS ? x : KARST_TILE_SIDE - 1 - x, dy = y < RINGS ? y : KARST_TILE_SIDE - 1 - y;
                    int ring = dx < dy ? dx : dy;
                    uint8_t *code = image[k][y][x];
                    count[ring] += pass == 0;
                    for (int c = 0; c < 4; ++c) {
                        if (pass == 0) {
                            sum[ring][c] += code[c], all[c] += code[c];
                            continue;
                        }
                        float mean = (float)all[c] / (KARST_TILE_VARIANTS * KARST_TILE_SIDE * KARST_TILE_SIDE);
                        float off = mean - (float)sum[ring][c] / (float)count[ring];
                        float v = (float)code[c] + off * (1 - smooth(24, 48, (float)ring));
                        code[c] = (uint8_t)floorf(clamp01(v / 255) * 255 + 0.5f);
                    }
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
    float plain = mix(s0, s2, v) + mix(s3, s1, u) - mix(mix(c[0], c[1], u), mix(c[3], c[2], u), v);
    float rough = fbm(7000 + (uint64_t)mask * 10, u * 5, v * 5, 3, 0.55f) - 0.5f;
    return plain + 2.2f * rough * clamp01(12 * u * (1 - u) * v * (1 - v));
}

static void make_mask(int mask, uint8_t out[KARST_TILE_MASK_SIDE][KARST_TILE_MASK_SIDE]) {
    for (int y = 0; y < KARST_TILE_MASK_SIDE; ++y)
        for (int x = 0; x < KARST_TILE_MASK_SIDE; ++x) {
            float u = (float)x / (KARST_TILE_MASK_SIDE - 1), v = (float)y / (KARST_TILE_MASK_SIDE - 1);
            out[y][x] = (uint8_t)floorf(255 * smooth(-0.30f, 0.30f, cover(mask, u, v)) + 0.5f);
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
    for (int set = 0; set < KARST_NOISE_SETS; ++set)
        for (int k = 0; k < KARST_TILE_VARIANTS; ++k) make_image(set, k, out->image[set][k]);
    for (int set = 0; set < KARST_NOISE_SETS; ++set) level_rings(out->image[set]);
    for (int k = 0; k < KARST_TILE_MASKS; ++k) make_mask(k, out->mask[k]);
    make_far(out);
}
