// SPDX-License-Identifier: MIT
// What a weld leaves out: patches that lost a side or are there twice, and the edges and corners that no patch needs.
#include "surface/net_mend.h"

// ---- patches that are none any more ------------------------------------------------------------------------

static bool lost_a_side(const kst_mend *w, const karst_net_patch *p) {
    for (int side = 0; side < 4; ++side) {
        const karst_net_side *s = &p->side[side];
        const karst_net_edge *e = &w->net->edges[s->edge];
        if (e->corner[0] == e->corner[1]) return true;
        for (int other = 0; other < side; ++other) {
            const karst_net_side *o = &p->side[other];
            if (o->edge == s->edge && kst_side_bits(o) & kst_side_bits(s)) return true;
        }
    }
    return false;
}

// Sides of a patch as 16 edge + eighths, least first.
typedef struct ring {
    int64_t side[4];
    int32_t index;
} ring;

static int by_ring(const void *a, const void *b) {
    const ring *x = a, *y = b;
    for (int k = 0; k < 4; ++k)
        if (x->side[k] != y->side[k]) return x->side[k] < y->side[k] ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static ring ring_of(const karst_net_patch *p, int32_t index) {
    ring r = {.index = index};
    for (int side = 0; side < 4; ++side) {
        int64_t key = (int64_t)p->side[side].edge << 8 | kst_side_bits(&p->side[side]);
        int at = side;
        for (; at > 0 && r.side[at - 1] > key; --at) r.side[at] = r.side[at - 1];
        r.side[at] = key;
    }
    return r;
}

// Its middle, as far as inner points say: those that share all sides differ by these alone.
static void inner_middle(const karst_net_patch *p, int32_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        int64_t sum = 0;
        for (int k = 0; k < 4; ++k) sum += p->inner[k][axis];
        out[axis] = (int32_t)(sum / 4);
    }
}

static void remove_patch(kst_mend *w, int32_t index, int32_t into) {
    w->gone[index] = 1, ++w->done.removed;
    kst_mend_tell(w, (karst_net_repair){.kind = KARST_REPAIR_REMOVED, .index = index, .into = into},
                  w->net->patches[index].inner[0]);
}

karst_status kst_mend_remove(kst_mend *w) {
    const karst_net *net = w->net;
    ring *rings = kst_alloc_array(net->allocator, (size_t)net->patch_count + 1, sizeof *rings);
    if (!rings) return KARST_ERROR_MEMORY;
    int32_t count = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        if (w->gone[k]) continue;
        if (lost_a_side(w, &net->patches[k]))
            remove_patch(w, k, KARST_NET_NONE);
        else
            rings[count++] = ring_of(&net->patches[k], k);
    }
    qsort(rings, (size_t)count, sizeof *rings, by_ring);
    for (int32_t k = 0, first = 0, alone = 0; k < count; ++k) {  // of those with the same sides, some stay
        if (memcmp(rings[k].side, rings[first].side, sizeof rings[k].side) != 0) first = k, alone = 0;
        int32_t mine = rings[k].index;
        for (int32_t i = 0; i < alone && !w->gone[mine]; ++i) {
            int32_t a[3], b[3], into = rings[first + i].index;
            inner_middle(&net->patches[into], a), inner_middle(&net->patches[mine], b);
            if (kst_apart2(a, b) <= fmax(1, w->steps * w->steps)) remove_patch(w, mine, into);
        }
        if (!w->gone[mine] && alone < KST_ALIKE_MOST) rings[first + alone++] = rings[k];
    }
    kst_free(net->allocator, rings, ((size_t)net->patch_count + 1) * sizeof *rings);
    return KARST_OK;
}

// ---- what patches need, in order ---------------------------------------------------------------------------

// A patch needs its edges, an edge its corners, a corner inside an edge that one.
static void mark_needed(const kst_mend *w, int32_t *corner, int32_t *edge, int32_t *stack) {
    const karst_net *net = w->net;
    int32_t waiting = 0;
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4 && !w->gone[k]; ++side) {
            int32_t at = net->patches[k].side[side].edge;
            if (edge[at] == KARST_NET_NONE) edge[at] = 0, stack[waiting++] = at;
        }
    while (waiting > 0) {
        const karst_net_edge *e = &net->edges[stack[--waiting]];
        for (int end = 0; end < 2; ++end) {
            int32_t in = net->corners[e->corner[end]].edge;
            corner[e->corner[end]] = 0;
            if (in != KARST_NET_NONE && edge[in] == KARST_NET_NONE) edge[in] = 0, stack[waiting++] = in;
        }
    }
    for (int32_t k = 0; k < net->corner_count; ++k) {  // those inside edges that stay, stay
        int32_t in = net->corners[k].edge;
        if (w->corner[k] == k && in != KARST_NET_NONE && edge[in] != KARST_NET_NONE) corner[k] = 0;
    }
}

static void renumber(kst_mend *w, int32_t *corner, int32_t *edge) {
    karst_net *net = w->net;
    int32_t corners = 0, edges = 0, patches = 0;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (corner[k] != KARST_NET_NONE) {
            net->corners[corners] = net->corners[k], w->corner_join[corners] = w->corner_join[k];
            corner[k] = corners++;
        }
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (edge[k] != KARST_NET_NONE) {
            karst_net_edge *e = &net->edges[edges];
            *e = net->edges[k], w->edge_join[edges] = w->edge_join[k];
            for (int end = 0; end < 2; ++end) e->corner[end] = corner[e->corner[end]];
            edge[k] = edges++;
        }
    for (int32_t k = 0; k < corners; ++k)
        if (net->corners[k].edge != KARST_NET_NONE) net->corners[k].edge = edge[net->corners[k].edge];
    for (int32_t k = 0; k < net->patch_count; ++k) {
        if (w->gone[k]) continue;
        if (patches != k) net->patches[patches] = net->patches[k];
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &net->patches[patches].side[side];
            s->edge = edge[s->edge];
        }
        ++patches;
    }
    net->corner_count = corners, net->edge_count = edges, net->patch_count = patches;
}

karst_status kst_mend_compact(kst_mend *w) {
    const karst_allocator *a = w->net->allocator;
    size_t corners = (size_t)w->net->corner_count + 1, edges = (size_t)w->net->edge_count + 1;
    int32_t *corner = kst_alloc_array(a, corners, sizeof *corner), *edge = kst_alloc_array(a, edges, sizeof *edge);
    int32_t *stack = kst_alloc_array(a, edges, sizeof *stack);
    karst_status status = corner && edge && stack ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        for (size_t k = 0; k < corners; ++k) corner[k] = KARST_NET_NONE;
        for (size_t k = 0; k < edges; ++k) edge[k] = KARST_NET_NONE;
        mark_needed(w, corner, edge, stack);
        renumber(w, corner, edge);
    }
    kst_free(a, corner, corners * sizeof *corner), kst_free(a, edge, edges * sizeof *edge);
    kst_free(a, stack, edges * sizeof *stack);
    return status;
}
