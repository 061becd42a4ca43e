// SPDX-License-Identifier: MIT
// bench resident: what a chunk takes where shaders read it, and how far its places are off, against 11-11-10.
//
// Two grounds of 1280 x 1280 vertices baked at half the default bound: plateaus with overhangs, and real relief
// resampled. Every chunk of level 0 is given holes and transparency, so that no part of the form is left out. The peer
// quantises each vertex's displacement to 11, 11 and 10 bits (x, y, z) in the box of its chunk's own displacements,
// rounded to the nearest; both are measured against the author's vertices.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "core/core.h"
#include "karst/bake.h"
#include "karst/pack.h"
#include "karst/resident.h"
#include "scenes/scenes.h"

enum { SIDE = 1280, QUICK_SIDE = 193, COUNT = KARST_CHUNK_VERTICES };

static const double talk_bytes = 14.0 * 1024 * 1024;  // of 1280 x 1280 vertices, as told in 2009

typedef struct figures {
    int chunks;
    double bytes;             // of all chunks, head and table included
    double place_bits;        // of a vertex in the mean, summed over chunks
    int place_most, wide;     // bits in any block; chunks of level 0 over 32 in the mean
    int coarse, coarse_wide;  // chunks of all other levels
    double ours_m, box_m;     // worst errors
    double pack_s, read_s;    // a chunk
    uint64_t hash;
} figures;

// ---- grounds ---------------------------------------------------------------------------------------

// Real heights put on a grid of our own side, between four samples linear; made by code without the data.
static karst_status relief_field(const bench *b, int side, karst_field **out) {
    enum { FROM = 1025 };
    const char *path = b->quick ? NULL : bench_data("whitemtns_1025.r16");
    if (!path) return scene_rough_field(side, side, 24, 3, false, false, (karst_pos){0, 0, 0}, out);
    uint16_t *from = malloc(sizeof *from * FROM * FROM);
    float *line = malloc(sizeof *line * (size_t)side);
    FILE *f = fopen(path, "rb");
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, 24, {0, 0, 0}};
    karst_status status = from && line ? karst_field_create(&def, out) : KARST_ERROR_MEMORY;
    if (!status && (!f || fread(from, sizeof *from, FROM * FROM, f) != FROM * FROM))
        status = kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot be read", path);
    for (int j = 0; j < side && !status; ++j) {
        for (int i = 0; i < side; ++i) {
            double u = i * (FROM - 1.0) / side, v = j * (FROM - 1.0) / side;
            int c = (int)u, r = (int)v;
            const uint16_t *s = from + r * FROM + c;
            line[i] = (float)((s[0] * (1 - (u - c)) + s[1] * (u - c)) * (1 - (v - r)) +
                              (s[FROM] * (1 - (u - c)) + s[FROM + 1] * (u - c)) * (v - r));
        }
        status = karst_field_write(*out, (karst_rect){0, j, side, j + 1}, line, NULL, NULL, side);
    }
    if (f) fclose(f);
    free(from);
    free(line);
    return status;
}

// ---- errors ----------------------------------------------------------------------------------------

static float quantised(float v, float low, float high, int steps) {
    return high > low ? low + (high - low) * (float)(lrintf((v - low) / (high - low) * (float)steps)) / (float)steps
                      : v;
}

// The worst that 11-11-10 in the chunk's own box is off [m].
static double box_error(const karst_field_chunk *c, int columns, int rows) {
    const float *v[3] = {c->x, c->y, c->z};
    float low[3], high[3];
    for (int a = 0; a < 3; ++a) {
        low[a] = high[a] = v[a][0];
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i) {
                low[a] = fminf(low[a], v[a][j * KARST_CHUNK_SIDE + i]);
                high[a] = fmaxf(high[a], v[a][j * KARST_CHUNK_SIDE + i]);
            }
    }
    static const int steps[3] = {2047, 2047, 1023};
    double worst = 0;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            double sum = 0;
            for (int a = 0; a < 3; ++a) {
                float at = v[a][j * KARST_CHUNK_SIDE + i];
                double off = (double)quantised(at, low[a], high[a], steps[a]) - (double)at;
                sum += off * off;
            }
            worst = fmax(worst, sqrt(sum));
        }
    return worst;
}

