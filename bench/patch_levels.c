// SPDX-License-Identifier: MIT
// A square kilometre of patches with every kind of bind: what choosing a frame costs, and whether frames are closed.
#include "patch_levels.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "scenes/zoneweld.h"

enum { FRAMES = 300, JUMP = 60, RUNS = 7, SLOTS = 512 };

static const float threshold_100k = 3.3e-4f, threshold_1m = 1.6e-5f;

typedef struct land {
    karst_net *net;
    scene_zones zones;
    karst_zone_scene *scene;
    uint16_t slot[SLOTS];
    bool there[SLOTS];
    double side_m;
} land;

static karst_status land_make(bench *b, int side, int noise_slot, land *l) {
    *l = (land){.side_m = 16.0 * side};
    scene_net_def def = {.side = side, .slot = (uint8_t)noise_slot, .tiles_log2 = 3, .noise_set = 2};
    karst_status status = scene_net(&def, b->report, &l->net);
    if (!status) status = scene_zones_cut(l->net, b->report, &l->zones);
    if (!status && l->zones.count > SLOTS) status = KARST_ERROR_LIMIT;
    if (!status) status = karst_zone_scene_create(NULL, &l->scene);
    for (int k = 0; k < l->zones.count && !status; ++k) {
        status = karst_zone_scene_add(l->scene, l->zones.zones[k], b->report, &l->slot[k]);
        l->there[k] = true;
    }
    return status;
}

static void land_free(land *l) {
    karst_zone_scene_destroy(l->scene);
    scene_zones_free(&l->zones);
    karst_net_destroy(l->net);
}

static karst_view view_at(karst_pos eye) {
    return karst_view_perspective(eye, (karst_pos){eye.x + 1, eye.y, eye.z + 0.3}, (karst_vec3){0, 1, 0}, 1.0471976f,
                                  1920, 1080);
}

// 1.5 m a frame over the hills, and every sixtieth frame somewhere else.
static karst_pos eye_at(const land *l, int frame) {
    uint64_t leg = (uint64_t)(frame / JUMP);
    double x = (l->side_m - 100) * kst_random01(3, leg) + 1.45 * (frame % JUMP), z = l->side_m * kst_random01(5, leg);
    z += 0.39 * (frame % JUMP);
    return (karst_pos){x, scene_net_hill(x, z) + 1.7, z};
}

typedef struct path {
    double median_ms, worst_ms, single_ms, triangles, instances;
    uint64_t hash;
} path;

// Each frame is the median of its runs.
static path run_path(bench *b, land *l, float threshold) {
    static double ms[FRAMES], times[FRAMES][RUNS];
    int frames = b->quick ? 6 : FRAMES, runs = b->quick ? 1 : RUNS;
    path r = {0};
    karst_zone_budget budget = karst_zone_budget_default();
    budget.threshold = threshold, budget.cull = false;
    for (int run = -1; run < runs; ++run)
        for (int f = 0; f < frames; ++f) {
            karst_view view = view_at(eye_at(l, f));
            karst_zone_frame frame;
            double begin = bench_cpu_s();
            karst_zone_scene_update(l->scene, &view, 1, &budget, &frame);
            double spent = 1e3 * (bench_cpu_s() - begin);
            if (run >= 0) times[f][run] = spent;
            if (run != 0) continue;
            r.triangles += (double)frame.figures.triangles / frames;
            r.instances += (double)frame.instance_count / frames;
            r.hash = kst_hash(frame.instances, (size_t)frame.instance_count * sizeof *frame.instances, r.hash);
        }
    for (int f = 0; f < frames; ++f) {
        for (int run = 0; run < runs; ++run) r.single_ms = fmax(r.single_ms, times[f][run]);
        ms[f] = bench_median(times[f], runs);
        if (ms[f] > r.worst_ms) r.worst_ms = ms[f];
    }
    r.median_ms = bench_median(ms, frames);
    return r;
}

