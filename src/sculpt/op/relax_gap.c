// SPDX-License-Identifier: MIT
// Relax: the old surface, and how far a new one is from it.
//
// The new triangles, drawn in the plane of (u, v), cut the old ones into pieces. The corners of the pieces are the new
// vertices, which lie on the old surface; the crossings of new edges with old lines; and old vertices. Send each
// crossing to the nearest point of its new edge, each old vertex to the nearest point of the new triangle that it is
// in, and the rest of each piece along, linearly. That map takes the old surface onto the whole new one, for it takes
// the rim of every new triangle onto that rim; and no point goes further than some corner of its piece does. So the
// largest distance at a corner bounds the distance of the surfaces, both ways. Sliding within a flat stretch costs
// nothing.
#include <math.h>

#include "op/relax_patch.h"

// ---- distances -------------------------------------------------------------------------------------

static double to_segment2(vec point, vec a, vec b) {
    vec ab = vec_sub(b, a), ap = vec_sub(point, a);
    double length2 = vec_dot(ab, ab), t = vec_dot(ap, ab);
    t = t <= 0 || length2 <= 0 ? 0 : t >= length2 ? 1 : t / length2;
    vec off = vec_add_times(ap, ab, -t);
    return vec_dot(off, off);
}

static double to_triangle2(vec point, vec a, vec b, vec c) {
    vec n = vec_cross(vec_sub(b, a), vec_sub(c, a));
    double n2 = vec_dot(n, n);
    bool over = n2 > 0 && vec_dot(vec_cross(vec_sub(b, a), vec_sub(point, a)), n) >= 0 &&
                vec_dot(vec_cross(vec_sub(c, b), vec_sub(point, b)), n) >= 0 &&
                vec_dot(vec_cross(vec_sub(a, c), vec_sub(point, c)), n) >= 0;
    if (!over) return fmin(to_segment2(point, a, b), fmin(to_segment2(point, b, c), to_segment2(point, c, a)));
    double off = vec_dot(vec_sub(point, a), n);
    return off * off / n2;
}

// ---- the old surface -------------------------------------------------------------------------------

static vec old_vertex(const patch *p, int32_t i, int32_t j) {
    const kst_relax_ground *g = p->ground;
    size_t at = (size_t)j * (size_t)g->columns + (size_t)i;
    return (vec){i + (double)g->x[at] * p->cells_per_m, (double)g->y[at] * p->cells_per_m,
                 j + (double)g->z[at] * p->cells_per_m};
}

static bool is_even(const kst_relax_ground *g, int32_t i, int32_t j) {
    return !((i + j + g->column + g->row) & 1);
}

vec patch_surface(const patch *p, double u, double v, vec *du, vec *dv) {
    const kst_relax_ground *g = p->ground;
    int32_t i = (int32_t)u, j = (int32_t)v;
    if (i > g->columns - 2) i = g->columns - 2;
    if (j > g->rows - 2) j = g->rows - 2;
    double s = u - i, t = v - j;
    vec base, along_u, along_v;
    if (is_even(g, i, j)) {
        vec near = old_vertex(p, i, j), far = old_vertex(p, i + 1, j + 1);
        vec third = s > t ? old_vertex(p, i + 1, j) : old_vertex(p, i, j + 1);
        along_u = s > t ? vec_sub(third, near) : vec_sub(far, third);
        along_v = s > t ? vec_sub(far, third) : vec_sub(third, near);
        base = near;
    } else if (s + t < 1) {
        base = old_vertex(p, i, j);
        along_u = vec_sub(old_vertex(p, i + 1, j), base);
        along_v = vec_sub(old_vertex(p, i, j + 1), base);
    } else {
        base = old_vertex(p, i + 1, j + 1);
        along_u = vec_sub(base, old_vertex(p, i, j + 1));
        along_v = vec_sub(base, old_vertex(p, i + 1, j));
        s -= 1;
        t -= 1;
    }
    if (du) *du = along_u;
    if (dv) *dv = along_v;
    return vec_add_times(vec_add_times(base, along_u, s), along_v, t);
}

// ---- corners of the pieces -------------------------------------------------------------------------

static void add_corner(surface_gap *gap, double off2, double distance2, double u, double v) {
    if (off2 > gap->worst2) gap->worst2 = off2, gap->u = u, gap->v = v;
    if (off2 > distance2) gap->beyond += off2 - distance2;
}

static double floor_of(double v) {  // |v| < 2^31, exact; the C library's is a call
    int64_t whole = (int64_t)v;
    return (double)(whole - ((double)whole > v));
}

