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

// One bench; a status other than KARST_OK with a line in b->report when it could not run.
typedef karst_status bench_main(bench *b);
bench_main bench_select, bench_rings, bench_rays, bench_bake;
bench_main bench_stream;
bench_main bench_huge;
bench_main bench_codec;
bench_main bench_mesh;
bench_main bench_resident;