static void speed_rows(bench *b, land *l) {
    const struct {
        const char *median, *worst;
        float threshold;
    } rows[2] = {{"corner_ms_100k", "corner_worst_ms_100k", threshold_100k},
                 {"corner_ms_1m", "corner_worst_ms_1m", threshold_1m}};
    for (int k = 0; k < 2; ++k) {
        path r = run_path(b, l, rows[k].threshold);
        int runs = b->quick ? 1 : RUNS;
        bench_add_note(b,
                       &(bench_row){.what = rows[k].median,
                                    .unit = "ms CPU a frame, median",
                                    .value = r.median_ms,
                                    .runs = runs,
                                    .hash = r.hash},
                       "%.0f triangles in %.0f instances, no culling, %.1f km2; 1.5 m a frame, jumps", r.triangles,
                       r.instances, l->side_m * l->side_m * 1e-6);
        bench_add_note(
            b, &(bench_row){.what = rows[k].worst, .unit = "ms CPU, worst frame", .value = r.worst_ms, .runs = runs},
            "each frame the median of its runs; the worst of all single ones took %.3f", r.single_ms);
    }
}

// What the threshold of 100,000 triangles leaves, against every finest vertex.
static void error_row(bench *b, land *l) {
    karst_zone_budget budget = karst_zone_budget_default();
    budget.threshold = threshold_100k, budget.cull = false;
    karst_zone_error most = {0};
    for (int f = 0; f < (b->quick ? 1 : 3); ++f) {
        karst_view view = view_at(eye_at(l, JUMP * f));
        karst_zone_frame frame;
        karst_zone_scene_update(l->scene, &view, 1, &budget, &frame);
        karst_zone_error e = karst_zone_frame_error(&frame, l->scene, &view);
        if (e.pixels > most.pixels) most.pixels = e.pixels;
        if (e.metres > most.metres) most.metres = e.metres;
        if (e.metric > most.metric) most.metric = e.metric;
    }
    bench_add_note(b,
                   &(bench_row){.what = "corner_error_px",
                                .unit = "px, worst of three frames of 100k",
                                .value = (double)most.pixels,
                                .runs = 1},
                   "%.2f m; area over squared distance at most %.2f thresholds; 1920 x 1080, 60 degrees",
                   (double)most.metres, (double)(most.metric / threshold_100k));
}

// Cameras and thresholds at random, zones at random, displaced at full strength.
static karst_status crack_row(bench *b) {
    land l;
    karst_status status = land_make(b, 16, 15, &l);
    zone_weld *weld = status ? NULL : zone_weld_create(&l.zones);
    if (!status && !weld) status = KARST_ERROR_MEMORY;
    const char *more = getenv("KARST_BENCH_FRAMES");
    int frames = b->quick ? 4 : more ? atoi(more) : 300;
    int64_t cracks = 0, edges = 0, outline = 0, changes = 0, over = 0;
    double begin = bench_cpu_s();
    for (int f = 0; f < frames && !status; ++f) {
#define R(k) kst_random01(11, 256 * (uint64_t)f + (k))
        karst_zone_budget budget = karst_zone_budget_default();
        budget.cull = false;
        budget.threshold = (float)exp2(-2 - 10 * R(0) - (R(200) < 0.1 ? 3 : 0));
        if (R(1) < 0.3) budget.tile_m = 0, budget.tile_fade_m = 0.01f;
        for (int k = 0; k < l.zones.count && !status; ++k) {
            bool want = R(2 + (uint64_t)k) < 0.85;
            if (want == l.there[k]) continue;
            if (want)
                status = karst_zone_scene_add(l.scene, l.zones.zones[k], b->report, &l.slot[k]);
            else
                karst_zone_scene_remove(l.scene, l.slot[k]);
            l.there[k] = want;
            ++changes;
        }
        if (status) break;
        karst_view view = view_at(zone_weld_eye(l.net, 17, (uint64_t)f));
        karst_zone_frame frame;
        karst_zone_scene_update(l.scene, &view, 1, &budget, &frame);
        zone_weld_result r = zone_weld_frame(weld, &frame, l.scene, l.there);
        cracks += r.cracks, edges += r.edges, outline += r.outline, over += r.over;
#undef R
    }
    if (!status)
        bench_add_note(
            b, &(bench_row){.what = "cracks", .unit = "edges that do not meet", .value = (double)cracks, .runs = 1},
            "%d frames in %.0f s, %.1f M edges, %.2f M open, %.3f M shared by more than two, zones came or went "
            "%lld times",
            frames, bench_cpu_s() - begin, (double)edges * 1e-6, (double)outline * 1e-6, (double)over * 1e-6,
            (long long)changes);
    zone_weld_destroy(weld);
    land_free(&l);
    return status;
}

karst_status bench_patch_levels(bench *b) {
    land l;
    karst_status status = land_make(b, b->quick ? 16 : 64, 10, &l);
    if (!status) speed_rows(b, &l), error_row(b, &l);
    land_free(&l);
    return status ? status : crack_row(b);
}
