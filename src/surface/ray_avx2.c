// SPDX-License-Identifier: MIT
// Rays with eight floats at once (compiled for AVX2, called only where there is one).
#if defined(__AVX2__)
#define RAY_CAST kst_cast_avx2
#include "surface/ray_body.h"
#else
typedef int kst_no_avx2;
#endif
