// SPDX-License-Identifier: MIT
// The governor, inner: the budget that follows the frame time. See docs/governor.md.
#pragma once
#include "core/core.h"
#include "karst/governor.h"

enum { KST_PACE_FRAMES = 5 };  // in the median: two spikes in a row change nothing

// The budget in triangles and what it has cost.
typedef struct kst_pace {
    int64_t budget;             // [triangles]
    float ms[KST_PACE_FRAMES];  // frames since the budget last changed, a ring
    int32_t ms_count;           // of these, and the next place modulo the ring
    int32_t skip;               // times still to come that are of frames before the change
    float median_ms;            // 0: none yet
    double settled_ms;          // median under the budget before
    int64_t settled_triangles;  // drawn meanwhile; 0: none
} kst_pace;

void kst_pace_reset(kst_pace *pace, const karst_governor_def *def);

// Take a measured time and give the budget of the next frame. spent: triangles of the last frame.
int64_t kst_pace_step(kst_pace *pace, const karst_governor_def *def, const karst_governor_input *input, int64_t spent);
