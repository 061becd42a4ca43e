// SPDX-License-Identifier: MIT
// A zone as the methods read it.
#include <math.h>
#include <stdlib.h>

#include "zone_scene.h"

static void *array_of(const karst_allocator *allocator, size_t count, size_t bytes) {
    return kst_alloc_array(allocator, count + KST_ZONE_LANES, bytes);
}
static void free_array(const karst_allocator *allocator, void *memory, size_t count, size_t bytes) {
    kst_free(allocator, memory, (count + KST_ZONE_LANES) * bytes);
}

// Levels are owed to corners by the largest size at each edge: a span's is the less of its ends'.
static bool make_levels(kst_zone_slot *slot, const karst_allocator *allocator) {
    const karst_zone *zone = slot->zone;
    // Bit c of owes[corner]: a span of class c ends there.
    size_t bytes = ((size_t)zone->corner_count + 1) * sizeof(uint64_t);
    uint64_t *owes = kst_alloc_zero(allocator, bytes);
    if (!owes) return false;
    for (uint32_t k = 0; k < zone->span_count; ++k)
        for (int e = 0; e < 2; ++e)
            owes[zone->spans[k].corner[e]] |= (uint64_t)1 << (zone->spans[k].size[1] % KARST_NET_SIZES);
    uint32_t count = 0;
    for (int c = 0; c < KARST_NET_SIZES; ++c) {
        slot->class_first[c] = count;
        for (uint32_t k = 0; k < zone->corner_count; ++k) count += owes[k] >> c & 1;
        count = kst_up(count);
    }
    slot->class_first[KARST_NET_SIZES] = slot->level_count = count;
    slot->level_corner = array_of(allocator, count, sizeof *slot->level_corner);
    // The number of each level, by corner: of one class at a time.
    uint32_t *number = kst_alloc_array(allocator, (size_t)zone->corner_count + 1, sizeof *number);
    if (slot->level_corner && number) {
        memset(slot->level_corner, 0, (count + KST_ZONE_LANES) * sizeof *slot->level_corner);
        for (int c = 0; c < KARST_NET_SIZES; ++c) {
            uint32_t at = slot->class_first[c];
            if (at == slot->class_first[c + 1]) continue;
            for (uint32_t k = 0; k < zone->corner_count; ++k)
                if (owes[k] >> c & 1) slot->level_corner[at] = k, number[k] = at++;
            for (uint32_t k = 0; k < zone->span_count; ++k)
                if (zone->spans[k].size[1] % KARST_NET_SIZES == c)
                    for (int e = 0; e < 2; ++e) slot->span_level[k][e] = number[zone->spans[k].corner[e]];
        }
    }
    kst_free(allocator, number, ((size_t)zone->corner_count + 1) * sizeof *number);
    kst_free(allocator, owes, bytes);
    return slot->level_corner && number;
}

