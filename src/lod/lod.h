// SPDX-License-Identifier: MIT
// Level of detail, inner: the cut of the chunk tree and the levels of patch corners. See docs/lod.md.
#pragma once
#include "core/core.h"
#include "karst/chunk.h"
#include "karst/scene.h"

// Of the error allowed, so that what rounding adds to a level stays inside it.
#define KST_KEPT_BACK (1 - 0x1p-20)

// Without fminf's care for NaN: one instruction.
static inline float kst_less(float a, float b) {
    return a < b ? a : b;
}
static inline float kst_more(float a, float b) {
    return a > b ? a : b;
}

// The pyramid of chunks that a cut is made of.
typedef struct kst_tree {
    int32_t level_count;
    int32_t grid_x[KARST_MAX_LEVEL + 1], grid_z[KARST_MAX_LEVEL + 1];
    const karst_node *nodes[KARST_MAX_LEVEL + 1];  // row-major
} kst_tree;

// An eye relative to the ground's origin [m] and the metres of error it allows a metre of distance.
typedef struct kst_eye {
    float x, y, z, slope;
} kst_eye;

// ---- origin.c: what the floats of a frame are relative to ------------------------------------------

// Way to an eye along one axis from the ground's origin [m]: whole 2^-16 m, so that what is left of a step is exact in
// a float where a step is a power of two of a metre, or a whole number of 2^-16 m below 256 m.
double kst_origin_way(double eye_m, double ground_m);
// Whole steps of a way, held within least..most, and the rest of it [m].
int64_t kst_origin_base(double way_m, double step_m, int64_t least, int64_t most, float *fraction);

// A view's eye from the ground's origin, at an error of so many pixels.
kst_eye kst_eye_of(const karst_view *view, karst_pos origin, float error_px);

// ---- frustum.c: culling --------------------------------------------------------------------------

typedef struct kst_frustum {
    float plane[5][4];  // inside: (x, y, z, 1) . plane >= 0, relative to the ground's origin [m]
} kst_frustum;

kst_frustum kst_frustum_of(const karst_view *view, karst_pos origin);
// 0 outside, 1 cut by a plane, 2 inside.
int kst_box_in(const kst_frustum *f, const float min[3], const float max[3]);
// Bounds of a chunk's own patches, out of its corner table.
void kst_chunk_box(const karst_chunk_corners *corners, float min[3], float max[3]);

// A chunk of the cut. cap, floor: between these the pinch of this chunk and its ancestors holds the level of a corner
// [levels, absolute].
typedef struct kst_leaf {
    int32_t level, x, z;
    float cap, floor;
    uint16_t seen, whole;  // bit v: some of its reach is in view v; all of it is
    bool awaited;          // should split, and its children are not here
} kst_leaf;

// Which views see a node; what lies inside or outside a node's reach lies so in its children's.
static inline void kst_look(const karst_node *n, const kst_frustum *frusta, int count, kst_leaf *node) {
    for (int v = 0; v < count; ++v) {
        unsigned bit = 1u << v;
        if (!(node->seen & bit) || (node->whole & bit)) continue;
        int in = kst_box_in(&frusta[v], n->reach_min, n->reach_max);
        if (in == 0) node->seen &= (uint16_t)~bit;
        if (in == 2) node->whole |= (uint16_t)bit;
    }
}

// Square of the distance to the reach times the slope of the nearest eye: the error allowed there, squared.
static inline float kst_allowed_squared(const karst_node *n, const kst_eye *eyes, int eye_count) {
    float least = __builtin_inff();
    for (int v = 0; v < eye_count; ++v) {
        float x = kst_more(kst_more(n->reach_min[0] - eyes[v].x, eyes[v].x - n->reach_max[0]), 0);
        float y = kst_more(kst_more(n->reach_min[1] - eyes[v].y, eyes[v].y - n->reach_max[1]), 0);
        float z = kst_more(kst_more(n->reach_min[2] - eyes[v].z, eyes[v].z - n->reach_max[2]), 0);
        least = kst_less(least, (x * x + y * y + z * z) * (eyes[v].slope * eyes[v].slope));
    }
    return least;
}

