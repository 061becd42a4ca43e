// SPDX-License-Identifier: MIT
// Light on zones: depth maps of them toward the sun, near and far, and straight up.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"
#include "karst/gl.h"

enum { KST_LIGHT_NEAR, KST_LIGHT_FAR, KST_LIGHT_SKY, KST_LIGHT_LAYERS };

// Where a map looks from.
typedef struct kst_light_box {
    karst_vec3 right, up, toward;  // unit vectors; toward: to the light
    karst_pos centre;              // world [m]
    double half_m;                 // of a side
} kst_light_box;

typedef struct kst_zones_light {
    GLuint program, texture, framebuffer[KST_LIGHT_LAYERS], casters;
    GLint light_at, first_at;
    kst_light_box box[KST_LIGHT_LAYERS];
    uint32_t change;             // of the zones that the maps show; 0: none
    int32_t first[6], count[6];  // casters by log2 of their tiles
    uint64_t bytes;
} kst_zones_light;

karst_status kst_zones_light_make(kst_zones_light *light, const char *defines, karst_report *report);
void kst_zones_light_free(kst_zones_light *light);
// Bring the maps up for a view and a sun; changes GL state. @return KARST_ERROR_MEMORY
karst_status kst_zones_light_update(karst_gl_zones *zones, const karst_view *view, const float sun[3]);
// Tell the program that draws zones where the maps are, for places that count from `origin`. lit: there are maps.
void kst_zones_light_bind(const kst_zones_light *light, GLuint program, karst_pos origin, bool lit);
