// SPDX-License-Identifier: MIT
// Patches: ground of patches as programs draw it: all zones of a pack.
#pragma once
#include "karst/glzone.h"
#include "karst/pack.h"
#include "karst/zoneground.h"

typedef struct patches {
    karst_noise_bank *bank;
    karst_zone **zones;
    int32_t count;
    karst_pos origin;  // of the net
    karst_zone_scene *scene;
    karst_gl_zones *drawn;
    karst_zone_ground *ground;  // made when first wanted
    karst_zone_budget budget;
    karst_zone_frame frame;  // the last
    karst_box bounds;        // world [m]
} patches;

// Read all zones of a pack; count is 0 when it has none. jobs: for choosing; may be NULL. @return KARST_ERROR_*, p is
// then empty
karst_status patches_open(patches *p, const karst_pack *pack, karst_jobs *jobs, karst_report *report);
void patches_close(patches *p);
// Choose and morph what a view shows, edges of triangles at most so long. @return KARST_ERROR_*
karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view, float edge_px);
// They as a ground, which lives as long as p. @return KARST_ERROR_MEMORY
karst_status patches_ground(patches *p, const karst_ground **out);
// Where to stand to see all of it.
void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at);
// Whether there is no ground but patches.
bool patches_alone(const patches *p, const karst_pack *pack);
