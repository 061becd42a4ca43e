// SPDX-License-Identifier: MIT
// Weld: triangles joined by exact position; every edge must meet an equal and opposite one, but for the field's
// outline and what is drawn as hole beyond it (chunks of different levels are padded to different lengths).
#pragma once
#include <stdlib.h>
#include <string.h>

#include "karst/scene.h"

typedef struct weld_vertex {
    uint32_t stamp;
    float p[3];
    int outside;  // bits: at or beyond the field's first and last column, first and last row
} weld_vertex;
typedef struct weld_edge {
    uint32_t stamp;
    int a, b, sum, uses;
} weld_edge;

enum { WELD_VERTICES = 1 << 19, WELD_EDGES = 1 << 20 };

typedef struct weld {
    weld_vertex *vertex;
    weld_edge *edge;
    int *used;
    uint32_t stamp;
} weld;

typedef struct weld_result {
    int64_t triangles, edges, open, folded;
} weld_result;

static inline weld weld_create(void) {
    weld w = {calloc(WELD_VERTICES, sizeof(weld_vertex)), calloc(WELD_EDGES, sizeof(weld_edge)),
              malloc(WELD_EDGES * sizeof(int)), 0};
    return w;
}
static inline void weld_destroy(weld *w) {
    free(w->vertex);
    free(w->edge);
    free(w->used);
}

static inline int weld_find(weld *w, const karst_drawn_vertex *v, int columns, int rows) {
    uint32_t u[3];
    memcpy(u, &v->position, sizeof u);
    uint32_t h = u[0] * 0x9E3779B1u ^ u[1] * 0x85EBCA77u ^ u[2] * 0xC2B2AE3Du;
    h ^= h >> 15;
    for (h &= WELD_VERTICES - 1; w->vertex[h].stamp == w->stamp; h = (h + 1) & (WELD_VERTICES - 1))
        if (!memcmp(w->vertex[h].p, &v->position, 12)) return (int)h;
    w->vertex[h].stamp = w->stamp;
    memcpy(w->vertex[h].p, &v->position, 12);
    w->vertex[h].outside = (v->column <= 0) | (v->column >= (float)(columns - 1)) << 1 | (v->row <= 0) << 2 |
                           (v->row >= (float)(rows - 1)) << 3;
    return (int)h;
}

static inline weld_result weld_check(weld *w, const karst_drawn_vertex *v, int triangles, karst_field_shape shape) {
    weld_result r = {.triangles = triangles};
    ++w->stamp;
    int used = 0;
    for (int t = 0; t < triangles; ++t) {
        int id[3];
        for (int c = 0; c < 3; ++c) id[c] = weld_find(w, &v[3 * t + c], shape.columns, shape.rows);
        if (id[0] == id[1] || id[1] == id[2] || id[2] == id[0]) continue;
        for (int c = 0; c < 3; ++c) {
            int a = id[c], b = id[(c + 1) % 3], sign = 1;
            if (a > b) {
                int x = a;
                a = b;
                b = x;
                sign = -1;
            }
            uint32_t h = (uint32_t)a * 0x9E3779B1u ^ (uint32_t)b * 0x85EBCA77u;
            h ^= h >> 13;
            for (h &= WELD_EDGES - 1;; h = (h + 1) & (WELD_EDGES - 1)) {
                weld_edge *e = &w->edge[h];
                if (e->stamp != w->stamp) {
                    *e = (weld_edge){w->stamp, a, b, 0, 0};
                    w->used[used++] = (int)h;
                }
                if (e->a == a && e->b == b) {
                    e->sum += sign;
                    ++e->uses;
                    break;
                }
            }
        }
    }
    r.edges = used;
    for (int k = 0; k < used; ++k) {
        weld_edge *e = &w->edge[w->used[k]];
        bool outline = w->vertex[e->a].outside & w->vertex[e->b].outside;
        if (e->sum != 0 && !outline) ++r.open;
        if (e->uses > 2) ++r.folded;
    }
    return r;
}
