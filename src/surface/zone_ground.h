// SPDX-License-Identifier: MIT
// What a ground of zones holds: a tree of boxes over the tiles of each zone, one over the zones, and tiles that were
// made for earlier queries.
//
//     a tile: 4 x 4 cells, 2 x 2 fans       a fan: eight triangles (c, k + 1, k) round the odd-odd vertex c
//     ┌─────┬─────┐                         0---1---2
//     │ \|/ │ \|/ │                         | \ | / |      the same fans as a block of a field, see ray.h
//     │ /|\ │ /|\ │                         7---c---3
//     ├─────┼─────┤                         | / | \ |
//     │ \|/ │ \|/ │                         6---5---4
//     └─────┴─────┘
#pragma once
#include "karst/zoneground.h"
#include "surface/box_tree.h"

// The 25 vertices of a tile from its zone's bias [m]: whole fine steps, so floats are exact.
typedef struct kst_tile {
    _Alignas(64) float ring[3][4][8];  // x, y, z; fan; k
    float centre[3][4];
    float fan_extent;  // most that two vertices of a fan are apart, summed over the axes [m]
} kst_tile;

// A zone as queries see it. The origin of its boxes is its bias.
typedef struct kst_zone_slot {
    _Alignas(32) double origin[4];  // of its boxes, from the ground's origin [m]
    const karst_zone *zone;         // NULL: free
    kst_box_tree tree;
    karst_box all;    // of its triangles, world [m]
    double fine_m;    // a fine step
    float extent;     // most that anything in it is from its origin, along an axis [m]
    uint32_t serial;  // tells it from all zones that had this place
} kst_zone_slot;

// Tiles that were made last. A query has a bank to itself or does without.
enum { KST_BANKS = 16, KST_BANK_TILES = 4096 };
typedef struct kst_tile_bank {
    uint64_t key[KST_BANK_TILES];  // serial << 32 | place in the zone's order; 0: none
    kst_tile tile[KST_BANK_TILES];
} kst_tile_bank;

struct karst_zone_ground {
    karst_ground base;
    karst_pos origin;
    const karst_allocator *allocator;
    kst_zone_slot *slot;
    uint32_t slot_count, slot_room, serial;
    double fine_m;     // the finest of its zones'
    karst_box all;     // world [m]
    kst_box_tree top;  // over the slots that hold triangles, relative to the origin
    kst_reach reach;
    kst_tile_bank *bank[KST_BANKS];  // made when first needed
    struct {
        _Alignas(64) bool busy;
    } door[KST_BANKS];
};

// ---- tile_bank.c -----------------------------------------------------------------------------------

// Number of a bank that this query has to itself, or -1.
int kst_bank_take(karst_zone_ground *ground);
void kst_bank_give(karst_zone_ground *ground, int bank);

// A tile's piece in its zone and its place in that are packed into the items of the zone's tree.
static inline uint32_t kst_tile_item(uint32_t piece, int i, int j) {
    return piece << 8 | (uint32_t)j << 4 | (uint32_t)i;
}
void kst_tile_make(const kst_zone_slot *slot, uint32_t item, kst_tile *out);
void kst_tile_fill(const karst_fine *vertex, int stride, double fine_m, kst_tile *out);

// The tile at a place of the zone's order: from the bank, or made there, or made in *own when there is no bank.
static inline const kst_tile *kst_tile_get(kst_tile_bank *bank, const kst_zone_slot *slot, uint32_t place,
                                           kst_tile *own) {
    kst_tile *tile = own;
    if (bank) {
        uint64_t key = (uint64_t)slot->serial << 32 | place;
        uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 52);
        tile = &bank->tile[at];
        if (bank->key[at] == key) return tile;
        bank->key[at] = key;
    }
    kst_tile_make(slot, slot->tree.item[place], tile);
    return tile;
}

// ---- triangles -------------------------------------------------------------------------------------

// Triangle k of a fan, counter-clockwise from its upper side; the same sums for every zone that shares a vertex.
static inline void kst_tile_triangle(const karst_zone_ground *ground, const kst_zone_slot *slot, const kst_tile *tile,
                                     int fan, int k, kst_corners *out) {
    int next = (k + 1) & 7;
    const double origin[3] = {ground->origin.x, ground->origin.y, ground->origin.z};
    for (int a = 0; a < 3; ++a) {
        const float *ring = tile->ring[a][fan];
        kst_lanes v = {(double)tile->centre[a][fan], (double)ring[next], (double)ring[k], 0};
        out->axis[a] = origin[a] + (slot->origin[a] + v);
    }
}

karst_place kst_tile_place(const karst_zone_ground *ground, const kst_zone_slot *slot, uint32_t item, int fan, int k);

// ---- rays, once for each vector width ----------------------------------------------------------------

typedef karst_status kst_zone_cast_fn(karst_zone_ground *ground, const karst_ray *ray, bool any, karst_hit *out);
kst_zone_cast_fn kst_zone_cast_plain;
#if defined(__x86_64__)
kst_zone_cast_fn kst_zone_cast_avx2, kst_zone_cast_avx512;
#endif
