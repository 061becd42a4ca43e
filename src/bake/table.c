// SPDX-License-Identifier: MIT
// Tables: true errors and bounds of patches.
//
// With P_k the surface of stride 2^k at equal (u, v), under the diagonal rule counted over the whole field, P_k - P_0
// is linear on every reference triangle, so its length is largest at a reference vertex: D_k is exact by looking at
// vertices alone. Between two levels a drawn patch may also hold triangles of the half level, whose cells keep their
// centre and lose the middles of their edges; D_k counts those too. Rest places cancel: what is interpolated are the
// displacements, and beyond the last column and row the last one is repeated.
//
// A cell of stride s at row offset r (stored values of its corners 00 10 01 11 and of its centre C):
//
//     00---------10      full, diagonal 00-11:  left of column r triangle 00 01 11, right of it 00 10 11
//      | \     / |       full, diagonal 10-01:  the change is at column s - r
//      |    C    |  r    half:  left triangle to min(r, s - r), upper or lower, right one from max(r, s - r)
//      | /     \ |
//     01---------11      All are linear in the column, and exact in double: integers over a power of two.
#include <math.h>

#include "bake/sheet.h"
#include "karst/pack.h"
#include "surface/ray.h"

enum { BASE_ROWS = KARST_CHUNK_PATCHES };  // patch rows of level 0 in one row of chunks

static int last_stride_level(const kst_sheet *s) {
    return s->level_count - 1 + KARST_PATCH_LEVELS;
}
static int32_t patches_of(int32_t cells, int level) {
    int32_t span = KARST_PATCH_CELLS << level;
    return (cells + span - 1) / span;
}

// ---- boxes -----------------------------------------------------------------------------------------

void kst_steps_box_add(kst_steps_box *box, const kst_steps_box *other) {
    for (int a = 0; a < 3; ++a) {
        box->min[a] = kst_min32(box->min[a], other->min[a]);
        box->max[a] = kst_max32(box->max[a], other->max[a]);
    }
}

void kst_steps_box_metres(const kst_steps_box *box, const karst_lattice *lattice, float out[6]) {
    for (int a = 0; a < 3; ++a) {
        double step = a == 1 ? lattice->step_y_m : lattice->step_xz_m;
        out[a] = kst_float_below(box->min[a] * step);
        out[a + 3] = kst_float_above(box->max[a] * step);
    }
}

static void add_vertex(const kst_sheet *s, kst_steps_box *box, int32_t column, int32_t row) {
    size_t at = kst_sheet_index(s, column, row);
    int32_t x = column * s->lattice.cell_steps + (s->displaced ? s->dx[at] : 0);
    int32_t z = row * s->lattice.cell_steps + (s->displaced ? s->dz[at] : 0);
    kst_steps_box_add(box, &(kst_steps_box){{x, s->y[at], z}, {x, s->y[at], z}});
}

// ---- one row of chunks -----------------------------------------------------------------------------

// One coordinate along the coarse rows above and below a row, and the centres between.
typedef struct lines {
    double *above, *below, *centre;  // one value a coarse column
    double *full, *half;             // one value a column of the field
} lines;

typedef struct measure {
    const kst_sheet *s;
    lines line;
    double *error;  // squared distance, one a column: of this row
    double *worst;  // the largest of it over the rows of a patch
    size_t columns, coarse;
} measure;

static double value(const kst_sheet *s, int axis, int64_t column, int64_t row) {
    size_t at = kst_sheet_index(s, (int32_t)(column < s->columns ? column : s->columns - 1),
                                (int32_t)(row < s->rows ? row : s->rows - 1));
    return axis == 1 ? s->y[at] : axis == 0 ? s->dx[at] : s->dz[at];
}

static void fetch_lines(const measure *m, int axis, int k, int64_t coarse_row) {
    int64_t stride = (int64_t)1 << k, row = coarse_row << k;
    int64_t cells = (m->s->columns - 1 + stride - 1) >> k;
    for (int64_t i = 0; i <= cells + 1; ++i) {
        m->line.above[i] = value(m->s, axis, i << k, row);
        m->line.below[i] = value(m->s, axis, i << k, row + stride);
        m->line.centre[i] = value(m->s, axis, (i << k) + stride / 2, row + stride / 2);
    }
}

