// SPDX-License-Identifier: MIT
// bench erode: what the whole erosion takes, and what the land is like that it leaves.
#include "erode_land.h"

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "karst/erode.h"
#include "karst/noise.h"
#include "land_stats.h"
#include "op/rivers.h"
#include "op/settle.h"

// fBm of 1,000 m and of Hurst exponent 0.9, its hills a quarter of a side: about a third of it lies in hollows.
static bool fill_noise(float *h, int side, float cell_m, uint64_t seed) {
    karst_noise_def def = karst_noise_def_default();
    def.kind = KARST_NOISE_FBM;
    def.wavelength_m = 0.25 * side * (double)cell_m;
    def.amplitude_m = 1000;
    def.gain = 0.5358867312681466;  // 2^-0.9
    def.octaves = 8;
    def.seed = seed;
    if (karst_noise_fill(&def, (karst_pos){0, 0, 0}, (double)cell_m, (karst_rect){0, 0, side, side}, h, side))
        return false;
    float low = h[0], high = h[0];
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i) low = fminf(low, h[i]), high = fmaxf(high, h[i]);
    for (size_t i = 0; i < (size_t)side * (size_t)side; ++i) h[i] = (h[i] - low) * (1000 / (high - low));
    return true;
}

typedef struct land {
    karst_erosion_ground ground;
    float *before, *mask, *hardness;
    size_t count;
} land;

static void free_land(land *l) {
    free(l->before);
    free(l->mask);
    free(l->hardness);
    free(l->ground.height_m);
    free(l->ground.wear_m);
    free(l->ground.deposit_m);
}

// With a mask that lets all through and no hardness, so that both are read; maps of wear and deposit are kept.
static bool make_land(land *l, int side, float cell_m, uint64_t seed) {
    size_t count = (size_t)side * (size_t)side, bytes = count * sizeof(float);
    *l = (land){.before = malloc(bytes), .mask = malloc(bytes), .hardness = calloc(1, bytes), .count = count};
    l->ground = (karst_erosion_ground){.width = side,
                                       .height = side,
                                       .cell_m = cell_m,
                                       .height_m = malloc(bytes),
                                       .mask = l->mask,
                                       .hardness = l->hardness,
                                       .wear_m = malloc(bytes),
                                       .deposit_m = malloc(bytes)};
    const karst_erosion_ground *g = &l->ground;
    if (!l->before || !l->mask || !l->hardness || !g->height_m || !g->wear_m || !g->deposit_m) return false;
    for (size_t i = 0; i < count; ++i) l->mask[i] = 1;
    return fill_noise(l->before, side, cell_m, seed);
}

// A disc that takes all, with a soft rim, and diagonal bands of hardness.
static void mask_and_harden(land *l) {
    int side = l->ground.width;
    for (size_t i = 0; i < l->count; ++i) {
        double x = (double)(i % (size_t)side) / side - 0.5, y = (double)(i / (size_t)side) / side - 0.5;
        l->mask[i] = (float)fmin(fmax((0.35 - hypot(x, y)) / 0.05, 0), 1);
        l->hardness[i] = (float)((i % (size_t)side + i / (size_t)side) * 8 / (size_t)side % 4) / 3;
    }
}

static karst_status erode(land *l, karst_jobs *jobs, karst_erosion_result *result) {
    const karst_erosion_def def = karst_erosion_def_default();
    memcpy(l->ground.height_m, l->before, l->count * sizeof(float));
    return karst_erode(&l->ground, &def, jobs, NULL, result);
}

// ---- time ------------------------------------------------------------------------------------------

enum { RUNS_MAX = 5 };

