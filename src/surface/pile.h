// SPDX-License-Identifier: MIT
// All ground on the vertical line through (x, z), triangle by triangle.
#pragma once
#include "core/core.h"
#include "surface/triangle.h"

enum { KST_PILE_HERE = 32 };

typedef struct kst_pile {
    const karst_allocator *allocator;
    kst_exact_ray down;  // from y 0 of the world
    double x, z;         // world
    karst_level *level, here[KST_PILE_HERE];
    int count, room;
} kst_pile;

void kst_pile_begin(kst_pile *pile, double x, double z, const karst_allocator *allocator);
// Add the triangle when it is over or under the place.
karst_status kst_pile_try(kst_pile *pile, const kst_corners *corner, karst_place place);
// Frees the pile. Triangles that share a point give one answer: heights that differ by `same` [m] or less, by rounding
// alone. Nothing is written when status is not KARST_OK, which is handed on.
karst_status kst_pile_end(kst_pile *pile, karst_status status, double same, karst_level *out, int capacity, int *count);
