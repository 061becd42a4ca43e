// SPDX-License-Identifier: MIT
// Transform: move, turn and scale the masked vertices about a pivot. See docs/sculpting.md.
#pragma once
#include "karst/base.h"
#include "karst/brush.h"
#include "karst/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What happens to a vertex of weight 1: scaled about the pivot, then turned about it, then moved. One of weight w goes
/// the share w of every part, so a turn stays a turn at a soft border. Start from karst_transform_def_default().
typedef struct karst_transform_def {
    karst_pos pivot;   ///< world [m]
    karst_pos scale;   ///< along x, y, z; 1: as it is; > 0
    karst_pos axis;    ///< of the turn, any length but zero
    double turn;       ///< full turns, counter-clockwise seen against the axis
    karst_pos move_m;  ///< [m]
    double radius_m;   ///< of a sphere round centre that limits it, with falloff; 0: the mask alone
    karst_pos centre;  ///< of that sphere
    karst_falloff falloff;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_transform_def;

/// Nothing moves: scale 1, no turn about the vertical; the mask alone limits it; smooth falloff.
KARST_API karst_transform_def karst_transform_def_default(void);

/// Transform the vertices where the canvas's mask, times the weight in the sphere if there is one, is not 0; others
/// keep every bit. Without mask and sphere everything moves. Asserts a def in range.
/// @param jobs, progress, out as for karst_brush_dab()
/// Threads: one writer a canvas. Cost: O(vertices near the sphere; without one, of the field).
/// @return as karst_brush_dab()
KARST_API karst_status karst_transform(const karst_canvas *canvas, const karst_transform_def *def, karst_jobs *jobs,
                                       const karst_progress *progress, karst_touched *out);

#ifdef __cplusplus
}
#endif
