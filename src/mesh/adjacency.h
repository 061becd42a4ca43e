// SPDX-License-Identifier: MIT
// Adjacency: which triangles meet at a vertex and along an edge. Any number may: nothing here asks for a manifold.
#pragma once
#include "core/core.h"

// Lists by a first index each: those of v are corner[first[v]] .. corner[first[v + 1] - 1], in rising order. A corner
// is 3 * triangle + 0..2.
typedef struct kst_stars {
    uint32_t vertex_count, corner_count;
    uint32_t *first, *corner;
} kst_stars;

// triangle: vertices, each < vertex_count. KARST_ERROR_MEMORY. Cost: O(n), 12 bytes a triangle and 4 a vertex.
karst_status kst_stars_create(uint32_t vertex_count, const uint32_t (*triangle)[3], uint32_t triangle_count,
                              kst_stars *out);
void kst_stars_free(kst_stars *stars);

// Edges by rising (low, high) vertex. The sides of e are side[first[e]] .. side[first[e + 1] - 1], rising: side
// 3 * triangle + k runs from corner k to the next one. Sides whose ends are one vertex are left out.
typedef struct kst_edges {
    uint32_t edge_count, side_count, room;
    uint32_t (*end)[2];
    uint32_t *first, *side;
} kst_edges;

karst_status kst_edges_create(uint32_t vertex_count, const uint32_t (*triangle)[3], uint32_t triangle_count,
                              kst_edges *out);
void kst_edges_free(kst_edges *edges);

static inline uint32_t kst_next_corner(uint32_t corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}