static int by_edge(const void *a, const void *b) {
    const kst_zone_edge *p = a, *q = b;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    if (p->column != q->column) return p->column < q->column ? -1 : 1;
    if (p->way != q->way) return p->way < q->way ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

// Spans on seams go by the edge of the field that they lie on.
static bool make_edges(kst_zone_slot *slot, const karst_allocator *a) {
    const karst_zone *zone = slot->zone;
    uint32_t count = 0;
    for (uint32_t k = 0; k < zone->span_count; ++k) count += zone->spans[k].seam != 0;
    slot->pair_count = count;
    slot->edge_level = slot->level_count;
    if (!count) return true;
    slot->edge = array_of(a, count, sizeof *slot->edge);
    slot->edge_pair = array_of(a, count, sizeof *slot->edge_pair);
    if (!slot->edge || !slot->edge_pair) return false;
    uint32_t at = 0;
    for (uint32_t k = 0; k < zone->span_count; ++k) {
        const karst_zone_span *s = &zone->spans[k];
        if (s->seam) slot->edge[at++] = (kst_zone_edge){s->column, s->row, s->seam, k, 0, {0, 0}};
    }
    qsort(slot->edge, count, sizeof *slot->edge, by_edge);
    for (uint32_t k = 0; k < count; ++k) {  // edge k is that of one span: `first`
        kst_zone_edge one = slot->edge[k], *last = slot->edge_count ? &slot->edge[slot->edge_count - 1] : NULL;
        if (!last || last->row != one.row || last->column != one.column || last->way != one.way) {
            last = &slot->edge[slot->edge_count++];
            *last = one;
            last->first = k;
        }
        last->end = k + 1;
        uint32_t *pair = slot->span_level[one.first];
        slot->edge_pair[k][0] = pair[0], slot->edge_pair[k][1] = pair[1];
        pair[0] = pair[1] = slot->edge_level + slot->edge_count - 1;
    }
    slot->level_count += kst_up(slot->edge_count);
    return true;
}

static void make_corners(kst_zone_slot *slot) {
    const karst_zone *zone = slot->zone;
    for (size_t k = 0; k < slot->corner_room; ++k) {
        const karst_zone_corner *c = &zone->corners[k < zone->corner_count ? k : 0];
        slot->corner[0][k] = c->at.x, slot->corner[1][k] = c->at.y, slot->corner[2][k] = c->at.z;
        slot->radius[k] = c->radius_m;
    }
}

static void make_box(struct kst_piece_info *info, const karst_zone *zone, uint32_t piece, float fine_m) {
    karst_fine low, high;
    karst_zone_box(zone, piece, &low, &high);
    info->min[0] = (float)low.x * fine_m, info->min[1] = (float)low.y * fine_m, info->min[2] = (float)low.z * fine_m;
    info->max[0] = (float)high.x * fine_m, info->max[1] = (float)high.y * fine_m, info->max[2] = (float)high.z * fine_m;
}

static void make_pieces(kst_zone_slot *slot) {
    const karst_zone *zone = slot->zone;
    float fine_m = ldexpf(1.0f / KARST_NET_FINE, zone->step_log2);
    uint32_t place = 0, tile = 0;
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        const karst_piece *piece = &zone->pieces[k];
        struct kst_piece_info *info = &slot->info[k];
        uint32_t n = 1u << piece->tiles_log2, count = (n + 1) * (n + 1);
        slot->first_place[k] = place, slot->first_tile[k] = tile;
        for (uint32_t i = 0; i < kst_up(count); ++i, ++place) {
            const karst_fine *at = &zone->places[piece->first_place + (i < count ? i : count - 1)];
            slot->place[0][place] = at->x, slot->place[1][place] = at->y, slot->place[2][place] = at->z;
        }
        tile += n * n;
        *info = (struct kst_piece_info){.top = (uint8_t)(2 * piece->tiles_log2), .plain = true};
        make_box(info, zone, k, fine_m);
        for (int side = 0; side < 4; ++side) {
            int top = 2 * (piece->tiles_log2 - piece->spans_log2[side]);
            if (top < info->top) info->top = (uint8_t)top;
            for (uint32_t s = 0; s < 1u << piece->spans_log2[side]; ++s)
                info->plain &= karst_zone_side_class(&zone->spans[piece->first_span[side] + s]) == piece->size;
        }
    }
    // Pieces of a patch follow each other: together they tell how many tiles it has.
    for (uint32_t k = 0, end; k < zone->piece_count; k = end) {
        int s = 0, t = 0;
        for (end = k; end < zone->piece_count && zone->pieces[end].patch == zone->pieces[k].patch; ++end) {
            const karst_piece *piece = &zone->pieces[end];
            int n = 1 << piece->tiles_log2;
            if (piece->tile_s + n > s) s = piece->tile_s + n;
            if (piece->tile_t + n > t) t = piece->tile_t + n;
        }
        for (uint32_t i = k; i < end; ++i) {
            slot->info[i].scale_log2[0] = (uint8_t)__builtin_ctz((unsigned)s);
            slot->info[i].scale_log2[1] = (uint8_t)__builtin_ctz((unsigned)t);
        }
    }
}

