// SPDX-License-Identifier: MIT
// Resample a field: bands of rows of the target, from the rows of the source that lie under them.
#include "karst/resample.h"

#include <math.h>

#include "core/core.h"
#include "op/resample.h"

enum { BAND = KARST_CHUNK_CELLS, PLANES = 3 };  // rows of the target at a time, at most; y, x, z

typedef struct fields {
    karst_field *source, *target;
    karst_field_shape from, to;
    double start_x, start_z, step;  // of the target's vertices, in cells of the source
    uint8_t *bytes;                 // as many as rows of opacity that are read or written at a time
} fields;

// Planes of samples in rows, from the source to the target. Rows are floats, planes of a read or write lie `plane`
// floats apart.
typedef struct pass {
    fields *f;
    int planes, columns, rows, width, count;  // of the source, and of the target
    double start_x, start_z, step;
    karst_status (*read)(fields *f, karst_rect rect, float *out, size_t plane);
    karst_status (*write)(fields *f, karst_rect rect, const float *in, size_t plane);
    karst_status (*axis)(int inputs, int count, double start, double step, kst_resample_axis *out);
} pass;

static size_t cells(int width, int height) {
    return (size_t)width * (size_t)height;
}

// Rows of the source that `band` rows of the target need, at most.
static int rows_under(const kst_resample_axis *down, int band) {
    int most = 0;
    for (int k = 0; k < down->count; k += band) {
        int last = k + band < down->count ? k + band : down->count;
        int rows = down->first[last - 1] + down->taps - down->first[k];
        if (rows > most) most = rows;
    }
    return most;
}

// The rows of one band: squeezed across first, then added up down the column.
static void fill_band(const pass *p, const kst_resample_axis *across, const kst_resample_axis *down, int k0, int k1,
                      const float *in, float *squeezed, const float **row, float *out) {
    int low = down->first[k0], rows = down->first[k1 - 1] + down->taps - low;
    for (int j = 0; j < rows; ++j) {
        row[j] = squeezed + cells(p->width, j);
        kst_resample_row(across, in + cells(p->columns, j), squeezed + cells(p->width, j));
    }
    for (int k = k0; k < k1; ++k)
        kst_resample_rows(down, k, row + (down->first[k] - low), p->width, out + cells(p->width, k - k0));
}

static karst_status run_bands(const pass *p, const kst_resample_axis *across, const kst_resample_axis *down,
                              const karst_progress *progress, double from, double to) {
    int band = p->step > 1 ? (int)fmax(1, BAND / p->step) : BAND, rows = rows_under(down, band);
    size_t plane = cells(p->columns, rows), narrow = cells(p->width, rows), result = cells(p->width, band);
    size_t floats = (size_t)p->planes * (plane + result) + narrow;
    float *memory = kst_alloc_array(NULL, floats, sizeof *memory);
    const float **row = kst_alloc_array(NULL, (size_t)rows, sizeof *row);
    p->f->bytes = kst_alloc(NULL, plane > result ? plane : result);
    karst_status status = memory && row && p->f->bytes ? KARST_OK : KARST_ERROR_MEMORY;
    float *in = memory, *out = memory + (size_t)p->planes * plane, *squeezed = out + (size_t)p->planes * result;
    for (int k = 0; k < p->count && !status; k += band) {
        int end = k + band < p->count ? k + band : p->count;
        karst_rect under = {0, down->first[k], p->columns, down->first[end - 1] + down->taps};
        status = kst_progress_step(progress, "resample", from + (to - from) * k / p->count);
        if (!status) status = p->read(p->f, under, in, plane);
        for (int n = 0; n < p->planes && !status; ++n)
            fill_band(p, across, down, k, end, in + (size_t)n * plane, squeezed, row, out + (size_t)n * result);
        if (!status) status = p->write(p->f, (karst_rect){0, k, p->width, end}, out, result);
    }
    kst_free(NULL, memory, floats * sizeof *memory);
    kst_free(NULL, row, (size_t)rows * sizeof *row);
    kst_free(NULL, p->f->bytes, plane > result ? plane : result);
    return status;
}

static karst_status run(const pass *p, const karst_progress *progress, double from, double to) {
    kst_resample_axis across, down;
    karst_status status = p->axis(p->columns, p->width, p->start_x, p->step, &across);
    if (status) return status;
    status = p->axis(p->rows, p->count, p->start_z, p->step, &down);
    if (!status) {
        status = run_bands(p, &across, &down, progress, from, to);
        kst_resample_axis_free(&down);
    }
    kst_resample_axis_free(&across);
    return status;
}

// ---- vertices and opacity ----------------------------------------------------------------------------

