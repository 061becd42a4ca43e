// SPDX-License-Identifier: MIT
// Turning patches over so that neighbours run opposite ways along their edge.
#include "core/turns.h"
#include "surface/net.h"

// A side of a patch on an edge.
typedef struct use {
    int32_t edge, patch;
    uint8_t bits;  // eighths
    bool back;     // runs against the edge, going round its patch
} use;

static int by_edge(const void *a, const void *b) {
    const use *x = a, *y = b;
    if (x->edge != y->edge) return x->edge < y->edge ? -1 : 1;
    return (x->patch > y->patch) - (x->patch < y->patch);
}

uint8_t kst_side_bits(const karst_net_side *side) {
    int low = side->from < side->to ? side->from : side->to, high = side->from < side->to ? side->to : side->from;
    return (uint8_t)((1 << high) - (1 << low));
}

// Two that share an eighth alone should run opposite ways. What more than two share is no border of two.
static void link_edge(kst_turns *turns, const use *uses, size_t count) {
    for (int eighth = 0; eighth < 8; ++eighth) {
        const use *on[2] = {NULL, NULL};
        int found = 0;
        for (size_t k = 0; k < count; ++k)
            if (uses[k].bits >> eighth & 1 && found++ < 2) on[found - 1] = &uses[k];
        if (found == 2 && on[0]->patch != on[1]->patch)
            kst_turns_link(turns, on[0]->patch, on[1]->patch, on[0]->back != on[1]->back);
    }
}

karst_status kst_net_turns(const karst_net *net, const uint8_t *gone, uint8_t *out) {
    size_t room = 4 * (size_t)net->patch_count + 1, count = 0;
    use *uses = kst_alloc_array(net->allocator, room, sizeof *uses);
    kst_turns turns;
    karst_status status = uses ? kst_turns_create(&turns, net->patch_count, net->allocator) : KARST_ERROR_MEMORY;
    if (!status) {
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int side = 0; side < 4 && !gone[k]; ++side) {
                const karst_net_side *s = &net->patches[k].side[side];
                uses[count++] = (use){s->edge, k, kst_side_bits(s), (s->from > s->to) != (side >= 2)};
            }
        qsort(uses, count, sizeof *uses, by_edge);
        for (size_t k = 0, next; k < count; k = next) {
            for (next = k; next < count && uses[next].edge == uses[k].edge;) ++next;
            link_edge(&turns, uses + k, next - k);
        }
        status = kst_turns_settle(&turns, out);
        kst_turns_destroy(&turns);
    }
    kst_free(net->allocator, uses, room * sizeof *uses);
    return status;
}

#define SWAP(type, a, b)  \
    do {                  \
        type passing = a; \
        a = b;            \
        b = passing;      \
    } while (0)

// s and t change places.
void kst_patch_turn_over(karst_net_patch *p) {
    SWAP(karst_net_side, p->side[0], p->side[3]);
    SWAP(karst_net_side, p->side[1], p->side[2]);
    SWAP(uint8_t, p->tiles_log2[0], p->tiles_log2[1]);
    for (int axis = 0; axis < 3; ++axis) SWAP(int32_t, p->inner[1][axis], p->inner[2][axis]);
    for (int j = 0; j < KARST_NET_TILES_MAX; ++j)
        for (int i = 0; i < j; ++i) {
            SWAP(uint8_t, p->slot[KARST_NET_TILES_MAX * j + i], p->slot[KARST_NET_TILES_MAX * i + j]);
            SWAP(uint8_t, p->group[KARST_NET_TILES_MAX * j + i], p->group[KARST_NET_TILES_MAX * i + j]);
        }
    for (int j = 0; j < 17; ++j)
        for (int i = 0; i < j; ++i) {
            SWAP(uint8_t, p->set[17 * j + i], p->set[17 * i + j]);
            SWAP(uint16_t, p->tint[17 * j + i], p->tint[17 * i + j]);
        }
}
