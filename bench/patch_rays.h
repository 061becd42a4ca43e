// SPDX-License-Identifier: MIT
// Rays and heights on the finest triangles of a square kilometre of patches.
#pragma once
#include "bench.h"

karst_status bench_patch_rays(bench *b);
