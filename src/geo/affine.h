// SPDX-License-Identifier: MIT
// Affine maps of space in doubles: three rows of four.
#pragma once
#include <math.h>
#include <stdbool.h>

typedef struct kst_affine {
    double m[3][4];
} kst_affine;

static inline kst_affine kst_affine_one(void) {
    return (kst_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
}

// First b, then a.
static inline kst_affine kst_affine_mul(const kst_affine *a, const kst_affine *b) {
    kst_affine out;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 4; ++c) {
            out.m[r][c] = c == 3 ? a->m[r][3] : 0;
            for (int k = 0; k < 3; ++k) out.m[r][c] += a->m[r][k] * b->m[k][c];
        }
    return out;
}

static inline void kst_affine_point(const kst_affine *a, const double p[3], double out[3]) {
    for (int r = 0; r < 3; ++r) out[r] = a->m[r][0] * p[0] + a->m[r][1] * p[1] + a->m[r][2] * p[2] + a->m[r][3];
}

// Cofactors of the turning part: what normals go by; the determinant is returned.
static inline double kst_affine_cofactors(const kst_affine *a, double out[3][3]) {
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[r][c] = a->m[r1][c1] * a->m[r2][c2] - a->m[r1][c2] * a->m[r2][c1];
        }
    return a->m[0][0] * out[0][0] + a->m[0][1] * out[0][1] + a->m[0][2] * out[0][2];
}

// False when it has none that is finite.
static inline bool kst_affine_inverse(const kst_affine *a, kst_affine *out) {
    double cofactor[3][3], det = kst_affine_cofactors(a, cofactor);
    kst_affine inverse;
    bool finite = true;
    for (int r = 0; r < 3; ++r) {
        inverse.m[r][3] = 0;
        for (int c = 0; c < 3; ++c) {
            inverse.m[r][c] = cofactor[c][r] / det;
            inverse.m[r][3] -= inverse.m[r][c] * a->m[c][3];
        }
        for (int c = 0; c < 4; ++c) finite = finite && isfinite((float)inverse.m[r][c]);
    }
    if (finite) *out = inverse;
    return finite;
}
