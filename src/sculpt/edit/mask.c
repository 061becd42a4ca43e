// SPDX-License-Identifier: MIT
// Masks in fields, band by band.
#include "karst/mask.h"

#include <math.h>

#include "edit/bands.h"
#include "op/mask.h"

static size_t tile_at(const kst_band *band, karst_rect tile) {
    return (size_t)(tile.z0 - band->rect.z0) * (size_t)band->stride + (size_t)(tile.x0 - band->rect.x0);
}

// ---- selecting -------------------------------------------------------------------------------------

typedef struct selection {
    karst_field *mask, *from;
    const kst_mask_plan *plan;
    const karst_mask_selection *asked;
} selection;

// 0: what the mask holds; 1: the other mask.
static karst_status read_masks(void *context, int k, karst_rect rect, float *out, int stride) {
    selection *s = context;
    return karst_field_read(k ? s->from : s->mask, rect, out, NULL, NULL, stride);
}

static karst_status select_tile(void *context, const kst_band *band, karst_rect tile, bool *changed) {
    selection *s = context;
    size_t at = tile_at(band, tile), stride = (size_t)band->stride;
    const float *held = band->beside[0] + at, *from = band->beside[1] + at;
    float *out = band->y + at;
    int width = tile.x1 - tile.x0, height = tile.z1 - tile.z0;
    for (int j = 0; j < height; ++j)
        for (int i = 0; i < width; ++i) out[(size_t)j * stride + (size_t)i] = 1;
    karst_status status = KARST_OK;
    for (int k = 0; k < s->asked->count && !status; ++k)
        status = kst_mask_tile(&s->plan[k], &band->samples, tile, from, out, band->stride);
    if (status) return status;
    *changed = false;
    for (int j = 0; j < height; ++j) {
        float *row = out + (size_t)j * stride;
        const float *was = held + (size_t)j * stride;
        for (int i = 0; i < width; ++i)
            row[i] = kst_mask_meet(s->asked->mode, was[i], s->asked->invert ? 1 - row[i] : row[i]);
        *changed |= memcmp(row, was, (size_t)width * sizeof *row) != 0;
    }
    return KARST_OK;
}

static karst_status write_mask(void *context, karst_rect rect, const float *y, const float *x, const float *z,
                               int stride) {
    selection *s = context;
    (void)x;
    (void)z;
    return karst_field_write(s->mask, rect, y, NULL, NULL, stride);
}

static bool same_shape(const karst_field *a, const karst_field *b) {
    karst_field_shape p = karst_field_shape_of(a), q = karst_field_shape_of(b);
    return p.columns == q.columns && p.rows == q.rows;
}

static karst_status run_selection(karst_field *ground, selection *s, karst_rect rect, const kst_mask_plan *plans,
                                  karst_jobs *jobs, const karst_progress *progress) {
    kst_bands bands = {
        .field = ground,
        .rect = rect,
        .stage = "mask",
        .context = s,
        .besides = s->from ? 2 : 1,
        .beside = read_masks,
        .tile = select_tile,
        .write = write_mask,
    };
    for (int k = 0; k < s->asked->count; ++k) {
        int halo = kst_mask_halo(&plans[k]);
        bands.halo = halo > bands.halo ? halo : bands.halo;
        bands.sideways_in |= kst_mask_reads_sideways(&plans[k].def);
    }
    return kst_bands_run(&bands, jobs, progress);
}

karst_status karst_mask_select(karst_field *ground, karst_field *mask, karst_rect rect,
                               const karst_mask_selection *asked, karst_jobs *jobs, const karst_progress *progress) {
    double spacing_m = karst_field_shape_of(ground).spacing_m;
    selection s = {.mask = mask, .asked = asked};
    const karst_mask_def *defs = asked->defs;
    int count = asked->count;
    if (!same_shape(ground, mask)) return KARST_ERROR_ARGUMENT;
    for (int k = 0; k < count; ++k) {
        karst_status status = karst_mask_check(&defs[k], spacing_m, NULL);
        if (status) return status;
        if (defs[k].kind != KARST_MASK_FROM) continue;
        if (s.from) return KARST_ERROR_LIMIT;
        if (!same_shape(ground, defs[k].from)) return KARST_ERROR_ARGUMENT;
        s.from = defs[k].from;
    }
    kst_mask_plan *plans = kst_alloc_array(NULL, (size_t)count + 1, sizeof *plans);
    if (!plans) return KARST_ERROR_MEMORY;
    for (int k = 0; k < count; ++k) kst_mask_plan_make(&defs[k], spacing_m, &plans[k]);
    s.plan = plans;
    karst_status status = run_selection(ground, &s, rect, plans, jobs, progress);
    kst_free(NULL, plans, ((size_t)count + 1) * sizeof *plans);
    return status;
}

// ---- one mask --------------------------------------------------------------------------------------

