// SPDX-License-Identifier: MIT
// Samples: normals, noise and angles.
#include "op/samples.h"

#include <math.h>

// Vertex (i, j) relative to the ground's origin.
static karst_pos place(const kst_samples *s, int32_t i, int32_t j) {
    size_t k = kst_samples_index(s, i, j);
    return (karst_pos){i * s->shape.spacing_m + (s->x ? (double)s->x[k] : 0), (double)s->y[k],
                       j * s->shape.spacing_m + (s->z ? (double)s->z[k] : 0)};
}

static karst_pos between(karst_pos a, karst_pos b) {
    return (karst_pos){b.x - a.x, b.y - a.y, b.z - a.z};
}

karst_vec3 kst_samples_normal(const kst_samples *s, int32_t i, int32_t j) {
    int32_t left = i > 0 ? i - 1 : i, right = i + 1 < s->shape.columns ? i + 1 : i;
    int32_t above = j > 0 ? j - 1 : j, below = j + 1 < s->shape.rows ? j + 1 : j;
    karst_pos u = between(place(s, left, j), place(s, right, j)), v = between(place(s, i, above), place(s, i, below));
    karst_vec3 n = {(float)(v.y * u.z - v.z * u.y), (float)(v.z * u.x - v.x * u.z), (float)(v.x * u.y - v.y * u.x)};
    return n.x == 0 && n.y == 0 && n.z == 0 ? (karst_vec3){0, 1, 0} : n;
}

void kst_samples_noise(const kst_samples *s, const kst_noise_plan *plan, const kst_noise_kernel *kernel, int32_t i,
                       int32_t j, int count, float *out) {
    const karst_field_shape *shape = &s->shape;
    size_t index = kst_samples_index(s, i, j);
    double x[KST_NOISE_BLOCK], y[KST_NOISE_BLOCK], z[KST_NOISE_BLOCK], row_z = shape->origin.z + j * shape->spacing_m;
    float moved[KST_NOISE_BLOCK];
    KARST_ASSERT(count <= KST_NOISE_BLOCK);
    if (!plan->in_space) kst_noise_row(plan, kernel, shape->origin.x, row_z, shape->spacing_m, i, count, out);
    if (!plan->in_space && !s->x) return;
    for (int k = 0; k < count; ++k) {
        size_t at = index + (size_t)k;
        x[k] = shape->origin.x + (i + k) * shape->spacing_m + (s->x ? (double)s->x[at] : 0);
        y[k] = kst_samples_height(s, at);
        z[k] = row_z + (s->z ? (double)s->z[at] : 0);
    }
    kst_noise_at(plan, kernel, x, y, z, count, moved);
    for (int k = 0; k < count; ++k) {
        size_t at = index + (size_t)k;
        if (plan->in_space || s->x[at] != 0 || s->z[at] != 0) out[k] = moved[k];
    }
}

// For 0..1 [radians].
static double arc_tangent(double t) {
    double s = t * t;
    return t *
           (1 +
            s * (-0.3333314528 +
                 s * (0.1999355085 +
                      s * (-0.1420889944 +
                           s * (0.1065626393 +
                                s * (-0.0752896400 + s * (0.0429096138 + s * (-0.0161657367 + s * 0.0028662257))))))));
}

double kst_angle_deg(double cosine, double sine) {
    double c = fabs(cosine);
    if (c == 0 && sine == 0) return 0;
    const double degrees = 57.29577951308232;
    double acute = sine <= c ? degrees * arc_tangent(sine / c) : 90 - degrees * arc_tangent(c / sine);
    return cosine < 0 ? 180 - acute : acute;
}
