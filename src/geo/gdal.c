// SPDX-License-Identifier: MIT
// GDAL: loaded and started once, quiet, and only its drivers that read a local file.
#include <dlfcn.h>
#include <pthread.h>

#include "geo/gdal_calls.h"
#include "geo/geo.h"

// These open addresses on a network, other files that a file names, or memory. A stranger's file must not.
static const char *const denied[] = {"DAAS",   "DERIVED", "EEDA",   "EEDAI",    "GeoRaster", "GTI",           "HTTP",
                                     "MEM",    "NGW",     "OGCAPI", "PLMOSAIC", "PLSCENES",  "PostGISRaster", "STACIT",
                                     "STACTA", "VRT",     "WCS",    "WMS",      "WMTS",      "ZARR"};

enum { DRIVERS_MAX = 512 };
static const char *allowed[DRIVERS_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

// ---- loading -----------------------------------------------------------------------------------------------

#ifdef KST_GDAL_FILE
kst_gdal_calls kst_gdal;
static char missing[256];  // why it could not be loaded
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load(void) {
#define X(name) {#name, offsetof(kst_gdal_calls, name)},
    static const struct {
        const char *name;
        size_t place;
    } calls[] = {KST_GDAL_CALLS(X)};
#undef X
    void *library = dlopen(KST_GDAL_FILE, RTLD_LAZY | RTLD_LOCAL);  // never closed: it has threads and exit handlers
    for (size_t k = 0; library && k < sizeof calls / sizeof *calls; ++k) {
        void *call = dlsym(library, calls[k].name);
        if (!call) library = NULL;
        memcpy((char *)&kst_gdal + calls[k].place, &call, sizeof call);
    }
    if (!library) snprintf(missing, sizeof missing, "%s", dlerror());
}

karst_status kst_gdal_need(karst_report *report) {
    pthread_once(&loaded, load);
    return missing[0] ? kst_fail(report, KARST_ERROR_UNSUPPORTED, "no GDAL: %s: install it", missing) : KARST_OK;
}
#else
#define X(name) .name = name,
kst_gdal_calls kst_gdal = {KST_GDAL_CALLS(X)};
#undef X

karst_status kst_gdal_need(karst_report *report) {
    (void)report;
    return KARST_OK;
}
#endif

// ---- starting ----------------------------------------------------------------------------------------------

static void start(void) {
    kst_gdal.GDALAllRegister();
    // Rasters are read and written from top to bottom, so a row of blocks is enough; GDAL would take a twentieth of the
    // machine. Whoever set it knows better.
    if (!kst_gdal.CPLGetConfigOption("GDAL_CACHEMAX", NULL)) kst_gdal.GDALSetCacheMax64((GIntBig)128 << 20);
    int n = 0;
    for (int i = 0; i < kst_gdal.GDALGetDriverCount() && n < DRIVERS_MAX - 1; ++i) {
        GDALDriverH driver = kst_gdal.GDALGetDriver(i);
        const char *raster = kst_gdal.GDALGetMetadataItem(driver, GDAL_DCAP_RASTER, NULL),
                   *name = kst_gdal.GDALGetDriverShortName(driver);
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
    kst_gdal_words *words = kst_gdal.CPLGetErrorHandlerUserData();
    char *place = level >= CE_Failure ? words->failure : level == CE_Warning ? words->warning : NULL;
    if (place && !place[0]) snprintf(place, sizeof words->failure, "%s", message);  // the first says the cause
}

void kst_gdal_begin(kst_gdal_words *words) {
    pthread_once(&once, start);
    *words = (kst_gdal_words){{0}, {0}};
    kst_gdal.CPLPushErrorHandlerEx(keep, words);
}

void kst_gdal_end(void) {
    kst_gdal.CPLPopErrorHandler();
}
