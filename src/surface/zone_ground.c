// SPDX-License-Identifier: MIT
// Zones answer the questions of a ground.
#include "surface/zone_ground.h"

#include <math.h>
#include <stdlib.h>

#include "surface/near.h"
#include "surface/pile.h"

static karst_zone_ground *of(const karst_ground *ground) {
    return (karst_zone_ground *)(uintptr_t)ground;
}

static const karst_box no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

// ---- boxes of a zone -------------------------------------------------------------------------------

// Box of the vertices in it, from the bias [fine steps].
typedef struct range {
    int32_t low[3], high[3];
} range;
static const range nothing = {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};

static void grow(range *r, const karst_fine *v) {
    const int32_t at[3] = {v->x, v->y, v->z};
    for (int a = 0; a < 3; ++a) {
        if (at[a] < r->low[a]) r->low[a] = at[a];
        if (at[a] > r->high[a]) r->high[a] = at[a];
    }
}

// Whole fine steps, so floats of these are exact.
static void box_of(const range *r, double fine_m, float out[6]) {
    for (int a = 0; a < 3; ++a) {
        out[a] = kst_float_below(r->low[a] * fine_m);
        out[a + 3] = kst_float_above(r->high[a] * fine_m);
    }
}

static karst_pos place_of(const karst_zone_ground *g, const kst_zone_slot *slot, const int32_t at[3]) {
    return (karst_pos){g->origin.x + (slot->origin[0] + at[0] * slot->fine_m),
                       g->origin.y + (slot->origin[1] + at[1] * slot->fine_m),
                       g->origin.z + (slot->origin[2] + at[2] * slot->fine_m)};
}

static void tile_boxes(const karst_zone *zone, uint32_t index, double fine_m, karst_fine *vertex, float (*box)[6],
                       uint32_t *item, range *all) {
    int n = 1 << zone->pieces[index].tiles_log2, width = KARST_TILE_CELLS * n + 1;
    karst_zone_fine(zone, index, vertex);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            range r = nothing;
            for (int y = 0; y <= KARST_TILE_CELLS; ++y)
                for (int x = 0; x <= KARST_TILE_CELLS; ++x)
                    grow(&r, &vertex[(KARST_TILE_CELLS * j + y) * width + KARST_TILE_CELLS * i + x]);
            for (int a = 0; a < 3; ++a) {
                all->low[a] = r.low[a] < all->low[a] ? r.low[a] : all->low[a];
                all->high[a] = r.high[a] > all->high[a] ? r.high[a] : all->high[a];
            }
            box_of(&r, fine_m, box[j * n + i]);
            item[j * n + i] = kst_tile_item(index, i, j);
        }
}

// All but the serial number.
static karst_status make_slot(const karst_zone_ground *g, const karst_zone *zone, kst_zone_slot *out) {
    const double fine_m = ldexp(1.0 / KARST_NET_FINE, zone->step_log2);
    *out = (kst_zone_slot){.zone = zone, .fine_m = fine_m, .all = no_box};
    const int32_t bias[3] = {zone->bias.x, zone->bias.y, zone->bias.z};
    for (int a = 0; a < 3; ++a) out->origin[a] = bias[a] * fine_m;
    size_t tiles = 0;
    for (uint32_t k = 0; k < zone->piece_count; ++k) tiles += (size_t)1 << 2 * zone->pieces[k].tiles_log2;
    if (!tiles) return KARST_OK;
    const size_t room = (size_t)KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX;
    karst_fine *vertex = kst_alloc_array(g->allocator, room, sizeof *vertex);
    float(*box)[6] = kst_alloc_array(g->allocator, tiles, sizeof *box);
    uint32_t *item = kst_alloc_array(g->allocator, tiles, sizeof *item);
    karst_status status = vertex && box && item ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        range all = nothing;
        size_t first = 0;
        for (uint32_t k = 0; k < zone->piece_count; ++k) {
            tile_boxes(zone, k, fine_m, vertex, box + first, item + first, &all);
            first += (size_t)1 << 2 * zone->pieces[k].tiles_log2;
        }
        out->all = (karst_box){place_of(g, out, all.low), place_of(g, out, all.high)};
        for (int a = 0; a < 3; ++a)
            out->extent =
                fmaxf(out->extent, (float)(fmax(fabs((double)all.low[a]), fabs((double)all.high[a])) * fine_m));
        status = kst_box_tree_build((const float(*)[6])box, (uint32_t)tiles, g->allocator, &out->tree);
        for (uint32_t k = 0; k < out->tree.item_count; ++k) out->tree.item[k] = item[out->tree.item[k]];
    }
    kst_free(g->allocator, vertex, room * sizeof *vertex);
    kst_free(g->allocator, box, tiles * sizeof *box);
    kst_free(g->allocator, item, tiles * sizeof *item);
    return status;
}