karst_status kst_zone_slot_make(kst_zone_slot *slot, const karst_zone *zone, const karst_allocator *a) {
    *slot = (kst_zone_slot){.zone = zone, .corner_room = kst_up(zone->corner_count)};
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        uint32_t n = 1u << zone->pieces[k].tiles_log2;
        slot->place_room += kst_up((n + 1) * (n + 1));
        slot->tile_room += n * n;
    }
    size_t pieces = zone->piece_count;
    bool got = true;
    for (int axis = 0; axis < 3; ++axis) {
        got &= (slot->corner[axis] = array_of(a, slot->corner_room, sizeof **slot->corner)) != NULL;
        got &= (slot->place[axis] = array_of(a, slot->place_room, sizeof **slot->place)) != NULL;
    }
    got &= (slot->radius = array_of(a, slot->corner_room, sizeof *slot->radius)) != NULL;
    got &= (slot->d2 = array_of(a, slot->corner_room, sizeof *slot->d2)) != NULL;
    got &= (slot->span_level = array_of(a, zone->span_count, sizeof *slot->span_level)) != NULL;
    got &= (slot->first_place = array_of(a, pieces, sizeof *slot->first_place)) != NULL;
    got &= (slot->first_tile = array_of(a, pieces, sizeof *slot->first_tile)) != NULL;
    got &= (slot->patterns = array_of(a, slot->tile_room, sizeof *slot->patterns)) != NULL;
    got &= (slot->info = array_of(a, pieces, sizeof *slot->info)) != NULL;
    got &= (slot->fine = array_of(a, pieces, sizeof *slot->fine)) != NULL;
    got &= (slot->kind = array_of(a, pieces, sizeof *slot->kind)) != NULL;
    got &= (slot->whole = array_of(a, pieces, sizeof *slot->whole)) != NULL;
    if (!got || !make_levels(slot, a) || !make_edges(slot, a)) {
        kst_zone_slot_free(slot, a);
        return KARST_ERROR_MEMORY;
    }
    make_corners(slot);
    make_pieces(slot);
    for (size_t k = 0; k < pieces; ++k) slot->fine[k] = -1, slot->kind[k] = KST_PIECE_UNSEEN;
    return KARST_OK;
}

void kst_zone_slot_free(kst_zone_slot *slot, const karst_allocator *a) {
    if (!slot->zone) return;
    size_t pieces = slot->zone->piece_count;
    for (int axis = 0; axis < 3; ++axis) {
        free_array(a, slot->corner[axis], slot->corner_room, sizeof **slot->corner);
        free_array(a, slot->place[axis], slot->place_room, sizeof **slot->place);
    }
    free_array(a, slot->radius, slot->corner_room, sizeof *slot->radius);
    free_array(a, slot->d2, slot->corner_room, sizeof *slot->d2);
    free_array(a, slot->span_level, slot->zone->span_count, sizeof *slot->span_level);
    free_array(a, slot->first_place, pieces, sizeof *slot->first_place);
    free_array(a, slot->first_tile, pieces, sizeof *slot->first_tile);
    free_array(a, slot->patterns, slot->tile_room, sizeof *slot->patterns);
    free_array(a, slot->info, pieces, sizeof *slot->info);
    free_array(a, slot->fine, pieces, sizeof *slot->fine);
    free_array(a, slot->kind, pieces, sizeof *slot->kind);
    free_array(a, slot->whole, pieces, sizeof *slot->whole);
    free_array(a, slot->level_corner, slot->class_first[KARST_NET_SIZES], sizeof *slot->level_corner);
    free_array(a, slot->edge, slot->pair_count, sizeof *slot->edge);
    free_array(a, slot->edge_pair, slot->pair_count, sizeof *slot->edge_pair);
    *slot = (kst_zone_slot){0};
}
