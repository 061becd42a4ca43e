// SPDX-License-Identifier: MIT
// Resample, one axis: cubics through the samples where it gets finer, tents where it gets coarser.
#include "op/resample.h"

#include <math.h>

static double tent(double t) {
    t = fabs(t);
    return t < 1 ? 1 - t : 0;
}

// Catmull-Rom: a cubic of four samples with the slope of its neighbours at each.
static double cubic(double t) {
    t = fabs(t);
    if (t < 1) return 1 + t * t * (1.5 * t - 2.5);
    if (t < 2) return 2 + t * (-4 + t * (2.5 - 0.5 * t));
    return 0;
}

// Shares of input samples low .. high in an output sample at `at`, into share[0 .. high - low]. Their sum is 1 and
// their middle is at, so that a slope stays a slope; where that is off, as with a tent of any width, they are tilted.
static void fill_shares(double at, double wide, double (*kernel)(double), int64_t low, int64_t high, double *share) {
    double total = 0, first = 0, second = 0;
    for (int64_t i = low; i <= high; ++i) {
        double away = (double)(i - (int64_t)floor(at)) - (at - floor(at)), s = kernel(away / wide);
        share[i - low] = s;
        total += s;
        first += s * away;
        second += s * away * away;
    }
    double tilt = second > 0 ? -first / second : 0;
    total += tilt * first;
    for (int64_t i = low; i <= high; ++i) {
        double away = (double)(i - (int64_t)floor(at)) - (at - floor(at));
        share[i - low] *= (1 + tilt * away) / total;
    }
}

static karst_status make(int inputs, int count, double start, double step, double (*kernel)(double), double reach,
                         kst_resample_axis *out) {
    KARST_ASSERT(inputs >= 1 && count >= 1 && step > 0);
    double wide = step > 1 ? step : 1;
    size_t across = (size_t)ceil(2 * reach * wide) + 1;
    int taps = across < (size_t)inputs ? (int)across : inputs;
    kst_resample_axis a = {.count = count, .taps = taps};
    a.first = kst_alloc_array(NULL, (size_t)count, sizeof *a.first);
    a.share = kst_alloc_array(NULL, (size_t)count, (size_t)taps * sizeof *a.share);
    double *share = kst_alloc_array(NULL, across, sizeof *share);
    karst_status status = a.first && a.share && share ? KARST_OK : KARST_ERROR_MEMORY;
    for (int k = 0; k < count && !status; ++k) {
        double at = fmin(fmax(start + k * step, 0), inputs - 1);
        int64_t low = (int64_t)floor(at - reach * wide) + 1, high = (int64_t)ceil(at + reach * wide) - 1;
        int64_t first = low < 0 ? 0 : low > inputs - taps ? inputs - taps : low;
        float *sum = a.share + (size_t)k * (size_t)taps;
        fill_shares(at, wide, kernel, low, high, share);
        memset(sum, 0, (size_t)taps * sizeof *sum);
        for (int64_t i = low; i <= high; ++i) {  // what lies beyond the rim is the rim's
            int64_t in = i < 0 ? 0 : i > inputs - 1 ? inputs - 1 : i;
            sum[in - first] += (float)share[i - low];
        }
        a.first[k] = (int32_t)first;
    }
    kst_free(NULL, share, across * sizeof *share);
    if (status)
        kst_resample_axis_free(&a);
    else
        *out = a;
    return status;
}

karst_status kst_resample_axis_make(int inputs, int count, double start, double step, kst_resample_axis *out) {
    bool coarser = step > 1;
    return make(inputs, count, start, step, coarser ? tent : cubic, coarser ? 1 : 2, out);
}

karst_status kst_resample_axis_make_linear(int inputs, int count, double start, double step, kst_resample_axis *out) {
    return make(inputs, count, start, step, tent, 1, out);
}

void kst_resample_axis_free(kst_resample_axis *axis) {
    size_t count = (size_t)axis->count;
    kst_free(NULL, axis->first, count * sizeof *axis->first);
    kst_free(NULL, axis->share, count * (size_t)axis->taps * sizeof *axis->share);
    *axis = (kst_resample_axis){0};
}

// A share of 0 adds nothing and one of 1 alone gives the sample itself, so that samples both have keep their bits.
void kst_resample_row(const kst_resample_axis *axis, const float *in, float *out) {
    for (int k = 0; k < axis->count; ++k) {
        const float *share = axis->share + (size_t)k * (size_t)axis->taps, *from = in + axis->first[k];
        float sum = 0;
        for (int t = 0; t < axis->taps; ++t) sum += share[t] * from[t];
        out[k] = sum;
    }
}

KST_TWINS void kst_resample_rows(const kst_resample_axis *axis, int k, const float *const *rows, int width,
                                 float *out) {
    const float *share = axis->share + (size_t)k * (size_t)axis->taps;
    for (int i = 0; i < width; ++i) out[i] = share[0] * rows[0][i];
    for (int t = 1; t < axis->taps; ++t) {
        const float *row = rows[t];
        float s = share[t];
        for (int i = 0; i < width; ++i) out[i] += s * row[i];
    }
}