// ---- the set ---------------------------------------------------------------------------------------

static void grow_box(karst_box *all, const karst_box *b) {
    all->min = (karst_pos){fmin(all->min.x, b->min.x), fmin(all->min.y, b->min.y), fmin(all->min.z, b->min.z)};
    all->max = (karst_pos){fmax(all->max.x, b->max.x), fmax(all->max.y, b->max.y), fmax(all->max.z, b->max.z)};
}

// The boxes over all zones anew.
static karst_status make_top(karst_zone_ground *g) {
    float(*box)[6] = kst_alloc_array(g->allocator, g->slot_count + 1, sizeof *box);
    uint32_t *item = kst_alloc_array(g->allocator, g->slot_count + 1, sizeof *item), count = 0;
    karst_status status = box && item ? KARST_OK : KARST_ERROR_MEMORY;
    kst_box_tree top = {0};
    karst_box all = no_box;
    float extent = 0;
    double fine_m = INFINITY;
    for (uint32_t k = 0; !status && k < g->slot_count; ++k) {
        const kst_zone_slot *slot = &g->slot[k];
        float b[6];
        if (!kst_box_tree_bounds(&slot->tree, b)) continue;
        for (int a = 0; a < 6; ++a) {
            double at = slot->origin[a % 3] + (double)b[a];
            box[count][a] = a < 3 ? kst_float_below(at) : kst_float_above(at);
            extent = fmaxf(extent, fabsf(box[count][a]));
        }
        grow_box(&all, &slot->all);
        fine_m = fmin(fine_m, slot->fine_m);
        item[count++] = k;
    }
    if (!status) status = kst_box_tree_build((const float(*)[6])box, count, g->allocator, &top);
    if (!status) {
        for (uint32_t k = 0; k < count; ++k) top.item[k] = item[top.item[k]];
        kst_box_tree_free(&g->top, g->allocator);
        g->top = top;
        g->all = all;
        g->fine_m = fine_m;
        if (count) {
            kst_reach_make(g->origin, all, extent, &g->reach);
            float root[6];  // boxes are rounded outward once more in their node
            kst_node_box(&top.node[top.node_count - 1], root);
            for (int a = 0; a < 6; ++a) g->reach.extent = fmaxf(g->reach.extent, fabsf(root[a]));
        }
    }
    kst_free(g->allocator, box, (g->slot_count + 1) * sizeof *box);
    kst_free(g->allocator, item, (g->slot_count + 1) * sizeof *item);
    return status;
}

static karst_status make_room(karst_zone_ground *g, uint32_t more) {
    if (more <= g->slot_room - g->slot_count) return KARST_OK;
    size_t room = (size_t)g->slot_count + more;
    room += room / 2 + 8;
    if (room > UINT32_MAX) return KARST_ERROR_MEMORY;
    kst_zone_slot *slot = kst_alloc_array(g->allocator, room, sizeof *slot);
    if (!slot) return KARST_ERROR_MEMORY;
    if (g->slot_count) memcpy(slot, g->slot, g->slot_count * sizeof *slot);
    kst_free(g->allocator, g->slot, g->slot_room * sizeof *slot);
    g->slot = slot;
    g->slot_room = (uint32_t)room;
    return KARST_OK;
}

