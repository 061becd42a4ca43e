// SPDX-License-Identifier: MIT
// bench codec: bits a sample, the true error at every sample, and speed, beside other codecs in the same run.
//
// Bits are of all that a reader needs (grid_file.h). W is the White Mountains crop, 1025 x 1025 whole metres; the other
// grids of the data folder follow, with odd sizes and holes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "codec_peers.h"
#include "grid_file.h"

// ---- a grid as integers ----------------------------------------------------------------------------

typedef struct grid {
    codec_grid g;
    float *values;
    uint8_t *hole;
    int32_t *integer;  // as given to the codec
    double step, offset;
    bool bits_of_floats;  // integers are the floats' own bits, put in order
    int32_t unit;
} grid;

// An order-keeping map of a float's bits to integers and back.
static int32_t ordered(float v) {
    int32_t b;
    memcpy(&b, &v, 4);
    return b < 0 ? (int32_t)(0x80000000u - (uint32_t)b) : b;
}
static float unordered(int32_t i) {
    uint32_t b = i < 0 ? 0x80000000u - (uint32_t)i : (uint32_t)i;
    float v;
    memcpy(&v, &b, 4);
    return v;
}

// Integers whose nearest multiples of unit are within bound. Whole metres: unit 2e + 1, exact. Floats: steps that are
// an odd part of 2e, less what a float rounds; a bound of 0: the bits themselves.
static void take_bound(grid *g, double bound) {
    size_t count = (size_t)g->g.columns * (size_t)g->g.rows;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        if (g->hole && g->hole[i]) continue;
        low = fmin(low, (double)g->values[i]);
        high = fmax(high, (double)g->values[i]);
    }
    g->bits_of_floats = !g->g.whole && bound == 0;
    g->offset = floor((low + high) / 2);
    g->step = 1;
    g->unit = g->g.whole ? 2 * (int32_t)bound + 1 : 1;
    if (!g->g.whole && bound > 0) {
        double e = bound - 2 * fmax(fabs(low), fabs(high)) * 0x1p-23;
        g->unit = 15;
        while (g->unit > 1 && (high - low) / (2 * e / g->unit) > KST_NARROW_MOST) g->unit -= 2;
        g->step = 2 * e / g->unit;
    }
    for (size_t i = 0; i < count; ++i) {
        double v = g->hole && g->hole[i] ? g->offset : (double)g->values[i];
        g->integer[i] = g->bits_of_floats ? ordered((float)v) : (int32_t)lrint((v - g->offset) / g->step);
    }
}

static double restored(const grid *g, int32_t v) {
    if (g->bits_of_floats) return (double)unordered(v);
    return g->g.whole ? v + g->offset : (double)(float)(v * g->step + g->offset);
}

static bool set_grid(grid *g, float *values, uint8_t *hole, int columns, int rows) {
    *g = (grid){.g = {values, hole, columns, rows, true}, .values = values, .hole = hole};
    size_t count = (size_t)columns * (size_t)rows;
    for (size_t i = 0; i < count; ++i)
        if (!hole || !hole[i]) g->g.whole &= values[i] == floorf(values[i]) && fabsf(values[i]) < 32000;
    g->integer = malloc(count * sizeof *g->integer);
    return g->integer != NULL;
}

static void free_grid(grid *g) {
    free(g->values);
    free(g->hole);
    free(g->integer);
}

// ---- ours ------------------------------------------------------------------------------------------

typedef struct codec_run {
    grid *grid;
    grid_file file;
    int32_t *back;
    int16_t *back16;
    codec_peer *peer;
    grid_reader *reader;
    karst_status status;
} codec_run;

static void encode_ours(void *context) {
    codec_run *r = context;
    grid_file_free(&r->file);
    r->status |=
        grid_file_encode(r->grid->integer, r->grid->hole, r->grid->g.columns, r->grid->g.rows, r->grid->unit, &r->file);
}

static void decode_ours(void *context) {  // opening and tables included
    codec_run *r = context;
    grid_reader *reader;
    karst_status status = grid_reader_open(r->file.bytes, r->file.size, &reader);
    if (!status) status = grid_reader_read(reader);
    if (!status && r->back16) grid_reader_values16(reader, r->back16);
    if (!status && !r->back16) grid_reader_values(reader, r->back);
    if (!status) grid_reader_close(reader);
    r->status |= status;
}

static void encode_peer(void *context) {
    codec_peer_encode(((codec_run *)context)->peer);
}
static void decode_peer(void *context) {
    codec_peer_decode(((codec_run *)context)->peer);
}

