// SPDX-License-Identifier: MIT
// Sheet: read a field, choose the lattice, quantise and prove the bound at every vertex.
#include "bake/sheet.h"

#include <math.h>

enum {
    READ_ROWS = 64,       // rows read at a time: one row of the field's chunks
    STEPS_MAX = 1 << 30,  // renderers subtract two positions in 32 bits
};

// ---- lattice ---------------------------------------------------------------------------------------

// The least number of steps a cell, `least` or more, of which each is a whole number of fine ones; 0: there is none.
static double steps_of_fine(double cell_fine, double least) {
    for (double fine = floor(cell_fine / least); fine >= 1; --fine)
        if (fmod(cell_fine, fine) == 0) return cell_fine / fine;
    return 0;
}

karst_lattice kst_lattice_make(const karst_field_shape *shape, bool displaced, double error_m, double fine_m) {
    karst_lattice lattice = {
        .shape = *shape, .step_xz_m = shape->spacing_m, .cell_steps = 1, .bound_m = (float)error_m};
    // The margin is for the rounding of rest places, 10^-10 m at 1,000 km.
    double step = displaced ? 2 * error_m / sqrt(3.0) * (1 - 1e-6) : 2 * error_m;
    int exponent;
    frexp(step, &exponent);  // step in [2^(exponent - 1), 2^exponent)
    lattice.step_y_m = ldexp(1, exponent - 1);
    if (displaced) {
        double cells = ceil(shape->spacing_m / step);
        double whole = fine_m > 0 ? steps_of_fine(shape->spacing_m / fine_m, cells) : cells;
        if (whole > 0) cells = whole;
        lattice.cell_steps = cells < STEPS_MAX ? (int32_t)cells : STEPS_MAX;
        lattice.step_xz_m = shape->spacing_m / lattice.cell_steps;
    }
    return lattice;
}

static void set_levels(kst_sheet *s) {
    int32_t cells_x = s->columns - 1, cells_z = s->rows - 1, cells = kst_max32(cells_x, cells_z);
    int level = 0;
    for (;; ++level) {
        int32_t span = KARST_CHUNK_CELLS << level;
        s->chunks_x[level] = (cells_x + span - 1) / span;
        s->chunks_z[level] = (cells_z + span - 1) / span;
        if (span >= cells) break;
    }
    s->level_count = level + 1;
}

// ---- reading ---------------------------------------------------------------------------------------

// The author's samples. The heights take the place that the quantised ones get.
typedef struct source {
    float *y, *x, *z;  // x and z: NULL until a vertex leaves its rest place
} source;

static bool any_not_zero(const float *a, size_t n) {
    uint32_t bits = 0;
    for (size_t i = 0; i < n; ++i) {
        uint32_t u;
        memcpy(&u, a + i, 4);
        bits |= u << 1;  // the sign of a zero is no displacement
    }
    return bits != 0;
}

static void pack_holes(kst_sheet *s, int32_t row, const uint8_t *flags) {
    uint64_t *words = s->hole[0] + (size_t)row * (size_t)s->chunks_x[0];
    int32_t cells = s->columns - 1;
    for (int32_t w = 0; w < s->chunks_x[0]; ++w) {
        int32_t inside = kst_min32(64, cells - w * 64);
        uint64_t word = inside < 64 ? ~0ull << inside : 0;
        for (int32_t b = 0; b < inside; ++b)
            if (flags[w * 64 + b]) word |= 1ull << b, ++s->hole_count;
        words[w] = word;
    }
}

// Room for the displacements, cleared: rows read so far had none.
static karst_status make_sideways(kst_sheet *s, source *in, karst_report *report) {
    size_t columns = (size_t)s->columns, rows = (size_t)s->rows, bytes = columns * sizeof(float);
    in->x = kst_scratch_alloc(s->scratch, columns * rows, sizeof(float));
    in->z = kst_scratch_alloc(s->scratch, columns * rows, sizeof(float));
    if (!in->x || !in->z) return kst_scratch_fail(s->scratch, report);
    for (size_t row = 0; row < rows; ++row) {
        memset(in->x + row * columns, 0, bytes);
        memset(in->z + row * columns, 0, bytes);
        if (row % READ_ROWS == 0) kst_scratch_ease(s->scratch);
    }
    return KARST_OK;
}

