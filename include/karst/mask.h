// SPDX-License-Identifier: MIT
// Masks: selections, 0..1 a vertex, computed from the ground or from each other. See docs/masks.md.
//
// A mask is the y of a field with the shape of the ground that it selects of; worlds keep masks as sheets
// (karst/sheet.h).
#pragma once
#include "karst/field.h"
#include "karst/jobs.h"
#include "karst/noise.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a vertex is asked.
typedef enum karst_mask_kind {
    KARST_MASK_SLOPE,   ///< angle between normal and up [degrees], 0..180; above 90 ground hangs over
    KARST_MASK_HEIGHT,  ///< height in the world [m]
    KARST_MASK_FACING,  ///< angle between normal and direction [degrees], 0..180
    KARST_MASK_RELIEF,  ///< height over the mean round it, as a blur of radius_m makes it [m]: above 0 spurs, below
                        ///< gullies
    KARST_MASK_NOISE,   ///< noise at its place in the plane, -1..1 (billow, ridged: 0..1); amplitude_m is not read
    KARST_MASK_FROM,    ///< another mask, such as an erosion's wear
    KARST_MASK_KIND_COUNT
} karst_mask_kind;

/// One question. Answers from low to high select with 1; beyond, the share falls to 0 over `soft`, evenly.
/// Start from karst_mask_def_default().
typedef struct karst_mask_def {
    karst_mask_kind kind;
    double low, high;       ///< low <= high; either may be infinite
    double soft;            ///< >= 0
    bool invert;            ///< 1 where it would be 0, and so on
    karst_pos direction;    ///< facing: of any length but 0
    double radius_m;        ///< relief: at most KARST_FILTER_MAX_TAPS vertices, see karst/filter.h
    karst_noise_def noise;  ///< noise
    karst_field *from;      ///< from: of the ground's shape
    uint32_t cookie;        ///< set by the default function, do not touch
} karst_mask_def;

/// Slope: 30..90 degrees, soft 5. Height: all. Facing: within 45 degrees of north (-z), soft 15. Relief: above the mean
/// of 50 m by half a metre, soft 0.5. Noise: above 0, soft 0.1, cells of 200 m. From: 0..1 as it is (low 1, soft 1).
KARST_API karst_mask_def karst_mask_def_default(karst_mask_kind kind);

/// Whether every number of def is in its range for ground of this spacing, with a line in report (NULL allowed) that
/// names the one that is not. @return KARST_ERROR_ARGUMENT
KARST_API karst_status karst_mask_check(const karst_mask_def *def, double spacing_m, karst_report *report);

/// How a selection meets what the mask holds.
typedef enum karst_mask_mode {
    KARST_MASK_SET,        ///< in place of it
    KARST_MASK_ADD,        ///< what either selects: the larger of both
    KARST_MASK_SUBTRACT,   ///< less what is selected: the smaller of it and 1 - selection
    KARST_MASK_INTERSECT,  ///< what both select: the smaller of both
    KARST_MASK_MODE_COUNT
} karst_mask_mode;

/// What is selected, and what becomes of it.
typedef struct karst_mask_selection {
    const karst_mask_def *defs;  ///< the smallest share of all counts
    int count;                   ///< of defs; 0: all vertices are selected
    bool invert;                 ///< then what is not selected is
    karst_mask_mode mode;
} karst_mask_selection;

/// Select vertices [rect), inside the ground, and let the mask take them. Vertices outside rect keep every bit.
/// @param ground what is looked at @param mask of the same shape, changed; not ground itself, nor any def's `from`
/// @param jobs NULL: the caller alone @param progress may be NULL
/// @return KARST_ERROR_ARGUMENT (a def, shapes that differ), KARST_ERROR_LIMIT (more than one def of kind from),
/// KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED (rows done by then stay), and what the fields' stores return
/// Threads: one writer; the same bytes for any jobs. Cost: O(vertices); memory: as karst_filter_apply().
KARST_API karst_status karst_mask_select(karst_field *ground, karst_field *mask, karst_rect rect,
                                         const karst_mask_selection *selection, karst_jobs *jobs,
                                         const karst_progress *progress);

/// 1 - mask. Otherwise as karst_mask_select().
KARST_API karst_status karst_mask_invert(karst_field *mask, karst_rect rect, karst_jobs *jobs,
                                         const karst_progress *progress);
/// Blur the mask by radius_m, so that its borders become soft. Otherwise as karst_mask_select().
KARST_API karst_status karst_mask_feather(karst_field *mask, karst_rect rect, double radius_m, karst_jobs *jobs,
                                          const karst_progress *progress);
/// Each vertex takes the largest value within by_m of it; by_m below 0: the smallest within -by_m, so that the mask
/// shrinks. At most KARST_MASK_MAX_GROW vertices. Otherwise as karst_mask_select(). Cost: O(vertices * by_m / spacing).
KARST_API karst_status karst_mask_grow(karst_field *mask, karst_rect rect, double by_m, karst_jobs *jobs,
                                       const karst_progress *progress);
enum { KARST_MASK_MAX_GROW = 512 };

/// Mean of the mask over all vertices: the share of the ground that it selects. Cost: reads the whole mask.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, and what the field's store returns
KARST_API karst_status karst_mask_share(karst_field *mask, double *share, const karst_progress *progress);

#ifdef __cplusplus
}
#endif