static karst_status time_rows(bench *b) {
    int side = b->quick ? 128 : 2048, runs = b->quick ? 1 : RUNS_MAX;
    land l;
    karst_jobs_def two = karst_jobs_def_default();
    two.worker_count = 2;
    karst_jobs *jobs = NULL;
    karst_status status = make_land(&l, side, 5, 1) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = karst_jobs_create(&two, &jobs);
    double wall[2][RUNS_MAX], cpu[RUNS_MAX];
    uint64_t hash[2] = {0, 0};
    for (int run = 0; run < runs && !status; ++run)
        for (int k = 0; k < 2 && !status; ++k) {
            double wall_s = bench_wall_s(), cpu_s = bench_cpu_s();
            status = erode(&l, k ? jobs : NULL, NULL);
            wall[k][run] = bench_wall_s() - wall_s;
            if (k) cpu[run] = bench_cpu_s() - cpu_s;
            hash[k] = kst_hash(l.ground.height_m, l.count * sizeof(float), 0);
        }
    karst_jobs_destroy(jobs);
    free_land(&l);
    if (status) return status;
    double one = bench_median(wall[0], runs), both = bench_median(wall[1], runs);
    bench_add_note(
        b,
        &(bench_row){
            .what = "preset_wall_s", .unit = "s wall, two threads", .value = both, .runs = runs, .hash = hash[1]},
        "%d x %d at 5 m, mask, hardness, wear and deposit on; %.2f s CPU", side, side, bench_median(cpu, runs));
    bench_add(b, &(bench_row){.what = "preset_speedup",
                              .unit = "wall, one thread / two",
                              .value = one / both,
                              .runs = runs,
                              .hash = hash[0],
                              .note = hash[0] == hash[1] ? "the same bytes" : "other bytes than one thread"});
    return KARST_OK;
}

// Steps of rivers alone, on settled ground as they find it.
static karst_status river_rows(bench *b) {
    int side = b->quick ? 128 : 2048, steps = b->quick ? 1 : 5;
    const kst_team team = {.stage = "bench"};
    kst_level level = {0};
    kst_route route = {0};
    float *h = malloc(sizeof(float) * (size_t)side * (size_t)side), deepest;
    double change, carried = 0, s[5];
    karst_status status = h && fill_noise(h, side, 5, 1) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_level_create(side, side, 5, &level);
    if (!status) {
        for (size_t i = 0; i < kst_level_cells(&level); ++i) level.yield[i] = level.take[i] = 1;
        for (int y = 0; y < side; ++y)
            memcpy(level.start_m + kst_level_inner(&level) + (size_t)y * (size_t)level.width,
                   h + (size_t)y * (size_t)side, sizeof(float) * (size_t)side);
        kst_level_frame(&level, 0, 1000);
        status = kst_level_open(&level, &team);
    }
    free(h);
    if (!status) status = kst_route_create(level.width, level.height, &route);
    const kst_settling settling = {0.5f, 0.001f, INFINITY, 1e12};
    const kst_rivers_step step = {
        .cut = 0.2f, .creep = 0.1f, .talus = 1, .fan = 0.2f, .half_cells = 40000, .min_fall_m = 0.005f};
    if (!status) {
        kst_level_fix_ring(&level);
        status = kst_settle(&level, &route, &settling, &team, &change, &deepest);
    }
    for (int k = 0; k < steps && !status; ++k) {
        double cpu_s = bench_cpu_s();
        status = kst_route_find(&route, level.height_m, (kst_route_way){.number = (uint32_t)k}, &team);
        if (!status) status = kst_rivers_cut(&level, &route, &step, &team, &carried);
        s[k] = bench_cpu_s() - cpu_s;
    }
    if (!status)
        bench_add_note(b,
                       &(bench_row){.what = "stream_power_ns",
                                    .unit = "ns CPU a cell and step, pits routed, one thread",
                                    .value = 1e9 * bench_median(s, steps) / (double)kst_level_cells(&level),
                                    .runs = steps,
                                    .hash = kst_hash(level.height_m, kst_level_cells(&level) * sizeof(float), 0)},
                       "%d x %d with its frame; %d pits in the last step; creep included", level.width, level.height,
                       route.pit_count);
    kst_route_free(&route);
    kst_level_free(&level);
    return status;
}

// ---- land ------------------------------------------------------------------------------------------

// What four seeds come to, at least and at most.
typedef struct spread {
    double least, most;
} spread;
static void widen(spread *s, double v) {
    s->least = fmin(s->least, v);
    s->most = fmax(s->most, v);
}

// A row of what four seeds have at least or at most, beside the real land that bench_heights() gives.
static void figure(bench *b, const char *what, const char *unit, double value, double real, bool known,
                   const char *note) {
    bench_add(b, &(bench_row){.what = what,
                              .unit = unit,
                              .value = value,
                              .peer = known ? "real land" : NULL,
                              .peer_value = real,
                              .runs = 1,
                              .note = note});
}

