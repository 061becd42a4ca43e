// SPDX-License-Identifier: MIT
// Models: triangle meshes as authored, for units, trees, bridges and props. See docs/model.md.
#pragma once
#include "karst/base.h"

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

/// Bytes that the arrays take, as counted now. Threads: any.
KARST_API uint64_t karst_model_bytes(const karst_model *model);

#ifdef __cplusplus
}
#endif
