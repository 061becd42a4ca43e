// SPDX-License-Identifier: MIT
// Corner tables as numbers. A bound is a whole number of lattice steps, told as what it is beyond the bound of the
// chunk's own vertices; an error is a float of five significant bits, told as what it is beyond its neighbour's.
#include <math.h>

#include "pack/record_parts.h"
#include "surface/ray.h"

static bool is_inside(int corner) {
    int i = corner % KARST_CHUNK_CORNERS, j = corner / KARST_CHUNK_CORNERS;
    return i % (KARST_CHUNK_CORNERS - 1) && j % (KARST_CHUNK_CORNERS - 1);
}

void kst_corner_tables(const kst_record_tables *t, kst_record_place p, uint16_t table[KST_CORNER_NUMBERS]) {
    int set = p.level ? KST_FORM_KINDS : 0;
    for (int k = 0; k < KST_CORNER_NUMBERS; ++k) table[k] = KST_RANS_NOTHING;
    for (int child = 0, k = 0; child < 4; ++child) {
        if (!kst_record_has(t, p, child)) continue;
        for (int row = 0; row < KST_CORNER_ROWS; ++row)
            for (int c = 0; c < KARST_CORNER_COUNT; ++c, ++k) {
                int kind = row >= 6       ? KST_FORM_ERROR + row - 6
                           : row % 3 != 1 ? KST_FORM_SIDES
                           : is_inside(c) ? KST_FORM_INSIDE
                                          : KST_FORM_BORDER;
                table[k] = (uint16_t)(set + kind);
            }
    }
}

// Bounds of the chunk's patches in steps, x relative to the ground's origin: low and high of each axis.
typedef struct patch_boxes {
    int32_t low[3][KARST_CHUNK_PATCHES][KARST_CHUNK_PATCHES], high[3][KARST_CHUNK_PATCHES][KARST_CHUNK_PATCHES];
} patch_boxes;

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static int64_t clamp(int64_t v, int64_t high) {
    return v < high ? v : high;
}

// Vertices are where they are at rest, cut to the field, and moved; wild ones wrap.
static void measure_patches(const kst_record_tables *t, int level, int32_t x, int32_t z, const karst_chunk *chunk,
                            patch_boxes *out) {
    enum { P = KARST_CHUNK_PATCHES, CELLS = KARST_PATCH_CELLS };
    const karst_field_shape *shape = &t->lattice.shape;
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k < P * P; ++k) out->low[a][k / P][k % P] = INT32_MAX, out->high[a][k / P][k % P] = INT32_MIN;
    int32_t rest_x[KARST_CHUNK_SIDE];
    for (int i = 0; i < KARST_CHUNK_SIDE; ++i)
        rest_x[i] =
            (int32_t)(clamp(((int64_t)x * KARST_CHUNK_CELLS + i) << level, shape->columns - 1) * t->lattice.cell_steps);
    for (int j = 0; j < KARST_CHUNK_SIDE; ++j) {
        int32_t rest_z =
            (int32_t)(clamp(((int64_t)z * KARST_CHUNK_CELLS + j) << level, shape->rows - 1) * t->lattice.cell_steps);
        const karst_vertex *row = chunk->vertex + j * KARST_CHUNK_SIDE;
        for (int px = 0; px < P; ++px) {
            int32_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX}, high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
            for (int i = px * CELLS; i <= (px + 1) * CELLS; ++i) {
                int32_t vx = rest_x[i] + row[i].dx, vz = rest_z + row[i].dz;
                low[0] = least(low[0], vx), low[1] = least(low[1], row[i].y), low[2] = least(low[2], vz);
                high[0] = most(high[0], vx), high[1] = most(high[1], row[i].y), high[2] = most(high[2], vz);
            }
            for (int pz = most(0, (j - 1) / CELLS); pz <= least(P - 1, j / CELLS); ++pz) {
                if (j < pz * CELLS || j > (pz + 1) * CELLS) continue;
                for (int a = 0; a < 3; ++a) {
                    out->low[a][pz][px] = least(out->low[a][pz][px], low[a]);
                    out->high[a][pz][px] = most(out->high[a][pz][px], high[a]);
                }
            }
        }
    }
}