static double our_error(const karst_field_chunk *c, const uint32_t *words, const karst_lattice *l, int columns,
                        int rows) {
    double worst = 0;
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            karst_vertex v = karst_resident_read(words, i, j).vertex;
            int k = j * KARST_CHUNK_SIDE + i;
            double dx = v.dx * l->step_xz_m - (double)c->x[k], dy = v.y * l->step_y_m - (double)c->y[k];
            double dz = v.dz * l->step_xz_m - (double)c->z[k];
            worst = fmax(worst, sqrt(dx * dx + dy * dy + dz * dz));
        }
    return worst;
}

// ---- one ground ------------------------------------------------------------------------------------

typedef struct timing {
    const karst_chunk *chunk;
    uint32_t *words;
    uint64_t sum;
} timing;

static void pack_one(void *context) {
    timing *t = context;
    for (int k = 0; k < 8; ++k) t->sum += (uint64_t)karst_resident_pack(t->chunk, t->words);
}

static void read_one(void *context) {
    timing *t = context;
    for (int j = 0; j < KARST_CHUNK_SIDE; ++j)
        for (int i = 0; i < KARST_CHUNK_SIDE; ++i) t->sum += (uint32_t)karst_resident_read(t->words, i, j).vertex.y;
}

// Most bits of place that a vertex has in any block, and in the mean.
static int position_bits(const uint32_t *words, double *mean) {
    const uint32_t *head = words + 1 + 81 * (words[0] & KARST_RESIDENT_DISPLACED ? 3 : 2);
    int most = 0, sum = 0;
    for (int k = 0; k < 64; ++k, head += 2) {
        int bits = (int)((head[0] & 63) + (head[0] >> 6 & 31) + (head[0] >> 11 & 31));
        most = bits > most ? bits : most;
        sum += bits;
    }
    *mean = sum / 64.0;
    return most;
}

// No part of the form may be missing: opacity that fades everywhere, and eight blocks of holes with ragged edges.
static void fill_parts(karst_chunk *c) {
    for (int k = 0; k < KARST_HALF_VERTICES; ++k)
        c->transparency[k] = (uint8_t)(1 + 3 * (k % KARST_HALF_SIDE) + 4 * (k / KARST_HALF_SIDE));
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) c->hole[j] |= (UINT64_C(0x7E) << (j % 7)) << (j & 56);
}

static void measure_chunk(const bench *b, const karst_lattice *l, karst_chunk *c, const karst_field_chunk *source,
                          int columns, int rows, uint32_t *words, figures *f) {
    fill_parts(c);
    int32_t count = karst_resident_pack(c, words);
    double mean;
    int most = position_bits(words, &mean);
    f->bytes += 4.0 * count;
    f->place_bits += mean;
    f->place_most = most > f->place_most ? most : f->place_most;
    f->wide += mean > 32;
    f->hash = kst_hash(words, (size_t)count * 4, f->hash);
    f->ours_m = fmax(f->ours_m, our_error(source, words, l, columns, rows));
    f->box_m = fmax(f->box_m, box_error(source, columns, rows));
    if (!f->chunks++) {
        timing t = {c, words, 0};
        double none;
        bench_compare(b, pack_one, NULL, &t, &f->pack_s, &none);
        f->pack_s /= 8;
        bench_compare(b, read_one, NULL, &t, &f->read_s, &none);
    }
}

static karst_status measure_pack(const bench *b, karst_field *field, karst_pack *pack, figures *f) {
    karst_pack_info info = karst_pack_info_of(pack);
    karst_chunk *c = malloc(sizeof *c);
    karst_field_chunk *source = malloc(sizeof *source);
    uint32_t *words = malloc(sizeof *words * KARST_RESIDENT_WORDS_MAX);
    karst_status status = c && source && words ? KARST_OK : KARST_ERROR_MEMORY;
    for (int level = 0; level < info.level_count && !status; ++level) {
        int32_t nx, nz;
        karst_pack_chunk_grid(pack, level, &nx, &nz);
        for (int k = 0; k < nx * nz && !status; ++k) {
            status = karst_pack_read_chunk(pack, level, k % nx, k / nx, c);
            if (status) break;
            if (level) {
                karst_resident_pack(c, words);
                ++f->coarse;
                double mean;
                position_bits(words, &mean);
                f->coarse_wide += mean > 32;
                continue;
            }
            int columns = info.lattice.shape.columns - k % nx * KARST_CHUNK_CELLS;
            int rows = info.lattice.shape.rows - k / nx * KARST_CHUNK_CELLS;
            status = karst_field_read_chunk(field, k % nx, k / nx, source);
            if (!status)
                measure_chunk(b, &info.lattice, c, source, columns < KARST_CHUNK_SIDE ? columns : KARST_CHUNK_SIDE,
                              rows < KARST_CHUNK_SIDE ? rows : KARST_CHUNK_SIDE, words, f);
        }
    }
    free(c);
    free(source);
    free(words);
    return status;
}