static karst_status read_field(karst_field *field, kst_sheet *s, source *in, const karst_progress *progress,
                               karst_report *report) {
    size_t columns = (size_t)s->columns, part = columns * READ_ROWS;
    float *x = kst_alloc_array(NULL, part, sizeof *x), *z = kst_alloc_array(NULL, part, sizeof *z);
    uint8_t *flags = kst_alloc_array(NULL, part, 1);
    karst_status status = x && z && flags ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t row = 0; row < s->rows && !status; row += READ_ROWS) {
        status = kst_progress_step(progress, "read", (double)row / s->rows);
        if (status) break;
        int32_t end = kst_min32(s->rows, row + READ_ROWS), cell_end = kst_min32(s->rows - 1, row + READ_ROWS);
        size_t at = (size_t)row * columns, n = (size_t)(end - row) * columns;
        status = karst_field_read(field, (karst_rect){0, row, s->columns, end}, in->y + at, x, z, s->columns);
        if (status) break;
        if (!in->x && (any_not_zero(x, n) || any_not_zero(z, n))) status = make_sideways(s, in, report);
        if (in->x && !status) {
            memcpy(in->x + at, x, n * sizeof(float));
            memcpy(in->z + at, z, n * sizeof(float));
        }
        kst_scratch_ease(s->scratch);
        if (!status) status = kst_sheet_opacity(field, s, row, end, report);
        if (status || cell_end <= row) continue;
        status = karst_field_read_holes(field, (karst_rect){0, row, s->columns - 1, cell_end}, flags, s->columns - 1);
        for (int32_t r = row; r < cell_end && !status; ++r) pack_holes(s, r, flags + (size_t)(r - row) * (columns - 1));
    }
    kst_free(NULL, x, part * sizeof *x);
    kst_free(NULL, z, part * sizeof *z);
    kst_free(NULL, flags, part);
    return status;
}

// ---- holes -----------------------------------------------------------------------------------------

// 64 bits to 32: bit i is bit 2i or bit 2i + 1.
static uint64_t halve_bits(uint64_t v) {
    v = (v | v >> 1) & 0x5555555555555555u;
    v = (v | v >> 1) & 0x3333333333333333u;
    v = (v | v >> 2) & 0x0F0F0F0F0F0F0F0Fu;
    v = (v | v >> 4) & 0x00FF00FF00FF00FFu;
    v = (v | v >> 8) & 0x0000FFFF0000FFFFu;
    return (v | v >> 16) & 0x00000000FFFFFFFFu;
}

static size_t hole_words(const kst_sheet *s, int level) {
    return (size_t)s->chunks_x[level] * (size_t)s->chunks_z[level] * KARST_CHUNK_CELLS;
}

static void coarsen_holes(kst_sheet *s, int level) {
    int32_t fine_x = s->chunks_x[level - 1], fine_rows = s->chunks_z[level - 1] * KARST_CHUNK_CELLS;
    int32_t wide = s->chunks_x[level], rows = s->chunks_z[level] * KARST_CHUNK_CELLS;
    const uint64_t *fine = s->hole[level - 1];
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t w = 0; w < wide; ++w) {
            uint64_t half[2] = {~0ull, ~0ull};
            for (int h = 0; h < 2; ++h) {
                int32_t from = 2 * w + h;
                if (from >= fine_x || 2 * r >= fine_rows) continue;
                const uint64_t *at = fine + (size_t)(2 * r) * (size_t)fine_x + from;
                half[h] = at[0] | (2 * r + 1 < fine_rows ? at[fine_x] : ~0ull);
            }
            s->hole[level][(size_t)r * (size_t)wide + (size_t)w] = halve_bits(half[0]) | halve_bits(half[1]) << 32;
        }
    }
}

// ---- quantising ------------------------------------------------------------------------------------

enum { BLOCK = 256 };  // vertices at a time, copied out first: their integers take the same place

