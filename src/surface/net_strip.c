// SPDX-License-Identifier: MIT
// Strips: sides across patches that must have the same number of tiles, since each edge has one number.
#include "karst/netweld.h"
#include "surface/net_mend.h"

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

// A strip by its least node, still empty.
static karst_net_strip first_of(const karst_net *net, int32_t node) {
    const karst_net_patch *p = &net->patches[node / 2];
    double m = ldexp(1, net->step_log2);
    uint8_t tiles = (uint8_t)(1 << p->tiles_log2[node & 1]);
    return (karst_net_strip){.patch = node / 2,
                             .axis = node & 1,
                             .tiles = {tiles, tiles},
                             .at = {net->origin.x + p->inner[0][0] * m, net->origin.y + p->inner[0][1] * m,
                                    net->origin.z + p->inner[0][2] * m}};
}

static void add_to(karst_net_strip *s, const karst_net *net, int32_t node) {
    uint8_t tiles = (uint8_t)(1 << net->patches[node / 2].tiles_log2[node & 1]);
    ++s->patches;
    if (tiles < s->tiles[0]) s->tiles[0] = tiles;
    if (tiles > s->tiles[1]) s->tiles[1] = tiles;
}

static void gather(const karst_net *net, int32_t *up, karst_net_strip *all, int32_t *count) {
    int32_t nodes = 2 * net->patch_count;
    *count = 0;
    for (int32_t k = 0; k < nodes; ++k) {  // the first of a strip comes before all others of it
        int32_t root = root_of(up, k);
        if (root == k) all[k] = first_of(net, k);
        add_to(&all[root], net, k);
    }
    for (int32_t k = 0; k < nodes; ++k)
        if (root_of(up, k) == k) all[(*count)++] = all[k];
}

// Which nodes hang together, by their least one. @return false: out of memory
static bool join(const karst_net *net, int32_t *up) {
    size_t nodes = 2 * (size_t)net->patch_count, room = 2 * nodes + 1;
    use *uses = kst_alloc_array(net->allocator, room, sizeof *uses);
    if (uses) {
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
    }
    kst_free(net->allocator, uses, room * sizeof *uses);
    return uses != NULL;
}

int32_t karst_net_strips(const karst_net *net, karst_net_strip *out, int32_t capacity) {
    const karst_allocator *a = net->allocator;
    size_t nodes = 2 * (size_t)net->patch_count;
    int32_t *up = kst_alloc_array(a, nodes + 1, sizeof *up), count = KARST_NET_NONE;
    karst_net_strip *all = kst_alloc_array(a, nodes + 1, sizeof *all);
    if (up && all && join(net, up)) {
        gather(net, up, all, &count);
        qsort(all, (size_t)count, sizeof *all, by_worth);
        if (capacity > 0) memcpy(out, all, (size_t)(count < capacity ? count : capacity) * sizeof *all);
    }
    kst_free(a, up, (nodes + 1) * sizeof *up), kst_free(a, all, (nodes + 1) * sizeof *all);
    return count;
}

karst_status kst_net_strip_of(const karst_net *net, int32_t patch, int axis, karst_net_strip *out) {
    size_t nodes = 2 * (size_t)net->patch_count;
    int32_t *up = kst_alloc_array(net->allocator, nodes + 1, sizeof *up);
    karst_status status = up && join(net, up) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        int32_t root = root_of(up, 2 * patch + axis);
        *out = first_of(net, root);
        for (int32_t k = 0; k < 2 * net->patch_count; ++k)
            if (root_of(up, k) == root) add_to(out, net, k);
    }
    kst_free(net->allocator, up, (nodes + 1) * sizeof *up);
    return status;
}

// ---- what may not be -------------------------------------------------------------------------------------

static int parts_of(const karst_net_side *s) {
    return 8 / (s->to > s->from ? s->to - s->from : s->from - s->to);
}

// A side of a patch and one bound to the same edge: which one has to change, and to what.
static karst_status tell_bind(const karst_net *net, int32_t x, int32_t y, karst_report *report) {
    static const char *const along[9] = {[1] = "all", [2] = "a half", [4] = "a quarter", [8] = "an eighth"};
    int32_t node[2] = {x, y};
    int parts[2], tiles[2];
    karst_net_strip strip[2];
    for (int k = 0; k < 2; ++k) {
        const karst_net_patch *p = &net->patches[node[k] / 4];
        parts[k] = parts_of(&p->side[node[k] & 3]), tiles[k] = 1 << p->tiles_log2[node[k] & 1];
        karst_status status = kst_net_strip_of(net, node[k] / 4, node[k] & 1, &strip[k]);
        if (status) return status;
    }
    int better = tiles[1] * parts[1] / parts[0], other = tiles[0] * parts[0] / parts[1];
    bool first = better >= 2 && better <= 1 << 4;
    if (!first && (other < 2 || other > 1 << 4))
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "the strip of %d patches at %.1f, %.1f, %.1f has %d tiles along %s of an edge, that of %d "
                        "at %.1f, %.1f, %.1f %d along %s of it; patches have 2 to 16: cut the larger ones",
                        strip[0].patches, strip[0].at.x, strip[0].at.y, strip[0].at.z, tiles[0], along[parts[0]],
                        strip[1].patches, strip[1].at.x, strip[1].at.y, strip[1].at.z, tiles[1], along[parts[1]]);
    return kst_fail(report, KARST_ERROR_FORMAT,
                    "the strip of %d patches at %.1f, %.1f, %.1f has %d tiles along %s of an edge, that of %d at %.1f, "
                    "%.1f, %.1f %d along %s of it; give all of the %s strip %d",
                    strip[0].patches, strip[0].at.x, strip[0].at.y, strip[0].at.z, tiles[0], along[parts[0]],
                    strip[1].patches, strip[1].at.x, strip[1].at.y, strip[1].at.z, tiles[1], along[parts[1]],
                    first ? "first" : "other", first ? better : other);
}

karst_status kst_net_tiles_agree(const karst_net *net, karst_report *report) {
    karst_net_strip worst = {0};
    int32_t count = karst_net_strips(net, &worst, 1);
    if (count == KARST_NET_NONE) return KARST_ERROR_MEMORY;
    if (worst.tiles[0] != worst.tiles[1])
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "the strip of %d patches at %.1f, %.1f, %.1f would have %d tiles here and %d there along the "
                        "edges that they share; give all of it the same number, or bind two or four patches to one",
                        worst.patches, worst.at.x, worst.at.y, worst.at.z, worst.tiles[0], worst.tiles[1]);
    int32_t *first = kst_alloc_array(net->allocator, (size_t)net->edge_count + 1, sizeof *first);  // 4 patch + side
    karst_status status = first ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < net->edge_count && !status; ++k) first[k] = KARST_NET_NONE;
    for (int32_t k = 0; k < 4 * net->patch_count && !status; ++k) {
        const karst_net_patch *p = &net->patches[k / 4];
        const karst_net_side *s = &p->side[k & 3];
        int32_t other = first[s->edge];
        if (other == KARST_NET_NONE) {
            first[s->edge] = k;
            continue;
        }
        const karst_net_patch *q = &net->patches[other / 4];
        if (parts_of(s) << p->tiles_log2[k & 1] != parts_of(&q->side[other & 3]) << q->tiles_log2[other & 1])
            status = tell_bind(net, other, k, report);
    }
    kst_free(net->allocator, first, ((size_t)net->edge_count + 1) * sizeof *first);
    return status;
}
