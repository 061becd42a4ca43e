// SPDX-License-Identifier: MIT
// bench rings: how the triangles of method rings grow while the world's side doubles.
//
// The content a metre is the same in all worlds, to the bit: a tile of 1,024 m, octaves of noise whose height is a
// share of their length, repeated. So the errors of the levels are exact, and only how many levels there are changes.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "karst/view.h"
#include "lod/rings.h"

enum { TILE = 1024, WORLDS = 7, CAMERAS = 200, LEVELS_MAX = 11 };

// ---- the tile --------------------------------------------------------------------------------------

// Value noise of this wavelength that repeats with the tile.
static double octave(int x, int z, int length) {
    int i = x / length, j = z / length, n = TILE / length;
    double u = (x % length) / (double)length, v = (z % length) / (double)length, h[4];
    for (int k = 0; k < 4; ++k) {
        int ci = (i + (k & 1)) % n, cj = (j + (k >> 1)) % n;
        h[k] = kst_random01((uint64_t)length, (uint64_t)cj << 32 | (uint64_t)ci);
    }
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    return (h[0] + (h[1] - h[0]) * u) * (1 - v) + (h[2] + (h[3] - h[2]) * u) * v;
}

static void fill_tile(double *height) {
    for (int z = 0; z < TILE; ++z)
        for (int x = 0; x < TILE; ++x) {
            double sum = 0;
            for (int length = 4; length <= TILE; length *= 2) sum += length * octave(x, z, length);
            height[z * TILE + x] = sum;
        }
}

// Most that the triangles of a stride are off at the samples. The stride divides the tile, or the tile the stride: then
// all vertices are the tile's first.
static double error_of(const double *height, int stride) {
    double most = 0;
    int s = stride < TILE ? stride : TILE;
    for (int z = 0; z < TILE; ++z)
        for (int x = 0; x < TILE; ++x) {
            int i = x / s, j = z / s;
            double u = (x % s) / (double)s, v = (z % s) / (double)s, c[4];
            for (int k = 0; k < 4; ++k) c[k] = height[(j + (k >> 1)) * s % TILE * TILE + (i + (k & 1)) * s % TILE];
            bool odd = (i + j) & 1;  // the declared diagonal: (0,0)-(1,1) in even cells, (1,0)-(0,1) in odd ones
            double flat = odd ? (u + v < 1 ? c[0] + u * (c[1] - c[0]) + v * (c[2] - c[0])
                                           : c[3] + (1 - u) * (c[2] - c[3]) + (1 - v) * (c[1] - c[3]))
                              : (u > v ? c[0] + u * (c[1] - c[0]) + v * (c[3] - c[1])
                                       : c[0] + v * (c[2] - c[0]) + u * (c[3] - c[2]));
            most = fmax(most, fabs(flat - height[z * TILE + x]));
        }
    return most;
}

typedef struct tile {
    double low, high, error[LEVELS_MAX];  // for octaves as high as they are long
    double *height;
} tile;

static bool make_tile(tile *t) {
    t->height = malloc(sizeof *t->height * TILE * TILE);
    if (!t->height) return false;
    fill_tile(t->height);
    t->low = INFINITY;
    t->high = -INFINITY;
    for (int k = 0; k < TILE * TILE; ++k) {
        t->low = fmin(t->low, t->height[k]);
        t->high = fmax(t->high, t->height[k]);
    }
    t->error[0] = 0;
    for (int level = 1; level < LEVELS_MAX; ++level)
        t->error[level] = fmax(t->error[level - 1], error_of(t->height, 1 << level));
    return true;
}

// ---- worlds ----------------------------------------------------------------------------------------

typedef struct sight {
    kst_tree tree;
    kst_rings rings;
    const tile *tile;
    double scale;  // of the tile's heights
    int cameras;
    int64_t triangles;
    uint64_t hash;
} sight;

// A world of `side` tiles whose heights are the tile's times `scale`.
static void make_world(sight *w, const tile *t, int side, double scale) {
    *w = (sight){.tile = t, .scale = scale};
    while (TILE * side > KARST_CHUNK_CELLS << w->tree.level_count) ++w->tree.level_count;
    ++w->tree.level_count;
    for (int level = 0; level < w->tree.level_count; ++level)
        w->tree.grid_x[level] = w->tree.grid_z[level] = TILE * side / KARST_CHUNK_CELLS >> level;
    w->rings = (kst_rings){.tree = &w->tree};
    kst_ring_ground *g = &w->rings.ground;
    *g = (kst_ring_ground){.level_count = w->tree.level_count,
                           .columns = TILE * side + 1,
                           .rows = TILE * side + 1,
                           .spacing_m = 1,
                           .low_m = t->low * scale,
                           .high_m = t->high * scale};
    for (int level = 0; level < w->tree.level_count; ++level) g->error[level] = t->error[level] * scale;
}

