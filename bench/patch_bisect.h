// SPDX-License-Identifier: MIT
// bench patch: method bisect at a walk and fast, what its lists save, what it keeps.
#pragma once
#include "bench.h"

karst_status bench_patch_bisect(bench *b);
