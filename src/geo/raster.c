// SPDX-License-Identifier: MIT
// Everything that GDAL reads: what it declares is weighed before a sample is asked for.
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "geo/gdal_calls.h"
#include "geo/geo.h"

// A block of a raster may be the whole of it; more than this only if the file could fill it.
static const int64_t block_bytes_free = (int64_t)64 << 20;
// Packed bytes make at most so many: deflate 1032, others more on empty ground.
static const int64_t packing_most = 5000;

typedef struct raster {
    GDALDatasetH set;
    GDALRasterBandH band[3], mask;
    karst_rgb_coding rgb;
    bool swap;  // 16-bit samples come out the wrong way round
    uint8_t *colours;
    size_t colours_bytes;
    char driver[32];
} raster;

// ---- rows --------------------------------------------------------------------------------------------

static karst_status failed(const kst_source *s, const kst_gdal_words *words, int32_t row, int32_t rows,
                           karst_report *report) {
    return kst_fail(report, KARST_ERROR_FORMAT, "%s: damaged or cut short, in rows %d to %d: %s", s->path, row,
                    row + rows - 1, words->failure[0] ? words->failure : "GDAL gives no reason");
}

static void swap_16(double *samples, size_t count, bool is_signed) {
    for (size_t i = 0; i < count; ++i) {
        uint16_t v = __builtin_bswap16((uint16_t)(int32_t)samples[i]);
        samples[i] = is_signed ? (double)(int16_t)v : (double)v;
    }
}

static bool read_coded(raster *r, int32_t row, int32_t rows, int32_t width, double *samples) {
    size_t count = (size_t)rows * (size_t)width;
    for (int c = 0; c < 3; ++c)
        if (kst_gdal.GDALRasterIO(r->band[c], GF_Read, 0, row, width, rows, r->colours + (size_t)c * count, width, rows,
                                  GDT_Byte, 0, 0) != CE_None)
            return false;
    const uint8_t *red = r->colours, *green = red + count, *blue = green + count;
    for (size_t i = 0; i < count; ++i) samples[i] = (double)red[i] * 65536 + (double)green[i] * 256 + (double)blue[i];
    return true;
}

static karst_status read_rows(kst_source *source, int32_t row, int32_t rows, double *samples, uint8_t *missing,
                              karst_report *report) {
    raster *r = source->data;
    int32_t width = source->width;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    bool good = r->rgb ? read_coded(r, row, rows, width, samples)
                       : kst_gdal.GDALRasterIO(r->band[0], GF_Read, 0, row, width, rows, samples, width, rows,
                                               GDT_Float64, 0, 0) == CE_None;
    if (good && r->mask) {
        good = kst_gdal.GDALRasterIO(r->mask, GF_Read, 0, row, width, rows, missing, width, rows, GDT_Byte, 0, 0) ==
               CE_None;
        for (size_t i = 0; good && i < (size_t)rows * (size_t)width; ++i) missing[i] = missing[i] == 0;
    }
    kst_gdal_end();
    if (!good) return failed(source, &words, row, rows, report);
    if (r->swap) swap_16(samples, (size_t)rows * (size_t)width, source->kind == KST_KIND_I16);
    return KARST_OK;
}

static void close_raster(kst_source *source) {
    raster *r = source->data;
    kst_gdal_words words;
    kst_gdal_begin(&words);
    if (r->set) kst_gdal.GDALClose(r->set);
    kst_gdal_end();
    kst_free(NULL, r->colours, r->colours_bytes);
    kst_free(NULL, r, sizeof *r);
}

// ---- what the samples are ----------------------------------------------------------------------------