static void ramp(double *out, int32_t from, int32_t to, double base, double slope) {
    for (int32_t f = from; f < to; ++f) out[f] = base + f * slope;
}

// The full and the half surface along one row at offset r below a coarse row.
static void draw_lines(const measure *m, int k, int32_t r, bool odd_row) {
    int32_t s = 1 << k, columns = m->s->columns, low = kst_min32(r, s - r), high = kst_max32(r, s - r);
    double share = (double)r / s, rest = (double)(s - r) / s, per = 1.0 / s;
    for (int32_t i = 0; i * (int64_t)s < columns; ++i) {
        int32_t end = kst_min32(s, columns - i * s);
        double p00 = m->line.above[i], p10 = m->line.above[i + 1], p01 = m->line.below[i], p11 = m->line.below[i + 1];
        double c2 = 2 * m->line.centre[i], left = p00 + share * (p01 - p00), right = p10 + share * (p11 - p10);
        double along_above = (p10 - p00) * per, along_below = (p11 - p01) * per;
        double *full = m->line.full + (size_t)i * (size_t)s, *half = m->line.half + (size_t)i * (size_t)s;
        if ((i & 1) == odd_row) {
            ramp(full, 0, kst_min32(r, end), left, along_below);
            ramp(full, r, end, p00 + share * (p11 - p10), along_above);
        } else {
            ramp(full, 0, kst_min32(s - r, end), left, along_above);
            ramp(full, s - r, end, p01 + rest * (p10 - p11), along_below);
        }
        ramp(half, 0, kst_min32(low, end), left, (c2 - p00 - p01) * per);
        if (2 * r <= s)
            ramp(half, low, kst_min32(high, end), p00 + share * (c2 - p00 - p10), along_above);
        else
            ramp(half, low, kst_min32(high, end), p01 + rest * (c2 - p01 - p11), along_below);
        ramp(half, high, end, right + (c2 - p10 - p11), -(c2 - p10 - p11) * per);
    }
}

static void take_worst(double *worst, const double *error, size_t n) {
    for (size_t i = 0; i < n; ++i) worst[i] = worst[i] > error[i] ? worst[i] : error[i];
}

static void heights_row(const measure *m, int k, int32_t row) {
    fetch_lines(m, 1, k, row >> k);
    draw_lines(m, k, row & ((1 << k) - 1), row >> k & 1);
    const int32_t *y = m->s->y + kst_sheet_index(m->s, 0, row);
    const double *full = m->line.full, *half = m->line.half;
    double square = m->s->lattice.step_y_m * m->s->lattice.step_y_m;
    for (size_t i = 0; i < m->columns; ++i) {
        double a = full[i] - y[i], b = half[i] - y[i];
        a *= a, b *= b;
        m->error[i] = (a > b ? a : b) * square;
    }
    take_worst(m->worst, m->error, m->columns);
}

static void displaced_row(const measure *m, int k, int32_t row, double *error_half) {
    memset(m->error, 0, m->columns * sizeof(double));
    memset(error_half, 0, m->columns * sizeof(double));
    for (int axis = 0; axis < 3; ++axis) {
        fetch_lines(m, axis, k, row >> k);
        draw_lines(m, k, row & ((1 << k) - 1), row >> k & 1);
        double step = axis == 1 ? m->s->lattice.step_y_m : m->s->lattice.step_xz_m;
        for (size_t i = 0; i < m->columns; ++i) {
            double p = value(m->s, axis, (int64_t)i, row);
            double a = (m->line.full[i] - p) * step, b = (m->line.half[i] - p) * step;
            m->error[i] += a * a;
            error_half[i] += b * b;
        }
    }
    take_worst(m->worst, m->error, m->columns);
    take_worst(m->worst, error_half, m->columns);
}

