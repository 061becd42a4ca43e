// SPDX-License-Identifier: MIT
// Flow: how many samples drain through each sample of a height grid.
#pragma once
#include "core/core.h"

// Asked a few hundred times a second; false stops the work.
typedef bool kst_flow_ask(void *context);

// @param flow receives width * height samples drained, itself included, >= 1
// @param ask may be NULL
// Cost: linear, one thread. @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED
karst_status kst_flow_build(const float *level, int width, int height, float *flow, kst_flow_ask *ask, void *context);
