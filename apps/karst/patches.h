// SPDX-License-Identifier: MIT
// Patches: ground of patches as the verbs draw it.
#pragma once
#include "app.h"
#include "karst/glzone.h"
#include "karst/pack.h"

typedef struct patches {
    karst_noise_bank *bank;
    karst_zone **zones;
    int32_t count;
    karst_zone_scene *scene;
    karst_gl_zones *drawn;
    karst_zone_budget budget;
    karst_zone_frame frame;  // the last
    karst_box bounds;        // world [m]
} patches;

// Read all zones of a pack; count is 0 when it has none. @return an exit code, after saying what went
// wrong
int patches_open(patches *p, args *a, const karst_pack *pack);
void patches_close(patches *p);
// Choose and morph what a view shows. @return KARST_ERROR_*
karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view);
// Where to stand to see all of it.
void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at);
// Say what was drawn.
void patches_tell(args *a, const patches *p);
