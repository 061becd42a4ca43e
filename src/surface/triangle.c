// SPDX-License-Identifier: MIT
// The exact test of a ray against one triangle, in doubles.
//
// After: S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", JCGT 2013. We differ: all of it is in
// doubles, and triangles seen edge-on are met too.
#include <math.h>

#include "surface/ray.h"

void kst_exact_ray_make(const karst_ray *ray, kst_exact_ray *out) {
    double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    int k = fabs(d[1]) > fabs(d[0]);
    if (fabs(d[2]) > fabs(d[k])) k = 2;
    int kx = k == 2 ? 0 : k + 1, ky = k == 0 ? 2 : k - 1;
    double inverse = 1 / d[k];
    out->origin[0] = ray->origin.x;
    out->origin[1] = ray->origin.y;
    out->origin[2] = ray->origin.z;
    memcpy(out->direction, d, sizeof d);
    out->t_min = ray->t_min;
    out->t_max = ray->t_max;
    out->kx = kx;
    out->ky = ky;
    out->kz = k;
    out->inverse_z = inverse;
    out->shear_x = d[kx] * inverse;
    out->shear_y = d[ky] * inverse;
}

typedef struct sheared {
    double x, y, z;  // z along the ray's largest axis, x and y 0 on the ray
} sheared;

static sheared shear(const kst_exact_ray *ray, karst_pos p) {
    double v[3] = {p.x - ray->origin[0], p.y - ray->origin[1], p.z - ray->origin[2]};
    double z = v[ray->kz];
    return (sheared){v[ray->kx] - ray->shear_x * z, v[ray->ky] - ray->shear_y * z, z};
}

static double edge(sheared a, sheared b) {
    return a.x * b.y - a.y * b.x;
}

// Seen edge-on the three corners lie on one line through the ray, and the ray runs inside the triangle from one of
// its sides to another.
static bool cast_edge_on(const kst_exact_ray *ray, const sheared v[3], double *t) {
    double from = INFINITY, to = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        sheared a = v[k], b = v[(k + 1) % 3];
        bool along_x = fmax(fabs(a.x), fabs(b.x)) > fmax(fabs(a.y), fabs(b.y));
        double p = along_x ? a.x : a.y, q = along_x ? b.x : b.y;
        if ((p > 0 && q > 0) || (p < 0 && q < 0)) continue;
        double share = p != q ? p / (p - q) : 0;
        double one = (a.z + (b.z - a.z) * share) * ray->inverse_z;
        double two = p != q ? one : b.z * ray->inverse_z;
        from = fmin(from, fmin(one, two));
        to = fmax(to, fmax(one, two));
    }
    if (!(from <= ray->t_max && to >= ray->t_min)) return false;
    *t = fmax(from, ray->t_min);
    return true;
}

bool kst_triangle_cast(const kst_exact_ray *ray, const karst_pos corner[3], double *t) {
    sheared v[3] = {shear(ray, corner[0]), shear(ray, corner[1]), shear(ray, corner[2])};
    double a = edge(v[1], v[2]), b = edge(v[2], v[0]), c = edge(v[0], v[1]);
    if ((a < 0 || b < 0 || c < 0) && (a > 0 || b > 0 || c > 0)) return false;
    double sum = a + b + c;
    if (sum == 0) return cast_edge_on(ray, v, t);
    double at = (a * v[0].z + b * v[1].z + c * v[2].z) / sum * ray->inverse_z;
    if (!(at >= ray->t_min && at <= ray->t_max)) return false;
    *t = at;
    return true;
}

karst_vec3 kst_triangle_normal(const karst_pos corner[3]) {
    double ax = corner[1].x - corner[0].x, ay = corner[1].y - corner[0].y, az = corner[1].z - corner[0].z;
    double bx = corner[2].x - corner[0].x, by = corner[2].y - corner[0].y, bz = corner[2].z - corner[0].z;
    double x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx, length = sqrt(x * x + y * y + z * z);
    if (!(length > 0)) return (karst_vec3){0, 1, 0};
    return (karst_vec3){(float)(x / length), (float)(y / length), (float)(z / length)};
}

void kst_cell_triangle(const kst_chunk_view *view, int i, int j, int triangle, karst_pos corner[3]) {
    // Corners 0..3 are (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1); chunks begin at even columns and rows.
    static const int8_t corners[2][2][3] = {{{0, 3, 1}, {0, 2, 3}}, {{0, 2, 1}, {1, 2, 3}}};
    const int8_t *c = corners[(i + j) & 1][triangle];
    for (int k = 0; k < 3; ++k) corner[k] = kst_world_vertex(view, i + (c[k] & 1), j + (c[k] >> 1));
}

void kst_fan_triangle(const kst_chunk_view *view, int i, int j, int k, karst_pos corner[3], int *cell_i, int *cell_j,
                      int *triangle) {
    static const int8_t cell[8] = {0, 1, 1, 3, 3, 2, 2, 0}, number[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    *cell_i = 2 * i + (cell[k] & 1);
    *cell_j = 2 * j + (cell[k] >> 1);
    *triangle = number[k];
    kst_cell_triangle(view, *cell_i, *cell_j, *triangle, corner);
}
