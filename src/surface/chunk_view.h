// SPDX-License-Identifier: MIT
// Chunk view: the level-0 vertices of one chunk of field, in whichever precision its owner holds them. The
// author's field and the baked pack answer rays and heights through the same code over it.
//
// Every coordinate is computed in double from field-wide indices, so two chunks that share a vertex agree bit for bit.
#pragma once
#include "core/core.h"
#include "karst/chunk.h"
#include "karst/field.h"
#include "karst/surface.h"

// One of the two holds: baked vertices with the lattice's steps, or the author's floats.
typedef struct kst_chunk_view {
    karst_field_shape shape;
    int32_t column, row;  // field coordinates of vertex (0, 0)
    const karst_vertex *baked;
    int32_t cell_steps;
    double step_y_m, step_xz_m;
    const float *y, *x, *z;  // x and z NULL: not displaced
    const uint64_t *hole;    // 64 words
} kst_chunk_view;

// Position of vertex (i, j) of the chunk relative to the ground's origin [m].
static inline karst_pos kst_view_vertex(const kst_chunk_view *v, int i, int j) {
    int k = j * KARST_CHUNK_SIDE + i;
    if (v->baked) {
        karst_vertex b = v->baked[k];
        return (karst_pos){((double)(v->column + i) * v->cell_steps + b.dx) * v->step_xz_m, b.y * v->step_y_m,
                           ((double)(v->row + j) * v->cell_steps + b.dz) * v->step_xz_m};
    }
    return (karst_pos){(v->column + i) * v->shape.spacing_m + (v->x ? (double)v->x[k] : 0.0), v->y[k],
                       (v->row + j) * v->shape.spacing_m + (v->z ? (double)v->z[k] : 0.0)};
}
static inline bool kst_view_hole(const kst_chunk_view *v, int i, int j) {
    return v->hole[j] >> i & 1;
}

// Search structure of one chunk: boxes over fans of eight triangles. Built by kst_tree_build, freed as one block.
typedef struct kst_chunk_tree kst_chunk_tree;
size_t kst_tree_bytes(void);
void kst_tree_build(kst_chunk_tree *tree, const kst_chunk_view *view);

// Bounds of a chunk's triangles relative to the ground's origin; false when all hole.
bool kst_view_bounds(const kst_chunk_view *view, double min[3], double max[3]);

// A field ground: chunks found through callbacks, and the boxes over them. Field and pack both embed one. Fill in all
// but `top` (NULL), and call kst_field_ground_clear when the ground goes or any chunk of it changed.
typedef struct kst_field_ground {
    karst_ground base;  // table is &kst_field_ground_table
    karst_field_shape shape;
    int32_t chunks_x, chunks_z;  // level-0 chunks; chunk number = z * chunks_x + x
    bool displaced;  // any vertex leaves its rest place sideways; false takes the direct road of height maps
    double reach_m;  // most that a vertex is displaced along x or z [m]; 0 when not displaced
    karst_box all;   // world bounds of the reference triangles; empty when there are none
    // Called first by every query, from any thread; brings the five fields above up to date. NULL: they always are.
    karst_status (*begin)(struct kst_field_ground *ground);
    // Pin the view of a chunk, and its tree (built at most once) unless tree is NULL, until it is released. May be
    // called from any thread. *pin is handed to release, which is left out when it is NULL.
    karst_status (*pin)(struct kst_field_ground *ground, int32_t x, int32_t z, const kst_chunk_view **view,
                        const kst_chunk_tree **tree, void **pin);
    void (*release)(struct kst_field_ground *ground, void *pin);
    // Bounds of a level-0 chunk's triangles known without loading it, relative to the origin, rounded outward: min
    // xyz, max xyz; false when all hole.
    bool (*bounds)(struct kst_field_ground *ground, int32_t x, int32_t z, float out[6]);
    size_t (*memory)(const struct kst_field_ground *ground);
    const karst_allocator *allocator;  // of top
    struct kst_top *top;               // boxes over all chunks, made by the first ray
} kst_field_ground;

void kst_field_ground_clear(kst_field_ground *ground);

extern const karst_ground_table kst_field_ground_table;
