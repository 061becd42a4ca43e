// SPDX-License-Identifier: MIT
// Part of bench patch: nets fitted to fields.
#pragma once
#include "bench.h"

karst_status bench_patch_fit(bench *b);
