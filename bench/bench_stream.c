// SPDX-License-Identifier: MIT
// bench stream: the state machine of streaming over random worlds, judged each tick by books of its own.
#include <stdlib.h>

#include "bench.h"
#include "core/core.h"
#include "scenes/streaming.h"

enum { TICKS = 10000, WORLDS = 40, WARM_UP = 150 };

static scene_stream_def random_world(uint64_t seed) {
    uint64_t at = 0;
    scene_stream_def d = {.seed = seed, .delay_max = 1 + (int)(kst_random01(seed, at++) * SCENE_STREAM_DELAY_MAX)};
    if (d.delay_max > SCENE_STREAM_DELAY_MAX) d.delay_max = SCENE_STREAM_DELAY_MAX;
    d.chunks_x = 8 + (int)(32 * kst_random01(seed, at++));
    d.chunks_z = 8 + (int)(32 * kst_random01(seed, at++));
    d.damaged = 0.02 * kst_random01(seed, at++);
    d.late = 0.1 * kst_random01(seed, at++);
    d.dropped = 0.2 * kst_random01(seed, at++);
    d.apart = 2;
    d.leap = 0.05 * kst_random01(seed, at++);
    d.reach = 1 + 1.5 * kst_random01(seed, at++);
    d.sim_radius = 4 * kst_random01(seed, at++);
    d.memory_bytes = 500000 + (uint64_t)(2e7 * kst_random01(seed, at++));
    d.rate_bytes = 10000 + (uint64_t)(2e6 * kst_random01(seed, at++));
    return d;
}

// Every rule, each tick, under random delays, damage and leaps.
static karst_status rule_rows(bench *b) {
    scene_stream_faults sum = {0};
    int64_t ticks = 0;
    uint64_t hash = 0;
    int worlds = b->quick ? 2 : WORLDS;
    for (int k = 0; k < worlds; ++k) {
        scene_stream_def def = random_world((uint64_t)k + 1);
        scene_stream *w = scene_stream_create(&def);
        if (!w) return KARST_ERROR_MEMORY;
        karst_status status = KARST_OK;
        for (int t = 0; t < TICKS / WORLDS && !status; ++t, ++ticks) {
            kst_stream_out out;
            status = scene_stream_step(w, false, &out);
        }
        const scene_stream_faults *f = scene_stream_faults_of(w);
        sum.uncovered += f->uncovered;
        sum.over_budget += f->over_budget;
        sum.early += f->early;
        sum.evicted += f->evicted + f->absent + f->orphan + f->apart + f->misreported + f->misstated;
        hash = kst_hash_u64(hash, scene_stream_hash(w));
        scene_stream_destroy(w);
        if (status) return status;
    }
    const struct {
        const char *what, *note;
        int64_t value;
    } rows[] = {
        {"over_budget_ticks", "three viewers that walk and leap, loads of 1 to 16 ticks, some fail", sum.over_budget},
        {"uncovered_ticks", "ground not shown exactly once", sum.uncovered},
        {"early_ticks", "finer before the place's simulation data was there", sum.early},
        {"other_faults", "shown but evicted or absent, parents gone, neighbours over two levels apart, reports",
         sum.evicted}};
    for (int k = 0; k < (int)(sizeof rows / sizeof *rows); ++k)
        bench_add_note(
            b,
            &(bench_row){
                .what = rows[k].what, .unit = "ticks", .value = (double)rows[k].value, .runs = 1, .hash = hash},
            "of %lld: %s", (long long)ticks, rows[k].note);
    return KARST_OK;
}

static scene_stream_def large_world(uint64_t seed) {
    return (scene_stream_def){.chunks_x = 256,
                              .chunks_z = 256,
                              .delay_max = 3,
                              .apart = 2,
                              .leap = 0.005,
                              .reach = 2.5,
                              .sim_radius = 4,
                              .memory_bytes = 64 << 20,
                              .rate_bytes = 2 << 20,
                              .seed = seed};
}

// Time and allocations of a tick in a world of 87,000 chunks, 64 MiB of it here.
static karst_status cost_rows(bench *b) {
    scene_stream_def def = large_world(5);
    scene_stream *w = scene_stream_create(&def);
    if (!w) return KARST_ERROR_MEMORY;
    kst_stream_out out;
    karst_status status = KARST_OK;
    for (int k = 0; k < WARM_UP && !status; ++k) status = scene_stream_step(w, false, &out);
    kst_alloc_fail_after(0);
    double us[16];
    int runs = bench_runs(b), ticks = b->quick ? 20 : 200;
    for (int run = 0; run < runs && !status; ++run) {
        double start = scene_stream_seconds(w);
        for (int k = 0; k < ticks && !status; ++k) status = scene_stream_step(w, false, &out);
        us[run] = 1e6 * (scene_stream_seconds(w) - start) / ticks;
    }
    uint64_t allocations = kst_alloc_fail_after(0);
    if (!status) {
        bench_add_note(b,
                       &(bench_row){.what = "allocations",
                                    .unit = "a tick, after warm-up",
                                    .value = (double)allocations / (runs * ticks),
                                    .runs = 1},
                       "%llu in %d ticks", (unsigned long long)allocations, runs * ticks);
        bench_add_note(
            b, &(bench_row){.what = "tick_us", .unit = "us CPU a tick", .value = bench_median(us, runs), .runs = runs},
            "a world of 256 x 256 chunks, %d shown, 64 MiB", out.shown_count);
    }
    scene_stream_destroy(w);
    return status;
}

// Ticks from standing still to the finished picture, against what is missing over the rate.
static karst_status settle_rows(bench *b) {
    double worst = 0;
    int64_t ticks_sum = 0, least_sum = 0;
    int worlds = b->quick ? 2 : WORLDS;
    for (int k = 0; k < worlds; ++k) {
        scene_stream_def def = random_world((uint64_t)k + 1001);
        def.delay_max = 1;
        def.damaged = def.late = def.dropped = 0;
        def.memory_bytes = 100000000;  // for all that is wanted
        scene_stream *w = scene_stream_create(&def);
        if (!w) return KARST_ERROR_MEMORY;
        kst_stream_out out = {0};
        karst_status status = KARST_OK;
        for (int t = 0; t < 60 && !status; ++t) status = scene_stream_step(w, false, &out);
        if (!status) status = scene_stream_step(w, true, &out);
        uint64_t missing = scene_stream_missing(w);
        int64_t least = (int64_t)((missing + def.rate_bytes - 1) / def.rate_bytes), ticks = 0;
        for (; out.awaited && !status; ++ticks) status = scene_stream_step(w, true, &out);
        scene_stream_destroy(w);
        if (status) return status;
        ticks_sum += ticks;
        least_sum += least;
        if ((double)(ticks - least) > worst) worst = (double)(ticks - least);
    }
    bench_add_note(b,
                   &(bench_row){.what = "settle_ticks",
                                .unit = "ticks until nothing is awaited",
                                .value = (double)ticks_sum,
                                .peer = "missing bytes / rate",
                                .peer_value = (double)least_sum,
                                .runs = 1},
                   "sum over %d worlds; at most %g ticks over in one, a load takes 1", worlds, worst);
    return KARST_OK;
}

karst_status bench_stream(bench *b) {
    karst_status status = rule_rows(b);
    if (!status) status = cost_rows(b);
    if (!status) status = settle_rows(b);
    return status;
}
