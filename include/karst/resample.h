// SPDX-License-Identifier: MIT
// Resample: the samples of a field at another spacing, or of a part of it. See docs/resize.md.
#pragma once
#include "karst/base.h"
#include "karst/field.h"
#include "karst/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Fill the whole of target with what source has at the same place of the plane, told by the origins and spacings of
/// the two; origin.y of the target is taken off. Heights and sideways displacement: between samples a cubic through
/// them (Catmull-Rom), which gives samples that both have bit for bit when the origins' y are equal; where the target
/// is coarser, means under a tent as wide as its spacing. A cell is a hole where its middle lies in one. Opacity is
/// linear. Beyond the source its rim goes on, without holes.
/// @param progress may be NULL: one share 0..1 of the stage "resample"
/// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED (target is half filled), and what the fields' stores return
/// Threads: one call a field. Cost: O(vertices of both); memory: rows of the source under 64 rows of the target.
KARST_API karst_status karst_field_resample(karst_field *source, karst_field *target, const karst_progress *progress);

#ifdef __cplusplus
}
#endif
