// SPDX-License-Identifier: MIT
// Stamps in and out: a raster of heights or of vectors as floats.
#define _GNU_SOURCE
#include "karst/stamp.h"

#include <math.h>
#include <stdlib.h>

#include "geo/exr.h"
#include "geo/gdal_calls.h"
#include "geo/geo.h"
#include "geo/write_gdal.h"

enum { SIDE_MAX = 16384 };

static karst_status make(const char *path, int width, int height, int channels, karst_report *report,
                         karst_stamp **out) {
    if (width > SIDE_MAX || height > SIDE_MAX)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: %d x %d pixels: a stamp has up to %d a side", path, width,
                        height, SIDE_MAX);
    karst_status status = karst_stamp_create(width, height, channels, out);
    return status ? kst_fail(report, status, "%s: %d x %d pixels: %s", path, width, height, karst_status_text(status))
                  : KARST_OK;
}

// Holes in the data press nothing.
static void mend(karst_stamp *stamp) {
    size_t count = (size_t)stamp->width * (size_t)stamp->height * (size_t)stamp->channels;
    for (size_t k = 0; k < count; ++k)
        if (!isfinite(stamp->samples[k])) stamp->samples[k] = 0;
}

// ---- heights -----------------------------------------------------------------------------------------

// What a whole number means as 1; 0 for numbers that are what they say.
static double full(kst_kind kind) {
    switch (kind) {
        case KST_KIND_U8:
            return 255;
        case KST_KIND_I8:
            return 127;
        case KST_KIND_U16:
            return 65535;
        case KST_KIND_I16:
            return 32767;
        case KST_KIND_U32:
            return 4294967295.0;
        case KST_KIND_I32:
            return 2147483647.0;
        default:
            return 0;
    }
}

static karst_status read_heights(const char *path, karst_report *report, karst_stamp **out) {
    karst_import_def def = karst_import_def_default();
    karst_import_info info = {0};
    kst_source source;
    karst_stamp *stamp = NULL;
    karst_status status = kst_source_open(&source, path, &def, &info, report);
    if (status) return status;
    status = make(path, source.width, source.height, 1, report, &stamp);
    size_t count = (size_t)source.width;
    double *samples = status ? NULL : kst_alloc_array(NULL, count, sizeof *samples);
    uint8_t *missing = status ? NULL : kst_alloc(NULL, count);
    if (!status && (!samples || !missing)) status = kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    double one = full(source.kind);
    for (int32_t row = 0; row < source.height && !status; ++row) {
        memset(missing, 0, count);
        status = source.read(&source, row, 1, samples, missing, report);
        for (size_t i = 0; i < count && !status; ++i) {
            bool gone = missing[i] || (source.has_no_data && samples[i] == source.no_data);
            double value = one > 0 ? samples[i] / one : samples[i] * source.scale + source.offset;
            stamp->samples[(size_t)row * count + i] = gone ? 0 : (float)value;
        }
    }
    kst_free(NULL, samples, count * sizeof *samples);
    kst_free(NULL, missing, count);
    kst_source_close(&source);
    if (status) {
        karst_stamp_destroy(stamp);
        return status;
    }
    mend(stamp);
    *out = stamp;
    return KARST_OK;
}

// ---- vectors -----------------------------------------------------------------------------------------

static GDALDatasetH open_picture(const char *path) {
    char *name = NULL;  // "./": no file name is taken for an address
    if (asprintf(&name, "%s%s", path[0] == '/' ? "" : "./", path) < 0) return NULL;
    GDALDatasetH set = kst_gdal.GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_READONLY, kst_gdal_drivers(), NULL, NULL);
    free(name);
    return set;
}

static karst_status read_vectors(GDALDatasetH set, const char *path, const kst_gdal_words *words, karst_report *report,
                                 karst_stamp **out) {
    karst_stamp *stamp = NULL;
    int width = kst_gdal.GDALGetRasterXSize(set), height = kst_gdal.GDALGetRasterYSize(set);
    karst_status status = make(path, width, height, 3, report, &stamp);
    if (status) return status;
    GDALDataType type = kst_gdal.GDALGetRasterDataType(kst_gdal.GDALGetRasterBand(set, 1));
    for (int c = 0; c < 3 && !status; ++c)
        if (kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(set, c + 1), GF_Read, 0, 0, width, height,
                                  stamp->samples + c, width, height, GDT_Float32, 12, 12 * width) != CE_None)
            status = kst_fail(report, KARST_ERROR_FORMAT, "%s: damaged or cut short: %s", path,
                              words->failure[0] ? words->failure : "GDAL gives no reason");
    float one = type == GDT_Byte ? 255 : type == GDT_UInt16 ? 65535 : 0;
    size_t count = 3 * (size_t)width * (size_t)height;
    for (size_t k = 0; one > 0 && k < count; ++k) stamp->samples[k] = stamp->samples[k] / one * 2 - 1;
    if (status) {
        karst_stamp_destroy(stamp);
        return status;
    }
    mend(stamp);
    *out = stamp;
    return KARST_OK;
}

karst_status karst_geo_read_stamp(const char *path, karst_report *report, karst_stamp **out) {
    if (kst_has_extension(path, ".exr")) {
        karst_status status = kst_exr_read(path, report, out);
        if (!status) mend(*out);
        return status;
    }
    karst_status status = kst_gdal_need(report);
    if (status) return status;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    GDALDatasetH set = open_picture(path);
    bool vectors = set && kst_gdal.GDALGetRasterCount(set) >= 3;
    if (vectors) status = read_vectors(set, path, &words, report, out);
    if (set) kst_gdal.GDALClose(set);
    kst_gdal_end();
    return vectors ? status : read_heights(path, report, out);
}

karst_status karst_geo_write_stamp(const char *path, const karst_stamp *stamp, karst_report *report) {
    if (kst_has_extension(path, ".exr")) return kst_exr_write(path, stamp, report);
    if (kst_has_extension(path, ".tif") || kst_has_extension(path, ".tiff"))
        return kst_write_floats(path, stamp->width, stamp->height, stamp->channels, stamp->samples, report);
    return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: a stamp is written as .exr or .tif", path);
}
