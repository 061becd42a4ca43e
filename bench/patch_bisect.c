// SPDX-License-Identifier: MIT
// A square kilometre of patches bisected: frames at a walk and of a fast camera, what lists by direction save, bytes.
#include "patch_bisect.h"

#include <math.h>

#include "core/core.h"
#include "karst/zonescene.h"
#include "scenes/nets.h"

enum { FRAMES = 300, WARM = 20, RUNS = 5 };

typedef struct land {
    karst_net *net;
    scene_zones zones;
    karst_zone_scene *scene;
    double side_m;
} land;

static karst_status land_make(bench *b, int side, land *l) {
    *l = (land){.side_m = 16.0 * side};
    scene_net_def def = {.side = side, .slot = 10, .tiles_log2 = 3, .noise_set = 2};
    karst_status status = scene_net(&def, b->report, &l->net);
    if (!status) status = scene_zones_cut(l->net, b->report, &l->zones);
    if (!status) status = karst_zone_scene_create(NULL, &l->scene);
    uint16_t slot;
    for (int k = 0; k < l->zones.count && !status; ++k)
        status = karst_zone_scene_add(l->scene, l->zones.zones[k], b->report, &slot);
    return status;
}

static void land_free(land *l) {
    karst_zone_scene_destroy(l->scene);
    scene_zones_free(&l->zones);
    karst_net_destroy(l->net);
}

typedef struct path {
    double median_ms, worst_ms, single_ms, rebuild_ms;
    double triangles, tests, merge_tests, changes, dirty;  // a frame
    double last_triangles, corner_triangles;               // at the last place, and of method corner there
    double seen;                                           // of `triangles` by the view
    double face_bytes, all_bytes;                          // of a triangle, without and with what is drawn of points
} path;

// Straight over the hills, after `way` metres.
static karst_view view_at(const land *l, double way) {
    double x = 0.3 * l->side_m + 0.96 * way, z = 0.4 * l->side_m + 0.28 * way;
    karst_pos eye = {x, scene_net_hill(x, z) + 1.7, z};
    return karst_view_perspective(eye, (karst_pos){x + 1, eye.y, z + 0.3}, (karst_vec3){0, 1, 0}, 1.05f, 1920, 1080);
}

static void add_figures(path *r, const karst_zone_mesh *m, int frames) {
    r->triangles += (double)m->live_triangles / frames;
    r->tests += (double)m->split_tests / frames, r->merge_tests += (double)m->merge_tests / frames;
    r->changes += (double)(m->splits + m->merges) / frames;
    for (int k = 0; k < m->dirty_triangle_count; ++k)
        r->dirty += (double)m->dirty_triangles[k].count * sizeof *m->triangles / frames;
    for (int k = 0; k < m->dirty_point_count; ++k)
        r->dirty += (double)m->dirty_points[k].count * sizeof *m->points / frames;
    r->last_triangles = (double)m->live_triangles;
    r->face_bytes = (double)m->record_bytes / (double)m->live_triangles;
    r->all_bytes = r->face_bytes + (double)m->live_points * sizeof *m->points / (double)m->live_triangles;
}

