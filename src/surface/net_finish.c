// SPDX-License-Identifier: MIT
// The rules of a net and what follows from them.
#include "surface/net.h"

enum { PASSES_MAX = 64 };  // how deep edges may end inside others

// World place of a point, for messages.
#define PLACE_FORMAT "%.1f, %.1f, %.1f"
#define PLACE(net, at) kst_net_world(net, at, 0), kst_net_world(net, at, 1), kst_net_world(net, at, 2)

static bool in_range(const int32_t at[3]) {
    for (int axis = 0; axis < 3; ++axis)
        if (at[axis] > 1 << 26 || at[axis] < -(1 << 26)) return false;
    return true;
}

static karst_status check_elements(const karst_net *net, karst_report *report) {
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (!in_range(c->at))
            return kst_fail(report, KARST_ERROR_LIMIT, "corner %d lies more than 2^26 steps from the net's origin", k);
        if (c->edge != KARST_NET_NONE && (c->edge < 0 || c->edge >= net->edge_count || c->eighth < 1 || c->eighth > 7))
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "corner %d lies at eighth %d of edge %d; edges are 0 to %d, eighths 1 to 7", k, c->eighth,
                            c->edge, net->edge_count - 1);
    }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        for (int end = 0; end < 2; ++end) {
            if (e->corner[end] < 0 || e->corner[end] >= net->corner_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "edge %d ends at corner %d; corners are 0 to %d", k,
                                e->corner[end], net->corner_count - 1);
            if (!in_range(e->handle[end]))
                return kst_fail(report, KARST_ERROR_LIMIT,
                                "a handle of edge %d lies more than 2^26 steps from the net's "
                                "origin",
                                k);
            if (net->corners[e->corner[end]].edge == k)
                return kst_fail(report, KARST_ERROR_FORMAT, "edge %d ends at corner %d, which lies inside it", k,
                                e->corner[end]);
        }
        if (e->corner[0] == e->corner[1])
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "edge %d runs from corner %d to itself; put a corner half way round", k, e->corner[0]);
        if (e->noise >= 16 * KARST_NOISE_SETS)
            return kst_fail(report, KARST_ERROR_FORMAT, "edge %d has displacement map %d; there are %d", k, e->noise,
                            16 * KARST_NOISE_SETS);
    }
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        int s = p->tiles_log2[0], t = p->tiles_log2[1];
        if (s < 1 || s > 4 || t < 1 || t > 4)
            return kst_fail(report, KARST_ERROR_FORMAT, "patch %d has %d by %d tiles; each is 2, 4, 8 or 16", k,
                            s < 31 ? 1 << s : 0, t < 31 ? 1 << t : 0);
        if (p->noise_set >= KARST_NOISE_SETS || p->noise_turn > 3)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "patch %d has noise set %d turned by %d; sets are 0 to %d, turns "
                            "0 to 3",
                            k, p->noise_set, p->noise_turn, KARST_NOISE_SETS - 1);
        for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
            if (p->slot[i] >= KARST_NOISE_SLOTS)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, tile %d, %d: displacement map %d; slots are 0 to 15", k,
                                i % KARST_NET_TILES_MAX, i / KARST_NET_TILES_MAX, p->slot[i]);
        for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
            if (p->group[i] >= KARST_TILE_GROUPS)
                return kst_fail(report, KARST_ERROR_FORMAT, "patch %d, tile %d, %d: tile group %d; groups are 0 to %d",
                                k, i % KARST_NET_TILES_MAX, i / KARST_NET_TILES_MAX, p->group[i],
                                KARST_TILE_GROUPS - 1);
        for (int i = 0; i < KARST_TILE_CORNERS; ++i)
            if (p->set[i] >= KARST_NOISE_SETS)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, tile corner %d, %d: tile set %d; sets are 0 to %d", k, i % 17, i / 17,
                                p->set[i], KARST_NOISE_SETS - 1);
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *a = &p->side[side];
            int length = a->to > a->from ? a->to - a->from : a->from - a->to;
            bool whole = length == 1 || length == 2 || length == 4 || length == 8;
            if (a->edge < 0 || a->edge >= net->edge_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "patch %d, side %d is on edge %d; edges are 0 to %d", k,
                                side, a->edge, net->edge_count - 1);
            if (a->from > 8 || a->to > 8 || !whole || a->from % length)
                return kst_fail(
                    report, KARST_ERROR_FORMAT,
                    "patch %d, side %d takes eighths %d to %d of its edge; a half, quarter or eighth begins "
                    "at a multiple of itself",
                    k, side, a->from, a->to);
            if (!in_range(p->inner[side]))
                return kst_fail(report, KARST_ERROR_LIMIT,
                                "an inner point of patch %d lies more than 2^26 steps from the "
                                "net's origin",
                                k);
        }
    }
    return KARST_OK;
}

