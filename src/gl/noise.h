// SPDX-License-Identifier: MIT
// Noise: the two tiles that shaders/noise.glsl reads at many scales.
#pragma once
#include "karst/jobs.h"

enum { KST_NOISE_SIDE = 512 };

// Six octaves of gradient noise, the first with 4 cells: {value 0..1, gradient along u and v, 1}, side * side * 4
// floats.
void kst_noise_waves(karst_jobs *jobs, float *out);
// 14 x 14 domes on jittered places: {height 0..1, gradient along u and v, a number 0..1 of each}.
void kst_noise_cells(karst_jobs *jobs, float *out);