typedef struct quantise {
    kst_sheet *s;
    source in;
    uint64_t *source_hash;  // a row
    double *worst;          // a row, squared [m^2]
} quantise;

// Nearest integer, halves to even, for |v| < 2^51; larger values stay large.
static double nearest(double v) {
    return (v + 0x1.8p52) - 0x1.8p52;
}

// One coordinate of a block: nearest steps, the largest of them, and the squared error added to e. The author's vertex
// is at rest + value, the lattice's at (rest_steps + steps) * step.
static double quantise_axis(const float *value, int n, double step, double rest, double rest_more, double rest_steps,
                            double rest_steps_more, double *steps, double *e) {
    double most = 0;
    for (int i = 0; i < n; ++i) {
        double v = value[i], q = nearest(v / step);
        double off = (rest_steps + i * rest_steps_more + q) * step - (rest + i * rest_more + v);
        steps[i] = q;
        e[i] += off * off;
        most = most > fabs(q) ? most : fabs(q);
    }
    return most;
}

static karst_status quantise_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    quantise *q = context;
    kst_sheet *s = q->s;
    const karst_lattice *l = &s->lattice;
    size_t columns = (size_t)s->columns, bytes = columns * 4;
    float value[BLOCK];
    double steps[BLOCK], e[BLOCK], spacing = l->shape.spacing_m, cell = l->cell_steps;
    for (int32_t row = begin; row < end; ++row) {
        size_t at = (size_t)row * columns;
        uint64_t hash = kst_hash(q->in.y + at, bytes, 0);
        if (s->displaced) hash = kst_hash(q->in.z + at, bytes, kst_hash(q->in.x + at, bytes, hash));
        q->source_hash[row] = hash;
        double worst = 0;
        for (size_t first = 0; first < columns; first += BLOCK) {
            int n = columns - first < BLOCK ? (int)(columns - first) : BLOCK;
            size_t here = at + first;
            memset(e, 0, sizeof e);
            memcpy(value, q->in.y + here, (size_t)n * sizeof *value);
            if (quantise_axis(value, n, l->step_y_m, 0, 0, 0, 0, steps, e) > STEPS_MAX) return KARST_ERROR_LIMIT;
            for (int i = 0; i < n; ++i) s->y[here + (size_t)i] = (int32_t)steps[i];
            if (s->displaced) {
                double x0 = (double)first, z0 = row;
                if (quantise_axis(q->in.x + here, n, l->step_xz_m, x0 * spacing, spacing, x0 * cell, cell, steps, e) >
                    INT16_MAX)
                    return KARST_ERROR_LIMIT;
                for (int i = 0; i < n; ++i) s->dx[here + (size_t)i] = (int16_t)steps[i];
                if (quantise_axis(q->in.z + here, n, l->step_xz_m, z0 * spacing, 0, z0 * cell, 0, steps, e) > INT16_MAX)
                    return KARST_ERROR_LIMIT;
                for (int i = 0; i < n; ++i) s->dz[here + (size_t)i] = (int16_t)steps[i];
            }
            for (int i = 0; i < n; ++i) worst = worst > e[i] ? worst : e[i];
        }
        q->worst[row] = worst;
        hash = kst_hash(s->y + at, bytes, (uint64_t)s->displaced);
        if (s->displaced) hash = kst_hash(s->dz + at, columns * 2, kst_hash(s->dx + at, columns * 2, hash));
        s->row_hash[row] = hash;
    }
    kst_scratch_ease(s->scratch);
    return KARST_OK;
}

