// SPDX-License-Identifier: MIT
// OpenEXR pictures of one or three channels, by scan lines, which many builds of GDAL cannot read.
#pragma once
#include "geo/geo.h"
#include "karst/stamp.h"

// Channels Y, or one alone; else R, G, B. Compression none, RLE, ZIPS and ZIP; half, float and uint samples.
karst_status kst_exr_read(const char *path, karst_report *report, karst_stamp **out);
// The same from bytes; path is for messages.
karst_status kst_exr_parse(const uint8_t *bytes, size_t size, const char *path, karst_report *report,
                           karst_stamp **out);
// Floats, ZIP.
karst_status kst_exr_write(const char *path, const karst_stamp *stamp, karst_report *report);
