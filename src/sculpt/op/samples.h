// SPDX-License-Identifier: MIT
// Samples: vertices of a part of a ground in arrays, and what can be told of one vertex from those beside it.
#pragma once
#include "core/core.h"
#include "karst/field.h"
#include "op/noise.h"

typedef struct kst_samples {
    karst_field_shape shape;  // of the whole ground
    karst_rect rect;          // columns and rows that the arrays hold, within the ground
    const float *y, *x, *z;   // displacement [m]; x and z NULL: none sideways
    int stride;               // floats a row
} kst_samples;

// Index of vertex (i, j), which must lie in rect.
static inline size_t kst_samples_index(const kst_samples *s, int32_t i, int32_t j) {
    return (size_t)(j - s->rect.z0) * (size_t)s->stride + (size_t)(i - s->rect.x0);
}
// World height [m].
static inline double kst_samples_height(const kst_samples *s, size_t index) {
    return s->shape.origin.y + (double)s->y[index];
}

// The line of count vertices mirrored at its ends: i for any i.
static inline int32_t kst_mirror(int32_t i, int32_t count) {
    int32_t period = 2 * (count - 1);
    i %= period;
    if (i < 0) i += period;
    return i < count ? i : period - i;
}

// Normal of vertex (i, j) from the four beside it, at the border from those there are; of any length, (0, 1, 0) where
// ground is folded to a line. rect must hold the vertices beside it.
karst_vec3 kst_samples_normal(const kst_samples *s, int32_t i, int32_t j);

// Noise at count vertices of row j from column i on, at most KST_NOISE_BLOCK: at the world places where they are, in
// the plane or, if the plan says so, in space. A vertex that is not displaced has the value of the grid, whatever is
// beside it.
void kst_samples_noise(const kst_samples *s, const kst_noise_plan *plan, const kst_noise_kernel *kernel, int32_t i,
                       int32_t j, int count, float *out);

// The angle of (cosine, sine) of any common length, sine >= 0 [degrees], 0..180. After Abramowitz and Stegun, 4.4.49,
// whose error is 2e-8; made of operations that are exact everywhere, so its bits are.
double kst_angle_deg(double cosine, double sine);
