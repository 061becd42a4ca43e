// SPDX-License-Identifier: MIT
// Large meshes: time and memory of the generator, and topology of levels.
#pragma once
#include "bench.h"
#include "karst/mrmbuild.h"

// Longest CPU time between two looks at whether to stop, and what was told at the second one.
typedef struct mrm_stop_gap {
    double last_s, most_s;
    const char *before;
} mrm_stop_gap;

// Build once: CPU seconds, bytes of memory at the peak beyond what was there before (NAN: not told here), gap or NULL.
karst_status mrm_build_timed(bench *b, const karst_model *model, double *seconds, double *bytes, mrm_stop_gap *gap);

// What levels have that their source has not: most of 100 levels.
typedef struct mrm_kind {
    double borders, twins, fans;
} mrm_kind;
karst_status mrm_kind_measure(bench *b, const karst_model *source, const karst_mrm *mrm, mrm_kind *worst);
