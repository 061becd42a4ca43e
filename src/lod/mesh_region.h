// SPDX-License-Identifier: MIT
// Meshes, inner: the regions that a mesh is made of.
#pragma once
#include <pthread.h>

#include "lod/rqt.h"

typedef struct kst_region {
    karst_field *field;
    pthread_mutex_t *lock;   // of the field
    karst_rect part;         // vertices
    bool shared[KST_SIDES];  // sides on which another region's mesh goes on
    double error_m;
    bool refit;
    const karst_progress *progress;
    const karst_allocator *allocator;
} kst_region;

// Threads: any, each with a region of its own. @return as karst_mesh_build(), without a report
karst_status kst_region_mesh(const kst_region *def, karst_mesh **out);

// A mesh of that many, its arrays not filled. NULL when there is no memory.
karst_mesh *kst_mesh_alloc(const karst_allocator *allocator, uint32_t vertices, uint32_t triangles);
