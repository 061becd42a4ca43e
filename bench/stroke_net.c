// SPDX-License-Identifier: MIT
// Strokes on nets.
#include "stroke_net.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "karst/history.h"
#include "karst/netsculpt.h"
#include "karst/project.h"
#include "scenes/nets.h"

enum { POINTS = 200, RUNS_MAX = 16 };

typedef struct figures {
    double points_s, worst_s, open_s, keep_s;
    uint64_t samples, dabs, bytes, hash;
    int32_t patches;
} figures;

static karst_status make_world(bench *b, const char *path) {
    karst_project *project = NULL;
    karst_net *net = NULL;
    int64_t id;
    scene_net_def def = {.side = b->quick ? 24 : 64, .slot = 5, .tiles_log2 = 3, .noise_set = 2};
    karst_status status = scene_net(&def, b->report, &net);
    if (!status) status = karst_project_create(path, b->report, &project);
    if (!status) status = karst_project_begin(project, "made");
    if (!status) status = karst_project_add_net(project, NULL, net, &id);
    if (!status) status = karst_project_commit(project);
    karst_project_close(project);
    karst_net_destroy(net);
    return status;
}

static karst_status draw(karst_net_sculptor *s, karst_brush_kind kind, double middle, figures *out) {
    karst_brush_def def = karst_brush_def_default();
    def.kind = kind;
    def.radius_m = 32;
    def.spacing = 1.0 / 32;
    def.strength = kind == KARST_BRUSH_RAISE ? 0.05 : 0.5;
    karst_stroke *stroke = NULL;
    karst_touched touched = {0};
    karst_status status = karst_net_stroke_create(s, &def, NULL, NULL, &stroke);
    for (int p = 0; p < POINTS && !status; ++p) {
        karst_stroke_point point = karst_stroke_point_at(middle - 100 + p, middle + 0.25 * p);
        double start = bench_wall_s();
        status = karst_stroke_add(stroke, &point);
        double took = bench_wall_s() - start;
        out->points_s += took;
        if (took > out->worst_s) out->worst_s = took;
    }
    if (!status) status = karst_stroke_end(stroke, &touched);
    karst_stroke_destroy(stroke);
    out->samples = touched.samples, out->dabs = touched.dabs;
    return status;
}

// Open the world, draw, keep the step; then undo it, outside the clock.
static karst_status run(bench *b, const char *path, karst_brush_kind kind, figures *out) {
    karst_project *project = NULL;
    karst_net *net = NULL;
    karst_net_sculptor *s = NULL;
    *out = (figures){0};
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, b->report, &project);
    if (status) return status;
    double start = bench_wall_s();
    karst_project_ground ground;
    status = karst_project_find_ground(project, KARST_PROJECT_PATCH, &ground);
    if (!status) status = karst_project_get_net(project, ground.id, NULL, &net);
    if (!status) status = karst_net_sculptor_create(net, NULL, &s);
    out->open_s = bench_wall_s() - start;
    if (!status) status = draw(s, kind, b->quick ? 190 : 510, out);
    start = bench_wall_s();
    if (!status) status = karst_project_begin(project, "stroke");
    if (!status) status = karst_project_set_net(project, ground.id, net);
    if (!status) status = karst_project_commit(project);
    out->keep_s = bench_wall_s() - start;
    if (net) out->patches = net->patch_count;
    static karst_history_step steps[64];
    int count = 0;
    if (!status) status = karst_project_log(project, steps, 64, &count);
    for (int k = 0; k < count && k < 64; ++k)
        if (steps[k].current) out->bytes = steps[k].bytes;
    if (!status) status = karst_project_hash(project, &out->hash);
    if (!status) status = karst_project_undo(project, NULL, NULL);
    if (status && !b->report->message[0]) kst_fail(b->report, status, "%s", karst_project_message(project));
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
    karst_project_close(project);
    return status;
}

karst_status bench_stroke_net(bench *b) {
    static const struct {
        const char *what;
        karst_brush_kind kind;
    } kinds[] = {{"point_ms_net", KARST_BRUSH_RAISE}, {"point_ms_net_smooth", KARST_BRUSH_SMOOTH}};
    char path[256];
    const char *base = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/karst-bench-stroke-net-%ld.karst", base ? base : "/tmp", (long)getpid());
    karst_status status = make_world(b, path);
    for (int k = 0; k < 2 && !status; ++k) {
        double mean[RUNS_MAX], worst[RUNS_MAX];
        figures f = {0};
        int runs = bench_runs(b);
        for (int r = 0; r < runs && !status; ++r) {
            status = run(b, path, kinds[k].kind, &f);
            mean[r] = 1e3 * f.points_s / POINTS, worst[r] = 1e3 * f.worst_s;
        }
        if (status) break;
        bench_add_note(b,
                       &(bench_row){.what = kinds[k].what,
                                    .unit = "ms wall a point, the net finished after each",
                                    .value = bench_median(mean, runs),
                                    .runs = runs,
                                    .hash = f.hash},
                       "%d patches, radius 32, %d points 1 m apart; the worst point %.1f ms, %llu control points each; "
                       "a stroke opens in %.0f ms and is kept in %.0f ms, %llu bytes of history",
                       f.patches, POINTS, bench_median(worst, runs), (unsigned long long)(f.samples / POINTS),
                       1e3 * f.open_s, 1e3 * f.keep_s, (unsigned long long)f.bytes);
    }
    karst_project_discard_file(path);
    return status;
}
