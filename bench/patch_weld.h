// SPDX-License-Identifier: MIT
// Part of bench patch: welding.
#pragma once
#include "bench.h"

karst_status bench_patch_weld(bench *b);
