// SPDX-License-Identifier: MIT
// Rasters out through GDAL.
//
// GDAL opens files by name, so it gets a passing name beside the target's, which is synced and renamed at the
// end: a failed or killed export leaves the old file.
#define _GNU_SOURCE
#include "geo/write_gdal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "geo/gdal_calls.h"

static karst_status passing_name(const char *path, char **out, karst_report *report) {
    if (asprintf(out, "%s.tmp%ld", path, (long)getpid()) < 0)
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    int fd = open(*out, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);  // so that the reason is the system's
    if (fd < 0) {
        karst_status status =
            kst_fail(report, KARST_ERROR_FILE, "%s: cannot write beside it: %s", path, strerror(errno));
        free(*out);
        return status;
    }
    close(fd);
    return KARST_OK;
}

// Give what was written its name, or remove it when status says so.
static karst_status settle(char *passing, const char *path, karst_status status, karst_report *report) {
    if (!status) {
        int fd = open(passing, O_RDONLY | O_CLOEXEC);
        bool good = fd >= 0 && !fsync(fd);
        if (fd >= 0) close(fd);
        if (!good || rename(passing, path))
            status = kst_fail(report, KARST_ERROR_FILE, "%s: cannot write: %s", path, strerror(errno));
    }
    if (status) unlink(passing);
    free(passing);
    return status;
}

typedef struct teller {
    const karst_progress *progress;
    double from;
} teller;

static int CPL_STDCALL tell(double share, const char *message, void *context) {
    (void)message;
    const teller *t = context;
    return !kst_progress_step(t->progress, "export", t->from + (1 - t->from) * share);
}

static karst_status failed(const char *path, const kst_gdal_words *words, karst_report *report) {
    return kst_fail(report, KARST_ERROR_FILE, "%s: cannot write: %s", path,
                    words->failure[0] ? words->failure : "GDAL gives no reason");
}

// A dataset over the caller's samples; it copies none.
static GDALDatasetH wrap(int width, int height, int channels, kst_kind kind, const void *samples) {
    GDALDataType type = kind == KST_KIND_U8 ? GDT_Byte : GDT_UInt16;
    GDALDatasetH set = kst_gdal.GDALCreate(kst_gdal.GDALGetDriverByName("MEM"), "", width, height, 0, type, NULL);
    size_t bytes = (size_t)kst_kind_bytes(kind);
    for (int c = 0; set && c < channels; ++c) {
        char place[64], pixel[32], line[32];
        char text[32] = {0};
        kst_gdal.CPLPrintPointer(text, (void *)((uintptr_t)samples + (size_t)c * bytes), sizeof text - 1);
        snprintf(place, sizeof place, "DATAPOINTER=%s", text);
        snprintf(pixel, sizeof pixel, "PIXELOFFSET=%zu", bytes * (size_t)channels);
        snprintf(line, sizeof line, "LINEOFFSET=%zu", bytes * (size_t)channels * (size_t)width);
        char *options[] = {place, pixel, line, NULL};
        if (kst_gdal.GDALAddBand(set, type, options) != CE_None) {
            kst_gdal.GDALClose(set);
            return NULL;
        }
        if (channels == 3)
            kst_gdal.GDALSetRasterColorInterpretation(kst_gdal.GDALGetRasterBand(set, c + 1),
                                                      (GDALColorInterp)(GCI_RedBand + c));
    }
    return set;
}

karst_status kst_write_png(const char *path, int width, int height, int channels, kst_kind kind, const void *samples,
                           const karst_progress *progress, double from, karst_report *report) {
    char *passing;
    karst_status status = kst_gdal_need(report);
    if (!status) status = passing_name(path, &passing, report);
    if (status) return status;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    GDALDatasetH set = wrap(width, height, channels, kind, samples), out = NULL;
    teller t = {progress, from};
    if (set) out = kst_gdal.GDALCreateCopy(kst_gdal.GDALGetDriverByName("PNG"), passing, set, FALSE, NULL, tell, &t);
    if (out) kst_gdal.GDALClose(out);
    if (set) kst_gdal.GDALClose(set);
    kst_gdal_end();
    if (!out) status = kst_progress_step(progress, "export", from);  // cancelled, or a failure
    if (!out && !status) status = failed(path, &words, report);
    return settle(passing, path, status, report);
}

