// SPDX-License-Identifier: MIT
// Stars: how what belongs to a corner goes along with it.
//
// A linear map keeps what makes patches smooth there: ways in one plane stay in one, opposite ways stay opposite, and
// their ratios stay. The map changes ways in the tangent plane alone; what a way has beside it is carried as it is.
#include "edit/net_sculpt.h"

// A map changes ways within the tangent plane by half their length at most, so none turns over.
static const double most_within = 0.5;

enum { FIT_MOST = 64, PASSES_MAX = 64 };  // points of a star that a fit looks at; how deep edges may end inside others

static const double way_most = 1 << 27;  // a move beyond it leaves every net's range

// ---- one point ------------------------------------------------------------------------------------------------

static karst_status note(karst_net_sculptor *s, kst_point p) {
    karst_status status = kst_net_room((void **)&s->was, &s->was_room, s->was_count + 1, sizeof *s->was);
    if (status) return status;
    kst_was *w = &s->was[s->was_count++];
    w->point = p;
    memcpy(w->at, p.at, sizeof w->at);
    memcpy(w->rest, p.rest, sizeof w->rest);
    return KARST_OK;
}

// To the nearest step, halves away from 0, so that mirrored ways are mirrored.
static karst_status move(karst_net_sculptor *s, kst_point p, const double way[3]) {
    if (way[0] == 0 && way[1] == 0 && way[2] == 0) return KARST_OK;
    karst_status status = note(s, p);
    for (int axis = 0; axis < 3 && !status; ++axis) {
        double w = (double)p.rest[axis] + fmin(fmax(way[axis], -way_most), way_most);
        double steps = w < 0 ? -floor(0.5 - w) : floor(w + 0.5);
        p.at[axis] += (int32_t)steps;
        p.rest[axis] = (float)(w - steps);
    }
    return status;
}

// ---- the fit ----------------------------------------------------------------------------------------------------

static void facing_of(const karst_net_sculptor *s, int32_t corner, double n[3]) {
    karst_vec3 v = karst_facing_vector(s->net->corners[corner].facing);
    n[0] = (double)v.x, n[1] = (double)v.y, n[2] = (double)v.z;
}

static bool invert(double m[3][3], double out[3][3]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            out[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    double det = m[0][0] * out[0][0] + m[0][1] * out[1][0] + m[0][2] * out[2][0];
    if (!(fabs(det) > 0)) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out[i][j] /= det;
    return true;
}

// Points in an order that is theirs, so that sums do not depend on how elements are numbered.
static void sort_points(const karst_net_sculptor *s, const kst_star *star, int count, int *order) {
    const double *x = kst_row(s, KST_PX) + star->first, *y = kst_row(s, KST_PY) + star->first,
                 *z = kst_row(s, KST_PZ) + star->first;
    for (int k = 0; k < count; ++k) {
        int at = k;
        for (; at > 0; --at) {
            int o = order[at - 1];
            bool after = x[o] > x[k] || (x[o] == x[k] && (y[o] > y[k] || (y[o] == y[k] && z[o] > z[k])));
            if (!after) break;
            order[at] = o;
        }
        order[at] = k;
    }
}

// The linear map of ways in the tangent plane that comes nearest, in least squares, to what the brush would do to each
// point of the star, less what it does to the corner.
static void fit(const karst_net_sculptor *s, kst_star *star) {
    double n[3], square[3][3] = {{0}}, cross[3][3] = {{0}}, inverse[3][3], trace = 0;
    int order[FIT_MOST], count = star->count < FIT_MOST ? star->count : FIT_MOST;
    const double *place[3] = {kst_row(s, KST_PX) + star->first, kst_row(s, KST_PY) + star->first,
                              kst_row(s, KST_PZ) + star->first};
    const double *way[3] = {kst_row(s, KST_DX) + star->first, kst_row(s, KST_DY) + star->first,
                            kst_row(s, KST_DZ) + star->first};
    memset(star->map, 0, sizeof star->map);
    facing_of(s, star->corner, n);
    sort_points(s, star, count, order);
    for (int i = 0; i < count; ++i) {
        int k = order[i];
        double q[3], e[3], along = 0;
        for (int axis = 0; axis < 3; ++axis) {
            q[axis] = place[axis][k] - place[axis][0];
            e[axis] = way[axis][k] - way[axis][0];
            along += q[axis] * n[axis];
        }
        for (int axis = 0; axis < 3; ++axis) q[axis] -= along * n[axis];
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) square[a][b] += q[a] * q[b], cross[a][b] += e[a] * q[b];
    }
    for (int a = 0; a < 3; ++a) trace += square[a][a];
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) square[a][b] += trace * (n[a] * n[b] + (a == b ? 1e-9 : 0));
    if (!(trace > 0) || !invert(square, inverse)) return;
    double within = 0;
    for (int b = 0; b < 3; ++b) {
        double column[3], out = 0;
        for (int a = 0; a < 3; ++a) {
            column[a] = cross[a][0] * inverse[0][b] + cross[a][1] * inverse[1][b] + cross[a][2] * inverse[2][b];
            out += column[a] * n[a];
            star->map[a][b] = column[a];
        }
        for (int a = 0; a < 3; ++a) within += (column[a] - out * n[a]) * (column[a] - out * n[a]);
    }
    double share = sqrt(within) > most_within ? most_within / sqrt(within) : 1;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) star->map[a][b] *= share;
}

