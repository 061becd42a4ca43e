// SPDX-License-Identifier: MIT
// Quads of a mesh of triangles, two to a quad. Who writes GLB cuts each quad in two triangles that follow each other;
// where they do not, the longest side that two triangles share is taken for the cut first: of a quad that is no sliver
// it is the longest of both.
#include <math.h>
#include <stdlib.h>

#include "geo/quads.h"

enum { NONE = -1 };

typedef struct corner {
    karst_vec3 at;
    int32_t vertex;
} corner;

typedef struct pairing {
    const karst_model *model;
    karst_quads *quads;
    corner *corners;         // vertices by place
    int32_t *place;          // of a vertex
    int32_t (*triangle)[3];  // places
    int32_t *mate;           // of a triangle
    int32_t count;
    const char *name;
    karst_report *report;
} pairing;

// ---- places ----------------------------------------------------------------------------------------------

static int by_place(const void *a, const void *b) {
    const karst_vec3 *p = &((const corner *)a)->at, *q = &((const corner *)b)->at;
    if (p->x < q->x || p->x > q->x) return p->x < q->x ? -1 : 1;
    if (p->y < q->y || p->y > q->y) return p->y < q->y ? -1 : 1;
    return (p->z > q->z) - (p->z < q->z);
}

// Vertices at one place are one, whatever else tells them apart; triangles that then have one twice are none.
static void join(pairing *p) {
    const karst_model *m = p->model;
    for (uint32_t k = 0; k < m->vertex_count; ++k) p->corners[k] = (corner){m->position[k], (int32_t)k};
    qsort(p->corners, m->vertex_count, sizeof *p->corners, by_place);
    for (uint32_t k = 0; k < m->vertex_count; ++k) {
        const corner *c = &p->corners[k];
        if (!k || by_place(c - 1, c))
            p->quads->places[p->quads->place_count++] = (karst_pos){
                m->origin.x + (double)c->at.x, m->origin.y + (double)c->at.y, m->origin.z + (double)c->at.z};
        p->place[c->vertex] = p->quads->place_count - 1;
    }
    for (uint32_t k = 0; k < m->triangle_count; ++k) {
        int32_t *v = p->triangle[p->count];
        for (int c = 0; c < 3; ++c) v[c] = p->place[m->vertex[m->triangle[k][c]]];
        p->count += v[0] != v[1] && v[1] != v[2] && v[2] != v[0];
    }
}

// ---- pairs -----------------------------------------------------------------------------------------------

// Whether two triangles share a side that they run opposite ways; of it and what is opposite in each, the quad.
static bool quad_of(const pairing *p, int32_t a, int32_t b, int32_t out[4]) {
    const int32_t *v = p->triangle[a], *w = p->triangle[b];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (v[i] == w[(j + 1) % 3] && v[(i + 1) % 3] == w[j]) {
                out[0] = v[i], out[1] = w[(j + 2) % 3], out[2] = v[(i + 1) % 3], out[3] = v[(i + 2) % 3];
                return out[1] != out[3];
            }
    return false;
}

static bool pair_in_order(const pairing *p) {
    int32_t quad[4];
    for (int32_t k = 0; k + 1 < p->count; k += 2) {
        if (!quad_of(p, k, k + 1, quad)) return false;
        p->mate[k] = k + 1, p->mate[k + 1] = k;
    }
    return p->count % 2 == 0;
}

typedef struct side {
    int32_t low, high, triangle;
} side;

