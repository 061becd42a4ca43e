// SPDX-License-Identifier: MIT
// Blur: the weighted mean round each sample, along rows and then down columns.
#pragma once
#include "op/samples.h"

enum { KST_BLUR_TAPS = 1024 };  // most

// Weights (1 - (distance / radius)^2)^4, near a bell curve of a third of the radius, 0 from the radius on.
typedef struct kst_blur {
    int taps;                        // samples to each side
    float share[1 + KST_BLUR_TAPS];  // of one sample `k` away, all together 1
} kst_blur;

// Samples to each side that a radius takes in; 0: none but the middle one.
int kst_blur_taps(double radius_m, double spacing_m);
// Taps must be within 1..KST_BLUR_TAPS.
void kst_blur_make(double radius_m, double spacing_m, kst_blur *out);

// One plane of samples (s->y, or s->x, s->z given as plane) blurred at the vertices of tile into out, `stride` floats a
// row. s->rect must hold taps more on each side, within the ground, which is mirrored at its border. Equal samples stay
// equal, to the bit. @return KARST_ERROR_MEMORY
karst_status kst_blur_tile(const kst_blur *blur, const kst_samples *s, const float *plane, karst_rect tile, float *out,
                           int stride);
