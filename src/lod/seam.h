// SPDX-License-Identifier: MIT
// Seam, inner: what the scenes ask.
#pragma once
#include "karst/seam.h"
#include "lod.h"

enum { KST_SEAM_NONE = -1 };

// Lattice of the field that the seam is in.
const karst_lattice *kst_seam_lattice(const karst_seam *seam);
// The number of corner (column, row), or KST_SEAM_NONE. guess: where it may be found, any number.
int32_t kst_seam_find(const karst_seam *seam, int32_t column, int32_t row, int32_t guess);
// The level of a corner, as the net counts.
float kst_seam_level_at(const karst_seam *seam, int32_t corner);

// As the field counts: a vertex that vanishes at level n has the weight clamp(result - n, 0, 1), which is the net's
// clamp(level - 2 n, 0, 1) to the bit, and strides change at the same places.
static inline float kst_seam_lambda(float level) {
    int n = (int)level / 2;
    return (float)n + kst_less(level - (float)(2 * n), 1);
}

// Give the corners of a leaf of level 0 that are on seams their levels, but for those that a coarser leaf touches.
// @return whether there is any
bool kst_seam_take(const karst_seam *seam, const kst_cut *cut, const kst_leaf *leaf, float levels[KARST_CORNER_LANES]);
