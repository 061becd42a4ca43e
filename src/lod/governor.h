// SPDX-License-Identifier: MIT
// The governor, inner: the budget that follows the frame time. See docs/governor.md.
#pragma once
#include "core/core.h"
#include "karst/governor.h"

enum { KST_PACE_FRAMES = 5, KST_PACE_LATE = 16 };  // in the median: two spikes in a row change nothing; most latency

// What a frame took and drew.
typedef struct kst_cost {
    double ms;
    int64_t triangles;
} kst_cost;

// The budget in triangles and what it has cost.
typedef struct kst_pace {
    int64_t budget;                  // [triangles]
    int64_t drawn[KST_PACE_LATE];    // by the last frames, the newest first: times come later
    kst_cost cost[KST_PACE_FRAMES];  // of frames since the budget last changed, a ring
    int32_t cost_count;              // of these, and the next place modulo the ring
    bool settling;                   // the median was outside of the band, and is not well inside it yet
    int32_t skip;                    // times still to come that are of frames before the change
    kst_cost median;                 // by ms; ms 0: none yet
    kst_cost before;                 // the median when the budget last changed; triangles 0: it never did
} kst_pace;

void kst_pace_reset(kst_pace *pace, const karst_governor_def *def);

// Take a measured time and give the budget of the next frame. drawn: triangles of the last frame. sliding:
// ground is still on its way to what the budget gives it, so what frames take now says nothing yet.
int64_t kst_pace_step(kst_pace *pace, const karst_governor_def *def, const karst_governor_input *input, int64_t drawn,
                      bool sliding);
