// SPDX-License-Identifier: MIT
// What one view of one frame tells the shaders: the C twin of shaders/frame.glsl (std140).
#pragma once
#include "core/core.h"

enum {
    KST_NOISE_5200,
    KST_NOISE_430,
    KST_NOISE_53,
    KST_NOISE_6,
    KST_NOISE_1,
    KST_NOISE_CANOPY,
    KST_NOISE_CLOUD,
    KST_NOISE_CLOUD_FINE,
    KST_NOISE_STRATA,
    KST_NOISE_WATER,
    KST_NOISE_GUST,
    KST_NOISE_CANOPY_LOW,
    KST_NOISE_COUNT
};

// Bits of lattice[3], beside the overlays' of karst/gl.h.
enum {
    KST_DRAW_SKY = 256,
    KST_DRAW_FLAT = 512,
    KST_DRAW_MAP_NORMALS = 1024,
    KST_DRAW_WIRE = 2048,
    KST_DRAW_SURROUND = 4096
};

typedef struct kst_gl_frame {
    float clip[16];
    float fraction[4], eye[4];
    int32_t lattice[4];
    float right[4], up[4], back[4], viewport[4];
    float sun[4], sunlight[4], ambient[4], ambient_up[4], ambient_sun[4];
    float lines[4], land[4], bump[4], place[4], height[4];
    float noise[KST_NOISE_COUNT][4];
    float background[4], wire[4];
    float key[8][4];
} kst_gl_frame;
