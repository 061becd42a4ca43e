// SPDX-License-Identifier: MIT
// Made models: the table.
#include "made.h"

#include <string.h>

#include "models.h"

static karst_status cube(karst_model **out) {
    return scene_model_cube(24, out);
}
static karst_status facets(karst_model **out) {
    return scene_model_facets(4, out);
}
static karst_status grid(karst_model **out) {
    return scene_model_holed_grid(64, 24, 40, 1, out);
}

static const scene_made table[] = {
    {"tank", scene_model_tank, false, 160, 0},
    {"truck", scene_model_truck, false, 160, 0},
    {"jeep", scene_model_jeep, false, 120, 0},
    {"halftrack", scene_model_halftrack, false, 120, 0},
    {"gun", scene_model_gun, false, 90, 0},
    {"plane", scene_model_plane, false, 40, 0},
    {"house", scene_model_house, true, 45, 0},
    {"tower", scene_model_tower, true, 6, 0},
    {"windmill", scene_model_windmill, true, 6, 0},
    {"statue", scene_model_statue, true, 8, 0},
    {"rock", scene_model_rock, false, 120, 0.4f},
    {"pine", scene_model_pine, true, 420, 0.3f},
    {"oak", scene_model_oak, true, 200, 0.25f},
    {"cube", cube, false, 0, 0},
    {"facets", facets, false, 0, 0},
    {"grid", grid, false, 0, 0},
};

const scene_made *scene_made_all(int *count) {
    *count = sizeof table / sizeof *table;
    return table;
}

const scene_made *scene_made_find(const char *name) {
    for (size_t k = 0; k < sizeof table / sizeof *table; ++k)
        if (!strcmp(table[k].name, name)) return &table[k];
    return NULL;
}
