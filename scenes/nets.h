// SPDX-License-Identifier: MIT
// Nets of patches built by code, shared by tests, benchmarks and documents.
#pragma once
#include "karst/zone.h"

// What a scene's net is made with.
typedef struct scene_net_def {
    int side;            // patches along x and z, at least 16; 64 has everything
    uint8_t slot;        // displacement map of all tiles: 0 flat, 15 roughest
    uint8_t tiles_log2;  // of a plain patch: 3
    uint8_t noise_set;
} scene_net_def;

// Hills of 16 m patches with small patches bound two and four to one, rectangles, an arch of two pillars and a bridge,
// fans of 3, 5 and 6 patches round a corner, and an open tunnel through a hill. Finished.
karst_status scene_net(const scene_net_def *def, karst_report *report, karst_net **out);

// A small land to look at, 480 m square: a plain with a basin and a great root over it, a ridge with cliffs on both
// sides, a tunnel through it, a cave with a floor and a ceiling, and a natural arch. Grass, earth, rock, sand and moss
// by the noise sets of its patches; displaced up to `slot`. Finished.
karst_status scene_net_sample(uint8_t slot, karst_report *report, karst_net **out);

// Paint it: a path to the tunnel, sand round the basin, moss in the cave, worn grass. It stays finished.
void scene_net_sample_paint(karst_net *net);

// Height of the hills [m].
double scene_net_hill(double x, double z);

// All zones of a net. Yours: scene_zones_free().
typedef struct scene_zones {
    karst_noise_bank *bank;
    karst_zone **zones;
    int count;
} scene_zones;
karst_status scene_zones_cut(const karst_net *net, karst_report *report, scene_zones *out);
void scene_zones_free(scene_zones *zones);
