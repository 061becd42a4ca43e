// SPDX-License-Identifier: MIT
// Rays on any processor.
#define RAY_CAST kst_cast_plain
#include "surface/ray_body.h"
