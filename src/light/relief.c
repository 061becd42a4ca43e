// SPDX-License-Identifier: MIT
// Relief: sky visibility, curvature at two scales and drainage of a height grid.
#include "light/relief.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "light/flow.h"
#include "light/maps.h"
#include "light/sky.h"

enum { REACH = KST_SKY_REACH, WIDE = 6, NEAR = 1, BAND = 8 };

typedef struct relief {
    kst_relief_def def;
    float *padded;  // the grid with REACH samples repeated round it
    int stride;
    kst_sky sky;
    float *flow;                     // samples drained
    const karst_progress *progress;  // the caller's
    pthread_t caller;
    _Atomic bool stopped;
} relief;

static float *padded_row(const relief *r, int j) {
    return r->padded + (size_t)(j + REACH) * (size_t)r->stride + REACH;
}

static karst_status pad_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    relief *r = context;
    int w = r->def.width, h = r->def.height;
    for (int j = begin - REACH; j < end - REACH; ++j) {
        const float *from = r->def.level + (size_t)(j < 0 ? 0 : j >= h ? h - 1 : j) * (size_t)w;
        float *to = padded_row(r, j);
        memcpy(to, from, (size_t)w * sizeof *to);
        for (int k = 1; k <= REACH; ++k) {
            to[-k] = from[0];
            to[w - 1 + k] = from[w - 1];
        }
    }
    return KARST_OK;
}

// mean += the 2 n + 1 samples round each, times share
KST_TWINS static void add_window(float *mean, const float *row, int n, float share, int count) {
    for (int k = -n; k <= n; ++k)
        for (int i = 0; i < count; ++i) mean[i] += row[i + k] * share;
}

static uint8_t signed_code(float v) {
    v = v < -1 ? -1 : v > 1 ? 1 : v;
    return (uint8_t)lrintf(128 + 127 * v);
}

static void code_curvature(const relief *r, int j, int n, float range, float *mean, uint8_t *out) {
    int w = r->def.width;
    const float *here = padded_row(r, j);
    memset(mean, 0, (size_t)w * sizeof *mean);
    for (int k = -n; k <= n; ++k)
        add_window(mean, padded_row(r, j + k), n, 1.0f / (float)((2 * n + 1) * (2 * n + 1)), w);
    for (int i = 0; i < w; ++i) out[4 * i] = signed_code((here[i] - mean[i]) / (range * r->def.cell_m));
}

static karst_status measure_rows(const relief *r, int begin, int end) {
    int w = r->def.width;
    float *scratch = kst_alloc_array(NULL, 3 * (size_t)w, sizeof *scratch), *sum = scratch + 2 * w;
    if (!scratch) return KARST_ERROR_MEMORY;
    for (int j = begin; j < end; ++j) {
        uint8_t *out = r->def.out + 4 * (size_t)j * (size_t)w;
        kst_sky_look(&r->sky, &(kst_sky_rows){.y = padded_row(r, j), .stride = r->stride}, w, scratch, sum);
        for (int i = 0; i < w; ++i) out[4 * i] = (uint8_t)lrintf(255 * sum[i]);
        code_curvature(r, j, WIDE, KST_LOOK_CURVATURE_WIDE, sum, out + 1);
        code_curvature(r, j, NEAR, KST_LOOK_CURVATURE_NEAR, sum, out + 2);
    }
    kst_free(NULL, scratch, 3 * (size_t)w * sizeof *scratch);
    return KARST_OK;
}

// Water runs on one thread while the others measure: range 0 is the water, the others are bands of rows. Progress can
// be asked by the caller's thread alone; what it says reaches the water, wherever it runs, through `stopped`.
static bool step_progress(void *context, const char *stage, double share) {
    relief *r = context;
    bool on = !kst_progress_step(r->progress, stage, share);
    if (!on) atomic_store(&r->stopped, true);
    return on;
}

static bool water_goes_on(void *context) {
    relief *r = context;
    if (pthread_equal(pthread_self(), r->caller)) return step_progress(r, "drainage", 0.5);
    return !atomic_load(&r->stopped);
}

static karst_status work_ranges(int begin, int end, int worker, void *context) {
    (void)worker;
    relief *r = context;
    karst_status status = KARST_OK;
    for (int n = begin; n < end && !status; ++n) {
        int first = (n - 1) * BAND, last = first + BAND < r->def.height ? first + BAND : r->def.height;
        status = n ? measure_rows(r, first, last)
                   : kst_flow_build(r->def.level, r->def.width, r->def.height, r->flow, water_goes_on, r);
    }
    return status;
}

static karst_status code_flow(int begin, int end, int worker, void *context) {
    (void)worker;
    relief *r = context;
    size_t width = (size_t)r->def.width;
    for (size_t k = (size_t)begin * width; k < (size_t)end * width; ++k) {
        long code = lrintf(KST_LOOK_FLOW_CODES * log2f(r->flow[k]));
        r->def.out[4 * k + 3] = (uint8_t)(code < 0 ? 0 : code > 255 ? 255 : code);
    }
    return KARST_OK;
}

karst_status kst_relief_build(const kst_relief_def *def, karst_jobs *jobs, const karst_progress *progress) {
    relief *r = kst_alloc_zero(NULL, sizeof *r);
    if (!r) return KARST_ERROR_MEMORY;
    r->def = *def;
    r->progress = progress;
    r->caller = pthread_self();
    r->stride = def->width + 2 * REACH;
    int lines = def->height + 2 * REACH, bands = (def->height + BAND - 1) / BAND;
    size_t samples = (size_t)def->width * (size_t)def->height, padded = (size_t)r->stride * (size_t)lines;
    r->padded = kst_alloc_array(NULL, padded, sizeof *r->padded);
    r->flow = kst_alloc_array(NULL, samples, sizeof *r->flow);
    karst_progress through = {step_progress, r};
    karst_status status = r->padded && r->flow ? KARST_OK : KARST_ERROR_MEMORY;
    kst_sky_make(&r->sky, def->cell_m);
    if (!status) status = kst_jobs_run(jobs, lines, 64, pad_rows, r, &through, "relief", 0, 0);
    if (!status) status = kst_jobs_run(jobs, 1 + bands, 1, work_ranges, r, &through, "relief", 0, 1);
    if (!status) status = kst_jobs_run(jobs, def->height, 32, code_flow, r, &through, "relief", 1, 1);
    kst_free(NULL, r->padded, padded * sizeof *r->padded);
    kst_free(NULL, r->flow, samples * sizeof *r->flow);
    kst_free(NULL, r, sizeof *r);
    return status;
}
