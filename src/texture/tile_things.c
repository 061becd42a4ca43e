// SPDX-License-Identifier: MIT
// What groups lay on tiles: flowers, leaves, straw, stones, lichen, shells, damp spots, the marks of hooves. Each thing
// lies whole within its image, a texel from the rim, so the rim is its set's whatever lies there.
#include "texture/tile_noise.h"

typedef enum form { STONE, FLOWER, LEAF, BLADE, SPOT, SHELL, PRINT, DAMP } form;

typedef struct thing {
    float x, y, along, across;  // [texels]
    float way[2];               // unit
    float ragged;               // 0..1
    form form;
    float c[3], heart[3];  // sRGB, 0..1
} thing;

// 0 in its middle, 1 at its outline.
static float outline(const thing *t, uint64_t seed, float dx, float dy) {
    float a = (dx * t->way[0] + dy * t->way[1]) / t->along, b = (dy * t->way[0] - dx * t->way[1]) / t->across;
    float r = sqrtf(a * a + b * b);
    if (t->form == LEAF || t->form == BLADE) return fabsf(b) + a * a;
    if (t->form == PRINT) {  // two halves of a hoof
        float half = (fabsf(b) - 0.52f) / 0.44f;
        return sqrtf(a * a + half * half);
    }
    if (t->form == FLOWER && r > 0) {  // five petals: cos 5 phi by Chebyshev
        float c = a / r, c2 = c * c;
        return r / (0.82f + 0.18f * (16 * c2 * c2 * c - 20 * c2 * c + 5 * c));
    }
    return r + t->ragged * (kst_fbm(seed, dx * 0.35f, dy * 0.35f, 2, 0.6f) - 0.5f);
}

static void lay(const thing *t, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    float least = t->along < t->across ? t->along : t->across, soft = (t->form == PRINT ? 1.0f : 0.5f) / least;
    float wide = 1 + 0.5f * t->ragged, cos = fabsf(t->way[0]), sin = fabsf(t->way[1]);
    float right = (t->along * cos + t->across * sin) * wide + 1, down = (t->along * sin + t->across * cos) * wide + 1;
    // What would reach over the rim lies beside it, so that it is as full there as elsewhere.
    const float x0 = kst_clamp(t->x, right + 1, KARST_TILE_SIDE - 1 - right);
    const float y0 = kst_clamp(t->y, down + 1, KARST_TILE_SIDE - 1 - down);
    for (int y = (int)(y0 - down); y <= (int)(y0 + down); ++y)
        for (int x = (int)(x0 - right); x <= (int)(x0 + right); ++x) {
            float dx = (float)x + 0.5f - x0, dy = (float)y + 0.5f - y0, q = outline(t, seed, dx, dy);
            float on = 1 - kst_smooth(1 - soft, 1 + soft, q), near = 1 - kst_smooth(1, 1 + 2.5f * soft, q);
            if (near <= 0 && on <= 0) continue;
            uint8_t *code = image[y][x];
            kst_texel own = {{0}, 0}, old = {{code[0] / 255.0f, code[1] / 255.0f, code[2] / 255.0f}, code[3] / 255.0f};
            float dome = kst_clamp01(1 - q * q), dark = 0.24f * near;
            for (int k = 0; k < 3; ++k) own.c[k] = t->c[k];
            switch (t->form) {
                case STONE:
                    own.height = kst_clamp01(0.5f * old.height + 0.25f + 0.35f * dome);
                    kst_shade(&own, 0.86f + 0.16f * dome + 0.16f * (kst_value(seed + 3, dx * 0.6f, dy * 0.6f) - 0.5f));
                    break;
                case FLOWER:
                    own.height = 0.95f;
                    for (int k = 0; k < 3; ++k)
                        own.c[k] = kst_mix(own.c[k], t->heart[k], 1 - kst_smooth(0.2f, 0.5f, q));
                    break;
                case LEAF: {
                    float rib = fabsf(dy * t->way[0] - dx * t->way[1]);
                    own.height = kst_clamp01(0.3f * old.height + 0.45f + 0.15f * dome);
                    kst_shade(&own, (rib < 0.6f ? 0.82f : 1.0f) * (0.9f + 0.12f * dome));
                    break;
                }
                case BLADE:
                    own.height = kst_clamp01(0.6f * old.height + 0.30f);
                    dark *= 0.4f;
                    break;
                case DAMP:
                    dark = 0, on *= 0.8f;
                    own = old;
                    for (int k = 0; k < 3; ++k) own.c[k] = kst_mix(old.c[k], t->c[k], 0.8f);
                    own.height = 0.6f * old.height;
                    break;
                case SPOT:  // a rosette, denser at its rim
                    own.height = old.height, dark = 0;
                    on *= 0.40f + 0.30f * kst_smooth(0.2f, 0.9f, q);
                    break;
                case SHELL:
                    own.height = kst_clamp01(0.55f + 0.35f * dome);
                    kst_shade(&own, 0.90f + 0.10f * dome);
                    break;
                case PRINT:
                    dark *= 0.25f;
                    own = old;
                    kst_shade(&own, 0.70f);
                    own.height = kst_clamp01(old.height - 0.30f);
                    on *= 0.75f;
                    break;
            }
            kst_shade(&old, 1 - dark);
            for (int k = 0; k < 3; ++k) old.c[k] = kst_mix(old.c[k], own.c[k], on);
            old.height = kst_mix(old.height, own.height, on);
            for (int k = 0; k < 3; ++k) code[k] = (uint8_t)floorf(kst_clamp01(old.c[k]) * 255 + 0.5f);
            code[3] = (uint8_t)floorf(kst_clamp01(old.height) * 255 + 0.5f);
        }
}

