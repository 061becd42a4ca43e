// SPDX-License-Identifier: MIT
// Sweep: a moving sphere against the reference triangles of any kind of ground, and the nearest ground to a place. What
// a walker, a wheel or a camera needs to slide along cliffs, roofs and tunnels. See docs/surface.md.
#pragma once
#include "karst/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Where a moving sphere first touches ground. When hit is false the rest is zero.
typedef struct karst_sweep {
    bool hit;
    double t;           ///< share of the way in [0, 1]; 0 when the sphere is in the ground where it starts
    double depth_m;     ///< how deep the sphere is in the ground where it starts, in [0, radius]; 0 when it is not
    karst_pos centre;   ///< of the sphere at t, world [m]
    karst_pos contact;  ///< the place of the ground that it touches, world [m]
    karst_pos normal;   ///< unit, from the contact toward the centre; centre + depth_m * normal is out of this triangle
    karst_vec3 face;    ///< unit, of the triangle, on its upper side: a centre below it has dot(normal, face) < 0
    karst_place place;
} karst_sweep;

/// First touch of a sphere that goes straight from `from` to `to` (world [m]; they may be the same) with the faces,
/// edges and vertices of the ground, from either side. A sphere that only rests on the ground and does not come nearer
/// to it touches nothing. One that starts in the ground gets t 0, the nearest place of the ground and how deep that is:
/// the way out of that triangle. Right to 1e-7 m near the origin; further out to what doubles round.
/// @param radius_m > 0
/// Threads: any. Cost: long ways are cut into pieces of at most some 200 triangles; about that of a dozen rays
/// for a step of a radius; no allocation but what the first query of a chunk makes.
/// @return KARST_ERROR_ARGUMENT for numbers that are not finite or beyond 1e100, or a radius that is not above 0; else
/// as karst_ground_triangles(). *out is untouched on error
KARST_API karst_status karst_ground_sweep(const karst_ground *ground, karst_pos from, karst_pos to, double radius_m,
                                          karst_sweep *out);

/// The ground nearest to a place. When found is false the rest is zero.
typedef struct karst_nearest {
    bool found;
    double distance_m;   ///< in [0, within_m]
    karst_pos position;  ///< world [m]
    karst_vec3 face;     ///< unit, of the triangle, on its upper side
    karst_place place;
} karst_nearest;

/// The nearest place of the ground to a centre (world [m]), no further than within_m > 0.
/// Threads: any. Cost: the triangles within twice the distance, no allocation but what the first query of a chunk
/// makes.
/// @return as karst_ground_sweep()
KARST_API karst_status karst_ground_nearest(const karst_ground *ground, karst_pos centre, double within_m,
                                            karst_nearest *out);

#ifdef __cplusplus
}
#endif
