// SPDX-License-Identifier: MIT
// Rows of bench patch about levels of detail.
#pragma once
#include "bench.h"

karst_status bench_patch_levels(bench *b);
