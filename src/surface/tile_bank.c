// SPDX-License-Identifier: MIT
// Tiles made when a query needs them, and kept a while.
#include <math.h>

#include "surface/zone_ground.h"

void kst_tile_fill(const karst_fine *vertex, int stride, double fine_m, kst_tile *out) {
    static const uint8_t right[8] = {0, 1, 2, 2, 2, 1, 0, 0}, below[8] = {0, 0, 0, 1, 2, 2, 2, 1};
    const float step = (float)fine_m;  // a power of two
    out->fan_extent = 0;
    for (int f = 0; f < 4; ++f) {
        const karst_fine *fan = vertex + 2 * (f >> 1) * stride + 2 * (f & 1), *c = fan + stride + 1;
        const float centre[3] = {(float)c->x * step, (float)c->y * step, (float)c->z * step};
        float low[3], high[3], sum = 0;
        for (int a = 0; a < 3; ++a) low[a] = high[a] = out->centre[a][f] = centre[a];
        for (int k = 0; k < 8; ++k) {
            const karst_fine *v = fan + below[k] * stride + right[k];
            const float at[3] = {(float)v->x * step, (float)v->y * step, (float)v->z * step};
            for (int a = 0; a < 3; ++a) {
                out->ring[a][f][k] = at[a];
                low[a] = at[a] < low[a] ? at[a] : low[a];
                high[a] = at[a] > high[a] ? at[a] : high[a];
            }
        }
        for (int a = 0; a < 3; ++a) sum += high[a] - low[a];
        if (sum > out->fan_extent) out->fan_extent = sum;
    }
}

void kst_tile_make(const kst_zone_slot *slot, uint32_t item, kst_tile *out) {
    karst_fine vertex[25];
    karst_zone_tile(slot->zone, item >> 8, (int)(item & 15), (int)(item >> 4 & 15), vertex);
    kst_tile_fill(vertex, 5, slot->fine_m, out);
}

karst_place kst_tile_place(const karst_zone_ground *ground, const kst_zone_slot *slot, uint32_t item, int fan, int k) {
    const karst_piece *piece = &slot->zone->pieces[item >> 8];
    int i = KARST_TILE_CELLS * (piece->tile_s + (int)(item & 15)) + 2 * (fan & 1) + kst_fan_right[k];
    int j = KARST_TILE_CELLS * (piece->tile_t + (int)(item >> 4 & 15)) + 2 * (fan >> 1) + kst_fan_below[k];
    return (karst_place){(uint32_t)(slot - ground->slot), (int32_t)piece->patch, KARST_PATCH_CELLS_MAX * j + i,
                         kst_fan_number[k]};
}

// Threads begin their search at doors of their own, so that they seldom meet and find their own tiles again.
int kst_bank_take(karst_zone_ground *ground) {
    static _Thread_local char here;
    uint32_t first = (uint32_t)((uint64_t)(uintptr_t)&here * 0x9E3779B97F4A7C15u >> 60);
    for (uint32_t n = 0; n < KST_BANKS; ++n) {
        int k = (int)((first + n) % KST_BANKS);
        if (__atomic_load_n(&ground->door[k].busy, __ATOMIC_RELAXED) ||
            __atomic_test_and_set(&ground->door[k].busy, __ATOMIC_ACQUIRE))
            continue;
        if (ground->bank[k]) return k;
        kst_tile_bank *bank = kst_alloc(ground->allocator, sizeof *bank);
        if (bank) {
            memset(bank->key, 0, sizeof bank->key);
            __atomic_store_n(&ground->bank[k], bank, __ATOMIC_RELAXED);
            return k;
        }
        kst_bank_give(ground, k);
        return -1;
    }
    return -1;
}

void kst_bank_give(karst_zone_ground *ground, int bank) {
    if (bank >= 0) __atomic_clear(&ground->door[bank].busy, __ATOMIC_RELEASE);
}
