// SPDX-License-Identifier: MIT
// Displacement maps of tiles, and of the edges and corners round them.
#include "surface/net.h"

typedef struct calm {
    int16_t *edge;    // of edges, calmest map of the tiles along it, or NONE
    int16_t *corner;  // of corners, calmest map of the edges that end there, or NONE
    uint8_t *near;    // of edges: it is a side of a patch that changed
} calm;

// Slot of tile (i, j): half near a fold.
static uint8_t slot_of(const karst_net *net, const karst_net_patch *p, int i, int j, int slot) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    bool at[4] = {j == 0, i == across - 1, j == down - 1, i == 0}, fold = false;
    for (int side = 0; side < 4; ++side) fold |= at[side] && net->edges[p->side[side].edge].crease;
    return (uint8_t)(fold ? slot / 2 : slot);
}

// @return tiles that changed
static int32_t displace_patch(const karst_net *net, karst_net_patch *p, int32_t index, const double at[3],
                              double radius, int slot, int set) {
    int32_t points[16][3], changed = 0;
    karst_vec3 c[16];
    kst_net_patch_points(net, index, points);
    kst_points_local((const int32_t(*)[3])points, c);
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1];
    bool hit = false;
    for (int j = 0; j < down; ++j)
        for (int i = 0; i < across; ++i) {
            karst_vec3 m = kst_patch_point(c, ((float)i + 0.5f) / (float)across, ((float)j + 0.5f) / (float)down, NULL);
            double x = points[0][0] + (double)m.x - at[0], y = points[0][1] + (double)m.y - at[1];
            double z = points[0][2] + (double)m.z - at[2];
            if (!(x * x + y * y + z * z <= radius * radius)) continue;
            hit = true;
            uint8_t *now = &p->slot[KARST_NET_TILES_MAX * j + i], then = slot_of(net, p, i, j, slot);
            changed += *now != then || (set != KARST_NET_NONE && p->noise_set != set);
            *now = then;
        }
    if (hit && set != KARST_NET_NONE) p->noise_set = (uint8_t)set;
    return changed;
}

static int calmest_along(const karst_net_patch *p, int side) {
    int across = 1 << p->tiles_log2[0], down = 1 << p->tiles_log2[1], least = KARST_NOISE_SLOTS;
    for (int k = 0; k < (side & 1 ? down : across); ++k) {
        int i = side == 1 ? across - 1 : side == 3 ? 0 : k, j = side == 2 ? down - 1 : side == 0 ? 0 : k;
        int slot = p->slot[KARST_NET_TILES_MAX * j + i];
        if (slot < least) least = slot;
    }
    return least + 16 * p->noise_set;
}

static void follow(karst_net *net, const calm *c, const karst_noise_bank *bank) {
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            int16_t *edge = &c->edge[net->patches[k].side[side].edge];
            *edge = (int16_t)kst_calmer(*edge, calmest_along(&net->patches[k], side));
        }
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (c->near[k]) net->edges[k].noise = (uint8_t)(net->edges[k].seam ? c->edge[k] & ~15 : c->edge[k]);
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int end = 0; end < 2 && c->edge[k] != KARST_NET_NONE; ++end) {
            int16_t *corner = &c->corner[net->edges[k].corner[end]];
            *corner = (int16_t)kst_calmer(*corner, net->edges[k].noise);
        }
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int end = 0; end < 2 && c->near[k]; ++end) {
            int32_t at = net->edges[k].corner[end];
            net->corners[at].noise = kst_corner_noise(bank, c->corner[at], at);
        }
}

int32_t karst_net_displace(karst_net *net, karst_pos centre, double radius_m, int slot, int set) {
    KARST_ASSERT(net->finished && radius_m >= 0 && slot >= 0 && slot < KARST_NOISE_SLOTS && set >= KARST_NET_NONE &&
                 set < KARST_NOISE_SETS);
    const karst_allocator *a = net->allocator;
    size_t edges = (size_t)net->edge_count + 1, corners = (size_t)net->corner_count + 1;
    calm c = {.edge = kst_alloc_array(a, edges, sizeof *c.edge),
              .corner = kst_alloc_array(a, corners, sizeof *c.corner),
              .near = kst_alloc_zero(a, edges)};
    karst_noise_bank *bank = kst_alloc(a, sizeof *bank);
    int32_t changed = KARST_NET_NONE;
    if (c.edge && c.corner && c.near && bank) {
        double scale = ldexp(1, -net->step_log2);
        const double at[3] = {(centre.x - net->origin.x) * scale, (centre.y - net->origin.y) * scale,
                              (centre.z - net->origin.z) * scale};
        for (size_t k = 0; k < edges; ++k) c.edge[k] = KARST_NET_NONE;
        for (size_t k = 0; k < corners; ++k) c.corner[k] = KARST_NET_NONE;
        karst_noise_bank_make(bank);
        changed = 0;
        for (int32_t k = 0; k < net->patch_count; ++k) {
            karst_net_patch *p = &net->patches[k];
            int32_t here = displace_patch(net, p, k, at, radius_m * scale, slot, set);
            for (int side = 0; side < 4 && here; ++side) c.near[p->side[side].edge] = 1;
            changed += here;
        }
        if (changed) follow(net, &c, bank);
    }
    kst_free(a, c.edge, edges * sizeof *c.edge);
    kst_free(a, c.corner, corners * sizeof *c.corner);
    kst_free(a, c.near, edges);
    kst_free(a, bank, sizeof *bank);
    return changed;
}
