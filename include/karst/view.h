// SPDX-License-Identifier: MIT
// View: an eye, a direction and a lens; and what an error in metres is in pixels. See docs/lod.md.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A perspective view. Eye in double; all that is sent to a GPU is relative to it.
typedef struct karst_view {
    karst_pos eye;
    karst_vec3 right, up, back;  ///< orthonormal, world axes; the view looks along -back
    float tan_x, tan_y;          ///< tangents of half the horizontal and vertical field of view
    int32_t width, height;       ///< pixels
} karst_view;

/// A view from eye toward the point `look` (world [m]). Threads: any.
/// @param up roughly up, not along the view @param fov_rad vertical, in (0, pi) @param width, height pixels, > 0
KARST_API karst_view karst_view_perspective(karst_pos eye, karst_pos look, karst_vec3 up, float fov_rad, int width,
                                            int height);

/// Metres of error that one metre of distance allows, so that it covers at most `pixels` anywhere on the
/// screen: pixels * 2 tan_y / (height (1 + tan_x^2 + tan_y^2)). Turning the head changes nothing. Threads: any.
KARST_API double karst_view_error_slope(const karst_view *view, float pixels);

/// Where a world point is on the screen [pixels, origin top left] and its distance in front [m]; false behind the eye.
/// Threads: any.
KARST_API bool karst_view_project(const karst_view *view, karst_pos point, double *x, double *y, double *depth);

/// Column-major clip-from-relative matrix, for positions relative to `origin`: reversed depth, infinite far
/// plane, depth 1 at near_m and 0 at infinity, z in [0, 1]. Threads: any.
KARST_API void karst_view_matrix(const karst_view *view, karst_pos origin, float near_m, float out[16]);

/// The ray through pixel (x, y) [pixels from top left; centres at .5], unit direction. Threads: any.
KARST_API void karst_view_ray(const karst_view *view, double x, double y, karst_pos *origin, karst_pos *direction);

#ifdef __cplusplus
}
#endif
