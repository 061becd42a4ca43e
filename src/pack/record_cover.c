// SPDX-License-Identifier: MIT
// Holes and light as numbers.
//
// A cell of the node that is no hole has none below it. The four cells under one that is are a number of four bits,
// told by a table that looks at the two bits above it and at whether the node's cells to the left and right are holes.
#include "pack/record_parts.h"

// Bits [from, 64) of a word that begins at cell `first`, when cells from `count` on are beyond.
static uint64_t bits_from(int64_t count, int64_t first) {
    int64_t inside = count - first;
    return inside <= 0 ? ~UINT64_C(0) : inside >= 64 ? 0 : ~UINT64_C(0) << inside;
}

void kst_holes_beyond(const kst_record_tables *t, kst_record_place p, kst_hole_grid out) {
    // A coarse cell that reaches beyond is one: it holds a hole, for outside is one.
    int64_t side = 2 * KARST_CHUNK_CELLS, columns = (t->lattice.shape.columns - 1) >> p.level,
            rows = (t->lattice.shape.rows - 1) >> p.level;
    for (int j = 0; j < side; ++j)
        for (int w = 0; w < 2; ++w)
            out[j][w] = p.z * side + j >= rows ? ~UINT64_C(0) : bits_from(columns, p.x * side + 64 * w);
}

static unsigned four_bits(const kst_hole_grid g, int i, int j) {  // of the cells under the node's cell (i, j)
    int word = i >> 5, shift = 2 * (i & 31);
    return (unsigned)(g[2 * j][word] >> shift & 3) | (unsigned)(g[2 * j + 1][word] >> shift & 3) << 2;
}

void kst_hole_tables(const karst_chunk *parent, const kst_hole_grid beyond, const kst_hole_grid holes, int j,
                     uint16_t table[KARST_CHUNK_CELLS]) {
    uint64_t row = parent->hole[j];
    for (int i = 0; i < KARST_CHUNK_CELLS; ++i) {
        bool known = !(row >> i & 1) || four_bits(beyond, i, j) == 15;
        unsigned above = j ? (unsigned)(holes[2 * j - 1][i >> 5] >> (2 * (i & 31)) & 3) : 0;
        bool left = i > 0 && (row >> (i - 1) & 1), right = i < KARST_CHUNK_CELLS - 1 && (row >> (i + 1) & 1);
        table[i] = (uint16_t)(known ? KST_RANS_NOTHING : KST_COVER_HOLES + above + 4u * left + 8u * right);
    }
}

void kst_hole_numbers(const kst_hole_grid holes, int j, const uint16_t table[KARST_CHUNK_CELLS],
                      uint32_t number[KARST_CHUNK_CELLS]) {
    for (int i = 0; i < KARST_CHUNK_CELLS; ++i)
        number[i] = table[i] == KST_RANS_NOTHING ? 0 : four_bits(holes, i, j) ^ 15;
}

void kst_holes_from(const uint32_t number[KARST_CHUNK_CELLS], const uint16_t table[KARST_CHUNK_CELLS],
                    const kst_hole_grid beyond, int j, kst_hole_grid holes) {
    memcpy(holes[2 * j], beyond[2 * j], 2 * sizeof holes[0]);
    for (int i = 0; i < KARST_CHUNK_CELLS; ++i) {
        if (table[i] == KST_RANS_NOTHING) continue;
        uint64_t bits = (number[i] ^ 15) & 15;
        holes[2 * j][i >> 5] |= (bits & 3) << (2 * (i & 31));
        holes[2 * j + 1][i >> 5] |= (bits >> 2) << (2 * (i & 31));
    }
}

// ---- light -----------------------------------------------------------------------------------------

static int difference_class(int low, int high) {
    int d = high - low, c = 0;
    while (d) ++c, d >>= 1;
    return c < 14 ? c : 14;
}

void kst_light_tables(const uint8_t coarse[KARST_HALF_VERTICES], uint8_t prediction[KST_LIGHT_SIDE * KST_LIGHT_SIDE],
                      uint16_t table[KST_LIGHT_NUMBERS]) {
    enum { S = KST_LIGHT_SIDE, H = KARST_HALF_SIDE };
    for (int k = S * S; k < KST_LIGHT_NUMBERS; ++k) table[k] = KST_RANS_NOTHING;
    for (int j = 0; j < S; ++j)
        for (int i = 0; i < S; ++i) {
            const uint8_t *at = coarse + j / 2 * H + i / 2;
            int right = i & 1, down = j & 1 ? H : 0;
            int v[4] = {at[0], at[right], at[down], at[right + down]}, low = v[0], high = v[0];
            for (int k = 1; k < 4; ++k) {
                low = v[k] < low ? v[k] : low;
                high = v[k] > high ? v[k] : high;
            }
            int known = !(i & 1) && !(j & 1);
            prediction[j * S + i] = (uint8_t)((v[0] + v[1] + v[2] + v[3] + 2) / 4);
            table[j * S + i] = (uint16_t)(known ? KST_RANS_NOTHING : KST_COVER_LIGHT + difference_class(low, high));
        }
}
