// SPDX-License-Identifier: MIT
// Planes with sixteen narrow values at once (compiled for AVX2, called only where there is one).
#if defined(__AVX2__)
#define PLANE_KERNELS kst_plane_avx2
#define PLANE_NAME "avx2"
#include "pack/plane_body.h"
#else
typedef int kst_no_plane_avx2;
#endif
