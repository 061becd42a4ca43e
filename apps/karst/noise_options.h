// SPDX-License-Identifier: MIT
// The command line: noise as verbs take it.
#pragma once
#include "app.h"
#include "karst/noise.h"

// Rows of a verb's table of options.
// clang-format off
#define NOISE_OPTIONS \
    {"--wavelength", "M", "noise: cells of the first octave [m]; a hill and a hollow take about two (200)"}, \
    {"--octaves", "N", "noise: each half as long as the one before, 1..16 (down to twice the spacing)"}, \
    {"--gain", "G", "noise: height of an octave to that of the one before, 0..1 (0.5)"}, \
    {"--lacunarity", "L", "noise: length of an octave to that of the next, 1..8 (2)"}, \
    {"--warp", "M", "noise: how far its places are shifted by other noise [m] (0)"}, \
    {"--seed", "N", "noise: other numbers give other noise (1)"}
// clang-format on
extern const char *const noise_option_names[];  // ends with NULL

// Change def by the options that are given; octaves down to twice the spacing unless they say. Sets *bad on nonsense.
void noise_from_options(args *a, double spacing_m, karst_noise_def *def, bool *bad);
// The kind that a word names: gradient, fbm, billow, ridged.
bool noise_kind_of(const char *word, karst_noise_kind *out);