static void bound_patches(const kst_sheet *s, int32_t patch_row, kst_steps_box *out) {
    int32_t patches = patches_of(s->columns - 1, 0);
    int32_t first = patch_row * KARST_PATCH_CELLS, last = kst_min32(first + KARST_PATCH_CELLS, s->rows - 1);
    for (int32_t p = 0; p < patches; ++p) {
        int32_t left = p * KARST_PATCH_CELLS, right = kst_min32(left + KARST_PATCH_CELLS, s->columns - 1);
        out[p] = KST_STEPS_BOX_EMPTY;
        for (int32_t row = first; row <= last; ++row)
            for (int32_t column = left; column <= right; ++column) add_vertex(s, &out[p], column, row);
    }
}

size_t kst_table_row_bytes(const kst_sheet *s) {
    size_t patches = (size_t)patches_of(s->columns - 1, 0) * BASE_ROWS;
    return patches * (sizeof(kst_steps_box) + sizeof(float) * (size_t)last_stride_level(s));
}

uint64_t kst_table_row_key(const kst_sheet *s, int32_t chunk_z) {
    const karst_lattice *l = &s->lattice;
    uint64_t numbers[] = {(uint64_t)s->columns, (uint64_t)s->level_count, (uint64_t)s->displaced,
                          (uint64_t)l->cell_steps, (uint64_t)chunk_z};
    double steps[] = {l->step_y_m, l->step_xz_m};
    uint64_t hash = kst_hash(steps, sizeof steps, kst_hash(numbers, sizeof numbers, 0));
    int32_t first = chunk_z * KARST_CHUNK_CELLS, last = kst_min32(first + KARST_CHUNK_CELLS, s->rows - 1);
    hash = kst_hash(s->row_hash + first, (size_t)(last - first + 1) * 8, hash);
    // Strides above a chunk's reach the coarse rows round it, and the centres half way between.
    for (int k = 1; k <= last_stride_level(s); ++k) {
        int64_t stride = (int64_t)1 << k, above = (int64_t)first >> k << k, rows = s->rows - 1;
        int64_t use[3] = {above, above + stride / 2, above + stride};
        for (int i = 0; i < 3; ++i) hash = kst_hash_u64(hash, s->row_hash[use[i] < rows ? use[i] : rows]);
    }
    return hash;
}

karst_status kst_table_row_build(const kst_sheet *s, int32_t chunk_z, uint8_t *out) {
    size_t patches = (size_t)patches_of(s->columns - 1, 0), columns = (size_t)s->columns;
    int32_t patch_rows = patches_of(s->rows - 1, 0) - chunk_z * BASE_ROWS;
    int levels = last_stride_level(s);
    kst_arena arena = {0};
    measure m = {.s = s, .columns = columns};
    double **buffers[] = {&m.line.above, &m.line.below, &m.line.centre, &m.line.full, &m.line.half, &m.error, &m.worst};
    bool there = true;
    for (size_t b = 0; b < sizeof buffers / sizeof *buffers; ++b) {
        *buffers[b] = kst_arena_alloc(&arena, (columns + 2) * sizeof(double));
        there = there && *buffers[b];
    }
    double *error_half = there && s->displaced ? kst_arena_alloc(&arena, columns * sizeof(double)) : m.error;
    if (!there || !error_half) {
        kst_arena_free(&arena);
        return KARST_ERROR_MEMORY;
    }
    memset(out, 0, kst_table_row_bytes(s));
    float *error = (float *)(void *)out;  // [k - 1][patch row][patch]
    kst_steps_box *bounds = (kst_steps_box *)(void *)(error + patches * BASE_ROWS * (size_t)levels);
    for (int32_t p = 0; p < kst_min32(patch_rows, BASE_ROWS); ++p) {
        int32_t patch_row = chunk_z * BASE_ROWS + p, first = patch_row * KARST_PATCH_CELLS;
        int32_t last = kst_min32(first + KARST_PATCH_CELLS, s->rows - 1);
        bound_patches(s, patch_row, bounds + (size_t)p * patches);
        for (int k = 1; k <= levels; ++k) {
            memset(m.worst, 0, columns * sizeof(double));
            for (int32_t row = first; row <= last; ++row)
                if (s->displaced)
                    displaced_row(&m, k, row, error_half);
                else
                    heights_row(&m, k, row);
            float *here = error + (((size_t)(k - 1) * BASE_ROWS) + (size_t)p) * patches;
            for (size_t x = 0; x < patches; ++x) {
                double most = 0;
                size_t left = x * KARST_PATCH_CELLS;
                for (size_t i = left; i <= left + KARST_PATCH_CELLS && i < columns; ++i) most = fmax(most, m.worst[i]);
                // Squares of displaced vertices are rounded; the margin is far above that.
                float up = kst_float_above(sqrt(most) * (s->displaced ? 1 + 0x1p-44 : 1));
                float finer = k > 1 ? here[x - BASE_ROWS * patches] : 0;
                here[x] = up > finer ? up : finer;
            }
        }
    }
    kst_arena_free(&arena);
    return KARST_OK;
}

