// SPDX-License-Identifier: MIT
// The nearest triangle of a model to a place: a tree of boxes, for measuring how far two models are apart.
#pragma once
#include "core/core.h"
#include "karst/jobs.h"
#include "karst/model.h"

typedef struct kst_nearby kst_nearby;

typedef struct kst_nearest_hit {
    float square;       // of the distance [m^2]
    uint32_t triangle;  // of the model
    float b1, b2;       // share of its second and third corner
} kst_nearest_hit;

// The model has to stay. Cost: O(n log n).
karst_status kst_nearby_create(const karst_model *model, const karst_progress *progress, kst_nearby **out);
void kst_nearby_destroy(kst_nearby *tree);
// hint: a triangle that may be near, any number; the same hit whatever it is, but for ties. Threads: any.
kst_nearest_hit kst_nearby_find(const kst_nearby *tree, karst_vec3 place, uint32_t hint);
// fn with the nearest point of every triangle closer than `reach` [m].
void kst_nearby_each(const kst_nearby *tree, karst_vec3 place, float reach,
                     void (*fn)(const kst_nearest_hit *hit, void *context), void *context);
