// SPDX-License-Identifier: MIT
// Paint and displacement maps where elements of a net were joined: all patches that meet in a tile corner say the same
// of it.
#include "surface/net_mend.h"

// What patches say of a tile corner that they meet in.
typedef struct say {
    uint8_t set;      // of the highest rank
    uint32_t count;   // of patches
    uint32_t sum[3];  // of their tints
} say;

typedef struct agree {
    karst_net *net;
    uint8_t *corner;  // of corners, KST_JOINED and KST_UNLIKE
    int32_t *first;   // of edges that were joined: the says of tile corners between its ends; or KARST_NET_NONE
    say *says;        // of corners, then of those
    int32_t painted;
} agree;

static const int tint_shift[3] = {11, 5, 0}, tint_mask[3] = {31, 63, 31};

static void hear(say *s, int set, int tint) {
    if (!s->count++ || karst_tile_rank(set) > karst_tile_rank(s->set)) s->set = (uint8_t)set;
    for (int k = 0; k < 3; ++k) s->sum[k] += (uint32_t)(tint >> tint_shift[k] & tint_mask[k]);
}

static void settle(agree *a, const say *s, karst_net_patch *p, int at) {
    uint32_t tint = 0;
    for (int k = 0; k < 3; ++k) tint |= (2 * s->sum[k] + s->count) / (2 * s->count) << tint_shift[k];
    if (p->set[at] == s->set && p->tint[at] == tint) return;
    p->set[at] = s->set, p->tint[at] = (uint16_t)tint;
    ++a->painted;
}

// Where tile corner i of a side lies; NULL: nothing was joined there.
static say *say_at(const agree *a, const karst_net_side *s, int i, int tiles) {
    const karst_net *net = a->net;
    const karst_net_edge *e = &net->edges[s->edge];
    int way = (int)s->to - s->from, at = (s->from * tiles + way * i) / (way < 0 ? -way : way);
    if (at * e->spans % e->tiles)
        return a->first[s->edge] == KARST_NET_NONE ? NULL : &a->says[net->corner_count + a->first[s->edge] + at];
    int32_t corner = kst_net_corner_of(net, s, at * 8 / e->tiles);
    return a->corner[corner] ? &a->says[corner] : NULL;
}

// All that patches say where something was joined; then they are told.
static void walk(agree *a, bool tell) {
    for (int32_t k = 0; k < a->net->patch_count; ++k) {
        karst_net_patch *p = &a->net->patches[k];
        for (int side = 0; side < 4; ++side) {
            int first, step, tiles, ends = side % 2 == 0;  // sides 0 and 2 have all four corners
            kst_side_walk(p, side, &first, &step, &tiles);
            for (int i = !ends; i < tiles + ends; ++i) {
                say *s = say_at(a, &p->side[side], i, tiles);
                int at = first + i * step;
                if (s && tell)
                    settle(a, s, p, at);
                else if (s)
                    hear(s, p->set[at], p->tint[at]);
            }
        }
    }
}

// Corners of edges that were joined were so too. @return says of the tile corners between, or -1: nothing was joined
static int64_t mark(agree *a, const uint8_t *corner_join, int32_t corner_count, const uint8_t *edge_join) {
    const karst_net *net = a->net;
    int64_t count = 0;
    bool any = false;
    for (int32_t k = 0; k < corner_count; ++k) any |= (a->corner[k] = corner_join[k] & (KST_JOINED | KST_UNLIKE)) != 0;
    for (int32_t k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        int join = edge_join[k] & (KST_JOINED | KST_UNLIKE);
        a->first[k] = KARST_NET_NONE;
        if (!join || !e->tiles) continue;
        a->first[k] = (int32_t)count, count += e->tiles, any = true;
        for (int end = 0; end < 2; ++end) a->corner[e->corner[end]] |= (uint8_t)join;
        for (int i = 0; i + 1 < e->spans; ++i) a->corner[net->inside[e->inside + i]] |= KST_JOINED;
    }
    return any ? count : -1;
}

// A corner where those that met were displaced in unlike ways goes by the calmest edge that ends there.
static karst_status calm(agree *a) {
    karst_net *net = a->net;
    size_t corners = (size_t)net->corner_count + 1;
    int16_t *map = kst_alloc_array(net->allocator, corners, sizeof *map);
    karst_noise_bank *bank = kst_alloc(net->allocator, sizeof *bank);
    karst_status status = map && bank ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        karst_noise_bank_make(bank);
        for (size_t k = 0; k < corners; ++k) map[k] = KARST_NET_NONE;
        for (int32_t k = 0; k < net->edge_count; ++k)
            for (int end = 0; end < 2 && net->edges[k].tiles; ++end) {
                int16_t *at = &map[net->edges[k].corner[end]];
                *at = (int16_t)kst_calmer(*at, net->edges[k].noise);
            }
        for (int32_t k = 0; k < net->corner_count; ++k)
            if (a->corner[k] & KST_UNLIKE && map[k] != KARST_NET_NONE)
                net->corners[k].noise = kst_corner_noise(bank, map[k], k);
    }
    kst_free(net->allocator, map, corners * sizeof *map), kst_free(net->allocator, bank, sizeof *bank);
    return status;
}

karst_status kst_net_agree(karst_net *net, const uint8_t *corner_join, int32_t corner_count, const uint8_t *edge_join,
                           int32_t *painted) {
    const karst_allocator *al = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1, room = 0;
    agree a = {.net = net, .corner = kst_alloc_zero(al, corners), .first = kst_alloc_array(al, edges, sizeof *a.first)};
    karst_status status = a.corner && a.first ? KARST_OK : KARST_ERROR_MEMORY;
    int64_t between = status ? -1 : mark(&a, corner_join, corner_count, edge_join);
    if (between >= 0) {
        bool unlike = false;
        for (int32_t k = 0; k < net->corner_count; ++k) unlike |= (a.corner[k] & KST_UNLIKE) != 0;
        room = (size_t)net->corner_count + (size_t)between + 1;
        if (between > INT32_MAX - net->corner_count) status = KARST_ERROR_LIMIT;
        if (!status && !(a.says = kst_alloc_zero(al, room * sizeof *a.says))) status = KARST_ERROR_MEMORY;
        if (!status) walk(&a, false), walk(&a, true);
        if (!status && unlike) status = calm(&a);
    }
    kst_free(al, a.corner, corners), kst_free(al, a.first, edges * sizeof *a.first);
    if (a.says) kst_free(al, a.says, room * sizeof *a.says);
    *painted = a.painted;
    return status;
}
