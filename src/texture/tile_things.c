// SPDX-License-Identifier: MIT
// What groups lay on tiles: flowers, leaves, stones, lichen, shells, the marks of hooves. Each thing lies whole within
// its image, a texel from the rim, so the rim is its set's whatever lies there.
#include "texture/tile_noise.h"

typedef enum form { STONE, FLOWER, LEAF, SPOT, SHELL, PRINT } form;

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
    if (t->form == LEAF) return fabsf(b) + a * a;
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
    float least = t->along < t->across ? t->along : t->across, most = t->along > t->across ? t->along : t->across;
    float reach = most * (1 + 0.35f * t->ragged) + 1, soft = 0.5f / least;
    if (t->form == PRINT) soft *= 2;
    if (t->x - reach < 1 || t->y - reach < 1 || t->x + reach > KARST_TILE_SIDE - 1 ||
        t->y + reach > KARST_TILE_SIDE - 1)
        return;
    for (int y = (int)(t->y - reach); y <= (int)(t->y + reach); ++y)
        for (int x = (int)(t->x - reach); x <= (int)(t->x + reach); ++x) {
            float dx = (float)x + 0.5f - t->x, dy = (float)y + 0.5f - t->y, q = outline(t, seed, dx, dy);
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
    int colours;
    float c[4][3];  // one of these
    float heart[3];
} kind;

static void scatter(const kind *k, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    float step = (float)KARST_TILE_SIDE / (float)k->n;
    for (int j = 0; j < k->n; ++j)
        for (int i = 0; i < k->n; ++i) {
            float r[7];
            for (int n = 0; n < 7; ++n) r[n] = kst_lattice(seed + (uint64_t)n, i, j);
            float x = ((float)i + r[0]) * step, y = ((float)j + r[1]) * step;
            float clump = kst_smooth(0.35f, 0.65f, kst_value(seed + 30, x * 0.035f, y * 0.035f));
            if (r[2] >= k->share * kst_mix(1, 1.7f * clump, k->clumped)) continue;
            thing t = {.x = x, .y = y, .form = k->form, .ragged = k->ragged, .way = {r[3] - 0.5f, r[4] - 0.5f}};
            float length = sqrtf(t.way[0] * t.way[0] + t.way[1] * t.way[1]);
            if (length < 1e-3f)
                t.way[0] = 1, t.way[1] = 0;
            else
                t.way[0] /= length, t.way[1] /= length;
            // Small ones are many.
            t.along = kst_mix(k->size[0], k->size[1], r[5] * r[5]), t.across = t.along * k->slim;
            int pick = (int)(r[6] * (float)k->colours);
            float tone = 0.9f + 0.2f * kst_lattice(seed + 8, i, j);
            for (int c = 0; c < 3; ++c) t.c[c] = kst_clamp01(k->c[pick][c] * tone), t.heart[c] = k->heart[c];
            lay(&t, kst_hash_u64(seed, (uint64_t)(j * 64 + i)), image);
        }
}

static const kind daisies = {FLOWER,
                             13,
                             0.42f,
                             0.7f,
                             {2.0f, 3.4f},
                             1,
                             0,
                             2,
                             {{0.90f, 0.89f, 0.84f}, {0.84f, 0.83f, 0.80f}},
                             {0.80f, 0.62f, 0.16f}};
static const kind buttercups = {FLOWER,
                                12,
                                0.34f,
                                0.6f,
                                {1.7f, 2.8f},
                                1,
                                0,
                                2,
                                {{0.88f, 0.74f, 0.16f}, {0.82f, 0.66f, 0.12f}},
                                {0.66f, 0.48f, 0.08f}};
static const kind bells = {FLOWER,
                           12,
                           0.40f,
                           0.8f,
                           {1.9f, 3.1f},
                           1,
                           0,
                           3,
                           {{0.50f, 0.38f, 0.70f}, {0.58f, 0.44f, 0.72f}, {0.72f, 0.46f, 0.62f}},
                           {0.82f, 0.76f, 0.50f}};
static const kind stars = {FLOWER,
                           13,
                           0.50f,
                           0.8f,
                           {1.4f, 2.3f},
                           1,
                           0,
                           2,
                           {{0.84f, 0.84f, 0.78f}, {0.80f, 0.74f, 0.76f}},
                           {0.62f, 0.60f, 0.24f}};
static const kind litter = {
    LEAF,
    14,
    0.60f,
    0.5f,
    {2.8f, 5.6f},
    0.55f,
    0,
    4,
    {{0.44f, 0.30f, 0.17f}, {0.53f, 0.40f, 0.21f}, {0.35f, 0.24f, 0.16f}, {0.50f, 0.44f, 0.24f}},
    {0}};
