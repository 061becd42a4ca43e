// SPDX-License-Identifier: MIT
// Rays through zones with sixteen floats at once (compiled for AVX-512, called only where there is one).
#if defined(__AVX512F__)
#define ZONE_CAST kst_zone_cast_avx512
#include "surface/zone_ray_body.h"
#else
typedef int kst_no_avx512_zones;
#endif
