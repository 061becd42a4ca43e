// SPDX-License-Identifier: MIT
// Noise at eight places at once (compiled for AVX2, called only where there is one).
#if defined(__AVX2__)
#define NOISE_KERNEL kst_noise_avx2
#define NOISE_NAME "avx2"
#include "op/noise_body.h"
#else
typedef int kst_no_noise_avx2;
#endif
