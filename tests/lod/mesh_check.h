// SPDX-License-Identifier: MIT
// An independent look at meshes of a field: error at every sample, cover, edges. Knows nothing of how they are made.
#pragma once
#include <stdlib.h>

#include "karst/mesh.h"
#include "support/prop.h"

// All samples of a field, and its holes.
typedef struct samples {
    karst_field_shape shape;
    double *y, *x, *z;
    uint8_t *hole;
} samples;

static inline samples samples_make(karst_field_shape shape) {
    size_t n = (size_t)shape.columns * (size_t)shape.rows;
    samples s = {shape, calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, sizeof(double)), calloc(n, 1)};
    return s;
}

static inline samples samples_of(karst_field *field) {
    samples s = samples_make(karst_field_shape_of(field));
    int w = s.shape.columns, h = s.shape.rows;
    size_t n = (size_t)w * (size_t)h;
    float *y = malloc(3 * n * sizeof *y);
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, w, h}, y, y + n, y + 2 * n, w), KARST_OK);
    assert_int_equal(karst_field_read_holes(field, (karst_rect){0, 0, w - 1, h - 1}, s.hole, w), KARST_OK);
    for (size_t k = 0; k < n; ++k) s.y[k] = (double)y[k], s.x[k] = (double)y[n + k], s.z[k] = (double)y[2 * n + k];
    free(y);
    return s;
}

static inline void samples_free(samples *s) {
    free(s->y);
    free(s->x);
    free(s->z);
    free(s->hole);
}

typedef struct mesh_facts {
    double worst_m;        // largest distance of a sample in a closed triangle
    long uncovered;        // ground samples that no triangle holds
    long turned;           // triangles without area, or clockwise
    long doubled;          // directed edges of two triangles
    long open;             // edges without an opposite where there is ground on both sides, or on none
    long long twice_area;  // of all triangles, against
    long long ground;      // twice the area of the cells that are no holes
} mesh_facts;

typedef struct mesh_edge {
    uint32_t a, b;
} mesh_edge;

static inline int by_ends(const void *p, const void *q) {
    const mesh_edge *x = p, *y = q;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static inline bool is_ground(const samples *s, karst_rect part, int i, int j) {  // a cell
    return i >= part.x0 && j >= part.z0 && i < part.x1 - 1 && j < part.z1 - 1 && !s->hole[j * s->shape.columns + i];
}

// Whether each unit of an edge has ground on its left only.
static inline bool is_rim(const samples *s, karst_rect part, karst_mesh_place a, karst_mesh_place b) {
    int dx = b.column - a.column, dz = b.row - a.row;
    if (dx && dz) return false;
    int n = abs(dx + dz);
    for (int k = 0; k < n; ++k) {
        int i = a.column + dx / n * k, j = a.row + dz / n * k;
        bool left, right;  // seen from above, rows towards the viewer
        if (dx) {
            int cell = dx > 0 ? i : i - 1;
            left = is_ground(s, part, cell, dx > 0 ? j - 1 : j), right = is_ground(s, part, cell, dx > 0 ? j : j - 1);
        } else {
            int cell = dz > 0 ? j : j - 1;
            left = is_ground(s, part, dz > 0 ? i : i - 1, cell), right = is_ground(s, part, dz > 0 ? i - 1 : i, cell);
        }
        if (!left || right) return false;
    }
    return true;
}

static inline void look_at_edges(const samples *s, karst_rect part, const karst_mesh *m, mesh_facts *f) {
    size_t count = 3 * (size_t)m->triangle_count;
    mesh_edge *edge = malloc((count + 1) * sizeof *edge);
    for (size_t k = 0; k < count; ++k)
        edge[k] = (mesh_edge){m->triangle[k / 3][k % 3], m->triangle[k / 3][(k + 1) % 3]};
    qsort(edge, count, sizeof *edge, by_ends);
    for (size_t k = 0; k < count; ++k) {
        if (k && !by_ends(&edge[k], &edge[k - 1])) ++f->doubled;
        mesh_edge opposite = {edge[k].b, edge[k].a};
        if (!bsearch(&opposite, edge, count, sizeof *edge, by_ends) &&
            !is_rim(s, part, m->place[edge[k].a], m->place[edge[k].b]))
            ++f->open;
    }
    free(edge);
}

static inline int least_of(int a, int b, int c) {
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

// part: vertices, as in the def.
static inline mesh_facts look_at_mesh(const samples *s, karst_rect part, const karst_mesh *m) {
    mesh_facts f = {0};
    int w = s->shape.columns;
    uint8_t *held = calloc((size_t)w, (size_t)s->shape.rows);
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        int i[3], j[3];
        karst_pos p[3];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = m->triangle[t][k];
            i[k] = m->place[v].column, j[k] = m->place[v].row, p[k] = m->position[v];
        }
        long long twice = (long long)(i[2] - i[0]) * (j[1] - j[0]) - (long long)(i[1] - i[0]) * (j[2] - j[0]);
        f.twice_area += twice;
        if (twice <= 0) {
            ++f.turned;
            continue;
        }
        int i1 = -least_of(-i[0], -i[1], -i[2]), j1 = -least_of(-j[0], -j[1], -j[2]);
        for (int row = least_of(j[0], j[1], j[2]); row <= j1; ++row)
            for (int column = least_of(i[0], i[1], i[2]); column <= i1; ++column) {
                long long b[3];
                for (int k = 0; k < 3; ++k) {
                    int n = (k + 1) % 3, o = (k + 2) % 3;
                    b[k] = (long long)(i[o] - column) * (j[n] - row) - (long long)(i[n] - column) * (j[o] - row);
                }
                if (b[0] < 0 || b[1] < 0 || b[2] < 0) continue;
                size_t at = (size_t)row * (size_t)w + (size_t)column;
                held[at] = 1;
                double area = (double)twice;
                double x = (b[0] * p[0].x + b[1] * p[1].x + b[2] * p[2].x) / area;
                double y = (b[0] * p[0].y + b[1] * p[1].y + b[2] * p[2].y) / area;
                double z = (b[0] * p[0].z + b[1] * p[1].z + b[2] * p[2].z) / area;
                karst_pos o = s->shape.origin;
                x -= o.x + (column * s->shape.spacing_m + s->x[at]);
                y -= o.y + s->y[at];
                z -= o.z + (row * s->shape.spacing_m + s->z[at]);
                f.worst_m = fmax(f.worst_m, sqrt(x * x + y * y + z * z));
            }
    }
    for (int row = part.z0; row < part.z1; ++row)
        for (int column = part.x0; column < part.x1; ++column) {
            if (is_ground(s, part, column, row)) f.ground += 2;
            bool touches = is_ground(s, part, column, row) || is_ground(s, part, column - 1, row) ||
                           is_ground(s, part, column, row - 1) || is_ground(s, part, column - 1, row - 1);
            f.uncovered += touches && !held[row * w + column];
        }
    look_at_edges(s, part, m, &f);
    free(held);
    return f;
}

// Everything that a mesh promises. The samples' places are rounded, a little, when they lie far from the origin.
static inline bool mesh_is_good(const mesh_facts *f, double error_m) {
    return f->worst_m <= error_m && !f->uncovered && !f->turned && !f->doubled && !f->open &&
           f->twice_area == f->ground;
}