static bool kind_of(GDALDataType type, kst_kind *out) {
    switch ((int)type) {
        case GDT_Byte:
            *out = KST_KIND_U8;
            return true;
        case GDT_UInt16:
            *out = KST_KIND_U16;
            return true;
        case GDT_Int16:
            *out = KST_KIND_I16;
            return true;
        case GDT_UInt32:
            *out = KST_KIND_U32;
            return true;
        case GDT_Int32:
            *out = KST_KIND_I32;
            return true;
        case GDT_Float32:
            *out = KST_KIND_F32;
            return true;
        case GDT_Float64:
            *out = KST_KIND_F64;
            return true;
        case 12:
            *out = KST_KIND_U64;
            return true;  // GDT_UInt64, from GDAL 3.5
        case 13:
            *out = KST_KIND_I64;
            return true;  // GDT_Int64
        case 14:
            *out = KST_KIND_I8;
            return true;  // GDT_Int8, from GDAL 3.7
        default:
            return false;
    }
}

// GDAL before 3.10.1 does not swap the bytes of 16-bit PNG that is interlaced (its issue 11553). Distributions
// mend such things under old numbers, so the library in use is asked: one interlaced pixel of value 0x0102.
static bool interlaced_png_is_swapped(void) {
    static const uint8_t probe[] = {0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48,
                                    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x00, 0x00,
                                    0x01, 0x1D, 0xE9, 0x77, 0x80, 0x00, 0x00, 0x00, 0x0B, 0x49, 0x44, 0x41, 0x54, 0x78,
                                    0x9C, 0x63, 0x60, 0x64, 0x02, 0x00, 0x00, 0x07, 0x00, 0x04, 0x76, 0x49, 0xE3, 0x28,
                                    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82};
    static const char *const drivers[] = {"PNG", NULL};
    char name[64];
    snprintf(name, sizeof name, "/vsimem/karst-probe-%p.png", (void *)name);  // one a thread
    VSILFILE *f = kst_gdal.VSIFileFromMemBuffer(name, (GByte *)(uintptr_t)probe, sizeof probe, FALSE);
    if (f) kst_gdal.VSIFCloseL(f);
    GDALDatasetH set = kst_gdal.GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_READONLY, drivers, NULL, NULL);
    uint16_t value = 0;
    if (set && kst_gdal.GDALRasterIO(kst_gdal.GDALGetRasterBand(set, 1), GF_Read, 0, 0, 1, 1, &value, 1, 1, GDT_UInt16,
                                     0, 0) != CE_None)
        value = 0;
    if (set) kst_gdal.GDALClose(set);
    kst_gdal.VSIUnlink(name);
    return value == 0x0201;
}

static size_t first_bytes(const char *path, uint8_t *out, size_t size) {
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(out, 1, size, f) : 0;
    if (f) fclose(f);
    return n;
}

// Byte order where the format leaves a choice, and mending of what GDAL gets wrong.
static void look_at_bytes(kst_source *s, raster *r, karst_import_info *info) {
    uint8_t head[29] = {0};
    first_bytes(s->path, head, sizeof head);
    const char *order = "";
    if (!strcmp(r->driver, "GTiff")) order = head[0] == 'M' ? "big" : "little";
    if (!strcmp(r->driver, "SRTMHGT") || !strcmp(r->driver, "PNG")) order = "big";
    snprintf(info->byte_order, sizeof info->byte_order, "%s", kst_kind_bytes(s->kind) > 1 ? order : "");
    bool interlaced = !strcmp(r->driver, "PNG") && head[24] == 16 && head[28] == 1;
    if (interlaced && interlaced_png_is_swapped()) r->swap = !r->swap;
}

