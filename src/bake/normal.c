// SPDX-License-Identifier: MIT
// Smooth normals of the whole sheet: computed once a vertex, so chunks that share it, and all levels, hold the same
// code.
#include "bake/sheet.h"
#include "surface/grid_normals.h"

enum { ROWS = 32 };  // rows at a time

static karst_status normal_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_sheet *s = context;
    kst_normal_grid grid = {.columns = s->columns,
                            .rows = s->rows,
                            .stride = (size_t)s->columns,
                            .y = s->y,
                            .dx = s->dx,
                            .dz = s->dz,
                            .step_y_m = (float)s->lattice.step_y_m,
                            .step_xz_m = (float)s->lattice.step_xz_m,
                            .spacing_m = s->lattice.shape.spacing_m,
                            .normal = s->normal};
    kst_arena arena = {0};
    karst_status status = kst_grid_normals(&grid, begin, end, &arena);
    kst_arena_free(&arena);
    kst_scratch_ease(s->scratch);
    return status;
}

karst_status kst_sheet_normals(kst_sheet *s, karst_jobs *jobs, const karst_progress *progress) {
    return kst_jobs_run(jobs, s->rows, ROWS, normal_rows, s, progress, "normals", 0, 1);
}
