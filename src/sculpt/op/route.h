// SPDX-License-Identifier: MIT
// Route: where the water of each cell goes, with every pit led out over its lowest pass.
//
// The cells form trees that grow from the outermost ring, the outlets. A tree is kept as one byte a cell downstream
// (the direction of the receiver) and one byte upstream (which neighbours drain into it), so that it can be walked both
// ways without a list of the cells. Directions run anticlockwise from +x:
//
//     3 2 1
//     4 . 0     even ones are sides, odd ones corners; d ^ 4 is the way back
//     5 6 7
//
// To share a sweep over all trees: the few cells that drain more than KST_TREE_CELLS form the trunk, done by one
// thread, receivers first; the trees that hang on it are small and independent. What a sweep computes for a cell may
// depend on its receiver and on its donors in order of direction, and then no byte depends on how the trees are shared
// out.
#pragma once
#include "op/team.h"

enum { KST_ROUTE_NONE = 8, KST_TREE_CELLS = 4096, KST_ROUTE_GRAIN = 32 };

typedef struct kst_route {
    int width, height;                           // cells, each >= 3
    int32_t step[8];                             // from a cell to its neighbour
    uint8_t *to;                                 // direction of the receiver, or KST_ROUTE_NONE at an outlet
    uint8_t *from;                               // bit d: the neighbour in direction d drains into this cell
    uint32_t *area;                              // cells drained, itself included
    int32_t *trunk;                              // receivers before donors
    int32_t *tree;                               // roots of the trees that hang on the trunk, or stand alone
    int32_t trunk_count, tree_count, pit_count;  // pits: those that were led out
    // inside
    uint8_t *waiting;   // donors still to come
    int32_t *basin;     // of a pit, from 1; 0: drains to the ring
    int32_t *list;      // trunk from the front, trees behind it
    int32_t *crossing;  // cells whose water leaves a band of rows
    int32_t *crossing_count;
    int band_rows, band_count;
} kst_route;

karst_status kst_route_create(int width, int height, kst_route *out);
void kst_route_free(kst_route *route);

// How one of two neighbouring directions is chosen between which the steepest way lies.
typedef struct kst_route_way {
    bool steepest;    // the nearer one; else by chance, so that many steps together know no direction of the grid
    uint64_t seed;    // of that chance
    uint32_t number;  // of the step
} kst_route_way;

// Find all ways over heights h.
karst_status kst_route_find(kst_route *route, const float *h, kst_route_way way, const kst_team *team);

// route_pits.c: turn the ways of pits round, so that they leave over the lowest pass.
karst_status kst_route_pits(kst_route *route, const float *h, const kst_team *team);

static inline bool kst_route_is_outlet(const kst_route *route, int32_t cell) {
    return route->to[cell] == KST_ROUTE_NONE;
}
static inline int32_t kst_route_receiver(const kst_route *route, int32_t cell) {
    return cell + route->step[route->to[cell]];
}

// Walk the tree above root: enter(context, cell) comes before the cell's donors, leave(context, cell) after them.
typedef void kst_route_fn(void *context, int32_t cell);
static inline __attribute__((always_inline)) void kst_route_walk(const kst_route *route, int32_t root,
                                                                 kst_route_fn *enter, kst_route_fn *leave,
                                                                 void *context) {
    const uint8_t *to = route->to, *from = route->from;
    int32_t cell = root;
    enter(context, cell);
    for (unsigned donors = from[cell];;) {
        while (!donors) {
            leave(context, cell);
            if (cell == root) return;
            unsigned down = to[cell];
            cell += route->step[down];
            donors = from[cell] & (0xFEu << (down ^ 4));  // those after the one that is done
        }
        cell += route->step[__builtin_ctz(donors)];
        enter(context, cell);
        donors = from[cell];
    }
}
