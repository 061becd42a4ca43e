// SPDX-License-Identifier: MIT
// Orbit: an eye round a thing that it looks at.
#pragma once
#include "karst/base.h"

typedef struct orbit {
    karst_vec3 target;  // [m]
    float radius_m;     // of the ball round the thing
    float yaw_rad;      // the eye is so far right of the thing's front (+z), round y
    float pitch_rad;    // and so far above
    float distance_m;
    float fov_rad;  // vertical
} orbit;

// From the right of the front, from above, far enough away for a ball of this radius.
orbit orbit_round(karst_vec3 centre, float radius_m);
// So near that these places just fit into `fill` of a picture of this aspect (width / height).
void orbit_hold(orbit *o, const karst_vec3 *place, uint32_t count, float aspect, float fill);
void orbit_turn(orbit *o, float right_rad, float up_rad);
// Move what is looked at by pixels of a picture so high.
void orbit_shift(orbit *o, float right_px, float down_px, int height_px);
// Nearer by so many steps.
void orbit_zoom(orbit *o, float steps);
karst_vec3 orbit_eye(const orbit *o);
// Columns of the matrix from the world to OpenGL's clip space (depth -1..1).
void orbit_clip(const orbit *o, float aspect, float out[16]);
// Pixels that a metre takes at the target.
float orbit_pixels_per_m(const orbit *o, int height_px);