static void clear_slot(karst_zone_ground *g, uint32_t chunk) {
    kst_box_tree_free(&g->slot[chunk].tree, g->allocator);
    g->slot[chunk] = (kst_zone_slot){.all = no_box};
}

struct karst_zone_boxes {
    kst_zone_slot slot;  // all but the serial number
    const karst_allocator *allocator;
};

karst_status karst_zone_boxes_make(const karst_zone_ground *ground, const karst_zone *zone, karst_zone_boxes **out) {
    karst_zone_boxes *boxes = kst_alloc_zero(ground->allocator, sizeof *boxes);
    if (!boxes) return KARST_ERROR_MEMORY;
    boxes->allocator = ground->allocator;
    karst_status status = make_slot(ground, zone, &boxes->slot);
    if (status)
        karst_zone_boxes_destroy(boxes);
    else
        *out = boxes;
    return status;
}

void karst_zone_boxes_destroy(karst_zone_boxes *boxes) {
    if (!boxes) return;
    kst_box_tree_free(&boxes->slot.tree, boxes->allocator);
    kst_free(boxes->allocator, boxes, sizeof *boxes);
}

// The zones, or those that the boxes are of, whose trees the ground then has.
static karst_status add(karst_zone_ground *g, const karst_zone *const *zones, karst_zone_boxes *const *boxes,
                        uint32_t count, uint32_t *chunks) {
    uint32_t *number = kst_alloc_array(g->allocator, (size_t)count + 1, sizeof *number), done = 0, was = g->slot_count;
    karst_status status = number ? make_room(g, count) : KARST_ERROR_MEMORY;
    for (uint32_t chunk = 0; !status && done < count; ++chunk) {
        if (chunk < g->slot_count && g->slot[chunk].zone) continue;
        kst_zone_slot slot;
        if (boxes)
            slot = boxes[done]->slot;
        else
            status = make_slot(g, zones[done], &slot);
        if (status) break;
        slot.serial = ++g->serial;
        g->slot[chunk] = slot;
        if (chunk == g->slot_count) ++g->slot_count;
        number[done++] = chunk;
    }
    if (!status) status = make_top(g);
    if (status) {
        while (done) {
            --done;
            if (boxes) g->slot[number[done]].tree = (kst_box_tree){0};  // they keep it
            clear_slot(g, number[done]);
        }
        g->slot_count = was;
    } else if (chunks) {
        memcpy(chunks, number, count * sizeof *chunks);
    }
    kst_free(g->allocator, number, ((size_t)count + 1) * sizeof *number);
    return status;
}

karst_status karst_zone_ground_add(karst_zone_ground *ground, const karst_zone *const *zones, uint32_t count,
                                   uint32_t *chunks) {
    return add(ground, zones, NULL, count, chunks);
}

karst_status karst_zone_ground_take(karst_zone_ground *ground, karst_zone_boxes *const *boxes, uint32_t count,
                                    uint32_t *chunks) {
    karst_status status = add(ground, NULL, boxes, count, chunks);
    for (uint32_t k = 0; k < count && !status; ++k) kst_free(boxes[k]->allocator, boxes[k], sizeof *boxes[k]);
    return status;
}

karst_status karst_zone_ground_remove(karst_zone_ground *ground, uint32_t chunk) {
    KARST_ASSERT(chunk < ground->slot_count && ground->slot[chunk].zone);
    kst_zone_slot slot = ground->slot[chunk];
    ground->slot[chunk] = (kst_zone_slot){.all = no_box};
    karst_status status = make_top(ground);
    if (status)
        ground->slot[chunk] = slot;
    else
        kst_box_tree_free(&slot.tree, ground->allocator);
    return status;
}

