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
#if defined(__AVX__)
#include <immintrin.h>
#endif

// Three places or directions, x, y, z; or three corners, one a lane. The fourth lane is of no meaning.
typedef double kst_lanes __attribute__((vector_size(32), may_alias));
typedef int64_t kst_lane_bits __attribute__((vector_size(32)));

// A ray as the exact test wants it: axis kz has the largest part of the direction.
typedef struct kst_exact_ray {
    _Alignas(32) double origin[4];  // world
    double t_min, t_max;            // t_max shrinks as hits are found
    int kx, ky, kz;
    double shear_x, shear_y;
    double inverse_z;  // of the largest part
} kst_exact_ray;

static inline void kst_exact_ray_make(const karst_ray *ray, kst_exact_ray *out) {
    const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
    int k = y > x;
    if (z > (k ? y : x)) k = 2;
    static const int8_t after[5] = {0, 1, 2, 0, 1};
    double inverse = 1 / d[k];
    *(kst_lanes *)out->origin = (kst_lanes){ray->origin.x, ray->origin.y, ray->origin.z, 0};
    out->t_min = ray->t_min;
    out->t_max = ray->t_max;
    out->kz = k;
    out->kx = after[k + 1];
    out->ky = after[k + 2];
    out->inverse_z = inverse;
    out->shear_x = d[out->kx] * inverse;
    out->shear_y = d[out->ky] * inverse;
}

typedef struct kst_corners {
    kst_lanes axis[3];  // x, y, z: world
} kst_corners;

// Corners in the ray's own coordinates: z along its largest axis, x and y 0 on the ray.
typedef struct kst_sheared {
    kst_lanes x, y, z;
} kst_sheared;

// Seen edge-on the three corners lie on one line through the ray, and the ray runs inside the triangle from one of
// its sides to another. Rare.
bool kst_cast_edge_on(const kst_exact_ray *ray, const kst_sheared *corner, double *t);

static inline bool kst_any_of_three(kst_lane_bits m) {
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)m) & 7;
#else
    return m[0] | m[1] | m[2];
#endif
}

// Lane k becomes the corner after k, or the one after that.
#if defined(__clang__)
#define KST_NEXT_CORNER(v) __builtin_shufflevector(v, v, 1, 2, 0, 3)
#define KST_LAST_CORNER(v) __builtin_shufflevector(v, v, 2, 0, 1, 3)
#else
#define KST_NEXT_CORNER(v) __builtin_shuffle(v, (kst_lane_bits){1, 2, 0, 3})
#define KST_LAST_CORNER(v) __builtin_shuffle(v, (kst_lane_bits){2, 0, 1, 3})
#endif

// Does the ray meet the closed triangle, from either side, in [t_min, t_max]?
static inline bool kst_triangle_cast(const kst_exact_ray *ray, const kst_corners *corner, double *t) {
    kst_lanes x = corner->axis[ray->kx] - ray->origin[ray->kx], y = corner->axis[ray->ky] - ray->origin[ray->ky];
    kst_lanes z = corner->axis[ray->kz] - ray->origin[ray->kz];
    kst_sheared s = {x - ray->shear_x * z, y - ray->shear_y * z, z};
    // Lane k is the edge that faces corner k: x y' - y x' of the two corners after it.
    kst_lanes e = KST_NEXT_CORNER(s.x) * KST_LAST_CORNER(s.y) - KST_NEXT_CORNER(s.y) * KST_LAST_CORNER(s.x);
    if ((int)kst_any_of_three(e < 0) & (int)kst_any_of_three(e > 0)) return false;
    double sum = e[0] + e[1] + e[2];
    if (sum == 0) return kst_cast_edge_on(ray, &s, t);
    kst_lanes ez = e * z;
    double at = (ez[0] + ez[1] + ez[2]) / sum * ray->inverse_z;
    if (!(at >= ray->t_min && at <= ray->t_max)) return false;
    *t = at;
    return true;
}

static inline karst_vec3 kst_triangle_normal(const kst_corners *corner) {
    kst_lanes x = corner->axis[0], y = corner->axis[1], z = corner->axis[2];
    double ax = x[1] - x[0], ay = y[1] - y[0], az = z[1] - z[0], bx = x[2] - x[0], by = y[2] - y[0], bz = z[2] - z[0];
    double nx = ay * bz - az * by, ny = az * bx - ax * bz, nz = ax * by - ay * bx;
    double length = sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 0)) return (karst_vec3){0, 1, 0};
    double scale = 1 / length;
    return (karst_vec3){(float)(nx * scale), (float)(ny * scale), (float)(nz * scale)};
}

