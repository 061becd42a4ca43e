// SPDX-License-Identifier: MIT
// Ground of a field and of patches at once: rays meet the nearest of both, heights are those of both.
#pragma once
#include "karst/surface.h"

typedef struct both {
    karst_ground ground;  // first
    const karst_ground *field, *zones;
    karst_box bounds;
} both;

// A ground of two, whose chunks are those of the field, then those of the zones. Both must outlive it; zones may come
// and go meanwhile. @param field NULL: zones alone @param bounds of both, also when some zones are gone, world [m]
void both_make(both *out, const karst_ground *field, const karst_ground *zones, karst_box bounds);
