// SPDX-License-Identifier: MIT
// Renderer, inner: what its files and its tests share.
#pragma once
#include <epoxy/gl.h>

#include "gl/air.h"
#include "gl/frame.h"
#include "gl/scenery.h"
#include "gl/store.h"
#include "karst/gl.h"

// A framebuffer of our own with a float depth.
typedef struct kst_target {
    GLuint framebuffer, colour, depth;
    int width, height, samples;
} kst_target;

// Make or remake it for this size. @return KARST_ERROR_LIMIT when the device has no such target
karst_status kst_target_resize(kst_target *target, int width, int height, int samples);
void kst_target_destroy(kst_target *target);

// What a program for ground can do; less is faster.
enum {
    KST_GROUND_HOLES = 1,
    KST_GROUND_DEEP = 2,
    KST_GROUND_NORMALS = 4,
    KST_GROUND_TESS = 8,      // the hardware cuts the patches
    KST_GROUND_OVERLAY = 16,  // colours of an overlay
    KST_GROUND_CAST = 32,     // shadows of zones fall on it
    KST_GROUND_PROGRAMS = 64
};

typedef struct kst_lighting {
    bool known;
    float elevation_rad, azimuth_rad, haze;
    bool swept;
    float swept_azimuth_rad;
    kst_air air;
    kst_air_light light;
} kst_lighting;

struct karst_gl {
    karst_gl_def def;
    karst_pack_info info;
    bool is_bare;  // the pack is none, or all of its field is hole
    kst_store store;
    kst_scenery scenery;
    kst_lighting lighting;
    GLuint ground[KST_GROUND_PROGRAMS];  // by kst_ground bits, built when first wanted
    GLuint water, sky;
    char defines[128];
    GLuint array, indices, patches, errors, frame;
    int index_first[KARST_LATTICE_COUNT], index_count[KARST_LATTICE_COUNT];
    karst_patch *sorted;
    float (*sorted_errors)[4];  // at their corners [m], for the overlay
    uint64_t *keys;
    int patch_room;
    kst_target own, resolved;
};

// What every fragment stage that may show land is made of.
#define KST_LAND_FILES \
    "frame.glsl", "air.glsl", "tone.glsl", "noise.glsl", "clouds.glsl", "maps.glsl", "material.glsl", "surface.glsl"

// Tell a program which unit each of its textures is in, and where the numbers of the view are.
void kst_gl_set_units(GLuint program);

// As karst_gl_create(), with lines put before every shader: tests define KARST_PATCH_OWNS_EDGE, which must leak.
karst_status kst_gl_create_with(karst_pack *pack, const karst_gl_def *def, const char *defines, karst_gl **out);
// Sun, sky and shadows for a look; nothing is done twice for the same sun.
karst_status kst_lighting_update(karst_gl *gl, const karst_gl_look *look);
// The overlay that colours the ground among these bits; none: KARST_GL_OVERLAY_NONE.
karst_gl_overlay kst_overlay_of(unsigned overlays);
// Its colours, linear, and what else its shader needs.
void kst_overlay_fill(const karst_gl *gl, const karst_view *view, const karst_gl_look *look, kst_gl_frame *out);
// The numbers that the shaders get for one view.
void kst_gl_fill_frame(const karst_gl *gl, const karst_frame *frame, const karst_view *view, const karst_gl_look *look,
                       kst_gl_frame *out);
