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
    GLuint places;      // 0 unless the mesh moves vertices
    uint32_t uploaded;  // level that the device has, in vertices; 0: none
    bool taken;         // by the view that is drawn
} kst_mesh_level;

typedef struct kst_mesh {
    const karst_mrm *mrm;
    GLuint places, faces;  // of wedges: position; normal and colour
    karst_vec3 centre;     // of a ball round all of it [m]
    float radius_m, low_m, height_m;
    kst_mesh_level **levels;
    int level_count;
    karst_mrm_section *sections;  // room for all materials
} kst_mesh;

// Instances of one mesh at one level.
typedef struct kst_mesh_run {
    int mesh, first, count;
    kst_mesh_level *level;
} kst_mesh_run;

// An instance as the device has it: rows of the matrix from the model into the frame; normal of the plane that its
// shadow falls on, 0 when it casts none.
typedef struct kst_mesh_place {
    float rows[12], shadow[3];
} kst_mesh_place;

struct karst_gl_meshes {
    karst_gl *gl;
    GLuint program, shadow, array, rows;
    GLint material_at, stand_at, shadow_stand_at;
    kst_mesh *meshes;
    int mesh_count;
    karst_gl_instance *shown;
    uint64_t *keys;          // of seen instances: mesh, level; then place in shown
    kst_mesh_place *places;  // of seen instances
    kst_mesh_run *runs;
    int shown_count, shown_room, run_count;
    karst_gl_mesh_figures figures;
};

// Choose what the view sees, and bring index arrays and instances up. @return KARST_ERROR_MEMORY
karst_status kst_meshes_choose(karst_gl_meshes *meshes, const karst_frame *frame, const karst_view *view);
// Draw that, with the shadows that a sun over the horizon casts or without; leaves its vertex array bound.
void kst_meshes_draw(karst_gl_meshes *meshes, bool shadows);
