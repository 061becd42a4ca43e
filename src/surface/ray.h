// SPDX-License-Identifier: MIT
// Rays: the search structure they walk, and the two tests they make.
//
//     a chunk                a block: 2 x 2 fans     a fan: eight triangles round the odd-odd vertex of 2 x 2 cells
//     ┌──┬──┬──┬──┐          ┌─────┬─────┐           0---1---2
//     │  │  │  │  │ root     │ \|/ │ \|/ │           | \ | / |      triangle k is (c, k, k + 1)
//     ├──┼──┼──┼──┤ 4 x 4    │ /|\ │ /|\ │           7---c---3
//     │  │  │  │  │ nodes,   ├─────┼─────┤           | / | \ |
//     ├──┼──┼──┼──┤ each of  │ \|/ │ \|/ │           6---5---4
//     │  │  │  │  │ 4 x 4    │ /|\ │ /|\ │
//     └──┴──┴──┴──┘ blocks   └─────┴─────┘           one node tests its 16 children at once, a fan its eight triangles
//
// Every test that may lose something is made twice: a wide one in floats, relative to a place near the chunk, that
// lets through all it cannot rule out, and for the few that pass an exact one in doubles, relative to the ray's own
// origin. What is hit is decided by the second alone, so it depends on no chunk, no order and no vector width.
#pragma once
#include "surface/triangle.h"

enum { KST_BLOCK_CELLS = 4, KST_BLOCKS = KARST_CHUNK_CELLS / KST_BLOCK_CELLS, KST_TREE_NODES = 16 + 1 };

// Sixteen boxes, child c at column c & 3, row c >> 2. A plane is base + scale * byte, never inside the true box.
typedef struct kst_node {
    _Alignas(64) uint8_t plane[6][16];  // low x, y, z, high x, y, z
    float base[3];                      // [m]
    uint16_t used;                      // children that hold any triangle
    uint16_t one;                       // makes a plain number of these four bytes where base is read as four floats
    float scale[4];                     // [m]; the last is twice the sum of the three
} kst_node;

// Boxes relative to one corner of a level, min xyz, max xyz [m].
void kst_node_fill(kst_node *node, const float box[16][6], uint32_t used);
// The box round all children; false when there are none.
bool kst_node_box(const kst_node *node, float out[6]);
float kst_float_below(double value);
float kst_float_above(double value);
// Children over (x, z), relative to the boxes' origin [m]; pad covers what was rounded.
uint32_t kst_node_over(const kst_node *node, double x, double z, double pad);
// Children that touch a box, relative to the boxes' origin [m]; what was rounded is in low and high.
uint32_t kst_node_near(const kst_node *node, const double low[3], const double high[3]);

// 4 x 4 nodes over the blocks, then the root.
struct kst_chunk_tree {
    kst_node node[KST_TREE_NODES];
    double origin[3];              // of the boxes, relative to the ground's [m]
    _Alignas(16) float corner[4];  // the same in floats
    float least, most_pad;         // -extent / 1024, extent / 512
    float extent;                  // most that anything in the chunk is from origin, along an axis [m]
    float fan_extent;              // most that two vertices of a fan are apart, summed over the axes [m]
    float y_error;                 // of a height read as a float [m]
    float cell_m;
    bool flat;   // no vertex leaves its rest place sideways
    bool holes;  // any cell inside the chunk is a hole
};

// Where a ground is.
typedef struct kst_reach {
    _Alignas(64) double origin[4];  // of the ground, world [m]
    double min[4], max[4];          // world bounds
    float extent;                   // most that anything is from the origin, along an axis [m]
    double size;                    // largest coordinate in the world: what doubles round by there [m]
} kst_reach;
void kst_reach_make(karst_pos origin, karst_box all, float extent, kst_reach *out);

// Nodes over all chunks of a ground, relative to its origin. Level 0 has chunks for children.
enum { KST_TOP_LEVELS = 12 };
typedef struct kst_top {
    kst_reach reach;
    size_t bytes;
    int level_count;
    int32_t nx[KST_TOP_LEVELS];
    size_t first[KST_TOP_LEVELS];
    kst_node node[];
} kst_top;

karst_status kst_top_get(kst_field_ground *ground, const kst_top **out);

// ---- the walk, once for each vector width ----------------------------------------------------------

typedef karst_status kst_cast_fn(kst_field_ground *ground, const karst_ray *ray, bool any, karst_hit *out);
kst_cast_fn kst_cast_plain;
#if defined(__x86_64__)
kst_cast_fn kst_cast_avx2, kst_cast_avx512;
#endif
