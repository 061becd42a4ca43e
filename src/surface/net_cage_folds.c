// SPDX-License-Identifier: MIT
// Where a cage folds, and which way its surface faces at each corner of each quad: quads round a place share a normal
// as far as one gets round it without crossing a fold.
#include "surface/net_cage.h"

typedef struct side_of {
    int32_t low, high, side;  // 4 quad + side
} side_of;

static int by_ends(const void *a, const void *b) {
    const side_of *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->side > y->side) - (x->side < y->side);
}

static karst_vec3 between(const karst_net_cage *d, int32_t a, int32_t b) {
    const karst_pos *p = d->places;
    return (karst_vec3){(float)(p[b].x - p[a].x), (float)(p[b].y - p[a].y), (float)(p[b].z - p[a].z)};
}

static karst_vec3 quad_normal(const karst_net_cage *d, int32_t quad) {
    const int32_t *v = d->quads[quad];
    return kst_unit(kst_cross(between(d, v[1], v[3]), between(d, v[0], v[2])));
}

static int32_t root_of(int32_t *up, int32_t k) {
    while (up[k] != k) k = up[k] = up[up[k]];
    return k;
}
static void join(int32_t *up, int32_t a, int32_t b) {
    a = root_of(up, a), b = root_of(up, b);
    up[a > b ? a : b] = a < b ? a : b;
}

// The corner of a quad that is a place.
static int32_t corner_at(const karst_net_cage *d, int32_t quad, int32_t place) {
    int i = 0;
    while (d->quads[quad][i] != place) ++i;
    return 4 * quad + i;
}

static void note_fold(kst_cage_shape *s, int32_t a, int32_t b) {
    for (int end = 0; end < 2; ++end) {
        int32_t here = end ? b : a, count = s->fold_count[here];
        if (count < 2) s->along[here][count] = end ? a : b;
        if (count < 3) ++s->fold_count[here];
    }
}

// By its series, whose sums are the same everywhere; for 0..pi off by less than 1e-9.
static double cosine(double x) {
    double term = 1, sum = 1;
    for (int k = 1; k <= 12; ++k) {
        term *= -x * x / ((2 * k - 1) * (2 * k));
        sum += term;
    }
    return sum;
}

// Folds, and quads that meet smoothly; sides come sorted by their ends.
static void meet(kst_cage_shape *s, const karst_net_cage *d, const side_of *sides, size_t count, int32_t *up) {
    float most = (float)cosine(d->crease_rad);
    for (size_t k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && sides[next].low == sides[k].low && sides[next].high == sides[k].high;)
            ++next;
        if (next != k + 2) continue;  // a border, or more than two
        int32_t x = sides[k].side / 4, y = sides[k + 1].side / 4, low = sides[k].low, high = sides[k].high;
        if (kst_dot(quad_normal(d, x), quad_normal(d, y)) < most) {
            s->fold[sides[k].side] = s->fold[sides[k + 1].side] = 1;
            note_fold(s, low, high);
        } else {
            join(up, corner_at(d, x, low), corner_at(d, y, low));
            join(up, corner_at(d, x, high), corner_at(d, y, high));
        }
    }
}

static void sum_normals(kst_cage_shape *s, const karst_net_cage *d, int32_t *up) {
    for (int32_t k = 0; k < 4 * d->quad_count; ++k) s->normal[k] = (karst_vec3){0, 0, 0};
    for (int32_t k = 0; k < 4 * d->quad_count; ++k) {
        const int32_t *q = d->quads[k / 4];
        int i = k & 3;
        karst_vec3 n = kst_unit(kst_cross(between(d, q[i], q[(i + 3) & 3]), between(d, q[i], q[(i + 1) & 3])));
        karst_vec3 *sum = &s->normal[root_of(up, k)];
        *sum = kst_add(*sum, n);
    }
    for (int32_t k = 4 * d->quad_count - 1; k >= 0; --k) s->normal[k] = kst_unit(s->normal[root_of(up, k)]);
}

karst_status kst_cage_shape_make(kst_cage_shape *s, const karst_net_cage *d, const karst_allocator *a) {
    size_t corners = 4 * (size_t)d->quad_count + 1, places = (size_t)d->place_count + 1, count = corners - 1;
    *s = (kst_cage_shape){.corners = corners, .places = places, .allocator = a};
    s->normal = kst_alloc_array(a, corners, sizeof *s->normal);
    s->fold = kst_alloc_zero(a, corners), s->fold_count = kst_alloc_zero(a, places);
    s->along = kst_alloc_array(a, places, sizeof *s->along);
    side_of *sides = kst_alloc_array(a, corners, sizeof *sides);
    int32_t *up = kst_alloc_array(a, corners, sizeof *up), *first = kst_alloc_array(a, places, sizeof *first);
    karst_status status = KARST_ERROR_MEMORY;
    if (s->normal && s->fold && s->fold_count && s->along && sides && up && first) {
        status = KARST_OK;
        for (int32_t k = 0; k < d->place_count; ++k) first[k] = KARST_NET_NONE;
        for (int32_t k = 0; k < 4 * d->quad_count; ++k) {
            int32_t p = d->quads[k / 4][k & 3], q = d->quads[k / 4][(k + 1) & 3];
            sides[k] = (side_of){p < q ? p : q, p < q ? q : p, k};
            up[k] = k;
            if (first[p] == KARST_NET_NONE) first[p] = k;
            if (!(d->crease_rad > 0)) up[k] = first[p];
        }
        if (d->crease_rad > 0) {
            qsort(sides, count, sizeof *sides, by_ends);
            meet(s, d, sides, count, up);
        }
        sum_normals(s, d, up);
    }
    kst_free(a, sides, corners * sizeof *sides);
    kst_free(a, up, corners * sizeof *up), kst_free(a, first, places * sizeof *first);
    if (status) kst_cage_shape_free(s);
    return status;
}

void kst_cage_shape_free(kst_cage_shape *s) {
    kst_free(s->allocator, s->normal, s->corners * sizeof *s->normal);
    kst_free(s->allocator, s->fold, s->corners), kst_free(s->allocator, s->fold_count, s->places);
    kst_free(s->allocator, s->along, s->places * sizeof *s->along);
    *s = (kst_cage_shape){0};
}
