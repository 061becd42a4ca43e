// SPDX-License-Identifier: MIT
// Packs made by hand for tests of the file itself: chunks of any contents, behind a directory that is in range.
#pragma once
#include "pack/format.h"
#include "support/prop.h"

// A chunk with every bit chosen at random within what the format says (corners are numbers, lanes repeat).
static inline void make_chunk(prop *p, karst_chunk *out, bool displaced, bool holes, bool wild) {
    memset(out, 0, sizeof *out);
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
        int i = k % KARST_CHUNK_SIDE, j = k / KARST_CHUNK_SIDE;
        uint64_t r = wild ? prop_u64(p) : kst_random(p->seed + (uint64_t)p->at, (uint64_t)k);
        out->vertex[k].y = wild ? (int32_t)r : i * j + (int32_t)(r % 8);
        out->vertex[k].dx = displaced ? wild ? (int16_t)(r >> 32) : (int16_t)(i - (int)(r >> 20) % 3) : 0;
        out->vertex[k].dz = displaced ? wild ? (int16_t)(r >> 48) : (int16_t)(j - (int)(r >> 24) % 3) : 0;
        out->normal[k] = (uint16_t)(wild ? r >> 16 : 0x8080 + (r >> 40) % 4);
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) out->hole[j] = holes ? prop_u64(p) & prop_u64(p) : 0;
    for (int k = 0; k < KARST_HALF_VERTICES && displaced; ++k) {
        uint64_t r = kst_random(p->seed + (uint64_t)p->at, (uint64_t)k + KARST_CHUNK_VERTICES);
        out->occlusion[k] = (uint8_t)(wild ? r : 100 + r % 4);
        out->transparency[k] = (uint8_t)(holes ? r >> 8 : 0);
    }
    float *lane = out->corners.min_x;
    for (size_t row = 0; row < sizeof out->corners / sizeof(float) / KARST_CORNER_LANES; ++row)
        for (int c = 0; c < KARST_CORNER_LANES; ++c, ++lane)
            *lane = c < KARST_CORNER_COUNT ? (float)prop_real(p, 0, 1000) : lane[-c];
}

typedef struct made_pack {
    kst_pack_contents contents;
    uint64_t seed;
    int count;  // chunks asked for so far
} made_pack;

static inline bool made_hole(const made_pack *m, int64_t column, int64_t row) {
    const karst_field_shape *s = &m->contents.lattice.shape;
    if (column >= s->columns - 1 || row >= s->rows - 1) return true;
    return (column / 64 + row / 64) % 2 == 0 && kst_random(m->seed + 1, (uint64_t)(row * 100003 + column)) % 9 == 0;
}

// A chunk of a world that is the same on all levels; corners are any numbers.
static inline karst_status made_chunk(void *context, int level, int32_t x, int32_t z, karst_chunk *out) {
    made_pack *m = context;
    const karst_field_shape *s = &m->contents.lattice.shape;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
        int64_t column = ((int64_t)x * 64 + k % KARST_CHUNK_SIDE) << level;
        int64_t row = ((int64_t)z * 64 + k / KARST_CHUNK_SIDE) << level;
        column = column < s->columns ? column : s->columns - 1;
        row = row < s->rows ? row : s->rows - 1;
        uint64_t r = kst_random(m->seed, (uint64_t)(row * 100003 + column));
        bool moved = column < 100 && row < 90;
        out->vertex[k].y = (int32_t)(column * row / 16) + (int32_t)(r % 8);
        out->vertex[k].dx = moved ? (int16_t)(column / 4 - (int)(r >> 20) % 3) : 0;
        out->vertex[k].dz = moved ? (int16_t)(row / 4 - (int)(r >> 24) % 3) : 0;
        out->normal[k] = (uint16_t)(0x8080 + (r >> 40) % 4);
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j)
        for (int i = 0; i < KARST_CHUNK_CELLS; ++i) {
            bool hole = false;
            for (int64_t row = ((int64_t)z * 64 + j) << level; row < ((int64_t)z * 64 + j + 1) << level; ++row)
                for (int64_t column = ((int64_t)x * 64 + i) << level; column < ((int64_t)x * 64 + i + 1) << level;
                     ++column)
                    hole |= made_hole(m, column, row);
            out->hole[j] |= (uint64_t)hole << i;
        }
    for (int k = 0; k < KARST_HALF_VERTICES; ++k) {
        int64_t column = ((int64_t)x * 64 + 2 * (k % KARST_HALF_SIDE)) << level;
        int64_t row = ((int64_t)z * 64 + 2 * (k / KARST_HALF_SIDE)) << level;
        out->occlusion[k] = (uint8_t)(column + row + (int64_t)(kst_random(m->seed, (uint64_t)(column * row)) % 4));
        out->transparency[k] = (uint8_t)(m->seed % 2 ? column / 8 : 0);
    }
    float *lane = out->corners.min_x;
    for (size_t row = 0; row < sizeof out->corners / sizeof(float) / KARST_CORNER_LANES; ++row)
        for (int c = 0; c < KARST_CORNER_LANES; ++c, ++lane)
            *lane = c < KARST_CORNER_COUNT
                        ? (float)kst_random01(m->seed + (uint64_t)level,
                                              (uint64_t)(x * 1000 + z) * 1000 + row * 32 + (uint64_t)c)
                        : lane[-c];
    ++m->count;
    return KARST_OK;
}

