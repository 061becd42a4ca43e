// SPDX-License-Identifier: MIT
// Facts: how a model hangs together.
#include <math.h>

#include "mesh/adjacency.h"
#include "mesh/weld.h"

typedef struct look {
    uint32_t (*corner)[3];  // vertices of a triangle
    uint8_t *fate;          // of a triangle
    uint32_t *part;         // of a vertex: another of its part, at last the first
    uint8_t *used;          // whether a triangle has a vertex
    kst_edges edges;
} look;

static void look_free(look *l, const karst_model *m) {
    kst_free(NULL, l->corner, ((size_t)m->triangle_count + 1) * sizeof *l->corner);
    kst_free(NULL, l->fate, (size_t)m->triangle_count + 1);
    kst_free(NULL, l->part, ((size_t)m->vertex_count + 1) * sizeof *l->part);
    kst_free(NULL, l->used, (size_t)m->vertex_count + 1);
    kst_edges_free(&l->edges);
}

static karst_status look_create(look *l, const karst_model *m) {
    l->corner = kst_alloc(NULL, ((size_t)m->triangle_count + 1) * sizeof *l->corner);
    l->fate = kst_alloc(NULL, (size_t)m->triangle_count + 1);
    l->part = kst_alloc(NULL, ((size_t)m->vertex_count + 1) * sizeof *l->part);
    l->used = kst_alloc_zero(NULL, (size_t)m->vertex_count + 1);
    if (!l->corner || !l->fate || !l->part || !l->used) return KARST_ERROR_MEMORY;
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            l->corner[t][k] = m->vertex[m->triangle[t][k]];
            l->used[l->corner[t][k]] = 1;
        }
    karst_status status = kst_judge_triangles(m, (const uint32_t(*)[3])l->corner, l->fate);
    if (!status)
        status = kst_edges_create(m->vertex_count, (const uint32_t(*)[3])l->corner, m->triangle_count, &l->edges);
    return status;
}

static uint32_t first_of(uint32_t *part, uint32_t v) {
    while (part[v] != v) v = part[v] = part[part[v]];
    return v;
}

static void look_at_vertices(const karst_model *m, look *l, karst_model_facts *f) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) l->part[v] = v;
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 1; k < 3; ++k) {
            uint32_t a = first_of(l->part, l->corner[t][0]), b = first_of(l->part, l->corner[t][k]);
            l->part[a < b ? b : a] = a < b ? a : b;
        }
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        f->used_vertices += l->used[v];
        f->parts += l->used[v] && l->part[v] == v;
    }
}

static void look_at_triangles(const karst_model *m, const look *l, karst_model_facts *f) {
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        f->collapsed += l->fate[t] == KST_COLLAPSED;
        f->duplicates += l->fate[t] == KST_DUPLICATE;
        f->flat += l->fate[t] == KST_FLAT;
        f->twins += l->fate[t] == KST_TWIN;
        double n[3];
        kst_triangle_normal(m->position, l->corner[t], n);
        f->area_m2 += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
    }
}

// The wedge that a side has at a vertex of its edge.
static uint32_t wedge_at(const karst_model *m, const look *l, uint32_t side, uint32_t vertex) {
    uint32_t corner = l->corner[side / 3][side % 3] == vertex ? side : kst_next_corner(side);
    return m->triangle[corner / 3][corner % 3];
}

static void look_at_edges(const karst_model *m, const look *l, karst_model_facts *f) {
    const kst_edges *e = &l->edges;
    f->edges = e->edge_count;
    f->closed = m->triangle_count > 0;
    for (uint32_t i = 0; i < e->edge_count; ++i) {
        uint32_t faces = e->first[i + 1] - e->first[i], s = e->side[e->first[i]], low = e->end[i][0];
        f->border_edges += faces == 1;
        f->fan_edges += faces > 2;
        f->closed = f->closed && faces == 2;
        if (faces != 2) continue;
        uint32_t t = e->side[e->first[i] + 1];
        bool opposed = (l->corner[s / 3][s % 3] == low) == (l->corner[t / 3][t % 3] == low);
        f->opposed_edges += opposed;
        f->closed = f->closed && !opposed;
        for (int k = 0; k < 2; ++k)
            if (wedge_at(m, l, s, e->end[i][k]) != wedge_at(m, l, t, e->end[i][k])) {
                ++f->seam_edges;
                break;
            }
    }
}

karst_status karst_model_look(const karst_model *model, karst_report *report, karst_model_facts *out) {
    karst_status status = karst_model_check(model, report);
    if (status) return status;
    look l = {0};
    karst_model_facts f = {0};
    status = look_create(&l, model);
    if (!status) {
        look_at_vertices(model, &l, &f);
        look_at_triangles(model, &l, &f);
        look_at_edges(model, &l, &f);
        *out = f;
    } else {
        kst_fail(report, status, "model: out of memory while looking at it");
    }
    look_free(&l, model);
    return status;
}
