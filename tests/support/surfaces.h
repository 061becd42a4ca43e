// SPDX-License-Identifier: MIT
// How far apart two surfaces are, by many samples and every triangle near them: slow, and knows nothing of how one was
// made from the other.
#pragma once
#include <stdbool.h>

// Displacements [m] of columns x rows vertices `cell_m` apart, the first one's column + row even in its field.
typedef struct surface_grid {
    int columns, rows;
    double cell_m;
    const float *y, *x, *z;
} surface_grid;

// The largest distance [m] of samples of `from`'s triangles (corners and insides) to the surface `to`; no distance
// below reach_m is missed, and what is further than that counts as reach_m.
double surface_apart(const surface_grid *from, const surface_grid *to, double reach_m);
