// SPDX-License-Identifier: MIT
// Army: many of a few multi-resolution meshes on a ground, one budget of triangles for all.
#pragma once
#include "karst/geomorph.h"
#include "karst/glmesh.h"
#include "karst/governor.h"

enum {
    ARMY_KINDS_MAX = 32,
    ARMY_COUNT = 200,
    ARMY_COUNT_MAX = 100000,
    ARMY_TRIANGLES = 60000,
    ARMY_TRIANGLES_MAX = 1000000000
};

// A mesh that units have.
typedef struct army_kind {
    karst_mrm *mrm;
    karst_geomorph *geomorph;
    const karst_mrm_level *levels;
    int level_count;
    karst_vec3 centre;    // of a ball round it, from the model's origin [m]
    float radius_m;       // of that
    float aside_m;        // of an upright pillar about the origin round all of it
    float foot[4];        // what meets the ground: from x, to x, from z, to z [m]
    float base_m;         // y of the model that lies on the ground
    float reach_m;        // how far it goes on below that
    bool upright, turns;  // plumb on a slope; looks anywhere
    float vary;           // sizes are 1 - vary .. 1 + vary
    int share;            // of all units, in parts
} army_kind;

typedef struct army {
    army_kind kinds[ARMY_KINDS_MAX];
    int kind_count;
    karst_governor *governor;
    karst_gl_meshes *meshes;  // for karst_gl_look.meshes
    karst_gl_instance *units;
    karst_drawable *drawables;  // of units
    karst_morph *morphs;        // of units: what is drawn, which follows the levels of drawables
    int moving;                 // units in view that are not at their level yet
    bool at_once;               // they are: nobody sees how they get there
    karst_drawable *seen;       // copies of those in view, and whose they are
    int *whose;
    int count;
    karst_governor_figures figures;  // of the last choice
    int64_t triangles;               // of units in view, and their largest error
    float error_px;
    double choose_ms;  // processor time of it
} army;

// Where an army stands.
typedef struct army_place {
    const karst_ground *ground;
    karst_pos eye, middle;
    float water_m;  // NAN: none
} army_place;

// Read meshes (as mesh_read() does, or made:all for one of each that code makes) into a->kinds, after those that are
// there. On failure the report says why; army_close() in any case.
karst_status army_read(army *a, const char *const *what, int what_count, karst_report *report);

// Read meshes and let up to `count` units stand on gentle slopes round the middle, above the water; those with a front
// look a little aside of the eye. The same for the same ground and places. On failure the report says why; army_close()
// in any case, before the renderer goes.
karst_status army_open(army *a, const char *const *what, int what_count, int count, karst_gl *gl,
                       const army_place *place, karst_report *report);
void army_close(army *a);

// Share what `input` allows out for a view; what is drawn from now on: one frame on the way there, for what was in view
// before.
karst_status army_choose(army *a, const karst_view *view, const karst_governor_input *input);

// A governor for so many units: the default, but that a slow machine does not begin with a million triangles.
karst_governor_def army_governor_def(int count);

// Where the middle of a view meets the ground; `otherwise` where it meets none. With `near`, when nobody asked for that
// place, a place on the way there from which units are not dots: three times as far as the eye is high, 150 m at least.
karst_pos army_middle(const karst_ground *ground, const karst_view *view, karst_pos otherwise, bool near);
