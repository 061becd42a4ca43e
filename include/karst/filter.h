// SPDX-License-Identifier: MIT
// Filters: one change to all the ground, or to what a mask selects. See docs/filter.md.
#pragma once
#include "karst/canvas.h"
#include "karst/jobs.h"
#include "karst/noise.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum karst_filter_kind {
    KARST_FILTER_NOISE,    ///< add noise, upward or along the normal
    KARST_FILTER_TERRACE,  ///< cut heights into steps
    KARST_FILTER_BLUR,     ///< the weighted mean round each vertex
    KARST_FILTER_SHARPEN,  ///< away from that mean by as much as the ground is off it
    KARST_FILTER_CLAMP,    ///< no height below low_m and above high_m
    KARST_FILTER_REMAP,    ///< heights low_m..high_m become to_low_m..to_high_m
    KARST_FILTER_KIND_COUNT
} karst_filter_kind;

/// Parameters of a filter. Start from karst_filter_def_default(). Heights are those of the world.
typedef struct karst_filter_def {
    karst_filter_kind kind;
    double amount;          ///< share of the change that is made, 0..10; above 1 it goes on beyond
    karst_noise_def noise;  ///< noise: what is added; terrace: how the levels wander, amplitude 0: they are level
    bool along_normal;      ///< noise: along the surface's normal, and told in space, so that cliffs are not streaked
    double step_m;          ///< terrace: height of a step [m], > 0
    double offset_m;        ///< terrace: height of one of the levels [m]
    double sharpness;       ///< terrace: 0 leaves the ground alone, 1 has level treads and upright risers
    double radius_m;        ///< blur, sharpen: weights are 0 from here on [m]; at most KARST_FILTER_MAX_TAPS vertices
    double low_m, high_m;   ///< clamp, remap [m], low_m <= high_m; remap: low_m < high_m
    double to_low_m, to_high_m;  ///< remap [m]
    double bend;                 ///< remap: where the middle goes, 0..1 (not 0 and 1); 0.5 is straight
    uint32_t cookie;             ///< set by the default function, do not touch
} karst_filter_def;

enum { KARST_FILTER_MAX_TAPS = 1024 };

/// Noise of 10 m, steps of 20 m of sharpness 0.8, a radius of 10 m, no clamp, heights remapped to themselves, amount 1.
KARST_API karst_filter_def karst_filter_def_default(karst_filter_kind kind);

/// Whether every number of def is in its range for ground of this spacing, with a line in report (NULL allowed) that
/// names the one that is not. @return KARST_ERROR_ARGUMENT
KARST_API karst_status karst_filter_check(const karst_filter_def *def, double spacing_m, karst_report *report);

/// What a filter did.
typedef struct karst_filter_info {
    int64_t changed;  ///< vertices with other bits than before
    float most_m;     ///< the largest change of a height [m]
} karst_filter_info;

/// Change vertices [rect), inside the ground, as far as the canvas' mask lets. A vertex of mask 0 keeps every bit. What
/// becomes of a vertex depends on the ground round it as it was before, never on rect: parts done apart, each from the
/// same ground, equal the whole. Blur and sharpen move displaced vertices sideways too; beyond the ground's border it
/// is mirrored.
/// @param jobs NULL: the caller alone @param progress may be NULL @param info receives what was done; may be NULL
/// @return KARST_ERROR_ARGUMENT (as karst_filter_check()), KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, and what the
/// fields' stores return; rows done by then stay changed: drop the step
/// Threads: one writer; the same bytes for any jobs. Cost: O(vertices), for blur and sharpen times radius / spacing;
/// memory: about 64 rows, and four times the radius.
KARST_API karst_status karst_filter_apply(const karst_canvas *canvas, karst_rect rect, const karst_filter_def *def,
                                          karst_jobs *jobs, const karst_progress *progress, karst_filter_info *info);

#ifdef __cplusplus
}
#endif
