// SPDX-License-Identifier: MIT
// Noise at four places at once, as any x86-64 can.
#if defined(__SSE2__)
#define NOISE_KERNEL kst_noise_sse2
#define NOISE_NAME "sse2"
#include "op/noise_body.h"
#else
typedef int kst_no_noise_sse2;
#endif
