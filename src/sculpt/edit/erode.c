// SPDX-License-Identifier: MIT
// Erosion of a canvas: its ground, mask and holes as arrays, and the result back.
//
// Some ground round the rect is read with it and left as it is, so that rivers come in and leave where they would.
#include "karst/erode.h"

#include <math.h>

#include "core/core.h"

enum { ROUND = 64, FADE = 24, BINS = 4096 };  // vertices, vertices, of a histogram

typedef struct area {
    const karst_canvas *canvas;
    karst_field_shape shape;
    karst_rect rect, all;  // asked for, and with the ground round it
    int width, height;     // of all
    size_t count;
    float *y, *x, *z, *mask, *hardness, *wear, *deposit;
    uint8_t *holes;
} area;

static void area_free(area *a) {
    float *planes[] = {a->y, a->x, a->z, a->mask, a->hardness, a->wear, a->deposit};
    for (size_t k = 0; k < sizeof planes / sizeof *planes; ++k) kst_free(NULL, planes[k], a->count * sizeof(float));
    kst_free(NULL, a->holes, a->count);
}

static bool area_alloc(area *a) {
    float **planes[] = {&a->y, &a->x, &a->z, &a->mask, &a->hardness, &a->wear, &a->deposit};
    bool there = true;
    for (size_t k = 0; k < sizeof planes / sizeof *planes; ++k)
        there = (*planes[k] = kst_alloc_array(NULL, a->count, sizeof(float))) && there;
    a->holes = kst_alloc_zero(NULL, a->count);
    return there && a->holes;
}

static int clamp(int v, int low, int high) {
    return v < low ? low : v > high ? high : v;
}

// ---- what may change -------------------------------------------------------------------------------

// 0 at the border of the rect .. 1 deep inside, where that border lies inside the ground.
static float fade(int from_border) {
    if (from_border < 0) return 0;
    float t = ((float)from_border + 0.5f) / FADE;
    return t >= 1 ? 1 : t * t * (3 - 2 * t);
}

static void fade_mask(area *a) {
    for (int j = 0; j < a->height; ++j)
        for (int i = 0; i < a->width; ++i) {
            int x = a->all.x0 + i, z = a->all.z0 + j;
            float left = a->rect.x0 > 0 ? fade(x - a->rect.x0) : 1, top = a->rect.z0 > 0 ? fade(z - a->rect.z0) : 1;
            float right = a->rect.x1 < a->shape.columns ? fade(a->rect.x1 - 1 - x) : 1;
            float bottom = a->rect.z1 < a->shape.rows ? fade(a->rect.z1 - 1 - z) : 1;
            a->mask[(size_t)j * (size_t)a->width + (size_t)i] *= left * right * (top * bottom);
        }
}

// A cell that is a hole keeps its corners.
static void mask_holes(area *a) {
    size_t w = (size_t)a->width;
    for (int j = 0; j + 1 < a->height; ++j)
        for (int i = 0; i + 1 < a->width; ++i) {
            size_t k = (size_t)j * w + (size_t)i;
            if (a->holes[k]) a->mask[k] = a->mask[k + 1] = a->mask[k + w] = a->mask[k + w + 1] = 0;
        }
}

static bool is_displaced(const area *a) {
    for (size_t k = 0; k < a->count; ++k)
        if (a->x[k] != 0 || a->z[k] != 0) return true;
    return false;
}

static karst_status area_read(area *a, karst_field *hardness) {
    karst_rect cells = {a->all.x0, a->all.z0, a->all.x1 - 1, a->all.z1 - 1};
    karst_status status = karst_field_read(a->canvas->shown, a->all, a->y, a->x, a->z, a->width);
    if (!status) status = karst_canvas_read_mask(a->canvas, a->all, a->mask, a->width);
    if (!status) status = karst_field_read_holes(a->canvas->shown, cells, a->holes, a->width);
    if (!status && hardness) status = karst_field_read(hardness, a->all, a->hardness, NULL, NULL, a->width);
    if (status) return status;
    fade_mask(a);
    mask_holes(a);
    return KARST_OK;
}

// ---- sheets ----------------------------------------------------------------------------------------

static size_t in_rect(const area *a, int i, int j) {  // vertex (i, j) of the rect
    return (size_t)(j + a->rect.z0 - a->all.z0) * (size_t)a->width + (size_t)(i + a->rect.x0 - a->all.x0);
}

