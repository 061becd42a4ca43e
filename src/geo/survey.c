// SPDX-License-Identifier: MIT
// What is learned from the samples while they pass.
#include "geo/survey.h"

#include <math.h>

kst_survey kst_survey_begin(void) {
    return (kst_survey){.min = INFINITY, .max = -INFINITY, .low = INFINITY, .high = -INFINITY, .bits_all = 0xFF};
}

void kst_survey_steps(const kst_source *source, double scale, double steps[KST_STEP_COUNT]) {
    static const double decimal[KST_STEP_COUNT - 1] = {1, 0.1, 0.01, 0.001};
    memcpy(steps, decimal, sizeof decimal);
    bool real = source->kind == KST_KIND_F16 || source->kind == KST_KIND_F32 || source->kind == KST_KIND_F64;
    steps[KST_STEP_COUNT - 1] = real ? 0 : fabs(source->scale * scale);
}

double kst_survey_step(const kst_survey *survey, const double steps[KST_STEP_COUNT]) {
    if (!survey->valid) return 0;
    double own = steps[KST_STEP_COUNT - 1];  // by its coding: heights are offset + n * own
    for (int k = 0; k < KST_STEP_COUNT - 1; ++k)
        if (!survey->not_whole[k]) return steps[k] > own ? steps[k] : own;
    return own;
}

// The step between two samples in sixteenths, capped so that a NaN counts as much as a cliff and no more. Reals
// with their bytes the wrong way round are mostly specks, which would pass for flat ground.
static uint64_t cliff(double a, double b, kst_kind kind) {
    double d = fabs(a - b);
    bool speck = kind == KST_KIND_F32 && ((a != 0 && fabs(a) < 1e-6) || (b != 0 && fabs(b) < 1e-6));
    return d < 1e6 && !speck ? (uint64_t)(d * 16) : 16000000u;
}

static double swapped(double sample, kst_kind kind) {
    if (kind == KST_KIND_U16) return (double)__builtin_bswap16((uint16_t)sample);
    if (kind == KST_KIND_I16) return (double)(int16_t)__builtin_bswap16((uint16_t)(int16_t)sample);
    if (kind == KST_KIND_I32) return (double)(int32_t)__builtin_bswap32((uint32_t)(int32_t)sample);
    float f = (float)sample;
    uint32_t bits;
    memcpy(&bits, &f, 4);
    bits = __builtin_bswap32(bits);
    memcpy(&f, &bits, 4);
    return f;
}

static bool can_be_swapped(kst_kind kind) {
    return kind == KST_KIND_U16 || kind == KST_KIND_I16 || kind == KST_KIND_I32 || kind == KST_KIND_F32;
}

static bool is_suspect(double sample) {
    return sample == -9999 || sample == -32768 || sample == -32767 || sample == -99999 || sample < -1e30;
}

static void look_for_steps(kst_survey *s, const float *heights, const uint8_t *missing, int32_t width,
                           const double steps[KST_STEP_COUNT]) {
    for (int k = 0; k < KST_STEP_COUNT - 1; ++k) {
        bool whole = true;
        for (int32_t i = 0; i < width && whole && !s->not_whole[k]; ++i)
            whole = missing[i] || kst_is_whole(heights[i], steps[k]);
        s->not_whole[k] |= !whole;
    }
}

void kst_survey_row(kst_survey *s, const double *samples, const float *heights, const uint8_t *missing, int32_t width,
                    kst_kind kind, const double steps[KST_STEP_COUNT]) {
    for (int32_t i = 0; i < width; ++i) {
        if (missing[i]) {
            ++s->missing;
            continue;
        }
        ++s->valid;
        if (samples[i] < s->low) s->low = samples[i];
        if (samples[i] > s->high) s->high = samples[i];
        if (heights[i] < s->min) s->min = heights[i];
        if (heights[i] > s->max) s->max = heights[i];
        if (is_suspect(samples[i]) && s->suspects++ == 0) s->suspect = samples[i];
    }
    look_for_steps(s, heights, missing, width, steps);
    if (!can_be_swapped(kind)) return;
    for (int32_t i = 0; i < width && (kind == KST_KIND_U16 || kind == KST_KIND_I16); ++i) {
        if (missing[i]) continue;
        s->bits_any |= (uint8_t)(int32_t)samples[i];
        s->bits_all &= (uint8_t)(int32_t)samples[i];
    }
    for (int32_t i = 1; i < width; ++i) {
        if (missing[i] || missing[i - 1]) continue;
        ++s->pairs;
        s->rough += cliff(samples[i], samples[i - 1], kind);
        s->rough_swapped += cliff(swapped(samples[i], kind), swapped(samples[i - 1], kind), kind);
    }
}

void kst_survey_merge(kst_survey *into, const kst_survey *other) {
    if (other->min < into->min) into->min = other->min;
    if (other->max > into->max) into->max = other->max;
    if (!into->suspects) into->suspect = other->suspect;
    into->suspects += other->suspects;
    into->valid += other->valid;
    into->missing += other->missing;
    into->not_finite += other->not_finite;
    for (int k = 0; k < KST_STEP_COUNT; ++k) into->not_whole[k] |= other->not_whole[k];
    if (other->low < into->low) into->low = other->low;
    if (other->high > into->high) into->high = other->high;
    into->pairs += other->pairs;
    into->bits_any |= other->bits_any;
    into->bits_all &= other->bits_all;
    into->rough += other->rough;
    into->rough_swapped += other->rough_swapped;
}

// Ground is smooth and its bytes the other way round are noise, a hundred times as rough and more.
bool kst_survey_looks_swapped(const kst_survey *s) {
    return s->rough / 16 > s->rough_swapped;
}

// Honest samples that are smoother the other way round are few steps times 256: their low bytes are all alike. Where
// they are, samples still are noise when neighbours differ by an eighth of the range, as independent ones do by a
// third.
bool kst_survey_is_misread(const kst_survey *s) {
    if (!kst_survey_looks_swapped(s)) return false;
    return s->bits_any != s->bits_all || (double)s->rough / 16 > (double)s->pairs * (s->high - s->low) / 8;
}
