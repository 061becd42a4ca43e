// SPDX-License-Identifier: MIT
// Rasters out through GDAL: arrays in memory to PNG, strips to GeoTIFF, beside and renamed.
#pragma once
#include "geo/geo.h"

// A PNG of channels (1 or 3) interleaved samples of u8 or u16.
karst_status kst_write_png(const char *path, int width, int height, int channels, kst_kind kind, const void *samples,
                           const karst_progress *progress, double from, karst_report *report);

// A GeoTIFF of channels interleaved floats, without a place.
karst_status kst_write_floats(const char *path, int width, int height, int channels, const float *samples,
                              karst_report *report);

// Gives heights of rows [row, row + rows), NaN where there is no ground.
typedef karst_status kst_rows_fn(void *context, int32_t row, int32_t rows, float *heights);

// A GeoTIFF of f32 heights at a spacing, sample (0, 0) at world (origin.x, origin.z); north is -z.
karst_status kst_write_tiff(const char *path, const karst_field_shape *shape, kst_rows_fn *fn, void *context,
                            const karst_progress *progress, karst_report *report);
