// SPDX-License-Identifier: MIT
// Rays with sixteen boxes at once (compiled for AVX-512, called only where there is one).
#if defined(__AVX512F__)
#define RAY_CAST kst_cast_avx512
#include "surface/ray_body.h"
#else
typedef int kst_no_avx512;
#endif
