// SPDX-License-Identifier: MIT
// A sphere touches a triangle on its plane, else on an edge (a cylinder round it), else on a vertex (a sphere).
//
// After: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5 (nearest place) and 5.5.6 (moving sphere). We differ:
// edges and vertices are always solved, whatever the plane says, so no rounding decides which of them is met.
#include "surface/sweep_touch.h"

#include <math.h>

// ---- nearest place ---------------------------------------------------------------------------------

static inline double share_along(kst_v3 a, kst_v3 edge, kst_v3 p) {
    double length2 = kst_v3_dot(edge, edge);
    if (!(length2 > 0)) return 0;
    double u = kst_v3_dot(kst_v3_sub(p, a), edge) / length2;
    return u < 0 ? 0 : u > 1 ? 1 : u;
}

// p over the inside of the triangle? n: a normal of any length. False for triangles without area.
static inline bool is_over(const kst_v3 c[3], kst_v3 n, kst_v3 p) {
    if (!(kst_v3_dot(n, n) > 0)) return false;
    for (int k = 0; k < 3; ++k) {
        kst_v3 a = c[k], b = c[k == 2 ? 0 : k + 1];
        if (kst_v3_dot(kst_v3_cross(kst_v3_sub(b, a), kst_v3_sub(p, a)), n) < 0) return false;
    }
    return true;
}

static inline kst_v3 normal_of(const kst_v3 c[3]) {
    return kst_v3_cross(kst_v3_sub(c[1], c[0]), kst_v3_sub(c[2], c[0]));
}

kst_v3 kst_nearest_on(const kst_v3 corner[3], kst_v3 p) {
    kst_v3 n = normal_of(corner), best = corner[0];
    if (is_over(corner, n, p)) return kst_v3_along(p, kst_v3_dot(kst_v3_sub(corner[0], p), n) / kst_v3_dot(n, n), n);
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        kst_v3 a = corner[k], edge = kst_v3_sub(corner[k == 2 ? 0 : k + 1], a);
        kst_v3 q = kst_v3_along(a, share_along(a, edge, p), edge), off = kst_v3_sub(p, q);
        double d2 = kst_v3_dot(off, off);
        if (d2 < least) least = d2, best = q;
    }
    return best;
}

// ---- first touch -----------------------------------------------------------------------------------

// The first t >= 0 at which |m + t d| is `radius`, coming nearer. m2, md, d2: their products.
static inline bool comes_within(double m2, double md, double d2, double radius, double rounding, double *t) {
    if (!(md < 0)) return false;  // goes away, or along
    double length = sqrt(m2), c = (length - radius) * (length + radius);
    if (length <= radius + rounding) {
        *t = 0;
        return length >= radius - rounding && -md > rounding * length;
    }
    double under = md * md - d2 * c;
    if (!(under >= 0)) return false;
    *t = c / (sqrt(under) - md);
    return true;
}

static inline bool touches_vertex(const kst_mover *m, kst_v3 at, double *t) {
    return comes_within(kst_v3_dot(at, at), -kst_v3_dot(at, m->way), m->way2, m->radius, m->rounding, t);
}

static bool touches_edge(const kst_mover *m, kst_v3 a, kst_v3 b, double *t) {
    kst_v3 edge = kst_v3_sub(b, a);
    double length2 = kst_v3_dot(edge, edge);
    if (!(length2 > 0)) return false;
    double inverse = 1 / length2, along = kst_v3_dot(edge, m->way) * inverse, start = -kst_v3_dot(edge, a) * inverse;
    kst_v3 d = kst_v3_along(m->way, -along, edge);
    kst_v3 from = {-a.x - start * edge.x, -a.y - start * edge.y, -a.z - start * edge.z};
    if (!comes_within(kst_v3_dot(from, from), kst_v3_dot(from, d), kst_v3_dot(d, d), m->radius, m->rounding, t))
        return false;
    double u = start + *t * along;
    return u >= 0 && u <= 1;
}

bool kst_mover_touch(const kst_mover *m, const kst_v3 corner[3], double *t, double *depth) {
    kst_v3 n = normal_of(corner);
    double length = sqrt(kst_v3_dot(n, n)), at;
    bool met = false;
    *depth = 0;
    bool is_far = false;
    if (length > 0) {
        // On the side where n looks at the sphere it is h from the plane and comes nearer by `closing` till t 1.
        // Nothing of the triangle is touched before its plane is.
        double h = -kst_v3_dot(n, corner[0]) / length, closing = -kst_v3_dot(n, m->way) / length;
        if (h < 0) h = -h, closing = -closing, n = (kst_v3){-n.x, -n.y, -n.z};
        is_far = h > m->radius + m->rounding;
        if (is_far && !(h - m->radius < *t * closing)) return false;
        if (closing > m->rounding && h >= m->radius - m->rounding) {
            at = h > m->radius ? (h - m->radius) / closing : 0;
            // Seen along the normal, the place that is touched is where the centre is.
            kst_v3 centre = {at * m->way.x, at * m->way.y, at * m->way.z}, up = normal_of(corner);
            if (at < *t && is_over(corner, up, centre)) {
                *t = at;
                return true;
            }
        }
    }
    if (!is_far) {
        kst_v3 q = kst_nearest_on(corner, (kst_v3){0, 0, 0});
        double distance = sqrt(kst_v3_dot(q, q));
        if (distance < m->radius - m->rounding) {
            *t = 0;
            *depth = m->radius - distance;
            return true;
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (touches_edge(m, corner[k], corner[k == 2 ? 0 : k + 1], &at) && at < *t) *t = at, met = true;
        if (touches_vertex(m, corner[k], &at) && at < *t) *t = at, met = true;
    }
    return met;
}
