// SPDX-License-Identifier: MIT
// The exact test of a ray against one triangle, in doubles, and the triangles of a chunk.
//
// After: S. Woop, C. Benthin, I. Wald, "Watertight Ray/Triangle Intersection", JCGT 2013. We differ: all of it is in
// doubles, and triangles seen edge-on are met too.
//
// The sheared corners are rounded, but alike for every triangle that shares them; the edge values x y' - y x' are
// opposite in the two triangles of an edge; and rounding is monotone, so a value is never on the wrong side of zero. So
// no ray slips between two triangles.
#pragma once
#include <math.h>

#include "surface/chunk_view.h"

// A ray as the exact test wants it: axis kz has the largest part of the direction.
typedef struct kst_exact_ray {
    double origin[3], direction[3];  // world
    double t_min, t_max;             // t_max shrinks as hits are found
    int kx, ky, kz;
    double shear_x, shear_y;
    double inverse_z;  // of the largest part
} kst_exact_ray;

static inline void kst_exact_ray_make(const karst_ray *ray, kst_exact_ray *out) {
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

// A corner in the ray's own coordinates: z along its largest axis, x and y 0 on the ray.
typedef struct kst_sheared {
    double x, y, z;
} kst_sheared;

static inline kst_sheared kst_shear(const kst_exact_ray *ray, karst_pos p) {
    double v[3] = {p.x - ray->origin[0], p.y - ray->origin[1], p.z - ray->origin[2]};
    double z = v[ray->kz];
    return (kst_sheared){v[ray->kx] - ray->shear_x * z, v[ray->ky] - ray->shear_y * z, z};
}

static inline double kst_edge(kst_sheared a, kst_sheared b) { return a.x * b.y - a.y * b.x; }

// Seen edge-on the three corners lie on one line through the ray, and the ray runs inside the triangle from one of
// its sides to another. Rare.
bool kst_cast_edge_on(const kst_exact_ray *ray, const kst_sheared corner[3], double *t);

// Does the ray meet the closed triangle, from either side, in [t_min, t_max]?
static inline bool kst_triangle_cast(const kst_exact_ray *ray, const karst_pos corner[3], double *t) {
    kst_sheared v[3] = {kst_shear(ray, corner[0]), kst_shear(ray, corner[1]), kst_shear(ray, corner[2])};
    double a = kst_edge(v[1], v[2]), b = kst_edge(v[2], v[0]), c = kst_edge(v[0], v[1]);
    if (((a < 0) | (b < 0) | (c < 0)) & ((a > 0) | (b > 0) | (c > 0))) return false;
    double sum = a + b + c;
    if (sum == 0) return kst_cast_edge_on(ray, v, t);
    double at = (a * v[0].z + b * v[1].z + c * v[2].z) / sum * ray->inverse_z;
    if (!(at >= ray->t_min && at <= ray->t_max)) return false;
    *t = at;
    return true;
}

static inline karst_vec3 kst_triangle_normal(const karst_pos corner[3]) {
    double ax = corner[1].x - corner[0].x, ay = corner[1].y - corner[0].y, az = corner[1].z - corner[0].z;
    double bx = corner[2].x - corner[0].x, by = corner[2].y - corner[0].y, bz = corner[2].z - corner[0].z;
    double x = ay * bz - az * by, y = az * bx - ax * bz, z = ax * by - ay * bx, length = sqrt(x * x + y * y + z * z);
    if (!(length > 0)) return (karst_vec3){0, 1, 0};
    double scale = 1 / length;
    return (karst_vec3){(float)(x * scale), (float)(y * scale), (float)(z * scale)};
}

// World place of a vertex of a chunk. All exact answers are of triangles between these.
static inline karst_pos kst_world_vertex(const kst_chunk_view *view, int i, int j) {
    karst_pos p = kst_view_vertex(view, i, j), o = view->shape.origin;
    return (karst_pos){o.x + p.x, o.y + p.y, o.z + p.z};
}

// Corners of a triangle of cell (i, j) of a chunk, counter-clockwise from above. Number 0 has the cell's side of the
// lower row, number 1 that of the higher. Chunks begin at even columns and rows, so the parity here is the field's.
static inline void kst_cell_triangle(const kst_chunk_view *view, int i, int j, int triangle, karst_pos corner[3]) {
    // Corners 0..3 are (i, j), (i + 1, j), (i, j + 1), (i + 1, j + 1).
    static const int8_t corners[2][2][3] = {{{0, 3, 1}, {0, 2, 3}}, {{0, 2, 1}, {1, 2, 3}}};
    const int8_t *c = corners[(i + j) & 1][triangle];
    for (int k = 0; k < 3; ++k) corner[k] = kst_world_vertex(view, i + (c[k] & 1), j + (c[k] >> 1));
}

// The cell that triangle k of fan (i, j) lies in, and its number there. See ray.h.
static inline void kst_fan_cell(int i, int j, int k, int *cell_i, int *cell_j, int *triangle) {
    static const int8_t cell[8] = {0, 1, 1, 3, 3, 2, 2, 0}, number[8] = {0, 0, 1, 0, 1, 1, 0, 1};
    *cell_i = 2 * i + (cell[k] & 1);
    *cell_j = 2 * j + (cell[k] >> 1);
    *triangle = number[k];
}