static void look_at_band(kst_source *s, raster *r, karst_import_info *info) {
    int has = 0;
    double value = kst_gdal.GDALGetRasterScale(r->band[0], &has);
    if (has && isfinite(value) && value != 0) s->scale = value;
    value = kst_gdal.GDALGetRasterOffset(r->band[0], &has);
    if (has && isfinite(value)) s->offset = value;
    const char *unit = kst_gdal.GDALGetRasterUnitType(r->band[0]);
    bool feet = unit && (!strcasecmp(unit, "ft") || !strcasecmp(unit, "foot") || !strcasecmp(unit, "feet"));
    bool survey = unit && (!strcasecmp(unit, "us-ft") || !strcasecmp(unit, "US survey foot"));
    if (feet || survey) {
        double metres = survey ? 1200.0 / 3937.0 : 0.3048;
        s->scale *= metres;
        s->offset *= metres;
        kst_note(info, "heights are in feet (%s): turned into metres", unit);
    }

    int flags = kst_gdal.GDALGetMaskFlags(r->band[0]);
    value = kst_gdal.GDALGetRasterNoDataValue(r->band[0], &has);
    bool colour_key = !strcmp(r->driver, "PNG") && !(flags & GMF_ALPHA);  // tRNS, made for pictures
    if (has && colour_key) {
        kst_note(info, "the colour key %g is not taken for no data: pass --no-data %g if it is", value, value);
    } else if (has) {
        s->has_no_data = true;
        s->no_data = value;
    }
    if (flags & GMF_PER_DATASET) r->mask = kst_gdal.GDALGetMaskBand(r->band[0]);
    const char *bits = kst_gdal.GDALGetMetadataItem(r->band[0], "NBITS", "IMAGE_STRUCTURE");
    if (bits && !strcmp(bits, "1")) kst_note(info, "samples of one bit: this looks like a mask, not like heights");
}

static karst_status unpictured(kst_source *s, const char *what, karst_report *report) {
    return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                    "%s: %s, not a grid of heights: if colours hold heights, pass --rgb terrarium or --rgb mapbox",
                    s->path, what);
}

static karst_status choose_bands(kst_source *s, raster *r, karst_import_info *info, karst_report *report) {
    int bands = kst_gdal.GDALGetRasterCount(r->set);
    if (bands < 1)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                        "%s: %s with no raster of its own: export one layer of it first", s->path, r->driver);
    r->band[0] = kst_gdal.GDALGetRasterBand(r->set, 1);
    GDALColorInterp colour = kst_gdal.GDALGetRasterColorInterpretation(r->band[0]);
    if (!r->rgb && colour == GCI_PaletteIndex) return unpictured(s, "a picture of a palette", report);
    if (!r->rgb && bands >= 3 && colour == GCI_RedBand) return unpictured(s, "a colour picture", report);
    GDALDataType type = kst_gdal.GDALGetRasterDataType(r->band[0]);
    if (!kind_of(type, &s->kind))
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: samples of type %s: heights are one real number each",
                        s->path, kst_gdal.GDALGetDataTypeName(type));
    if (!r->rgb) {
        bool alpha = bands == 2 &&
                     kst_gdal.GDALGetRasterColorInterpretation(kst_gdal.GDALGetRasterBand(r->set, 2)) == GCI_AlphaBand;
        if (bands > 1 && !alpha) kst_note(info, "%d bands: the first one is taken", bands);
        return KARST_OK;
    }
    if (bands < 3 || s->kind != KST_KIND_U8 || colour == GCI_PaletteIndex)
        return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: --rgb wants three bands of 8 bits, this has %d of %s",
                        s->path, bands, kst_kind_text(s->kind));
    for (int c = 1; c < 3; ++c) r->band[c] = kst_gdal.GDALGetRasterBand(r->set, c + 1);
    return KARST_OK;
}

// Terrarium: R * 256 + G + B / 256 - 32768. Mapbox: (R * 65536 + G * 256 + B) / 10 - 10000.
static void set_coding(kst_source *s, const raster *r) {
    s->kind = KST_KIND_U32;
    s->scale = r->rgb == KARST_RGB_TERRARIUM ? 1.0 / 256 : 0.1;
    s->offset = r->rgb == KARST_RGB_TERRARIUM ? -32768 : -10000;
    s->has_no_data = false;
}

// ---- its size, before anything is allocated for it --------------------------------------------------------

