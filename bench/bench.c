// SPDX-License-Identifier: MIT
// What benches share: clocks, medians, rows.
#include "bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "scenes/scenes.h"

void bench_add(bench *b, const bench_row *row) {
    if (b->row_count == (int)(sizeof b->row / sizeof *b->row)) return;
    bench_row *r = &b->row[b->row_count++];
    *r = *row;
    r->what = strdup(row->what);
    r->unit = strdup(row->unit);
    r->peer = row->peer ? strdup(row->peer) : NULL;
    r->note = row->note ? strdup(row->note) : NULL;
}

void bench_add_note(bench *b, const bench_row *row, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bench_row r = *row;
    r.note = text;
    bench_add(b, &r);
}

int bench_runs(const bench *b) {
    return b->quick ? 1 : 7;
}

static double seconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double bench_cpu_s(void) {
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}
double bench_wall_s(void) {
    return seconds(CLOCK_MONOTONIC);
}

static int ascending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

double bench_median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, ascending);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static double timed(bench_fn *fn, void *context) {
    double start = bench_cpu_s();
    fn(context);
    return bench_cpu_s() - start;
}

void bench_compare(const bench *b, bench_fn *ours, bench_fn *peer, void *context, double *ours_s, double *peer_s) {
    double mine[16], theirs[16];
    int runs = bench_runs(b);
    for (int run = b->quick ? 0 : -1; run < runs; ++run) {
        double one = timed(ours, context), two = peer ? timed(peer, context) : NAN;
        if (run < 0) continue;
        mine[run] = one;
        theirs[run] = two;
    }
    *ours_s = bench_median(mine, runs);
    *peer_s = peer ? bench_median(theirs, runs) : NAN;
}

const char *bench_data(const char *name) {
    static char path[1024];
    const char *base = getenv("KARST_TEST_DATA");
    if (!base) return NULL;
    snprintf(path, sizeof path, "%s/%s", base, name);
    return access(path, R_OK) ? NULL : path;
}

static bool read_heights(int side, float *heights) {
    const char *path = bench_data("whitemtns_1025.r16");
    FILE *f = path && side == 1025 ? fopen(path, "rb") : NULL;
    if (!f) return false;
    size_t count = (size_t)side * (size_t)side, got = 0;
    uint8_t two[2];
    while (got < count && fread(two, 2, 1, f) == 1) heights[got++] = (float)(two[0] | two[1] << 8);
    fclose(f);
    return got == count;
}

bool bench_heights(int side, float *heights) {
    if (read_heights(side, heights)) return true;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) heights[(size_t)j * (size_t)side + (size_t)i] = 800 + 8 * scene_height(i, j, 1);
    return false;
}
