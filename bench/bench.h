// SPDX-License-Identifier: MIT
// Benches: named functions that measure and add rows; `karst bench NAME` prints them. See docs/bench.md.
//
// Times are process CPU time, the median of at least five runs; a peer runs in turn with us, so that both see the same
// machine. A hash of the results shows a faster wrong answer.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "karst/base.h"
#include "karst/jobs.h"

typedef struct bench bench;

typedef struct bench_row {
    const char *what, *unit;
    double value;
    const char *peer;   // NULL: there is none
    double peer_value;  // NAN: not installed; say so in note
    int runs;
    uint64_t hash;     // 0: none
    const char *note;  // NULL: none
} bench_row;

struct bench {
    bool quick;  // for tests: little work, figures mean nothing
    karst_jobs *jobs;
    karst_report *report;  // for a bench that cannot run
    bench_row row[64];
    int row_count;
};

// Add a row; the texts are copied.
void bench_add(bench *b, const bench_row *row);
// The same with the note made like printf.
void bench_add_note(bench *b, const bench_row *row, const char *format, ...) __attribute__((format(printf, 3, 4)));

int bench_runs(const bench *b);  // 7, or 1 when quick
double bench_cpu_s(void);        // process CPU time
double bench_wall_s(void);
double bench_median(double *values, int count);  // sorts

// Median CPU seconds of ours and the peer's (NULL: none), run in turn after one run of each to warm up.
typedef void bench_fn(void *context);
void bench_compare(const bench *b, bench_fn *ours, bench_fn *peer, void *context, double *ours_s, double *peer_s);

// KARST_TEST_DATA/name, or NULL when it is missing. Static storage.
const char *bench_data(const char *name);

// side * side heights [m] for samples 30 m apart: the real ones for a side of 1025 where they are, and true; else made
// by code, and false.
bool bench_heights(int side, float *heights);

// One bench; a status other than KARST_OK with a line in b->report when it could not run.
typedef karst_status bench_main(bench *b);

// All benches by name, one a line: BENCH_LIST(f) is f(select) f(rays) ... One whose file is not in the build is NULL.
// clang-format off
#define BENCH_LIST(f) \
    f(select) \
    f(rings) \
    f(rays) \
    f(bake) \
    f(stream) \
    f(huge) \
    f(codec) \
    f(mesh) \
    f(resident) \
    f(noise) \
    f(mrm) \
    f(methods) \
    f(erode) \
    f(relax) \
    f(stroke) \
    f(governor) \
    f(patch)
// clang-format on
#define BENCH_DECLARE(name) extern bench_main bench_##name __attribute__((weak));
BENCH_LIST(BENCH_DECLARE)
