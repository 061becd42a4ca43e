// SPDX-License-Identifier: MIT
// Filters, inside: what becomes of a tile of vertices.
#pragma once
#include "karst/filter.h"
#include "op/blur.h"
#include "op/noise.h"

typedef struct kst_filter_plan {
    karst_filter_def def;
    kst_blur blur;
    kst_noise_plan noise;
    const kst_noise_kernel *kernel;
} kst_filter_plan;

// def must be in range for the spacing.
void kst_filter_plan_make(const karst_filter_def *def, double spacing_m, kst_filter_plan *out);

// Vertices that must be there on each side of a tile, within the ground.
int kst_filter_halo(const kst_filter_plan *plan);
// Whether x and z of displaced ground are read, and whether they are written even where ground is not displaced.
bool kst_filter_reads_sideways(const karst_filter_def *def);
bool kst_filter_writes_sideways(const karst_filter_def *def);

// Planes of a tile, each with `stride` floats a row.
typedef struct kst_planes {
    float *y, *x, *z;  // x and z NULL: not told
    int stride;
} kst_planes;

// Fill out with what becomes of the vertices of tile: all planes that there are, unchanged bits where mask is 0. mask:
// 0..1 of the tile's vertices, out->stride floats a row; NULL: 1. *changed: whether the mask let anything through.
// @return KARST_ERROR_MEMORY
karst_status kst_filter_tile(const kst_filter_plan *plan, const kst_samples *s, const float *mask, karst_rect tile,
                             const kst_planes *out, bool *changed);
