// SPDX-License-Identifier: MIT
// The parts of a record but its planes: each is a list of numbers whose tables are known beforehand. Writing, the
// numbers are filled in; reading, they are there already.
#pragma once
#include "pack/record.h"

enum {
    // Tables of KST_MODEL_FORM: what of a corner, for level 0 and above; normals by level, those of level 0 last.
    KST_FORM_SIDES = 0,   // low and high along x and z
    KST_FORM_INSIDE = 1,  // low and high y of a corner all of whose patches are in the chunk
    KST_FORM_BORDER = 2,  // of the others
    KST_FORM_ERROR = 3,   // errors of level L .. L + 4
    KST_FORM_KINDS = 8,
    KST_FORM_NORMALS = 2 * KST_FORM_KINDS,
    KST_FORM_NORMALS_LAST = KST_RANS_NOTHING - 1,
    // Tables of KST_MODEL_COVER.
    KST_COVER_HOLES = 0,   // by what is above and beside
    KST_COVER_LIGHT = 16,  // by how much the ends differ
    KST_HOLE_NUMBERS = KARST_CHUNK_CELLS * KARST_CHUNK_CELLS,
    KST_LIGHT_SIDE = 2 * KARST_HALF_SIDE - 1,
    KST_LIGHT_NUMBERS = (KST_LIGHT_SIDE * KST_LIGHT_SIDE + KST_RANS_ROW - 1) / KST_RANS_ROW * KST_RANS_ROW,
    KST_CORNER_ROWS = 6 + KARST_PATCH_LEVELS + 1,
    KST_CORNER_FLOATS = KST_CORNER_ROWS * KARST_CORNER_COUNT,
    KST_CORNER_NUMBERS = (4 * KST_CORNER_FLOATS + KST_RANS_ROW - 1) / KST_RANS_ROW * KST_RANS_ROW,
    KST_NORMAL_NUMBERS = 2 * KST_PLANE_NUMBERS,
    KST_ERROR_BITS = 19,  // low bits of an error that are 0
};

// Numbers read row by row; false when the stream ends before.
bool kst_unrans_rows(kst_unrans *u, const kst_rans_slots *slots, const uint16_t *table, uint32_t *number, int count);

// ---- record_corners.c ------------------------------------------------------------------------------

// Row of floats in a chunk's corners: min x, y, z, max x, y, z, errors; KARST_CORNER_LANES a row.
static inline float *kst_corner_row(karst_chunk_corners *c, int row) {
    float *rows[6] = {c->min_x, c->min_y, c->min_z, c->max_x, c->max_y, c->max_z};
    return row < 6 ? rows[row] : c->error[row - 6];
}
static inline const float *kst_corner_row_of(const karst_chunk_corners *c, int row) {
    return kst_corner_row((karst_chunk_corners *)(uintptr_t)c, row);
}
// Lanes beyond the corners repeat the first. False when something is a NaN or an error below 0.
bool kst_corners_finish(karst_chunk_corners *corners);

// Tables of the corners of the children that are there.
void kst_corner_tables(const kst_record_tables *t, kst_record_place p, uint16_t table[KST_CORNER_NUMBERS]);
// Numbers of the children's corners; false when some value has none (then they are written as they are).
bool kst_corner_numbers(const kst_record_tables *t, kst_record_place p, const karst_chunk *const children[4],
                        uint32_t number[KST_CORNER_NUMBERS]);
// And back, into children whose vertices are set. False when something is no number.
bool kst_corners_from(const kst_record_tables *t, kst_record_place p, const uint32_t number[KST_CORNER_NUMBERS],
                      karst_chunk children[4]);
// The floats as they are: those of the children that are there, one after the other, little-endian.
size_t kst_corners_raw_bytes(const kst_record_tables *t, kst_record_place p);
void kst_corners_put_raw(const kst_record_tables *t, kst_record_place p, const karst_chunk *const children[4],
                         uint8_t *out);
bool kst_corners_read_raw(const kst_record_tables *t, kst_record_place p, const uint8_t *bytes,
                          karst_chunk children[4]);

// ---- record_cover.c --------------------------------------------------------------------------------

// Hole bits of the children: 128 rows of 128 bits, two words a row.
typedef uint64_t kst_hole_grid[KST_FINE_SIDE - 1][2];
// Bits of cells beyond the field; they are holes.
void kst_holes_beyond(const kst_record_tables *t, kst_record_place p, kst_hole_grid out);
// Tables of row j of the parent's cells; rows of `holes` above are there.
void kst_hole_tables(const karst_chunk *parent, const kst_hole_grid beyond, const kst_hole_grid holes, int j,
                     uint16_t table[KARST_CHUNK_CELLS]);
// Number of a cell's four bits, and the bits of row j from numbers.
void kst_hole_numbers(const kst_hole_grid holes, int j, const uint16_t table[KARST_CHUNK_CELLS],
                      uint32_t number[KARST_CHUNK_CELLS]);
void kst_holes_from(const uint32_t number[KARST_CHUNK_CELLS], const uint16_t table[KARST_CHUNK_CELLS],
                    const kst_hole_grid beyond, int j, kst_hole_grid holes);

// Light: a byte at every vertex of the node, of which its own chunk has every second. Fills prediction and tables.
void kst_light_tables(const uint8_t coarse[KARST_HALF_VERTICES], uint8_t prediction[KST_LIGHT_SIDE * KST_LIGHT_SIDE],
                      uint16_t table[KST_LIGHT_NUMBERS]);
