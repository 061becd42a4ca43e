// SPDX-License-Identifier: MIT
// The rows of samples in a closed triangle with corners on samples, in whole numbers.
#pragma once
#include "lod/rqt.h"

// One side of a triangle: column at row j is x0 + dx (j - z0) / dz.
typedef struct kst_side {
    int32_t x0, z0, dx, dz, slope;
    bool whole;  // dx is slope * dz: so it is but on the border of a region
} kst_side;

typedef struct kst_rows {
    int32_t top, turn, bottom;  // rows: first, of the middle corner, last
    kst_side whole, upper, lower;
    bool turns_left;  // the middle corner is left of the long side
    bool flat_end;    // the middle corner is in the last row
} kst_rows;

static inline kst_side kst_side_of(kst_node p, kst_node q) {
    int32_t dx = q.i - p.i, dz = q.j - p.j, slope = dx == 0 ? 0 : dx == dz ? 1 : -1;
    return (kst_side){p.i, p.j, dx, dz, slope, dx == slope * dz};
}

static inline int32_t kst_side_floor(const kst_side *s, int32_t j) {
    if (s->whole) return s->x0 + s->slope * (j - s->z0);
    int64_t n = (int64_t)s->dx * (j - s->z0), q = n / s->dz;
    return s->x0 + (int32_t)(q - (n % s->dz < 0));
}
static inline int32_t kst_side_ceil(const kst_side *s, int32_t j) {
    if (s->whole) return s->x0 + s->slope * (j - s->z0);
    int64_t n = (int64_t)s->dx * (j - s->z0), q = n / s->dz;
    return s->x0 + (int32_t)(q + (n % s->dz > 0));
}

static inline kst_rows kst_rows_of(const kst_node place[3]) {
    kst_node p = place[0], q = place[1], s = place[2], t;
    if (p.j > q.j) t = p, p = q, q = t;
    if (q.j > s.j) t = q, q = s, s = t;
    if (p.j > q.j) t = p, p = q, q = t;
    kst_rows rows = {p.j, q.j, s.j, kst_side_of(p, s), kst_side_of(p, q), kst_side_of(q, s), false, q.j == s.j};
    rows.turns_left = (int64_t)(q.i - p.i) * (s.j - p.j) < (int64_t)(s.i - p.i) * (q.j - p.j);
    return rows;
}

static inline const kst_side *kst_rows_short_side(const kst_rows *rows, int32_t j) {
    return j < rows->turn || rows->flat_end ? &rows->upper : &rows->lower;
}

// First and last column of row j; last < first: no sample.
static inline void kst_rows_span(const kst_rows *rows, int32_t j, int32_t *first, int32_t *last) {
    const kst_side *other = kst_rows_short_side(rows, j);
    *first = kst_side_ceil(rows->turns_left ? other : &rows->whole, j);
    *last = kst_side_floor(rows->turns_left ? &rows->whole : other, j);
}

// A plane over columns and rows: h + gx (i - i0) + gz (j - j0).
typedef struct kst_plane {
    double h, gx, gz;
    int32_t i0, j0;
} kst_plane;

static inline kst_plane kst_plane_of(const kst_node p[3], double h0, double h1, double h2) {
    double x1 = p[1].i - p[0].i, z1 = p[1].j - p[0].j, x2 = p[2].i - p[0].i, z2 = p[2].j - p[0].j;
    double d = x1 * z2 - x2 * z1, u = h1 - h0, v = h2 - h0;
    return (kst_plane){h0, (u * z2 - v * z1) / d, (v * x1 - u * x2) / d, p[0].i, p[0].j};
}
static inline double kst_plane_at(const kst_plane *p, int32_t i, int32_t j) {
    return p->h + p->gz * (j - p->j0) + p->gx * (i - p->i0);
}
