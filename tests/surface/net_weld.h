// SPDX-License-Identifier: MIT
// Welding: every fine edge of every piece of all zones of a net meets its equal and opposite, but for open spans.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "karst/netmove.h"
#include "scenes/nets.h"

typedef struct half {
    int64_t a[3], b[3];  // low end first
    int way;
    bool open;
} half;

static inline int by_ends(const void *x, const void *y) {
    return memcmp(x, y, 6 * sizeof(int64_t));
}

static inline void put_half(half *h, karst_fine bias, karst_fine a, karst_fine b, bool open) {
    int64_t p[3] = {(int64_t)bias.x + a.x, (int64_t)bias.y + a.y, (int64_t)bias.z + a.z};
    int64_t q[3] = {(int64_t)bias.x + b.x, (int64_t)bias.y + b.y, (int64_t)bias.z + b.z};
    bool swap = memcmp(p, q, sizeof p) > 0;
    memcpy(h->a, swap ? q : p, sizeof p);
    memcpy(h->b, swap ? p : q, sizeof p);
    h->way = swap ? -1 : 1;
    h->open = open;
}

// Borders of all pieces, split into finest cells, going round each.
static inline size_t borders(const scene_zones *z, half **out) {
    size_t room = 0, count = 0;
    for (int k = 0; k < z->count; ++k) room += z->zones[k]->piece_count * 4 * 64;
    half *all = calloc(room + 1, sizeof *all);
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    for (int k = 0; k < z->count; ++k) {
        const karst_zone *zone = z->zones[k];
        for (uint32_t p = 0; p < zone->piece_count; ++p) {
            const karst_piece *piece = &zone->pieces[p];
            int f = KARST_TILE_CELLS << piece->tiles_log2, w = f + 1;
            karst_zone_fine(zone, p, v);
            for (int side = 0; side < 4; ++side)
                for (int i = 0; i < f; ++i) {
                    int per = f >> piece->spans_log2[side];
                    bool open = zone->spans[piece->first_span[side] + (uint32_t)(i / per)].open;
                    int a = side == 0   ? i
                            : side == 1 ? i * w + f
                            : side == 2 ? f * w + i
                                        : i * w,
                        b = a + (side & 1 ? w : 1);
                    put_half(&all[count++], zone->bias, side < 2 ? v[a] : v[b], side < 2 ? v[b] : v[a], open);
                }
        }
    }
    free(v);
    qsort(all, count, sizeof *all, by_ends);
    *out = all;
    return count;
}

static inline size_t cracks_of(const scene_zones *z, size_t *closed, size_t *open) {
    half *all;
    size_t count = borders(z, &all), cracks = 0;
    *closed = *open = 0;
    for (size_t k = 0, next; k < count; k = next) {
        int sum = 0;
        for (next = k; next < count && !by_ends(&all[k], &all[next]); ++next) sum += all[next].way;
        if (!sum)
            *closed += next - k;
        else if (next == k + 1 && all[k].open)
            ++*open;
        else
            cracks += next - k;
    }
    free(all);
    return cracks;
}

// A net with the same elements, finished.
static inline karst_net *net_copy(const karst_net *net) {
    karst_net *copy;
    int32_t index;
    if (karst_net_create(net->origin, net->step_log2, NULL, &copy)) return NULL;
    for (int32_t k = 0; k < net->corner_count; ++k) karst_net_add_corner(copy, &net->corners[k], &index);
    for (int32_t k = 0; k < net->edge_count; ++k) karst_net_add_edge(copy, &net->edges[k], &index);
    for (int32_t k = 0; k < net->patch_count; ++k) karst_net_add_patch(copy, &net->patches[k], &index);
    return karst_net_finish(copy, NULL) ? NULL : copy;
}
// Whether two nets have the same elements, also in what finish sets.
static inline bool net_same(const karst_net *a, const karst_net *b) {
    if (a->corner_count != b->corner_count || a->edge_count != b->edge_count || a->patch_count != b->patch_count ||
        a->reach != b->reach)
        return false;
    for (int32_t k = 0; k < a->corner_count; ++k) {
        const karst_net_corner *p = &a->corners[k], *q = &b->corners[k];
        if (memcmp(p->at, q->at, sizeof p->at) || memcmp(p->facing, q->facing, sizeof p->facing) ||
            p->radius != q->radius)
            return false;
    }
    for (int32_t k = 0; k < a->edge_count; ++k) {
        const karst_net_edge *p = &a->edges[k], *q = &b->edges[k];
        if (memcmp(p->handle, q->handle, sizeof p->handle) || memcmp(p->size, q->size, sizeof p->size) ||
            p->open != q->open || p->spans != q->spans)
            return false;
    }
    for (int32_t k = 0; k < a->patch_count; ++k) {
        const karst_net_patch *p = &a->patches[k], *q = &b->patches[k];
        if (memcmp(p->inner, q->inner, sizeof p->inner) || p->size != q->size) return false;
    }
    return true;
}
