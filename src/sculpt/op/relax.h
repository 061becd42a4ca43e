// SPDX-License-Identifier: MIT
// Relax: vertices of vector-field ground slide along its surface to where edges are stretched. See docs/relax.md.
//
// Lengths are told in cells: a length of 1 is the spacing of vertices at rest, so an edge's length is its stretch.
#pragma once
#include "core/core.h"

// A rectangle of ground. Arrays hold columns * rows values, row by row.
typedef struct kst_relax_ground {
    int32_t columns, rows;  // vertices, each >= 2
    int32_t column, row;    // of the first vertex in its field: which diagonal a cell has hangs on it
    double cell_m;          // between neighbouring vertices at rest, > 0
    float *y, *x, *z;       // displacement [m], finite; changed
    // Fill mask, rect's width a row, with 0..1: 0 never moves, which the corners of holes must be; less than 1 raises
    // the stretch from which a vertex moves to 1 + (above - 1) / mask. NULL: 1 everywhere. Any thread.
    karst_status (*mask)(void *context, karst_rect rect, float *mask);
    void *context;
    // Whether a vertex on this side is on the border of the field and may slide along it; else it stays.
    bool border_left, border_right, border_top, border_bottom;
    const uint8_t *begin;  // tiles from which it may begin, NULL: all; kst_relax_tiles() a row
} kst_relax_ground;

enum { KST_RELAX_TILE = 32 };  // vertices a side

static inline int32_t kst_relax_tiles(int32_t vertices) {
    return (vertices + KST_RELAX_TILE - 1) / KST_RELAX_TILE;
}

typedef struct kst_relax_result {
    int64_t moved;     // vertices
    double largest_m;  // distance of the surfaces where it was measured, roundings included
    int32_t sweeps;
    karst_rect changed;  // holds every moved vertex; empty when none is
} kst_relax_result;

// Relax. Afterwards every point of the old surface is within distance_m of the new one and the other way round.
// above: a vertex sets out only where one of its edges is longer, > 1. sweeps: most sweeps of each of the two longest
// stages, about twice as many of the middle one. The same bytes for any number of workers.
// scratch: where what grows with the moved ground lies; NULL: memory.
karst_status kst_relax(const kst_relax_ground *ground, double distance_m, double above, int32_t sweeps,
                       kst_scratch *scratch, karst_jobs *jobs, const karst_progress *progress, kst_relax_result *out);

// Squared lengths [cells] of the edges from vertex (i, j) to the next in its row and in its column: negative when there
// is none.
void kst_relax_edges(const kst_relax_ground *ground, int32_t i, int32_t j, double *along_row, double *along_column);
