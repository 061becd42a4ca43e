// SPDX-License-Identifier: MIT
// One bake, from a field to a pack.
#pragma once
#include "bake/graph.h"
#include "karst/bake.h"

// Changes whenever the same input would give another pack.
#define KST_BAKE_VERSION 1u

karst_status kst_bake_run(karst_field *field, const char *path, const karst_bake_def *def, kst_graph *graph,
                          karst_report *report, karst_bake_info *info);

// The def, checked: NULL gives the default.
karst_status kst_bake_check(const karst_bake_def *def, karst_report *report, karst_bake_def *out);
