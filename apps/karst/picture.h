// SPDX-License-Identifier: MIT
// Pictures: what render and flyover share.
#pragma once
#include "app.h"
#include "karst/gl.h"
#include "patches.h"

// A pack with everything it takes to draw it.
typedef struct picture {
    karst_pack *pack;
    karst_gl_context *context;
    karst_gl *gl;
    karst_scene *scene;
    patches patches;  // of the pack; its ground is all that is shown
    karst_pack_info info;
    karst_gl_look look;
    int width, height, samples;
    float fov_rad;
    karst_budget budget;
    float edge_px;  // longest of patches
    karst_zone_method zone_method;
    patches_ground shown;
    uint8_t *rgb;
    const char *path;  // of the pack
    karst_report *report;
    int damaged;  // chunks found so by now
    karst_damage first_damage;
    int kept_pending, kept_for_memory;  // most in a picture
} picture;

// The options that both verbs take, for their tables.
#define PICTURE_OPTIONS                                                                                              \
    {"--size", "WxH", "pixels (960x540)"}, {"--fov-deg", "F", "vertical field of view [degrees] (50)"},              \
        {"--method", "NAME", "how detail is chosen, one of: " KARST_METHOD_NAMES " (grid)"},                         \
        {"--lod-error", "PX", "largest error anywhere on the screen [pixels] (1)"},                                  \
        {"--ground", "NAME", "of a world with both, one of: " PATCHES_GROUND_NAMES " (both)"},                       \
        {"--edge", "PX", "longest edge of a triangle of patches [pixels] (12)"},                                     \
        {"--zone-method", "NAME", "how detail of patches is chosen, one of: " KARST_ZONE_METHOD_NAMES " (corner)"},  \
        {"--torn", NULL, "patches displace their borders each by itself, to see what the rule of edges is for"},     \
        {"--skirt", "M", "how far the ground goes on beyond its border, mirrored [m] (0)"},                          \
        {"--samples", "N", "samples a pixel: 1, 2 or 4 (4)"},                                                        \
        {"--hour", "H", "hour of the day, 0..24, at 45 degrees north in April (a fine morning)"},                    \
        {"--haze", "H", "0.5 after rain, 1 clear, 3 summer haze (0.7)"},                                             \
        {"--exposure", "EV", "brighter or darker [stops] (0)"}, {"--water", "M", "level of water [world m] (none)"}, \
        {"--snow-line", "M", "[world m] (from the land)"}, {"--tree-line", "M", "[world m] (from the land)"},        \
        {"--background", "RRGGBB", "this colour instead of sky, and no haze"},                                       \
        {"--contours", "M", "contour lines every so many metres"},                                                   \
        {"--partial", NULL, "the pack is still being downloaded: draw what is there"},                               \
        {"--overlay", "NAME", "colour the ground by one of: " KARST_GL_OVERLAY_NAMES}, {                             \
        "--wireframe", NULL, "show the triangles"                                                                    \
    }

// Read the options and open everything. Returns an exit code, after saying what went wrong.
int picture_open(picture *p, args *a, const char *path);
void picture_close(picture *p);
// All patches that there may be, nearest to an eye first; where the ground is asked before anything is drawn.
karst_status picture_bring(picture *p, karst_pos eye);
// Choose what to draw for a view and draw it into p->rgb.
karst_status picture_draw(picture *p, const karst_view *view, karst_frame *frame);
// Say in a line each, and in a->out, what the pictures had to leave out: damage, what is not there yet, lack of memory.
void picture_tell(args *a, const picture *p);