static void mapped(double map[3][3], const double q[3], double out[3]) {
    for (int a = 0; a < 3; ++a) out[a] = map[a][0] * q[0] + map[a][1] * q[1] + map[a][2] * q[2];
}

// ---- what is touched ----------------------------------------------------------------------------------------------

static karst_status touch_patch(karst_net_sculptor *s, int32_t patch) {
    if (s->patch_of[patch] >= 0) return KARST_OK;
    size_t count = s->old_patch_count + 1;
    karst_status status = kst_net_room((void **)&s->old_patch, &s->old_patch_room, count, sizeof *s->old_patch);
    if (!status) status = kst_net_room((void **)&s->moved, &s->moved_room, count, sizeof *s->moved);
    if (status) return status;
    s->patch_of[patch] = (int32_t)s->old_patch_count;
    s->moved[s->old_patch_count] = patch;
    s->old_patch[s->old_patch_count].patch = patch;
    karst_net_patch_at(s->net, patch, s->old_patch[s->old_patch_count++].points);
    return KARST_OK;
}

static karst_status touch_edge(karst_net_sculptor *s, int32_t edge) {
    if (s->edge_of[edge] >= 0) return KARST_OK;
    karst_status status =
        kst_net_room((void **)&s->old_edge, &s->old_edge_room, s->old_edge_count + 1, sizeof *s->old_edge);
    if (status) return status;
    s->edge_of[edge] = (int32_t)s->old_edge_count;
    s->old_edge[s->old_edge_count].edge = edge;
    karst_net_edge_at(s->net, edge, s->old_edge[s->old_edge_count++].points);
    return KARST_OK;
}

// What a corner and its star are part of, as it was.
static karst_status touch(karst_net_sculptor *s, int32_t corner) {
    const karst_net_list *edges = &s->links.edges_of_corner, *on = &s->links.patches_of_edge,
                         *patches = &s->links.patches_of_corner;
    karst_status status = KARST_OK;
    for (int32_t i = edges->first[corner]; i < edges->first[corner + 1] && !status; ++i) {
        int32_t edge = edges->of[i] / 2;
        status = touch_edge(s, edge);
        for (int32_t j = on->first[edge]; j < on->first[edge + 1] && !status; ++j)
            status = touch_patch(s, on->of[j] / 4);
    }
    for (int32_t i = patches->first[corner]; i < patches->first[corner + 1] && !status; ++i)
        status = touch_patch(s, patches->of[i] / 4);
    return status;
}

// ---- corners inside edges -------------------------------------------------------------------------------------------

static double curve(const int32_t c[4][3], double t, int axis, double *slope) {
    double u = 1 - t, a = c[0][axis], b = c[1][axis], d = c[2][axis], e = c[3][axis];
    *slope = 3 * ((u * u) * (b - a) + (2 * u * t) * (d - b) + (t * t) * (e - d));
    return (u * u * u) * a + 3 * (u * u * t) * b + (3 * (u * t * t) * d + (t * t * t) * e);
}

// Slopes of a patch along side `side` and across it into the patch, at share u of the side.
static void side_slopes(const int32_t c[16][3], int side, double u, double along[3], double across[3]) {
    static const int start[4] = {0, 3, 12, 0}, step[4] = {1, 4, 1, 4}, inward[4] = {4, -1, -4, 1};
    int32_t border[4][3], next[4][3];
    for (int k = 0; k < 4; ++k) {
        memcpy(border[k], c[start[side] + k * step[side]], sizeof *border);
        memcpy(next[k], c[start[side] + k * step[side] + inward[side]], sizeof *next);
    }
    for (int axis = 0; axis < 3; ++axis) {
        double slope, on = curve((const int32_t(*)[3])border, u, axis, &along[axis]);
        across[axis] = 3 * (curve((const int32_t(*)[3])next, u, axis, &slope) - on);
    }
}

