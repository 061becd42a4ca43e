// SPDX-License-Identifier: MIT
// Slow and plain: the surfaces of coarse strides, straight from the words of docs/lod.md.
#pragma once
#include <math.h>

#include "karst/pack.h"
#include "support/prop.h"

// A pack's level 0 as whole arrays.
typedef struct oracle {
    karst_lattice lattice;
    int columns, rows;
    karst_vertex *vertex;  // columns * rows
    uint16_t *normal;
    uint8_t *hole;  // cells, (columns - 1) * (rows - 1)
} oracle;

typedef struct spot {
    double x, y, z;
} spot;

static inline int oracle_min(int a, int b) {
    return a < b ? a : b;
}

// Displacement from rest [m]; beyond the field the last sample's.
static inline spot oracle_offset(const oracle *o, int64_t i, int64_t j) {
    if (i > o->columns - 1) i = o->columns - 1;
    if (j > o->rows - 1) j = o->rows - 1;
    karst_vertex v = o->vertex[j * o->columns + i];
    return (spot){v.dx * o->lattice.step_xz_m, v.y * o->lattice.step_y_m, v.dz * o->lattice.step_xz_m};
}

// Barycentric interpolation over triangle a b c given in grid coordinates.
static inline spot oracle_in_triangle(const oracle *o, const int64_t a[2], const int64_t b[2], const int64_t c[2],
                                      double u, double v) {
    double d = (double)((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
    double wb = ((u - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (v - a[1])) / d;
    double wc = ((b[0] - a[0]) * (v - a[1]) - (u - a[0]) * (b[1] - a[1])) / d;
    double wa = 1 - wb - wc;
    spot p = oracle_offset(o, a[0], a[1]), q = oracle_offset(o, b[0], b[1]), r = oracle_offset(o, c[0], c[1]);
    return (spot){wa * p.x + wb * q.x + wc * r.x, wa * p.y + wb * q.y + wc * r.y, wa * p.z + wb * q.z + wc * r.z};
}

static inline bool oracle_inside(const int64_t a[2], const int64_t b[2], const int64_t c[2], double u, double v) {
    double ab = (double)(b[0] - a[0]) * (v - a[1]) - (u - a[0]) * (double)(b[1] - a[1]);
    double bc = (double)(c[0] - b[0]) * (v - b[1]) - (u - b[0]) * (double)(c[1] - b[1]);
    double ca = (double)(a[0] - c[0]) * (v - c[1]) - (u - c[0]) * (double)(a[1] - c[1]);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// Displacement of the stride-2^k surface at (u, v). half: the level between k - 1 and k, whose cells keep their centre.
static inline spot oracle_surface(const oracle *o, int k, bool half, double u, double v) {
    int64_t s = (int64_t)1 << k, i = (int64_t)floor(u / s), j = (int64_t)floor(v / s);
    int64_t p00[2] = {i * s, j * s}, p10[2] = {(i + 1) * s, j * s}, p01[2] = {i * s, (j + 1) * s};
    int64_t p11[2] = {(i + 1) * s, (j + 1) * s}, c[2] = {i * s + s / 2, j * s + s / 2};
    const int64_t *triangle[4][3] = {{p00, p10, c}, {p10, p11, c}, {p11, p01, c}, {p01, p00, c}};
    int count = 4;
    if (!half) {
        bool even = (i + j) % 2 == 0;  // the diagonal joins the corners whose i + j is even
        const int64_t *whole[2][3] = {{p00, p10, even ? p11 : p01}, {p11, p01, even ? p00 : p10}};
        memcpy(triangle, whole, sizeof whole);
        count = 2;
    }
    for (int t = 0; t < count; ++t)
        if (oracle_inside(triangle[t][0], triangle[t][1], triangle[t][2], u, v))
            return oracle_in_triangle(o, triangle[t][0], triangle[t][1], triangle[t][2], u, v);
    return (spot){NAN, NAN, NAN};
}

// D_k at a vertex [m], half levels included, all strides to k.
static inline double oracle_error(const oracle *o, int k, int column, int row) {
    double most = 0;
    spot p = oracle_offset(o, column, row);
    for (int n = 1; n <= k; ++n)
        for (int half = 0; half < 2; ++half) {
            spot q = oracle_surface(o, n, half, column, row);
            double x = q.x - p.x, y = q.y - p.y, z = q.z - p.z, d = sqrt(x * x + y * y + z * z);
            most = d > most || isnan(d) ? d : most;
        }
    return most;
}

static inline void oracle_free(oracle *o) {
    free(o->vertex);
    free(o->normal);
    free(o->hole);
}

static inline oracle oracle_open(karst_pack *pack) {
    karst_pack_info info = karst_pack_info_of(pack);
    oracle o = {info.lattice, info.lattice.shape.columns, info.lattice.shape.rows, NULL, NULL, NULL};
    o.vertex = calloc((size_t)o.columns * (size_t)o.rows, sizeof *o.vertex);
    o.normal = calloc((size_t)o.columns * (size_t)o.rows, sizeof *o.normal);
    o.hole = calloc((size_t)(o.columns - 1) * (size_t)(o.rows - 1), 1);
    karst_chunk *chunk = malloc(sizeof *chunk);
    int32_t wide, deep;
    karst_pack_chunk_grid(pack, 0, &wide, &deep);
    for (int cz = 0; cz < deep; ++cz)
        for (int cx = 0; cx < wide; ++cx) {
            assert_int_equal(karst_pack_read_chunk(pack, 0, cx, cz, chunk), KARST_OK);
            for (int j = 0; j < KARST_CHUNK_SIDE; ++j)
                for (int i = 0; i < KARST_CHUNK_SIDE; ++i) {
                    int column = cx * 64 + i, row = cz * 64 + j;
                    if (column >= o.columns || row >= o.rows) continue;
                    o.vertex[row * o.columns + column] = chunk->vertex[j * KARST_CHUNK_SIDE + i];
                    o.normal[row * o.columns + column] = chunk->normal[j * KARST_CHUNK_SIDE + i];
                    if (i < 64 && j < 64 && column < o.columns - 1 && row < o.rows - 1)
                        o.hole[row * (o.columns - 1) + column] = chunk->hole[j] >> i & 1;
                }
        }
    free(chunk);
    return o;
}
