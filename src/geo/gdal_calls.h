// SPDX-License-Identifier: MIT
// What Karst calls of GDAL. The library is loaded when the first file needs it, not when a program starts: it and the
// hundred libraries that it needs take most of the time of a verb that reads none.
#pragma once
#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include "karst/base.h"

// clang-format off
#define KST_GDAL_CALLS(X) \
    X(CPLGetConfigOption) X(CPLGetErrorHandlerUserData) X(CPLPopErrorHandler) X(CPLPrintPointer) \
    X(CPLPushErrorHandlerEx) X(CPLQuietErrorHandler) X(CPLSetErrorHandler) X(CPLStrtod) X(CPLZLibDeflate) \
    X(CPLZLibInflate) X(CSLDestroy) X(CSLSetNameValue) X(GDALAddBand) X(GDALAllRegister) X(GDALClose) \
    X(GDALCreate) X(GDALCreateCopy) X(GDALGetBlockSize) X(GDALGetDataTypeName) X(GDALGetDatasetDriver) \
    X(GDALGetDriver) X(GDALGetDriverByName) X(GDALGetDriverCount) X(GDALGetDriverLongName) X(GDALGetDriverShortName) \
    X(GDALGetGeoTransform) X(GDALGetMaskBand) X(GDALGetMaskFlags) X(GDALGetMetadataItem) X(GDALGetRasterBand) \
    X(GDALGetRasterColorInterpretation) X(GDALGetRasterCount) X(GDALGetRasterDataType) X(GDALGetRasterNoDataValue) \
    X(GDALGetRasterOffset) X(GDALGetRasterScale) X(GDALGetRasterUnitType) X(GDALGetRasterXSize) \
    X(GDALGetRasterYSize) X(GDALGetSpatialRef) X(GDALIdentifyDriver) X(GDALOpen) X(GDALOpenEx) \
    X(GDALRasterIO) X(GDALSetCacheMax64) X(GDALSetGeoTransform) X(GDALSetRasterColorInterpretation) \
    X(GDALSetRasterNoDataValue) X(GDALSetRasterUnitType) X(OSRGetAngularUnits) X(OSRGetLinearUnits) \
    X(OSRIsGeographic) X(VSIFCloseL) X(VSIFOpenL) X(VSIFReadL) X(VSIFileFromMemBuffer) X(VSIGetMemFileBuffer) \
    X(VSIReadDirRecursive) X(VSIStatL) X(VSIUnlink)
// clang-format on

typedef struct kst_gdal_calls {
#define X(name) __typeof__(name) *name;
    KST_GDAL_CALLS(X)
#undef X
} kst_gdal_calls;
extern kst_gdal_calls kst_gdal;  // after kst_gdal_need()

// Load GDAL, once: KARST_ERROR_UNSUPPORTED where it is not installed. Any thread.
karst_status kst_gdal_need(karst_report *report);
