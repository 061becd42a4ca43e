// SPDX-License-Identifier: MIT
// Small sums of positions and directions, and turns that are the same to the bit everywhere.
#pragma once
#include <math.h>

#include "core/core.h"

static inline karst_pos kst_sum(karst_pos a, karst_pos b) {
    return (karst_pos){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline karst_pos kst_difference(karst_pos a, karst_pos b) {
    return (karst_pos){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline karst_pos kst_times(karst_pos a, double s) {
    return (karst_pos){a.x * s, a.y * s, a.z * s};
}
static inline double kst_dot(karst_pos a, karst_pos b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline karst_pos kst_cross(karst_pos a, karst_pos b) {
    return (karst_pos){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Of length 1; otherwise when it has none.
static inline karst_pos kst_unit(karst_pos a, karst_pos otherwise) {
    double length = sqrt(kst_dot(a, a));
    return length > 0 && isfinite(length) ? kst_times(a, 1 / length) : otherwise;
}
static inline karst_pos kst_wide(karst_vec3 v) {
    return (karst_pos){(double)v.x, (double)v.y, (double)v.z};
}

// Sine and cosine of full turns. Multiplications and sums alone, so that every library gives these bits.
static inline void kst_turn(double turns, double *sine, double *cosine) {
    double quarters = turns * 4, nearest = floor(quarters + 0.5);
    double a = (quarters - nearest) * 1.5707963267948966, b = a * a;  // |a| <= pi / 4
    double s = 1, c = 1;
    for (int n = 16; n >= 2; n -= 2) {  // Taylor, from the end
        s = 1 - s * b / (double)(n * (n + 1));
        c = 1 - c * b / (double)(n * (n - 1));
    }
    s *= a;
    switch ((int)(nearest - 4 * floor(nearest / 4))) {
        case 0:
            *sine = s, *cosine = c;
            break;
        case 1:
            *sine = c, *cosine = -s;
            break;
        case 2:
            *sine = -s, *cosine = -c;
            break;
        default:
            *sine = -c, *cosine = s;
    }
}
// v turned about a unit axis, counter-clockwise seen against it (Rodrigues).
static inline karst_pos kst_turned(karst_pos v, karst_pos axis, double sine, double cosine) {
    karst_pos side = kst_cross(axis, v);
    double along = kst_dot(axis, v) * (1 - cosine);
    return (karst_pos){v.x * cosine + side.x * sine + axis.x * along, v.y * cosine + side.y * sine + axis.y * along,
                       v.z * cosine + side.z * sine + axis.z * along};
}
