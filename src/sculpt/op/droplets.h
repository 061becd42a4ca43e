// SPDX-License-Identifier: MIT
// Droplet erosion of one rectangle of ground.
#pragma once
#include "karst/erosion.h"
#include "op/land.h"

typedef struct kst_droplets_result {
    kst_ledger ledger;
    uint64_t steps;  // that all drops took together
} kst_droplets_result;

// Rain on the land. The same land, def and seed give the same bytes on any number of threads. `result` NULL: not
// wanted.
// @return KARST_ERROR_MEMORY (nothing has changed), KARST_ERROR_CANCELLED (heights are as before, the maps half done)
// Cost: about 40 ns a step, 30 steps a drop; another array of heights, about 1 MiB a worker.
karst_status kst_droplets(const kst_land *land, const karst_droplets_def *def, karst_jobs *jobs,
                          const karst_progress *progress, kst_droplets_result *result);
