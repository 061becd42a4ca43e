// SPDX-License-Identifier: MIT
// A ray made ready for boxes and for the exact test, whatever the ground. Part of ray_body.h and zone_ray_body.h.
#pragma once
#include <math.h>

#include "surface/ray_box.h"

typedef struct beam {
    kst_exact_ray exact;
    kst_lanes origin, direction;  // relative to the ground's origin; direction with largest part 1
    double scale;                 // s = t * scale
    double world;                 // what doubles round by, near the ray [m]
    double start;                 // where the walk through the boxes begins [s]
    spot at;                      // the ray there, relative to the ground's origin
    float pad, most;              // most: t_max from start [s], never rounded down
    slab slab;
} beam;

static inline double larger(double a, double b) {
    return a > b ? a : b;
}
static inline double smaller(double a, double b) {
    return a < b ? a : b;
}
static inline double magnitude(kst_lanes p) {
    return larger(larger(fabs(p[0]), fabs(p[1])), fabs(p[2]));
}

static inline float most_along(const beam *w, double start) {
    double most = w->exact.t_max * w->scale - start;
    return (float)(most + fabs(most) * 0x1p-22);
}

static inline kst_lanes lanes_min(kst_lanes a, kst_lanes b) {
    kst_lane_bits m = a < b;
    return (kst_lanes)(((kst_lane_bits)a & m) | ((kst_lane_bits)b & ~m));
}

// Where the ray enters the bounds of the ground [s]; false when it misses them.
static __attribute__((noinline)) bool enter_ground(const beam *w, const kst_reach *ground, double *start) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    kst_lanes inverse = __builtin_convertvector(w->slab.inverse, kst_lanes);
    kst_lanes one = (*(const kst_lanes *)ground->min - w->world - o) * inverse;
    kst_lanes two = (*(const kst_lanes *)ground->max + w->world - o) * inverse;
    kst_lanes low = lanes_min(one, two), high = -lanes_min(-one, -two);
    double in = larger(larger(low[0], low[1]), larger(low[2], w->exact.t_min * w->scale));
    double out = smaller(smaller(high[0], high[1]), smaller(high[2], w->exact.t_max * w->scale));
    *start = in;
    return in <= out + 4 * w->world;
}

// The direction as the boxes want it; a part too small to matter counts as a very small one.
static inline void aim(beam *w) {
    const i4 sign = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    const f4 least = {1e-18f, 1e-18f, 1e-18f, 1e-18f};
    f4 d = __builtin_convertvector(w->direction, f4);
    i4 back = (i4)d & sign, small = (f4)((i4)d & ~sign) < least;
    d = (f4)(((i4)d & ~small) | (((i4)least | back) & small));
    w->slab.inverse = 1 / d;
    w->slab.sign = (f4)(back | 0x3f800000);
    int signs = sign_bits(back);
    w->slab.plane = planes_by_signs[signs];
    w->slab.turned = turned_by_signs[signs];
    w->slab.order = (i16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} ^ w->slab.turned;
}

// The plane along the ray that corners are projected onto: x' = a . p, y' = b . p.
static inline void beam_plane(const kst_exact_ray *exact, float a[4], float b[4]) {
    static const f4 unit[3] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    *(f4 *)a = unit[exact->kx] - (float)exact->shear_x * unit[exact->kz];
    *(f4 *)b = unit[exact->ky] - (float)exact->shear_y * unit[exact->kz];
}

// Begin where t does, or when that is far away where the ground's bounds begin. False when the ray misses them.
static inline bool beam_begin(beam *w, const kst_reach *ground, kst_lanes d) {
    kst_lanes o = *(const kst_lanes *)w->exact.origin;
    w->origin = o - *(const kst_lanes *)ground->origin;
    w->direction = d * fabs(w->exact.inverse_z);
    w->world = 0x1p-46 * larger(magnitude(o), ground->size);
    aim(w);
    w->start = w->exact.t_min * w->scale;
    kst_lanes at = w->origin + w->start * w->direction;
    double reach = larger(magnitude(at), (double)ground->extent);
    if (!(reach <= 4 * (double)ground->extent)) {
        if (!enter_ground(w, ground, &w->start)) return false;
        at = w->origin + w->start * w->direction;
        reach = larger(magnitude(at), (double)ground->extent);
    }
    w->pad = 0x1p-20f * (float)reach + (float)w->world;
    w->at = place_spot(&w->slab, at, w->pad);
    w->most = most_along(w, w->start);
    return true;
}

// Comparisons with NaN are false.
static inline bool is_ray(const karst_ray *ray, kst_lanes o, kst_lanes d, double scale) {
    const kst_lane_bits sign = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    kst_lane_bits good =
        ((kst_lanes)((kst_lane_bits)o & ~sign) < 1e100) & ((kst_lanes)((kst_lane_bits)d & ~sign) < 1e100);
    return !kst_any_of_three(~good) && scale > 1e-100 && fabs(ray->t_min) < 1e200 && ray->t_max >= -INFINITY;
}

// False when it is no ray.
static inline bool beam_make(beam *w, const karst_ray *ray, kst_lanes *direction) {
    kst_lanes d = {ray->direction.x, ray->direction.y, ray->direction.z, 0};
    w->scale = magnitude(d);
    kst_exact_ray_make(ray, &w->exact);
    *direction = d;
    return is_ray(ray, *(const kst_lanes *)w->exact.origin, d, w->scale);
}

static inline karst_pos along_ray(const karst_ray *ray, double t) {
    return (karst_pos){ray->origin.x + t * ray->direction.x, ray->origin.y + t * ray->direction.y,
                       ray->origin.z + t * ray->direction.z};
}
