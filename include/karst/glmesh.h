// SPDX-License-Identifier: MIT
// Multi-resolution meshes on the screen: units, trees and props that stand on the ground. See docs/gl.md.
#pragma once
#include "karst/gl.h"
#include "karst/mrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Make room for meshes that a renderer draws beside its ground: give it as karst_gl_look.meshes.
/// Threads: this and every call with it as those of the renderer. Cost: compiles a shader.
/// @param out yours until karst_gl_meshes_destroy(), which comes before that of the renderer; untouched on error
/// @return KARST_ERROR_UNSUPPORTED (the driver refused), KARST_ERROR_MEMORY
KARST_API karst_status karst_gl_meshes_create(karst_gl *gl, karst_gl_meshes **out);
/// Free it and its GL objects; its context must be current. NULL is allowed.
KARST_API void karst_gl_meshes_destroy(karst_gl_meshes *meshes);

/// Upload the wedges of a mesh, once for all levels and instances. The mesh must stay as long as `meshes`.
/// @param id the number that karst_gl_instance.mesh takes: 0, 1, ... @return KARST_ERROR_MEMORY. Cost: O(wedges).
KARST_API karst_status karst_gl_meshes_add(karst_gl_meshes *meshes, const karst_mrm *mrm, int *id);

/// A mesh that stands somewhere, at a level.
typedef struct karst_gl_instance {
    int32_t mesh;              ///< of karst_gl_meshes_add()
    uint32_t vertices;         ///< level, as karst_mrm_set_level() takes it
    uint32_t coarse_vertices;  ///< a coarser level from or to which it is on its way, see karst/geomorph.h; 0: none
    float share;               ///< of the way from there to `vertices`, 0..1; not read without coarse_vertices
    karst_pos position;        ///< world place of the point that the model's positions count from [m]
    float heading_rad;         ///< where the model's +z looks, from north (-z) clockwise
    float scale;               ///< > 0; 1: as the model is
    karst_vec3 up;             ///< world direction of the model's +y, length 1; y > 0
    bool shadow;               ///< cast one on a plane through position: for what stands on even ground
    karst_vec3 ground;         ///< normal of that plane, length 1; y > 0; all 0: up
} karst_gl_instance;

/// What is drawn from now on. Copied. Instances of one mesh at one level are one draw a material, and share an index
/// array: as many stay on the device as a mesh was shown at levels at once. One that slides uploads the pieces that
/// changed. An instance on its way between two levels has the triangles of the finer; places, normals and colours of
/// the wedges that come or go are between their own and those of the wedges that they become. Frames leave out what a
/// view does not see.
/// @return KARST_ERROR_MEMORY. Cost: O(count).
KARST_API karst_status karst_gl_meshes_show(karst_gl_meshes *meshes, const karst_gl_instance *instances, int count);

/// What the last draw of a view cost.
typedef struct karst_gl_mesh_figures {
    int64_t triangles;
    int32_t instances, levels, draws;  ///< seen by the view; index arrays used
    uint64_t uploaded_bytes;           ///< of index arrays and moved places
} karst_gl_mesh_figures;

/// Of the view that was drawn last, zeros before there is one. Cost: O(1).
KARST_API karst_gl_mesh_figures karst_gl_meshes_figures(const karst_gl_meshes *meshes);

#ifdef __cplusplus
}
#endif
