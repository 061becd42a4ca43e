// SPDX-License-Identifier: MIT
// The metric of ground whose samples were pushed off the grid, or that is bent and has its own up everywhere.
#pragma once
#include "op/land.h"

// Where samples stand. Their heights for erosion are along up: y, where up is NULL; the caller moves them along it.
typedef struct kst_warp {
    int width, height;       // samples, each >= 2
    float cell_m;            // of the grid that they came from, > 0
    const float *x, *y, *z;  // [m]
    const karst_vec3 *up;    // of each sample, length 1; NULL: (0, 1, 0)
} kst_warp;

// Measure the level runs and areas of the samples; width * height each, as kst_metric tells. mask receives 1, and 0 at
// the corners of cells that fold over, overhang or stand upright, seen from above: erosion must leave them out.
void kst_metric_measure(const kst_warp *warp, float *run_i, float *run_j, float *area, float *mask);
