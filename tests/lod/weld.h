// SPDX-License-Identifier: MIT
// Weld: triangles joined by exact position; every edge must meet an equal and opposite one, but for the outline.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "karst/scene.h"

typedef struct weld_vertex {
    uint32_t stamp;
    float p[3];
    bool outline;
} weld_vertex;
typedef struct weld_edge {
    uint32_t stamp;
    int a, b, sum, uses;
} weld_edge;

enum { WELD_VERTICES = 1 << 18, WELD_EDGES = 1 << 19 };

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

static inline int weld_find(weld *w, const karst_drawn_vertex *v, const float box[4]) {
    uint32_t u[3];
    memcpy(u, &v->position, sizeof u);
    uint32_t h = u[0] * 0x9E3779B1u ^ u[1] * 0x85EBCA77u ^ u[2] * 0xC2B2AE3Du;
    h ^= h >> 15;
    for (h &= WELD_VERTICES - 1; w->vertex[h].stamp == w->stamp; h = (h + 1) & (WELD_VERTICES - 1))
        if (!memcmp(w->vertex[h].p, &v->position, 12)) return (int)h;
    w->vertex[h].stamp = w->stamp;
    memcpy(w->vertex[h].p, &v->position, 12);
    w->vertex[h].outline = v->column == box[0] || v->column == box[1] || v->row == box[2] || v->row == box[3];
    return (int)h;
}

static inline weld_result weld_check(weld *w, const karst_drawn_vertex *v, int triangles) {
    weld_result r = {.triangles = triangles};
    float box[4] = {1e30f, -1e30f, 1e30f, -1e30f};  // columns and rows of the outline of all that is drawn
    for (int k = 0; k < 3 * triangles; ++k) {
        if (v[k].column < box[0]) box[0] = v[k].column;
        if (v[k].column > box[1]) box[1] = v[k].column;
        if (v[k].row < box[2]) box[2] = v[k].row;
        if (v[k].row > box[3]) box[3] = v[k].row;
    }
    ++w->stamp;
    int used = 0;
    for (int t = 0; t < triangles; ++t) {
        int id[3];
        for (int c = 0; c < 3; ++c) id[c] = weld_find(w, &v[3 * t + c], box);
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
        bool outline = w->vertex[e->a].outline && w->vertex[e->b].outline;
        if (e->sum != 0 && !outline) ++r.open;
        if (e->uses > 2) ++r.folded;
    }
    return r;
}
