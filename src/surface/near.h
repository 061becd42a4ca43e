// SPDX-License-Identifier: MIT
// Near: the triangles whose own bounds touch a box, found by whatever tree a kind has.
//
// Trees rule out by padded boxes, the triangle's own corners decide: so every kind hands over the same set for the same
// triangles, whatever its tree looks like.
#pragma once
#include "karst/surface.h"

typedef struct kst_near {
    karst_box box;           // asked for, cropped to the ground; world [m]
    double low[3], high[3];  // the same with room for what was rounded, relative to the ground's origin [m]
    karst_triangle_fn *fn;   // of the caller
    void *context;
} kst_near;

// False when the box touches nothing of a ground with these bounds. extent: most that its boxes are from origin [m].
bool kst_near_begin(kst_near *near, karst_box box, karst_box all, karst_pos origin, double extent,
                    karst_triangle_fn *fn, void *context);
// Hand over those of at most 64 triangles that touch the box. Returns what fn says; true when there are none.
bool kst_near_hand(const kst_near *near, const karst_triangle *triangles, int count);
// Chunk by chunk, for kinds without a tree.
karst_status kst_near_by_chunks(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context);