// The depth that 95 of 100 vertices that have any do not reach.
static float full_depth(const area *a, const float *depth) {
    int width = a->rect.x1 - a->rect.x0, height = a->rect.z1 - a->rect.z0;
    float most = 0;
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) most = fmaxf(most, depth[in_rect(a, i, j)]);
    if (most <= 0) return 0;
    int64_t bin[BINS] = {0}, count = 0, seen = 0;
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
            float d = depth[in_rect(a, i, j)];
            if (d <= 0) continue;
            ++bin[clamp((int)(d / most * BINS), 0, BINS - 1)];
            ++count;
        }
    int last = 0;
    for (; last < BINS - 1 && (seen += bin[last]) * 100 < count * 95; ++last) {
    }
    return most * (float)(last + 1) / BINS;
}

static karst_status write_sheet(const area *a, karst_field *sheet, float *depth, float *full_m) {
    int width = a->rect.x1 - a->rect.x0, height = a->rect.z1 - a->rect.z0;
    *full_m = full_depth(a, depth);
    if (!sheet) return KARST_OK;
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) {
            float *d = &depth[in_rect(a, i, j)];
            *d = *full_m > 0 ? fminf(*d / *full_m, 1) : 0;
        }
    return karst_field_write(sheet, a->rect, depth + in_rect(a, 0, 0), NULL, NULL, a->width);
}

// ---- all -------------------------------------------------------------------------------------------

static int64_t count_masked(const area *a) {
    int64_t masked = 0;
    for (int j = 0; j < a->rect.z1 - a->rect.z0; ++j)
        for (int i = 0; i < a->rect.x1 - a->rect.x0; ++i) masked += a->mask[in_rect(a, i, j)] <= 0;
    return masked;
}

static karst_status run(area *a, const karst_erosion_def *def, const karst_erosion_sheets *sheets, karst_jobs *jobs,
                        const karst_progress *progress, karst_canvas_erosion *out) {
    karst_status status = area_read(a, sheets->hardness);
    if (status) return status;
    out->masked = count_masked(a);
    bool displaced = is_displaced(a);
    karst_erosion_ground ground = {.width = a->width,
                                   .height = a->height,
                                   .cell_m = (float)a->shape.spacing_m,
                                   .height_m = a->y,
                                   .aside_x_m = displaced ? a->x : NULL,
                                   .aside_z_m = displaced ? a->z : NULL,
                                   .mask = a->mask,
                                   .hardness = sheets->hardness ? a->hardness : NULL,
                                   .wear_m = a->wear,
                                   .deposit_m = a->deposit};
    status = karst_pits_find(a->width, a->height, a->y, jobs, progress, &out->before);
    if (!status) status = karst_erode(&ground, def, jobs, progress, &out->result);
    if (!status) status = karst_pits_find(a->width, a->height, a->y, jobs, progress, &out->after);
    if (!status) status = karst_canvas_write(a->canvas, a->rect, a->y + in_rect(a, 0, 0), NULL, NULL, a->width);
    if (!status) status = write_sheet(a, sheets->wear, a->wear, &out->wear_full_m);
    if (!status) status = write_sheet(a, sheets->deposit, a->deposit, &out->deposit_full_m);
    return status;
}

karst_status karst_canvas_erode(const karst_canvas *canvas, karst_rect rect, const karst_erosion_def *def,
                                const karst_erosion_sheets *sheets, karst_jobs *jobs, const karst_progress *progress,
                                karst_canvas_erosion *out) {
    area a = {.canvas = canvas, .shape = karst_field_shape_of(canvas->shown), .rect = rect};
    KARST_ASSERT(rect.x0 >= 0 && rect.z0 >= 0 && rect.x1 <= a.shape.columns && rect.z1 <= a.shape.rows);
    KARST_ASSERT(rect.x1 - rect.x0 >= 2 && rect.z1 - rect.z0 >= 2);
    a.all = (karst_rect){clamp(rect.x0 - ROUND, 0, a.shape.columns), clamp(rect.z0 - ROUND, 0, a.shape.rows),
                         clamp(rect.x1 + ROUND, 0, a.shape.columns), clamp(rect.z1 + ROUND, 0, a.shape.rows)};
    a.width = a.all.x1 - a.all.x0;
    a.height = a.all.z1 - a.all.z0;
    a.count = (size_t)a.width * (size_t)a.height;
    const karst_erosion_sheets none = {0};
    karst_canvas_erosion told = {0};
    karst_status status = area_alloc(&a) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = run(&a, def, sheets ? sheets : &none, jobs, progress, &told);
    if (!status && out) *out = told;
    area_free(&a);
    return status;
}
