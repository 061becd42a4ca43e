// SPDX-License-Identifier: MIT
// Sky: the share of an overcast sky that each sample of a grid sees.
//
// The mean over 16 azimuths of what the horizon leaves of cos-weighted light. Offsets are rounded to whole samples, so
// a whole row takes the same step and the loops run over contiguous memory.
#pragma once
#include <stddef.h>

#include "core/core.h"

enum { KST_SKY_AZIMUTHS = 16, KST_SKY_STEPS_MAX = 24, KST_SKY_REACH = 160 };  // reach: samples looked at round each

typedef struct kst_sky_step {
    int dx, dz;   // samples
    float per_m;  // 1 / distance
} kst_sky_step;

typedef struct kst_sky {
    float cell_m;  // between samples at rest
    int step_count;
    kst_sky_step step[KST_SKY_AZIMUTHS][KST_SKY_STEPS_MAX];
} kst_sky;

// Samples with KST_SKY_REACH more on every side: pointers to the first of a row, `stride` samples from row to row.
typedef struct kst_sky_rows {
    const float *y, *x, *z;  // height and sideways displacement [m]; x and z NULL: none
    ptrdiff_t stride;
} kst_sky_rows;

void kst_sky_make(kst_sky *sky, float cell_m);
// share receives 0..1 of count samples of the row. scratch: 2 * count floats. Threads: any. Displaced, a walk along the
// grid meets what leans toward a sample, but not all of a roof over it: there share is too bright.
void kst_sky_look(const kst_sky *sky, const kst_sky_rows *row, int count, float *scratch, float *share);