// Frames that are step_m apart. Each is the median of its runs.
static path run_path(bench *b, land *l, float threshold, double step_m, int sectors, bool cull) {
    static double ms[FRAMES], times[FRAMES][RUNS];
    int frames = b->quick ? 8 : FRAMES, runs = b->quick ? 1 : RUNS;
    path r = {0};
    karst_zone_budget budget = karst_zone_budget_default();
    budget.method = KARST_ZONE_METHOD_BISECT, budget.threshold = threshold, budget.sectors = sectors;
    budget.cull = cull;
    for (int run = 0; run < runs; ++run)
        for (int f = -WARM; f < frames; ++f) {
            karst_view view = view_at(l, step_m * (f + WARM));
            karst_zone_frame frame;
            double begin = bench_cpu_s();
            karst_zone_scene_update(l->scene, &view, 1, &budget, &frame);
            double spent = 1e3 * (bench_cpu_s() - begin);
            if (frame.mesh.rebuilt) r.rebuild_ms = spent;
            if (f >= 0) times[f][run] = spent;
            if (f >= 0 && run == 0) add_figures(&r, &frame.mesh, frames);
            if (f >= 0 && run == 0) r.seen += (double)frame.figures.triangles / frames;
        }
    for (int f = 0; f < frames; ++f) {
        for (int run = 0; run < runs; ++run) r.single_ms = fmax(r.single_ms, times[f][run]);
        ms[f] = bench_median(times[f], runs);
        r.worst_ms = fmax(r.worst_ms, ms[f]);
    }
    r.median_ms = bench_median(ms, frames);
    budget.method = KARST_ZONE_METHOD_CORNER, budget.cull = false;
    karst_view view = view_at(l, step_m * (frames - 1 + WARM));
    karst_zone_frame frame;
    karst_zone_scene_update(l->scene, &view, 1, &budget, &frame);
    r.corner_triangles = (double)frame.figures.triangles;
    return r;
}

karst_status bench_patch_bisect(bench *b) {
    land l;
    karst_status status = land_make(b, b->quick ? 16 : 64, &l);
    if (status) {
        land_free(&l);
        return status;
    }
    const float threshold_100k = 3.3e-4f, threshold_1m = 2.05e-5f;
    path walk = run_path(b, &l, threshold_1m, 0.025, 16, true), whole = run_path(b, &l, threshold_1m, 0.025, 16, false);
    bench_add_note(b,
                   &(bench_row){.what = "bisect_walk_ms_1m",
                                .unit = "ms CPU a frame, median",
                                .value = walk.median_ms,
                                .runs = b->quick ? 1 : RUNS},
                   "%.0f triangles, 25 mm a frame; worst %.2f ms, of single runs %.2f, %.0f points come or go, %.0f "
                   "split and %.0f merge tests, "
                   "%.0f KB dirty; made from nothing in %.0f ms; corner draws %.2f times as many",
                   walk.triangles, walk.worst_ms, walk.single_ms, walk.changes, walk.tests, walk.merge_tests,
                   walk.dirty / 1024, walk.rebuild_ms, walk.corner_triangles / walk.last_triangles);
    bench_add_note(
        b, &(bench_row){.what = "bisect_face_bytes", .unit = "bytes a drawn triangle", .value = walk.face_bytes},
        "records of faces and points; %.1f with what is drawn of points", walk.all_bytes);
    path fast[3];
    static const int sectors[3] = {1, 16, 32};
    for (int k = 0; k < 3; ++k) fast[k] = run_path(b, &l, threshold_100k, 1.5, sectors[k], true);
    bench_add_note(b,
                   &(bench_row){.what = "tests_with_sectors",
                                .unit = "split tests, 16 sectors / one list",
                                .value = fast[1].tests / fast[0].tests},
                   "1.5 m a frame, %.0f triangles: %.0f, %.0f with 16, %.0f with 32; %.0f merge tests; medians %.2f, "
                   "%.2f, %.2f ms; corner draws %.2f times as many",
                   fast[0].triangles, fast[0].tests, fast[1].tests, fast[2].tests, fast[0].merge_tests,
                   fast[0].median_ms, fast[1].median_ms, fast[2].median_ms,
                   fast[0].corner_triangles / fast[0].last_triangles);
    bench_add_note(b,
                   &(bench_row){.what = "bisect_seen",
                                .unit = "triangles drawn / of the mesh, 1 million",
                                .value = walk.seen / walk.triangles},
                   "%.0f; at %.0f it is %.2f; telling which takes %.3f ms of a frame", walk.seen, fast[1].triangles,
                   fast[1].seen / fast[1].triangles, walk.median_ms - whole.median_ms);
    land_free(&l);
    return KARST_OK;
}
