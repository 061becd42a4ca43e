// SPDX-License-Identifier: MIT
// What a point of a pen costs on a net of 4,096 patches and more, from its world's file back into it.
#pragma once
#include "bench.h"

karst_status bench_stroke_net(bench *b);