static const kind stones = {STONE,
                            9,
                            0.50f,
                            0.5f,
                            {3.0f, 9.5f},
                            0.8f,
                            0.35f,
                            3,
                            {{0.52f, 0.50f, 0.46f}, {0.46f, 0.44f, 0.41f}, {0.58f, 0.55f, 0.49f}},
                            {0}};
static const kind pebbles = {STONE,
                             15,
                             0.40f,
                             0.6f,
                             {1.8f, 3.6f},
                             0.85f,
                             0.3f,
                             3,
                             {{0.56f, 0.53f, 0.48f}, {0.48f, 0.46f, 0.42f}, {0.62f, 0.58f, 0.50f}},
                             {0}};
static const kind shingle = {
    STONE,
    13,
    0.50f,
    0.5f,
    {2.0f, 7.0f},
    0.78f,
    0.3f,
    4,
    {{0.68f, 0.64f, 0.57f}, {0.58f, 0.56f, 0.52f}, {0.74f, 0.70f, 0.62f}, {0.60f, 0.52f, 0.44f}},
    {0}};
static const kind rubble = {
    STONE,
    19,
    0.80f,
    0.2f,
    {2.4f, 5.2f},
    0.8f,
    0.3f,
    4,
    {{0.58f, 0.56f, 0.53f}, {0.50f, 0.48f, 0.45f}, {0.64f, 0.61f, 0.55f}, {0.52f, 0.46f, 0.39f}},
    {0}};
static const kind grit = {STONE,
                          30,
                          0.70f,
                          0,
                          {1.3f, 2.2f},
                          0.85f,
                          0.2f,
                          3,
                          {{0.58f, 0.56f, 0.52f}, {0.52f, 0.49f, 0.45f}, {0.62f, 0.58f, 0.51f}},
                          {0}};
static const kind crusts = {SPOT,
                            12,
                            0.60f,
                            0.7f,
                            {2.0f, 9.0f},
                            0.85f,
                            1.0f,
                            3,
                            {{0.64f, 0.66f, 0.55f}, {0.56f, 0.60f, 0.48f}, {0.70f, 0.70f, 0.64f}},
                            {0}};
static const kind rust = {
    SPOT, 10, 0.30f, 0.9f, {1.6f, 4.5f}, 0.85f, 1.0f, 2, {{0.62f, 0.50f, 0.28f}, {0.57f, 0.43f, 0.25f}}, {0}};
static const kind shells = {SHELL,
                            13,
                            0.42f,
                            0.6f,
                            {1.8f, 3.4f},
                            0.72f,
                            0.15f,
                            3,
                            {{0.88f, 0.85f, 0.79f}, {0.84f, 0.73f, 0.68f}, {0.68f, 0.60f, 0.56f}},
                            {0}};
static const kind shards = {
    SHELL, 18, 0.35f, 0.7f, {1.0f, 1.7f}, 0.6f, 0, 2, {{0.84f, 0.81f, 0.75f}, {0.70f, 0.64f, 0.58f}}, {0}};
static const kind hooves = {PRINT, 8, 0.50f, 0.3f, {4.6f, 5.6f}, 0.9f, 0, 1, {{0}}, {0}};

void kst_tile_group_things(int set, int group, uint64_t seed, uint8_t image[KARST_TILE_SIDE][KARST_TILE_SIDE][4]) {
    const kind *kinds[3] = {NULL};
    bool odd = seed & 1;
    switch (group) {
        case KST_FLOWERS:
            kinds[0] = set == KARST_TILE_MOSS ? &stars
                       : odd                  ? &bells
                                              : &daisies,
            kinds[1] = set == KARST_TILE_MOSS ? NULL : &buttercups;
            break;
        case KST_LEAVES:
            kinds[0] = &litter;
            break;
        case KST_STONY:
            kinds[0] = set == KARST_TILE_SAND ? &shingle : &pebbles, kinds[1] = set == KARST_TILE_SAND ? NULL : &stones;
            break;
        case KST_GRAVEL:
            kinds[0] = &grit, kinds[1] = &rubble;
            break;
        case KST_LICHEN:
            kinds[0] = &crusts, kinds[1] = &rust;
            break;
        case KST_SHELLS:
            kinds[0] = &shards, kinds[1] = &shells;
            break;
        case KST_TRACKS:
            kinds[0] = &hooves;
            break;
        default:
            break;
    }
    for (int k = 0; k < 3; ++k)
        if (kinds[k]) scatter(kinds[k], 500000 + seed * 1000 + (uint64_t)k * 100, image);
}
