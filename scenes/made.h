// SPDX-License-Identifier: MIT
// Models made by code, by name: for `made:NAME` and `--made NAME`.
#pragma once
#include "karst/model.h"

typedef struct scene_made {
    const char *name;
    karst_status (*make)(karst_model **out);  // *out is the caller's
    bool upright;  // stands plumb on a slope and reaches into it; the others lean with the ground
    int share;     // of a mixed lot, in parts; 0: a shape for tests, not part of one
    float vary;    // sizes are 1 - vary .. 1 + vary
} scene_made;

// All, those of a mixed lot first.
const scene_made *scene_made_all(int *count);
// NULL when none has that name.
const scene_made *scene_made_find(const char *name);
// Their names, those of a mixed lot and all.
#define SCENE_MADE_UNITS "tank, truck, jeep, halftrack, gun, plane, house, tower, windmill, statue, rock, pine, oak"
#define SCENE_MADE_NAMES SCENE_MADE_UNITS ", cube, facets, grid"

karst_status scene_model_tank(karst_model **out);
karst_status scene_model_truck(karst_model **out);
karst_status scene_model_jeep(karst_model **out);
karst_status scene_model_halftrack(karst_model **out);
karst_status scene_model_gun(karst_model **out);
karst_status scene_model_plane(karst_model **out);
karst_status scene_model_house(karst_model **out);
karst_status scene_model_tower(karst_model **out);
karst_status scene_model_windmill(karst_model **out);
karst_status scene_model_statue(karst_model **out);
karst_status scene_model_rock(karst_model **out);
karst_status scene_model_pine(karst_model **out);
karst_status scene_model_oak(karst_model **out);
