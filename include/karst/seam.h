// SPDX-License-Identifier: MIT
// Seam: where a net takes the place of a part of a field. Two scenes draw what meets there; this says how fine, one
// number a corner for both, so that it meets without a crack from anywhere. See docs/lod.md, Seams.
//
//     karst_seam_update(seam, views, count, &field_budget, &zone_budget);  // once a frame, before both scenes
//     field_budget.seam = zone_budget.seam = seam;
#pragma once
#include "karst/pack.h"
#include "karst/scene.h"
#include "karst/zonescene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the levels along the seams of a pack follow from. One serves all scenes of that pack that draw the same views.
typedef struct karst_seam karst_seam;

/// Read what a seam needs of a pack: the corner tables of its finest chunks there, each once. No level is chosen yet.
/// @param pack need not stay @param allocator NULL: malloc; kept
/// @param report one line: what could not be read, and where; may be NULL
/// @param out NULL when the pack has no seams; yours until karst_seam_destroy(); untouched on error
/// @return KARST_ERROR_FORMAT, KARST_ERROR_PENDING, KARST_ERROR_MEMORY. Cost: 30 us a chunk, 150 bytes a corner.
KARST_API karst_status karst_seam_create(const karst_pack *pack, const karst_allocator *allocator, karst_report *report,
                                         karst_seam **out);
/// NULL is allowed. Budgets must not have it any more.
KARST_API void karst_seam_destroy(karst_seam *seam);

/// Choose the levels for 1..KARST_VIEWS_MAX views: no coarser than the field's error allows there, nor than the net's
/// threshold, of all views. Both scenes are then updated with the same views and budgets. A pure function of these: a
/// still camera gets the same numbers. @param field, zones NULL: the default
/// Threads: one update at a time, and no scene's meanwhile. Cost: 20 ns a corner.
KARST_API void karst_seam_update(karst_seam *seam, const karst_view *views, int view_count, const karst_budget *field,
                                 const karst_zone_budget *zones);

/// The level of a corner, as the net counts: 0 (finest) to 8, two a level of the field, in whole 2^-10. A negative
/// number when vertex (column, row) of the field is no corner of a seam, or no level was chosen yet. Threads: any,
/// but for updates. Cost: O(log corners).
KARST_API float karst_seam_level(const karst_seam *seam, int32_t column, int32_t row);

#ifdef __cplusplus
}
#endif