// Contents for a field of columns x rows, with two maps. Free with made_free().
static inline void make_contents(made_pack *m, int columns, int rows, uint64_t seed) {
    *m = (made_pack){.seed = seed};
    kst_pack_contents *c = &m->contents;
    c->lattice = (karst_lattice){.shape = {columns, rows, 2.5, {1e6, -20, 3}},
                                 .step_y_m = 0x1p-7,
                                 .step_xz_m = 2.5 / 256,
                                 .cell_steps = 256,
                                 .bound_m = 0.01f};
    c->level_count = kst_pack_level_count(&c->lattice.shape);
    c->world_hash = kst_mix64(seed);
    c->hole_count = 7;
    c->min_y_m = -3;
    c->max_y_m = 1234.5f;
    c->bounds = (karst_box){{1e6, -23, 3}, {1e6 + 2.5 * (columns - 1), 1234.5, 3 + 2.5 * (rows - 1)}};
    for (int level = 0; level < c->level_count; ++level) {
        int32_t x, z;
        kst_pack_grid(&c->lattice.shape, level, &x, &z);
        size_t count = (size_t)x * (size_t)z;
        karst_node *nodes = calloc(count, sizeof *nodes);
        float(*bounds)[6] = calloc(count, sizeof *bounds);
        for (size_t i = 0; i < count; ++i) {
            nodes[i] = (karst_node){{-1, -2, -3}, {(float)i, 2, 3}, (float)level};
            const float box[6] = {0, -1, 0, (float)(i + 1), 1, 1};
            memcpy(bounds[i], box, sizeof box);
        }
        c->nodes[level] = nodes;
        c->chunk_bounds[level] = (const float(*)[6])bounds;
    }
    uint8_t *narrow = malloc(3 * 33 * 20);
    uint16_t *wide = malloc(2 * 17 * 9);
    for (int i = 0; i < 3 * 33 * 20; ++i) narrow[i] = (uint8_t)kst_random(seed, (uint64_t)i);
    for (int i = 0; i < 17 * 9; ++i) wide[i] = (uint16_t)(kst_random(seed, (uint64_t)i) % 1000 + 65000);
    c->maps[0] = (karst_map){"relief", 33, 20, 3, 1, 1 / 255.0f, 0, narrow};
    c->maps[1] = (karst_map){"height", 17, 9, 1, 2, 0.1f, -100, wide};
    c->map_count = 2;
}

static inline void made_free(made_pack *m) {
    for (int level = 0; level < m->contents.level_count; ++level) {
        free((void *)(uintptr_t)m->contents.nodes[level]);
        free((void *)(uintptr_t)m->contents.chunk_bounds[level]);
    }
    for (int i = 0; i < m->contents.map_count; ++i) free((void *)(uintptr_t)m->contents.maps[i].samples);
}
