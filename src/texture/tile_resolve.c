// SPDX-License-Identifier: MIT
// What lies on a tile, from what its corners are painted with and where it is. A set covers its own corners and those
// of higher sets, which lie over it in turn.
#include "core/core.h"
#include "karst/tile.h"

// A number for a place in the world, whichever zone knows it.
static uint64_t place_number(const karst_zone *zone, karst_fine at, uint64_t seed) {
    int32_t v[3] = {zone->bias.x + at.x, zone->bias.y + at.y, zone->bias.z + at.z};
    return kst_hash(v, sizeof v, seed);
}
// Where a border crosses the side between two tile corners.
static int crossing(uint64_t a, uint64_t b) {
    return (int)((a + b) >> 17 & 1);
}

static uint16_t layer(int set, int variant, int mask) {
    return (uint16_t)(set | variant << 4 | mask << 8);
}

// Transition of corners `bits`; all[side]: where borders cross the sides.
static int mask_of(int bits, const int all[4]) {
    static const uint8_t ends[4][2] = {{0, 1}, {1, 2}, {3, 2}, {0, 3}};
    int found[4], count = 0;
    for (int side = 0; side < 4; ++side)
        if ((bits >> ends[side][0] & 1) != (bits >> ends[side][1] & 1)) found[count++] = all[side];
    return count == 2 ? karst_tile_mask_of(bits, found[0], found[1]) : KARST_NET_NONE;
}

// One of the images of a set that are of a group, else of those that are common. number: 8 bits.
static int variant_of(const karst_tile_bank *bank, int set, int group, unsigned number) {
    unsigned own = 0, common = 0;
    for (int k = 0; k < KARST_TILE_VARIANTS; ++k) {
        own |= (unsigned)(bank->groups[set][k] >> group & 1) << k;
        common |= (unsigned)(bank->groups[set][k] & 1) << k;
    }
    if (!own) own = common ? common : 1;
    for (unsigned skip = number * (unsigned)__builtin_popcount(own) >> 8; skip; --skip) own &= own - 1;
    return __builtin_ctz(own);
}

// False when it takes more layers than there are.
static bool resolve(const karst_tile_bank *bank, const uint8_t set[4], int group, uint64_t number, const int all[4],
                    karst_tile_element *out) {
    int order[4], count = 0;
    for (int k = 0; k < 4; ++k) {  // sets that are there, lowest first
        int at = count;
        bool known = false;
        for (int i = 0; i < count; ++i) known |= order[i] == set[k];
        if (known) continue;
        while (at > 0 && karst_tile_rank(order[at - 1]) > karst_tile_rank(set[k])) order[at] = order[at - 1], --at;
        order[at] = set[k], ++count;
    }
    int used = 1;
    bool all_there = true;
    out->turns = (uint16_t)(number & 63);
    out->layer[0] = layer(order[0], variant_of(bank, order[0], group, number >> 8 & 255), 0);
    out->layer[1] = out->layer[2] = KARST_TILE_NONE;
    for (int i = 1; i < count; ++i) {
        int bits = 0;
        unsigned choice = number >> (8 + 8 * i) & 255;
        for (int k = 0; k < 4; ++k) bits |= (karst_tile_rank(set[k]) >= karst_tile_rank(order[i])) << k;
        int part[2] = {bits, 0};
        if (bits == 5 || bits == 10) part[0] = bits & 3, part[1] = bits & 12;  // across: a corner each
        for (int p = 0; p < 2 && part[p]; ++p) {
            int own = order[i];
            if (part[1])  // of three sets across, each corner has its own
                for (int k = 0; k < 4; ++k)
                    if (part[p] == 1 << k) own = set[k];
            if (used < KARST_TILE_LAYERS)
                out->layer[used++] = layer(own, variant_of(bank, own, group, choice), mask_of(part[p], all));
            else
                all_there = false;
        }
        if (part[1] && i + 1 < count) {  // what is higher was one of the two
            all_there &= i + 2 >= count;
            break;
        }
    }
    return all_there;
}

int karst_tile_resolve(const karst_tile_bank *bank, const karst_zone *zone, uint32_t index, karst_tile_element *out) {
    KARST_ASSERT(index < zone->piece_count);
    const karst_piece *piece = &zone->pieces[index];
    const karst_fine *places = zone->places + piece->first_place;
    const karst_zone_painted paint = karst_zone_paint(zone, piece->patch);
    int n = 1 << piece->tiles_log2, w = n + 1, over = 0;
    uint64_t number[2][KARST_NET_TILES_MAX + 1];
    for (int i = 0; i <= n; ++i) number[0][i] = place_number(zone, places[i], 1);
    for (int j = 0; j < n; ++j) {
        uint64_t *low = number[j & 1], *high = number[~j & 1];
        for (int i = 0; i <= n; ++i) high[i] = place_number(zone, places[(j + 1) * w + i], 1);
        for (int i = 0; i < n; ++i) {
            const uint8_t *s = paint.set + 17 * (piece->tile_t + j) + piece->tile_s + i;
            const uint8_t corner[4] = {s[0], s[1], s[18], s[17]};
            int all[4] = {crossing(low[i], low[i + 1]), crossing(low[i + 1], high[i + 1]),
                          crossing(high[i], high[i + 1]), crossing(low[i], high[i])};
            uint64_t own = (low[i] ^ high[i + 1]) + low[i + 1] + high[i];
            int group = paint.group[KARST_NET_TILES_MAX * (piece->tile_t + j) + piece->tile_s + i];
            over += !resolve(bank, corner, group, own >> 13, all, &out[j * n + i]);
        }
    }
    return over;
}
