// SPDX-License-Identifier: MIT
// Planes with thirty-two narrow values at once (compiled for AVX-512, called only where there is one).
#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define PLANE_KERNELS kst_plane_avx512
#define PLANE_NAME "avx512"
#include "pack/plane_body.h"
#else
typedef int kst_no_plane_avx512;
#endif
