// SPDX-License-Identifier: MIT
// Cubic curves and bicubic patches in Bernstein form. Sums are written so that a curve gives the same bits from either
// end: (b0 p0 + b3 p3) + (b1 p1 + b2 p2), with t and 1 - t exact (t is dyadic).
#pragma once
#include <math.h>

#include "karst/base.h"

// The next whole number below, of |v| < 2^31.
static inline int32_t kst_floor(float v) {
    int32_t i = (int32_t)v;
    return i - ((float)i > v);
}

static inline karst_vec3 kst_add(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline karst_vec3 kst_sub(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline karst_vec3 kst_scale(karst_vec3 a, float s) {
    return (karst_vec3){a.x * s, a.y * s, a.z * s};
}
static inline float kst_dot(karst_vec3 a, karst_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline karst_vec3 kst_cross(karst_vec3 a, karst_vec3 b) {
    return (karst_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// Of length 1; up when there is no direction.
static inline karst_vec3 kst_unit(karst_vec3 a) {
    float l = sqrtf(kst_dot(a, a));
    return l > 1e-20f ? kst_scale(a, 1 / l) : (karst_vec3){0, 1, 0};
}

static inline void kst_bernstein(float t, float b[4]) {
    float u = 1 - t;
    b[0] = u * u * u, b[1] = 3 * (t * (u * u)), b[2] = 3 * (u * (t * t)), b[3] = t * t * t;
}
static inline void kst_bernstein_slope(float t, float b[4]) {
    float u = 1 - t;
    b[0] = -3 * (u * u), b[1] = 3 * (u * u) - 6 * (t * u), b[2] = 6 * (t * u) - 3 * (t * t), b[3] = 3 * (t * t);
}
static inline karst_vec3 kst_blend(const float b[4], karst_vec3 p0, karst_vec3 p1, karst_vec3 p2, karst_vec3 p3) {
    return (karst_vec3){(b[0] * p0.x + b[3] * p3.x) + (b[1] * p1.x + b[2] * p2.x),
                        (b[0] * p0.y + b[3] * p3.y) + (b[1] * p1.y + b[2] * p2.y),
                        (b[0] * p0.z + b[3] * p3.z) + (b[1] * p1.z + b[2] * p2.z)};
}
static inline karst_vec3 kst_curve(const karst_vec3 c[4], float t) {
    float b[4];
    kst_bernstein(t, b);
    return kst_blend(b, c[0], c[1], c[2], c[3]);
}
static inline karst_vec3 kst_curve_slope(const karst_vec3 c[4], float t) {
    float b[4];
    kst_bernstein_slope(t, b);
    return kst_blend(b, c[0], c[1], c[2], c[3]);
}
// A patch at one t: the control points of its curve along s, and their slopes along t.
typedef struct kst_patch_line {
    karst_vec3 point[4], slope[4];
} kst_patch_line;
// Of a patch c[4 j + i], i along s and j along t; slopes only when asked for.
static inline void kst_patch_line_at(const karst_vec3 c[16], float t, bool slopes, kst_patch_line *out) {
    float b[4], d[4];
    kst_bernstein(t, b);
    if (slopes) kst_bernstein_slope(t, d);
    for (int i = 0; i < 4; ++i) {
        out->point[i] = kst_blend(b, c[i], c[4 + i], c[8 + i], c[12 + i]);
        if (slopes) out->slope[i] = kst_blend(d, c[i], c[4 + i], c[8 + i], c[12 + i]);
    }
}
// Its point at s; the unit normal of the upper side too unless NULL.
static inline karst_vec3 kst_patch_line_point(const kst_patch_line *line, float s, karst_vec3 *normal) {
    float b[4], d[4];
    const karst_vec3 *p = line->point, *q = line->slope;
    kst_bernstein(s, b);
    if (normal) {
        kst_bernstein_slope(s, d);
        *normal = kst_unit(kst_cross(kst_blend(b, q[0], q[1], q[2], q[3]), kst_blend(d, p[0], p[1], p[2], p[3])));
    }
    return kst_blend(b, p[0], p[1], p[2], p[3]);
}
static inline karst_vec3 kst_patch_point(const karst_vec3 c[16], float s, float t, karst_vec3 *normal) {
    kst_patch_line line;
    kst_patch_line_at(c, t, normal != NULL, &line);
    return kst_patch_line_point(&line, s, normal);
}
// The part of a curve from t0 to t1, by blossoms.
static inline void kst_curve_part(const karst_vec3 c[4], float t0, float t1, karst_vec3 out[4]) {
    for (int i = 0; i < 4; ++i) {
        karst_vec3 w[4] = {c[0], c[1], c[2], c[3]};
        for (int l = 0; l < 3; ++l) {
            float t = l < 3 - i ? t0 : t1;
            for (int k = 0; k < 3 - l; ++k) w[k] = kst_add(kst_scale(w[k], 1 - t), kst_scale(w[k + 1], t));
        }
        out[i] = w[0];
    }
}
// The part of a patch [s0, s1] x [t0, t1].
static inline void kst_patch_part(const karst_vec3 c[16], float s0, float s1, float t0, float t1, karst_vec3 out[16]) {
    karst_vec3 rows[16];
    for (int j = 0; j < 4; ++j) kst_curve_part(c + 4 * j, s0, s1, rows + 4 * j);
    for (int i = 0; i < 4; ++i) {
        karst_vec3 column[4] = {rows[i], rows[4 + i], rows[8 + i], rows[12 + i]}, part[4];
        kst_curve_part(column, t0, t1, part);
        for (int j = 0; j < 4; ++j) out[4 * j + i] = part[j];
    }
}
