// SPDX-License-Identifier: MIT
// bench stroke: what a point of a pen costs on a large world, from its file back into its file.
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "core/core.h"
#include "karst/history.h"
#include "karst/project.h"
#include "karst/sheet.h"
#include "karst/stroke.h"
#include "scenes/scenes.h"
#include "stroke_net.h"

enum { POINTS = 200, RUNS_MAX = 16 };

typedef struct world {
    char path[256];
    karst_project *project;
    int64_t ground;
    int side;
} world;

static karst_status fill(world *w) {
    karst_field_shape shape = {w->side, w->side, 1, {0, 0, 0}};
    karst_field *field = NULL;
    float *row = malloc((size_t)w->side * sizeof *row);
    karst_status status = row ? karst_project_begin(w->project, "made") : KARST_ERROR_MEMORY;
    if (!status) status = karst_project_add_field(w->project, "ground", &shape, &w->ground);
    if (!status) status = karst_project_field(w->project, w->ground, 0, &field);
    for (int j = 0; j < w->side && !status; ++j) {
        scene_rough_row(j, w->side, 1, 7, row, NULL, NULL, NULL);
        status = karst_field_write(field, (karst_rect){0, j, w->side, j + 1}, row, NULL, NULL, w->side);
    }
    if (!status) status = karst_field_flush(field);
    karst_field_destroy(field);
    free(row);
    return status ? status : karst_project_commit(w->project);
}

static karst_status make_world(bench *b, world *w) {
    const char *base = getenv("TMPDIR");
    snprintf(w->path, sizeof w->path, "%s/karst-bench-stroke-%ld.karst", base ? base : "/tmp", (long)getpid());
    karst_status status = karst_project_create(w->path, b->report, &w->project);
    if (!status) status = fill(w);
    if (status && w->project) kst_fail(b->report, status, "%s", karst_project_message(w->project));
    karst_project_close(w->project);
    w->project = NULL;
    return status;
}

typedef struct kind {
    const char *what;
    karst_brush_kind kind;
    karst_brush_along along;
} kind;

// What one stroke took, and what it left in the history.
typedef struct figures {
    double all_s, dabs_s, first_s;
    uint64_t bytes, samples, touched, hash;
} figures;

static karst_status draw(const karst_canvas *canvas, const kind *k, double x, double z, figures *out) {
    karst_brush_def def = karst_brush_def_default();
    def.kind = k->kind;
    def.along = k->along;
    def.radius_m = 32;
    def.spacing = 1.0 / 32;
    def.strength = k->kind == KARST_BRUSH_RAISE ? 0.05 : 0.5;
    karst_stroke *stroke;
    karst_touched touched = {0};
    double start = bench_wall_s();
    karst_status status = karst_stroke_create(canvas, &def, NULL, NULL, &stroke);
    for (int p = 0; p < POINTS && !status; ++p) {
        karst_stroke_point point = karst_stroke_point_at(x + p, z + 0.25 * p);
        status = karst_stroke_add(stroke, &point);
        if (!p) out->first_s = bench_wall_s() - start;
    }
    if (!status) status = karst_stroke_end(stroke, &touched);
    karst_stroke_destroy(stroke);
    out->dabs_s = bench_wall_s() - start;
    out->touched = touched.samples;
    return status;
}

static karst_status last_step(karst_project *project, figures *out) {
    static karst_history_step steps[64];
    int count = 0;
    karst_status status = karst_project_log(project, steps, 64, &count);
    for (int k = 0; k < count && k < 64 && !status; ++k)
        if (steps[k].current) out->bytes = steps[k].bytes, out->samples = steps[k].samples;
    return status;
}

// Open the world, draw, keep the step; then undo it, outside the clock.
static karst_status run(bench *b, world *w, const kind *k, double x, double z, figures *out) {
    karst_project_canvas *canvas = NULL;
    karst_status status = karst_project_open(w->path, KARST_PROJECT_WRITE, b->report, &w->project);
    if (status) return status;
    double start = bench_wall_s();
    status = karst_project_canvas_open(w->project, w->ground, 0, 0, 0, &canvas);
    if (!status) status = karst_project_begin(w->project, "stroke");
    if (!status) status = draw(karst_project_canvas_get(canvas), k, x, z, out);
    if (!status) status = karst_project_canvas_flush(canvas);
    if (!status) status = karst_project_commit(w->project);
    out->all_s = bench_wall_s() - start;
    karst_project_canvas_close(canvas);
    if (!status) status = last_step(w->project, out);
    if (!status) status = karst_project_hash(w->project, &out->hash);
    if (!status) status = karst_project_undo(w->project, NULL, NULL);
    if (status && !b->report->message[0]) kst_fail(b->report, status, "%s", karst_project_message(w->project));
    karst_project_close(w->project);
    w->project = NULL;
    return status;
}

static karst_status rows(bench *b, world *w, const kind *k, bool first) {
    double all[RUNS_MAX], dabs[RUNS_MAX], begin[RUNS_MAX];
    figures f = {0};
    int runs = bench_runs(b);
    double x = w->side / 2.0 - POINTS / 2.0, z = w->side / 2.0 - 20;
    for (int r = 0; r < runs; ++r) {
        karst_status status = run(b, w, k, x, z, &f);
        if (status) return status;
        all[r] = 1e3 * f.all_s / POINTS, dabs[r] = 1e3 * f.dabs_s / POINTS, begin[r] = 1e3 * f.first_s;
    }
    char what[64];
    snprintf(what, sizeof what, "point_ms%s", k->what);
    bench_add_note(
        b,
        &(bench_row){.what = what,
                     .unit = "ms wall a point, from the file into the file",
                     .value = bench_median(all, runs),
                     .runs = runs,
                     .hash = f.hash},
        "radius 32, %d points 1 m apart, %d x %d; dabs alone %.3f, the first point %.1f ms, %llu samples each", POINTS,
        w->side, w->side, bench_median(dabs, runs), bench_median(begin, runs),
        (unsigned long long)(f.touched / POINTS));
    snprintf(what, sizeof what, "undo_bytes_per_sample%s", k->what);
    if (first || k->along == KARST_ALONG_NORMAL)
        bench_add_note(b,
                       &(bench_row){.what = what,
                                    .unit = "bytes of history a vertex that changed",
                                    .value = f.samples ? (double)f.bytes / (double)f.samples : 0,
                                    .runs = 1,
                                    .hash = f.hash},
                       "%llu bytes, %llu vertices", (unsigned long long)f.bytes, (unsigned long long)f.samples);
    return KARST_OK;
}

karst_status bench_stroke(bench *b) {
    static const kind kinds[] = {{"", KARST_BRUSH_RAISE, KARST_ALONG_VERTICAL},
                                 {"_normal", KARST_BRUSH_RAISE, KARST_ALONG_NORMAL},
                                 {"_smooth", KARST_BRUSH_SMOOTH, KARST_ALONG_VERTICAL}};
    world w = {.side = b->quick ? 513 : 4097};
    karst_status status = make_world(b, &w);
    for (int k = 0; k < 3 && !status; ++k) status = rows(b, &w, &kinds[k], k == 0);
    karst_project_discard_file(w.path);
    return status ? status : bench_stroke_net(b);
}
