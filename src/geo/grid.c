// SPDX-License-Identifier: MIT
// Samples that lie in memory as a file stores them: any kind, byte order and stride.
#include "geo/geo.h"

enum { COLUMNS_AT_ONCE = 256 };

static double half_value(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023, bits;
    if (exponent == 0) {  // zero and subnormals: fraction * 2^-24
        double v = (double)fraction * 0x1p-24;
        return sign ? -v : v;
    }
    bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static double f32_value(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static double f64_value(uint64_t bits) {
    double d;
    memcpy(&d, &bits, 8);
    return d;
}

// Unaligned loads in a byte order; the compiler makes one load and at most one swap of each.
static inline uint64_t load(const uint8_t *p, int bytes, bool big) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; ++i) v |= (uint64_t)p[i] << (8 * (big ? bytes - 1 - i : i));
    return v;
}

#define ROW(bytes_each, expression)                                                \
    for (int32_t i = 0; i < count; ++i, p += step) {                               \
        uint64_t v = big ? load(p, bytes_each, true) : load(p, bytes_each, false); \
        out[i] = (expression);                                                     \
    }                                                                              \
    break

static void decode_row(const uint8_t *p, int64_t step, int32_t count, kst_kind kind, bool big, double *out) {
    switch (kind) {
        case KST_KIND_U8:
            ROW(1, (double)(uint8_t)v);
        case KST_KIND_I8:
            ROW(1, (double)(int8_t)v);
        case KST_KIND_U16:
            ROW(2, (double)(uint16_t)v);
        case KST_KIND_I16:
            ROW(2, (double)(int16_t)v);
        case KST_KIND_U32:
            ROW(4, (double)(uint32_t)v);
        case KST_KIND_I32:
            ROW(4, (double)(int32_t)v);
        case KST_KIND_U64:
            ROW(8, (double)v);
        case KST_KIND_I64:
            ROW(8, (double)(int64_t)v);
        case KST_KIND_F16:
            ROW(2, half_value((uint16_t)v));
        case KST_KIND_F32:
            ROW(4, f32_value((uint32_t)v));
        case KST_KIND_F64:
            ROW(8, f64_value(v));
        case KST_KIND_COUNT:
            break;
    }
}

static karst_status read_rows(kst_source *source, int32_t row, int32_t rows, double *samples, uint8_t *missing,
                              karst_report *report) {
    (void)missing;
    (void)report;
    const kst_grid *g = source->data;
    size_t width = (size_t)source->width;
    // Where columns are contiguous a row touches the whole file, so a few columns at a time are resident.
    int32_t block = g->column_stride > g->row_stride ? COLUMNS_AT_ONCE : source->width;
    for (int32_t i = 0; i < source->width; i += block) {
        int32_t count = source->width - i < block ? source->width - i : block;
        const uint8_t *from = g->bytes + row * g->row_stride + i * g->column_stride;
        for (int32_t r = 0; r < rows; ++r)
            decode_row(from + r * g->row_stride, g->column_stride, count, source->kind, g->big,
                       samples + (size_t)r * width + (size_t)i);
        if (!g->map.bytes) continue;
        uint64_t begin = (uint64_t)(from - g->map.bytes);
        uint64_t size = (uint64_t)((rows - 1) * g->row_stride + count * g->column_stride);
        kst_file_release(&g->map, begin, begin + size);
    }
    return KARST_OK;
}

static void close_grid(kst_source *source) {
    kst_grid *g = source->data;
    kst_file_unmap(&g->map);
    kst_free(NULL, g->memory, g->memory_size);
    kst_free(NULL, g, sizeof *g);
}

karst_status kst_source_from_grid(kst_source *source, const kst_grid *grid, karst_report *report) {
    kst_grid *g = kst_alloc(NULL, sizeof *g);
    if (!g) {
        kst_grid copy = *grid;
        kst_file_unmap(&copy.map);
        kst_free(NULL, copy.memory, copy.memory_size);
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", source->path);
    }
    *g = *grid;
    source->data = g;
    source->turn = kst_kind_bytes(source->kind) > 1 ? &g->big : NULL;
    source->read = read_rows;
    source->close = close_grid;
    return KARST_OK;
}
