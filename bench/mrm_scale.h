// SPDX-License-Identifier: MIT
// Large meshes: time and memory of the generator, and topology of levels.
#pragma once
#include "bench.h"
#include "karst/mrmbuild.h"

// Build once: CPU seconds, and bytes of memory at the peak beyond what was there before (NAN: not told here).
karst_status mrm_build_timed(bench *b, const karst_model *model, double *seconds, double *bytes);

// What levels have that their source has not: most of 100 levels.
typedef struct mrm_kind {
    double borders, twins, fans;
} mrm_kind;
karst_status mrm_kind_measure(bench *b, const karst_model *source, const karst_mrm *mrm, mrm_kind *worst);
