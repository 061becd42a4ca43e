// SPDX-License-Identifier: MIT
// Look maps: rows of the field are box-filtered into map samples, then relief is measured on those.
//
// A sample is the mean over its share of the rest rectangle, holes left out; a share is a whole number of cells
// or not, so cells are split in proportion. Shares of nothing but hole are filled from round about.
#include "light/maps.h"

#include <math.h>

#include "light/relief.h"

typedef struct sum {
    double weight, height, normal[3];
} sum;

enum { BAND_LINES = 16 };  // lines of samples at a time; cells that two bands share are read by both

struct kst_look {
    karst_field_shape shape;
    int width, height;
    bool read;
    int32_t *first;  // of a cell: the sample it begins in
    float *share;    // of a cell: how much of it lies in that sample
    float *level;    // mean height [m]
    uint8_t *known;  // 0: all hole
    uint8_t *normal, *relief;
    uint16_t *code;
};

void kst_look_size(int columns, int rows, int map_side, int *width, int *height) {
    int64_t across = columns - 1, down = rows - 1, longer = across > down ? across : down;
    if (map_side < 2) map_side = 2;
    if (longer <= map_side) {
        *width = (int)across;
        *height = (int)down;
        return;
    }
    *width = (int)((across * map_side + longer / 2) / longer);
    *height = (int)((down * map_side + longer / 2) / longer);
    if (*width < 1) *width = 1;
    if (*height < 1) *height = 1;
}

static size_t cell_count(const kst_look *look) {
    return (size_t)look->shape.columns - 1;
}
static size_t sample_count(const kst_look *look) {
    return (size_t)look->width * (size_t)look->height;
}
karst_status kst_look_create(const karst_field_shape *shape, int map_side, kst_look **out) {
    kst_look *look = kst_alloc_zero(NULL, sizeof *look);
    if (!look) return KARST_ERROR_MEMORY;
    look->shape = *shape;
    kst_look_size(shape->columns, shape->rows, map_side, &look->width, &look->height);
    size_t cells = cell_count(look), samples = sample_count(look);
    bool ok = true;
    ok &= (look->first = kst_alloc_array(NULL, cells, sizeof *look->first)) != NULL;
    ok &= (look->share = kst_alloc_array(NULL, cells, sizeof *look->share)) != NULL;
    ok &= (look->level = kst_alloc_array(NULL, samples, sizeof *look->level)) != NULL;
    ok &= (look->known = kst_alloc(NULL, samples)) != NULL;
    ok &= (look->normal = kst_alloc_array(NULL, samples, 2)) != NULL;
    ok &= (look->relief = kst_alloc_array(NULL, samples, 4)) != NULL;
    ok &= (look->code = kst_alloc_array(NULL, samples, sizeof *look->code)) != NULL;
    if (!ok) {
        kst_look_destroy(look);
        return KARST_ERROR_MEMORY;
    }
    for (size_t i = 0; i < cells; ++i) {
        int64_t w = look->width, n = (int64_t)cells, f = (int64_t)i * w / n;
        double inside = (double)((f + 1) * n - (int64_t)i * w) / (double)w;  // cells from i to the end of sample f
        look->first[i] = (int32_t)f;
        look->share[i] = inside < 1 ? (float)inside : 1.0f;
    }
    *out = look;
    return KARST_OK;
}

void kst_look_destroy(kst_look *look) {
    if (!look) return;
    size_t cells = cell_count(look), samples = sample_count(look);
    kst_free(NULL, look->first, cells * sizeof *look->first);
    kst_free(NULL, look->share, cells * sizeof *look->share);
    kst_free(NULL, look->level, samples * sizeof *look->level);
    kst_free(NULL, look->known, samples);
    kst_free(NULL, look->normal, samples * 2);
    kst_free(NULL, look->relief, samples * 4);
    kst_free(NULL, look->code, samples * sizeof *look->code);
    kst_free(NULL, look, sizeof *look);
}

static void add_to(sum *s, double weight, const double value[4]) {
    s->weight += weight;
    s->height += weight * value[0];
    for (int k = 0; k < 3; ++k) s->normal[k] += weight * value[k + 1];
}

static uint8_t signed_code(double v) {
    return (uint8_t)lrint(128 + 127 * (v < -1 ? -1 : v > 1 ? 1 : v));
}

// A vertex row; x and z NULL when not displaced.
typedef struct row {
    float *y, *x, *z;
    uint8_t *hole;
} row;

// The work on one band of lines.
typedef struct band {
    kst_look *look;
    row above, below;
    sum *open;  // two lines of samples: those of `line` and the next
    int line, first, end;
} band;

