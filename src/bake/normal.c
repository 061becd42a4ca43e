// SPDX-License-Identifier: MIT
// Smooth normals: the sum of the normals of the reference triangles round a vertex, each as long as its area.
//
// Computed once a vertex from the whole sheet, so chunks that share it, and all levels, hold the same code. Holes count
// as ground here: a rim is lit like the slope it was cut from.
#include <math.h>

#include "bake/sheet.h"

typedef struct place {
    double x, y, z;
} place;

static place vertex(const kst_sheet *s, int32_t column, int32_t row) {
    size_t at = kst_sheet_index(s, column, row);
    const karst_lattice *l = &s->lattice;
    double dx = s->displaced ? s->dx[at] : 0, dz = s->displaced ? s->dz[at] : 0;
    return (place){((double)column * l->cell_steps + dx) * l->step_xz_m, s->y[at] * l->step_y_m,
                   ((double)row * l->cell_steps + dz) * l->step_xz_m};
}

// (c - a) x (b - a): up where a, b, c run from x to z.
static void add_triangle(double n[3], place a, place b, place c) {
    double ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z, vx = c.x - a.x, vy = c.y - a.y, vz = c.z - a.z;
    n[0] += vy * uz - vz * uy;
    n[1] += vz * ux - vx * uz;
    n[2] += vx * uy - vy * ux;
}

// The triangles of cell (i, j) that touch vertex (column, row), a corner of it.
static void add_cell(const kst_sheet *s, int32_t i, int32_t j, int32_t column, int32_t row, double n[3]) {
    if (i < 0 || j < 0 || i >= s->columns - 1 || j >= s->rows - 1) return;
    place p00 = vertex(s, i, j), p10 = vertex(s, i + 1, j), p01 = vertex(s, i, j + 1), p11 = vertex(s, i + 1, j + 1);
    bool right = column > i, low = row > j;
    if ((i + j) % 2 == 0) {  // diagonal 00 - 11
        if (!(low && !right)) add_triangle(n, p00, p10, p11);
        if (!(right && !low)) add_triangle(n, p00, p11, p01);
    } else {  // diagonal 10 - 01
        if (!(right && low)) add_triangle(n, p00, p10, p01);
        if (!(!right && !low)) add_triangle(n, p10, p11, p01);
    }
}

static karst_status normal_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_sheet *s = context;
    for (int32_t row = begin; row < end; ++row)
        for (int32_t column = 0; column < s->columns; ++column) {
            double n[3] = {0, 0, 0};
            for (int c = 0; c < 4; ++c) add_cell(s, column - 1 + c % 2, row - 1 + c / 2, column, row, n);
            double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
            karst_vec3 unit = {0, 1, 0};
            if (length > 0) unit = (karst_vec3){(float)(n[0] / length), (float)(n[1] / length), (float)(n[2] / length)};
            s->normal[kst_sheet_index(s, column, row)] = karst_normal_encode(unit);
        }
    return KARST_OK;
}

karst_status kst_sheet_normals(kst_sheet *s, karst_jobs *jobs, const karst_progress *progress) {
    return kst_jobs_run(jobs, s->rows, 8, normal_rows, s, progress, "normals", 0, 1);
}