// What is guessed of the box of a corner: its patches that are in this chunk, and along x and z the rest places of
// those that are not.
static void guess_box(const kst_record_tables *t, int level, int32_t x, int32_t z, const patch_boxes *own, int corner,
                      int32_t low[3], int32_t high[3]) {
    enum { P = KARST_CHUNK_PATCHES };
    int64_t patch = (int64_t)KARST_PATCH_CELLS << level, columns = t->lattice.shape.columns - 1,
            rows = t->lattice.shape.rows - 1;
    // A corner beyond the field takes after the nearest that touches it.
    int64_t cx = clamp((int64_t)x * P + corner % KARST_CHUNK_CORNERS, (columns + patch - 1) / patch);
    int64_t cz = clamp((int64_t)z * P + corner / KARST_CHUNK_CORNERS, (rows + patch - 1) / patch);
    for (int a = 0; a < 3; ++a) low[a] = INT32_MAX, high[a] = INT32_MIN;
    for (int k = 0; k < 4; ++k) {
        int64_t px = cx - 1 + (k & 1) - (int64_t)x * P, pz = cz - 1 + (k >> 1) - (int64_t)z * P;
        if (px < 0 || px >= P || pz < 0 || pz >= P) continue;
        if ((px + (int64_t)x * P) * patch >= columns || (pz + (int64_t)z * P) * patch >= rows) continue;
        for (int a = 0; a < 3; ++a) {
            low[a] = least(low[a], own->low[a][pz][px]);
            high[a] = most(high[a], own->high[a][pz][px]);
        }
    }
    int32_t steps = t->lattice.cell_steps;
    low[0] = least(low[0], (int32_t)((cx > 0 ? cx - 1 : 0) * patch * steps));
    high[0] = most(high[0], (int32_t)(clamp((cx + 1) * patch, columns) * steps));
    low[2] = least(low[2], (int32_t)((cz > 0 ? cz - 1 : 0) * patch * steps));
    high[2] = most(high[2], (int32_t)(clamp((cz + 1) * patch, rows) * steps));
}

static double step_of(const kst_record_tables *t, int axis) {
    return axis == 1 ? t->lattice.step_y_m : t->lattice.step_xz_m;
}

// The float of a bound that is so many steps.
static float bound_float(const kst_record_tables *t, int row, int32_t steps) {
    double v = steps * step_of(t, row % 3);
    return row < 3 ? kst_float_below(v) : kst_float_above(v);
}

static bool bound_steps(const kst_record_tables *t, int row, float v, int32_t *out) {
    double steps = (double)v / step_of(t, row % 3);
    if (!(fabs(steps) < 2147483000.0)) return false;
    *out = (int32_t)lrint(steps);
    float back = bound_float(t, row, *out);
    return !memcmp(&back, &v, sizeof v);
}

static uint32_t error_guess(const uint32_t place[KARST_PATCH_LEVELS + 1][KARST_CORNER_COUNT], int k, int c) {
    int beside = c % KARST_CHUNK_CORNERS ? c - 1 : c - KARST_CHUNK_CORNERS;
    if (beside < 0) return k ? place[k - 1][c] : 0;
    if (!k) return place[0][beside];
    return place[k - 1][c] + (place[k][beside] - place[k - 1][beside]);
}

bool kst_corner_numbers(const kst_record_tables *t, kst_record_place p, const karst_chunk *const children[4],
                        uint32_t number[KST_CORNER_NUMBERS]) {
    memset(number, 0, KST_CORNER_NUMBERS * sizeof *number);
    for (int child = 0, k = 0; child < 4; ++child) {
        if (!kst_record_has(t, p, child)) continue;
        int32_t x = 2 * p.x + (child & 1), z = 2 * p.z + (child >> 1);
        patch_boxes own;
        measure_patches(t, p.level, x, z, children[child], &own);
        uint32_t place[KARST_PATCH_LEVELS + 1][KARST_CORNER_COUNT];
        for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
            int32_t low[3], high[3];
            guess_box(t, p.level, x, z, &own, c, low, high);
            for (int row = 0; row < 6; ++row) {
                int32_t steps;
                if (!bound_steps(t, row, kst_corner_row_of(&children[child]->corners, row)[c], &steps)) return false;
                uint32_t off =
                    row < 3 ? (uint32_t)low[row] - (uint32_t)steps : (uint32_t)steps - (uint32_t)high[row - 3];
                if (row % 3 == 1 && (off & ((1u << t->y_shift) - 1))) return false;
                if (row % 3 == 1) off = (uint32_t)((int32_t)off >> t->y_shift);
                number[k + row * KARST_CORNER_COUNT + c] = kst_zigzag(off);
            }
        }
        for (int e = 0; e <= KARST_PATCH_LEVELS; ++e)
            for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
                uint32_t bits;
                memcpy(&bits, &children[child]->corners.error[e][c], sizeof bits);
                if (bits & ((1u << KST_ERROR_BITS) - 1) || bits >> 31) return false;
                place[e][c] = bits >> KST_ERROR_BITS;
                number[k + (6 + e) * KARST_CORNER_COUNT + c] = kst_zigzag(place[e][c] - error_guess(place, e, c));
            }
        k += KST_CORNER_FLOATS;
    }
    return true;
}