// World places of three vertices of a chunk, by column and row: the same sums as in kst_view_vertex, three at once. All
// exact answers are of triangles between these places. flat: no vertex of the chunk leaves its rest place sideways.
typedef int32_t kst_four __attribute__((vector_size(16)));
static inline void kst_world_corners(const kst_chunk_view *view, bool flat, kst_four i, kst_four j, kst_corners *out) {
    kst_four k = j * KARST_CHUNK_SIDE + i;
    kst_lanes x = __builtin_convertvector(i + view->column, kst_lanes), y;
    kst_lanes z = __builtin_convertvector(j + view->row, kst_lanes);
    if (view->baked) {
        const karst_vertex *p = &view->baked[k[0]], *q = &view->baked[k[1]], *r = &view->baked[k[2]];
        x = x * view->cell_steps;
        y = (kst_lanes){p->y, q->y, r->y, 0} * view->step_y_m;
        z = z * view->cell_steps;
        if (!flat) {
            x += (kst_lanes){p->dx, q->dx, r->dx, 0};
            z += (kst_lanes){p->dz, q->dz, r->dz, 0};
        }
        x = x * view->step_xz_m;
        z = z * view->step_xz_m;
    } else {
        x = x * view->shape.spacing_m;
        y = (kst_lanes){view->y[k[0]], view->y[k[1]], view->y[k[2]], 0};
        z = z * view->shape.spacing_m;
        if (view->x && !flat) {
            x += (kst_lanes){view->x[k[0]], view->x[k[1]], view->x[k[2]], 0};
            z += (kst_lanes){view->z[k[0]], view->z[k[1]], view->z[k[2]], 0};
        }
    }
    out->axis[0] = view->shape.origin.x + x;
    out->axis[1] = view->shape.origin.y + y;
    out->axis[2] = view->shape.origin.z + z;
}

// A triangle of cell (i, j) of a chunk, counter-clockwise from above. Number 0 has the cell's side of the lower row,
// number 1 that of the higher. Chunks begin at even columns and rows, so the parity here is the field's.
static inline void kst_cell_triangle(const kst_chunk_view *view, int i, int j, int triangle, kst_corners *out) {
    static const kst_four right[2][2] = {{{0, 1, 1, 0}, {0, 0, 1, 0}}, {{0, 0, 1, 0}, {1, 0, 1, 0}}};
    static const kst_four below[2][2] = {{{0, 1, 0, 0}, {0, 1, 1, 0}}, {{0, 1, 0, 0}, {0, 1, 1, 0}}};
    int odd = (i + j) & 1;
    kst_world_corners(view, false, right[odd][triangle] + i, below[odd][triangle] + j, out);
}

// Triangle k of the fan whose corner is (i, j), both even; see ray.h. The same triangle as that of its cell, corner by
// corner: the cell is right and below of the fan's corner, the number that in the cell.
static const uint8_t kst_fan_right[8] = {0, 1, 1, 1, 1, 0, 0, 0}, kst_fan_below[8] = {0, 0, 0, 1, 1, 1, 1, 0};
static const uint8_t kst_fan_number[8] = {0, 0, 1, 0, 1, 1, 0, 1};
static inline void kst_fan_triangle(const kst_chunk_view *view, bool flat, int i, int j, int k, kst_corners *out) {
    static const kst_four right[8] = {{0, 1, 1, 0}, {1, 1, 2, 0}, {2, 1, 2, 0}, {1, 2, 2, 0},
                                      {1, 1, 2, 0}, {1, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}};
    static const kst_four below[8] = {{0, 1, 0, 0}, {0, 1, 0, 0}, {0, 1, 1, 0}, {1, 2, 1, 0},
                                      {1, 2, 2, 0}, {1, 2, 2, 0}, {1, 2, 1, 0}, {0, 1, 1, 0}};
    kst_world_corners(view, flat, right[k] + i, below[k] + j, out);
}

static inline karst_pos kst_corner(const kst_corners *c, int k) {
    return (karst_pos){c->axis[0][k], c->axis[1][k], c->axis[2][k]};
}
