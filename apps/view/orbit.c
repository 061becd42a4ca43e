// SPDX-License-Identifier: MIT
// Orbit: angles, and the matrix of the view.
#include "orbit.h"

#include <math.h>
#include <string.h>

static karst_vec3 from_target(const orbit *o) {
    float c = cosf(o->pitch_rad);
    return (karst_vec3){c * sinf(o->yaw_rad), sinf(o->pitch_rad), c * cosf(o->yaw_rad)};
}

static karst_vec3 right_of(const orbit *o) {
    return (karst_vec3){cosf(o->yaw_rad), 0, -sinf(o->yaw_rad)};
}

static karst_vec3 up_of(const orbit *o) {
    float s = sinf(o->pitch_rad);
    return (karst_vec3){-s * sinf(o->yaw_rad), cosf(o->pitch_rad), -s * cosf(o->yaw_rad)};
}

static float dot(karst_vec3 a, karst_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

orbit orbit_round(karst_vec3 centre, float radius_m) {
    orbit o = {.target = centre, .radius_m = radius_m, .yaw_rad = 0.7f, .pitch_rad = 0.3f, .fov_rad = 0.6f};
    o.distance_m = radius_m / sinf(0.5f * o.fov_rad);
    return o;
}

void orbit_hold(orbit *o, const karst_vec3 *place, uint32_t count, float aspect, float fill) {
    karst_vec3 r = right_of(o), u = up_of(o), b = from_target(o), t = o->target;
    float tan_y = fill * tanf(0.5f * o->fov_rad), tan_x = tan_y * aspect, far = 0.05f * o->radius_m;
    for (uint32_t k = 0; k < count; ++k) {
        karst_vec3 d = {place[k].x - t.x, place[k].y - t.y, place[k].z - t.z};
        far = fmaxf(far, dot(d, b) + fmaxf(fabsf(dot(d, r)) / tan_x, fabsf(dot(d, u)) / tan_y));
    }
    o->distance_m = far;
}

void orbit_turn(orbit *o, float right_rad, float up_rad) {
    o->yaw_rad = remainderf(o->yaw_rad + right_rad, 6.2831853f);
    o->pitch_rad = fminf(fmaxf(o->pitch_rad + up_rad, -1.55f), 1.55f);
}

float orbit_pixels_per_m(const orbit *o, int height_px) {
    return 0.5f * (float)height_px / (o->distance_m * tanf(0.5f * o->fov_rad));
}

void orbit_shift(orbit *o, float right_px, float down_px, int height_px) {
    float m = 1 / orbit_pixels_per_m(o, height_px > 0 ? height_px : 1);
    karst_vec3 r = right_of(o), u = up_of(o);
    o->target.x += m * (down_px * u.x - right_px * r.x);
    o->target.y += m * (down_px * u.y - right_px * r.y);
    o->target.z += m * (down_px * u.z - right_px * r.z);
}

void orbit_zoom(orbit *o, float steps) {
    float far = o->distance_m * powf(0.88f, steps);
    o->distance_m = fminf(fmaxf(far, 0.05f * o->radius_m), 200 * o->radius_m);
}

karst_vec3 orbit_eye(const orbit *o) {
    karst_vec3 f = from_target(o);
    return (karst_vec3){o->target.x + o->distance_m * f.x, o->target.y + o->distance_m * f.y,
                        o->target.z + o->distance_m * f.z};
}

void orbit_clip(const orbit *o, float aspect, float out[16]) {
    karst_vec3 eye = orbit_eye(o), r = right_of(o), u = up_of(o), b = from_target(o);
    float far = o->distance_m + 4 * o->radius_m, near = fmaxf(o->distance_m - 4 * o->radius_m, 0.002f * far);
    float y = 1 / tanf(0.5f * o->fov_rad), x = y / aspect;
    float p = -(far + near) / (far - near), q = -2 * far * near / (far - near);
    const float m[16] = {x * r.x,
                         y * u.x,
                         p * b.x,
                         -b.x,  //
                         x * r.y,
                         y * u.y,
                         p * b.y,
                         -b.y,  //
                         x * r.z,
                         y * u.z,
                         p * b.z,
                         -b.z,  //
                         -x * dot(r, eye),
                         -y * dot(u, eye),
                         q - p * dot(b, eye),
                         dot(b, eye)};
    memcpy(out, m, sizeof m);
}