static karst_status measure(const bench *b, karst_field *field, float error_m, figures *f) {
    *f = (figures){0};
    char path[] = "/tmp/karst-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot make a temporary file", path);
    close(fd);
    karst_pack *pack = NULL;
    karst_bake_def def = karst_bake_def_default();
    def.jobs = b->jobs;
    def.error_m = error_m;
    def.map_side = 64;  // not looked at
    karst_status status = karst_bake_field(field, path, &def, NULL, b->report, NULL);
    if (!status) status = karst_pack_open(path, NULL, &pack);
    if (!status) status = measure_pack(b, field, pack, f);
    karst_pack_close(pack);
    unlink(path);
    return status;
}

// ---- rows ------------------------------------------------------------------------------------------

static void add_rows(bench *b, const figures *f, const char *ground, const char *from, int side) {
    char name[48];
    double vertices = (double)side * side;
    snprintf(name, sizeof name, "bytes_per_vertex_%s", ground);
    bench_add_note(
        b, &(bench_row){.what = name, .unit = "bytes", .value = f->bytes / vertices, .runs = 1, .hash = f->hash},
        "%s; %d chunks, %.1f bits of place in the mean, %d at most", from, f->chunks, f->place_bits / f->chunks,
        f->place_most);
    snprintf(name, sizeof name, "worst_error_%s", ground);
    bench_add(
        b, &(bench_row){
               .what = name, .unit = "m", .value = f->ours_m, .peer = "11-11-10", .peer_value = f->box_m, .runs = 1});
    snprintf(name, sizeof name, "over_32_bits_%s", ground);
    bench_add_note(b,
                   &(bench_row){.what = name,
                                .unit = "share of chunks, all levels, mean over 32 bits",
                                .runs = 1,
                                .value = (f->wide + f->coarse_wide) / (double)(f->chunks + f->coarse)},
                   "%d of %d at level 0, %d of %d above", f->wide, f->chunks, f->coarse_wide, f->coarse);
}

karst_status bench_resident(bench *b) {
    int side = b->quick ? QUICK_SIDE : SIDE;
    figures overhang, relief;
    karst_field *field = NULL;
    float error_m = 0.5f * karst_bake_def_default().error_m;  // less than a quarter of what the peer leaves
    karst_status status = scene_overhang_field(side, side, 2, 5, &field);
    if (!status) status = measure(b, field, error_m, &overhang);
    karst_field_destroy(field);
    field = NULL;
    if (!status) status = relief_field(b, side, &field);
    if (!status) status = measure(b, field, error_m, &relief);
    karst_field_destroy(field);
    if (status) return status;
    double vertices = (double)side * side, most = fmax(overhang.bytes, relief.bytes);
    bench_add_note(b,
                   &(bench_row){.what = "bytes_per_vertex",
                                .unit = "bytes",
                                .value = most / vertices,
                                .peer = "a talk of 2009",
                                .peer_value = talk_bytes / SIDE / SIDE,
                                .runs = 1},
                   "%.2f MB of 1e6 bytes, the larger of the two grounds; head, table, all parts counted", most * 1e-6);
    bench_add_note(b,
                   &(bench_row){.what = "worst_error_ratio",
                                .unit = "ours / 11-11-10",
                                .value = fmax(overhang.ours_m / overhang.box_m, relief.ours_m / relief.box_m),
                                .runs = 1},
                   "the larger of the two grounds");
    add_rows(b, &overhang, "overhang", "made by code", side);
    bool real = !b->quick && bench_data("whitemtns_1025.r16");
    add_rows(b, &relief, "relief", real ? "White Mountains" : "made by code", side);
    bench_add(b, &(bench_row){
                     .what = "pack_us", .unit = "us a chunk", .value = overhang.pack_s * 1e6, .runs = bench_runs(b)});
    bench_add(
        b,
        &(bench_row){
            .what = "read_ns", .unit = "ns a vertex", .value = overhang.read_s * 1e9 / COUNT, .runs = bench_runs(b)});
    return KARST_OK;
}
