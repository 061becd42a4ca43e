// SPDX-License-Identifier: MIT
// Weld of drawn patches: triangles joined by exact position, edges counted with sign. What is left over must lie where
// the net ends or where a neighbour's zone is not there.
#pragma once
#include "karst/zonescene.h"
#include "nets.h"

typedef struct zone_weld zone_weld;

// Zones of one net, which must outlive it; NULL: no memory.
zone_weld *zone_weld_create(const scene_zones *zones);
void zone_weld_destroy(zone_weld *weld);

// An edge is counted over when more than two triangles use it, in balance.
typedef struct zone_weld_result {
    int64_t triangles, edges, cracks, outline, over;
} zone_weld_result;

// All that a frame draws, by either method. there[k]: zone k is in the scene.
zone_weld_result zone_weld_frame(zone_weld *weld, const karst_zone_frame *frame, const karst_zone_scene *scene,
                                 const bool *there);

// Tiles of a piece's patch along s and t.
void zone_patch_tiles(const karst_zone *zone, uint32_t piece, int tiles[2]);

// A place to look from: at a corner of any kind, on the ground, high over it, inside the tunnel.
karst_pos zone_weld_eye(const karst_net *net, uint64_t seed, uint64_t index);
