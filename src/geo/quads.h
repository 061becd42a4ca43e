// SPDX-License-Identifier: MIT
// Quads of a mesh in text.
#pragma once
#include "geo/geo.h"

// As karst_geo_read_quads() of bytes that may come from anywhere; name is for messages.
karst_status kst_quads_parse(const uint8_t *bytes, size_t size, const char *name, const karst_quads_def *def,
                             karst_report *report, karst_quads **out);
