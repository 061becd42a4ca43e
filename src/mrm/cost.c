// SPDX-License-Identifier: MIT
// What a collapse costs, as area times squared length.
//
// Planes: how far the target is from the planes of the faces that stand now, and from the borders and seams that meet
// at the vertex. Nothing is carried along, so it knows fine detail best: P. Lindstrom, G. Turk, "Fast and Memory
// Efficient Polygonal Simplification", 1998. Samples: how far the places of the source that were removed come to lie
// from the faces that would stay. That remembers the source, and is best at the coarse end. Texture: how well each
// face's own linear map of texture places foretells what it gets: H. Hoppe, "New Quadric Metric for Simplifying Meshes
// with Appearance Attributes", 1999, here on the faces that stand now.
#include "mrm/order.h"

// A sample that would lie on a face turned away from it.
static const float turned_penalty = 0.3f;

// Squared: a sample this near to a border edge is its own.
static const float own_border = 1e-8f;

void kst_cost_prepare(kst_order *o) {
    kst_star *s = o->star;
    for (int j = 0; j < s->face_count; ++j) {
        const uint32_t *f = o->face[s->face[j]];
        float e[3], g[3], *n = s->cross[j];
        kst_sub(o->at[f[1]].place, o->at[f[0]].place, e);
        kst_sub(o->at[f[2]].place, o->at[f[0]].place, g);
        kst_cross(e, g, n);
        n[4] = sqrtf(kst_dot(n, n));
        n[3] = n[4] > 0 ? 1 / n[4] : 0;
    }
}

double kst_cost_planes(const kst_order *o, uint32_t u) {
    const kst_star *s = o->star;
    float d[3], e[3], x[3];
    double cost = 0;
    kst_sub(o->at[u].place, o->at[s->v].place, d);
    for (int j = 0; j < s->face_count; ++j) {
        float t = kst_dot(s->cross[j], d);
        cost += (double)(t * t * s->cross[j][3]);
    }
    cost /= 6;
    for (int j = 0; j < s->line_count; ++j) {
        kst_sub(o->at[s->line[j].vertex].place, o->at[s->v].place, e);
        kst_cross(e, d, x);
        cost += (double)(kst_dot(x, x) * 0.5f * o->def->boundary);
    }
    return cost + 1e-12 * (double)kst_dot(d, d);  // on flat ground the shortest first
}

// What is left of a face that goes without a neighbour is the edge from u to its third corner.
static float cost_of_ear(const kst_order *o, uint32_t u) {
    const kst_star *s = o->star;
    if (!s->shared_count) return 0;
    float cost = 0;
    for (int i = 0; i < s->sample_count; ++i) {
        const float p[3] = {s->x[0][i], s->x[1][i], s->x[2][i]};
        cost += s->weight[i] * kst_segment(p, o->at[u].place, o->at[s->shared[0][2]].place);
    }
    return cost * (1 + o->def->boundary);
}

static bool is_opposite(const kst_star *s, uint32_t vertex) {
    for (int k = 0; k < s->shared_count; ++k)
        if (s->shared[k][2] == vertex) return true;
    return false;
}

// Edges from u that are borders of the fan: their other vertex is in one face, and not across a face that vanishes.
static int border_edges(const kst_star *s, uint32_t out[4]) {
    int count = 0;
    for (int j = 0; j < 2 * s->fan_count && count < 4; ++j) {
        uint32_t x = j % 2 ? s->fan[j / 2].b : s->fan[j / 2].a;
        int faces = 0;
        for (int k = 0; k < s->fan_count; ++k) faces += (s->fan[k].a == x) + (s->fan[k].b == x);
        if (faces == 1 && !is_opposite(s, x)) out[count++] = x;
    }
    return count;
}

// Samples of v's own border count what they lie farther from the new border than from the old one. Those of another
// border, which may hang on the same faces, are farther from v's than they ever were from theirs.
static void add_border_distance(kst_order *o, uint32_t u) {
    kst_star *s = o->star;
    uint32_t edge[4];
    int edges = border_edges(s, edge);
    if (!edges) return;
    for (int i = 0; i < s->sample_count; ++i) {
        if (!o->sample.border[s->sample[i]]) continue;
        const float p[3] = {s->x[0][i], s->x[1][i], s->x[2][i]};
        float now = FLT_MAX, was = FLT_MAX;
        for (int k = 0; k < edges; ++k) now = fminf(now, kst_segment(p, o->at[u].place, o->at[edge[k]].place));
        for (int k = 0; k < s->line_count; ++k)
            if (!s->line[k].seam) was = fminf(was, kst_segment(p, o->at[s->v].place, o->at[s->line[k].vertex].place));
        if (was >= now || was > 4 * s->off[i] + own_border) continue;
        s->best[i] += o->def->boundary * (now - was);
        s->apart[i] = fmaxf(s->apart[i], now);
    }
}

float kst_cost_samples(kst_order *o, uint32_t u) {
    kst_star *s = o->star;
    if (!s->fan_count) return cost_of_ear(o, u);
    kst_nearest(o, s, o->at[u].place);
    if (o->at[s->v].border) add_border_distance(o, u);
    float cost = 0, area = 0;
    for (int j = 0; j < s->fan_count; ++j) area += sqrtf(kst_dot(s->fan[j].n, s->fan[j].n));
    for (int i = 0; i < s->sample_count; ++i) {
        cost += s->weight[i] * (s->best[i] - s->off[i]);
        if (kst_dot(s->fan[s->best_face[i]].n, o->sample.normal[s->sample[i]]) < 0)
            cost += turned_penalty * s->weight[i] * area;
    }
    return cost;
}

float kst_cost_texture(const kst_order *o, uint32_t u) {
    const kst_star *s = o->star;
    double cost = 0;
    for (int j = 0; j < s->fan_count; ++j) {
        const kst_fan_face *f = &s->fan[j];
        const float *a0 = o->attribute[o->corner[f->face][f->corner]], *a1 = o->attribute[f->wedge[1]],
                    *a2 = o->attribute[f->wedge[2]], *to = o->attribute[f->wedge[0]];
        float e[3], g[3], n[3], p[3], m[3];
        kst_sub(o->at[f->a].place, o->at[s->v].place, e);
        kst_sub(o->at[f->b].place, o->at[s->v].place, g);
        kst_cross(e, g, n);
        float area = kst_dot(n, n);
        if (area <= 0) continue;
        kst_sub(o->at[u].place, o->at[s->v].place, p);
        kst_cross(p, g, m);
        float b1 = kst_dot(m, n) / area;
        kst_cross(e, p, m);
        float b2 = kst_dot(m, n) / area, off = 0;
        for (int k = 0; k < 2; ++k) off += kst_square(a0[k] + b1 * (a1[k] - a0[k]) + b2 * (a2[k] - a0[k]) - to[k]);
        cost += (double)(fminf(off, o->uv_cap) * sqrtf(area) / 6);
    }
    return (float)cost;
}