// ---- level by level --------------------------------------------------------------------------------

static size_t grid_size(const kst_tables *t, int level) {
    return (size_t)t->patches_x[level] * (size_t)t->patches_z[level];
}

// In place: a patch of the next level is up to 2 x 2 of this one. What is written lies behind what is read.
static void halve_errors(float *grid, int32_t wide, int32_t rows) {
    int32_t wide2 = (wide + 1) / 2, rows2 = (rows + 1) / 2;
    for (int32_t r = 0; r < rows2; ++r)
        for (int32_t c = 0; c < wide2; ++c) {
            float most = 0;
            for (int32_t j = 2 * r; j < kst_min32(rows, 2 * r + 2); ++j)
                for (int32_t i = 2 * c; i < kst_min32(wide, 2 * c + 2); ++i)
                    most = fmaxf(most, grid[(size_t)j * (size_t)wide + (size_t)i]);
            grid[(size_t)r * (size_t)wide2 + (size_t)c] = most;
        }
}

static void halve_bounds(const kst_tables *t, int level) {
    int32_t wide = t->patches_x[level - 1], rows = t->patches_z[level - 1];
    kst_steps_box *out = t->bounds[level];
    for (int32_t r = 0; r < t->patches_z[level]; ++r)
        for (int32_t c = 0; c < t->patches_x[level]; ++c, ++out) {
            *out = KST_STEPS_BOX_EMPTY;
            for (int32_t j = 2 * r; j < kst_min32(rows, 2 * r + 2); ++j)
                for (int32_t i = 2 * c; i < kst_min32(wide, 2 * c + 2); ++i)
                    kst_steps_box_add(out, &t->bounds[level - 1][(size_t)j * (size_t)wide + (size_t)i]);
        }
}

// Rounded up to five significant bits, as a pack keeps it: six hundredths more at most.
static float error_up(float error) {
    enum { LOW_BITS = 19 };
    uint32_t bits;
    memcpy(&bits, &error, sizeof bits);
    bits = (bits + ((1u << LOW_BITS) - 1)) >> LOW_BITS << LOW_BITS;
    memcpy(&error, &bits, sizeof error);
    return error;
}

// Grown by a quarter a level, so that the bands between levels are never empty; and so that a chunk's children, which
// split at a shorter distance by as much, leave its levels alone while it splits (docs/lod.md, the pinch). Grown for
// each patch of the finest level, so that corners and nodes of all levels agree.
static float at_least_a_quarter_more(float error, float finer) {
    return error_up(fmaxf(error, kst_float_above(1.25 * (double)finer)));
}