// The line has all its cells.
static void close_line(band *b) {
    kst_look *look = b->look;
    size_t width = (size_t)look->width, at = (size_t)b->line * width;
    for (size_t i = 0; i < width && b->line >= b->first; ++i) {
        const sum *s = &b->open[i];
        bool known = s->weight > 0;
        double n[3] = {s->normal[0], s->normal[1], s->normal[2]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        look->known[at + i] = known;
        look->level[at + i] = known ? (float)(s->height / s->weight) : 0;
        look->normal[2 * (at + i)] = signed_code(length > 0 ? n[0] / length : 0);
        look->normal[2 * (at + i) + 1] = signed_code(length > 0 ? n[2] / length : 0);
    }
    memcpy(b->open, b->open + width, width * sizeof *b->open);
    memset(b->open + width, 0, width * sizeof *b->open);
    ++b->line;
}

// The row of cells between the two vertex rows.
static void add_cells(band *b, int64_t cell_row) {
    const kst_look *look = b->look;
    int64_t cells = look->shape.rows - 1, h = look->height;
    int line = (int)(cell_row * h / cells);
    while (b->line < line) close_line(b);
    double inside = (double)((int64_t)(line + 1) * cells - cell_row * h) / (double)h;
    double down[2] = {inside < 1 ? inside : 1, inside < 1 ? 1 - inside : 0};
    double s = look->shape.spacing_m;
    const float *y0 = b->above.y, *x0 = b->above.x, *z0 = b->above.z, *y = b->below.y, *x = b->below.x, *z = b->below.z;
    for (int i = 0; i + 1 < look->shape.columns; ++i) {
        if (b->above.hole[i]) continue;
        // The cross product of the diagonals: twice the mean normal times the area.
        double ax = s, ay = (double)y[i + 1] - y0[i], az = s, bx = -s, by = (double)y[i] - y0[i + 1], bz = s;
        if (x) {
            ax += (double)x[i + 1] - x0[i];
            bx += (double)x[i] - x0[i + 1];
            az += (double)z[i + 1] - z0[i];
            bz += (double)z[i] - z0[i + 1];
        }
        double value[4] = {0.25 * ((double)y0[i] + y0[i + 1] + y[i] + y[i + 1]), by * az - bz * ay, bz * ax - bx * az,
                           bx * ay - by * ax};
        double across[2] = {look->share[i], 1.0 - look->share[i]};
        for (int k = 0; k < 2; ++k)
            for (int m = 0; m < 2; ++m)
                if (down[k] > 0 && across[m] > 0)
                    add_to(&b->open[k * look->width + look->first[i] + m], down[k] * across[m], value);
    }
}

typedef struct reading {
    kst_look *look;
    bool displaced;
    kst_look_row_fn *fn;
    void *context;
} reading;

static bool make_row(const reading *r, kst_arena *arena, row *out) {
    size_t columns = (size_t)r->look->shape.columns;
    *out = (row){.y = kst_arena_alloc(arena, columns * sizeof(float)), .hole = kst_arena_alloc(arena, columns)};
    if (r->displaced) {
        out->x = kst_arena_alloc(arena, columns * sizeof(float));
        out->z = kst_arena_alloc(arena, columns * sizeof(float));
    }
    return out->y && out->hole && (!r->displaced || (out->x && out->z));
}

static void read_band(const reading *r, band *b) {
    // From the cell row that the first line begins in to the one that the last ends in.
    int64_t cells = r->look->shape.rows - 1, h = r->look->height;
    int64_t from = b->first * cells / h, to = (b->end * cells + h - 1) / h;
    b->line = (int)(from * h / cells);
    r->fn(r->context, (int)from, b->above.y, b->above.x, b->above.z, b->above.hole);
    for (int64_t c = from; c < to; ++c) {
        r->fn(r->context, (int)c + 1, b->below.y, b->below.x, b->below.z, b->below.hole);
        add_cells(b, c);
        row swap = b->above;
        b->above = b->below;
        b->below = swap;
    }
    while (b->line < b->end) close_line(b);
}

static karst_status read_bands(int begin, int end, int worker, void *context) {
    (void)worker;
    const reading *r = context;
    kst_arena arena = {0};
    band b = {.look = r->look};
    size_t open = (2 * (size_t)r->look->width + 2) * sizeof *b.open;
    b.open = kst_arena_alloc(&arena, open);
    karst_status status =
        make_row(r, &arena, &b.above) && make_row(r, &arena, &b.below) && b.open ? KARST_OK : KARST_ERROR_MEMORY;
    for (int n = begin; n < end && !status; ++n) {
        b.first = n * BAND_LINES;
        b.end = b.first + BAND_LINES < r->look->height ? b.first + BAND_LINES : r->look->height;
        memset(b.open, 0, open);
        read_band(r, &b);
    }
    kst_arena_free(&arena);
    return status;
}

karst_status kst_look_read(kst_look *look, bool displaced, kst_look_row_fn *fn, void *context, karst_jobs *jobs,
                           const karst_progress *progress) {
    reading r = {look, displaced, fn, context};
    int bands = (look->height + BAND_LINES - 1) / BAND_LINES;
    look->read = true;
    return kst_jobs_run(jobs, bands, 1, read_bands, &r, progress, "maps", 0, 1);
}

// Give every unknown sample the mean of its known neighbours, ring by ring; flat 0 when nothing is known.
static karst_status fill_unknown(kst_look *look) {
    int w = look->width, h = look->height;
    size_t samples = sample_count(look), ring = 0, next = 0;
    for (size_t k = 0; k < samples; ++k) next += look->known[k] != 0;
    if (next == samples || next == 0) return KARST_OK;
    int32_t *queue = kst_alloc_array(NULL, samples, sizeof *queue);
    if (!queue) return KARST_ERROR_MEMORY;
    next = 0;
    for (size_t k = 0; k < samples; ++k)
        if (look->known[k]) queue[next++] = (int32_t)k;
    while (ring < next) {
        size_t end = next;
        for (; ring < end; ++ring) {  // find the unknown round the last ring: mark 2
            int i = queue[ring] % w, j = queue[ring] / w;
            for (int dj = -1; dj <= 1; ++dj)
                for (int di = -1; di <= 1; ++di) {
                    if (i + di < 0 || j + dj < 0 || i + di >= w || j + dj >= h) continue;
                    size_t k = (size_t)(j + dj) * (size_t)w + (size_t)(i + di);
                    if (look->known[k]) continue;
                    look->known[k] = 2;
                    queue[next++] = (int32_t)k;
                }
        }
        for (size_t q = end; q < next; ++q) {
            int i = queue[q] % w, j = queue[q] / w, n = 0;
            double total = 0;
            for (int dj = -1; dj <= 1; ++dj)
                for (int di = -1; di <= 1; ++di) {
                    if (i + di < 0 || j + dj < 0 || i + di >= w || j + dj >= h) continue;
                    size_t k = (size_t)(j + dj) * (size_t)w + (size_t)(i + di);
                    if (look->known[k] != 1) continue;
                    total += look->level[k];
                    ++n;
                }
            look->level[queue[q]] = (float)(total / n);
        }
        for (size_t q = end; q < next; ++q) look->known[queue[q]] = 1;
    }
    kst_free(NULL, queue, samples * sizeof *queue);
    return KARST_OK;
}

static void code_heights(kst_look *look, karst_map *map) {
    size_t samples = (size_t)look->width * (size_t)look->height;
    float low = look->level[0], high = low;
    for (size_t k = 1; k < samples; ++k) {
        low = look->level[k] < low ? look->level[k] : low;
        high = look->level[k] > high ? look->level[k] : high;
    }
    map->offset = low;
    map->scale = high > low ? (high - low) / 65535.0f : 1.0f / 65535.0f;
    for (size_t k = 0; k < samples; ++k) {
        long code = lrint(((double)look->level[k] - low) / map->scale);
        look->code[k] = (uint16_t)(code < 0 ? 0 : code > 65535 ? 65535 : code);
    }
}

karst_status kst_look_build(kst_look *look, karst_jobs *jobs, const karst_progress *progress,
                            karst_map maps[KST_LOOK_MAPS]) {
    KARST_ASSERT(look->read);
    karst_status status = fill_unknown(look);
    if (status) return status;
    double cell = look->shape.spacing_m * (look->shape.columns - 1) / look->width;
    kst_relief_def def = {look->level, look->width, look->height, (float)cell, look->relief};
    status = kst_relief_build(&def, jobs, progress);
    if (status) return status;
    maps[0] = (karst_map){.name = "normal",
                          .width = look->width,
                          .height = look->height,
                          .channels = 2,
                          .sample_bytes = 1,
                          .scale = 1.0f / 127,
                          .offset = -128.0f / 127,
                          .samples = look->normal};
    maps[1] = (karst_map){.name = "relief",
                          .width = look->width,
                          .height = look->height,
                          .channels = 4,
                          .sample_bytes = 1,
                          .scale = 1.0f / 255,
                          .offset = 0,
                          .samples = look->relief};
    maps[2] = (karst_map){.name = "height",
                          .width = look->width,
                          .height = look->height,
                          .channels = 1,
                          .sample_bytes = 2,
                          .samples = look->code};
    code_heights(look, &maps[2]);
    return KARST_OK;
}
