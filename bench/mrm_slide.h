// SPDX-License-Identifier: MIT
// Time to slide, beside a bare loop that writes the same slots, and in steps; and whether jumps end where slides do.
#pragma once
#include "bench.h"
#include "karst/mrm.h"

karst_status mrm_slide_measure(bench *b, const karst_mrm *mrm);
karst_status mrm_jumps_measure(bench *b, const karst_mrm *mrm, const char *what);