typedef struct change {
    karst_field *mask;
    kst_blur blur;
    double radius;  // of growing, in vertices
    bool shrink;
} change;

static karst_status write_change(void *context, karst_rect rect, const float *y, const float *x, const float *z,
                                 int stride) {
    change *c = context;
    (void)x;
    (void)z;
    return karst_field_write(c->mask, rect, y, NULL, NULL, stride);
}

static karst_status invert_tile(void *context, const kst_band *band, karst_rect tile, bool *changed) {
    (void)context;
    (void)changed;
    float *out = band->y + tile_at(band, tile);
    for (int32_t j = tile.z0; j < tile.z1; ++j)
        for (int32_t i = tile.x0; i < tile.x1; ++i)
            out[(size_t)(j - tile.z0) * (size_t)band->stride + (size_t)(i - tile.x0)] =
                1 - band->samples.y[kst_samples_index(&band->samples, i, j)];
    return KARST_OK;
}

static karst_status feather_tile(void *context, const kst_band *band, karst_rect tile, bool *changed) {
    change *c = context;
    (void)changed;
    float *out = band->y + tile_at(band, tile);
    karst_status status = kst_blur_tile(&c->blur, &band->samples, band->samples.y, tile, out, band->stride);
    for (int j = 0; j < tile.z1 - tile.z0 && !status; ++j)  // sums of floats are a little off
        for (int i = 0; i < tile.x1 - tile.x0; ++i) {
            float *v = out + (size_t)j * (size_t)band->stride + (size_t)i;
            *v = *v < 0 ? 0 : *v > 1 ? 1 : *v;
        }
    return status;
}

static karst_status grow_tile(void *context, const kst_band *band, karst_rect tile, bool *changed) {
    change *c = context;
    (void)changed;
    return kst_mask_extreme(c->radius, c->shrink, &band->samples, band->samples.y, tile, band->y + tile_at(band, tile),
                            band->stride);
}

static karst_status run_change(change *c, karst_rect rect, int halo,
                               karst_status (*tile)(void *, const kst_band *, karst_rect, bool *), karst_jobs *jobs,
                               const karst_progress *progress) {
    const kst_bands bands = {
        .field = c->mask,
        .rect = rect,
        .halo = halo,
        .stage = "mask",
        .context = c,
        .tile = tile,
        .write = write_change,
    };
    return kst_bands_run(&bands, jobs, progress);
}

karst_status karst_mask_invert(karst_field *mask, karst_rect rect, karst_jobs *jobs, const karst_progress *progress) {
    change c = {.mask = mask};
    return run_change(&c, rect, 0, invert_tile, jobs, progress);
}

karst_status karst_mask_feather(karst_field *mask, karst_rect rect, double radius_m, karst_jobs *jobs,
                                const karst_progress *progress) {
    double spacing_m = karst_field_shape_of(mask).spacing_m;
    change c = {.mask = mask};
    if (!(radius_m > spacing_m) || kst_blur_taps(radius_m, spacing_m) > KST_BLUR_TAPS) return KARST_ERROR_ARGUMENT;
    kst_blur_make(radius_m, spacing_m, &c.blur);
    return run_change(&c, rect, c.blur.taps, feather_tile, jobs, progress);
}

karst_status karst_mask_grow(karst_field *mask, karst_rect rect, double by_m, karst_jobs *jobs,
                             const karst_progress *progress) {
    double radius = fabs(by_m) / karst_field_shape_of(mask).spacing_m;
    if (!(radius <= KARST_MASK_MAX_GROW)) return KARST_ERROR_ARGUMENT;
    if (radius < 1) return KARST_OK;
    change c = {.mask = mask, .radius = radius, .shrink = by_m < 0};
    return run_change(&c, rect, (int)radius, grow_tile, jobs, progress);
}

karst_status karst_mask_share(karst_field *mask, double *share, const karst_progress *progress) {
    karst_field_shape shape = karst_field_shape_of(mask);
    enum { ROWS = KARST_CHUNK_CELLS };
    size_t count = (size_t)shape.columns * ROWS;
    float *y = kst_alloc_array(NULL, count, sizeof *y);
    karst_status status = y ? KARST_OK : KARST_ERROR_MEMORY;
    double sum = 0;
    for (int32_t z = 0; z < shape.rows && !status; z += ROWS) {
        karst_rect rect = {0, z, shape.columns, z + ROWS < shape.rows ? z + ROWS : shape.rows};
        status = kst_progress_step(progress, "measure", (double)z / shape.rows);
        if (!status) status = karst_field_read(mask, rect, y, NULL, NULL, shape.columns);
        size_t here = (size_t)shape.columns * (size_t)(rect.z1 - rect.z0);
        for (size_t k = 0; k < here && !status; ++k) sum += (double)y[k];
    }
    kst_free(NULL, y, count * sizeof *y);
    if (!status) *share = sum / ((double)shape.columns * shape.rows);
    return status;
}
