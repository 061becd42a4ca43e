// SPDX-License-Identifier: MIT
// Triangles seen edge-on.
#include "surface/triangle.h"

bool kst_cast_edge_on(const kst_exact_ray *ray, const kst_sheared v[3], double *t) {
    double from = INFINITY, to = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        kst_sheared a = v[k], b = v[(k + 1) % 3];
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