// A kind of thing, at most one in each of n x n fields.
typedef struct kind {
    form form;
    int n;
    float share;          // of the fields
    float clumped;        // 0 spread evenly, 1 in clumps
    float size[2], slim;  // [texels]; across as a share of along
    float ragged;
    uint32_t colour[4], heart;  // one of these, 0 ends them; sRGB 0xRRGGBB
} kind;

enum {
    NONE,
    DAISIES,
    BUTTERCUPS,
    BELLS,
    STARS,
    LITTER,
    STONES,
    PEBBLES,
    SHINGLE,
    RUBBLE,
    GRIT,
    CRUSTS,
    RUST,
    SHELLS,
    SHARDS,
    STRAW,
    WITHERED,
    DAMP_SAND,
    MUD,
    HOOVES
};
static const kind kinds[] = {
    [DAISIES] = {FLOWER, 13, 0.42f, 0.7f, {2.0f, 3.4f}, 1, 0, {0xE6E3D6, 0xD6D4CC}, 0xCC9E29},
    [BUTTERCUPS] = {FLOWER, 12, 0.34f, 0.6f, {1.7f, 2.8f}, 1, 0, {0xE0BD29, 0xD1A81F}, 0xA87A14},
    [BELLS] = {FLOWER, 12, 0.40f, 0.8f, {1.9f, 3.1f}, 1, 0, {0x8061B2, 0x9470B8, 0xB8759E}, 0xD1C280},
    [STARS] = {FLOWER, 13, 0.50f, 0.8f, {1.4f, 2.3f}, 1, 0, {0xD6D6C7, 0xCCBDC2}, 0x9E993D},
    [LITTER] = {LEAF, 14, 0.60f, 0.5f, {2.8f, 5.6f}, 0.55f, 0, {0x704C2B, 0x876636, 0x593D29, 0x80703D}, 0},
    [STONES] = {STONE, 9, 0.50f, 0.5f, {3.0f, 9.5f}, 0.8f, 0.35f, {0x858075, 0x757069, 0x948C7D}, 0},
    [PEBBLES] = {STONE, 15, 0.40f, 0.6f, {1.8f, 3.6f}, 0.85f, 0.3f, {0x8F877A, 0x7A756B, 0x9E9480}, 0},
    [SHINGLE] = {STONE, 13, 0.50f, 0.5f, {2.0f, 7.0f}, 0.78f, 0.3f, {0xADA391, 0x948F85, 0xBDB29E, 0x998570}, 0},
    [RUBBLE] = {STONE, 19, 0.80f, 0.2f, {2.4f, 5.2f}, 0.8f, 0.3f, {0x948F87, 0x807A73, 0xA39C8C, 0x857563}, 0},
    [GRIT] = {STONE, 30, 0.70f, 0, {1.3f, 2.2f}, 0.85f, 0.2f, {0x948F85, 0x857D73, 0x9E9482}, 0},
    [CRUSTS] = {SPOT, 12, 0.42f, 0.7f, {2.0f, 9.0f}, 0.85f, 1.0f, {0xA3A88C, 0x8F997A, 0xB2B2A3}, 0},
    [RUST] = {SPOT, 10, 0.30f, 0.9f, {1.6f, 4.5f}, 0.85f, 1.0f, {0x9E8047, 0x916E40}, 0},
    [SHELLS] = {SHELL, 13, 0.42f, 0.6f, {1.8f, 3.4f}, 0.72f, 0.15f, {0xE0D9C9, 0xD6BAAD, 0xAD998F}, 0},
    [SHARDS] = {SHELL, 18, 0.35f, 0.7f, {1.0f, 1.7f}, 0.6f, 0, {0xD6CFBF, 0xB2A394}, 0},
    [STRAW] = {BLADE, 34, 0.55f, 0.75f, {3.0f, 8.5f}, 0.12f, 0, {0x80754A, 0x918257, 0x6E633D, 0x857345}, 0},
    [WITHERED] = {SPOT, 22, 0.65f, 0.6f, {1.6f, 7.0f}, 0.85f, 0.9f, {0x6B5C33, 0x7A6638, 0x5C4C2E}, 0},
    [DAMP_SAND] = {DAMP, 24, 0.50f, 0.95f, {1.5f, 6.0f}, 0.8f, 0.6f, {0x877863, 0x80715D}, 0},
    [MUD] = {DAMP, 24, 0.50f, 0.95f, {1.5f, 6.0f}, 0.8f, 0.6f, {0x66594A, 0x5E5345}, 0},
    [HOOVES] = {PRINT, 8, 0.50f, 0.3f, {4.6f, 5.6f}, 0.9f, 0, {0}, 0},
};

