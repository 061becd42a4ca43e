// SPDX-License-Identifier: MIT
// What the files of a weld share. Elements keep their numbers until it ends: one that became another stays in its place
// and says what it became.
#pragma once
#include "karst/netweld.h"
#include "surface/net.h"

enum {
    KST_JOINED = 1,  // of an edge or a corner: another one became it
    KST_UNLIKE = 2,  // ... which was displaced in another way
    KST_FIXED = 4,   // of a corner: a seam ends there; others come to it
};

enum {
    KST_MEND_PASSES = 64,  // as deep as edges may end inside others
    KST_BIND_PASSES = 16,  // as long as chains of binds that each need the one before
    KST_ALIKE_MOST = 64,   // of more edges between the same corners that run apart, others are compared with these
    KST_CELLS_NEAR = 16,   // more than fit round a place when none is as near to another as to it
};

// Something found by a pair of numbers; the least index comes first.
typedef struct kst_pair {
    int32_t low, high, index;
} kst_pair;

typedef struct kst_mend {
    karst_net *net;
    const karst_net_weld_def *def;
    double steps;        // distance
    int32_t *corner;     // what a corner became, or itself
    int32_t *edge;       // what an edge became, or itself
    uint8_t (*part)[2];  // ... and the eighths of that at its corners 0 and 1
    uint8_t *gone;       // of patches
    uint8_t *corner_join, *edge_join;
    kst_pair *pairs;  // room for as many as there are corners or edges
    karst_net_welded done;
} kst_mend;

static inline double kst_apart2(const int32_t a[3], const int32_t b[3]) {
    double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return x * x + y * y + z * z;
}
static inline void kst_sort_pairs(kst_pair *pairs, int32_t count, int (*by)(const void *, const void *)) {
    qsort(pairs, (size_t)count, sizeof *pairs, by);
}

// net_weld.c
int kst_by_pair(const void *a, const void *b);
void kst_mend_tell(const kst_mend *w, karst_net_repair repair, const int32_t at[3]);
// One corner or edge becomes another.
void kst_mend_corner(kst_mend *w, int32_t index, int32_t into);
void kst_mend_edge(kst_mend *w, int32_t index, int32_t into, int from, int to);
// What names an element that became another names that one.
void kst_mend_settle(kst_mend *w);
// Edges between the same corners, and corners at one place of an edge, until there are none. @return whether there were
bool kst_mend_whole(kst_mend *w);

// net_bind.c: edges that lie along a half, a quarter or an eighth of another one become that part of it.
karst_status kst_mend_bind(kst_mend *w);

// net_gone.c: patches that are none any more; then what no patch needs.
karst_status kst_mend_remove(kst_mend *w);
karst_status kst_mend_compact(kst_mend *w);

// net_cells.c: corners by cells as wide as the distance. Of those put in none lies within it of another.
typedef struct kst_cells {
    const karst_net *net;
    int32_t *first, *next;
    size_t room;
    double steps, wide;
} kst_cells;
karst_status kst_cells_make(kst_cells *c, const karst_net *net, double steps);
void kst_cells_free(kst_cells *c);
void kst_cells_put(kst_cells *c, int32_t corner);
// Those within the distance. @return how many
int kst_cells_near(const kst_cells *c, const int32_t at[3], int32_t out[KST_CELLS_NEAR]);

// net_strip.c: the strip of a patch along s (0) or t (1).
karst_status kst_net_strip_of(const karst_net *net, int32_t patch, int axis, karst_net_strip *out);
// Whether strips have one number each, and those bound to a larger one that one's; one line tells which do not.
karst_status kst_net_tiles_agree(const karst_net *net, karst_report *report);

// net_agree.c: paint and maps of a finished net where elements were joined; corners from corner_count on were not.
// *painted: tile corners that changed.
karst_status kst_net_agree(karst_net *net, const uint8_t *corner_join, int32_t corner_count, const uint8_t *edge_join,
                           int32_t *painted);