// The patch in whose side a corner lies: the large one that the star's patches bind to. -1: none.
static int32_t patch_beyond(const karst_net_sculptor *s, int32_t corner, int *side) {
    const karst_net_corner *c = &s->net->corners[corner];
    const karst_net_list *on = &s->links.patches_of_edge;
    for (int32_t i = on->first[c->edge]; i < on->first[c->edge + 1]; ++i) {
        const karst_net_side *a = &s->net->patches[on->of[i] / 4].side[on->of[i] & 3];
        int low = a->from < a->to ? a->from : a->to, high = a->from < a->to ? a->to : a->from;
        *side = on->of[i] & 3;
        if (c->eighth > low && c->eighth < high) return on->of[i] / 4;
    }
    return -1;
}

// A corner inside an edge comes after all that the edge and the patch beyond are made of.
void kst_stars_depths(karst_net_sculptor *s) {
    const karst_net *net = s->net;
    bool more = true;
    for (int32_t k = 0; k < net->corner_count; ++k) s->depth[k] = net->corners[k].edge != KARST_NET_NONE;
    for (int pass = 1; more && pass < PASSES_MAX; ++pass) {
        more = false;
        for (int32_t k = 0; k < net->corner_count; ++k) {
            if (net->corners[k].edge == KARST_NET_NONE) continue;
            int side, most = 0;
            int32_t beyond = patch_beyond(s, k, &side);
            for (int i = -1; i < (beyond < 0 ? 0 : 4); ++i) {
                const karst_net_edge *e = &net->edges[i < 0 ? net->corners[k].edge : net->patches[beyond].side[i].edge];
                for (int end = 0; end < 2; ++end)
                    if (s->depth[e->corner[end]] > most) most = s->depth[e->corner[end]];
            }
            if (most + 1 <= s->depth[k]) continue;
            s->depth[k] = (uint8_t)(most + 1);
            more = true;
        }
    }
    s->depth_most = 0;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (s->depth[k] > s->depth_most) s->depth_most = s->depth[k];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1], out[1] = a[2] * b[0] - a[0] * b[2], out[2] = a[0] * b[1] - a[1] * b[0];
}

// The map that takes two ways by what they changed, and nothing across them.
static void map_of_two(const double a[3], const double a_by[3], const double b[3], const double b_by[3],
                       double map[3][3]) {
    double n[3], to_a[3], to_b[3];
    memset(map, 0, 9 * sizeof(double));
    cross(a, b, n);
    double area = dot(n, n);
    if (!(area > 1e-12 * dot(a, a) * dot(b, b)) || !(area > 0)) return;
    cross(b, n, to_a);
    cross(n, a, to_b);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) map[i][j] = (a_by[i] * to_a[j] + b_by[i] * to_b[j]) / area;
}

// How a corner inside an edge goes, and the map of its star: along the edge by the edge, across it by the patch beyond,
// or as the brush would have it where there is none.
static void follow(karst_net_sculptor *s, int32_t corner, double way[3], double map[3][3]) {
    const karst_net_corner *c = &s->net->corners[corner];
    int32_t new_edge[4][3];
    double along[3], along_by[3], across[3], across_by[3] = {0, 0, 0};
    const int32_t(*old_edge)[3] = (const int32_t(*)[3])s->old_edge[s->edge_of[c->edge]].points;
    karst_net_edge_at(s->net, c->edge, new_edge);
    for (int axis = 0; axis < 3; ++axis) {
        double slope, was = curve(old_edge, c->eighth / 8.0, axis, &along[axis]);
        way[axis] = curve((const int32_t(*)[3])new_edge, c->eighth / 8.0, axis, &slope) - was;
        along_by[axis] = slope - along[axis];
    }
    int side;
    int32_t beyond = patch_beyond(s, corner, &side);
    if (beyond >= 0 && s->patch_of[beyond] >= 0) {
        const karst_net_side *a = &s->net->patches[beyond].side[side];
        double u = ((double)c->eighth - a->from) / ((double)a->to - a->from), now[3], skip[3];
        int32_t points[16][3];
        karst_net_patch_at(s->net, beyond, points);
        side_slopes((const int32_t(*)[3])s->old_patch[s->patch_of[beyond]].points, side, u, skip, across);
        side_slopes((const int32_t(*)[3])points, side, u, skip, now);
        for (int axis = 0; axis < 3; ++axis) across_by[axis] = now[axis] - across[axis];
    } else {
        double n[3];
        facing_of(s, corner, n);
        cross(n, along, across);
        int32_t star = s->star_of[corner];
        if (beyond < 0 && star >= 0) mapped(s->star[star].map, across, across_by);
    }
    map_of_two(along, along_by, across, across_by, map);
}

