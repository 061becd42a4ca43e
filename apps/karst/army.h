// SPDX-License-Identifier: MIT
// Army: many of one multi-resolution mesh on a ground, one budget of triangles for all.
#pragma once
#include "karst/glmesh.h"
#include "karst/governor.h"

enum { ARMY_COUNT = 200, ARMY_COUNT_MAX = 100000, ARMY_TRIANGLES = 60000, ARMY_TRIANGLES_MAX = 1000000000 };

typedef struct army {
    karst_mrm *mrm;
    karst_governor *governor;
    karst_gl_meshes *meshes;  // for karst_gl_look.meshes
    karst_gl_instance *units;
    karst_drawable *drawables;  // of units
    karst_drawable *seen;       // copies of those in view, and whose they are
    int *whose;
    karst_vec3 centre;  // of a ball round a unit [m]
    float radius_m;
    int count;
    karst_governor_figures figures;  // of the last choice
    double choose_ms;                // processor time of it
} army;

// Read a mesh (a .kmrm file, or made:tank) and let up to `count` of it stand on gentle slopes round a place, above
// `water_m` (NAN: none), their faces turned a little aside of the eye. The same for the same ground and places. On
// failure the report says why; army_close() in any case, before the renderer goes.
karst_status army_open(army *a, const char *what, int count, karst_gl *gl, const karst_scene *scene, karst_pos eye,
                       karst_pos middle, float water_m, karst_report *report);
void army_close(army *a);

// Share so many triangles out for a view; what is drawn from now on.
karst_status army_choose(army *a, const karst_view *view, int64_t most_triangles);

// Where the middle of a view meets the ground; `otherwise` where it meets none. With `near`, when nobody asked for that
// place, a place on the way there from which units are not dots: three times as far as the eye is high, 150 m at least.
karst_pos army_middle(const karst_scene *scene, const karst_view *view, karst_pos otherwise, bool near);
