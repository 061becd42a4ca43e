// SPDX-License-Identifier: MIT
// The rows of bench erode that are about the whole erosion.
#pragma once
#include "bench.h"

karst_status bench_erode_land(bench *b);