static karst_status weigh(const kst_source *s, const raster *r, int64_t file_bytes, karst_report *report) {
    if (s->width > KARST_FIELD_MAX_SIDE || s->height > KARST_FIELD_MAX_SIDE ||
        (int64_t)s->width * s->height > kst_samples_max)
        return kst_fail(report, KARST_ERROR_LIMIT, "%s: declares %d x %d samples: sides go to 2^20 and samples to 2^31",
                        s->path, s->width, s->height);
    int64_t each = kst_kind_bytes(s->kind), all = (int64_t)s->width * s->height * each;
    int block_x = 0, block_y = 0;
    kst_gdal.GDALGetBlockSize(r->band[0], &block_x, &block_y);
    int64_t block = (int64_t)block_x * block_y * each, largest = file_bytes * packing_most;
    if ((all > block_bytes_free && all > largest) || (block > block_bytes_free && block > largest))
        return kst_fail(report, KARST_ERROR_LIMIT,
                        "%s: declares %d x %d samples, %lld bytes, in a file of %lld: that cannot be", s->path,
                        s->width, s->height, (long long)all, (long long)file_bytes);
    return KARST_OK;
}

// ---- its place -------------------------------------------------------------------------------------------

// Metres of a degree on the WGS 84 ellipsoid. After: R. H. Rapp, "Geometric Geodesy", 1991: the radii of
// curvature M of the meridian and N of the prime vertical.
static void metres_of_degree(double latitude_deg, double *east, double *north) {
    double a = 6378137, e2 = 6.69437999014e-3, phi = latitude_deg * M_PI / 180, s = sin(phi);
    double w2 = 1 - e2 * s * s;
    *north = a * (1 - e2) / (w2 * sqrt(w2)) * M_PI / 180;
    *east = a / sqrt(w2) * cos(phi) * M_PI / 180;
}

static void look_at_place(kst_source *s, const raster *r, karst_import_info *info) {
    double t[6];
    if (kst_gdal.GDALGetGeoTransform(r->set, t) != CE_None) return;
    bool plain = t[0] == 0 && t[1] == 1 && t[2] == 0 && t[3] == 0 && t[4] == 0 && fabs(t[5]) == 1;
    if (plain) return;  // what a driver says when it does not know
    double x = hypot(t[1], t[4]), z = hypot(t[2], t[5]);
    if (!isfinite(x) || !isfinite(z) || x <= 0 || z <= 0) return;
    bool turned = fabs(t[2]) > 1e-6 * x || fabs(t[4]) > 1e-6 * x;
    if (turned) kst_note(info, "the grid is turned against north: rows and columns are kept as they are");
    // GDAL gives the rows of Terragen north first under a transform that says the opposite.
    s->south_first = !turned && t[5] > 0 && strcmp(r->driver, "Terragen") != 0;
    s->east_first = !turned && t[1] < 0;
    OGRSpatialReferenceH srs = kst_gdal.GDALGetSpatialRef(r->set);
    if (srs && kst_gdal.OSRIsGeographic(srs)) {
        double to_degrees = kst_gdal.OSRGetAngularUnits(srs, NULL) * 180 / M_PI, east, north;
        double middle = (t[3] + (t[4] * s->width + t[5] * s->height) / 2) * to_degrees;
        if (!(fabs(middle) <= 90)) middle = 0;
        metres_of_degree(middle, &east, &north);
        x *= to_degrees * east;
        z *= to_degrees * north;
    } else if (srs) {
        double metres = kst_gdal.OSRGetLinearUnits(srs, NULL);
        if (isfinite(metres) && metres > 0) {
            x *= metres;
            z *= metres;
        }
    } else if (x < 0.01 && fabs(t[0]) <= 360 && fabs(t[3]) <= 90) {
        kst_note(info, "no coordinate system; steps of %g look like degrees and are taken for metres: pass --spacing",
                 x);
    }
    if (!(x > 1e-9) || !(z > 1e-9) || !isfinite(x) || !isfinite(z)) return;
    s->spacing_x_m = x;
    s->spacing_z_m = z;
}

// ---- opening ---------------------------------------------------------------------------------------------

static bool is_allowed(GDALDriverH driver) {
    for (const char *const *name = kst_gdal_drivers(); *name; ++name)
        if (!strcmp(*name, kst_gdal.GDALGetDriverShortName(driver))) return true;
    return false;
}