static int side_length(const karst_net_side *side) {
    return side->to > side->from ? side->to - side->from : side->from - side->to;
}

// Spans and tile counts of edges, from the patches on them and the corners inside them.
static karst_status edges_from_patches(karst_net *net, karst_report *report) {
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge *e = &net->edges[k];
        e->spans = 1, e->tiles = 0, e->size[0] = KARST_NET_SIZES - 1, e->size[1] = 0, e->open = 0;
    }
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (net->corners[k].edge != KARST_NET_NONE) {
            karst_net_edge *e = &net->edges[net->corners[k].edge];
            int spans = 8 / (net->corners[k].eighth & -net->corners[k].eighth);
            if (spans > e->spans) e->spans = (uint8_t)spans;
        }
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        int least = p->tiles_log2[0] < p->tiles_log2[1] ? p->tiles_log2[0] : p->tiles_log2[1];
        for (int side = 0; side < 4; ++side) {
            karst_net_edge *e = &net->edges[p->side[side].edge];
            int parts = 8 / side_length(&p->side[side]), own = p->tiles_log2[side & 1];
            int tiles = parts << own, spans = parts << (own - least);
            const int32_t *at = net->corners[e->corner[0]].at;
            if (e->tiles && e->tiles != tiles)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, side %d puts %d tiles along the edge at " PLACE_FORMAT
                                ", its neighbour %d; give "
                                "both the same number, or bind two or four patches to one",
                                k, side, tiles, PLACE(net, at), e->tiles);
            if (spans > 8)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, side %d cuts the edge at " PLACE_FORMAT
                                " into %d; eight is the most: use a squarer "
                                "patch",
                                k, side, PLACE(net, at), spans);
            e->tiles = (uint8_t)tiles;
            if (spans > e->spans) e->spans = (uint8_t)spans;
        }
    }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        if (e->tiles && e->tiles < 2 * e->spans)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "the edge at " PLACE_FORMAT
                            " has %d tiles for %d parts; each needs two: give its patches more tiles",
                            PLACE(net, net->corners[e->corner[0]].at), e->tiles, e->spans);
    }
    return KARST_OK;
}

bool kst_net_place_inside(karst_net *net) {
    bool moved = true;
    for (int pass = 0; moved && pass < PASSES_MAX; ++pass) {
        moved = false;
        for (int32_t k = 0; k < net->corner_count; ++k) {
            karst_net_corner *c = &net->corners[k];
            if (c->edge == KARST_NET_NONE) continue;
            int32_t edge[4][3], at[3];
            kst_net_edge_points(net, c->edge, edge);
            kst_edge_eighth((const int32_t(*)[3])edge, c->eighth, at);
            moved |= memcmp(at, c->at, sizeof at) != 0;
            memcpy(c->at, at, sizeof at);
        }
    }
    return !moved;
}

// Every place where spans meet has a corner.
static karst_status corners_inside(karst_net *net, karst_report *report) {
    int64_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) {
        net->edges[k].inside = (int32_t)count;
        count += net->edges[k].spans - 1;
    }
    if (count > KARST_NET_MAX) return kst_fail(report, KARST_ERROR_LIMIT, "more than 2^24 corners inside edges");
    karst_status status = kst_net_inside(net, (int32_t)count);
    if (status) return status;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge == KARST_NET_NONE) continue;
        const karst_net_edge *e = &net->edges[c->edge];
        int32_t *at = &net->inside[e->inside + c->eighth * e->spans / 8 - 1];
        if (*at != KARST_NET_NONE)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "corners %d and %d both lie at eighth %d of edge %d; make them one", *at, k, c->eighth,
                            c->edge);
        *at = k;
    }
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int i = 1; i < net->edges[k].spans; ++i) {
            int32_t *at = &net->inside[net->edges[k].inside + i - 1];
            karst_net_corner corner = {.edge = k, .eighth = (uint8_t)(8 * i / net->edges[k].spans)};
            if (*at == KARST_NET_NONE) status = karst_net_add_corner(net, &corner, at);
            if (status) return status;
        }
    kst_net_place_inside(net);
    return KARST_OK;
}