// ---- questions -------------------------------------------------------------------------------------

static karst_box zones_bounds(const karst_ground *ground) {
    return of(ground)->all;
}

static uint32_t zones_chunk_count(const karst_ground *ground) {
    return of(ground)->slot_count;
}

static karst_box zones_chunk_bounds(const karst_ground *ground, uint32_t chunk) {
    return of(ground)->slot[chunk].all;
}

static void tile_triangles(const karst_zone_ground *g, const kst_zone_slot *slot, const kst_tile *tile, uint32_t item,
                           karst_triangle out[32]) {
    for (int k = 0; k < 32; ++k) {
        kst_corners corner;
        kst_tile_triangle(g, slot, tile, k >> 3, k & 7, &corner);
        for (int c = 0; c < 3; ++c) out[k].corner[c] = kst_corner(&corner, c);
        out[k].place = kst_tile_place(g, slot, item, k >> 3, k & 7);
    }
}

static karst_status zones_chunk_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn,
                                          void *context) {
    const karst_zone_ground *g = of(ground);
    const kst_zone_slot *slot = &g->slot[chunk];
    for (uint32_t p = 0; slot->zone && p < slot->zone->piece_count; ++p) {
        int n = 1 << slot->zone->pieces[p].tiles_log2;
        for (int t = 0; t < n * n; ++t) {
            kst_tile tile;
            karst_triangle triangle[32];
            uint32_t item = kst_tile_item(p, t % n, t / n);
            kst_tile_make(slot, item, &tile);
            tile_triangles(g, slot, &tile, item, triangle);
            if (!fn(context, triangle, 32)) return KARST_ERROR_CANCELLED;
        }
    }
    return KARST_OK;
}

static karst_status pile_zone(kst_pile *p, const karst_zone_ground *g, const kst_zone_slot *slot, kst_tile_bank *bank,
                              double pad) {
    kst_box_over over;
    kst_tile own;
    uint32_t place;
    karst_status status = KARST_OK;
    kst_box_over_begin(&over, &slot->tree, p->x - g->origin.x - slot->origin[0], p->z - g->origin.z - slot->origin[2],
                       pad);
    while (!status && kst_box_over_next(&over, &slot->tree, &place)) {
        const kst_tile *tile = kst_tile_get(bank, slot, place, &own);
        for (int k = 0; k < 32 && !status; ++k) {
            kst_corners corner;
            kst_tile_triangle(g, slot, tile, k >> 3, k & 7, &corner);
            status = kst_pile_try(p, &corner, kst_tile_place(g, slot, slot->tree.item[place], k >> 3, k & 7));
        }
    }
    return status;
}

static karst_status zones_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                  int *count) {
    karst_zone_ground *g = of(ground);
    *count = 0;
    if (!(fabs(x) < 1e100 && fabs(z) < 1e100) || !g->top.level_count) return KARST_OK;
    kst_pile p;
    kst_box_over over;
    uint32_t place;
    double pad = 0x1p-46 * (fabs(x) + fabs(z) + g->reach.size + (double)g->reach.extent);
    karst_status status = KARST_OK;
    kst_pile_begin(&p, x, z, g->allocator);
    int bank = kst_bank_take(g);
    kst_box_over_begin(&over, &g->top, x - g->origin.x, z - g->origin.z, pad);
    while (!status && kst_box_over_next(&over, &g->top, &place))
        status = pile_zone(&p, g, &g->slot[g->top.item[place]], bank < 0 ? NULL : g->bank[bank], pad);
    kst_bank_give(g, bank);
    return kst_pile_end(&p, status, g->fine_m / 256, out, capacity, count);
}