static karst_status read_vertices(fields *f, karst_rect rect, float *out, size_t plane) {
    return karst_field_read(f->source, rect, out, out + plane, out + 2 * plane, rect.x1 - rect.x0);
}

static karst_status write_vertices(fields *f, karst_rect rect, const float *in, size_t plane) {
    return karst_field_write(f->target, rect, in, in + plane, in + 2 * plane, rect.x1 - rect.x0);
}

static karst_status read_opacity(fields *f, karst_rect rect, float *out, size_t plane) {
    (void)plane;
    int width = rect.x1 - rect.x0;
    karst_status status = karst_field_read_opacity(f->source, rect, f->bytes, width);
    size_t count = cells(width, rect.z1 - rect.z0);
    for (size_t k = 0; k < count && !status; ++k) out[k] = f->bytes[k];
    return status;
}

static karst_status write_opacity(fields *f, karst_rect rect, const float *in, size_t plane) {
    (void)plane;
    int width = rect.x1 - rect.x0;
    size_t count = cells(width, rect.z1 - rect.z0);
    for (size_t k = 0; k < count; ++k) f->bytes[k] = (uint8_t)(in[k] + 0.5f);
    return karst_field_write_opacity(f->target, rect, f->bytes, width);
}

// Take the difference of the origins off; heights are told from them.
static karst_status lift(fields *f) {
    float up = (float)(f->from.origin.y - f->to.origin.y);
    if (up == 0) return KARST_OK;
    size_t count = cells(f->to.columns, 1);
    float *y = kst_alloc_array(NULL, count, sizeof *y);
    karst_status status = y ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < f->to.rows && !status; ++k) {
        karst_rect row = {0, k, f->to.columns, k + 1};
        status = karst_field_read(f->target, row, y, NULL, NULL, f->to.columns);
        for (size_t i = 0; i < count; ++i) y[i] += up;
        if (!status) status = karst_field_write(f->target, row, y, NULL, NULL, f->to.columns);
    }
    kst_free(NULL, y, count * sizeof *y);
    return status;
}

// ---- holes -------------------------------------------------------------------------------------------

// The cell of the source that the middle of the target's cell k lies in; -1 beyond.
static int32_t cell_under(double start, double step, int k, int count) {
    double at = floor(start + (k + 0.5) * step);
    return at >= 0 && at < count ? (int32_t)at : -1;
}

static karst_status holes(fields *f) {
    int across = f->from.columns - 1, width = f->to.columns - 1;
    size_t room = cells(across, 1) + cells(width, 1);
    uint8_t *in = kst_alloc_zero(NULL, room), *out = in + across;
    karst_status status = in ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t k = 0, here = -1; k < f->to.rows - 1 && !status; ++k) {
        int32_t row = cell_under(f->start_z, f->step, k, f->from.rows - 1);
        if (row >= 0 && row != here)
            status = karst_field_read_holes(f->source, (karst_rect){0, row, across, row + 1}, in, across);
        here = row;
        for (int32_t i = 0; i < width && !status; ++i) {
            int32_t column = cell_under(f->start_x, f->step, i, across);
            out[i] = row >= 0 && column >= 0 && in[column];
        }
        if (!status) status = karst_field_write_holes(f->target, (karst_rect){0, k, width, k + 1}, out, width);
    }
    kst_free(NULL, in, room);
    return status;
}

karst_status karst_field_resample(karst_field *source, karst_field *target, const karst_progress *progress) {
    fields f = {
        .source = source, .target = target, .from = karst_field_shape_of(source), .to = karst_field_shape_of(target)};
    f.step = f.to.spacing_m / f.from.spacing_m;
    f.start_x = (f.to.origin.x - f.from.origin.x) / f.from.spacing_m;
    f.start_z = (f.to.origin.z - f.from.origin.z) / f.from.spacing_m;
    pass ground = {&f,        PLANES,    f.from.columns, f.from.rows,   f.to.columns,   f.to.rows,
                   f.start_x, f.start_z, f.step,         read_vertices, write_vertices, kst_resample_axis_make};
    pass opacity = {&f,
                    1,
                    (f.from.columns + 1) / 2,
                    (f.from.rows + 1) / 2,
                    (f.to.columns + 1) / 2,
                    (f.to.rows + 1) / 2,
                    f.start_x / 2,
                    f.start_z / 2,
                    f.step,
                    read_opacity,
                    write_opacity,
                    kst_resample_axis_make_linear};
    karst_status status = run(&ground, progress, 0, 0.9);
    if (!status) status = lift(&f);
    if (!status) status = holes(&f);
    return status ? status : run(&opacity, progress, 0.9, 1);
}
