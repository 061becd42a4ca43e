// SPDX-License-Identifier: MIT
// Camera: how an eye moves over a ground, flying and on foot. No window and no drawing here; time comes in as dt.
#pragma once
#include "karst/surface.h"
#include "karst/view.h"

// How high eyes are carried on foot [m].
#define CAMERA_EYE_M 1.7

// What the hands ask for during one step.
typedef struct camera_wish {
    double forward, right, up;           // -1..1, along the view, sideways, along +Y
    double turn_right_rad, turn_up_rad;  // this step, already in radians
    double faster;                       // steps of a quarter, from the wheel
    bool hurry;                          // shift
} camera_wish;

typedef struct camera {
    karst_pos eye;
    double yaw_rad;    // clockwise from north (-Z)
    double pitch_rad;  // up from the horizon
    bool walking;
    double fly_gain, walk_gain;  // 1: the usual speed
    double speed_m_s;            // that the hands get now at full wish
    karst_pos velocity;          // [m/s], follows the wish smoothly
    double over_ground_m;        // height over the ground below; NAN where there is none
    double lean_x, lean_z;       // on foot: slope of the ground, smoothed [m per m]
} camera;

// A camera at eye that looks at `look`.
camera camera_at(karst_pos eye, karst_pos look);

// Move for dt_s seconds. The eye never gets under the ground, nor, on foot, off it.
void camera_move(camera *c, const karst_ground *ground, const camera_wish *wish, double dt_s);

// Lift the eye out of the ground if it is in it.
void camera_surface(camera *c, const karst_ground *ground);

// Stand on the ground below the eye, or on the nearest there is; false, and nothing changed, if there is none.
bool camera_walk(camera *c, const karst_ground *ground);
void camera_fly(camera *c);

karst_view camera_view(const camera *c, float fov_rad, int width, int height);
