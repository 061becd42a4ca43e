// SPDX-License-Identifier: MIT
// The npy arrays that Python writes: a magic number, a version, a line of text, samples.
//
//   \x93NUMPY  major minor  length (2 bytes, from version 2 on 4)  {'descr': '<f4', 'fortran_order': False,
//   'shape': (403, 344), }  padding  newline  samples
//
// The text is a Python literal, but only these three keys ever occur, so it is searched and not evaluated.
// After: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
#include <ctype.h>

#include "geo/geo.h"

typedef struct text {
    const char *at, *end;
} text;

static karst_status wrong(const char *path, const char *what, karst_report *report) {
    return kst_fail(report, KARST_ERROR_FORMAT, "%s: not a whole npy array: %s", path, what);
}

static void skip_space(text *t) {
    while (t->at < t->end && isspace((unsigned char)*t->at)) ++t->at;
}

static bool take(text *t, const char *word) {
    size_t n = strlen(word);
    skip_space(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n)) return false;
    t->at += n;
    return true;
}

// What stands behind 'key': in the header.
static bool find_key(text whole, const char *key, text *out) {
    size_t n = strlen(key);
    for (const char *c = whole.at; (size_t)(whole.end - c) > n + 2; ++c) {
        if ((*c != '\'' && *c != '"') || memcmp(c + 1, key, n) || c[n + 1] != *c) continue;
        *out = (text){c + n + 2, whole.end};
        return take(out, ":");
    }
    return false;
}

static bool parse_kind(text t, kst_npy *out) {
    static const char codes[KST_KIND_COUNT + 1][3] = {"u1", "i1", "u2", "i2", "u4", "i4",
                                                      "u8", "i8", "f2", "f4", "f8", "b1"};
    skip_space(&t);
    if (t.end - t.at < 5 || (t.at[0] != '\'' && t.at[0] != '"') || t.at[4] != t.at[0]) return false;
    char order = t.at[1];
    if (!strchr("<>|=", order)) return false;
    out->big = order == '>';
    for (int k = 0; k <= KST_KIND_COUNT; ++k)
        if (!memcmp(t.at + 2, codes[k], 2)) {
            out->kind = k == KST_KIND_COUNT ? KST_KIND_U8 : (kst_kind)k;
            return order != '|' || kst_kind_bytes(out->kind) == 1;
        }
    return false;
}

static bool parse_shape(text t, kst_npy *out) {
    if (!take(&t, "(")) return false;
    out->dimensions = 0;
    while (!take(&t, ")")) {
        skip_space(&t);
        int64_t n = 0;
        const char *first = t.at;
        for (; t.at < t.end && isdigit((unsigned char)*t.at); ++t.at) {
            if (n > INT64_MAX / 100) return false;
            n = 10 * n + (*t.at - '0');
        }
        if (t.at == first || out->dimensions == 4) return false;
        out->shape[out->dimensions++] = n;
        take(&t, "L");  // Python 2
        if (!take(&t, ",")) return take(&t, ")");
    }
    return true;
}

karst_status kst_npy_parse(const uint8_t *bytes, size_t size, const char *path, kst_npy *out, karst_report *report) {
    kst_reader r = {bytes, bytes + size, false};
    const uint8_t *magic = kst_read_bytes(&r, 6);
    if (!magic || memcmp(magic, "\x93NUMPY", 6) != 0) return wrong(path, "it does not begin like one", report);
    int major = kst_read_u8(&r);
    kst_read_u8(&r);
    if (major < 1 || major > 3)
        return kst_fail(report, KARST_ERROR_VERSION, "%s: npy version %d, this Karst reads 1 to 3", path, major);
    size_t length = major == 1 ? kst_read_u16(&r) : kst_read_u32(&r);
    const uint8_t *header = kst_read_bytes(&r, length);
    if (!header) return wrong(path, "cut in its header", report);
    text whole = {(const char *)header, (const char *)header + length}, value;
    kst_npy npy = {.data = (size_t)(r.at - bytes)};
    if (!find_key(whole, "descr", &value)) return wrong(path, "its header has no 'descr'", report);
    if (!parse_kind(value, &npy)) {
        skip_space(&value);
        int shown = (int)(value.end - value.at < 24 ? value.end - value.at : 24);
        return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                        "%s: samples of %.*s: heights are one integer or real number each", path, shown, value.at);
    }
    if (!find_key(whole, "shape", &value) || !parse_shape(value, &npy))
        return wrong(path, "its header has no 'shape' of up to four sides", report);
    if (!find_key(whole, "fortran_order", &value)) return wrong(path, "its header has no 'fortran_order'", report);
    npy.fortran = take(&value, "True");
    if (!npy.fortran && !take(&value, "False")) return wrong(path, "'fortran_order' is neither True nor False", report);
    *out = npy;
    return KARST_OK;
}

