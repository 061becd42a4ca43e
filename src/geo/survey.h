// SPDX-License-Identifier: MIT
// What is learned from the samples while they pass: range, step, roughness, suspicious values.
#pragma once
#include "geo/geo.h"

enum { KST_STEP_COUNT = 5 };  // candidates for the vertical step

// Sums over one row or many; merging rows in any order gives the same.
typedef struct kst_survey {
    float min, max;                  // of valid heights
    uint64_t valid, missing;         // samples
    uint64_t not_finite;             // NaN or infinite, or a height beyond a float
    uint64_t suspects;               // valid samples that hold a usual no-data value
    double suspect;                  // the first of them
    bool not_whole[KST_STEP_COUNT];  // some height is not a whole number of steps
    uint64_t rough, rough_swapped;   // sum of steps between neighbours, as stored and with bytes swapped
    uint64_t pairs;                  // of neighbours in those sums
    double low, high;                // of valid samples
    uint8_t bits_any, bits_all;      // of the low bytes of 16-bit samples: set in some, set in all
} kst_survey;

kst_survey kst_survey_begin(void);
// Heights and samples of a row; missing marks what to leave out.
void kst_survey_row(kst_survey *survey, const double *samples, const float *heights, const uint8_t *missing,
                    int32_t width, kst_kind kind, const double steps[KST_STEP_COUNT]);
void kst_survey_merge(kst_survey *into, const kst_survey *other);
// Candidates, largest first; the last is the source's own, 0 when it has none.
void kst_survey_steps(const kst_source *source, double scale, double steps[KST_STEP_COUNT]);
double kst_survey_step(const kst_survey *survey, const double steps[KST_STEP_COUNT]);
// Far smoother with the bytes of each sample the other way round.
bool kst_survey_looks_swapped(const kst_survey *survey);
// And not merely heights times 256, which are ground both ways: for 16-bit samples.
bool kst_survey_is_misread(const kst_survey *survey);
