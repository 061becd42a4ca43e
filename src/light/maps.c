// SPDX-License-Identifier: MIT
// Look maps: rows of the field are box-filtered into map samples as they come, then relief is measured on those.
//
// A sample is the mean over its share of the rest rectangle, holes left out; a share is a whole number of cells
// or not, so cells are split in proportion. Shares of nothing but hole are filled from round about.
#include "light/maps.h"

#include <math.h>

#include "light/relief.h"

typedef struct sum {
    double weight, height, normal[3];
} sum;

struct kst_look {
    karst_field_shape shape;
    int width, height;
    int row;         // vertex rows received
    float *last[3];  // y, x, z of the last vertex row
    uint8_t *last_hole;
    int32_t *first;  // of a cell: the sample it begins in
    float *share;    // of a cell: how much of it lies in that sample
    sum *open;       // two lines of samples: those of line `line` and the next
    int line;
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
static size_t open_count(const kst_look *look) {
    return 2 * (size_t)look->width + 2;
}

karst_status kst_look_create(const karst_field_shape *shape, int map_side, kst_look **out) {
    kst_look *look = kst_alloc_zero(NULL, sizeof *look);
    if (!look) return KARST_ERROR_MEMORY;
    look->shape = *shape;
    kst_look_size(shape->columns, shape->rows, map_side, &look->width, &look->height);
    size_t cells = cell_count(look), samples = sample_count(look);
    bool ok = true;
    for (int k = 0; k < 3; ++k) ok &= (look->last[k] = kst_alloc_zero(NULL, (cells + 1) * sizeof(float))) != NULL;
    ok &= (look->last_hole = kst_alloc_zero(NULL, cells)) != NULL;
    ok &= (look->first = kst_alloc_array(NULL, cells, sizeof *look->first)) != NULL;
    ok &= (look->share = kst_alloc_array(NULL, cells, sizeof *look->share)) != NULL;
    ok &= (look->open = kst_alloc_zero(NULL, open_count(look) * sizeof *look->open)) != NULL;
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
    for (int k = 0; k < 3; ++k) kst_free(NULL, look->last[k], (cells + 1) * sizeof(float));
    kst_free(NULL, look->last_hole, cells);
    kst_free(NULL, look->first, cells * sizeof *look->first);
    kst_free(NULL, look->share, cells * sizeof *look->share);
    kst_free(NULL, look->open, open_count(look) * sizeof *look->open);
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

// Line `line` has all its cells.
static void close_line(kst_look *look) {
    size_t width = (size_t)look->width, at = (size_t)look->line * width;
    for (size_t i = 0; i < width; ++i) {
        const sum *s = &look->open[i];
        bool known = s->weight > 0;
        double n[3] = {s->normal[0], s->normal[1], s->normal[2]};
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        look->known[at + i] = known;
        look->level[at + i] = known ? (float)(s->height / s->weight) : 0;
        look->normal[2 * (at + i)] = signed_code(length > 0 ? n[0] / length : 0);
        look->normal[2 * (at + i) + 1] = signed_code(length > 0 ? n[2] / length : 0);
    }
    memcpy(look->open, look->open + width, width * sizeof *look->open);
    memset(look->open + width, 0, width * sizeof *look->open);
    ++look->line;
}

// The cells between the last vertex row and this one.
static void add_cells(kst_look *look, const float *y, const float *x, const float *z) {
    int64_t cell_row = look->row - 1, cells = look->shape.rows - 1, h = look->height;
    int line = (int)(cell_row * h / cells);
    while (look->line < line) close_line(look);
    double inside = (double)((int64_t)(line + 1) * cells - cell_row * h) / (double)h;
    double down[2] = {inside < 1 ? inside : 1, inside < 1 ? 1 - inside : 0};
    double s = look->shape.spacing_m;
    const float *y0 = look->last[0], *x0 = look->last[1], *z0 = look->last[2];
    for (int i = 0; i + 1 < look->shape.columns; ++i) {
        if (look->last_hole[i]) continue;
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
                    add_to(&look->open[k * look->width + look->first[i] + m], down[k] * across[m], value);
    }
}

void kst_look_add_rows(kst_look *look, int count, const float *y, const float *x, const float *z, int stride,
                       const uint8_t *holes, int hole_stride) {
    size_t columns = (size_t)look->shape.columns;
    KARST_ASSERT(look->row + count <= look->shape.rows && !x == !z);
    for (int r = 0; r < count; ++r, ++look->row) {
        const float *line[3] = {y + (size_t)r * (size_t)stride, x ? x + (size_t)r * (size_t)stride : NULL,
                                z ? z + (size_t)r * (size_t)stride : NULL};
        if (look->row > 0) add_cells(look, line[0], line[1], line[2]);
        for (int k = 0; k < 3; ++k)
            if (line[k]) memcpy(look->last[k], line[k], columns * sizeof(float));
        if (holes)
            memcpy(look->last_hole, holes + (size_t)r * (size_t)hole_stride, columns - 1);
        else
            memset(look->last_hole, 0, columns - 1);
    }
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
    KARST_ASSERT(look->row == look->shape.rows);
    while (look->line < look->height) close_line(look);
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
