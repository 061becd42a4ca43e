// SPDX-License-Identifier: MIT
// Models: triangle meshes as authored, for units, trees, bridges and props. See docs/model.md.
#pragma once
#include "karst/base.h"
#include "karst/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_MODEL_UV_SETS = 4,
    KARST_MODEL_NAME_BYTES = 64,
    KARST_MODEL_MAX_TRIANGLES = 1 << 27,  ///< of one model; three times as many wedges and vertices
    KARST_MODEL_MAX_MATERIALS = 1 << 16,
    KARST_MODEL_MAX_JOINTS = 1 << 16,
};

/// What a triangle is painted with.
typedef struct karst_model_material {
    char name[KARST_MODEL_NAME_BYTES];  ///< terminated UTF-8; may be empty
    float colour[4];                    ///< linear red, green, blue, opacity, 0..1
} karst_model_material;

/// Up to four joints that move a vertex. Weights add up to 65535; an unused place has weight 0 and joint 0.
typedef struct karst_model_skin {
    uint16_t joint[4];
    uint16_t weight[4];
} karst_model_skin;

/// A bone of the skeleton in its place at rest.
typedef struct karst_model_joint {
    char name[KARST_MODEL_NAME_BYTES];
    int32_t parent;  ///< < own index, -1: none
    /// World at rest (relative to the origin) into the joint's own space, three rows of four: to = m[r][0..2] . p +
    /// m[r][3]
    float bind[3][4];
} karst_model_joint;

/// Which arrays a model has and how long they are. Zero-initialise; karst_model_create() reads it.
typedef struct karst_model_size {
    uint32_t vertices, wedges, triangles, materials, joints;
    int uv_sets;  ///< 0..KARST_MODEL_UV_SETS
    bool normals, colours;
} karst_model_size;

/// A model. A *vertex* is a place in space (with its skin); a *wedge* is a vertex as some of its triangles see it: with
/// one normal, one place in each texture and one colour. Along a seam or a hard edge a vertex has several wedges, and
/// still moves as one. A triangle names three wedges. Every array belongs to the model, is NULL when its count is 0 or
/// the attribute is absent, and may be written; counts may be lowered, never raised.
typedef struct karst_model {
    uint32_t vertex_count, wedge_count, triangle_count, material_count, joint_count;
    int uv_sets;
    karst_pos origin;  ///< world [m]

    karst_vec3 *position;    ///< of a vertex, relative to the origin [m]
    karst_model_skin *skin;  ///< of a vertex; NULL without joints

    uint32_t *vertex;                     ///< of a wedge
    karst_vec3 *normal;                   ///< of a wedge, length 1 (or 0: none); may be NULL
    float (*uv[KARST_MODEL_UV_SETS])[2];  ///< of a wedge; V grows downwards, as in glTF; NULL from uv_sets on
    uint8_t (*colour)[4];                 ///< of a wedge, linear; may be NULL

    uint32_t (*triangle)[3];  ///< wedges, counter-clockwise seen from outside
    uint16_t *paint;          ///< of a triangle: its material, < material_count; NULL without materials

    karst_model_material *material;
    karst_model_joint *joint;

    const karst_allocator *allocator;
    karst_model_size made;  ///< what was allocated; do not touch
} karst_model;

/// Make a model of zeros: fill its arrays, then karst_model_check().
/// @param allocator NULL: malloc; kept @param report may be NULL
/// @param out yours until karst_model_destroy(); untouched on error
/// @return KARST_ERROR_LIMIT, KARST_ERROR_MEMORY. Threads: any. Cost: O(size).
KARST_API karst_status karst_model_create(const karst_model_size *size, const karst_allocator *allocator,
                                          karst_report *report, karst_model **out);

/// Free a model. NULL is allowed.
KARST_API void karst_model_destroy(karst_model *model);

/// A model of equal content that owns its own arrays, as long as its counts. Threads: any. Cost: O(size).
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_model_copy(const karst_model *model, karst_report *report, karst_model **out);

/// Whether every number of a model is one that the rest of Karst can use: indices and materials in range, coordinates
/// and attributes finite, positions within 1e18 m of the origin, weights that add up. Degenerate triangles are fine.
/// @param report one line that names the first fault and its place; may be NULL
/// @return KARST_ERROR_FORMAT. Threads: any. Cost: O(size).
KARST_API karst_status karst_model_check(const karst_model *model, karst_report *report);

