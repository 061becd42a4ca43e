// SPDX-License-Identifier: MIT
// Rows of bench patch about bytes.
#pragma once
#include "bench.h"

karst_status bench_patch_bytes(bench *b);
