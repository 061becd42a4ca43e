// SPDX-License-Identifier: MIT
// bench noise: samples a second of eight octaves, beside a plain loop over Perlin's noise of 2002 with its table.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "op/noise.h"

enum { SIDE = 1024, QUICK_SIDE = 128, OCTAVES = 8 };

typedef struct job {
    int side;
    float *out, *peer_out;
    const kst_noise_kernel *kernel;
    kst_noise_plan plan;
    double *x, *y, *z;  // a row of places
} job;

// ---- the peer --------------------------------------------------------------------------------------

static uint8_t table[512];

static void make_table(void) {
    for (int k = 0; k < 256; ++k) table[k] = (uint8_t)k;
    for (int k = 255; k > 0; --k) {
        int other = (int)(kst_random(1, (uint64_t)k) % (uint64_t)(k + 1));
        uint8_t held = table[k];
        table[k] = table[other];
        table[other] = held;
    }
    for (int k = 0; k < 256; ++k) table[256 + k] = table[k];
}

static inline float table_slope(int hash, float x, float z) {
    static const float slope[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    return slope[hash & 7][0] * x + slope[hash & 7][1] * z;
}

static inline float table_noise(float x, float z) {
    float fx = floorf(x), fz = floorf(z);
    int i = (int)fx & 255, k = (int)fz & 255;
    x -= fx;
    z -= fz;
    float u = x * x * x * (x * (x * 6 - 15) + 10), v = z * z * z * (z * (z * 6 - 15) + 10);
    int a = table[i] + k, b = table[i + 1] + k;
    float near = table_slope(table[a], x, z), far = table_slope(table[a + 1], x, z - 1);
    near += u * (table_slope(table[b], x - 1, z) - near);
    far += u * (table_slope(table[b + 1], x - 1, z - 1) - far);
    return near + v * (far - near);
}

static void run_peer(void *context) {
    job *j = context;
    for (int row = 0; row < j->side; ++row)
        for (int i = 0; i < j->side; ++i) {
            float sum = 0, weight = 50, per_m = 1.0f / 64;
            for (int k = 0; k < OCTAVES; ++k) {
                sum += weight * table_noise((float)i * per_m, (float)row * per_m);
                weight *= 0.5f;
                per_m *= 2;
            }
            j->peer_out[row * j->side + i] = sum;
        }
}

// ---- ours ------------------------------------------------------------------------------------------

static void run_rows(void *context) {
    job *j = context;
    for (int row = 0; row < j->side; ++row)
        kst_noise_row(&j->plan, j->kernel, 0, row, 1, 0, j->side, j->out + (size_t)row * (size_t)j->side);
}

static void run_places(void *context) {
    job *j = context;
    for (int row = 0; row < j->side; ++row) {
        for (int i = 0; i < j->side; ++i) j->z[i] = row;
        kst_noise_at(&j->plan, j->kernel, j->x, j->y, j->z, j->side, j->out + (size_t)row * (size_t)j->side);
    }
}

static karst_noise_def noise_def(karst_noise_kind kind, double warp_m) {
    karst_noise_def d = karst_noise_def_default();
    d.kind = kind;
    d.octaves = OCTAVES;
    d.wavelength_m = 64;
    d.amplitude_m = 100;
    d.warp_m = warp_m;
    return d;
}

// Least, most and standard deviation of what came out, where 1 is the amplitude.
static void tell_range(const job *j, char *out, size_t room) {
    double low = 1e9, high = -1e9, sum = 0, square = 0;
    int count = j->side * j->side;
    for (int k = 0; k < count; ++k) {
        double v = (double)j->out[k] / 100;
        low = fmin(low, v);
        high = fmax(high, v);
        sum += v / count;
        square += v * v / count;
    }
    snprintf(out, room, "%.2f..%.2f, deviation %.2f", low, high, sqrt(square - sum * sum));
}

static void measure(bench *b, job *j, const char *what, bench_fn *ours, bool with_peer) {
    double ours_s, peer_s, samples = (double)j->side * j->side * 1e-6;
    bench_compare(b, ours, with_peer ? run_peer : NULL, j, &ours_s, &peer_s);
    char range[64];
    tell_range(j, range, sizeof range);
    bench_add(b, &(bench_row){.what = what,
                              .note = range,
                              .unit = "Msamples/s",
                              .value = samples / ours_s,
                              .peer = with_peer ? "table Perlin" : NULL,
                              .peer_value = samples / peer_s,
                              .runs = bench_runs(b),
                              .hash = kst_hash(j->out, (size_t)j->side * (size_t)j->side * sizeof *j->out, 0)});
}

static void measure_all(bench *b, job *j) {
    const kst_noise_kernel *all[4];
    int kernels = kst_noise_kernels_all(all);
    karst_noise_def d = noise_def(KARST_NOISE_FBM, 0);
    kst_noise_plan_make(&d, false, &j->plan);
    j->kernel = all[kernels - 1];
    measure(b, j, "fbm8", run_rows, true);
    for (int k = 0; k < kernels; ++k) {
        char what[32];
        snprintf(what, sizeof what, "fbm8_%s", all[k]->name);
        j->kernel = all[k];
        measure(b, j, what, run_rows, true);
    }
    measure(b, j, "fbm8_places", run_places, false);
    static const struct {
        const char *what;
        karst_noise_kind kind;
        double warp_m;
    } more[] = {
        {"billow8", KARST_NOISE_BILLOW, 0}, {"ridged8", KARST_NOISE_RIDGED, 0}, {"fbm8_warped", KARST_NOISE_FBM, 60}};
    for (size_t k = 0; k < sizeof more / sizeof *more; ++k) {
        d = noise_def(more[k].kind, more[k].warp_m);
        kst_noise_plan_make(&d, false, &j->plan);
        measure(b, j, more[k].what, run_rows, false);
    }
    d = noise_def(KARST_NOISE_FBM, 0);
    kst_noise_plan_make(&d, true, &j->plan);
    measure(b, j, "fbm8_space", run_places, false);
}

karst_status bench_noise(bench *b) {
    job j = {.side = b->quick ? QUICK_SIDE : SIDE};
    size_t count = (size_t)j.side * (size_t)j.side;
    j.out = malloc(count * sizeof *j.out);
    j.peer_out = malloc(count * sizeof *j.peer_out);
    j.x = malloc((size_t)j.side * sizeof *j.x);
    j.y = malloc((size_t)j.side * sizeof *j.y);
    j.z = malloc((size_t)j.side * sizeof *j.z);
    bool room = j.out && j.peer_out && j.x && j.y && j.z;
    if (room) {
        for (int i = 0; i < j.side; ++i) {
            j.x[i] = i;
            j.y[i] = 0.1 * i;
        }
        make_table();
        measure_all(b, &j);
    }
    free(j.out);
    free(j.peer_out);
    free(j.x);
    free(j.y);
    free(j.z);
    return room ? KARST_OK : KARST_ERROR_MEMORY;
}
