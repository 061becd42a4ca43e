// SPDX-License-Identifier: MIT
// Patches: ground of patches as programs show it, alone or beside a field. Zones come and go, nearest first.
#pragma once
#include "both.h"
#include "karst/glzone.h"
#include "karst/pack.h"
#include "karst/scene.h"
#include "karst/seam.h"
#include "patches_load.h"

#define PATCHES_EDGE_PX 12  // longest edge of a triangle
#define PATCHES_GROUND_NAMES "field, patches, both"
// Why methods that are asked for are not taken.
#define PATCHES_SEAM_WHY "field and patches that meet have their levels at corners"

// Which ground of a pack that has both is shown.
typedef enum patches_ground { PATCHES_BOTH, PATCHES_FIELD_ONLY, PATCHES_ONLY } patches_ground;

// A zone of the pack.
typedef struct patches_zone {
    karst_box bounds;
    karst_zone *zone;  // NULL: not here
    uint32_t chunk;    // of the zone ground
    uint16_t slot;     // of the scene
    bool on_way;       // among the loads
    bool damaged;      // or too large
} patches_zone;

typedef struct patches_wanted {
    double away_m;
    int32_t index;
} patches_wanted;

typedef struct patches {
    karst_pack *pack;
    karst_noise_bank *bank;
    patches_zone *zones;
    int32_t count;              // of them; 0: no patches are shown, and only `ground` is of use
    int32_t here, damaged;      // of these
    int32_t awaited, left_out;  // that come next or are on their way; within reach, but too many
    int32_t most;               // that are here at once, at most what a scene takes
    double reach_m;             // zones within this distance are there, those a tenth farther go; INFINITY: all
    float edge_px;
    bool torn;               // edges have no rule, see karst_zone_tear()
    bool beside;             // zones come when they are ready; false: whoever brings them waits
    patches_wanted *wanted;  // nearest first, as seen from `from`
    int32_t wanted_count, wanted_next;
    karst_pos from;
    bool looked, waits;  // whether `from` says anything; some are not in the file yet
    bool more_go;        // zones are out of reach that have not gone yet
    patches_loads loads;
    int32_t *came;               // zones that come in this call
    karst_zone_boxes **boxes;    // of these
    double took_ms, longest_ms;  // processor time of the caller for zones and frame: the last, and the most since the
                                 // second
    int64_t shows;
    karst_zone_scene *scene;
    karst_seam *seam;   // where they take the place of the field; NULL: nowhere, or one of the two is not shown
    bool seam_awaited;  // it is not in the file yet
    karst_zone_ground *zone_ground;
    both both;
    const karst_ground *ground;  // of all that is shown; its bounds are those of zones to come, too
    bool no_field;
    karst_gl_zones *drawn;
    karst_zone_budget budget;
    karst_zone_frame frame;  // the last
    karst_box bounds;        // of all zones, world [m]
} patches;

// The name of a ground; false when none has it.
bool patches_ground_find(const char *name, patches_ground *out);

// Begin with no zone here. On failure, told in the report, nothing is left open. jobs may be NULL.
karst_status patches_open(patches *p, karst_pack *pack, const karst_scene *field, patches_ground shown,
                          karst_jobs *jobs, karst_report *report);
void patches_close(patches *p);

// Zones that are out of reach of an eye go, the nearest that are missing come, `most` of them: at once, or with
// `beside` those that were asked for by calls before and are ready, and few go in one call. One that is damaged is told
// as an error once and then left out. @return KARST_ERROR_FORMAT, KARST_ERROR_LIMIT (more pieces than a scene takes),
// KARST_ERROR_MEMORY; the others stay
karst_status patches_bring(patches *p, karst_pos eye, int most, karst_report *report);

// Before the field's scene and patches_show(): how fine a view shows patches, and where they meet the field how fine
// both are; budget: the field's.
void patches_aim(patches *p, const karst_view *view, karst_budget *budget);

// Choose and morph what a view shows of those that are here. @return KARST_ERROR_*
karst_status patches_show(patches *p, karst_gl *gl, const karst_view *view);

// Patches alone are shown: nothing of the field's frame is drawn.
void patches_hide_field(karst_frame *frame);

// Where to stand to see all of them, or as many as are within reach.
void patches_viewpoint(const patches *p, karst_pos *eye, karst_pos *at);
