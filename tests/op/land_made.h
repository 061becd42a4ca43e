// SPDX-License-Identifier: MIT
// Pieces of land for tests of erosion.
#pragma once
#include <time.h>

#include "op/land.h"
#include "scenes/scenes.h"
#include "support/prop.h"

// A piece of land with all that may lie on it; the arrays are malloc'ed.
typedef struct made {
    kst_land land;
    float *before, *mask, *hardness, *talus;
    size_t count;
} made;

static inline float *made_floats(size_t count) {
    float *a = calloc(count, sizeof *a);
    assert_non_null(a);
    return a;
}

// Rough ground of samples 10 m apart, with wear and deposit maps, without mask and hardness.
static inline made make_land(int width, int height, uint64_t seed) {
    size_t count = (size_t)width * (size_t)height;
    made m = {.count = count, .before = made_floats(count)};
    m.land = (kst_land){.width = width,
                        .height = height,
                        .cell_m = 10,
                        .height_m = made_floats(count),
                        .wear_m = made_floats(count),
                        .deposit_m = made_floats(count)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) m.before[(size_t)y * (size_t)width + (size_t)x] = 4 * scene_height(x, y, seed);
    memcpy(m.land.height_m, m.before, count * sizeof(float));
    return m;
}

// A disc with a soft rim in the middle that takes all, and nothing outside it.
static inline void make_mask(made *m) {
    float *mask = made_floats(m->count);
    int w = m->land.width, h = m->land.height;
    double radius = 0.4 * (w < h ? w : h);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            double in = (radius - hypot(x - 0.5 * w, y - 0.5 * h)) / 12;
            mask[(size_t)y * (size_t)w + (size_t)x] = (float)(in < 0 ? 0 : in > 1 ? 1 : in);
        }
    m->land.mask = m->mask = mask;
}

// Bands of 0, 1/3, 2/3 and 1 across the land.
static inline void make_hardness(made *m) {
    float *hardness = made_floats(m->count);
    for (size_t i = 0; i < m->count; ++i)
        hardness[i] = (float)((i % (size_t)m->land.width + i / (size_t)m->land.width) / 16 % 4) / 3;
    m->land.hardness = m->hardness = hardness;
}

// As before all erosion.
static inline void make_anew(made *m) {
    memcpy(m->land.height_m, m->before, m->count * sizeof(float));
    memset(m->land.wear_m, 0, m->count * sizeof(float));
    memset(m->land.deposit_m, 0, m->count * sizeof(float));
}

static inline void unmake(made *m) {
    free(m->before);
    free(m->mask);
    free(m->hardness);
    free(m->talus);
    free(m->land.height_m);
    free(m->land.wear_m);
    free(m->land.deposit_m);
}

static inline uint64_t made_hash(const made *m) {
    uint64_t hash = kst_hash(m->land.height_m, m->count * sizeof(float), 1);
    hash = kst_hash(m->land.wear_m, m->count * sizeof(float), hash);
    return kst_hash(m->land.deposit_m, m->count * sizeof(float), hash);
}

// Sums of what changed.
typedef struct made_change {
    double net, absolute, worn, laid;
    int lowered, changed, not_finite;
} made_change;
static inline made_change made_changes(const made *m) {
    made_change c = {0};
    for (size_t i = 0; i < m->count; ++i) {
        double d = (double)m->land.height_m[i] - m->before[i];
        c.net += d;
        c.absolute += fabs(d);
        c.worn += m->land.wear_m[i];
        c.laid += m->land.deposit_m[i];
        c.lowered += d < 0;
        c.changed += memcmp(&m->land.height_m[i], &m->before[i], sizeof(float)) != 0;
        c.not_finite += !isfinite(m->land.height_m[i]);
    }
    return c;
}

static inline karst_jobs *made_jobs(int workers) {
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = workers;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    return jobs;
}

// A progress that says no after some steps, and how long it then took to stop: processor time of all threads, so that
// a busy machine does not count.
typedef struct made_stop {
    int steps_left;
    double asked_s;
} made_stop;
static inline double made_cpu_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static inline bool made_stops(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    made_stop *stop = context;
    if (stop->steps_left-- > 0) return true;
    if (stop->asked_s == 0) stop->asked_s = made_cpu_s();
    return false;
}

// An erosion by its own def.
typedef karst_status made_erode(kst_land *land, const void *def, karst_jobs *jobs, const karst_progress *progress);

// Asked to stop in the middle of long work it does so at once.
static inline void made_check_stop(made_erode *erode, const void *def) {
    made m = make_land(512, 512, 10);
    made_stop stop = {.steps_left = 3};
    karst_progress progress = {made_stops, &stop};
    assert_int_equal(erode(&m.land, def, NULL, &progress), KARST_ERROR_CANCELLED);
    assert_true(made_cpu_s() - stop.asked_s < 0.1);
    assert_true(stop.asked_s > 0);  // control: it was asked
    unmake(&m);
}

// Each of its `allocations` fails in turn, and nothing has changed then.
static inline void made_check_no_memory(made_erode *erode, const void *def, int allocations) {
    made m = make_land(150, 140, 12);
    karst_jobs *jobs = made_jobs(2);
    int failed = 0;
    for (uint64_t n = 1;; ++n) {
        kst_alloc_fail_after(n);
        karst_status status = erode(&m.land, def, jobs, NULL);
        kst_alloc_fail_after(0);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_int_equal(made_changes(&m).changed, 0);
        ++failed;
    }
    assert_int_equal(failed, allocations);
    assert_true(made_changes(&m).changed > 0);  // control: with memory it does
    karst_jobs_destroy(jobs);
    unmake(&m);
}
