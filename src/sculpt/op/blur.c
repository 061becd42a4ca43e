// SPDX-License-Identifier: MIT
// Blur: sums of pairs at equal distance, each told as differences to the middle, so that level ground stays level and
// heights far from 0 lose nothing. A sum runs from the nearest pair outward whatever the tile.
#include "op/blur.h"

#include <math.h>

int kst_blur_taps(double radius_m, double spacing_m) {
    double taps = ceil(radius_m / spacing_m) - 1;  // one at the radius has weight 0
    return taps < 0 ? 0 : taps > INT32_MAX / 4 ? INT32_MAX / 4 : (int)taps;
}

void kst_blur_make(double radius_m, double spacing_m, kst_blur *out) {
    double weight[1 + KST_BLUR_TAPS], total = 0;
    out->taps = kst_blur_taps(radius_m, spacing_m);
    KARST_ASSERT(out->taps >= 1 && out->taps <= KST_BLUR_TAPS);
    for (int k = 0; k <= out->taps; ++k) {
        double away = k * spacing_m / radius_m, w = 1 - away * away;
        weight[k] = w * w * w * w;
        total += k ? 2 * weight[k] : weight[k];
    }
    for (int k = 0; k <= out->taps; ++k) out->share[k] = (float)(weight[k] / total);
}

KST_TWINS static void add_pair(float share, const float *one, const float *other, const float *middle, int count,
                               float *sum) {
    for (int i = 0; i < count; ++i) sum[i] += share * ((one[i] - middle[i]) + (other[i] - middle[i]));
}

KST_TWINS static void add_middle(const float *middle, int count, float *sum) {
    for (int i = 0; i < count; ++i) sum[i] += middle[i];
}

// Row j of the plane, columns of tile; wide has room for the tile's columns and taps more on each side.
static void blur_row(const kst_blur *blur, const kst_samples *s, const float *row, karst_rect tile, float *wide,
                     float *out) {
    int width = tile.x1 - tile.x0, taps = blur->taps;
    for (int32_t i = tile.x0 - taps; i < tile.x1 + taps; ++i)
        wide[i - tile.x0 + taps] = row[kst_mirror(i, s->shape.columns) - s->rect.x0];
    const float *middle = wide + taps;
    memset(out, 0, (size_t)width * sizeof *out);
    for (int k = 1; k <= taps; ++k) add_pair(blur->share[k], middle - k, middle + k, middle, width, out);
    add_middle(middle, width, out);
}

karst_status kst_blur_tile(const kst_blur *blur, const kst_samples *s, const float *plane, karst_rect tile, float *out,
                           int stride) {
    int width = tile.x1 - tile.x0, taps = blur->taps;
    int32_t top = tile.z0 - taps > 0 ? tile.z0 - taps : 0;
    int32_t end = tile.z1 + taps < s->shape.rows ? tile.z1 + taps : s->shape.rows;
    size_t w = (size_t)width, wide_count = w + 2 * (size_t)taps, count = w * (size_t)(end - top) + wide_count;
    float *memory = kst_alloc_array(NULL, count, sizeof *memory);
    if (!memory) return KARST_ERROR_MEMORY;
    float *wide = memory, *across = memory + wide_count;
    for (int32_t j = top; j < end; ++j)
        blur_row(blur, s, plane + (size_t)(j - s->rect.z0) * (size_t)s->stride, tile, wide,
                 across + (size_t)(j - top) * w);
    for (int32_t j = tile.z0; j < tile.z1; ++j) {
        float *to = out + (size_t)(j - tile.z0) * (size_t)stride;
        const float *middle = across + (size_t)(j - top) * w;
        memset(to, 0, w * sizeof *to);
        for (int k = 1; k <= taps; ++k) {
            int32_t up = kst_mirror(j - k, s->shape.rows), down = kst_mirror(j + k, s->shape.rows);
            add_pair(blur->share[k], across + (size_t)(up - top) * w, across + (size_t)(down - top) * w, middle, width,
                     to);
        }
        add_middle(middle, width, to);
    }
    kst_free(NULL, memory, count * sizeof *memory);
    return KARST_OK;
}