// Sides that should meet do; each part of an edge has one patch on each side, facing the same way.
static karst_status sides_meet(karst_net *net, karst_report *report) {
    static const struct { int a, a_end, b, b_end; } meet[4] = {{0, 0, 3, 0}, {0, 1, 1, 0}, {1, 1, 2, 1}, {2, 0, 3, 1}};
    uint8_t(*used)[2] = kst_alloc_zero(net->allocator, ((size_t)net->edge_count + 1) * sizeof *used);
    if (!used) return KARST_ERROR_MEMORY;
    karst_status status = KARST_OK;
    for (int32_t k = 0; k < net->patch_count && !status; ++k) {
        const karst_net_patch *p = &net->patches[k];
        for (int i = 0; i < 4 && !status; ++i) {
            const karst_net_side *a = &p->side[meet[i].a], *b = &p->side[meet[i].b];
            int32_t x = kst_net_corner_of(net, a, meet[i].a_end ? a->to : a->from);
            int32_t y = kst_net_corner_of(net, b, meet[i].b_end ? b->to : b->from);
            if (x != y)
                status = kst_fail(report, KARST_ERROR_FORMAT,
                                  "patch %d: sides %d and %d end at corners %d and %d, " PLACE_FORMAT
                                  "; they should meet in one",
                                  k, meet[i].a, meet[i].b, x, y, PLACE(net, net->corners[x].at));
        }
        for (int side = 0; side < 4 && !status; ++side) {
            const karst_net_side *a = &p->side[side];
            bool back = (a->from > a->to) != (side >= 2);  // round the patch
            int low = a->from < a->to ? a->from : a->to;
            uint8_t bits = (uint8_t)(((1 << side_length(a)) - 1) << low);
            if (used[a->edge][back] & bits)
                status = kst_fail(report, KARST_ERROR_FORMAT,
                                  "patch %d, side %d: the edge at " PLACE_FORMAT
                                  " has a patch on that side already; turn one of "
                                  "them over, or give it an edge of its own",
                                  k, side, PLACE(net, net->corners[net->edges[a->edge].corner[0]].at));
            used[a->edge][back] |= bits;
        }
    }
    for (int32_t k = 0; k < net->edge_count; ++k) net->edges[k].open = used[k][0] ^ used[k][1];
    kst_free(net->allocator, used, ((size_t)net->edge_count + 1) * sizeof *used);
    return status;
}

karst_vec3 kst_patch_corner_normal(const karst_vec3 c[16], int corner) {
    karst_vec3 normal;
    kst_patch_point(c, corner == 1 || corner == 2, corner >= 2, &normal);
    return normal;
}

// Normals of corners that stand alone: the sum of their patches' there.
static karst_status facings(karst_net *net) {
    karst_vec3 *sum = kst_alloc_zero(net->allocator, ((size_t)net->corner_count + 1) * sizeof *sum);
    if (!sum) return KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        int32_t points[16][3];
        karst_vec3 c[16];
        kst_net_patch_points(net, k, points);
        kst_points_local((const int32_t(*)[3])points, c);
        for (int end = 0; end < 4; ++end) {
            const karst_net_side *side = &p->side[end < 2 ? 0 : 2];
            int32_t corner = kst_net_corner_of(net, side, end == 1 || end == 2 ? side->to : side->from);
            sum[corner] = kst_add(sum[corner], kst_patch_corner_normal(c, end));
        }
    }
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (!net->corners[k].kept) kst_facing_pack(kst_unit(sum[k]), net->corners[k].facing);
    kst_free(net->allocator, sum, ((size_t)net->corner_count + 1) * sizeof *sum);
    return KARST_OK;
}

// The class nearest to a tile's side.
static uint8_t size_of(const karst_vec3 c[16], int tiles_s, int tiles_t, double step_m) {
    karst_vec3 grid[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i) grid[j][i] = kst_patch_point(c, 0.5f * (float)i, 0.5f * (float)j, NULL);
    double area = 0;
    for (int j = 0; j < 2; ++j)
        for (int i = 0; i < 2; ++i) {
            karst_vec3 w = kst_cross(kst_sub(grid[j + 1][i + 1], grid[j][i]), kst_sub(grid[j + 1][i], grid[j][i + 1]));
            area += 0.5 * sqrt((double)w.x * w.x + (double)w.y * w.y + (double)w.z * w.z);
        }
    double side = sqrt(area / (tiles_s * tiles_t)) * step_m;
    int size = 0;
    while (size < KARST_NET_SIZES - 1 && side > karst_tile_size_m(size) * 1.18920711) ++size;
    return (uint8_t)size;
}

