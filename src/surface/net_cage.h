// SPDX-License-Identifier: MIT
// The shape of a cage of quads: which way it faces, where it folds.
#pragma once
#include "surface/net.h"

typedef struct kst_cage_shape {
    karst_vec3 *normal;   // of corner i of a quad at 4 quad + i, unit
    uint8_t *fold;        // of the side from corner i to the next, at 4 quad + i
    uint8_t *fold_count;  // of a place: folds that end there, 3 for more
    int32_t (*along)[2];  // of a place: where its first two folds come from
    size_t corners, places;
    const karst_allocator *allocator;
} kst_cage_shape;

// Of a cage whose quads name places that are there. {0} on error.
karst_status kst_cage_shape_make(kst_cage_shape *s, const karst_net_cage *cage, const karst_allocator *allocator);
void kst_cage_shape_free(kst_cage_shape *s);
