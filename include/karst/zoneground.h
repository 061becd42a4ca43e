// SPDX-License-Identifier: MIT
// Zone ground: zones of curved patches answer the questions of a ground (karst/surface.h), kind "patch". Chunks are
// zones. Reference triangles are those of the finest level, made when a query comes near them. See docs/patch.md.
#pragma once
#include "karst/surface.h"
#include "karst/zone.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_PATCH_CELLS_MAX = KARST_NET_TILES_MAX * KARST_TILE_CELLS,  ///< finest cells along a side of a patch
};

// Where on it something is (karst_place): `chunk` is the number that the zone was added under, `column` the patch in
// the zone, `row` its finest cell (i, j) along (s, t) as KARST_PATCH_CELLS_MAX * j + i, `triangle` 0 or 1: 0 has the
// cell's side of lesser t.

/// A ground of zones.
typedef struct karst_zone_ground karst_zone_ground;

/// Make a ground without zones.
/// @param origin of the net that the zones are cut from, world [m] @param allocator NULL: malloc; kept
/// @param out yours until karst_zone_ground_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_zone_ground_create(karst_pos origin, const karst_allocator *allocator,
                                                karst_zone_ground **out);
/// Free a ground, not its zones. NULL is allowed.
KARST_API void karst_zone_ground_destroy(karst_zone_ground *ground);

/// Add zones. The chunk of a zone is the least number that is free; others keep theirs. On error nothing was added.
/// @param zones each must outlive its place in the ground @param chunks receives their numbers; may be NULL
/// @return KARST_ERROR_MEMORY
/// Threads: none may ask the ground meanwhile. Cost: 6 ms a zone of 6,400 tiles, nothing for the zones there before
/// but a microsecond each.
KARST_API karst_status karst_zone_ground_add(karst_zone_ground *ground, const karst_zone *const *zones, uint32_t count,
                                             uint32_t *chunks);
/// What a ground keeps of a zone: boxes over its tiles, in a tree.
typedef struct karst_zone_boxes karst_zone_boxes;

/// Make what karst_zone_ground_take() needs of a zone, so that nobody waits for it who asks the ground or draws.
/// @param ground that the zone is for @param zone must outlive them
/// @param out yours until karst_zone_ground_take() or karst_zone_boxes_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
/// Threads: any number at once, whatever is done to the ground meanwhile but destroying it. Cost: 6 ms a zone of 6,400
/// tiles.
KARST_API karst_status karst_zone_boxes_make(const karst_zone_ground *ground, const karst_zone *zone,
                                             karst_zone_boxes **out);
/// Free boxes that no ground has taken; before the ground that they were made for. NULL is allowed.
KARST_API void karst_zone_boxes_destroy(karst_zone_boxes *boxes);

/// As karst_zone_ground_add(), of zones whose boxes are made: answers are the same. On error nothing was added and the
/// boxes are still yours.
/// @param boxes made for this ground
/// Threads: none may ask the ground meanwhile. Cost: a microsecond for each zone that is there or comes.
KARST_API karst_status karst_zone_ground_take(karst_zone_ground *ground, karst_zone_boxes *const *boxes, uint32_t count,
                                              uint32_t *chunks);

/// Take a zone out. Its chunk is then empty, and free.
/// @return KARST_ERROR_MEMORY; it is then still there
/// Threads: none may ask the ground meanwhile. Cost: a microsecond for each zone.
KARST_API karst_status karst_zone_ground_remove(karst_zone_ground *ground, uint32_t chunk);

/// What answers karst/surface.h. Valid as long as the zone ground.
KARST_API const karst_ground *karst_zone_ground_of(const karst_zone_ground *ground);

#ifdef __cplusplus
}
#endif
