// SPDX-License-Identifier: MIT
// Smooth normals of a grid of lattice vertices: bake makes them of the whole ground, the pack those inside a record
// again.
#pragma once
#include "core/core.h"

typedef struct kst_normal_grid {
    int32_t columns, rows;
    size_t stride;           // of the arrays, vertices a row
    const int32_t *y;        // [lattice steps]
    const int16_t *dx, *dz;  // NULL: none leaves its place
    float step_y_m, step_xz_m;
    double spacing_m;
    uint16_t *normal;  // codes
} kst_normal_grid;

// Rows [begin, end). The arena holds working memory, which is not given back.
karst_status kst_grid_normals(const kst_normal_grid *grid, int32_t begin, int32_t end, kst_arena *arena);