/// World box of the vertices that triangles use [m]; empty without a triangle. Threads: any. Cost: O(size).
KARST_API karst_box karst_model_bounds(const karst_model *model);

// ---- cleaning ------------------------------------------------------------------------------------------

/// Parameters of cleaning. Start from karst_model_clean_def_default().
typedef struct karst_model_clean_def {
    /// Vertices up to this far apart become one [m]: 0 (the default) only where they are equal, or 1e-30..1e9. A vertex
    /// joins the nearest of those that stay, so it moves by no more than this. Vertices on other joints never join.
    double merge_m;
    bool drop_flat;   ///< triangles of no area too, though they may close a gap between others; default false
    bool drop_twins;  ///< the later of two triangles on the same vertices that face each other's way; default false
    const karst_progress *progress;
    karst_report *report;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_model_clean_def;

/// Only equal vertices join; flat triangles and twins stay. Threads: any.
KARST_API karst_model_clean_def karst_model_clean_def_default(void);

/// What cleaning did.
typedef struct karst_model_cleaned {
    uint32_t merged_vertices, merged_wedges;  ///< joined to another
    uint32_t unused_vertices, unused_wedges;  ///< dropped: no triangle names them
    uint32_t collapsed;                       ///< triangles dropped: two corners on one vertex
    uint32_t duplicates;                      ///< triangles dropped: the same vertices the same way round
    uint32_t flat;                            ///< triangles of no area; dropped if drop_flat
    uint32_t twins;                           ///< pairs of the same vertices, back to back; dropped if drop_twins
    double largest_move_m;                    ///< of a vertex that was joined, <= merge_m
} karst_model_cleaned;

/// Join equal or near vertices, then equal wedges; drop triangles that are none or were there before, and what no
/// triangle uses. What stays keeps its order, so the result is the same everywhere; a second time changes nothing.
/// @param model changed in place; untouched on error @param def NULL: the default @param info may be NULL
/// Threads: one call a model. Cost: O(size) time, about 40 bytes a triangle and 16 a vertex besides.
/// @return KARST_ERROR_FORMAT (karst_model_check()), KARST_ERROR_ARGUMENT (merge_m), KARST_ERROR_MEMORY,
/// KARST_ERROR_CANCELLED
KARST_API karst_status karst_model_clean(karst_model *model, const karst_model_clean_def *def,
                                         karst_model_cleaned *info);

/// A copy with new normals: faces that meet at an edge at up to crease_rad share normals there, beyond it the edge is
/// hard and its vertices have a wedge a side. Faces count by Max's weights (1999), so a sphere gets a sphere's normals
/// whatever its triangles; edges of more than eight faces are hard. Seams of the texture stay, and shade smooth.
/// @param crease_rad 0 (every edge hard) .. pi (none)
/// @param out cleaned of wedges that are equal; yours until karst_model_destroy(); untouched on error
/// Threads: any. Cost: O(size) time, 100 bytes and three wedges a triangle besides.
/// @return KARST_ERROR_FORMAT (karst_model_check()), KARST_ERROR_MEMORY
KARST_API karst_status karst_model_crease(const karst_model *model, double crease_rad, karst_report *report,
                                          karst_model **out);

/// How a model hangs together, by its vertices as they are joined now.
typedef struct karst_model_facts {
    uint32_t used_vertices, edges;
    uint32_t border_edges;   ///< of one face
    uint32_t fan_edges;      ///< of more than two
    uint32_t opposed_edges;  ///< of two faces that run along it the same way: one of them faces inwards
    uint32_t seam_edges;     ///< of two faces that name other wedges: seams of texture, colour or normal
    uint32_t parts;          ///< that share no vertex
    uint32_t collapsed, duplicates, flat, twins;  ///< as karst_model_cleaned has them
    double area_m2;
    bool closed;  ///< every edge of two faces that run along it opposite ways
} karst_model_facts;

/// Look at a checked model. @return KARST_ERROR_FORMAT (karst_model_check()), KARST_ERROR_MEMORY.
/// Threads: any. Cost: O(size) time, about 60 bytes a triangle.
KARST_API karst_status karst_model_look(const karst_model *model, karst_report *report, karst_model_facts *out);

/// Bytes that the arrays take, as counted now. Threads: any.
KARST_API uint64_t karst_model_bytes(const karst_model *model);

#ifdef __cplusplus
}
#endif
