// SPDX-License-Identifier: MIT
// bench erode: what a drop's step and a pass of slides cost, with all that they obey and tell, and what a second thread
// is worth.
#include <stdlib.h>

#include "bench.h"
#include "erode_land.h"
#include "op/droplets.h"
#include "op/thermal.h"
#include "scenes/scenes.h"

typedef struct ground {
    kst_land land;
    float *before, *mask, *hardness;
    size_t count;
} ground;

static void free_ground(ground *g) {
    free(g->before);
    free(g->mask);
    free(g->hardness);
    free(g->land.height_m);
    free(g->land.wear_m);
    free(g->land.deposit_m);
}

// Rough ground with a mask that lets all through and bands of hardness, so that nothing is left out.
static bool make_ground(ground *g, int side) {
    g->count = (size_t)side * (size_t)side;
    size_t bytes = g->count * sizeof(float);
    g->before = malloc(bytes);
    g->mask = malloc(bytes);
    g->hardness = malloc(bytes);
    g->land = (kst_land){.width = side,
                         .height = side,
                         .cell_m = 10,
                         .height_m = malloc(bytes),
                         .mask = g->mask,
                         .hardness = g->hardness,
                         .wear_m = calloc(1, bytes),
                         .deposit_m = calloc(1, bytes)};
    const kst_land *l = &g->land;
    if (!g->before || !g->mask || !g->hardness || !l->height_m || !l->wear_m || !l->deposit_m) return false;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            size_t i = (size_t)y * (size_t)side + (size_t)x;
            g->before[i] = 4 * scene_height(x, y, 1);
            g->mask[i] = 1;
            g->hardness[i] = (float)((x + y) * 8 / side % 4) / 6;
        }
    return true;
}

static void anew(const ground *g) {
    memcpy(g->land.height_m, g->before, g->count * sizeof(float));
    memset(g->land.wear_m, 0, g->count * sizeof(float));
    memset(g->land.deposit_m, 0, g->count * sizeof(float));
}

static uint64_t hash_of(const ground *g) {
    return kst_hash_u64(kst_hash(g->land.height_m, g->count * sizeof(float), 0),
                        kst_hash(g->land.wear_m, g->count * sizeof(float), 0));
}

// ---- droplets --------------------------------------------------------------------------------------

enum { RUNS_MAX = 16 };

// Rain with one thread and with two in turn: seconds of each run, CPU of the first.
static karst_status droplet_rows(bench *b, const ground *g) {
    karst_jobs_def two = karst_jobs_def_default();
    two.worker_count = 2;
    karst_jobs *jobs;
    karst_status status = karst_jobs_create(&two, &jobs);
    if (status) return status;
    karst_droplets_def def = karst_droplets_def_default();
    double cpu[RUNS_MAX], wall[2][RUNS_MAX];
    uint64_t hash[2] = {0, 0};
    kst_droplets_result result = {0};
    for (int run = b->quick ? 0 : -1; run < bench_runs(b) && !status; ++run)
        for (int k = 0; k < 2 && !status; ++k) {
            anew(g);
            double cpu_s = bench_cpu_s(), wall_s = bench_wall_s();
            status = kst_droplets(&g->land, &def, k ? jobs : NULL, NULL, &result);
            if (run >= 0) wall[k][run] = bench_wall_s() - wall_s;
            if (run >= 0 && !k) cpu[run] = bench_cpu_s() - cpu_s;
            hash[k] = hash_of(g);
        }
    karst_jobs_destroy(jobs);
    if (status) return status;
    double s = bench_median(cpu, bench_runs(b)), one = bench_median(wall[0], bench_runs(b));
    bench_add_note(b,
                   &(bench_row){.what = "droplet_step_ns",
                                .unit = "ns CPU a step, radius 3, one thread",
                                .value = 1e9 * s / (double)result.steps,
                                .runs = bench_runs(b),
                                .hash = hash[0]},
                   "%d x %d, mask, hardness, wear and deposit on; %.2f million steps, %.3f s", g->land.width,
                   g->land.height, 1e-6 * (double)result.steps, s);
    bench_add(b, &(bench_row){.what = "two_thread_speedup",
                              .unit = "wall, the same drops",
                              .value = one / bench_median(wall[1], bench_runs(b)),
                              .runs = bench_runs(b),
                              .hash = hash[1],
                              .note = hash[0] == hash[1] ? "the same bytes" : "other bytes than one thread"});
    return KARST_OK;
}

// ---- slides ----------------------------------------------------------------------------------------

typedef struct slides {
    const ground *ground;
    karst_thermal_def def;
    karst_status status;
} slides;

static void slide(void *context) {
    slides *s = context;
    anew(s->ground);
    s->status = kst_thermal(&s->ground->land, &s->def, NULL, NULL, NULL);
}
static void only_anew(void *context) {
    anew(((slides *)context)->ground);
}

static karst_status thermal_rows(bench *b, const ground *g) {
    slides s = {g, karst_thermal_def_default(), KARST_OK};
    s.def.talus = 0.3f;  // much of the ground slides
    double all_s, anew_s;
    bench_compare(b, slide, only_anew, &s, &all_s, &anew_s);
    slide(&s);
    if (s.status) return s.status;
    bench_add(b, &(bench_row){.what = "thermal_ns",
                              .unit = "ns CPU a sample and pass, one thread",
                              .value = 1e9 * (all_s - anew_s) / ((double)g->count * s.def.passes),
                              .runs = bench_runs(b),
                              .hash = hash_of(g),
                              .note = "mask, hardness, wear and deposit on"});
    return KARST_OK;
}

karst_status bench_erode(bench *b) {
    ground g = {0};
    karst_status status = make_ground(&g, b->quick ? 256 : 2048) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = droplet_rows(b, &g);
    if (!status) status = thermal_rows(b, &g);
    free_ground(&g);
    return status ? status : bench_erode_land(b);
}
