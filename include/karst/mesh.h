// SPDX-License-Identifier: MIT
// Meshes: a part of a field as few triangles, to a proved largest error, for export, collision and navigation. See
// docs/mesh.md.
#pragma once
#include "karst/base.h"
#include "karst/field.h"
#include "karst/jobs.h"
#include "karst/pack.h"
#include "karst/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What happens on the border of a region.
typedef enum karst_mesh_border {
    /// As few triangles as the error allows: nothing beyond the border is thought of.
    KARST_MESH_BORDER_FREE = 0,
    /// Sides that lie inside the field are a function of the samples on them alone, so that two regions on either side
    /// of one meet exactly though they are made apart. Both must have the whole side, the same error and the same
    /// refit.
    KARST_MESH_BORDER_SHARED,
} karst_mesh_border;

/// Parameters of a mesh. Start from karst_mesh_def_default().
typedef struct karst_mesh_def {
    double error_m;  ///< largest distance in space between the mesh and the ground at equal (u, v) [m], >= 0
    double room_m;   ///< part of error_m that is left to what a writer rounds [m], >= 0; default 0
    /// Vertices [x0, x1) and [z0, z1) of the field; an empty one (the default) is the whole field.
    karst_rect part;
    karst_mesh_border border;
    /// Move vertices up and down inside the error and leave out those that it then does without: about six tenths of
    /// the triangles for ten times the time. Else every vertex stands on the ground. Heights only: a displaced field
    /// is meshed without. Default true.
    bool refit;
    karst_jobs
        *jobs;  ///< regions of 1,024 x 1,024 cells run on it; NULL: on the caller; the mesh does not depend on it
    const karst_progress *progress;
    const karst_allocator *allocator;
    karst_report *report;  ///< receives the reason of a failure; may be NULL
    uint32_t cookie;       ///< set by the default function, do not touch
} karst_mesh_def;

/// 1 m, the whole field, free border, refit, the caller's thread.
KARST_API karst_mesh_def karst_mesh_def_default(void);

enum { KARST_MESH_MAX_TRIANGLES = 1 << 27 };  ///< of one mesh

/// Where a vertex of a mesh stands in the field.
typedef struct karst_mesh_place {
    int32_t column, row;
} karst_mesh_place;

/// A mesh of a part of a field. Every vertex stands at a vertex (column, row) of the field; the triangles cover each
/// cell that is no hole once, and each edge is met by one opposite edge but on the border and on the rims of holes.
typedef struct karst_mesh {
    uint32_t vertex_count, triangle_count;
    karst_pos *position;      ///< world [m]
    karst_mesh_place *place;  ///< of a vertex in the field
    uint32_t (*triangle)[3];  ///< counter-clockwise seen from above
    double error_m;           ///< largest distance found, over all samples [m], <= that asked for
    const karst_allocator *allocator;
} karst_mesh;

/// Mesh a part of a field by restricted quadtree triangulation: right triangles whose sides are whole steps of the
/// field by the diagonal rule; with an error of 0 the reference triangles but where they lie in one plane. The error is
/// proved at every sample before this returns.
/// @param field read during the call @param def NULL: the default
/// @param out yours until karst_mesh_destroy(); untouched on error. All hole: no triangles.
/// Threads: one call a field; the field's store is called from one thread at a time, any. Cost: O(samples) time, about
/// 30 bytes a sample of the regions at work (one a worker), 120 bytes a triangle made there, and the mesh; 1,025 x
/// 1,025 samples take hundredths of a second of one core, tenths with refit.
/// @return KARST_ERROR_ARGUMENT (error, room or part out of range), KARST_ERROR_LIMIT (KARST_MESH_MAX_TRIANGLES),
/// KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, what the field's store returns
KARST_API karst_status karst_mesh_build(karst_field *field, const karst_mesh_def *def, karst_mesh **out);

/// The same of the finest level of a pack. @param pack read during the call
/// Threads: any number of calls. @return as karst_mesh_build(), and KARST_ERROR_FORMAT when a chunk is damaged
KARST_API karst_status karst_mesh_build_pack(const karst_pack *pack, const karst_mesh_def *def, karst_mesh **out);

/// Free a mesh. NULL is allowed.
KARST_API void karst_mesh_destroy(karst_mesh *mesh);

#ifdef __cplusplus
}
#endif
