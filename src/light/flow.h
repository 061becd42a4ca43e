// SPDX-License-Identifier: MIT
// Flow: how many samples drain through each sample of a height grid.
#pragma once
#include "core/core.h"

// @param flow receives width * height samples drained, itself included, >= 1
// Cost: linear, one thread. @return KARST_ERROR_MEMORY
karst_status kst_flow_build(const float *level, int width, int height, float *flow);
