// SPDX-License-Identifier: MIT
// How smooth a net is: the angle between the patches on both sides of its edges.
#pragma once
#include <math.h>

#include "edit/vec.h"
#include "surface/net_weld.h"

// A place on a patch [steps], and the unit normal there; in doubles, by the definition.
static inline karst_pos patch_place(const karst_net *net, int32_t patch, double s, double t, karst_pos *normal) {
    int32_t c[16][3];
    karst_net_patch_at(net, patch, c);
    double u = 1 - s, v = 1 - t, out[3] = {0}, by_s[3] = {0}, by_t[3] = {0};
    double b[4] = {u * u * u, 3 * u * u * s, 3 * u * s * s, s * s * s};
    double d[4] = {v * v * v, 3 * v * v * t, 3 * v * t * t, t * t * t};
    double bs[4] = {-3 * u * u, 3 * u * u - 6 * u * s, 6 * u * s - 3 * s * s, 3 * s * s};
    double dt[4] = {-3 * v * v, 3 * v * v - 6 * v * t, 6 * v * t - 3 * t * t, 3 * t * t};
    for (int k = 0; k < 16; ++k)
        for (int axis = 0; axis < 3; ++axis) {
            out[axis] += b[k & 3] * d[k >> 2] * c[k][axis];
            by_s[axis] += bs[k & 3] * d[k >> 2] * c[k][axis];
            by_t[axis] += b[k & 3] * dt[k >> 2] * c[k][axis];
        }
    karst_pos a = {by_s[0], by_s[1], by_s[2]}, e = {by_t[0], by_t[1], by_t[2]};
    *normal = kst_unit(kst_cross(e, a), (karst_pos){0, 1, 0});
    return (karst_pos){out[0], out[1], out[2]};
}

// Normal of a patch on its side at t [1/16 of the edge]; false when the side does not go there.
static inline bool normal_at(const karst_net *net, int32_t patch, int side, int t, karst_pos *out) {
    const karst_net_side *a = &net->patches[patch].side[side];
    double u = (t / 2.0 - a->from) / ((double)a->to - a->from);
    if (u < 0 || u > 1) return false;
    patch_place(net, patch, side == 1 ? 1 : side == 3 ? 0 : u, side == 2 ? 1 : side == 0 ? 0 : u, out);
    return true;
}

// Largest angle between patches across an edge [degrees]; `ends` true: where spans meet alone.
static inline double edge_angle(const karst_net *net, const karst_net_links *links, int32_t edge, bool ends) {
    const karst_net_list *on = &links->patches_of_edge;
    double worst = 0;
    int step = ends ? 16 / net->edges[edge].spans : 1;
    for (int t = 0; t <= 16; t += step)
        for (int32_t i = on->first[edge]; i < on->first[edge + 1]; ++i)
            for (int32_t j = on->first[edge]; j < i; ++j) {
                karst_pos a, b;
                if (!normal_at(net, on->of[i] / 4, on->of[i] & 3, t, &a)) continue;
                if (!normal_at(net, on->of[j] / 4, on->of[j] & 3, t, &b)) continue;
                karst_pos d = kst_difference(a, b);
                double chord = 0.5 * sqrt(kst_dot(d, d));
                double angle = 2 * asin(chord < 1 ? chord : 1) * 57.29577951308232;
                if (angle > worst) worst = angle;
            }
    return worst;
}
