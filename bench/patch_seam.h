// SPDX-License-Identifier: MIT
// bench patch: what it costs that a net takes the place of a part of a field.
#pragma once
#include "bench.h"

karst_status bench_patch_seam(bench *b);
