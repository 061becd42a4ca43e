// SPDX-License-Identifier: MIT
// Rays through zones on any processor.
#define ZONE_CAST kst_zone_cast_plain
#include "surface/zone_ray_body.h"