static karst_status count_chunk(void *context, const kst_ring_chunk *c) {
    sight *w = context;
    enum { N = KARST_CHUNK_PATCHES, C = KARST_CHUNK_CORNERS };
    for (int k = 0; k < N * N; ++k) {
        if (!(c->drawn >> k & 1)) continue;
        int i = k / N * C + k % N, count;
        const float corner[4] = {c->levels[i], c->levels[i + 1], c->levels[i + C + 1], c->levels[i + C]};
        karst_patch_indices(kst_patch_lattice(corner, 0), &count);
        w->triangles += count / 3;
    }
    return KARST_OK;
}

// Eyes of walkers anywhere in the world, all around them.
static void look_around(void *context) {
    sight *w = context;
    w->triangles = 0;
    int side = w->rings.ground.columns - 1;
    karst_view lens = karst_view_perspective((karst_pos){0, 0, 0}, (karst_pos){0, 0, -1}, (karst_vec3){0, 1, 0},
                                             1.0471976f, 1920, 1080);
    float slope = (float)karst_view_error_slope(&lens, 1);
    for (int k = 0; k < w->cameras; ++k) {
        double x = side * kst_random01(71, (uint64_t)k), z = side * kst_random01(72, (uint64_t)k);
        double ground = w->tile->height[(int)z % TILE * TILE + (int)x % TILE] * w->scale;
        kst_eye eye = {(float)x, (float)ground + 2, (float)z, slope};
        kst_rings_walk(&w->rings, &eye, NULL, 1, false, NULL, count_chunk, w);
        w->hash = kst_hash_u64(w->hash, (uint64_t)w->triangles);
    }
}

// ---- rows ------------------------------------------------------------------------------------------

// The slope of the straight line through (k, log2 of value[k]).
static double slope_of(const double *value, int count) {
    double middle = 0.5 * (count - 1), top = 0, bottom = 0;
    for (int k = 0; k < count; ++k) {
        top += (k - middle) * log2(value[k]);
        bottom += (k - middle) * (k - middle);
    }
    return top / bottom;
}

// All worlds of a ground whose stride of two is off by `error_m`. suffix: of the rows' names.
static void ground_rows(bench *b, const tile *t, double error_m, const char *suffix) {
    double scale = error_m / t->error[1], triangles[WORLDS], view_us = 0;
    uint64_t hash = 0;
    for (int k = 0; k < WORLDS; ++k) {
        sight w;
        make_world(&w, t, 1 << k, scale);
        w.cameras = b->quick ? 20 : CAMERAS;
        look_around(&w);
        triangles[k] = (double)w.triangles / w.cameras;
        hash = kst_hash_u64(hash, w.hash);
        char name[64];
        snprintf(name, sizeof name, "triangles_%dx%s", 1 << k, suffix);
        bench_add_note(b,
                       &(bench_row){.what = name,
                                    .unit = "triangles a view at 1 px, all round",
                                    .value = triangles[k],
                                    .runs = 1,
                                    .hash = w.hash},
                       "%d m a side, %d levels, %lld cells", TILE << k, w.tree.level_count,
                       (long long)(TILE << k) * (TILE << k));
        if (k == WORLDS - 1) {
            double s, none;
            bench_compare(b, look_around, NULL, &w, &s, &none);
            view_us = 1e6 * s / w.cameras;
        }
        kst_rings_free(&w.rings);
    }
    char name[64];
    snprintf(name, sizeof name, "triangles_slope%s", suffix);
    bench_add_note(b,
                   &(bench_row){.what = name,
                                .unit = "log2 triangles against log2 side, 1x to 64x",
                                .value = slope_of(triangles, WORLDS),
                                .runs = 1,
                                .hash = hash},
                   "stride 2 is off by %g m, relief %.3g m; 64x has %.2f times the triangles of 1x", error_m,
                   (t->high - t->low) * scale, triangles[WORLDS - 1] / triangles[0]);
    snprintf(name, sizeof name, "us_per_view_64x%s", suffix);
    bench_add(b, &(bench_row){.what = name,
                              .unit = "us CPU a view, corner levels included",
                              .value = view_us,
                              .runs = bench_runs(b),
                              .hash = hash});
}

karst_status bench_rings(bench *b) {
    tile t = {0};
    if (!make_tile(&t)) return KARST_ERROR_MEMORY;
    ground_rows(b, &t, 0.016, "");  // between the two grounds of bench select ground_rows(b, &t, 0.064, "_rough");
    ground_rows(b, &t, 0.004, "_smooth");
    free(t.height);
    return KARST_OK;
}
