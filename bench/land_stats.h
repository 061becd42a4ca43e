// SPDX-License-Identifier: MIT
// Figures that tell land from noise, and that show faults of erosion.
#pragma once
#include <stdbool.h>

typedef struct land_stats {
    double theta;       // slope ~ area^-theta over binned drained areas: 0.35..0.6 on land in large basins
    double theta_r2;    // of that straight line
    double hack;        // longest way upstream ~ area^hack: about 0.55 on land
    double grid45;      // share of slopes that face a multiple of 45 degrees, within 2.5, over chance
    double grid90;      // the same of 90 degrees
    double edge_rough;  // roughness of the rim, four cells wide, over that of the inside
    double spikes_pm;   // samples in a million that stand off all eight neighbours by four times their spread
} land_stats;

// Of width * height heights, each side >= 64. False when there is no memory.
bool land_stats_of(int width, int height, const float *h, land_stats *out);
