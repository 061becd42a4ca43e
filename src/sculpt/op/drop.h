// SPDX-License-Identifier: MIT
// Drops on a block: a piece of land copied out, with what lies round it, that one worker rains on.
#pragma once
#include "karst/erosion.h"
#include "op/land.h"

enum {
    KST_DROP_BEFORE = 3,  // a drop changes cells from 3 before to 4 after the one it is in
    KST_DROP_AFTER = 4,
    KST_DROP_BOX = 8,
    KST_DROP_ROWS = 7,    // of that box that it reaches: all but the first or the last
    KST_DROP_PLACES = 4,  // of a drop within a cell that the brush knows, along each side
};

// Weights round the drop's place in its cell, together 1; the same with 1 in all cells of its foot.
typedef struct kst_drop_brush {
    float weight[KST_DROP_PLACES * KST_DROP_PLACES][KST_DROP_ROWS][KST_DROP_BOX];
    float foot[KST_DROP_PLACES * KST_DROP_PLACES][KST_DROP_ROWS][KST_DROP_BOX];
} kst_drop_brush;
void kst_drop_brush_make(kst_drop_brush *brush);

// Arrays of `stride` floats a row. gives and takes are 0 where there is no ground.
typedef struct kst_drop_block {
    int side, stride;
    float *height_m;
    float *gives, *takes;         // what kst_land_gives and kst_land_takes say, over the area
    float *laid_m;                // laid down by these drops
    float *run_i, *run_j, *area;  // as kst_metric; NULL on a regular grid
} kst_drop_block;

// Where drops fall and how they run, on one block.
typedef struct kst_drop_rain {
    const karst_droplets_def *def;
    const kst_drop_brush *brush;
    float cell_m;
    float x0, y0, side;     // they fall into this square of the block [cells]
    int first[2], last[2];  // cells, column and row, that a drop may be in; it ends before it leaves them
    int count;
    uint64_t key;       // of their random numbers
    uint64_t steps;     // receives the steps taken
    double unplaced_m;  // receives what no ground took
} kst_drop_rain;

void kst_drop_run(const kst_drop_block *block, kst_drop_rain *rain);
