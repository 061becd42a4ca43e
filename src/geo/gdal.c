// SPDX-License-Identifier: MIT
// GDAL: started once, quiet, and only its drivers that read a local file.
#include <gdal.h>
#include <pthread.h>

#include "geo/geo.h"

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>

// These open addresses on a network, other files that a file names, or memory. A stranger's file must not.
static const char *const denied[] = {"DAAS",   "DERIVED", "EEDA",   "EEDAI",    "GeoRaster", "GTI",           "HTTP",
                                     "MEM",    "NGW",     "OGCAPI", "PLMOSAIC", "PLSCENES",  "PostGISRaster", "STACIT",
                                     "STACTA", "VRT",     "WCS",    "WMS",      "WMTS",      "ZARR"};

enum { DRIVERS_MAX = 512 };
static const char *allowed[DRIVERS_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    GDALAllRegister();
    // Rasters are read and written from top to bottom, so a row of blocks is enough; GDAL would take a twentieth of the
    // machine. Whoever set it knows better.
    if (!CPLGetConfigOption("GDAL_CACHEMAX", NULL)) GDALSetCacheMax64((GIntBig)128 << 20);
    int n = 0;
    for (int i = 0; i < GDALGetDriverCount() && n < DRIVERS_MAX - 1; ++i) {
        GDALDriverH driver = GDALGetDriver(i);
        const char *raster = GDALGetMetadataItem(driver, GDAL_DCAP_RASTER, NULL),
                   *name = GDALGetDriverShortName(driver);
        bool good = raster && EQUAL(raster, "YES");
        for (size_t k = 0; k < sizeof denied / sizeof *denied && good; ++k) good = !EQUAL(name, denied[k]);
        if (good) allowed[n++] = name;
    }
}

const char *const *kst_gdal_drivers(void) {
    pthread_once(&once, start);
    return allowed;
}

static void CPL_STDCALL keep(CPLErr level, CPLErrorNum number, const char *message) {
    (void)number;
    kst_gdal_words *words = CPLGetErrorHandlerUserData();
    char *place = level >= CE_Failure ? words->failure : level == CE_Warning ? words->warning : NULL;
    if (place && !place[0]) snprintf(place, sizeof words->failure, "%s", message);  // the first says the cause
}

void kst_gdal_begin(kst_gdal_words *words) {
    pthread_once(&once, start);
    *words = (kst_gdal_words){{0}, {0}};
    CPLPushErrorHandlerEx(keep, words);
}

void kst_gdal_end(void) {
    CPLPopErrorHandler();
}