static karst_status real_land(const bench *b, bool *known, land_stats *stats, karst_pits *pits) {
    enum { SIDE = 1025 };
    *known = false;
    if (b->quick) return KARST_OK;
    float *h = malloc(sizeof(float) * SIDE * SIDE);
    if (!h) return KARST_ERROR_MEMORY;
    karst_status status = KARST_OK;
    *known = bench_heights(SIDE, h);
    if (*known) status = karst_pits_find(SIDE, SIDE, h, b->jobs, NULL, pits);
    if (*known && !status && !land_stats_of(SIDE, SIDE, h, stats)) status = KARST_ERROR_MEMORY;
    free(h);
    return status;
}

static const spread none = {INFINITY, -INFINITY};

// Four grounds of noise, and a fifth with a mask and bands of hardness for its account.
static karst_status land_rows(bench *b) {
    int side = b->quick ? 256 : 1024;
    spread theta = none, straight = none, hack = none, grid = none, edge = none, spikes = none;
    spread share = none, fill = none, error = none, before = none;
    karst_status status = KARST_OK;
    for (uint64_t seed = b->quick ? 104 : 101; seed <= 105 && !status; ++seed) {
        land l;
        karst_erosion_result result;
        karst_pits first, last;
        land_stats was = {0}, is = {0};
        status = make_land(&l, side, 10, seed) ? KARST_OK : KARST_ERROR_MEMORY;
        if (!status && seed == 105) mask_and_harden(&l);
        if (!status) status = karst_pits_find(side, side, l.before, b->jobs, NULL, &first);
        if (!status && !land_stats_of(side, side, l.before, &was)) status = KARST_ERROR_MEMORY;
        if (!status) status = erode(&l, b->jobs, &result);
        if (!status) status = karst_pits_find(side, side, l.ground.height_m, b->jobs, NULL, &last);
        if (!status && !land_stats_of(side, side, l.ground.height_m, &is)) status = KARST_ERROR_MEMORY;
        free_land(&l);
        if (status) break;
        widen(&error, result.account_error);
        if (seed == 105) break;
        widen(&before, first.share);
        widen(&share, last.share);
        widen(&fill, last.fill_share);
        widen(&theta, is.theta);
        widen(&straight, is.theta_r2);
        widen(&hack, is.hack);
        widen(&grid, fmax(is.grid45, is.grid90));
        widen(&edge, is.edge_rough / was.edge_rough);
        widen(&spikes, is.spikes_pm - was.spikes_pm);
    }
    bool known;
    land_stats real = {0};
    karst_pits pits = {0};
    if (!status) status = real_land(b, &known, &real, &pits);
    if (status) return status;
    char note[96];
    snprintf(note, sizeof note, "fBm, %d x %d at 10 m, 1,000 m high; %.2f before", side, side, before.most);
    figure(b, "pits_share", "of the samples, worst of four", share.most, pits.share, known, note);
    figure(b, "fill_volume", "of relief * area, worst of four", fill.most, pits.fill_share, known, NULL);
    figure(b, "theta_least", "slope ~ area^-theta", theta.least, real.theta, known, NULL);
    figure(b, "theta_most", "slope ~ area^-theta", theta.most, real.theta, known, NULL);
    figure(b, "theta_r2", "least", straight.least, real.theta_r2, known, NULL);
    figure(b, "hack_least", "length ~ area^hack", hack.least, real.hack, known, NULL);
    figure(b, "hack_most", "length ~ area^hack", hack.most, real.hack, known, NULL);
    figure(b, "grid_aligned", "worst of 45 and 90 degrees, over chance", grid.most, fmax(real.grid45, real.grid90),
           known, NULL);
    figure(b, "edge_rough", "rim / inside, over that before", edge.most, 0, false, NULL);
    figure(b, "new_spikes", "in a million", spikes.most, 0, false, NULL);
    figure(b, "mass_error", "unexplained / moved, worst of five", error.most, 0, false,
           "the fifth with a mask and bands of hardness");
    return KARST_OK;
}

karst_status bench_erode_land(bench *b) {
    karst_status status = time_rows(b);
    if (!status) status = river_rows(b);
    return status ? status : land_rows(b);
}
