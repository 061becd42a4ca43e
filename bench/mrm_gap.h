// SPDX-License-Identifier: MIT
// How far two models are apart, measured alike for every maker: places spread evenly over the surfaces, and what lies
// nearest to each on the other.
#pragma once
#include "karst/model.h"

typedef struct mrm_gap {
    double rms;        // the larger of the two sides, % of the source's diagonal
    double uv_bad;     // share of the source whose texture place is off by more than 0.02 at the nearest point, %
    double shade_deg;  // mean angle between the normals there
} mrm_gap;

// 20,000 places a side; the same numbers everywhere. Seams are not held against a model: of all faces as near as the
// nearest, the one that fits best counts.
karst_status mrm_gap_measure(const karst_model *source, const karst_model *level, mrm_gap *out);