bool kst_corners_finish(karst_chunk_corners *corners) {
    bool sane = true;
    for (int row = 0; row < KST_CORNER_ROWS; ++row) {
        float *at = kst_corner_row(corners, row);
        for (int c = 0; c < KARST_CORNER_COUNT; ++c) sane &= row < 6 ? !isnan(at[c]) : at[c] >= 0;
        for (int c = KARST_CORNER_COUNT; c < KARST_CORNER_LANES; ++c) at[c] = at[0];
    }
    return sane;
}

bool kst_corners_from(const kst_record_tables *t, kst_record_place p, const uint32_t number[KST_CORNER_NUMBERS],
                      karst_chunk children[4]) {
    bool sane = true;
    for (int child = 0, k = 0; child < 4; ++child) {
        if (!kst_record_has(t, p, child)) continue;
        int32_t x = 2 * p.x + (child & 1), z = 2 * p.z + (child >> 1);
        karst_chunk_corners *corners = &children[child].corners;
        patch_boxes own;
        measure_patches(t, p.level, x, z, &children[child], &own);
        uint32_t place[KARST_PATCH_LEVELS + 1][KARST_CORNER_COUNT];
        for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
            int32_t low[3], high[3];
            guess_box(t, p.level, x, z, &own, c, low, high);
            for (int row = 0; row < 6; ++row) {
                uint32_t off = kst_unzigzag(number[k + row * KARST_CORNER_COUNT + c]);
                if (row % 3 == 1) off <<= t->y_shift;
                uint32_t steps = row < 3 ? (uint32_t)low[row] - off : (uint32_t)high[row - 3] + off;
                kst_corner_row(corners, row)[c] = bound_float(t, row, (int32_t)steps);
            }
        }
        for (int e = 0; e <= KARST_PATCH_LEVELS; ++e)
            for (int c = 0; c < KARST_CORNER_COUNT; ++c) {
                uint32_t off = kst_unzigzag(number[k + (6 + e) * KARST_CORNER_COUNT + c]);
                place[e][c] = error_guess(place, e, c) + off;
                uint32_t bits = place[e][c] << KST_ERROR_BITS;
                memcpy(&corners->error[e][c], &bits, sizeof bits);
            }
        k += KST_CORNER_FLOATS;
        sane &= kst_corners_finish(corners);
    }
    return sane;
}

size_t kst_corners_raw_bytes(const kst_record_tables *t, kst_record_place p) {
    size_t bytes = 0;
    for (int child = 0; child < 4; ++child) bytes += kst_record_has(t, p, child) ? 4 * KST_CORNER_FLOATS : 0;
    return bytes;
}

void kst_corners_put_raw(const kst_record_tables *t, kst_record_place p, const karst_chunk *const children[4],
                         uint8_t *out) {
    kst_out o = {out};
    for (int child = 0; child < 4; ++child)
        for (int row = 0; row < KST_CORNER_ROWS && kst_record_has(t, p, child); ++row)
            for (int c = 0; c < KARST_CORNER_COUNT; ++c)
                kst_put_f32(&o, kst_corner_row_of(&children[child]->corners, row)[c]);
}

bool kst_corners_read_raw(const kst_record_tables *t, kst_record_place p, const uint8_t *bytes,
                          karst_chunk children[4]) {
    kst_reader r = {bytes, bytes + kst_corners_raw_bytes(t, p), false};
    bool sane = true;
    for (int child = 0; child < 4; ++child) {
        if (!kst_record_has(t, p, child)) continue;
        for (int row = 0; row < KST_CORNER_ROWS; ++row)
            for (int c = 0; c < KARST_CORNER_COUNT; ++c)
                kst_corner_row(&children[child].corners, row)[c] = kst_read_f32(&r);
        sane &= kst_corners_finish(&children[child].corners);
    }
    return sane && !r.bad;
}
