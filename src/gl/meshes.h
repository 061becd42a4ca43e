// SPDX-License-Identifier: MIT
// Meshes: multi-resolution meshes beside the ground, one index array a level in use.
#pragma once
#include "gl/renderer.h"
#include "karst/glmesh.h"

// A mesh at one level, on the device.
typedef struct kst_mesh_level {
    karst_mrm_instance instance;
    void *memory;  // of the instance
    GLuint indices;
    GLuint places;  // 0 unless the mesh moves vertices; then this and the next are of the level
    GLuint texels;
    uint32_t (*texel)[4];
    uint32_t uploaded;  // level that the device has, in vertices; 0: none
    bool taken;         // by the view that is drawn
} kst_mesh_level;

// A level that was looked up: of so many vertices asked for, 0: none yet.
typedef struct kst_mesh_known {
    uint32_t asked, vertices, wedges;
} kst_mesh_known;
enum { KST_MESH_KNOWN = 256 };

typedef struct kst_mesh {
    const karst_mrm *mrm;
    GLuint places, faces;              // of wedges: position; normal and colour
    GLuint place_texels, face_texels;  // the same for the shader to look up: mesh_morph.glsl
    uint32_t *parents;                 // of wedges
    bool moves;                        // vertices
    karst_vec3 centre;                 // of a ball round all of it [m]
    float radius_m, low_m, height_m;
    kst_mesh_level **levels;
    int level_count;
    karst_mrm_section *sections;           // room for all materials
    kst_mesh_known known[KST_MESH_KNOWN];  // at asked % KST_MESH_KNOWN
} kst_mesh;

// Instances of one mesh at one level.
typedef struct kst_mesh_run {
    int mesh, first, count;
    kst_mesh_level *level;
    kst_mesh_level *coarse;  // of a mesh that moves vertices, when it is on its way to or from that level; else NULL
} kst_mesh_run;

// An instance as the device has it: rows of the matrix from the model into the frame; normal of the plane that its
// shadow falls on, 0 when it casts none; share of the finer level, and wedges of the coarser.
typedef struct kst_mesh_place {
    float rows[12], shadow[3], share;
    uint32_t coarse;
} kst_mesh_place;

// A seen instance: what it is sorted by, and which of those that are shown.
typedef struct kst_mesh_key {
    int mesh;
    uint32_t vertices, coarse;  // levels; the coarser where it makes another run, else 0
    uint32_t coarse_wedges;     // UINT32_MAX: no geomorph
    int shown;
} kst_mesh_key;

struct karst_gl_meshes {
    karst_gl *gl;
    GLuint program, shadow, array, rows;
    GLint material_at, stand_at, shadow_stand_at;
    kst_mesh *meshes;
    int mesh_count;
    karst_gl_instance *shown;
    kst_mesh_key *keys;      // of seen instances
    kst_mesh_place *places;  // of seen instances
    kst_mesh_run *runs;
    int shown_count, shown_room, run_count;
    karst_gl_mesh_figures figures;
};

// mesh_texels.c: textures of unsigned words, four a wedge, for the shader to look up.
GLuint kst_texels_make(uint32_t wedges);
void kst_texels_put(GLuint texture, uint32_t wedges, const uint32_t (*texel)[4]);

// Tell a program for meshes which unit each of its textures is in.
void kst_meshes_set_units(GLuint program);
// Choose what the view sees, and bring index arrays and instances up. @return KARST_ERROR_MEMORY
karst_status kst_meshes_choose(karst_gl_meshes *meshes, const karst_frame *frame, const karst_view *view);
// Draw that, with the shadows that a sun over the horizon casts or without; leaves its vertex array bound.
void kst_meshes_draw(karst_gl_meshes *meshes, bool shadows);