// Largest distance of any sample from what it was, after a decode of its own.
static double true_error(codec_run *r) {
    const grid *g = r->grid;
    size_t count = (size_t)g->g.columns * (size_t)g->g.rows;
    grid_reader *reader;
    if (grid_reader_open(r->file.bytes, r->file.size, &reader)) return NAN;
    double most = grid_reader_read(reader) ? NAN : 0;
    grid_reader_values(reader, r->back);
    grid_reader_close(reader);
    for (size_t i = 0; i < count; ++i)
        if (!g->hole || !g->hole[i]) {
            double off = fabs(restored(g, r->back[i]) - (double)g->values[i]);
            most = off > most ? off : most;
        }
    return most;
}

static bool begin_run(codec_run *r, grid *g, double bound) {
    take_bound(g, bound);
    *r = (codec_run){.grid = g, .back = malloc((size_t)g->g.columns * (size_t)g->g.rows * sizeof *r->back)};
    if (!r->back) return false;
    encode_ours(r);
    return !r->status;
}

static void end_run(codec_run *r) {
    grid_file_free(&r->file);
    free(r->back);
    free(r->back16);
}

static double bits(const grid *g, size_t bytes) {
    return 8.0 * (double)bytes / ((double)g->g.columns * g->g.rows);
}

// ---- rows ------------------------------------------------------------------------------------------

// Bits and true error at one bound; the peers' sizes in the note. Names end in the bound.
static karst_status measure_bound(bench *b, grid *g, const char *name, double bound, bool error_row) {
    codec_run r;
    if (!begin_run(&r, g, bound))
        return kst_fail(b->report, KARST_ERROR_MEMORY, "codec: %s could not be encoded", name);
    codec_peer peer[CODEC_PEERS];
    double size[CODEC_PEERS];
    for (int k = 0; k < CODEC_PEERS; ++k) {
        codec_peer_make(&peer[k], (codec_peer_kind)k, &g->g, bound);
        bool kept = peer[k].made && peer[k].largest_error <= bound * (1 + 1e-6) + (g->g.whole ? 0 : 1e-3);
        size[k] = kept ? bits(g, peer[k].bytes) : NAN;
        codec_peer_free(&peer[k]);
    }
    double most = true_error(&r);
    char what[64];
    snprintf(what, sizeof what, "bits_%s_%gm", name, bound);
    bench_row row = {.what = what,
                     .unit = "bits a sample",
                     .value = bits(g, r.file.size),
                     .peer = codec_peer_names[CODEC_JPEG2000],
                     .peer_value = size[CODEC_JPEG2000],
                     .runs = 1,
                     .hash = kst_hash(r.file.bytes, r.file.size, 0)};
    bench_add_note(b, &row, "LERC %.2f, ZSTD %.2f bits; largest error %.6g m of %d x %d samples%s", size[CODEC_LERC],
                   size[CODEC_ZSTD], most, g->g.columns, g->g.rows, g->hole ? ", holes" : "");
    if (error_row) {
        snprintf(what, sizeof what, "true_error_%s_%gm", name, bound);
        bench_add(b, &(bench_row){.what = what, .unit = "m", .value = most, .runs = 1});
    }
    end_run(&r);
    return most <= bound ? KARST_OK
                         : kst_fail(b->report, KARST_ERROR_LIMIT, "codec: %s is off by %.9g m where %g m is promised",
                                    name, most, bound);
}

enum { RECORDS = 64, ROUNDS = 32 };

// One record is the four chunks of a node; a chunk that is asked for costs all of it. Median over rounds of many.
static double record_us(const codec_run *r, const bench *b) {
    grid_reader *reader;
    double each[ROUNDS];
    int rounds = b->quick ? 1 : ROUNDS;
    if (grid_reader_open(r->file.bytes, r->file.size, &reader)) return NAN;
    bool good = !grid_reader_read(reader);
    int records = grid_reader_finest_count(reader);
    for (int round = 0; round < rounds && good && records; ++round) {
        double start = bench_cpu_s();
        for (int k = 0; k < RECORDS && good; ++k) good = !grid_reader_record(reader, k * 7 % records);
        each[round] = (bench_cpu_s() - start) * 1e6 / RECORDS;
    }
    grid_reader_close(reader);
    return good && records ? bench_median(each, rounds) : NAN;
}

// A row of Msamples/s beside a peer's, both ways measured in turn.
static void add_speed(bench *b, codec_run *r, codec_peer *peer, bench_fn *ours, bench_fn *theirs, const char *what) {
    double samples = (double)r->grid->g.columns * r->grid->g.rows * 1e-6, our_s, their_s;
    r->peer = peer;
    bench_compare(b, ours, peer->made ? theirs : NULL, r, &our_s, &their_s);
    bench_add(b, &(bench_row){.what = what,
                              .unit = "Msamples/s",
                              .value = samples / our_s,
                              .peer = codec_peer_names[peer->kind],
                              .peer_value = samples / their_s,
                              .runs = bench_runs(b)});
}

