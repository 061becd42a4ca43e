// SPDX-License-Identifier: MIT
// LERC, ZSTD with a predictor and JPEG 2000, by GDAL's drivers, in memory.
#include "codec_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "geo/gdal_calls.h"

const char *const codec_peer_names[CODEC_PEERS] = {"LERC (GDAL)", "ZSTD with predictor (GDAL)", "JPEG 2000 (GDAL)"};

static bool start(void) {
    static bool started;
    if (started || kst_gdal_need(NULL)) return started;
    kst_gdal.GDALAllRegister();
    kst_gdal.CPLSetErrorHandler(kst_gdal.CPLQuietErrorHandler);
    return started = true;
}

static GDALDataType type_of(const codec_peer *p) {
    return p->narrow                              ? p->offset == 0 ? GDT_Int16 : GDT_UInt16
           : p->kind == CODEC_ZSTD && p->step > 0 ? GDT_Int32
                                                  : GDT_Float32;
}

void codec_peer_encode(codec_peer *p) {
    const codec_grid *g = p->grid;
    const char *driver = p->kind == CODEC_JPEG2000 ? "JP2OpenJPEG" : "GTiff";
    char **options = NULL, text[64];
    if (p->kind == CODEC_LERC) {
        options = kst_gdal.CSLSetNameValue(options, "COMPRESS", "LERC");
        snprintf(text, sizeof text, "%.17g", p->bound);
        options = kst_gdal.CSLSetNameValue(options, "MAX_Z_ERROR", text);
    } else if (p->kind == CODEC_ZSTD) {
        options = kst_gdal.CSLSetNameValue(options, "COMPRESS", "ZSTD");
        options = kst_gdal.CSLSetNameValue(options, "PREDICTOR", type_of(p) == GDT_Float32 ? "3" : "2");
    } else {
        options = kst_gdal.CSLSetNameValue(options, "REVERSIBLE", "YES");
        options = kst_gdal.CSLSetNameValue(options, "QUALITY", "100");
    }
    if (p->kind != CODEC_JPEG2000) {  // one block: the peer at its best
        snprintf(text, sizeof text, "%d", g->rows);
        options = kst_gdal.CSLSetNameValue(options, "BLOCKYSIZE", text);
    }
    GDALDatasetH memory =
        kst_gdal.GDALCreate(kst_gdal.GDALGetDriverByName("MEM"), "", g->columns, g->rows, 1, type_of(p), NULL);
    CPLErr bad = kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(memory, 1), GF_Write, 0, 0, g->columns, g->rows,
                                       p->stored, g->columns, g->rows, type_of(p), 0, 0);
    GDALDriverH d = kst_gdal.GDALGetDriverByName(driver);
    GDALDatasetH made = !bad && d ? kst_gdal.GDALCreateCopy(d, p->path, memory, FALSE, options, NULL, NULL) : NULL;
    p->made = made != NULL;
    if (made) kst_gdal.GDALClose(made);
    kst_gdal.GDALClose(memory);
    kst_gdal.CSLDestroy(options);
}

void codec_peer_decode(codec_peer *p) {
    const codec_grid *g = p->grid;
    GDALDatasetH file = kst_gdal.GDALOpen(p->path, GA_ReadOnly);
    if (!file) {
        p->made = false;
        return;
    }
    if (kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(file, 1), GF_Read, 0, 0, g->columns, g->rows, p->stored,
                              g->columns, g->rows, type_of(p), 0, 0))
        p->made = false;
    kst_gdal.GDALClose(file);
}

static double stored_at(const codec_peer *p, size_t i) {
    switch (type_of(p)) {
        case GDT_Int16:
            return ((const int16_t *)p->stored)[i];
        case GDT_UInt16:
            return ((const uint16_t *)p->stored)[i];
        case GDT_Int32:
            return ((const int32_t *)p->stored)[i];
        default:
            return (double)((const float *)p->stored)[i];
    }
}

