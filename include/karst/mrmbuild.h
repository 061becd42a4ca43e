// SPDX-License-Identifier: MIT
// Making multi-resolution meshes: all vertices of a model in the order of their importance. See docs/mrm.md.
#pragma once
#include "karst/base.h"
#include "karst/jobs.h"
#include "karst/model.h"
#include "karst/mrm.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How vertices are ordered. Start from karst_mrm_build_def_default().
typedef struct karst_mrm_build_def {
    double merge_m;         ///< vertices this near are one [m], 0 (only equal places) .. 1e9: shells that meet join
    double crease_rad;      ///< normals anew, split where faces meet at more than this, 0..pi; 0: the model's own
    float boundary;         ///< weight of borders, of seams and of lines between materials, > 0 (1)
    float texture, normal;  ///< weights of texture places (set 0) and of normals, >= 0 (1, 1)
    const uint32_t *keep;   ///< vertices of the model that stay at every level
    uint32_t keep_count;
    bool keep_borders;  ///< vertices on borders stay at every level
    bool move;          ///< the vertex that stays may get a better place: closer shapes, but vertices change
    bool fit_normals;   ///< from 30 % of the triangles down vertices may get normals fitted to the source's, in copies
                        ///< of them that leave the shape alone: about a fifth more vertices, at most half more
    bool past_right;    ///< go on where a shape that is still exact would be lost (a cube under 12 triangles)
    uint32_t cookie;    ///< set by the default function, do not touch
} karst_mrm_build_def;

/// Source vertices and normals only, equal places joined, weights 1, nothing kept.
KARST_API karst_mrm_build_def karst_mrm_build_def_default(void);

/// Order all vertices of a model by successive half-edge collapses. The same bytes on every machine.
/// @param def NULL: the default @param progress, report may be NULL @param out yours until karst_mrm_destroy();
/// untouched on error
/// Threads: any, one model each. Cost: near-linear in triangles, about 10 s a million.
/// @return KARST_ERROR_FORMAT (a number that cannot be used), KARST_ERROR_ARGUMENT (def), KARST_ERROR_UNSUPPORTED (no
/// triangle), KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
KARST_API karst_status karst_mrm_build(const karst_model *model, const karst_mrm_build_def *def,
                                       const karst_progress *progress, karst_report *report, karst_mrm **out);

#ifdef __cplusplus
}
#endif
