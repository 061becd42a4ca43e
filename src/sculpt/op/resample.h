// SPDX-License-Identifier: MIT
// Resample, one axis: which input samples an output sample is made of, and their shares.
#pragma once
#include "core/core.h"

// Output sample k lies at start + k * step in input samples.
typedef struct kst_resample_axis {
    int count, taps;  // output samples; input samples each is made of
    int32_t *first;   // count; first[k] + taps is at most the input's count
    float *share;     // count * taps
} kst_resample_axis;

// Between samples a cubic through them (Catmull and Rom, "A Class of Local Interpolating Splines", 1974), beyond the
// rim the rim's value; where step is above 1 means under a tent of half width step. inputs >= 1, step > 0.
// KARST_ERROR_MEMORY; then nothing is to be freed.
karst_status kst_resample_axis_make(int inputs, int count, double start, double step, kst_resample_axis *out);
// The same with straight lines between samples.
karst_status kst_resample_axis_make_linear(int inputs, int count, double start, double step, kst_resample_axis *out);
void kst_resample_axis_free(kst_resample_axis *axis);

// in: the axis' inputs, out: its count.
void kst_resample_row(const kst_resample_axis *axis, const float *in, float *out);
// Output row k of the other axis: rows first[k] .. first[k] + taps - 1 of input, each `width` values.
void kst_resample_rows(const kst_resample_axis *axis, int k, const float *const *rows, int width, float *out);
