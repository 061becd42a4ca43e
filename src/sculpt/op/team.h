// SPDX-License-Identifier: MIT
// Team: who works on a long operation, and how it tells and is stopped.
#pragma once
#include "core/core.h"

typedef struct kst_team {
    karst_jobs *jobs;                // NULL: the caller alone
    const karst_progress *progress;  // NULL: silent
    const char *stage;
    double share;  // done so far
} kst_team;

// fn over [0, count) in ranges of at most grain; asks now and then whether to stop.
static inline karst_status kst_team_run(const kst_team *team, int count, int grain, kst_range_fn *fn, void *context) {
    return kst_jobs_run(team->jobs, count, grain, fn, context, team->progress, team->stage, team->share, team->share);
}
