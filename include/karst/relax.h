// SPDX-License-Identifier: MIT
// Relax: sweep vertices along the surface to where the texture is stretched, leaving the shape in place. See
// docs/relax.md.
#pragma once
#include "karst/canvas.h"
#include "karst/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters of a relaxation. Start from karst_relax_def_default(). The stretch of an edge is its length divided by
/// the spacing of vertices at rest; edges are those along rows and columns.
typedef struct karst_relax_def {
    double distance_m;  ///< no point of the old surface is further from the new one, nor the other way round [m];
                        ///< 0: half the spacing
    double above;       ///< vertices set out only where an edge is stretched beyond this, 1.05..100; default 1.5
    int32_t sweeps;     ///< most sweeps of a stage, 1..10000; default 16
    uint32_t cookie;    ///< set by the default function, do not touch
} karst_relax_def;

/// Half a spacing, above 1.5, 16 sweeps.
KARST_API karst_relax_def karst_relax_def_default(void);

/// Whether every number of def is in its range, with a line in report (NULL allowed) that names the one that is not.
/// @return KARST_ERROR_ARGUMENT
KARST_API karst_status karst_relax_check(const karst_relax_def *def, karst_report *report);

/// What a relaxation did, over the edges of the rectangle that ground hangs on.
typedef struct karst_relax_info {
    double worst_before, worst_after;  ///< largest stretch of an edge
    double mean_before, mean_after;    ///< of all edges
    int64_t moved;                     ///< vertices
    double largest_m;                  ///< distance of the surfaces where it was measured, a bound both ways [m]
    int32_t sweeps;
} karst_relax_info;

/// Relax vertices [rect), inside the ground, each side at least 2. Vertices of mask 0, at the corners of holes and on
/// the rim of rect keep every bit, as does all ground that no stretched edge pulls at; those on the border of the field
/// slide along it. A mask between 0 and 1 raises the stretch from which a vertex sets out to 1 + (above - 1) / mask.
/// Holes, opacity and layer weights stay with the vertex's number, not with its place.
/// @param def NULL: the default @param jobs NULL: the caller alone @param progress may be NULL
/// @param info receives what was done; may be NULL
/// @return KARST_ERROR_ARGUMENT (def or rect), KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, and what the fields' stores
/// return; only a failing store leaves ground half written: drop the step
/// Threads: one writer; the same bytes for any jobs. Cost: about 0.4 ms a vertex that moves; 20 bytes a vertex of rect
/// and 36 bytes a vertex near what moves.
KARST_API karst_status karst_relax_apply(const karst_canvas *canvas, karst_rect rect, const karst_relax_def *def,
                                         karst_jobs *jobs, const karst_progress *progress, karst_relax_info *info);

#ifdef __cplusplus
}
#endif
