// SPDX-License-Identifier: MIT
// A net follows the field that it takes the place of, along its seams. A corner owns its star, as for brushes: handles
// of edges that end in it and the inner points of patches beside it; the star goes where the corner goes. Corners
// inside edges go where their edge went, and take their own stars along.
#include "surface/net.h"

enum { ROUNDS = 8 };               // as deep as edges that moved may have others end inside them
static const double near_m = 0.5;  // seams that are as near stay

typedef struct follow {
    karst_net *net;
    int32_t (*was)[3];     // corners before a round
    int32_t (*vertex)[3];  // of all tile corners of seams, edge by edge [fine steps]
    size_t vertex_count;
    karst_net_followed done;
} follow;

static int32_t to_steps(int32_t fine) {
    return (int32_t)floor((double)fine / KARST_NET_FINE + 0.5);
}

static karst_status ask(follow *f, karst_pin_fn *fn, void *context, karst_report *report) {
    size_t at = 0;
    for (int32_t k = 0; k < f->net->edge_count; ++k) {
        const karst_net_edge *e = &f->net->edges[k];
        for (int i = 0; i <= e->tiles && e->seam; ++i) {
            int32_t v[2];
            kst_seam_vertex(e->seam, e->column, e->row, i, v);
            if (!fn(context, v[0], v[1], f->vertex[at++]))
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "edge %d is a seam at vertex %d, %d, which the field does not have; fit the net again",
                                k, v[0], v[1]);
        }
    }
    return KARST_OK;
}

// Handles between the ends of a seam, through the field's vertices.
static void refit(const follow *f, int32_t edge, const int32_t (*vertex)[3]) {
    karst_net_edge *e = &f->net->edges[edge];
    double at[KARST_NET_TILES_MAX + 1][3], toward[2][3];
    int32_t points[4][3];
    kst_net_edge_points(f->net, edge, points);
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k <= e->tiles; ++k) at[k][axis] = (double)vertex[k][axis] / KARST_NET_FINE;
        for (int k = 0; k < 2; ++k) toward[k][axis] = e->handle[k][axis];
    }
    kst_curve_fit((const double(*)[3])at, e->tiles, (const double(*)[3])toward, points);
    memcpy(e->handle, points[1], sizeof e->handle);
}

static bool is_near(const follow *f, int32_t edge, const int32_t (*vertex)[3]) {
    const karst_net_edge *e = &f->net->edges[edge];
    int32_t points[4][3];
    kst_net_edge_points(f->net, edge, points);
    for (int k = 0; k <= e->tiles; ++k)
        if (!(kst_pin_off_m((const int32_t(*)[3])points, k, e->tiles, vertex[k], f->net->step_log2) <= near_m))
            return false;
    return true;
}

// Corners of seams that are not near go to the field.
static void move_corners(follow *f) {
    for (int32_t k = 0, at = 0; k < f->net->edge_count; ++k) {
        const karst_net_edge *e = &f->net->edges[k];
        if (!e->seam) continue;
        const int32_t(*vertex)[3] = (const int32_t(*)[3])(f->vertex + at);
        at += e->tiles + 1;
        if (is_near(f, k, vertex)) continue;
        for (int end = 0; end < 2; ++end)
            for (int axis = 0; axis < 3; ++axis)
                f->net->corners[e->corner[end]].at[axis] = to_steps(vertex[end ? e->tiles : 0][axis]);
    }
}

static void shift(int32_t point[3], const int32_t to[3], const int32_t from[3]) {
    for (int axis = 0; axis < 3; ++axis) point[axis] += to[axis] - from[axis];
}

// Stars of corners that moved since `was`. @return whether there are any
static bool move_stars(follow *f) {
    static const uint8_t inner[4] = {0, 1, 3, 2};  // beside corners (0,0), (1,0), (1,1), (0,1)
    karst_net *net = f->net;
    bool moved = false;
    for (int32_t k = 0; k < net->corner_count; ++k)
        moved |= memcmp(net->corners[k].at, f->was[k], sizeof f->was[k]) != 0;
    if (!moved) return false;
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int end = 0; end < 2; ++end) {
            int32_t c = net->edges[k].corner[end];
            shift(net->edges[k].handle[end], net->corners[c].at, f->was[c]);
        }
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int end = 0; end < 4; ++end) {
            const karst_net_side *side = &net->patches[k].side[end < 2 ? 0 : 2];
            int32_t c = kst_net_corner_of(net, side, end == 1 || end == 2 ? side->to : side->from);
            shift(net->patches[k].inner[inner[end]], net->corners[c].at, f->was[c]);
        }
    return true;
}

static void remember(follow *f) {
    for (int32_t k = 0; k < f->net->corner_count; ++k) memcpy(f->was[k], f->net->corners[k].at, sizeof f->was[k]);
}

// Curves of seams, between corners that are where they should be.
static void move_curves(follow *f) {
    const double step_m = ldexp(1, f->net->step_log2);
    for (int32_t k = 0, at = 0; k < f->net->edge_count; ++k) {
        karst_net_edge *e = &f->net->edges[k];
        if (!e->seam) continue;
        const int32_t(*vertex)[3] = (const int32_t(*)[3])(f->vertex + at);
        at += e->tiles + 1;
        bool ends = false;
        for (int end = 0; end < 2; ++end) {
            const int32_t *now = f->net->corners[e->corner[end]].at, *was = f->was[e->corner[end]];
            double d2 = 0;
            for (int axis = 0; axis < 3; ++axis) d2 += (double)(now[axis] - was[axis]) * (now[axis] - was[axis]);
            ends |= d2 > 0;
            f->done.moved_m = fmax(f->done.moved_m, sqrt(d2) * step_m);
        }
        if (!ends && is_near(f, k, vertex)) continue;
        refit(f, k, vertex);
        ++f->done.edges;
    }
}

static karst_status run(follow *f, karst_report *report) {
    remember(f);
    move_corners(f);
    move_stars(f);
    move_curves(f);
    karst_status status = KARST_OK;
    for (int round = 0; f->done.edges && round < ROUNDS && !status; ++round) {  // then those inside edges, by depth
        remember(f);
        status = karst_net_finish(f->net, report);
        if (!status && !move_stars(f)) return KARST_OK;
    }
    return f->done.edges && !status ? karst_net_finish(f->net, report) : status;
}

karst_status karst_net_follow(karst_net *net, karst_pin_fn *fn, void *context, karst_report *report,
                              karst_net_followed *info) {
    KARST_ASSERT(net->finished);
    const karst_allocator *a = net->allocator;
    follow f = {.net = net};
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (net->edges[k].seam) f.vertex_count += (size_t)net->edges[k].tiles + 1;
    size_t corners = (size_t)net->corner_count + 1;
    f.was = kst_alloc_array(a, corners, sizeof *f.was);
    f.vertex = kst_alloc_array(a, f.vertex_count + 1, sizeof *f.vertex);
    karst_status status = f.was && f.vertex ? ask(&f, fn, context, report) : KARST_ERROR_MEMORY;
    if (!status) status = run(&f, report);
    kst_free(a, f.was, corners * sizeof *f.was);
    kst_free(a, f.vertex, (f.vertex_count + 1) * sizeof *f.vertex);
    if (!status && info) *info = f.done;
    return status;
}