static karst_status measure_speed(bench *b, grid *g, const char *name, double bound) {
    codec_run r;
    if (!begin_run(&r, g, bound))
        return kst_fail(b->report, KARST_ERROR_MEMORY, "codec: %s could not be encoded", name);
    if (g->g.whole) r.back16 = malloc((size_t)g->g.columns * (size_t)g->g.rows * sizeof *r.back16);
    char what[64];
    codec_peer lerc, jpeg;
    codec_peer_make(&lerc, CODEC_LERC, &g->g, bound);
    codec_peer_make(&jpeg, CODEC_JPEG2000, &g->g, bound);
    snprintf(what, sizeof what, "decode_%s_%gm", name, bound);
    add_speed(b, &r, &lerc, decode_ours, decode_peer, what);
    snprintf(what, sizeof what, "decode_%s_%gm_jpeg2000", name, bound);
    add_speed(b, &r, &jpeg, decode_ours, decode_peer, what);
    snprintf(what, sizeof what, "chunk_us_%s_%gm", name, bound);
    bench_add(b, &(bench_row){.what = what,
                              .unit = "us",
                              .value = record_us(&r, b),
                              .runs = ROUNDS,
                              .note = "median; the record that a chunk is in, and with it its three siblings"});
    snprintf(what, sizeof what, "encode_%s_%gm", name, bound);
    add_speed(b, &r, &jpeg, encode_ours, encode_peer, what);
    codec_peer_free(&lerc);
    codec_peer_free(&jpeg);
    karst_status status = r.status;
    end_run(&r);
    return status ? kst_fail(b->report, status, "codec: %s could not be coded", name) : KARST_OK;
}

// ---- grids -----------------------------------------------------------------------------------------

enum { SIDE = 1025 };

static bool read_white_mountains(grid *g, const char *path) {
    FILE *f = path ? fopen(path, "rb") : NULL;
    float *values = malloc(sizeof *values * SIDE * SIDE);
    bool good = f && values;
    for (size_t i = 0; i < SIDE * SIDE && good; ++i) {
        uint8_t two[2];
        good = fread(two, 1, 2, f) == 2;
        if (good) values[i] = (float)(two[0] | two[1] << 8);
    }
    if (f) fclose(f);
    if (good) return set_grid(g, values, NULL, SIDE, SIDE);
    free(values);
    return false;
}

// Without the data: hills of many sizes and whole metres.
static bool make_hills(grid *g, int side) {
    float *values = malloc(sizeof *values * (size_t)side * (size_t)side);
    if (!values) return false;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            double y = 0, size = 256;
            for (int k = 0; k < 8; ++k, size /= 2) y += size * sin((i + 31 * k) / size) * cos((j + 17 * k) / size);
            values[j * side + i] = (float)floor(y + 2 * kst_random01(3, (uint64_t)(j * side + i)));
        }
    return set_grid(g, values, NULL, side, side);
}

static karst_status measure_other(bench *b, const char *name, const char *file, double least_bound) {
    static const double bounds[] = {0, 0.1, 1, 5};
    const char *path = bench_data(file);
    grid g;
    float *values;
    uint8_t *hole;
    int columns, rows;
    if (!path || !codec_raster_read(path, &values, &hole, &columns, &rows)) return KARST_OK;
    karst_status status = set_grid(&g, values, hole, columns, rows)
                              ? KARST_OK
                              : kst_fail(b->report, KARST_ERROR_MEMORY, "codec: no memory");
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds && !status; ++k)
        if (bounds[k] >= least_bound && (!g.g.whole || bounds[k] != 0.1))
            status = measure_bound(b, &g, name, bounds[k], false);
    free_grid(&g);
    return status;
}

karst_status bench_codec(bench *b) {
    static const double bounds[] = {0, 1, 5};
    static const struct {
        const char *name, *file;
    } others[] = {{"everest", "mt_everest_90m.tif"},
                  {"etopo", "etopo20_f32.tif"},
                  {"n44w072", "N44W072.hgt"},
                  {"helens", "SainteHelens.dem"},
                  {"here", "here_valid_raster_f32.tif"},
                  {"california", "california_400_400_1_float.lerc2"},
                  {"odd77x30", "edge/nonsquare_77x30.r16"},
                  {"void", "edge/nodata_fltmin_hole_65x65.tif"}};
    grid w;
    bool real = !b->quick && read_white_mountains(&w, bench_data("whitemtns_1025.r16"));
    if (!real && !make_hills(&w, b->quick ? 300 : SIDE))
        return kst_fail(b->report, KARST_ERROR_MEMORY, "codec: no memory");
    const char *name = real ? "W" : "hills";
    karst_status status = KARST_OK;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds && !status; ++k)
        status = measure_bound(b, &w, name, bounds[k], true);
    if (!status) status = measure_speed(b, &w, name, 1);
    free_grid(&w);
    for (size_t k = 0; k < sizeof others / sizeof *others && !status && !b->quick; ++k)
        status = measure_other(b, others[k].name, others[k].file, 0);
    return status;
}