static karst_status near_zone(const kst_near *near, const karst_zone_ground *g, const kst_zone_slot *slot,
                              kst_tile_bank *bank) {
    kst_box_near at;
    kst_tile own;
    karst_triangle triangle[32];
    uint32_t place;
    double low[3], high[3];
    for (int a = 0; a < 3; ++a) low[a] = near->low[a] - slot->origin[a], high[a] = near->high[a] - slot->origin[a];
    kst_box_near_begin(&at, &slot->tree, low, high);
    while (kst_box_near_next(&at, &slot->tree, &place)) {
        const kst_tile *tile = kst_tile_get(bank, slot, place, &own);
        tile_triangles(g, slot, tile, slot->tree.item[place], triangle);
        if (!kst_near_hand(near, triangle, 32)) return KARST_ERROR_CANCELLED;
    }
    return KARST_OK;
}

static karst_status zones_near(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context) {
    karst_zone_ground *g = of(ground);
    kst_near near;
    kst_box_near at;
    uint32_t place;
    double extent = g->reach.size + (double)g->reach.extent;
    karst_status status = KARST_OK;
    if (!g->top.level_count || !kst_near_begin(&near, box, g->all, g->origin, extent, fn, context)) return KARST_OK;
    int bank = kst_bank_take(g);
    kst_box_near_begin(&at, &g->top, near.low, near.high);
    while (!status && kst_box_near_next(&at, &g->top, &place))
        status = near_zone(&near, g, &g->slot[g->top.item[place]], bank < 0 ? NULL : g->bank[bank]);
    kst_bank_give(g, bank);
    return status;
}

static karst_status zones_cast(const karst_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    karst_zone_ground *g = of(ground);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512bw")) return kst_zone_cast_avx512(g, ray, any, out);
    if (__builtin_cpu_supports("avx2")) return kst_zone_cast_avx2(g, ray, any, out);
#endif
    return kst_zone_cast_plain(g, ray, any, out);
}

static size_t zones_memory(const karst_ground *ground) {
    const karst_zone_ground *g = of(ground);
    size_t bytes = sizeof *g + g->slot_room * sizeof *g->slot + kst_box_tree_bytes(&g->top);
    for (uint32_t k = 0; k < g->slot_count; ++k) bytes += kst_box_tree_bytes(&g->slot[k].tree);
    for (int k = 0; k < KST_BANKS; ++k)
        if (__atomic_load_n(&g->bank[k], __ATOMIC_RELAXED)) bytes += sizeof *g->bank[k];
    return bytes;
}

static const karst_ground_table table = {
    .kind = "patch",
    .bounds = zones_bounds,
    .chunk_count = zones_chunk_count,
    .chunk_bounds = zones_chunk_bounds,
    .chunk_triangles = zones_chunk_triangles,
    .heights = zones_heights,
    .cast = zones_cast,
    .memory = zones_memory,
    .near_box = zones_near,
};

// ---- one ground ------------------------------------------------------------------------------------

karst_status karst_zone_ground_create(karst_pos origin, const karst_allocator *allocator, karst_zone_ground **out) {
    karst_zone_ground *ground = kst_alloc_zero(allocator, sizeof *ground);
    if (!ground) return KARST_ERROR_MEMORY;
    ground->base.table = &table;
    ground->origin = origin;
    ground->allocator = allocator;
    ground->all = no_box;
    *out = ground;
    return KARST_OK;
}

void karst_zone_ground_destroy(karst_zone_ground *ground) {
    if (!ground) return;
    for (uint32_t k = 0; k < ground->slot_count; ++k) kst_box_tree_free(&ground->slot[k].tree, ground->allocator);
    kst_box_tree_free(&ground->top, ground->allocator);
    for (int k = 0; k < KST_BANKS; ++k) kst_free(ground->allocator, ground->bank[k], sizeof *ground->bank[k]);
    kst_free(ground->allocator, ground->slot, ground->slot_room * sizeof *ground->slot);
    kst_free(ground->allocator, ground, sizeof *ground);
}

const karst_ground *karst_zone_ground_of(const karst_zone_ground *ground) {
    return &ground->base;
}
