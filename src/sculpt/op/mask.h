// SPDX-License-Identifier: MIT
// Masks, inside: answers of a tile of vertices, and what mask values become.
#pragma once
#include "karst/mask.h"
#include "op/blur.h"
#include "op/noise.h"

typedef struct kst_mask_plan {
    karst_mask_def def;
    kst_blur blur;
    kst_noise_plan noise;
    const kst_noise_kernel *kernel;
} kst_mask_plan;

// def must be in range for the spacing.
void kst_mask_plan_make(const karst_mask_def *def, double spacing_m, kst_mask_plan *out);
// Vertices that must be there on each side of a tile, within the ground.
int kst_mask_halo(const kst_mask_plan *plan);
// Whether x and z are read.
bool kst_mask_reads_sideways(const karst_mask_def *def);

// Lower out to what the vertices of tile answer where that is less. from: of kind from, the other mask, laid out as
// out.
// @return KARST_ERROR_MEMORY
karst_status kst_mask_tile(const kst_mask_plan *plan, const kst_samples *s, karst_rect tile, const float *from,
                           float *out, int stride);

// What a mask that holds a becomes when b is selected.
float kst_mask_meet(karst_mask_mode mode, float a, float b);

// The largest value of plane within radius vertices of each vertex of tile, or the smallest; beyond the ground there is
// none. Values are 0..1; s->rect must hold floor(radius) more on each side, within the ground.
// @return KARST_ERROR_MEMORY
karst_status kst_mask_extreme(double radius, bool smallest, const kst_samples *s, const float *plane, karst_rect tile,
                              float *out, int stride);
