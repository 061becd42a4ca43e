// SPDX-License-Identifier: MIT
// Chunk: the baked form of a piece of field, as it is stored, drawn and queried. See docs/pack-format.md.
//
// Every vertex of a baked field lies on one lattice of the whole ground, so two chunks that share a vertex
// hold the same integers, and so do the chunks of all levels: a coarser chunk is a subset of a finer one.
// The lattice step along y is a power of two metres; along x and z the spacing is a whole number of steps.
#pragma once
#include "karst/base.h"
#include "karst/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The lattice of one ground. Vertex (i, j) with stored (y, dx, dz) lies at
/// origin + ((i * cell_steps + dx) * step_xz_m, y * step_y_m, (j * cell_steps + dz) * step_xz_m).
typedef struct karst_lattice {
    karst_field_shape shape;
    double step_y_m;     ///< a power of two
    double step_xz_m;    ///< spacing_m / cell_steps
    int32_t cell_steps;  ///< lattice steps between neighbouring vertices at rest, >= 1
    float bound_m;       ///< every vertex is within this distance of the author's
} karst_lattice;

/// One vertex as stored and as uploaded (RG32I: y, then dx in the low and dz in the high half).
typedef struct karst_vertex {
    int32_t y;
    int16_t dx, dz;
} karst_vertex;

enum {
    KARST_PATCH_CELLS = 16,                                       ///< lattice cells along a patch
    KARST_CHUNK_PATCHES = KARST_CHUNK_CELLS / KARST_PATCH_CELLS,  ///< patches along a chunk: 4
    KARST_CHUNK_CORNERS = KARST_CHUNK_PATCHES + 1,                ///< patch corners along a chunk: 5
    KARST_CORNER_COUNT = KARST_CHUNK_CORNERS * KARST_CHUNK_CORNERS,
    KARST_CORNER_LANES = 32,  ///< KARST_CORNER_COUNT rounded up for vector loops; the rest repeats corner 0
    KARST_PATCH_LEVELS = 4,   ///< a patch may drop this many levels below its chunk's
    KARST_MAX_LEVEL = 20,
};

/// What level of detail needs of the 25 patch corners of a chunk (corner index = row * 5 + column): the
/// bounds of the up to four patches round each, relative to the ground's origin, and the largest distance
/// between the surface at level L + k and the reference surface inside them.
typedef struct karst_chunk_corners {
    float min_x[KARST_CORNER_LANES], min_y[KARST_CORNER_LANES], min_z[KARST_CORNER_LANES];  ///< [m]
    float max_x[KARST_CORNER_LANES], max_y[KARST_CORNER_LANES], max_z[KARST_CORNER_LANES];  ///< [m]
    float error[KARST_PATCH_LEVELS + 1][KARST_CORNER_LANES];  ///< [m], growing with k by at least a quarter
} karst_chunk_corners;

/// One chunk at level L: 64 x 64 lattice cells of stride 2^L, so vertex (i, j) here is vertex
/// ((x * 64 + i) << L, (z * 64 + j) << L) of the field; beyond the field the last sample is stepped on.
typedef struct karst_chunk {
    karst_vertex vertex[KARST_CHUNK_VERTICES];
    /// Smooth normal: octahedral, x in the low byte, z in the high, biased by 128.
    uint16_t normal[KARST_CHUNK_VERTICES];
    /// Level 0: bit i of word j: the cell is a hole. Coarser: a hole anywhere below.
    uint64_t hole[KARST_CHUNK_CELLS];
    /// Of vertices (2i, 2j), 33 a row; between them linear. All zero, as in most chunks, costs nothing in the file.
    uint8_t occlusion[KARST_HALF_VERTICES];     ///< share of the sky that ground hides: 0 none, 255 all
    uint8_t transparency[KARST_HALF_VERTICES];  ///< 255 - the author's opacity: 0 is solid ground
    karst_chunk_corners corners;
} karst_chunk;

/// One node of the pyramid of chunks.
typedef struct karst_node {
    float reach_min[3], reach_max[3];  ///< bounds of the chunk and of two rings of patches round it, relative to the
                                       ///< ground's origin [m]
    float error;                       ///< most that this level is off inside reach [m]; 0 at level 0
} karst_node;

/// Unit normal of an encoded one; any code is one. Threads: any. The code is octahedral round y: x is (low byte - 128)
/// / 127, z is (high byte - 128) / 127, both at least -1, and the upper half of the sphere is |x| + |z| <= 1. Every
/// code decodes. The same in GLSL:
///
///     vec3 karst_normal(uint code) {
///         vec2 p = max((vec2(float(code & 255u), float((code >> 8) & 255u)) - 128.0) * (1.0 / 127.0), vec2(-1.0));
///         float y = 1.0 - abs(p.x) - abs(p.y), amount = max(-y, 0.0);
///         p.x += p.x >= 0.0 ? -amount : amount;
///         p.y += p.y >= 0.0 ? -amount : amount;
///         return normalize(vec3(p.x, y, p.y));
///     }
KARST_API karst_vec3 karst_normal_decode(uint16_t code);

/// Code of a unit normal, whichever way it points: the nearest code, never off by more than 0.0112 rad. A zero
/// vector gives the code of straight up, 0x8080.
KARST_API uint16_t karst_normal_encode(karst_vec3 normal);

#ifdef __cplusplus
}
#endif
