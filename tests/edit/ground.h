// SPDX-License-Identifier: MIT
// Fields for the tests of brushes: all vertices as places, to compare before and after.
#pragma once
#include "karst/brush.h"
#include "scenes/scenes.h"
#include "support/prop.h"

typedef struct vertices {
    karst_field_shape shape;
    float *y, *x, *z;  // displacements
} vertices;

static inline size_t vertex_count(const vertices *v) {
    return (size_t)v->shape.columns * (size_t)v->shape.rows;
}

static inline vertices vertices_of(karst_field *field) {
    vertices v = {.shape = karst_field_shape_of(field)};
    size_t n = vertex_count(&v);
    v.y = malloc(3 * n * sizeof(float));
    v.x = v.y + n, v.z = v.x + n;
    karst_rect all = {0, 0, v.shape.columns, v.shape.rows};
    assert_int_equal(karst_field_read(field, all, v.y, v.x, v.z, v.shape.columns), KARST_OK);
    return v;
}

static inline void vertices_free(vertices *v) {
    free(v->y);
}

static inline karst_pos vertex_at(const vertices *v, int i, int j) {
    size_t k = (size_t)j * (size_t)v->shape.columns + (size_t)i;
    return (karst_pos){v->shape.origin.x + (i * v->shape.spacing_m + (double)v->x[k]),
                       v->shape.origin.y + (double)v->y[k],
                       v->shape.origin.z + (j * v->shape.spacing_m + (double)v->z[k])};
}

static inline bool same_bits(const vertices *a, const vertices *b, size_t k) {
    return !memcmp(&a->y[k], &b->y[k], 4) && !memcmp(&a->x[k], &b->x[k], 4) && !memcmp(&a->z[k], &b->z[k], 4);
}
static inline bool all_same(const vertices *a, const vertices *b) {
    return !memcmp(a->y, b->y, 3 * vertex_count(a) * sizeof(float));
}

static inline karst_field *flat_field(int columns, int rows, double spacing_m) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, spacing_m, {0, 0, 0}};
    karst_field *field = NULL;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

// Vertices on borders of chunks are the same in all that hold them.
static inline bool borders_are_equal(karst_field *field) {
    static karst_field_chunk one, two;
    int32_t nx, nz;
    karst_field_chunk_grid(field, &nx, &nz);
    for (int z = 0; z < nz; ++z)
        for (int x = 0; x < nx; ++x)
            for (int side = 0; side < 2; ++side) {
                if (side ? z + 1 == nz : x + 1 == nx) continue;
                karst_field_read_chunk(field, x, z, &one);
                karst_field_read_chunk(field, x + !side, z + side, &two);
                for (int k = 0; k < KARST_CHUNK_SIDE; ++k) {
                    int a = side ? 64 * KARST_CHUNK_SIDE + k : k * KARST_CHUNK_SIDE + 64;
                    int b = side ? k : k * KARST_CHUNK_SIDE;
                    if (memcmp(&one.y[a], &two.y[b], 4) || memcmp(&one.x[a], &two.x[b], 4) ||
                        memcmp(&one.z[a], &two.z[b], 4))
                        return false;
                }
            }
    return true;
}
