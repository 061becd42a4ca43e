// SPDX-License-Identifier: MIT
// All ground on a vertical line: the exact test of each triangle, sorted from the top down.
#include "surface/pile.h"

#include <stdlib.h>

void kst_pile_begin(kst_pile *pile, double x, double z, const karst_allocator *allocator) {
    pile->allocator = allocator;
    pile->x = x;
    pile->z = z;
    pile->level = pile->here;
    pile->count = 0;
    pile->room = KST_PILE_HERE;
    karst_ray down = {.origin = {x, 0, z}, .direction = {0, -1, 0}, .t_min = -INFINITY, .t_max = INFINITY};
    kst_exact_ray_make(&down, &pile->down);
}

static void drop(kst_pile *pile) {
    if (pile->level != pile->here) kst_free(pile->allocator, pile->level, (size_t)pile->room * sizeof *pile->level);
}

static karst_status grow(kst_pile *pile) {
    karst_level *more = kst_alloc_array(pile->allocator, 2 * (size_t)pile->room, sizeof *more);
    if (!more) return KARST_ERROR_MEMORY;
    memcpy(more, pile->level, (size_t)pile->count * sizeof *more);
    drop(pile);
    pile->level = more;
    pile->room *= 2;
    return KARST_OK;
}

karst_status kst_pile_try(kst_pile *pile, const kst_corners *corner, karst_place place) {
    double t;
    if (!kst_triangle_cast(&pile->down, corner, &t)) return KARST_OK;
    if (pile->count == pile->room && grow(pile)) return KARST_ERROR_MEMORY;
    pile->level[pile->count++] = (karst_level){-t, kst_triangle_normal(corner), place};
    return KARST_OK;
}

static int from_the_top(const void *a, const void *b) {
    const karst_level *p = a, *q = b;
    if (p->y != q->y) return p->y < q->y ? 1 : -1;
    if (p->place.chunk != q->place.chunk) return p->place.chunk < q->place.chunk ? -1 : 1;
    if (p->place.row != q->place.row) return p->place.row < q->place.row ? -1 : 1;
    if (p->place.column != q->place.column) return p->place.column < q->place.column ? -1 : 1;
    return (int)p->place.triangle - (int)q->place.triangle;
}

karst_status kst_pile_end(kst_pile *pile, karst_status status, double same, karst_level *out, int capacity,
                          int *count) {
    if (!status) {
        qsort(pile->level, (size_t)pile->count, sizeof *pile->level, from_the_top);
        int kept = 0;
        for (int k = 0; k < pile->count; ++k) {
            if (k && pile->level[k - 1].y - pile->level[k].y <= same) continue;
            if (kept < capacity) out[kept] = pile->level[k];
            ++kept;
        }
        *count = kept;
    }
    drop(pile);
    return status;
}