// Which vertex is out of range; the heights are read again, for integers may have taken their place.
static karst_status say_what_does_not_fit(karst_field *field, const kst_sheet *s, const source *in,
                                          karst_report *report) {
    const karst_lattice *l = &s->lattice;
    double bound = l->bound_m, reach_y = STEPS_MAX * l->step_y_m, reach_xz = INT16_MAX * l->step_xz_m;
    float *y = kst_alloc_array(NULL, (size_t)s->columns, sizeof *y);
    karst_status status = y ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t row = 0; row < s->rows && !status; ++row) {
        status = karst_field_read(field, (karst_rect){0, row, s->columns, row + 1}, y, NULL, NULL, s->columns);
        for (int32_t i = 0; i < s->columns && !status; ++i) {
            double off = fabs((double)y[i]);
            if (nearest(off / l->step_y_m) > STEPS_MAX)
                status = kst_fail(report, KARST_ERROR_LIMIT,
                                  "vertex (%d, %d): height %.9g m, but with --error %g heights reach %.6g m: bake with "
                                  "--error %.2g or more, or lower the ground's heights",
                                  i, row, (double)y[i], bound, reach_y, 2 * bound * off / reach_y);
            if (!s->displaced || status) continue;
            size_t at = kst_sheet_index(s, i, row);
            off = fmax(fabs((double)in->x[at]), fabs((double)in->z[at]));
            if (nearest(off / l->step_xz_m) > INT16_MAX)
                status = kst_fail(report, KARST_ERROR_LIMIT,
                                  "vertex (%d, %d): %.6g m sideways of its rest place, but with --error %g the pack "
                                  "reaches %.6g m: bake with --error %.2g or more",
                                  i, row, off, bound, reach_xz, 1.1 * bound * off / reach_xz);
        }
    }
    kst_free(NULL, y, (size_t)s->columns * sizeof *y);
    return status ? status : kst_fail(report, KARST_ERROR_LIMIT, "a vertex does not fit: bake with a larger --error");
}

// A lattice finer than a net's lets its vertices lie where the net has none.
static karst_status check_fine(const kst_sheet *s, double fine_m, karst_report *report) {
    const karst_lattice *l = &s->lattice;
    if (fmod(l->step_y_m, fine_m) == 0 && fmod(l->step_xz_m, fine_m) == 0) return KARST_OK;
    return kst_fail(
        report, KARST_ERROR_LIMIT,
        "seam: with --error %g the field's lattice is finer than the net's steps of %g m: bake with --error "
        "%.2g or more",
        (double)l->bound_m, fine_m, fine_m);
}

static karst_status check_lattice(const kst_sheet *s, karst_report *report) {
    int64_t span = (int64_t)KARST_CHUNK_CELLS << (s->level_count - 1);  // the top chunk may reach beyond the field
    if (span * s->lattice.cell_steps + INT16_MAX <= STEPS_MAX) return KARST_OK;
    double step = s->lattice.shape.spacing_m * (double)span / (STEPS_MAX / 2);
    return kst_fail(report, KARST_ERROR_LIMIT,
                    "field of %d x %d vertices at %g m: with --error %g its sideways lattice has more than 2^30 steps: "
                    "bake with --error %.2g or more",
                    s->columns, s->rows, s->lattice.shape.spacing_m, (double)s->lattice.bound_m, step);
}

static karst_status quantise_all(karst_field *field, kst_sheet *s, const source *in, karst_jobs *jobs,
                                 const karst_progress *progress, karst_report *report) {
    size_t rows = (size_t)s->rows;
    quantise q = {s, *in, kst_alloc_array(NULL, rows, 8), kst_alloc_array(NULL, rows, sizeof(double))};
    karst_status status = q.source_hash && q.worst ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = kst_jobs_run(jobs, s->rows, 16, quantise_rows, &q, progress, "quantise", 0, 1);
    if (status == KARST_ERROR_LIMIT) status = say_what_does_not_fit(field, s, in, report);
    if (!status) {
        double worst = 0;
        for (size_t r = 0; r < rows; ++r) worst = fmax(worst, q.worst[r]);
        s->largest_error_m = sqrt(worst);
        const karst_field_shape *shape = &s->lattice.shape;
        double place[4] = {shape->spacing_m, shape->origin.x, shape->origin.y, shape->origin.z};
        uint64_t hash = kst_hash(place, sizeof place, kst_hash_u64((uint64_t)s->columns, rows));
        hash = kst_hash(q.source_hash, rows * 8, hash);
        hash = kst_hash(s->hole[0], hole_words(s, 0) * 8, hash);
        s->source_hash = kst_sheet_opacity_hash(s, hash);
        if (s->largest_error_m > (double)s->lattice.bound_m)  // the lattice is made so that this cannot be
            status = kst_fail(report, KARST_ERROR_LIMIT, "a vertex is %g m from the author's, more than --error %g",
                              s->largest_error_m, (double)s->lattice.bound_m);
    }
    kst_free(NULL, q.source_hash, rows * 8);
    kst_free(NULL, q.worst, rows * sizeof(double));
    return status;
}

