// SPDX-License-Identifier: MIT
// A sphere and one triangle: the nearest place of the triangle, and when the sphere first touches it on its way.
//
// All of it is in doubles, relative to a place near both, so that nothing is lost far from the world's origin.
#pragma once
#include <stdbool.h>

// A place or a direction [m].
typedef struct kst_v3 {
    double x, y, z;
} kst_v3;

static inline kst_v3 kst_v3_sub(kst_v3 a, kst_v3 b) {
    return (kst_v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline kst_v3 kst_v3_along(kst_v3 a, double t, kst_v3 d) {
    return (kst_v3){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}
static inline double kst_v3_dot(kst_v3 a, kst_v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline kst_v3 kst_v3_cross(kst_v3 a, kst_v3 b) {
    return (kst_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// The place of a triangle nearest to p. A triangle without area is its longest edge, or a place.
kst_v3 kst_nearest_on(const kst_v3 corner[3], kst_v3 p);

// A sphere that goes from 0 along `way`, which it has gone at t 1.
typedef struct kst_mover {
    kst_v3 way;
    double radius, way2, rounding;  // way2: length squared; rounding: what places may be off [m]
} kst_mover;

// When the sphere first touches the triangle at a t below *t (0 or more): sets *t and says true. When it is in the
// triangle at t 0, by more than `rounding`, *t is 0 and *depth how deep it is; else *depth is 0.
bool kst_mover_touch(const kst_mover *m, const kst_v3 corner[3], double *t, double *depth);