void codec_peer_make(codec_peer *p, codec_peer_kind kind, const codec_grid *grid, double bound) {
    size_t count = (size_t)grid->columns * (size_t)grid->rows;
    *p = (codec_peer){.kind = kind, .grid = grid, .bound = bound, .stored = malloc(count * 4)};
    snprintf(p->path, sizeof p->path, "/vsimem/peer%d.%s", (int)kind, kind == CODEC_JPEG2000 ? "jp2" : "tif");
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; ++i) {
        if (grid->hole && grid->hole[i]) continue;
        low = fmin(low, (double)grid->values[i]);
        high = fmax(high, (double)grid->values[i]);
    }
    // Whole metres: a step of 2e + 1 keeps the bound, as the values are exact; else 2e.
    if (kind != CODEC_LERC && (bound > 0 || grid->whole)) p->step = grid->whole ? 2 * floor(bound) + 1 : 2 * bound;
    p->narrow = grid->whole || (p->step > 0 && (high - low) / p->step < 65000);
    if (p->step > 0 && p->step != 1) p->offset = low + (grid->whole ? 0 : 1e-9);
    if (kind == CODEC_LERC) p->narrow = grid->whole;
    if (!start() || !p->stored || (kind == CODEC_JPEG2000 && !p->narrow)) return;
    double last = low;  // holes take the value before them
    for (size_t i = 0; i < count; ++i) {
        if (!grid->hole || !grid->hole[i]) last = (double)grid->values[i];
        double q = p->step > 0 ? floor((last - p->offset) / p->step + 0.5) : last;
        switch (type_of(p)) {
            case GDT_Int16:
                ((int16_t *)p->stored)[i] = (int16_t)q;
                break;
            case GDT_UInt16:
                ((uint16_t *)p->stored)[i] = (uint16_t)q;
                break;
            case GDT_Int32:
                ((int32_t *)p->stored)[i] = (int32_t)q;
                break;
            default:
                ((float *)p->stored)[i] = (float)q;
                break;
        }
    }
    codec_peer_encode(p);
    if (!p->made) return;
    vsi_l_offset bytes = 0;
    (void)kst_gdal.VSIGetMemFileBuffer(p->path, &bytes, FALSE);
    p->bytes = (size_t)bytes;
    codec_peer_decode(p);
    for (size_t i = 0; i < count && p->made; ++i) {
        if (grid->hole && grid->hole[i]) continue;
        double v = p->step > 0 ? p->offset + p->step * stored_at(p, i) : stored_at(p, i);
        p->largest_error = fmax(p->largest_error, fabs(v - (double)grid->values[i]));
    }
}

void codec_peer_free(codec_peer *p) {
    if (p->made) kst_gdal.VSIUnlink(p->path);
    free(p->stored);
    p->stored = NULL;
}

bool codec_raster_read(const char *path, float **values, uint8_t **hole, int *columns, int *rows) {
    *values = NULL;
    *hole = NULL;
    if (!start()) return false;
    GDALDatasetH file = kst_gdal.GDALOpen(path, GA_ReadOnly);
    if (!file) return false;
    *columns = kst_gdal.GDALGetRasterXSize(file);
    *rows = kst_gdal.GDALGetRasterYSize(file);
    GDALRasterBandH band = kst_gdal.GDALGetRasterBand(file, 1);
    size_t count = (size_t)*columns * (size_t)*rows, holes = 0;
    *values = malloc(count * sizeof **values);
    *hole = calloc(count, 1);
    bool good =
        *values && *hole &&
        !kst_gdal.GDALRasterIO(band, GF_Read, 0, 0, *columns, *rows, *values, *columns, *rows, GDT_Float32, 0, 0);
    kst_gdal.GDALClose(file);
    // Every nodata value of the folder is far below all land; not asked of the file, as some do not say.
    for (size_t i = 0; good && i < count; ++i) holes += (*hole)[i] = !((*values)[i] > -12000 && (*values)[i] < 12000);
    if (!holes) {
        free(*hole);
        *hole = NULL;
    }
    return good;
}