// A patch of level 0 touches a seam when one of those round it is the net's and it is not, or the other way round; a
// patch of the next level when one of its up to four does.
static karst_status mark_seams(const kst_sheet *s, kst_tables *t) {
    int32_t wide = t->patches_x[0], rows = t->patches_z[0];
    uint8_t *finest = kst_alloc_zero(NULL, grid_size(t, 0)), *finer = finest;
    if (!finest) return KARST_ERROR_MEMORY;
    for (int32_t z = 0; z < rows; ++z)
        for (int32_t x = 0; x < wide; ++x) {
            const uint8_t *here = s->replaced + (size_t)z * (size_t)wide + (size_t)x;
            bool touches = *here && (x == 0 || z == 0 || x == wide - 1 || z == rows - 1);
            for (int32_t j = kst_max32(z - 1, 0); j <= kst_min32(z + 1, rows - 1); ++j)
                for (int32_t i = kst_max32(x - 1, 0); i <= kst_min32(x + 1, wide - 1); ++i)
                    touches |= s->replaced[(size_t)j * (size_t)wide + (size_t)i] != *here;
            finest[(size_t)z * (size_t)wide + (size_t)x] = touches;
        }
    for (int level = 1; level < s->level_count; ++level) {
        t->seam[level] = kst_alloc_zero(NULL, grid_size(t, level));
        if (!t->seam[level]) break;
        for (int32_t z = 0; z < t->patches_z[level - 1]; ++z)
            for (int32_t x = 0; x < t->patches_x[level - 1]; ++x)
                t->seam[level][(size_t)(z / 2) * (size_t)t->patches_x[level] + (size_t)(x / 2)] |=
                    finer[(size_t)z * (size_t)t->patches_x[level - 1] + (size_t)x];
        finer = t->seam[level];
    }
    kst_free(NULL, finest, grid_size(t, 0));
    for (int k = 1; k < KST_LEVELS + KARST_PATCH_LEVELS; ++k)
        t->seam_error[k] = at_least_a_quarter_more(k == 1 ? KARST_SEAM_ERROR_M : 0, t->seam_error[k - 1]);
    return s->level_count == 1 || t->seam[s->level_count - 1] ? KARST_OK : KARST_ERROR_MEMORY;
}

karst_status kst_tables_build(const kst_sheet *s, const uint8_t *const *rows, kst_tables *out) {
    kst_tables t = {0};
    int levels = last_stride_level(s);
    bool there = true;
    for (int level = 0; level < s->level_count; ++level) {
        t.patches_x[level] = patches_of(s->columns - 1, level);
        t.patches_z[level] = patches_of(s->rows - 1, level);
        t.bounds[level] = kst_alloc_array(NULL, grid_size(&t, level), sizeof(kst_steps_box));
        there = there && t.bounds[level];
        for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) {
            t.error[level][k] = kst_alloc_zero(NULL, grid_size(&t, level) * sizeof(float));
            there = there && t.error[level][k];
        }
    }
    size_t wide = (size_t)t.patches_x[0], count = grid_size(&t, 0), part = wide * BASE_ROWS;
    float *grid = kst_alloc_array(NULL, count, sizeof *grid);
    float *finer = kst_alloc_zero(NULL, count * sizeof *finer);  // of the stride before
    if (there && s->replaced) there = !mark_seams(s, &t);
    if (!there || !grid || !finer) {
        kst_free(NULL, grid, count * sizeof *grid);
        kst_free(NULL, finer, count * sizeof *finer);
        kst_tables_free(&t);
        return KARST_ERROR_MEMORY;
    }
    for (int k = 1; k <= levels; ++k) {
        for (size_t at = 0; at < count; at += part) {
            size_t n = count - at < part ? count - at : part;
            memcpy(grid + at, rows[at / part] + (size_t)(k - 1) * part * sizeof(float), n * sizeof(float));
        }
        for (size_t i = 0; i < count; ++i) finer[i] = grid[i] = at_least_a_quarter_more(grid[i], finer[i]);
        for (int level = 0; level <= kst_min32(k, s->level_count - 1); ++level) {
            if (k - level <= KARST_PATCH_LEVELS)
                memcpy(t.error[level][k - level], grid, grid_size(&t, level) * sizeof(float));
            halve_errors(grid, t.patches_x[level], t.patches_z[level]);
        }
    }
    for (size_t at = 0; at < count; at += part) {
        size_t n = count - at < part ? count - at : part;
        memcpy(t.bounds[0] + at, rows[at / part] + (size_t)levels * part * sizeof(float), n * sizeof(kst_steps_box));
    }
    for (int level = 1; level < s->level_count; ++level) halve_bounds(&t, level);
    kst_free(NULL, grid, count * sizeof *grid);
    kst_free(NULL, finer, count * sizeof *finer);
    *out = t;
    return KARST_OK;
}