// What stands at a node in this cut.
typedef struct kst_mark {
    uint32_t stamp;  // of the cut that last touched it
    int32_t leaf;    // index of its leaf, -1 when split
} kst_mark;

typedef struct kst_cut {
    kst_tree tree;
    const karst_node *split[KARST_MAX_LEVEL + 1];  // what decides whether a node splits: the tree's own, or wider ones
    int32_t apart;                                 // levels by which neighbours may differ at most
    const karst_allocator *allocator;
    kst_mark *marks[KARST_MAX_LEVEL + 1];
    uint32_t stamp;
    kst_leaf *leaves;
    int32_t leaf_count, leaf_room;
    kst_leaf *front[2];  // nodes of the level at work, and of the next
    int32_t front_room[2];
    bool *can;  // which of the front may split
    int32_t can_room;
    int32_t nodes_visited;
} kst_cut;

// Which of nodes [0, count) of one level may split, in ready[i]. Called once a level, coarse first.
typedef karst_status kst_ready_fn(void *context, const kst_leaf *nodes, int count, bool *ready);

karst_status kst_cut_create(kst_cut *cut, const kst_tree *tree, const karst_allocator *allocator);
void kst_cut_destroy(kst_cut *cut);
// Cut the tree for the eyes. frusta NULL: everything is seen. full: to the finest level everywhere. ready NULL:
// everything is.
karst_status kst_cut_make(kst_cut *cut, const kst_eye *eyes, const kst_frustum *frusta, int eye_count, bool full,
                          kst_ready_fn *ready, void *context);

// The leaf that holds chunk (x, z) of a level; NULL outside and where that chunk is split.
const kst_leaf *kst_cut_leaf(const kst_cut *cut, int level, int32_t x, int32_t z);

// The leaf that holds the quadrant (right, down) round corner (x, z) of the patch grid of a level; NULL outside.
const kst_leaf *kst_cut_quadrant(const kst_cut *cut, int level, int32_t x, int32_t z, int right, int down);

// The corner table of a leaf.
typedef const karst_chunk_corners *kst_corners_fn(void *context, const kst_leaf *leaf);

// Levels of the corners of a leaf, relative to its chunk's level; lanes beyond 25 repeat corner 0. `others` gives the
// tables of coarser leaves beside it. *worst: the largest error there as share of the allowed (<= 1 keeps the promise).
void kst_corner_levels(const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                       const kst_eye *eyes, int eye_count, kst_corners_fn *others, void *context,
                       float levels[KARST_CORNER_LANES], float *worst);

// Own levels of the corners of a table, relative to its chunk, whatever stands round it; and the error allowed at each
// [m].
void kst_corner_own(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                    float levels[KARST_CORNER_LANES], float allowed[KARST_CORNER_LANES]);

// The largest error that the corners of a leaf leave at these levels (relative to it), as share of the allowed.
float kst_worst_share(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                      const float levels[KARST_CORNER_LANES]);
// The error allowed [m] at each corner of a chunk: its distance times the slope of the nearest eye; and the share for
// allowances that were changed since, where infinity leaves a corner out.
void kst_corner_allowed(const karst_chunk_corners *corners, const kst_eye *eyes, int eye_count,
                        float allowed[KARST_CORNER_LANES]);
float kst_worst_share_of(const karst_chunk_corners *corners, const float levels[KARST_CORNER_LANES],
                         const float allowed[KARST_CORNER_LANES]);

// ---- patch.c: the shape of one patch, shared by expand and tests ---------------------------------

// Level at which patch vertex (i, j) vanishes: 0..4.
static inline int kst_vanish_level(int i, int j) {
    return __builtin_ctz((unsigned)(i | j | KARST_PATCH_CELLS));
}

// Lattice of a patch with these corner levels: 0..5 as karst_batch.lattice.
int kst_patch_lattice(const float corner_level[4], int patch_parity);
