// SPDX-License-Identifier: MIT
// Rays: the search structure they walk, and the two tests they make.
//
//     chunks        nodes of a chunk          fans                     one fan: eight triangles round the
//     ┌──┬──┐       root: 2 x 2 nodes         32 x 32 in a chunk       odd-odd vertex of 2 x 2 cells
//     │  │  │       each  4 x 4 nodes                                  0---1---2
//     ├──┼──┤       each  4 x 4 fans                                   | \ | / |      triangle k is
//     │  │  │                                                          7---c---3      (c, k, k + 1)
//     └──┴──┘       one node tests its 16                              | / | \ |
//                   children at once                                   6---5---4
//
// Every test that may lose something is made twice: a wide one in floats, relative to a place near the chunk, that
// lets through all it cannot rule out, and for the few that pass an exact one in doubles, relative to the ray's own
// origin. What is hit is decided by the second alone, so it depends on no chunk, no order and no vector width.
#pragma once
#include "surface/chunk_view.h"

enum { KST_FANS = KARST_CHUNK_CELLS / 2, KST_TREE_NODES = 64 + 4 + 1 };

// Sixteen boxes, child c at column c & 3, row c >> 2. A plane is base + scale * byte, never inside the true box.
typedef struct kst_node {
    _Alignas(64) uint8_t plane[6][16];  // low x, y, z, high x, y, z
    float base[3], scale[3];            // [m]
    uint32_t used;                      // children that hold any triangle
    uint32_t spare;
} kst_node;

// Boxes relative to one corner of a level, min xyz, max xyz [m].
void kst_node_fill(kst_node *node, const float box[16][6], uint32_t used);
// The box round all children; false when there are none.
bool kst_node_box(const kst_node *node, float out[6]);
float kst_float_below(double value);
float kst_float_above(double value);

// 8 x 8 nodes over the fans, then 2 x 2, then the root.
struct kst_chunk_tree {
    kst_node node[KST_TREE_NODES];
    double origin[3];  // of the boxes, relative to the ground's [m]
    float extent;      // most that anything in the chunk is from origin, along an axis [m]
    float fan_extent;  // most that two vertices of a fan are apart, summed over the axes [m]
    float y_error;     // of a height read as a float [m]
    float cell_m;
    bool flat;  // no vertex leaves its rest place sideways
};

// Nodes over all chunks of a ground, relative to its origin. Level 0 has chunks for children.
enum { KST_TOP_LEVELS = 12 };
typedef struct kst_top {
    size_t bytes;
    int level_count;
    int32_t nx[KST_TOP_LEVELS];
    size_t first[KST_TOP_LEVELS];
    float extent;
    kst_node node[];
} kst_top;

karst_status kst_top_get(kst_field_ground *ground, const kst_top **out);

// ---- the exact test --------------------------------------------------------------------------------

// A ray as the exact test wants it: axis kz has the largest part of the direction.
typedef struct kst_exact_ray {
    double origin[3], direction[3];  // world
    double t_min, t_max;             // t_max shrinks as hits are found
    int kx, ky, kz;
    double shear_x, shear_y;
    double inverse_z;  // of the largest part
} kst_exact_ray;

void kst_exact_ray_make(const karst_ray *ray, kst_exact_ray *out);

// Does the ray meet the closed triangle, from either side, in [t_min, t_max]?  The sheared corners are rounded, but
// alike for every triangle that shares them; the edge values x y' - y x' are opposite in the two triangles of an
// edge; and rounding is monotone, so a value is never on the wrong side of zero. So no ray slips between two.
bool kst_triangle_cast(const kst_exact_ray *ray, const karst_pos corner[3], double *t);

// World place of a vertex of a chunk. All exact answers are of triangles between these.
static inline karst_pos kst_world_vertex(const kst_chunk_view *view, int i, int j) {
    karst_pos p = kst_view_vertex(view, i, j), o = view->shape.origin;
    return (karst_pos){o.x + p.x, o.y + p.y, o.z + p.z};
}

// Corners of a triangle of cell (i, j) of a chunk, counter-clockwise from above. Number 0 has the cell's side of the
// lower row, number 1 that of the higher.
void kst_cell_triangle(const kst_chunk_view *view, int i, int j, int triangle, karst_pos corner[3]);
// Triangle k of fan (i, j): its corners, the cell that it lies in and its number there.
void kst_fan_triangle(const kst_chunk_view *view, int i, int j, int k, karst_pos corner[3], int *cell_i, int *cell_j,
                      int *triangle);
karst_vec3 kst_triangle_normal(const karst_pos corner[3]);

// ---- the walk, once for each vector width ----------------------------------------------------------

typedef karst_status kst_cast_fn(kst_field_ground *ground, const karst_ray *ray, bool any, karst_hit *out);
kst_cast_fn kst_cast_plain;
#if defined(__x86_64__)
kst_cast_fn kst_cast_avx2, kst_cast_avx512;
#endif