static void scatter(const kind *k, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    float step = (float)KARST_TILE_SIDE / (float)k->n;
    for (int j = 0; j < k->n; ++j)
        for (int i = 0; i < k->n; ++i) {
            float r[7];
            for (int n = 0; n < 7; ++n) r[n] = kst_lattice(seed + (uint64_t)n, i, j);
            float x = ((float)i + r[0]) * step, y = ((float)j + r[1]) * step;
            float clump = kst_smooth(0.35f, 0.65f, kst_value(seed + 30, x * 0.06f, y * 0.06f));
            if (r[2] >= k->share * kst_mix(1, 1.7f * clump, k->clumped)) continue;
            thing t = {.x = x, .y = y, .form = k->form, .ragged = k->ragged, .way = {r[3] - 0.5f, r[4] - 0.5f}};
            float length = sqrtf(t.way[0] * t.way[0] + t.way[1] * t.way[1]);
            if (length < 1e-3f)
                t.way[0] = 1, t.way[1] = 0;
            else
                t.way[0] /= length, t.way[1] /= length;
            // Small ones are many.
            t.along = kst_mix(k->size[0], k->size[1], r[5] * r[5]), t.across = t.along * k->slim;
            int colours = 1;
            while (colours < 4 && k->colour[colours]) ++colours;
            uint32_t colour = k->colour[(int)(r[6] * (float)colours)];
            float tone = 0.9f + 0.2f * kst_lattice(seed + 8, i, j);
            for (int c = 0; c < 3; ++c) {
                t.c[c] = kst_clamp01((float)(colour >> (16 - 8 * c) & 255) / 255 * tone);
                t.heart[c] = (float)(k->heart >> (16 - 8 * c) & 255) / 255;
            }
            lay(&t, kst_hash_u64(seed, (uint64_t)(j * 64 + i)), image);
        }
}

void kst_tile_group_things(int set, int group, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    bool moss = set == KARST_TILE_MOSS, sand = set == KARST_TILE_SAND;
    const int of[KARST_TILE_GROUPS][2] = {
        [KST_LICHEN] = {CRUSTS, RUST},
        [KST_FLOWERS] = {moss       ? STARS
                         : seed & 1 ? BELLS
                                    : DAISIES,
                         moss ? NONE : BUTTERCUPS},
        [KST_DRY] = {moss ? WITHERED : STRAW},
        [KST_LEAVES] = {LITTER},
        [KST_STONY] = {sand ? SHINGLE : PEBBLES, sand ? NONE : STONES},
        [KST_GRAVEL] = {GRIT, RUBBLE},
        [KST_TRACKS] = {HOOVES},
        [KST_WET] = {sand ? DAMP_SAND : MUD},
        [KST_SHELLS] = {SHARDS, SHELLS},
    };
    for (uint64_t k = 0; k < 2; ++k)
        if (of[group][k] != NONE) scatter(&kinds[of[group][k]], 500000 + seed * 1000 + k * 100, image);
}
