// SPDX-License-Identifier: MIT
// Worlds built by code, shared by tests, benchmarks and samples.
#pragma once
#include "karst/field.h"

// Rough heights of several octaves, in metres; the same number at the same place for the same seed. x, z in cells.
float scene_height(double x, double z, uint64_t seed);

// One vertex row of rough ground, columns samples: heights, sideways displacement and holes of the cells below it; x, z
// and holes may be NULL.
void scene_rough_row(int row, int columns, double spacing_m, uint64_t seed, float *y, float *x, float *z,
                     uint8_t *holes);

// An in-memory field of rough ground, of such rows. displaced: vertices leave their places sideways, with overhangs.
// holes: blobs of hole cells.
karst_status scene_rough_field(int columns, int rows, double spacing_m, uint64_t seed, bool displaced, bool holes,
                               karst_pos origin, karst_field **out);

// An in-memory field of plateaus, 40 m of rise at 2 m spacing, whose edges are pushed out over the ground below them.
karst_status scene_overhang_field(int columns, int rows, double spacing_m, uint64_t seed, karst_field **out);

// An in-memory field of side x side vertices, flat but for a mushroom in the middle: a cap on a stem, pulled out of the
// ground as with a brush, 60 vertices wide.
karst_status scene_mushroom_field(int side, double spacing_m, karst_field **out);