karst_status kst_sheet_build(karst_field *field, double error_m, const kst_sheet_change *change,
                             const kst_sheet_seam *seam, kst_scratch *scratch, karst_jobs *jobs,
                             const karst_progress *progress, karst_report *report, kst_sheet *out) {
    karst_field_shape shape = karst_field_shape_of(field);
    size_t count = (size_t)shape.columns * (size_t)shape.rows;
    kst_sheet s = {.scratch = scratch, .columns = shape.columns, .rows = shape.rows};
    s.lattice.shape = shape;
    source in = {0};
    set_levels(&s);
    s.y = kst_scratch_alloc(scratch, count, sizeof *s.y);
    karst_status status = s.y ? KARST_OK : kst_scratch_fail(scratch, report);
    s.row_hash = kst_alloc_array(NULL, (size_t)s.rows, sizeof *s.row_hash);
    if (!status && !s.row_hash) status = KARST_ERROR_MEMORY;
    for (int level = 0; level < s.level_count && !status; ++level) {
        s.hole[level] = kst_scratch_alloc(scratch, hole_words(&s, level), 8);
        if (!s.hole[level]) status = kst_scratch_fail(scratch, report);
    }
    if (!status) {
        memset(s.hole[0], 0xFF, hole_words(&s, 0) * 8);
        in.y = (float *)(void *)s.y;
        status = read_field(field, &s, &in, progress, report);
    }
    if (!status && seam) status = kst_sheet_cut_out(&s, seam->patches, report);
    for (int level = 1; level < s.level_count && !status; ++level) coarsen_holes(&s, level);
    if (!status && in.x && change) status = change->run(change->context, &s, in.y, in.x, in.z, report);
    if (!status && in.x) {
        s.displaced = true;
        s.dx = kst_scratch_alloc(scratch, count, sizeof *s.dx);
        s.dz = s.dx ? kst_scratch_alloc(scratch, count, sizeof *s.dz) : NULL;
        if (!s.dz) status = kst_scratch_fail(scratch, report);
    }
    s.lattice = kst_lattice_make(&shape, s.displaced, error_m, seam ? seam->fine_m : 0);
    if (!status && seam) status = check_fine(&s, seam->fine_m, report);
    if (!status) status = check_lattice(&s, report);
    if (!status) status = quantise_all(field, &s, &in, jobs, progress, report);
    kst_scratch_free(scratch, in.x, count, sizeof(float));
    kst_scratch_free(scratch, in.z, count, sizeof(float));
    if (!status && !(s.normal = kst_scratch_alloc(scratch, count, sizeof *s.normal)))
        status = kst_scratch_fail(scratch, report);
    if (status)
        kst_sheet_free(&s);
    else
        *out = s;
    return status;
}

void kst_sheet_free(kst_sheet *s) {
    size_t count = (size_t)s->columns * (size_t)s->rows;
    kst_scratch_free(s->scratch, s->y, count, sizeof *s->y);
    kst_scratch_free(s->scratch, s->dx, count, sizeof *s->dx);
    kst_scratch_free(s->scratch, s->dz, count, sizeof *s->dz);
    kst_scratch_free(s->scratch, s->normal, count, sizeof *s->normal);
    kst_free(NULL, s->row_hash, (size_t)s->rows * sizeof *s->row_hash);
    size_t half = (size_t)kst_half_count(s->columns) * (size_t)kst_half_count(s->rows);
    kst_scratch_free(s->scratch, s->occlusion, half, 1);
    kst_scratch_free(s->scratch, s->transparency, half, 1);
    for (int level = 0; level < s->level_count; ++level)
        kst_scratch_free(s->scratch, s->hole[level], hole_words(s, level), 8);
    *s = (kst_sheet){0};
}
