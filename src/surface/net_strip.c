// SPDX-License-Identifier: MIT
// Strips: sides across patches that must have the same number of tiles, since each edge has one number.
#include "karst/netweld.h"
#include "surface/net.h"

// A side of a patch: what it takes of its edge.
typedef struct use {
    int32_t edge, node;  // 2 patch + axis
    uint8_t bits;
} use;

static int by_edge(const void *a, const void *b) {
    const use *x = a, *y = b;
    if (x->edge != y->edge) return x->edge < y->edge ? -1 : 1;
    if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int32_t root_of(int32_t *up, int32_t k) {
    while (up[k] != k) k = up[k] = up[up[k]];
    return k;
}

// Those whose numbers differ first, then the longest, then the least patch.
static int by_worth(const void *a, const void *b) {
    const karst_net_strip *x = a, *y = b;
    bool uneven_x = x->tiles[0] != x->tiles[1], uneven_y = y->tiles[0] != y->tiles[1];
    if (uneven_x != uneven_y) return uneven_x ? -1 : 1;
    if (x->patches != y->patches) return x->patches > y->patches ? -1 : 1;
    if (x->patch != y->patch) return x->patch < y->patch ? -1 : 1;
    return x->axis - y->axis;
}

static void gather(const karst_net *net, int32_t *up, karst_net_strip *all, int32_t *count) {
    double m = ldexp(1, net->step_log2);
    int32_t nodes = 2 * net->patch_count;
    *count = 0;
    for (int32_t k = 0; k < nodes; ++k) {  // the first of a strip comes before all others of it
        const karst_net_patch *p = &net->patches[k / 2];
        int tiles = 1 << p->tiles_log2[k & 1];
        int32_t root = root_of(up, k);
        karst_net_strip *s = &all[root];
        if (root == k)
            *s = (karst_net_strip){.patch = k / 2,
                                   .axis = k & 1,
                                   .tiles = {(uint8_t)tiles, (uint8_t)tiles},
                                   .at = {net->origin.x + p->inner[0][0] * m, net->origin.y + p->inner[0][1] * m,
                                          net->origin.z + p->inner[0][2] * m}};
        ++s->patches;
        if (tiles < s->tiles[0]) s->tiles[0] = (uint8_t)tiles;
        if (tiles > s->tiles[1]) s->tiles[1] = (uint8_t)tiles;
    }
    for (int32_t k = 0; k < nodes; ++k)
        if (root_of(up, k) == k) all[(*count)++] = all[k];
}

int32_t karst_net_strips(const karst_net *net, karst_net_strip *out, int32_t capacity) {
    const karst_allocator *a = net->allocator;
    size_t nodes = 2 * (size_t)net->patch_count, room = 2 * nodes + 1;
    use *uses = kst_alloc_array(a, room, sizeof *uses);
    int32_t *up = kst_alloc_array(a, nodes + 1, sizeof *up), count = KARST_NET_NONE;
    karst_net_strip *all = kst_alloc_array(a, nodes + 1, sizeof *all);
    if (uses && up && all) {
        for (size_t k = 0; k < nodes; ++k) up[k] = (int32_t)k;
        for (size_t k = 0; k < 2 * nodes; ++k) {
            const karst_net_side *s = &net->patches[k / 4].side[k & 3];
            uses[k] = (use){s->edge, (int32_t)(2 * (k / 4) + (k & 1)), kst_side_bits(s)};
        }
        qsort(uses, 2 * nodes, sizeof *uses, by_edge);
        for (size_t k = 1; k < 2 * nodes; ++k)
            if (uses[k].edge == uses[k - 1].edge && uses[k].bits == uses[k - 1].bits) {
                int32_t x = root_of(up, uses[k - 1].node), y = root_of(up, uses[k].node);
                up[x > y ? x : y] = x < y ? x : y;
            }
        gather(net, up, all, &count);
        qsort(all, (size_t)count, sizeof *all, by_worth);
        if (capacity > 0) memcpy(out, all, (size_t)(count < capacity ? count : capacity) * sizeof *all);
    }
    kst_free(a, uses, room * sizeof *uses);
    kst_free(a, up, (nodes + 1) * sizeof *up), kst_free(a, all, (nodes + 1) * sizeof *all);
    return count;
}