// Two sides longer than one, the others (a band, a time) of length one.
static karst_status plane_of(const kst_npy *npy, const char *path, int64_t *rows, int64_t *columns,
                             karst_report *report) {
    int64_t sides[4];
    int n = 0;
    for (int d = 0; d < npy->dimensions; ++d)
        if (npy->shape[d] != 1 || npy->dimensions <= 2) sides[n++] = npy->shape[d];
    if (n != 2) {
        char text_of[96] = {0};
        for (int d = 0, at = 0; d < npy->dimensions; ++d)
            at +=
                snprintf(text_of + at, sizeof text_of - (size_t)at, "%s%lld", d ? " x " : "", (long long)npy->shape[d]);
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: an array of %s: heights are rows x columns", path,
                        npy->dimensions ? text_of : "one number");
    }
    *rows = sides[0];
    *columns = sides[1];
    return KARST_OK;
}

// Lay the grid over the samples behind the header, after every number in it is proved.
static karst_status lay(kst_source *source, kst_grid *grid, const uint8_t *bytes, size_t size, const char *format,
                        karst_import_info *info, karst_report *report) {
    kst_npy npy;
    int64_t rows = 0, columns = 0;
    karst_status status = kst_npy_parse(bytes, size, source->path, &npy, report);
    if (!status) status = plane_of(&npy, source->path, &rows, &columns, report);
    if (status) return status;
    if (rows > KARST_FIELD_MAX_SIDE || columns > KARST_FIELD_MAX_SIDE || rows * columns > kst_samples_max)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: %lld x %lld samples: sides go to 2^20 and samples to 2^31",
                        source->path, (long long)columns, (long long)rows);
    int64_t each = kst_kind_bytes(npy.kind), need = rows * columns * each, found = (int64_t)(size - npy.data);
    if (need != found)
        return kst_fail(report, KARST_ERROR_FORMAT,
                        "%s: found %lld bytes of samples, expected %lld for %lld x %lld of %s", source->path,
                        (long long)found, (long long)need, (long long)columns, (long long)rows,
                        kst_kind_text(npy.kind));
    source->width = (int32_t)columns;
    source->height = (int32_t)rows;
    source->kind = npy.kind;
    grid->bytes = bytes + npy.data;
    grid->big = npy.big;
    grid->row_stride = npy.fortran ? each : each * columns;
    grid->column_stride = npy.fortran ? each * rows : each;
    snprintf(info->format, sizeof info->format, "%s%s", format, npy.fortran ? ", columns first" : "");
    snprintf(info->byte_order, sizeof info->byte_order, each == 1 ? "" : npy.big ? "big" : "little");
    return KARST_OK;
}

karst_status kst_npy_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report) {
    (void)def;
    kst_grid grid = {0};
    karst_status status = kst_file_map(source->path, report, &grid.map);
    if (!status) status = lay(source, &grid, grid.map.bytes, grid.map.size, "npy", info, report);
    if (status) {
        kst_file_unmap(&grid.map);
        return status;
    }
    return kst_source_from_grid(source, &grid, report);
}

karst_status kst_npz_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report) {
    kst_grid grid = {0};
    karst_status status = kst_npz_load(source->path, def->member, &grid.memory, &grid.memory_size, report);
    if (!status) status = lay(source, &grid, grid.memory, grid.memory_size, "npz", info, report);
    if (status) {
        kst_free(NULL, grid.memory, grid.memory_size);
        return status;
    }
    return kst_source_from_grid(source, &grid, report);
}
