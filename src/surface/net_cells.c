// SPDX-License-Identifier: MIT
// Corners by cells as wide as a distance.
#include "surface/net_mend.h"

karst_status kst_cells_make(kst_cells *c, const karst_net *net, double steps) {
    *c = (kst_cells){.net = net, .room = 64, .steps = steps, .wide = fmax(steps, 1)};
    while (c->room < 2 * (size_t)net->corner_count) c->room *= 2;
    c->first = kst_alloc_array(net->allocator, c->room, sizeof *c->first);
    c->next = kst_alloc_array(net->allocator, (size_t)net->corner_count + 1, sizeof *c->next);
    if (!c->first || !c->next) {
        kst_cells_free(c);
        return KARST_ERROR_MEMORY;
    }
    for (size_t k = 0; k < c->room; ++k) c->first[k] = KARST_NET_NONE;
    return KARST_OK;
}

void kst_cells_free(kst_cells *c) {
    kst_free(c->net->allocator, c->first, c->room * sizeof *c->first);
    kst_free(c->net->allocator, c->next, ((size_t)c->net->corner_count + 1) * sizeof *c->next);
    c->first = c->next = NULL;
}

static void cell_of(const kst_cells *c, const int32_t at[3], int64_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) out[axis] = (int64_t)floor(at[axis] / c->wide);
}
static size_t slot_of(const kst_cells *c, const int64_t cell[3]) {
    return (size_t)kst_hash(cell, 3 * sizeof *cell, 0) & (c->room - 1);
}

void kst_cells_put(kst_cells *c, int32_t corner) {
    int64_t cell[3];
    cell_of(c, c->net->corners[corner].at, cell);
    size_t slot = slot_of(c, cell);
    c->next[corner] = c->first[slot], c->first[slot] = corner;
}

int kst_cells_near(const kst_cells *c, const int32_t at[3], int32_t out[KST_CELLS_NEAR]) {
    int64_t middle[3];
    int count = 0;
    cell_of(c, at, middle);
    for (int k = 0; k < 27; ++k) {
        const int64_t cell[3] = {middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1};
        for (int32_t other = c->first[slot_of(c, cell)]; other != KARST_NET_NONE; other = c->next[other]) {
            int64_t its[3];  // cells may share a slot
            cell_of(c, c->net->corners[other].at, its);
            if (memcmp(its, cell, sizeof its) || kst_apart2(at, c->net->corners[other].at) > c->steps * c->steps)
                continue;
            if (count < KST_CELLS_NEAR) out[count++] = other;
        }
    }
    return count;
}