void kst_tables_free(kst_tables *t) {
    for (int level = 0; level < KST_LEVELS; ++level) {
        kst_free(NULL, t->bounds[level], grid_size(t, level) * sizeof(kst_steps_box));
        kst_free(NULL, t->seam[level], grid_size(t, level));
        for (int k = 0; k <= KARST_PATCH_LEVELS; ++k)
            kst_free(NULL, t->error[level][k], grid_size(t, level) * sizeof(float));
    }
    *t = (kst_tables){0};
}

// ---- corners and nodes -----------------------------------------------------------------------------

// Patches [x0, x1) x [z0, z1) of a level, cut to those of the field.
typedef struct patch_range {
    int32_t x0, z0, x1, z1;
} patch_range;

static patch_range cut_range(const kst_tables *t, int level, int32_t x0, int32_t z0, int32_t x1, int32_t z1) {
    return (patch_range){kst_max32(x0, 0), kst_max32(z0, 0), kst_min32(x1, t->patches_x[level]),
                         kst_min32(z1, t->patches_z[level])};
}

static kst_steps_box range_bounds(const kst_tables *t, int level, patch_range r) {
    kst_steps_box box = KST_STEPS_BOX_EMPTY;
    for (int32_t z = r.z0; z < r.z1; ++z)
        for (int32_t x = r.x0; x < r.x1; ++x)
            kst_steps_box_add(&box, &t->bounds[level][(size_t)z * (size_t)t->patches_x[level] + (size_t)x]);
    return box;
}

static bool touches_seam(const kst_tables *t, int level, patch_range r) {
    bool any = false;
    for (int32_t z = r.z0; z < r.z1 && t->seam[level]; ++z)
        for (int32_t x = r.x0; x < r.x1; ++x)
            any |= t->seam[level][(size_t)z * (size_t)t->patches_x[level] + (size_t)x];
    return any;
}

static float range_error(const kst_tables *t, int level, int k, patch_range r) {
    float most = 0;
    for (int32_t z = r.z0; z < r.z1; ++z)
        for (int32_t x = r.x0; x < r.x1; ++x)
            most = fmaxf(most, t->error[level][k][(size_t)z * (size_t)t->patches_x[level] + (size_t)x]);
    return touches_seam(t, level, r) ? fmaxf(most, t->seam_error[level + k]) : most;
}

void kst_tables_corners(const kst_sheet *s, const kst_tables *t, int level, int32_t x, int32_t z,
                        karst_chunk_corners *out) {
    for (int lane = 0; lane < KARST_CORNER_LANES; ++lane) {
        int corner = lane < KARST_CORNER_COUNT ? lane : 0;
        // A corner outside the field, with no patch round it, takes after the nearest that has one.
        int32_t cx = kst_min32(x * KARST_CHUNK_PATCHES + corner % KARST_CHUNK_CORNERS, t->patches_x[level]);
        int32_t cz = kst_min32(z * KARST_CHUNK_PATCHES + corner / KARST_CHUNK_CORNERS, t->patches_z[level]);
        patch_range round = cut_range(t, level, cx - 1, cz - 1, cx + 1, cz + 1);
        kst_steps_box box = range_bounds(t, level, round);
        float m[6];
        kst_steps_box_metres(&box, &s->lattice, m);
        out->min_x[lane] = m[0], out->min_y[lane] = m[1], out->min_z[lane] = m[2];
        out->max_x[lane] = m[3], out->max_y[lane] = m[4], out->max_z[lane] = m[5];
        for (int k = 0; k <= KARST_PATCH_LEVELS; ++k) out->error[k][lane] = range_error(t, level, k, round);
    }
}

karst_node kst_tables_node(const kst_sheet *s, const kst_tables *t, int level, int32_t x, int32_t z) {
    // Two rings of patches of a level lie within two rings of the next, so a node's reach and error hold its
    // children's.
    int32_t px = x * KARST_CHUNK_PATCHES, pz = z * KARST_CHUNK_PATCHES;
    patch_range reach = cut_range(t, level, px - 2, pz - 2, px + KARST_CHUNK_PATCHES + 2, pz + KARST_CHUNK_PATCHES + 2);
    kst_steps_box box = range_bounds(t, level, reach);
    float m[6];
    kst_steps_box_metres(&box, &s->lattice, m);
    return (karst_node){{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, range_error(t, level, 0, reach)};
}
