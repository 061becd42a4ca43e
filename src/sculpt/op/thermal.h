// SPDX-License-Identifier: MIT
// Slides and creep on one rectangle of ground.
#pragma once
#include "karst/erosion.h"
#include "op/land.h"

// Let the land slide. The same bytes on any number of threads. `ledger` NULL: not wanted; what it tells as unplaced is
// the rounding of heights, nothing else.
// @return KARST_ERROR_MEMORY (nothing has changed), KARST_ERROR_CANCELLED (heights and maps are left half done)
// Cost: a few ns a sample and pass; another array of heights, a few rows a worker.
karst_status kst_thermal(const kst_land *land, const karst_thermal_def *def, karst_jobs *jobs,
                         const karst_progress *progress, kst_ledger *ledger);
