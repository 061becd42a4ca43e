// SPDX-License-Identifier: MIT
// Land: one rectangle of ground that erosion works on, what stands in its way, and the account of what it moved.
//
// All arrays hold width * height values, row by row, without gaps. Heights enter the physics as height / cell, so no
// unit changes a result. Volumes are told in metres on one cell: a volume divided by the area of a flat cell.
#pragma once
#include "core/core.h"

// Ground whose samples do not stand on a regular grid: pushed sideways, or bent round a body with its own up. Lengths
// and areas are level, across the pull of gravity, in flat cells; a regular grid is 1 everywhere. > 0 and finite.
typedef struct kst_metric {
    const float *run_i;  // from a sample to the next in its row; the last column repeats
    const float *run_j;  // from a sample to the one below it in the next row; the last row repeats
    const float *area;   // that a sample stands for
} kst_metric;

typedef struct kst_land {
    int width, height;         // samples, each >= 2
    float cell_m;              // between neighbouring samples, > 0
    float *height_m;           // along up, finite, changed
    const float *mask;         // 0..1, NULL: 1 everywhere; 0 keeps every bit
    const float *hardness;     // 0..1, NULL: 0; 1 is never lowered
    const float *talus;        // steepest slope that stays [m/m] of each sample, NULL: the def's
    float *wear_m;             // removed so far [m], >= 0, added to; NULL: not wanted
    float *deposit_m;          // laid down so far [m], >= 0, added to; NULL: not wanted
    const kst_metric *metric;  // NULL: a regular grid
} kst_land;

// What moved, in metres on one cell: what the rounded heights really did, (h + w) - h, not the w that was wished.
// Whatever happens: eroded = deposited + carried + unplaced, but for the rounding of these sums.
typedef struct kst_ledger {
    double eroded_m;     // taken from the rectangle
    double deposited_m;  // laid down in it
    double carried_m;    // off its edge; less than nothing where more came in than went out
    double unplaced_m;   // held at the end by what no ground took: masked or hard ground stood in the way
} kst_ledger;

// Asserts the shape and that the arrays are there.
static inline void kst_land_check(const kst_land *land) {
    KARST_ASSERT(land->width >= 2 && land->height >= 2);
    KARST_ASSERT(land->cell_m > 0 && land->height_m);
    KARST_ASSERT(!land->metric || (land->metric->run_i && land->metric->run_j && land->metric->area));
    (void)land;
}

// The share 0..1 of a change that sample i lets happen: raised by its mask, lowered by its mask and its hardness.
static inline float kst_land_takes(const kst_land *land, size_t i) {
    return land->mask ? land->mask[i] : 1;
}
static inline float kst_land_gives(const kst_land *land, size_t i) {
    return kst_land_takes(land, i) * (land->hardness ? 1 - land->hardness[i] : 1);
}

// Add one account to another; in a fixed order, so that the sums are the same for any number of threads.
static inline void kst_ledger_add(kst_ledger *sum, const kst_ledger *part) {
    sum->eroded_m += part->eroded_m;
    sum->deposited_m += part->deposited_m;
    sum->carried_m += part->carried_m;
    sum->unplaced_m += part->unplaced_m;
}