static int by_ends(const void *a, const void *b) {
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

// A cut that may be: how long it is against the sides of the quad.
typedef struct cut {
    double share;
    int32_t a, b;
} cut;

static int longest_first(const void *a, const void *b) {
    const cut *x = a, *y = b;
    if (x->share < y->share || x->share > y->share) return x->share > y->share ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static double length2(const pairing *p, int32_t a, int32_t b) {
    const karst_pos *v = &p->quads->places[a], *w = &p->quads->places[b];
    return (v->x - w->x) * (v->x - w->x) + (v->y - w->y) * (v->y - w->y) + (v->z - w->z) * (v->z - w->z);
}

static karst_status pair_by_length(pairing *p) {
    size_t room = 3 * (size_t)p->count;
    side *sides = kst_alloc_array(NULL, room, sizeof *sides);
    cut *cuts = kst_alloc_array(NULL, room, sizeof *cuts);
    karst_status status = sides && cuts ? KARST_OK : KARST_ERROR_MEMORY;
    size_t count = 0;
    for (size_t k = 0; k < room && !status; ++k) {
        int32_t a = p->triangle[k / 3][k % 3], b = p->triangle[k / 3][(k + 1) % 3];
        sides[k] = (side){a < b ? a : b, a < b ? b : a, (int32_t)(k / 3)};
    }
    if (!status) qsort(sides, room, sizeof *sides, by_ends);
    for (size_t k = 0, next; k < room && !status; k = next) {
        for (next = k + 1; next < room && sides[next].low == sides[k].low && sides[next].high == sides[k].high;) ++next;
        int32_t quad[4];
        if (next != k + 2 || !quad_of(p, sides[k].triangle, sides[k + 1].triangle, quad)) continue;
        double round = 0;
        for (int i = 0; i < 4; ++i) round += length2(p, quad[i], quad[(i + 1) % 4]);
        cuts[count++] =
            (cut){length2(p, sides[k].low, sides[k].high) / round, sides[k].triangle, sides[k + 1].triangle};
    }
    if (!status) qsort(cuts, count, sizeof *cuts, longest_first);
    for (int32_t k = 0; k < p->count && !status; ++k) p->mate[k] = NONE;
    for (size_t k = 0; k < count && !status; ++k)
        if (p->mate[cuts[k].a] == NONE && p->mate[cuts[k].b] == NONE)
            p->mate[cuts[k].a] = cuts[k].b, p->mate[cuts[k].b] = cuts[k].a;
    kst_free(NULL, sides, room * sizeof *sides);
    kst_free(NULL, cuts, room * sizeof *cuts);
    return status;
}

static karst_status tell_alone(const pairing *p) {
    int32_t alone = 0, first = NONE;
    for (int32_t k = p->count - 1; k >= 0; --k)
        if (p->mate[k] == NONE) ++alone, first = k;
    if (!alone) return KARST_OK;
    const karst_pos *at = &p->quads->places[p->triangle[first][0]];
    return kst_fail(p->report, KARST_ERROR_FORMAT,
                    "%s: %d of %d triangles have no other to make a quad with, the first at %.6g, %.6g, %.6g; write a "
                    "mesh that is all quads, or an OBJ, which keeps them",
                    p->name, alone, p->count, at->x, at->y, at->z);
}

static void take_pairs(const pairing *p) {
    for (int32_t k = 0; k < p->count; ++k) {
        int32_t v[4], *quad = p->quads->quads[p->quads->quad_count];
        if (p->mate[k] < k || !quad_of(p, k, p->mate[k], v)) continue;
        quad[0] = v[0], quad[1] = v[3], quad[2] = v[2], quad[3] = v[1];  // faces go round the other way
        ++p->quads->quad_count;
    }
}

// ---- the whole -------------------------------------------------------------------------------------------

karst_status kst_quads_of_model(const karst_model *model, const char *name, karst_report *report, karst_quads **out) {
    size_t vertices = model->vertex_count, triangles = model->triangle_count;
    pairing p = {.model = model, .name = name, .report = report};
    p.quads = kst_alloc_zero(NULL, sizeof *p.quads);
    p.corners = kst_alloc_array(NULL, vertices + 1, sizeof *p.corners);
    p.place = kst_alloc_array(NULL, vertices + 1, sizeof *p.place);
    p.triangle = kst_alloc_array(NULL, triangles + 1, sizeof *p.triangle);
    p.mate = kst_alloc_array(NULL, triangles + 1, sizeof *p.mate);
    karst_status status = p.quads && p.corners && p.place && p.triangle && p.mate ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        p.quads->place_room = (int32_t)vertices + 1, p.quads->quad_room = (int32_t)triangles + 1;
        p.quads->places = kst_alloc_array(NULL, vertices + 1, sizeof *p.quads->places);
        p.quads->quads = kst_alloc_array(NULL, triangles + 1, sizeof *p.quads->quads);
        if (!p.quads->places || !p.quads->quads) status = KARST_ERROR_MEMORY;
    }
    if (!status) {
        join(&p);
        if (!pair_in_order(&p)) status = pair_by_length(&p);
        if (!status) status = tell_alone(&p);
        if (!status) take_pairs(&p);
        if (!status && !p.quads->quad_count)
            status = kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: holds no face; patches are made of quads", name);
    }
    if (!status) status = kst_quads_turn(p.quads);
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "%s: out of memory", name);
    kst_free(NULL, p.corners, (vertices + 1) * sizeof *p.corners);
    kst_free(NULL, p.place, (vertices + 1) * sizeof *p.place);
    kst_free(NULL, p.triangle, (triangles + 1) * sizeof *p.triangle);
    kst_free(NULL, p.mate, (triangles + 1) * sizeof *p.mate);
    if (status)
        karst_quads_destroy(p.quads);
    else
        *out = p.quads;
    return status;
}
