// SPDX-License-Identifier: MIT
// Rings: concentric squares round the eyes, twice the stride from each to the next. See docs/lod.md.
//
// A patch of level L is split where its Chebyshev distance in the rest plane to the nearest eye is below split[L]. The
// level of a place is a function of that distance alone, and exactly L from split[L] to one side of such a patch
// beyond it, the only places where a border between L - 1 and L can lie.
#pragma once
#include "lod.h"

enum { KST_RING_LEVELS = KARST_MAX_LEVEL + 2 };

// What the ground is, for its rings.
typedef struct kst_ring_ground {
    int32_t level_count;
    int32_t columns, rows;  // field vertices; beyond the last nothing is drawn
    double spacing_m;
    double low_m, high_m;           // heights, relative to the ground's origin
    double beside_m;                // a vertex lies at most so far from its place at rest, along x or z
    double error[KST_RING_LEVELS];  // most that a level is off anywhere [m]; 0 at level 0
} kst_ring_ground;

// Radii round one eye [m]. One more level than there is, never reached.
typedef struct kst_ring_eye {
    double x, z, below_m, slope;  // below: height over or under the ground's bounds
    double split[KST_RING_LEVELS];
    double hold[KST_RING_LEVELS];  // where the plateau at L ends
} kst_ring_eye;

// A chunk with patches that are drawn.
typedef struct kst_ring_chunk {
    int32_t level, x, z;
    uint16_t seen, whole;              // bit v: as in kst_leaf
    uint16_t drawn;                    // bit 4 pz + px
    float levels[KARST_CORNER_LANES];  // of its corners, 0..1; where nothing is drawn they mean nothing
    bool awaited;                      // some of what it draws should be finer, and that is not here
} kst_ring_chunk;

typedef struct kst_rings {
    const kst_tree *tree;
    const karst_allocator *allocator;
    kst_ring_ground ground;
    kst_leaf *front[2];
    int32_t room[2];
    bool *here;
    int32_t here_room, nodes_visited;
} kst_rings;

kst_ring_ground kst_ring_ground_of(const kst_tree *tree, const karst_field_shape *shape, double beside_m);
// full: to the finest level everywhere.
kst_ring_eye kst_ring_eye_of(const kst_ring_ground *ground, const kst_eye *eye, bool full);
// Keep patches of a level at `most_m` and beyond from being split, and make room for what lies within.
void kst_ring_limit(const kst_ring_ground *ground, kst_ring_eye *eye, int level, double most_m);
// Level, above `level`, of a place that `level` or the next one is drawn at: 0..1, the same for whoever asks.
double kst_ring_level(const kst_ring_ground *ground, const kst_ring_eye *eye, int level, double x_m, double z_m);

kst_rings kst_rings_make(const kst_tree *tree, const karst_field_shape *shape, double beside_m,
                         const karst_allocator *allocator);
void kst_rings_free(kst_rings *rings);

// Tell in here[i] which chunks of one level may be drawn. Called for one level after another, coarse first.
typedef karst_status kst_ring_want_fn(void *context, const kst_leaf *chunks, int count, bool *here);
typedef karst_status kst_ring_take_fn(void *context, const kst_ring_chunk *chunk);

// Give all chunks with patches to `take`, seen or not, coarse first. frusta NULL: everything is seen. want NULL:
// everything is here. Where a chunk is not here, the finer rings are drawn only as far as they are whole.
karst_status kst_rings_walk(kst_rings *rings, const kst_eye *eyes, const kst_frustum *frusta, int eye_count, bool full,
                            kst_ring_want_fn *want, kst_ring_take_fn *take, void *context);
