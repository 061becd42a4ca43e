// SPDX-License-Identifier: MIT
// Relax: before a field is baked, the parts of it whose displaced edges are stretched are relaxed. See docs/bake.md.
#pragma once
#include "bake/graph.h"
#include "bake/sheet.h"
#include "karst/bake.h"

// What is asked, and what was done.
typedef struct kst_bake_relax {
    double above;       // chunks with a longer edge are relaxed [cells]; 0: none
    double distance_m;  // most that the surface is moved
    kst_graph *graph;
    karst_bake_relaxed done;
} kst_bake_relax;

// A hash of what this program makes of a small stretched ground, so that results of another are not taken for its own.
// Cost: a few milliseconds.
karst_status kst_bake_relax_version(uint64_t *out);

// A kst_sheet_change: relax the author's samples of a sheet, region by region. A region is the stretched chunks and
// those round them; its rim stays, so regions know nothing of each other. Results are kept by what is in the region.
karst_status kst_bake_relax_run(void *context, const kst_sheet *sheet, float *y, float *x, float *z,
                                karst_report *report);
