// SPDX-License-Identifier: MIT
// Geomorphs: what is drawn of a mesh follows its level without a jump. See docs/mrm.md.
//
// On its way between two levels a mesh has the triangles of the finer one. Each of its vertices stands between its own
// place (share 1) and that of the vertex that it is at the coarser level (share 0): at the ends nothing tells it from
// the levels themselves.
#pragma once
#include "karst/base.h"
#include "karst/mrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How far the vertices of a mesh travel between levels of its curve. One serves all instances of the mesh.
typedef struct karst_geomorph karst_geomorph;

/// Make one: 4 bytes for each pair of levels and 8 for each vertex; two instances if the mesh moves vertices.
/// @param mrm must stay @param allocator NULL: malloc @param out yours until karst_geomorph_destroy(); untouched on
/// error
/// @return KARST_ERROR_MEMORY. Cost: O(wedges).
KARST_API karst_status karst_geomorph_create(const karst_mrm *mrm, const karst_allocator *allocator,
                                             karst_geomorph **out);
/// NULL is allowed.
KARST_API void karst_geomorph_destroy(karst_geomorph *geomorph);

/// The farthest way of a vertex between two levels of karst_mrm_curve() [m].
/// @param coarse, fine numbers of levels, in any order
/// Threads: one at a time, for what was found is kept. Cost: O(vertices between) the first time, then O(1).
KARST_API float karst_geomorph_travel(karst_geomorph *geomorph, int32_t coarse, int32_t fine);

/// What is drawn of an instance. At rest coarse == fine. To begin with, and for what was not seen: {level, level, 1}.
typedef struct karst_morph {
    int32_t coarse, fine;  ///< levels of karst_mrm_curve(), coarse <= fine
    float share;           ///< of the way from coarse to fine, 0..1
} karst_morph;

/// Go toward a level, by what one frame may show. What is on its way arrives at one end before it leaves for another
/// level; it turns back where that is nearer to what is wanted.
/// @param level of karst_mrm_curve(), as karst_drawable.level
/// @param most_m that a vertex may move [m of the model], > 0: pixels / karst_drawable.pixels_per_m
/// @param most_share of the way that shading may go, 0..1: 0.125 takes eight frames at least
/// @return whether it is not at that level yet. Threads: one at a time. Cost: as karst_geomorph_travel() when it
/// leaves.
KARST_API bool karst_geomorph_follow(karst_geomorph *geomorph, karst_morph *morph, int32_t level, float most_m,
                                     float most_share);

#ifdef __cplusplus
}
#endif