karst_status karst_geo_write_png(const char *path, int width, int height, const uint8_t *rgb, karst_report *report) {
    KARST_ASSERT(width > 0 && height > 0);
    return kst_write_png(path, width, height, 3, KST_KIND_U8, rgb, NULL, 0, report);
}

static karst_status write_rows(GDALDatasetH set, const char *path, const karst_field_shape *shape, kst_rows_fn *fn,
                               void *context, const kst_gdal_words *words, const karst_progress *progress,
                               karst_report *report) {
    size_t bytes = (size_t)shape->columns * KST_ROWS_A_STRIP * sizeof(float);
    float *heights = kst_alloc(NULL, bytes);
    karst_status status = heights ? KARST_OK : kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    for (int32_t row = 0; row < shape->rows && !status; row += KST_ROWS_A_STRIP) {
        int32_t rows = shape->rows - row < KST_ROWS_A_STRIP ? shape->rows - row : KST_ROWS_A_STRIP;
        status = kst_progress_step(progress, "export", (double)row / shape->rows);
        if (!status) status = fn(context, row, rows, heights);
        if (!status && kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(set, 1), GF_Write, 0, row, shape->columns, rows,
                                             heights, shape->columns, rows, GDT_Float32, 0, 0) != CE_None)
            status = failed(path, words, report);
    }
    kst_free(NULL, heights, bytes);
    return status;
}

karst_status kst_write_tiff(const char *path, const karst_field_shape *shape, kst_rows_fn *fn, void *context,
                            const karst_progress *progress, karst_report *report) {
    char *passing;
    karst_status status = kst_gdal_need(report);
    if (!status) status = passing_name(path, &passing, report);
    if (status) return status;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    char *options[] = {"COMPRESS=DEFLATE", "PREDICTOR=3", "BIGTIFF=IF_SAFER", NULL};
    GDALDatasetH set = kst_gdal.GDALCreate(kst_gdal.GDALGetDriverByName("GTiff"), passing, shape->columns, shape->rows,
                                           1, GDT_Float32, options);
    if (!set) {
        status = failed(path, &words, report);
    } else {
        double s = shape->spacing_m;  // corner of the first pixel; its centre is the sample
        double transform[6] = {shape->origin.x - s / 2, s, 0, -shape->origin.z + s / 2, 0, -s};
        kst_gdal.GDALSetGeoTransform(set, transform);
        kst_gdal.GDALSetRasterNoDataValue(kst_gdal.GDALGetRasterBand(set, 1), NAN);
        kst_gdal.GDALSetRasterUnitType(kst_gdal.GDALGetRasterBand(set, 1), "m");
        status = write_rows(set, path, shape, fn, context, &words, progress, report);
        kst_gdal.GDALClose(set);  // writes what is left; it can only tell through the handler
        if (!status && words.failure[0]) status = failed(path, &words, report);
    }
    kst_gdal_end();
    return settle(passing, path, status, report);
}

karst_status kst_write_floats(const char *path, int width, int height, int channels, const float *samples,
                              karst_report *report) {
    char *passing;
    karst_status status = kst_gdal_need(report);
    if (!status) status = passing_name(path, &passing, report);
    if (status) return status;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    char *options[] = {"COMPRESS=DEFLATE", "PREDICTOR=3", "INTERLEAVE=PIXEL", NULL};
    GDALDatasetH set = kst_gdal.GDALCreate(kst_gdal.GDALGetDriverByName("GTiff"), passing, width, height, channels,
                                           GDT_Float32, options);
    if (!set) status = failed(path, &words, report);
    for (int c = 0; c < channels && !status; ++c)
        if (kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(set, c + 1), GF_Write, 0, 0, width, height,
                                  (void *)(uintptr_t)(samples + c), width, height, GDT_Float32, 4 * channels,
                                  4 * channels * width) != CE_None)
            status = failed(path, &words, report);
    if (set) kst_gdal.GDALClose(set);
    if (!status && words.failure[0]) status = failed(path, &words, report);
    kst_gdal_end();
    return settle(passing, path, status, report);
}