static karst_status move_inside(karst_net_sculptor *s, int32_t corner) {
    double corner_way[3], map[3][3], from[3];
    if (s->edge_of[s->net->corners[corner].edge] < 0) {
        // The edge itself stays; the patch beyond may have tilted.
        karst_status status = touch_edge(s, s->net->corners[corner].edge);
        if (status) return status;
    }
    karst_status status = touch(s, corner);
    if (status) return status;
    follow(s, corner, corner_way, map);
    kst_point own = kst_star_point(s, corner, 0);
    for (int axis = 0; axis < 3; ++axis) from[axis] = own.at[axis];
    int32_t at[3];
    karst_net_inside_at(s->net, corner, at);
    if (memcmp(at, own.at, sizeof at)) status = note(s, own);
    for (int k = 1, count = kst_star_size(s, corner); k < count && !status; ++k) {
        kst_point point = kst_star_point(s, corner, k);
        double q[3], way[3];
        for (int axis = 0; axis < 3; ++axis) q[axis] = point.at[axis] + (double)point.rest[axis] - from[axis];
        mapped(map, q, way);
        for (int axis = 0; axis < 3; ++axis) way[axis] += corner_way[axis];
        status = move(s, point, way);
    }
    if (!status) memcpy(own.at, at, sizeof at);
    return status;
}

// Those on the sides of what was touched, the ones that others hang on first.
static karst_status move_all_inside(karst_net_sculptor *s) {
    karst_status status = KARST_OK;
    for (int depth = 1; depth <= s->depth_most; ++depth)
        for (size_t k = 0; k < s->old_patch_count && !status; ++k)
            for (int side = 0; side < 4 && !status; ++side) {
                const karst_net_edge *e = &s->net->edges[s->net->patches[s->old_patch[k].patch].side[side].edge];
                for (int i = 0; i < e->spans - 1 && !status; ++i) {
                    int32_t corner = s->net->inside[e->inside + i];
                    if (s->depth[corner] != depth || s->is_done[corner] || s->held[corner]) continue;
                    status = kst_net_room((void **)&s->done, &s->done_room, s->done_count + 1, sizeof *s->done);
                    if (status) break;
                    s->done[s->done_count++] = corner, s->is_done[corner] = 1;
                    status = move_inside(s, corner);
                }
            }
    for (size_t k = 0; k < s->done_count; ++k) s->is_done[s->done[k]] = 0;
    s->done_count = 0;
    return status;
}

// ---- all ------------------------------------------------------------------------------------------------------------

static bool stays(const karst_net_sculptor *s, const kst_star *star) {
    for (int k = 0; k < star->count; ++k)
        for (int row = KST_DX; row <= KST_DZ; ++row)
            if (kst_row(s, row)[star->first + k] != 0) return false;
    return true;
}

static karst_status move_star(karst_net_sculptor *s, kst_star *star, bool each) {
    double place[3], first[3], way[3], q[3];
    karst_status status = KARST_OK;
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = kst_row(s, KST_DX + axis)[star->first];
        place[axis] = kst_row(s, KST_PX + axis)[star->first];
    }
    for (int k = 0; k < star->count && !status; ++k) {
        for (int axis = 0; axis < 3; ++axis) q[axis] = kst_row(s, KST_PX + axis)[star->first + k] - place[axis];
        mapped(star->map, q, way);
        for (int axis = 0; axis < 3; ++axis)
            way[axis] = each ? kst_row(s, KST_DX + axis)[star->first + k] : first[axis] + way[axis];
        status = move(s, s->point[star->first + k], way);
    }
    return status;
}

karst_status kst_stars_move(karst_net_sculptor *s, bool each) {
    karst_status status = KARST_OK;
    for (size_t k = 0; k < s->star_count && !status; ++k) {
        kst_star *star = &s->star[k];
        if (s->held[star->corner] || stays(s, star)) continue;
        fit(s, star);
        int side;
        if (!s->depth[star->corner] || patch_beyond(s, star->corner, &side) < 0) status = touch(s, star->corner);
    }
    for (size_t k = 0; k < s->star_count && !status; ++k)
        if (!s->depth[s->star[k].corner] && !s->held[s->star[k].corner] && !stays(s, &s->star[k]))
            status = move_star(s, &s->star[k], each);
    return status ? status : move_all_inside(s);
}
