// SPDX-License-Identifier: MIT
// The rows of a dab: sums over its footprint, and the change.
//
// Images that overlap work on the same ground at once: a vertex goes the mean of what they would do, weighted, as far
// as the strongest alone would take it. So the order of images does not matter, and a dab on the plane of its own
// mirror is one dab.
#include "edit/image.h"

// Scratch rows; 0 is delta.c's.
enum { RX = 1, RY, RZ, WEIGHT, DX, DY, DZ, SUM, MOST, SX, SY, SZ };

static kst_span span_of(const kst_strip *s, int32_t row, int32_t x0, int32_t x1, int worker) {
    return (kst_span){row,
                      x0,
                      x1,
                      kst_scratch_row(s, worker, RX),
                      kst_scratch_row(s, worker, RY),
                      kst_scratch_row(s, worker, RZ),
                      kst_scratch_row(s, worker, WEIGHT)};
}

void kst_brush_look(const kst_strip *s, int32_t row, int32_t x0, int32_t x1, int worker, void *context) {
    const kst_brush_run *run = context;
    kst_span span = span_of(s, row, x0, x1, worker);
    if (!kst_weigh(s, run, run->image, &span)) return;
    double *sum = s->sums + (size_t)(row - s->rect.z0) * KST_STRIP_SUMS;
    for (int i = 0; i < x1 - x0; ++i) {
        double w = span.weight[i];
        if (!(w > 0)) continue;
        karst_pos n = kst_vertex_normal(s, x0 + i, row);
        sum[0] += w;
        sum[1] += w * span.rx[i], sum[2] += w * span.ry[i], sum[3] += w * span.rz[i];
        sum[4] += w * n.x, sum[5] += w * n.y, sum[6] += w * n.z;
    }
}

// new = old + share * delta where share is not 0.
KST_TWINS static void add(const kst_strip *s, int32_t row, int32_t x0, int count, const double *share, const double *dx,
                          const double *dy, const double *dz) {
    size_t from = kst_old_at(s, x0, row), to = kst_new_at(s, x0, row);
    const float *ox = s->x + from, *oy = s->y + from, *oz = s->z + from;
    float *nx = s->new_x + to, *ny = s->new_y + to, *nz = s->new_z + to;
    for (int i = 0; i < count; ++i) {
        bool moves = share[i] != 0;
        float x = (float)((double)ox[i] + share[i] * dx[i]), y = (float)((double)oy[i] + share[i] * dy[i]),
              z = (float)((double)oz[i] + share[i] * dz[i]);
        nx[i] = moves ? x : ox[i];
        ny[i] = moves ? y : oy[i];
        nz[i] = moves ? z : oz[i];
    }
}

static void mask_weights(const kst_strip *s, int32_t row, int32_t x0, int count, double *weight) {
    if (!s->mask) return;
    const float *mask = s->mask + kst_new_at(s, x0, row);
    for (int i = 0; i < count; ++i) weight[i] *= (double)mask[i];
}

static void one_image(const kst_strip *s, const kst_brush_run *run, kst_span *span, int worker) {
    int count = span->x1 - span->x0;
    double *dx = kst_scratch_row(s, worker, DX), *dy = kst_scratch_row(s, worker, DY),
           *dz = kst_scratch_row(s, worker, DZ);
    if (!kst_weigh(s, run, run->image, span)) return;
    kst_brush_delta(s, run, run->image, span, worker, dx, dy, dz);
    mask_weights(s, span->row, span->x0, count, span->weight);
    add(s, span->row, span->x0, count, span->weight, dx, dy, dz);
}

static void many_images(const kst_strip *s, const kst_brush_run *run, kst_span *span, int worker) {
    int count = span->x1 - span->x0;
    double *dx = kst_scratch_row(s, worker, DX), *dy = kst_scratch_row(s, worker, DY),
           *dz = kst_scratch_row(s, worker, DZ), *sum = kst_scratch_row(s, worker, SUM),
           *most = kst_scratch_row(s, worker, MOST), *sx = kst_scratch_row(s, worker, SX),
           *sy = kst_scratch_row(s, worker, SY), *sz = kst_scratch_row(s, worker, SZ);
    for (int i = 0; i < count; ++i) sum[i] = most[i] = sx[i] = sy[i] = sz[i] = 0;
    kst_mix mix = {sum, most, sx, sy, sz};
    bool any = false;
    for (int k = 0; k < run->image_count; ++k) {
        if (!kst_weigh(s, run, &run->image[k], span)) continue;
        any = true;
        kst_brush_delta(s, run, &run->image[k], span, worker, dx, dy, dz);
        kst_mix_add(&mix, count, span->weight, dx, dy, dz);
    }
    if (!any) return;
    kst_mix_shares(&mix, count);
    mask_weights(s, span->row, span->x0, count, sum);
    add(s, span->row, span->x0, count, sum, sx, sy, sz);
}

// Values 0..1 of a sheet: up or down by the strongest image's amount, of any image.
static void paint(const kst_strip *s, const kst_brush_run *run, kst_span *span, int worker) {
    int count = span->x1 - span->x0;
    double *most = kst_scratch_row(s, worker, MOST);
    for (int i = 0; i < count; ++i) most[i] = 0;
    for (int k = 0; k < run->image_count; ++k) {
        if (!kst_weigh(s, run, &run->image[k], span)) continue;
        for (int i = 0; i < count; ++i) most[i] = span->weight[i] > most[i] ? span->weight[i] : most[i];
    }
    mask_weights(s, span->row, span->x0, count, most);
    size_t at = kst_new_at(s, span->x0, span->row);
    for (int i = 0; i < count; ++i) {
        if (!(most[i] > 0)) continue;
        double value = (double)s->ref_y[at + (size_t)i] + run->image[0].amount * most[i];
        s->new_y[at + (size_t)i] = (float)(value < 0 ? 0 : value > 1 ? 1 : value);
    }
}

void kst_brush_change(const kst_strip *s, int32_t row, int32_t x0, int32_t x1, int worker, void *context) {
    const kst_brush_run *run = context;
    kst_span span = span_of(s, row, x0, x1, worker);
    if (run->def->paint)
        paint(s, run, &span, worker);
    else if (run->image_count == 1)
        one_image(s, run, &span, worker);
    else
        many_images(s, run, &span, worker);
}