static karst_status open_set(kst_source *s, raster *r, karst_report *report) {
    char *name = NULL;  // "./": no file name is taken for an address
    if (asprintf(&name, "%s%s", s->path[0] == '/' ? "" : "./", s->path) < 0)
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", s->path);
    kst_gdal_words words;
    const char *const *drivers = kst_gdal_drivers();
    kst_gdal_begin(&words);
    r->set = kst_gdal.GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, drivers, NULL, NULL);
    GDALDriverH refused = r->set ? NULL : kst_gdal.GDALIdentifyDriver(name, NULL);
    kst_gdal_end();
    const char *said = words.failure;  // without the name, which GDAL puts in front, at times twice
    for (size_t n = strlen(name); !strncmp(said, name, n);) said += n + strspn(said + n, ": ,");
    free(name);
    if (r->set) {
        snprintf(r->driver, sizeof r->driver, "%s",
                 kst_gdal.GDALGetDriverShortName(kst_gdal.GDALGetDatasetDriver(r->set)));
        return KARST_OK;
    }
    if (refused && !is_allowed(refused))
        return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                        "%s: %s names other files or addresses, which are not followed: make it a GeoTIFF first "
                        "(gdal_translate)",
                        s->path, kst_gdal.GDALGetDriverShortName(refused));
    bool unknown = !said[0] || strstr(said, "not recognized");
    return unknown ? kst_fail(report, KARST_ERROR_UNSUPPORTED,
                              "%s: not a format that Karst or GDAL knows: for samples without a header pass --type and "
                              "--size",
                              s->path)
                   : kst_fail(report, KARST_ERROR_FORMAT, "%s: cannot be read: %s", s->path, said);
}

// The numbers of a text grid are read by Karst.
static karst_status take_over(kst_source *s, karst_report *report) {
    kst_grid grid;
    karst_status status = kst_asc_load(s->path, s->width, s->height, &grid, report);
    if (status) return status;
    close_raster(s);
    s->data = NULL;
    s->close = NULL;
    s->kind = KST_KIND_F64;
    return kst_source_from_grid(s, &grid, report);
}

karst_status kst_raster_open(kst_source *source, const karst_import_def *def, karst_import_info *info,
                             karst_report *report) {
    struct stat st;
    if (stat(source->path, &st)) return kst_fail(report, KARST_ERROR_FILE, "%s: cannot open", source->path);
    karst_status status = kst_gdal_need(report);
    if (status) return status;
    raster *r = kst_alloc_zero(NULL, sizeof *r);
    if (!r) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", source->path);
    r->rgb = def->rgb;
    source->data = r;
    source->close = close_raster;
    source->read = read_rows;
    status = open_set(source, r, report);
    if (status) return status;
    source->width = kst_gdal.GDALGetRasterXSize(r->set);
    source->height = kst_gdal.GDALGetRasterYSize(r->set);
    kst_gdal_words words;
    kst_gdal_begin(&words);
    status = choose_bands(source, r, info, report);
    if (!status) status = weigh(source, r, (int64_t)st.st_size, report);
    if (!status) {
        snprintf(info->format, sizeof info->format, "%s",
                 kst_gdal.GDALGetDriverLongName(kst_gdal.GDALGetDatasetDriver(r->set)));
        snprintf(info->type, sizeof info->type, "%s", r->rgb ? "rgb8" : kst_kind_text(source->kind));
        look_at_bytes(source, r, info);
        look_at_band(source, r, info);
        look_at_place(source, r, info);
        if (r->rgb) set_coding(source, r);
    }
    kst_gdal_end();
    if (!r->rgb && kst_kind_bytes(source->kind) == 2) source->turn = &r->swap;
    if (!status && r->rgb) {
        r->colours_bytes = (size_t)3 * KST_ROWS_A_STRIP * (size_t)source->width;
        r->colours = kst_alloc(NULL, r->colours_bytes);
        if (!r->colours) status = kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", source->path);
    }
    if (!status && !strcmp(r->driver, "AAIGrid")) {
        status = take_over(source, report);
        source->turn = NULL;  // numbers in text have no bytes to turn
    }
    return status;
}
