// SPDX-License-Identifier: MIT
// Rays through zones with eight floats at once (compiled for AVX2, called only where there is one).
#if defined(__AVX2__)
#define ZONE_CAST kst_zone_cast_avx2
#include "surface/zone_ray_body.h"
#else
typedef int kst_no_avx2_zones;
#endif
