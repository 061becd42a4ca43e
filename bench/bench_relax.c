// SPDX-License-Identifier: MIT
// bench relax: what relaxation makes of the stretch of sculpted ground, and how long that takes.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "core/core.h"
#include "karst/relax.h"
#include "scenes/scenes.h"

// Relaxed anew from the same ground each time.
typedef struct job {
    int side;
    karst_field *field;
    float *start, *end;  // y, x, z
    karst_status status;
    karst_relax_info info;
} job;

static karst_rect whole(const job *j) {
    return (karst_rect){0, 0, j->side, j->side};
}
static karst_status read_all(const job *j, float *at) {
    size_t count = (size_t)j->side * (size_t)j->side;
    return karst_field_read(j->field, whole(j), at, at + count, at + 2 * count, j->side);
}

static void run_job(void *context) {
    job *j = context;
    size_t count = (size_t)j->side * (size_t)j->side;
    const karst_canvas canvas = {.shown = j->field, .target = j->field};
    j->status = karst_field_write(j->field, whole(j), j->start, j->start + count, j->start + 2 * count, j->side);
    if (!j->status) j->status = karst_relax_apply(&canvas, whole(j), NULL, NULL, NULL, &j->info);
}

static void add_rows(bench *b, const char *name, const job *j, double seconds, uint64_t hash) {
    const karst_relax_info *i = &j->info;
    char what[64];
    snprintf(what, sizeof what, "worst_stretch_ratio%s", name);
    bench_add_note(b,
                   &(bench_row){.what = what,
                                .unit = "longest edge after / before",
                                .value = i->worst_after / i->worst_before,
                                .runs = 1,
                                .hash = hash},
                   "%.3f to %.3f; mean %.4f to %.4f; %lld of %d vertices moved; surface within %.3f spacings of 0.5",
                   i->worst_before, i->worst_after, i->mean_before, i->mean_after, (long long)i->moved,
                   j->side * j->side, i->largest_m / karst_field_shape_of(j->field).spacing_m);
    snprintf(what, sizeof what, "seconds%s", name);
    bench_add(b, &(bench_row){.what = what, .unit = "s CPU", .value = seconds, .runs = bench_runs(b), .hash = hash});
    snprintf(what, sizeof what, "vertex_sweep_ns%s", name);
    bench_add_note(b,
                   &(bench_row){.what = what,
                                .unit = "ns CPU a vertex that moved and sweep",
                                .value = i->moved ? 1e9 * seconds / ((double)i->moved * i->sweeps) : NAN,
                                .runs = bench_runs(b)},
                   "%d sweeps", i->sweeps);
}

static karst_status bench_field(bench *b, const char *name, karst_field *field) {
    job j = {.side = karst_field_shape_of(field).columns, .field = field};
    size_t bytes = 3 * sizeof(float) * (size_t)j.side * (size_t)j.side;
    j.start = malloc(bytes);
    j.end = malloc(bytes);
    karst_status status = j.start && j.end ? read_all(&j, j.start) : KARST_ERROR_MEMORY;
    double seconds, none;
    if (!status) {
        bench_compare(b, run_job, NULL, &j, &seconds, &none);
        status = j.status;
    }
    if (!status) status = read_all(&j, j.end);
    if (!status) add_rows(b, name, &j, seconds, kst_hash(j.end, bytes, 0));
    free(j.start);
    free(j.end);
    karst_field_destroy(field);
    return status;
}

karst_status bench_relax(bench *b) {
    karst_field *field;
    karst_status status = scene_overhang_field(b->quick ? 33 : 65, b->quick ? 33 : 65, 2, 4, &field);
    if (!status) status = bench_field(b, "", field);
    if (!status && !b->quick) {
        status = scene_mushroom_field(97, 1, &field);
        if (!status) status = bench_field(b, "_mushroom", field);
        if (!status) status = scene_overhang_field(129, 129, 2, 5, &field);
        if (!status) status = bench_field(b, "_ridge", field);
    }
    return status;
}
