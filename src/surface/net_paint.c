// SPDX-License-Identifier: MIT
// Painting the tile corners of patches, and their tiles. A corner on a side is found by its edge, so that all patches
// there agree; a tile belongs to one patch.
#include "surface/net.h"

static void raise_to(uint8_t *top, int set) {
    if (*top == 0xFF || karst_tile_rank(set) > karst_tile_rank(*top)) *top = (uint8_t)set;
}

karst_status kst_net_share_sets(karst_net *net) {
    const karst_allocator *a = net->allocator;
    size_t edges = (size_t)net->edge_count + 1, corners = (size_t)net->corner_count + 1;
    uint8_t *edge_top = kst_alloc(a, edges), *corner_top = kst_alloc(a, corners);
    if (!edge_top || !corner_top) {
        kst_free(a, edge_top, edges), kst_free(a, corner_top, corners);
        return KARST_ERROR_MEMORY;
    }
    memset(edge_top, 0xFF, edges), memset(corner_top, 0xFF, corners);
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        for (int side = 0; side < 4; ++side) {
            raise_to(&edge_top[p->side[side].edge], p->noise_set);
            raise_to(&corner_top[kst_net_corner_of(net, &p->side[side], p->side[side].from)], p->noise_set);
            raise_to(&corner_top[kst_net_corner_of(net, &p->side[side], p->side[side].to)], p->noise_set);
        }
    }
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (net->corners[k].edge != KARST_NET_NONE) corner_top[k] = edge_top[net->corners[k].edge];
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *p = &net->patches[k];
        memset(p->set, p->noise_set, sizeof p->set);
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &p->side[side];
            int first, step, tiles;
            kst_side_walk(p, side, &first, &step, &tiles);
            for (int i = 1; i < tiles; ++i) p->set[first + i * step] = edge_top[s->edge];
        }
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &p->side[side];
            int first, step, tiles;
            kst_side_walk(p, side, &first, &step, &tiles);
            p->set[first] = corner_top[kst_net_corner_of(net, s, s->from)];
            p->set[first + tiles * step] = corner_top[kst_net_corner_of(net, s, s->to)];
        }
    }
    kst_free(a, edge_top, edges), kst_free(a, corner_top, corners);
    return KARST_OK;
}

typedef struct brush {
    double at[3], radius;  // [steps]
    int set;
    int32_t tint, changed;
} brush;

static bool inside(const brush *b, const int32_t anchor[3], karst_vec3 local) {
    double x = anchor[0] + (double)local.x - b->at[0], y = anchor[1] + (double)local.y - b->at[1];
    double z = anchor[2] + (double)local.z - b->at[2];
    return x * x + y * y + z * z <= b->radius * b->radius;
}

static void dab(brush *b, karst_net_patch *p, int at) {
    bool changed = false;
    if (b->set != KARST_NET_NONE && p->set[at] != b->set) p->set[at] = (uint8_t)b->set, changed = true;
    if (b->tint >= 0 && p->tint[at] != b->tint) p->tint[at] = (uint16_t)b->tint, changed = true;
    b->changed += changed;
}

static void paint_side(brush *b, const karst_net *net, karst_net_patch *p, int side) {
    int first, step, tiles;
    int32_t points[4][3];
    karst_vec3 c[4];
    const karst_net_side *s = &p->side[side];
    kst_side_walk(p, side, &first, &step, &tiles);
    kst_net_edge_points(net, s->edge, points);
    for (int k = 0; k < 4; ++k)
        c[k] = (karst_vec3){(float)(points[k][0] - points[0][0]), (float)(points[k][1] - points[0][1]),
                            (float)(points[k][2] - points[0][2])};
    for (int i = 1; i < tiles; ++i) {  // t is dyadic, so both patches get the same place
        float t = (float)(s->from * tiles + ((int)s->to - s->from) * i) / (float)(8 * tiles);
        if (inside(b, points[0], kst_curve(c, t))) dab(b, p, first + i * step);
    }
    for (int end = 0; end < 2 && side % 2 == 0; ++end) {  // sides 0 and 2 have all four corners
        const int32_t *at = net->corners[kst_net_corner_of(net, s, end ? s->to : s->from)].at;
        if (inside(b, at, (karst_vec3){0, 0, 0})) dab(b, p, end ? first + tiles * step : first);
    }
}

// Whether the points of a patch tell that it may reach into the brush.
static bool near(const brush *b, const int32_t points[16][3]) {
    for (int axis = 0; axis < 3; ++axis) {
        int32_t low = points[0][axis], high = low;
        for (int i = 1; i < 16; ++i) {
            if (points[i][axis] < low) low = points[i][axis];
            if (points[i][axis] > high) high = points[i][axis];
        }
        if (b->at[axis] + b->radius < low - 2 || b->at[axis] - b->radius > high + 2) return false;
    }
    return true;
}

static brush brush_at(const karst_net *net, karst_pos centre, double radius_m) {
    double scale = ldexp(1, -net->step_log2);
    return (brush){.at = {(centre.x - net->origin.x) * scale, (centre.y - net->origin.y) * scale,
                          (centre.z - net->origin.z) * scale},
                   .radius = radius_m * scale};
}

// Whether a patch may have something within a brush; then its points too, and from the first as floats.
static bool takes(const brush *b, const karst_net *net, int32_t patch, int32_t points[16][3], karst_vec3 c[16]) {
    kst_net_patch_points(net, patch, points);
    if (!near(b, (const int32_t(*)[3])points)) return false;
    kst_points_local((const int32_t(*)[3])points, c);
    return true;
}

int32_t karst_net_paint(karst_net *net, karst_pos centre, double radius_m, int set, int32_t tint) {
    KARST_ASSERT(net->finished && radius_m >= 0 && set >= KARST_NET_NONE && set < KARST_NOISE_SETS &&
                 tint <= UINT16_MAX);
    brush b = brush_at(net, centre, radius_m);
    b.set = set, b.tint = tint;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *p = &net->patches[k];
        int32_t points[16][3];
        karst_vec3 c[16];
        if (!takes(&b, net, k, points, c)) continue;
        int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
        for (int side = 0; side < 4; ++side) paint_side(&b, net, p, side);
        for (int j = 1; j < down; ++j)
            for (int i = 1; i < across; ++i)
                if (inside(&b, points[0], kst_patch_point(c, (float)i / (float)across, (float)j / (float)down, NULL)))
                    dab(&b, p, 17 * j + i);
    }
    return b.changed;
}

int32_t karst_net_paint_group(karst_net *net, karst_pos centre, double radius_m, int group) {
    KARST_ASSERT(net->finished && radius_m >= 0 && group >= 0 && group < KARST_TILE_GROUPS);
    brush b = brush_at(net, centre, radius_m);
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *p = &net->patches[k];
        int32_t points[16][3];
        karst_vec3 c[16];
        if (!takes(&b, net, k, points, c)) continue;
        int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
        for (int j = 0; j < down; ++j)
            for (int i = 0; i < across; ++i) {
                uint8_t *now = &p->group[KARST_NET_TILES_MAX * j + i];
                float u = ((float)i + 0.5f) / (float)across, v = ((float)j + 0.5f) / (float)down;
                if (*now == group || !inside(&b, points[0], kst_patch_point(c, u, v, NULL))) continue;
                *now = (uint8_t)group, ++b.changed;
            }
    }
    return b.changed;
}
