// SPDX-License-Identifier: MIT
// RAW: samples and nothing else. Its size is the only thing to hold on to, so it must be exact.
#include <math.h>

#include "geo/geo.h"

static kst_kind kind_of(karst_sample_type type) {
    static const kst_kind kinds[] = {KST_KIND_U16, KST_KIND_U8,  KST_KIND_U16, KST_KIND_I16,
                                     KST_KIND_I32, KST_KIND_F32, KST_KIND_F64};
    return kinds[type];
}

static kst_kind guessed(const char *path) {
    if (kst_has_extension(path, ".r8")) return KST_KIND_U8;
    if (kst_has_extension(path, ".r32") || kst_has_extension(path, ".f32")) return KST_KIND_F32;
    return KST_KIND_U16;
}

// Largest n with n * n <= v.
static uint64_t square_root(uint64_t v) {
    uint64_t n = (uint64_t)sqrt((double)v);
    while (n * n > v) --n;
    while ((n + 1) * (n + 1) <= v) ++n;
    return n;
}

static karst_status no_square(const kst_source *s, uint64_t header, uint64_t size, karst_report *report) {
    uint64_t bytes = (uint64_t)kst_kind_bytes(s->kind), body = size > header ? size - header : 0;
    uint64_t n = square_root(body / bytes);
    if (body - n * n * bytes > (n + 1) * (n + 1) * bytes - body) ++n;  // the nearer square
    if (n < 2) n = 2;
    return kst_fail(report, KARST_ERROR_FORMAT,
                    "%s: found %llu bytes, expected %llu for the nearest square, %llu x %llu samples of %s with a "
                    "header of %llu: pass --size WxH, --type or --header",
                    s->path, (unsigned long long)size, (unsigned long long)(n * n * bytes + header),
                    (unsigned long long)n, (unsigned long long)n, kst_kind_text(s->kind), (unsigned long long)header);
}

static karst_status find_size(kst_source *s, const karst_import_def *def, uint64_t size, karst_report *report) {
    uint64_t bytes = (uint64_t)kst_kind_bytes(s->kind), header = def->header_bytes;
    if (def->width > 0 && def->height > 0) {
        uint64_t body = (uint64_t)def->width * (uint64_t)def->height * bytes;  // 2^31 * 2^31 * 8 does not fit
        if ((int64_t)def->width * def->height > kst_samples_max)
            return kst_fail(report, KARST_ERROR_LIMIT, "%s: %d x %d samples are more than 2^31", s->path, def->width,
                            def->height);
        if (size < header || size - header != body)
            return kst_fail(report, KARST_ERROR_FORMAT,
                            "%s: found %llu bytes, expected %llu for %d x %d samples of %s with a header of %llu: look "
                            "at --size, --type and --header",
                            s->path, (unsigned long long)size, (unsigned long long)(body + header), def->width,
                            def->height, kst_kind_text(s->kind), (unsigned long long)header);
        s->width = def->width;
        s->height = def->height;
        return KARST_OK;
    }
    uint64_t n = size > header ? square_root((size - header) / bytes) : 0;
    if (n < 2 || n > KARST_FIELD_MAX_SIDE || n * n * bytes + header != size) return no_square(s, header, size, report);
    s->width = s->height = (int32_t)n;
    return KARST_OK;
}

karst_status kst_raw_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                          karst_report *report) {
    kst_grid grid = {.big = def->order == KARST_ORDER_BIG};
    source->kind = def->type ? kind_of(def->type) : guessed(source->path);
    karst_status status = kst_file_map(source->path, report, &grid.map);
    if (!status) status = find_size(source, def, grid.map.size, report);
    if (status) {
        kst_file_unmap(&grid.map);
        return status;
    }
    grid.bytes = grid.map.bytes + def->header_bytes;
    grid.column_stride = kst_kind_bytes(source->kind);
    grid.row_stride = grid.column_stride * source->width;
    snprintf(info->format, sizeof info->format, "RAW");
    snprintf(info->byte_order, sizeof info->byte_order, grid.big ? "big" : "little");
    return kst_source_from_grid(source, &grid, report);
}

karst_status kst_hgt_open(kst_source *source, karst_import_info *info, karst_report *report) {
    kst_grid grid = {.big = true};
    source->kind = KST_KIND_I16;
    karst_status status = kst_file_map(source->path, report, &grid.map);
    if (status) return status;
    int32_t n = grid.map.size == 2 * 1201 * 1201 ? 1201 : grid.map.size == 2 * 3601 * 3601 ? 3601 : 0;
    if (!n) {
        status =
            kst_fail(report, KARST_ERROR_FORMAT,
                     "%s: found %zu bytes, expected 2884802 (1201 x 1201 samples) or 25934402 (3601 x 3601) for an "
                     "SRTM tile",
                     source->path, grid.map.size);
        kst_file_unmap(&grid.map);
        return status;
    }
    source->width = source->height = n;
    source->has_no_data = true;
    source->no_data = -32768;
    grid.bytes = grid.map.bytes;
    grid.column_stride = 2;
    grid.row_stride = 2 * (int64_t)n;
    snprintf(info->format, sizeof info->format, "SRTM tile");
    snprintf(info->byte_order, sizeof info->byte_order, "big");
    kst_note(info, "the name is not like N44W072.hgt, so the place is unknown, and with it the spacing");
    return kst_source_from_grid(source, &grid, report);
}
