// SPDX-License-Identifier: MIT
// Normals in bulk.
#pragma once
#include "karst/chunk.h"

enum { KST_NORMALS_BLOCK = 64 };

// karst_normal_encode() of `count` vectors of any length, bit for bit what it gives for the unit vector computed in
// float; a zero vector counts as straight up.
void kst_normals_encode(const float *x, const float *y, const float *z, int count, uint16_t *out);
