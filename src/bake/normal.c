// SPDX-License-Identifier: MIT
// Smooth normals: the sum of the normals of the reference triangles round a vertex, each as long as its area.
//
// Computed once a vertex from the whole sheet, so chunks that share it, and all levels, hold the same code. Holes count
// as ground here: a rim is lit like the slope it was cut from.
//
// Each cell has an upper triangle (it holds the edge 00-10) and a lower one (01-11). Where i + j is even all four
// diagonals meet, and a vertex touches both triangles of its four cells; elsewhere it touches the lower ones of the
// cells above it and the upper ones of the cells below it.
#include <math.h>

#include "bake/sheet.h"
#include "surface/normals.h"

enum { ROWS = 32 };  // rows at a time

// Normals along one row of cells, twice the area long: upper and lower triangle; index 0 is a cell left of the field.
typedef struct cell_row {
    float *upper[3], *lower[3];
} cell_row;

typedef struct work {
    const kst_sheet *s;
    float *edge[2][3];  // along the vertex rows of a cell row: from a vertex to the next [m]
    float *down[3];     // from the upper vertex row to the lower one
    float *sum[3];
    cell_row above, below;
} work;

KST_TWINS static void heights_between(const int32_t *from, const int32_t *to, int32_t count, float step, float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = (float)(to[i] - from[i]) * step;
}

KST_TWINS static void sideways_between(const int16_t *from, const int16_t *to, int32_t count, float rest, float step,
                                       float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = rest + (float)(to[i] - from[i]) * step;
}

static void flat_between(int32_t count, float rest, float *out) {
    for (int32_t i = 0; i < count; ++i) out[i] = rest;
}

// Differences between count pairs of vertices, apart at rest by (rest_x, rest_z).
static void between(const kst_sheet *s, size_t from, size_t to, int32_t count, double rest_x, double rest_z,
                    float *const out[3]) {
    heights_between(s->y + from, s->y + to, count, (float)s->lattice.step_y_m, out[1]);
    if (s->displaced) {
        float step = (float)s->lattice.step_xz_m;
        sideways_between(s->dx + from, s->dx + to, count, (float)rest_x, step, out[0]);
        sideways_between(s->dz + from, s->dz + to, count, (float)rest_z, step, out[2]);
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
    const kst_sheet *s = w->s;
    int32_t cells = s->columns - 1;
    if (row < 0 || row >= s->rows - 1) {
        for (int a = 0; a < 3; ++a) {
            memset(out->upper[a], 0, ((size_t)s->columns + 1) * sizeof(float));
            memset(out->lower[a], 0, ((size_t)s->columns + 1) * sizeof(float));
        }
        return;
    }
    size_t at = kst_sheet_index(s, 0, row), next = kst_sheet_index(s, 0, row + 1);
    double spacing = s->lattice.shape.spacing_m;
    between(s, at, at + 1, cells, spacing, 0, w->edge[0]);
    between(s, next, next + 1, cells, spacing, 0, w->edge[1]);
    between(s, at, next, s->columns, 0, spacing, w->down);
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
    size_t bytes = ((size_t)w->s->columns + 1) * sizeof(float);
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

static karst_status normal_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_sheet *s = context;
    work w = {.s = s};
    kst_arena arena = {0};
    if (!make_room(&w, &arena)) {
        kst_arena_free(&arena);
        return KARST_ERROR_MEMORY;
    }
    fill_cells(&w, begin - 1, &w.above);
    for (int32_t row = begin; row < end; ++row) {
        fill_cells(&w, row, &w.below);
        for (int a = 0; a < 3; ++a)
            sum_row(s->columns, row & 1, w.above.upper[a], w.above.lower[a], w.below.upper[a], w.below.lower[a],
                    w.sum[a]);
        kst_normals_encode(w.sum[0], w.sum[1], w.sum[2], s->columns, s->normal + kst_sheet_index(s, 0, row));
        cell_row swap = w.above;
        w.above = w.below;
        w.below = swap;
    }
    kst_arena_free(&arena);
    kst_scratch_ease(s->scratch);
    return KARST_OK;
}

karst_status kst_sheet_normals(kst_sheet *s, karst_jobs *jobs, const karst_progress *progress) {
    return kst_jobs_run(jobs, s->rows, ROWS, normal_rows, s, progress, "normals", 0, 1);
}
