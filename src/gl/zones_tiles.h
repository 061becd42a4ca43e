// SPDX-License-Identifier: MIT
// Tiles on the device: images, transitions, and the far textures of pieces.
#pragma once
#include "gl/far.h"
#include "karst/gl.h"
#include "karst/tile.h"

enum { KST_SLOPE_MOST = 16 };  // of heights, a tile; shaders/zone_material.glsl has it too

typedef struct kst_zones_tiles {
    karst_tile_bank *bank;
    GLuint images, slopes, masks;
    uint64_t bytes;  // of these three
    kst_far far;
} kst_zones_tiles;

// Textures of the bank of the def, or of Karst's own; tells the program that draws. @return KARST_ERROR_MEMORY
karst_status kst_zones_tiles_make(karst_gl_zones *zones);
void kst_zones_tiles_free(kst_zones_tiles *tiles);
void kst_zones_tiles_bind(const kst_zones_tiles *tiles);
