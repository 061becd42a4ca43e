// SPDX-License-Identifier: MIT
// Noise at sixteen places at once (compiled for AVX-512, called only where there is one).
#if defined(__AVX512F__)
#define NOISE_KERNEL kst_noise_avx512
#define NOISE_NAME "avx512"
#include "op/noise_body.h"
#else
typedef int kst_no_noise_avx512;
#endif
