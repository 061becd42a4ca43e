// SPDX-License-Identifier: MIT
// Models built by code, shared by tests, benchmarks and documents. All are yours until karst_model_destroy().
#pragma once
#include "karst/model.h"

// A flat square of cells x cells quads of spacing_m in the plane y = 0, texture coordinates 0..1, normals up.
karst_status scene_model_grid(int cells, float spacing_m, karst_model **out);

// The same without the quads [from, to) along both axes.
karst_status scene_model_holed_grid(int cells, int from, int to, float spacing_m, karst_model **out);

// A sphere of radius 1 of 20 x 4^depth triangles, each with a normal of its own: as many wedges as corners.
karst_status scene_model_facets(int depth, karst_model **out);

// A cube of side 2 of cells x cells quads a face; each face its own chart of the texture, edges hard.
karst_status scene_model_cube(int cells, karst_model **out);

// Tile (column, row) of rough ground of cells x cells quads of 1 m: the vertices on the side of two neighbours are
// equal in world space.
karst_status scene_model_tile(int cells, int column, int row, uint64_t seed, karst_model **out);

// count loose quads, one above another: no vertex is shared.
karst_status scene_model_loose_quads(int count, karst_model **out);

// A tank of 1,200 triangles as a strategy game has it, 8.2 m long over its gun: 23 parts, hard edges, seams, mirrored
// texture, five materials, three joints (hull, turret, gun). Y up, the gun along +Z.
karst_status scene_model_tank(karst_model **out);
