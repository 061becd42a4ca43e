// SPDX-License-Identifier: MIT
// Triangles seen edge-on.
#include "surface/triangle.h"

bool kst_cast_edge_on(const kst_exact_ray *ray, const kst_sheared *v, double *t) {
    double from = INFINITY, to = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        int n = (k + 1) % 3;
        bool along_x = fmax(fabs(v->x[k]), fabs(v->x[n])) > fmax(fabs(v->y[k]), fabs(v->y[n]));
        double p = along_x ? v->x[k] : v->y[k], q = along_x ? v->x[n] : v->y[n];
        if ((p > 0 && q > 0) || (p < 0 && q < 0)) continue;
        double share = p != q ? p / (p - q) : 0;
        double one = (v->z[k] + (v->z[n] - v->z[k]) * share) * ray->inverse_z;
        double two = p != q ? one : v->z[n] * ray->inverse_z;
        from = fmin(from, fmin(one, two));
        to = fmax(to, fmax(one, two));
    }
    if (!(from <= ray->t_max && to >= ray->t_min)) return false;
    *t = fmax(from, ray->t_min);
    return true;
}
