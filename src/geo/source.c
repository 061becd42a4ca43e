// SPDX-License-Identifier: MIT
// Which reader a file goes to.
#include <errno.h>
#include <sys/stat.h>

#include "geo/geo.h"

static karst_status look_at(const char *path, karst_report *report) {
    struct stat st;
    if (stat(path, &st)) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return kst_fail(report, KARST_ERROR_FILE, "%s: not a regular file", path);
    return KARST_OK;
}

static bool begins_with(const char *path, const char *bytes, size_t size) {
    char head[8] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, size, f) : 0;
    if (f) fclose(f);
    return n == size && !memcmp(head, bytes, size);
}

static bool is_raw(const char *path, const karst_import_def *def) {
    static const char *const extensions[] = {".r8", ".r16", ".r32", ".f32", ".raw"};
    if (def->type != KARST_SAMPLE_GUESS) return true;
    for (size_t k = 0; k < sizeof extensions / sizeof *extensions; ++k)
        if (kst_has_extension(path, extensions[k])) return true;
    return false;
}

// The bytes of each sample the other way round, in whatever reader.
static karst_status turn_bytes(kst_source *source, karst_import_info *info, karst_report *report) {
    if (!source->turn)
        return kst_fail(report, KARST_ERROR_ARGUMENT,
                        "%s: samples of %s: --swap-bytes turns 16-bit rasters, RAW and npy", source->path,
                        info->type[0] ? info->type : kst_kind_text(source->kind));
    *source->turn = !*source->turn;
    if (info->byte_order[0])
        snprintf(info->byte_order, sizeof info->byte_order, strcmp(info->byte_order, "big") ? "big" : "little");
    return KARST_OK;
}

karst_status kst_source_open(kst_source *source, const char *path, const karst_import_def *def, karst_import_info *info,
                             karst_report *report) {
    *source = (kst_source){.path = path, .scale = 1};
    karst_status status = look_at(path, report);
    if (status) return status;
    if (is_raw(path, def)) {
        status = kst_raw_open(source, def, info, report);
    } else if (begins_with(path, "\x93NUMPY", 6)) {
        status = kst_npy_open(source, def, info, report);
    } else if (begins_with(path, "PK\x03\x04", 4)) {
        status = kst_npz_open(source, def, info, report);
    } else {
        status = kst_raster_open(source, def, info, report);
        if (status == KARST_ERROR_UNSUPPORTED && kst_has_extension(path, ".hgt")) {
            kst_source_close(source);
            *source = (kst_source){.path = path, .scale = 1};
            status = kst_hgt_open(source, info, report);
        }
    }
    if (!status && def->swap_bytes) status = turn_bytes(source, info, report);
    if (!status && !info->type[0]) snprintf(info->type, sizeof info->type, "%s", kst_kind_text(source->kind));
    if (status) kst_source_close(source);
    return status;
}

void kst_source_close(kst_source *source) {
    if (source->close && source->data) source->close(source);
    source->close = NULL;
    source->data = NULL;
}