// Half the diameter of the hull of a piece, and displacement [1/4 m]; more than 255 is too much.
static double radius_of(const karst_vec3 c[16], double step_m) {
    double most = 0;
    for (int i = 1; i < 16; ++i)
        for (int j = 0; j < i; ++j) {
            karst_vec3 d = kst_sub(c[i], c[j]);
            double l = (double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z;
            if (l > most) most = l;
        }
    return ceil(4 * (0.5 * sqrt(most) * step_m + 1.5));
}

double kst_patch_radius(const karst_vec3 c[16], const uint8_t tiles_log2[2], int step_log2, uint8_t *size) {
    double step_m = ldexp(1, step_log2), most = 0;
    int tiles[2] = {1 << tiles_log2[0], 1 << tiles_log2[1]}, axis = tiles[0] >= tiles[1] ? 0 : 1;
    int count = tiles[axis] / tiles[!axis];
    for (int i = 0; i < count; ++i) {
        karst_vec3 part[16];
        float a = (float)i / (float)count, b = (float)(i + 1) / (float)count;
        kst_patch_part(c, axis == 0 ? a : 0, axis == 0 ? b : 1, axis == 0 ? 0 : a, axis == 0 ? 1 : b, part);
        double radius = radius_of(part, step_m);
        if (radius > most) most = radius;
    }
    *size = size_of(c, tiles[0], tiles[1], step_m);
    return most;
}

karst_status kst_net_size_patch(karst_net *net, int32_t patch, const karst_vec3 c[16], uint8_t *radius,
                                karst_report *report) {
    karst_net_patch *p = &net->patches[patch];
    int32_t at[16][3];
    kst_net_patch_points(net, patch, at);
    for (int k = 0; k < 16; ++k)
        if (!in_range(at[k]))
            return kst_fail(report, KARST_ERROR_LIMIT,
                            "a point of patch %d lies more than 2^26 steps from the net's origin", patch);
    double most = kst_patch_radius(c, p->tiles_log2, net->step_log2, &p->size);
    if (most > UINT8_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT,
                        "patch %d at " PLACE_FORMAT " is %.0f m across, 120 is the most; cut it", patch,
                        PLACE(net, at[0]), most / 2);
    *radius = (uint8_t)most;
    return KARST_OK;
}

static karst_status sizes(karst_net *net, karst_report *report) {
    net->reach = 0;
    for (int32_t k = 0; k < net->corner_count; ++k) net->corners[k].radius = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *p = &net->patches[k];
        int32_t points[16][3];
        karst_vec3 c[16];
        kst_net_patch_points(net, k, points);
        kst_points_local((const int32_t(*)[3])points, c);
        uint8_t most;
        karst_status status = kst_net_size_patch(net, k, c, &most, report);
        if (status) return status;
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &p->side[side];
            karst_net_edge *e = &net->edges[s->edge];
            if (p->size < e->size[0]) e->size[0] = p->size;
            if (p->size > e->size[1]) e->size[1] = p->size;
            int per = 8 / e->spans, step = s->to > s->from ? per : -per;
            for (int at = s->from; at != s->to + step; at += step) {
                karst_net_corner *corner = &net->corners[kst_net_corner_of(net, s, at)];
                if (most > corner->radius) corner->radius = most;
            }
        }
        if (most > net->reach) net->reach = most;
    }
    return KARST_OK;
}

karst_status karst_net_finish(karst_net *net, karst_report *report) {
    net->finished = false;
    (void)kst_net_pins(net, 0);  // which takes no memory
    karst_status status = check_elements(net, report);
    if (!status) status = edges_from_patches(net, report);
    if (!status) status = corners_inside(net, report);
    if (!status) status = sides_meet(net, report);
    if (!status) status = kst_net_check_seams(net, report);
    if (!status) status = facings(net);
    if (!status) status = sizes(net, report);
    net->finished = !status;
    return status;
}
