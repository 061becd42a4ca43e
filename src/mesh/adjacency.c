// SPDX-License-Identifier: MIT
// Adjacency by counting sorts: O(n) whatever hangs on one vertex, and in the same order everywhere.
#include "mesh/adjacency.h"

// ---- vertices --------------------------------------------------------------------------------------------

karst_status kst_stars_create(uint32_t vertex_count, const uint32_t (*triangle)[3], uint32_t triangle_count,
                              kst_stars *out) {
    KARST_ASSERT(triangle_count <= UINT32_MAX / 3);
    kst_stars s = {.vertex_count = vertex_count, .corner_count = 3 * triangle_count};
    s.first = kst_alloc_zero(NULL, ((size_t)vertex_count + 2) * sizeof *s.first);
    s.corner = kst_alloc(NULL, ((size_t)s.corner_count + 1) * sizeof *s.corner);
    if (!s.first || !s.corner) {
        kst_stars_free(&s);
        return KARST_ERROR_MEMORY;
    }
    // Counts stand two places on, so that filling the lists leaves first[] where it belongs.
    for (uint32_t c = 0; c < s.corner_count; ++c) ++s.first[triangle[c / 3][c % 3] + 2];
    for (uint32_t v = 2; v <= vertex_count; ++v) s.first[v] += s.first[v - 1];
    for (uint32_t c = 0; c < s.corner_count; ++c) s.corner[s.first[triangle[c / 3][c % 3] + 1]++] = c;
    *out = s;
    return KARST_OK;
}

void kst_stars_free(kst_stars *stars) {
    kst_free(NULL, stars->first, ((size_t)stars->vertex_count + 2) * sizeof *stars->first);
    kst_free(NULL, stars->corner, ((size_t)stars->corner_count + 1) * sizeof *stars->corner);
    *stars = (kst_stars){0};
}

// ---- edges -----------------------------------------------------------------------------------------------

static void ends_of(const uint32_t (*triangle)[3], uint32_t side, uint32_t end[2]) {
    uint32_t a = triangle[side / 3][side % 3], b = triangle[side / 3][kst_next_corner(side) % 3];
    end[0] = a < b ? a : b;
    end[1] = a < b ? b : a;
}

// Put sides in order of one of their ends, leaving the order of those that are equal.
static void sort_by(int which, const uint32_t (*triangle)[3], const uint32_t *from, uint32_t count, uint32_t *to,
                    uint32_t *place, uint32_t vertex_count) {
    uint32_t end[2];
    memset(place, 0, ((size_t)vertex_count + 1) * sizeof *place);
    for (uint32_t i = 0; i < count; ++i) {
        ends_of(triangle, from[i], end);
        ++place[end[which] + 1];
    }
    for (uint32_t v = 1; v <= vertex_count; ++v) place[v] += place[v - 1];
    for (uint32_t i = 0; i < count; ++i) {
        ends_of(triangle, from[i], end);
        to[place[end[which]]++] = from[i];
    }
}

karst_status kst_edges_create(uint32_t vertex_count, const uint32_t (*triangle)[3], uint32_t triangle_count,
                              kst_edges *out) {
    KARST_ASSERT(triangle_count <= UINT32_MAX / 3);
    kst_edges e = {.room = 3 * triangle_count};
    size_t bytes = ((size_t)e.room + 1) * sizeof(uint32_t), places = ((size_t)vertex_count + 1) * sizeof(uint32_t);
    e.side = kst_alloc(NULL, bytes);
    e.first = kst_alloc(NULL, bytes);
    e.end = kst_alloc(NULL, 2 * bytes);
    uint32_t *place = kst_alloc(NULL, places);
    bool good = e.side && e.first && e.end && place;
    if (good) {
        uint32_t end[2];
        for (uint32_t s = 0; s < e.room; ++s) {
            ends_of(triangle, s, end);
            if (end[0] != end[1]) e.side[e.side_count++] = s;
        }
        sort_by(1, triangle, e.side, e.side_count, e.first, place, vertex_count);
        sort_by(0, triangle, e.first, e.side_count, e.side, place, vertex_count);
        for (uint32_t i = 0; i < e.side_count; ++i) {
            ends_of(triangle, e.side[i], end);
            uint32_t last = e.edge_count - 1;
            if (e.edge_count && e.end[last][0] == end[0] && e.end[last][1] == end[1]) continue;
            e.first[e.edge_count] = i;
            memcpy(e.end[e.edge_count++], end, sizeof end);
        }
        e.first[e.edge_count] = e.side_count;
    }
    kst_free(NULL, place, places);
    if (!good) {
        kst_edges_free(&e);
        return KARST_ERROR_MEMORY;
    }
    *out = e;
    return KARST_OK;
}

void kst_edges_free(kst_edges *edges) {
    size_t bytes = ((size_t)edges->room + 1) * sizeof(uint32_t);
    kst_free(NULL, edges->side, bytes);
    kst_free(NULL, edges->first, bytes);
    kst_free(NULL, edges->end, 2 * bytes);
    *edges = (kst_edges){0};
}
