// SPDX-License-Identifier: MIT
// Where a ray first meets a net before displacement: patches whose box it meets, as 16 x 16 cells of two triangles.
#include "edit/net_sculpt.h"

enum { CELLS = 16, SIDE = CELLS + 1 };

// Widens triangles a little, so that no ray slips through between two.
static const double slack = 1e-9;

typedef struct line {
    double from[3], way[3], least, most;  // [steps]; t from least to most
} line;

static bool meets_box(const line *l, const kst_box *b) {
    double t0 = l->least, t1 = l->most;
    for (int axis = 0; axis < 3; ++axis) {
        double low = b->low[axis] - 1 - l->from[axis], high = b->high[axis] + 1 - l->from[axis];
        if (l->way[axis] == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        double a = low / l->way[axis], c = high / l->way[axis];
        if (a > c) {
            double swap = a;
            a = c, c = swap;
        }
        if (a > t0) t0 = a;
        if (c < t1) t1 = c;
    }
    return t0 <= t1;
}

// After: T. Moeller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
static void meet_triangle(line *l, const double a[3], const double b[3], const double c[3]) {
    karst_pos e = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, f = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    karst_pos way = {l->way[0], l->way[1], l->way[2]};
    karst_pos from = {l->from[0] - a[0], l->from[1] - a[1], l->from[2] - a[2]};
    karst_pos p = kst_cross(way, f);
    double det = kst_dot(e, p);
    if (det == 0) return;
    double u = kst_dot(from, p) / det;
    if (u < -slack || u > 1 + slack) return;
    karst_pos q = kst_cross(from, e);
    double v = kst_dot(way, q) / det;
    if (v < -slack || u + v > 1 + slack) return;
    double t = kst_dot(f, q) / det;
    if (t >= l->least && t < l->most) l->most = t;
}

static void bernstein(double t, double b[4]) {
    double u = 1 - t;
    b[0] = u * u * u, b[1] = 3 * t * u * u, b[2] = 3 * t * t * u, b[3] = t * t * t;
}

static void meet_patch(const karst_net *net, int32_t patch, line *l) {
    int32_t c[16][3];
    double b[SIDE][4], row[4][SIDE][3], grid[SIDE][SIDE][3];
    karst_net_patch_at(net, patch, c);
    for (int i = 0; i < SIDE; ++i) bernstein((double)i / CELLS, b[i]);
    for (int j = 0; j < 4; ++j)
        for (int i = 0; i < SIDE; ++i)
            for (int axis = 0; axis < 3; ++axis)
                row[j][i][axis] = (b[i][0] * c[4 * j][axis] + b[i][3] * c[4 * j + 3][axis]) +
                                  (b[i][1] * c[4 * j + 1][axis] + b[i][2] * c[4 * j + 2][axis]);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i)
            for (int axis = 0; axis < 3; ++axis)
                grid[j][i][axis] = (b[j][0] * row[0][i][axis] + b[j][3] * row[3][i][axis]) +
                                   (b[j][1] * row[1][i][axis] + b[j][2] * row[2][i][axis]);
    for (int j = 0; j < CELLS; ++j)
        for (int i = 0; i < CELLS; ++i) {
            meet_triangle(l, grid[j][i], grid[j][i + 1], grid[j + 1][i + 1]);
            meet_triangle(l, grid[j][i], grid[j + 1][i + 1], grid[j + 1][i]);
        }
}

bool kst_net_cast(const karst_net_sculptor *s, const karst_ray *ray, karst_pos *at) {
    const karst_net *net = s->net;
    double per = 1 / s->step_m;
    line l = {{(ray->origin.x - net->origin.x) * per, (ray->origin.y - net->origin.y) * per,
               (ray->origin.z - net->origin.z) * per},
              {ray->direction.x * per, ray->direction.y * per, ray->direction.z * per},
              ray->t_min,
              ray->t_max};
    double most = l.most;
    for (int32_t k = 0; k < net->patch_count; ++k)
        if (meets_box(&l, &s->patches[k])) meet_patch(net, k, &l);
    if (!(l.most < most)) return false;
    *at = kst_sum(ray->origin, kst_times(ray->direction, l.most));
    return true;
}

bool kst_net_top(const karst_net_sculptor *s, double x, double z, double *y) {
    karst_pos at, above = {x, s->net->origin.y + 3e8 * s->step_m, z};
    karst_ray ray = karst_ray_make(above, (karst_pos){0, -1, 0});
    if (!kst_net_cast(s, &ray, &at)) return false;
    *y = at.y;
    return true;
}
