// SPDX-License-Identifier: MIT
// Filters on a canvas, band by band.
#include "karst/filter.h"

#include <math.h>

#include "edit/bands.h"
#include "op/filter.h"

typedef struct work {
    const karst_canvas *canvas;
    kst_filter_plan plan;
    int64_t changed;     // these two from all threads: no order shows in a count and a maximum
    uint32_t most_bits;  // of a float that is not negative: as whole numbers they have the same order
} work;

static karst_status read_mask(void *context, int k, karst_rect rect, float *out, int stride) {
    work *w = context;
    (void)k;
    return karst_canvas_read_mask(w->canvas, rect, out, stride);
}

static void count_changes(work *w, const kst_band *band, karst_rect tile, const kst_planes *out) {
    const kst_samples *s = &band->samples;
    int64_t changed = 0;
    float most = 0;
    for (int32_t j = tile.z0; j < tile.z1; ++j)
        for (int32_t i = tile.x0; i < tile.x1; ++i) {
            size_t old = kst_samples_index(s, i, j);
            size_t at = (size_t)(j - tile.z0) * (size_t)out->stride + (size_t)(i - tile.x0);
            bool moved = memcmp(&s->y[old], &out->y[at], sizeof(float)) != 0;
            if (out->x) moved |= out->x[at] != (s->x ? s->x[old] : 0) || out->z[at] != (s->z ? s->z[old] : 0);
            changed += moved;
            most = fmaxf(most, fabsf(out->y[at] - s->y[old]));
        }
    uint32_t bits, before = __atomic_load_n(&w->most_bits, __ATOMIC_RELAXED);
    memcpy(&bits, &most, sizeof bits);
    while (bits > before &&
           !__atomic_compare_exchange_n(&w->most_bits, &before, bits, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    __atomic_fetch_add(&w->changed, changed, __ATOMIC_RELAXED);
}

static karst_status fill_tile(void *context, const kst_band *band, karst_rect tile, bool *changed) {
    work *w = context;
    size_t at = (size_t)(tile.z0 - band->rect.z0) * (size_t)band->stride + (size_t)(tile.x0 - band->rect.x0);
    bool sideways = band->samples.x || kst_filter_writes_sideways(&w->plan.def);
    kst_planes out = {band->y + at, sideways ? band->x + at : NULL, sideways ? band->z + at : NULL, band->stride};
    const float *mask = w->canvas->mask ? band->beside[0] + at : NULL;
    karst_status status = kst_filter_tile(&w->plan, &band->samples, mask, tile, &out, changed);
    if (!status && *changed) count_changes(w, band, tile, &out);
    return status;
}

static karst_status write_out(void *context, karst_rect rect, const float *y, const float *x, const float *z,
                              int stride) {
    work *w = context;
    return karst_canvas_write(w->canvas, rect, y, x, z, stride);
}

karst_status karst_filter_apply(const karst_canvas *canvas, karst_rect rect, const karst_filter_def *def,
                                karst_jobs *jobs, const karst_progress *progress, karst_filter_info *info) {
    double spacing_m = karst_field_shape_of(canvas->shown).spacing_m;
    karst_status status = karst_filter_check(def, spacing_m, NULL);
    if (status) return status;
    work w = {.canvas = canvas};
    kst_filter_plan_make(def, spacing_m, &w.plan);
    const kst_bands bands = {
        .field = canvas->shown,
        .rect = rect,
        .halo = kst_filter_halo(&w.plan),
        .sideways_in = kst_filter_reads_sideways(def),
        .sideways_out = kst_filter_writes_sideways(def),
        .stage = "filter",
        .context = &w,
        .besides = canvas->mask != NULL,
        .beside = read_mask,
        .tile = fill_tile,
        .write = write_out,
    };
    status = kst_bands_run(&bands, jobs, progress);
    if (status || !info) return status;
    info->changed = w.changed;
    memcpy(&info->most_m, &w.most_bits, sizeof info->most_m);
    return KARST_OK;
}