// The lines of the old triangles are four families: u whole, v whole, u - v even and u + v even, in the whole field.
static void add_edge(const patch *p, const spot *a, const spot *b, surface_gap *gap) {
    double odd = (p->ground->column + p->ground->row) & 1;
    const double from[4] = {a->u, a->v, 0.5 * (a->u - a->v + odd), 0.5 * (a->u + a->v + odd)};
    const double to[4] = {b->u, b->v, 0.5 * (b->u - b->v + odd), 0.5 * (b->u + b->v + odd)};
    for (int family = 0; family < 4; ++family) {
        bool up = from[family] < to[family];
        double low = up ? from[family] : to[family], high = up ? to[family] : from[family];
        for (double line = floor_of(low) + 1; line < high; line += 1) {
            double t = (line - from[family]) / (to[family] - from[family]);
            double u = family == 0 ? line : a->u + t * (b->u - a->u), v = family == 1 ? line : a->v + t * (b->v - a->v);
            add_corner(gap, to_segment2(patch_surface(p, u, v, NULL, NULL), a->p, b->p), p->distance2, u, v);
        }
    }
}

static double area2(const spot *a, const spot *b, const spot *c) {  // twice the area in the plane of (u, v)
    return (b->u - a->u) * (c->v - a->v) - (c->u - a->u) * (b->v - a->v);
}

static double min3(double a, double b, double c) {
    a = a < b ? a : b;
    return a < c ? a : c;
}
static double max3(double a, double b, double c) {
    a = a > b ? a : b;
    return a > c ? a : c;
}

// Old vertices in a new triangle, its rim included.
static void add_triangle(const patch *p, const spot *a, const spot *b, const spot *c, surface_gap *gap) {
    double u0 = -floor_of(-min3(a->u, b->u, c->u)), u1 = max3(a->u, b->u, c->u);
    double v0 = -floor_of(-min3(a->v, b->v, c->v)), v1 = max3(a->v, b->v, c->v);
    for (double v = v0; v <= v1; v += 1)
        for (double u = u0; u <= u1; u += 1) {
            spot o = {u, v, {0, 0, 0}};
            if (area2(a, b, &o) < 0 || area2(b, c, &o) < 0 || area2(c, a, &o) < 0) continue;
            vec old = old_vertex(p, (int32_t)u, (int32_t)v);
            add_corner(gap, to_triangle2(old, a->p, b->p, c->p), p->distance2, u, v);
        }
}

// The corners of the two triangles of a cell: of (i, j), right of it, below it, across.
enum { NEAR, RIGHT, DOWN, FAR };
static const uint8_t corners_of[2][2][3] = {{{NEAR, RIGHT, FAR}, {NEAR, FAR, DOWN}},
                                            {{NEAR, RIGHT, DOWN}, {RIGHT, FAR, DOWN}}};

// Below this a triangle has no shape; an old one has 1.
static const double least_area2 = 1e-5;

static void add_cell(const patch *p, int32_t i, int32_t j, double enough, surface_gap *gap) {
    int32_t w = p->width, k[4] = {j * w + i, j * w + i + 1, (j + 1) * w + i, (j + 1) * w + i + 1};
    bool right = i + 1 < w, down = j + 1 < p->height, odd = !is_even(p->ground, p->i0 + i, p->j0 + j);
    const spot *at = p->at;
    const uint8_t *mark = p->mark;
    if (right && down)
        for (int t = 0; t < 2; ++t) {
            const uint8_t *c = corners_of[odd][t];
            if (!(mark[k[c[0]]] | mark[k[c[1]]] | mark[k[c[2]]])) continue;
            const spot *a = &at[k[c[0]]], *b = &at[k[c[1]]], *d = &at[k[c[2]]];
            if (area2(a, b, d) < least_area2) gap->folded = true;
            if (gap->folded) return;
            if (gap->beyond <= enough) add_triangle(p, a, b, d, gap);
        }
    const int32_t ends[3][2] = {{k[NEAR], k[RIGHT]}, {k[NEAR], k[DOWN]}, {k[odd ? RIGHT : NEAR], k[odd ? DOWN : FAR]}};
    const bool there[3] = {right, down, right && down};
    for (int e = 0; e < 3 && gap->beyond <= enough; ++e)
        if (there[e] && (mark[ends[e][0]] | mark[ends[e][1]])) add_edge(p, &at[ends[e][0]], &at[ends[e][1]], gap);
}

surface_gap patch_gap(const patch *p, int32_t i0, int32_t j0, int32_t i1, int32_t j1, double enough) {
    surface_gap gap = {0};
    for (int32_t j = j0 > 0 ? j0 - 1 : 0; j <= j1 && j < p->height; ++j)
        for (int32_t i = i0 > 0 ? i0 - 1 : 0; i <= i1 && i < p->width; ++i) {
            add_cell(p, i, j, enough, &gap);
            if (gap.folded || (enough >= 0 && gap.beyond > enough)) return gap;
        }
    return gap;
}
