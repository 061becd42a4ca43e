// SPDX-License-Identifier: MIT
// A baked pack taken apart in memory, so that a test can break one thing in it and write it again.
#pragma once
#include "karst/bake.h"
#include "pack/format.h"
#include "scenes/scenes.h"
#include "support/prop.h"

typedef struct apart {
    kst_pack_contents contents;
    karst_node *node[KARST_MAX_LEVEL + 1];
    float (*bounds[KARST_MAX_LEVEL + 1])[6];
    karst_chunk *chunk[KARST_MAX_LEVEL + 1];
    int32_t chunks_x[KARST_MAX_LEVEL + 1], chunks_z[KARST_MAX_LEVEL + 1];
} apart;

static inline void bake_scene(const char *path, int columns, int rows, bool displaced, bool holes) {
    karst_field *field;
    assert_int_equal(scene_rough_field(columns, rows, 2, 5, displaced, holes, (karst_pos){1e6, 10, -3e5}, &field),
                     KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 64;
    karst_report report = {0};
    karst_bake_info info;
    karst_status status = karst_bake_field(field, path, &def, NULL, &report, &info);
    if (status) print_error("%s\n", report.message);
    assert_int_equal(status, KARST_OK);
    karst_field_destroy(field);
}

static inline void take_apart(const char *path, apart *a) {
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    karst_pack_info info = karst_pack_info_of(pack);
    *a = (apart){0};
    a->contents = (kst_pack_contents){.lattice = info.lattice,
                                      .level_count = info.level_count,
                                      .hole_count = info.hole_count,
                                      .world_hash = info.world_hash,
                                      .min_y_m = info.min_y_m,
                                      .max_y_m = info.max_y_m,
                                      .bounds = info.bounds};
    for (int level = 0; level < info.level_count; ++level) {
        karst_pack_chunk_grid(pack, level, &a->chunks_x[level], &a->chunks_z[level]);
        int32_t nx = a->chunks_x[level], count = nx * a->chunks_z[level];
        a->node[level] = malloc(sizeof(karst_node) * (size_t)count);
        a->bounds[level] = malloc(sizeof(float) * 6 * (size_t)count);
        a->chunk[level] = malloc(sizeof(karst_chunk) * (size_t)count);
        memcpy(a->node[level], karst_pack_nodes(pack, level), sizeof(karst_node) * (size_t)count);
        for (int32_t i = 0; i < count; ++i) {
            karst_pack_chunk_bounds(pack, level, i % nx, i / nx, a->bounds[level][i]);
            assert_int_equal(karst_pack_read_chunk(pack, level, i % nx, i / nx, &a->chunk[level][i]), KARST_OK);
        }
        a->contents.nodes[level] = a->node[level];
        a->contents.chunk_bounds[level] = (const float(*)[6])a->bounds[level];
    }
    karst_pack_close(pack);
}

static inline karst_status part_of(void *context, int level, int32_t x, int32_t z, karst_chunk *out) {
    apart *a = context;
    *out = a->chunk[level][z * a->chunks_x[level] + x];
    return KARST_OK;
}

static inline void put_together(const char *path, apart *a) {
    karst_report report = {0};
    karst_status status = kst_pack_write_chunks(path, &a->contents, part_of, a, NULL, &report, NULL, NULL);
    if (status) print_error("%s\n", report.message);
    assert_int_equal(status, KARST_OK);
}

static inline void throw_away(apart *a) {
    for (int level = 0; level < a->contents.level_count; ++level) {
        free(a->node[level]);
        free(a->bounds[level]);
        free(a->chunk[level]);
    }
}
