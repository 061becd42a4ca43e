// SPDX-License-Identifier: MIT
// Ground of a field and of patches at once: rays meet the nearest of both, heights are those of both.
#pragma once
#include "karst/surface.h"

typedef struct both {
    karst_ground ground;  // first
    const karst_ground *field, *zones;
    bool is_fixed;  // bounds say
    karst_box bounds;
} both;

// A ground of two, whose chunks are those of the field, then those of the zones. Both must outlive it; zones may come
// and go meanwhile. @param field NULL: zones alone @param bounds that it says it has, though zones come and go, world
// [m]; NULL: of what is there @return out as a ground
const karst_ground *both_make(both *out, const karst_ground *field, const karst_ground *zones, const karst_box *bounds);
