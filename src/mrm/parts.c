// SPDX-License-Identifier: MIT
// Parts: pieces of the surface that share no vertex. A small one may vanish whole, in the order of what that costs: its
// area times the square of its extent.
#include "mrm/order.h"

static uint32_t root_of(uint32_t *part, uint32_t v) {
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
}

void kst_parts_begin(kst_order *o) {
    for (uint32_t v = 0; v < o->vertex_count; ++v) o->part[v] = v;
    for (uint32_t f = 0; f < o->face_count; ++f)
        for (int k = 1; k < 3; ++k) {
            uint32_t a = root_of(o->part, o->face[f][0]), b = root_of(o->part, o->face[f][k]);
            o->part[a < b ? b : a] = a < b ? a : b;
        }
    for (uint32_t v = 0; v < o->vertex_count; ++v) o->part[v] = root_of(o->part, v);
    for (uint32_t f = 0; f < o->face_count; ++f) ++o->part_live[o->part[o->face[f][0]]];
}

// The live faces and vertices reached from v; false when they are too many, or a vertex among them has to stay.
static bool flood(kst_order *o, uint32_t v, kst_part *part) {
    uint32_t stamp = ++o->stamp;
    part->faces = part->vertices = 0;
    part->vertex[part->vertices++] = v;
    o->at[v].mark = stamp;
    for (int at = 0; at < part->vertices; ++at) {
        uint32_t x = part->vertex[at];
        if (o->keep[x]) return false;
        for (uint32_t j = 0; j < o->at[x].listed; ++j) {
            uint32_t f = o->pool[o->at[x].list + j];
            int k = 0;
            while (k < part->faces && part->face[k] != f) ++k;
            if (k < part->faces) continue;
            if (part->faces == KST_PART_FACES) return false;
            part->face[part->faces++] = f;
            for (int c = 0; c < 3; ++c) {
                uint32_t y = o->face[f][c];
                if (o->at[y].mark == stamp) continue;
                o->at[y].mark = stamp;
                part->vertex[part->vertices++] = y;
            }
        }
    }
    return true;
}

float kst_part_extent(const kst_order *o, const kst_part *part) {
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX}, extent = 0;
    for (int j = 0; j < part->vertices; ++j)
        for (int k = 0; k < 3; ++k) {
            low[k] = fminf(low[k], o->at[part->vertex[j]].place[k]);
            high[k] = fmaxf(high[k], o->at[part->vertex[j]].place[k]);
        }
    for (int k = 0; k < 3; ++k) extent += kst_square(high[k] - low[k]);
    return extent;
}

// Never all that is left, and no large share of it, so that any count can be met, unless a vertex of it is stuck.
float kst_part_cost(kst_order *o, uint32_t v, bool stuck, kst_part *part) {
    uint32_t live = o->part_live[o->part[v]], most = stuck ? KST_PART_FACES : o->live / 6;
    most = most < 4 ? 4 : most > KST_PART_FACES ? KST_PART_FACES : most;
    if (live > most || live == o->live || !flood(o, v, part)) return FLT_MAX;
    float area = 0;
    for (int j = 0; j < part->faces; ++j) {
        const uint32_t *f = o->face[part->face[j]];
        float e[3], g[3], n[3];
        kst_sub(o->at[f[1]].place, o->at[f[0]].place, e);
        kst_sub(o->at[f[2]].place, o->at[f[0]].place, g);
        kst_cross(e, g, n);
        area += sqrtf(kst_dot(n, n)) / 2;
    }
    return area * kst_part_extent(o, part);
}
