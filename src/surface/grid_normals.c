// SPDX-License-Identifier: MIT
// Smooth normals: the sum of the normals of the reference triangles round a vertex, each as long as its area.
//
// Holes count as ground here: a rim is lit like the slope it was cut from. What comes out for a vertex depends on the
// cells round it alone, not on where the grid begins (at an even vertex) or how rows are shared out.
//
// Each cell has an upper triangle (it holds the edge 00-10) and a lower one (01-11). Where i + j is even all four
// diagonals meet, and a vertex touches both triangles of its four cells; elsewhere it touches the lower ones of the
// cells above it and the upper ones of the cells below it.
#include "surface/grid_normals.h"

#include "surface/normals.h"

// Normals along one row of cells, twice the area long: upper and lower triangle; index 0 is a cell left of the field.
typedef struct cell_row {
    float *upper[3], *lower[3];
} cell_row;

typedef struct work {
    const kst_normal_grid *g;
    float *edge[2][3];  // along the vertex rows of a cell row: from a vertex to the next [m]
    float *down[3];     // from the upper vertex row to the lower one
    float *sum[3];
    cell_row above, below;
} work;

KST_TWINS static void heights_between(const int32_t *from, const int32_t *to, int32_t count, float step, float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = (float)(int32_t)((uint32_t)to[i] - (uint32_t)from[i]) * step;
}

KST_TWINS static void sideways_between(const int16_t *from, const int16_t *to, int32_t count, float rest, float step,
                                       float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = rest + (float)(to[i] - from[i]) * step;
}

static void flat_between(int32_t count, float rest, float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = rest;
}

// Differences between count pairs of vertices, apart at rest by (rest_x, rest_z).
static void between(const kst_normal_grid *g, size_t from, size_t to, int32_t count, double rest_x, double rest_z,
                    float *const out[3]) {
    heights_between(g->y + from, g->y + to, count, g->step_y_m, out[1]);
    if (g->dx) {
        float step = g->step_xz_m;
        sideways_between(g->dx + from, g->dx + to, count, (float)rest_x, step, out[0]);
        sideways_between(g->dz + from, g->dz + to, count, (float)rest_z, step, out[2]);
    } else {
        flat_between(count, (float)rest_x, out[0]);
        flat_between(count, (float)rest_z, out[2]);
    }
}

// v x u of each cell: even cells 00 11 x 00 10 and 00 01 x 00 11, odd ones 00 01 x 00 10 and 10 01 x 10 11.
KST_TWINS static void cross_cells(int32_t cells, int32_t odd, const float *const top[3], const float *const bottom[3],
                                  const float *const left[3], float *const upper[3], float *const lower[3]) {
    for (int a = 0; a < 3; ++a) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        const float *tb = top[b], *tc = top[c], *bb = bottom[b], *bc = bottom[c], *lb = left[b], *lc = left[c];
        float *up = upper[a] + 1, *low = lower[a] + 1;
        for (int32_t i = 0; i < cells; ++i) {
            bool even = ((i ^ odd) & 1) == 0;
            // 00-10 is top, 01-11 bottom, 00-01 left, 10-11 the next left.
            float vb = even ? tb[i] + lb[i + 1] : lb[i], vc = even ? tc[i] + lc[i + 1] : lc[i];
            up[i] = vb * tc[i] - vc * tb[i];
            // The lower one from its corner 01: (11 - 01) x (x - 01), x = 00 or 10.
            float xb = even ? -lb[i] : bb[i] - lb[i + 1], xc = even ? -lc[i] : bc[i] - lc[i + 1];
            low[i] = bb[i] * xc - bc[i] * xb;
        }
    }
}

static void fill_cells(const work *w, int32_t row, const cell_row *out) {
    const kst_normal_grid *g = w->g;
    int32_t cells = g->columns - 1;
    if (row < 0 || row >= g->rows - 1) {
        for (int a = 0; a < 3; ++a) {
            memset(out->upper[a], 0, ((size_t)g->columns + 1) * sizeof(float));
            memset(out->lower[a], 0, ((size_t)g->columns + 1) * sizeof(float));
        }
        return;
    }
    size_t at = (size_t)row * g->stride, next = ((size_t)row + 1) * g->stride;
    double spacing = g->spacing_m;
    between(g, at, at + 1, cells, spacing, 0, w->edge[0]);
    between(g, next, next + 1, cells, spacing, 0, w->edge[1]);
    between(g, at, next, g->columns, 0, spacing, w->down);
    cross_cells(cells, row & 1, (const float *const *)w->edge[0], (const float *const *)w->edge[1],
                (const float *const *)w->down, out->upper, out->lower);
}

KST_TWINS static void sum_row(int32_t columns, int32_t odd, const float *above_upper, const float *above_lower,
                              const float *below_upper, const float *below_lower, float *out) {
    for (int32_t i = 0; i < columns; ++i) {  // cells i - 1 and i are at i and i + 1
        float some = above_lower[i] + above_lower[i + 1] + (below_upper[i] + below_upper[i + 1]);
        float rest = above_upper[i] + above_upper[i + 1] + (below_lower[i] + below_lower[i + 1]);
        out[i] = ((i ^ odd) & 1) == 0 ? some + rest : some;
    }
}

static bool make_room(work *w, kst_arena *arena) {
    size_t bytes = ((size_t)w->g->columns + 1) * sizeof(float);
    bool there = true;
    for (int a = 0; a < 3; ++a) {
        float **lines[] = {&w->edge[0][a],     &w->edge[1][a],     &w->down[a],        &w->sum[a],
                           &w->above.upper[a], &w->above.lower[a], &w->below.upper[a], &w->below.lower[a]};
        for (size_t l = 0; l < sizeof lines / sizeof *lines; ++l) {
            *lines[l] = kst_arena_alloc(arena, bytes);
            there = there && *lines[l];
            if (*lines[l]) memset(*lines[l], 0, bytes);  // no cell left of the field nor right of it
        }
    }
    return there;
}

karst_status kst_grid_normals(const kst_normal_grid *g, int32_t begin, int32_t end, kst_arena *arena) {
    work w = {.g = g};
    if (!make_room(&w, arena)) return KARST_ERROR_MEMORY;
    fill_cells(&w, begin - 1, &w.above);
    for (int32_t row = begin; row < end; ++row) {
        fill_cells(&w, row, &w.below);
        for (int a = 0; a < 3; ++a)
            sum_row(g->columns, row & 1, w.above.upper[a], w.above.lower[a], w.below.upper[a], w.below.lower[a],
                    w.sum[a]);
        kst_normals_encode(w.sum[0], w.sum[1], w.sum[2], g->columns, g->normal + (size_t)row * g->stride);
        cell_row swap = w.above;
        w.above = w.below;
        w.below = swap;
    }
    return KARST_OK;
}
