// SPDX-License-Identifier: MIT
// Quads of a mesh.
#pragma once
#include "geo/geo.h"

// As karst_geo_read_quads() of bytes that may come from anywhere; name is for messages.
karst_status kst_quads_parse(const uint8_t *bytes, size_t size, const char *name, const karst_quads_def *def,
                             karst_report *report, karst_quads **out);
// Quads that meet run opposite ways; the fewer ones are turned over.
karst_status kst_quads_turn(karst_quads *quads);
// quads_model.c: of a mesh whose triangles are halves of quads; name is for messages.
karst_status kst_quads_of_model(const karst_model *model, const char *name, karst_report *report, karst_quads **out);
