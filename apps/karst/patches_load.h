// SPDX-License-Identifier: MIT
// Loads: zones on their way from a pack, read and made ready for rays beside the caller where the scheduler takes
// tasks, else at once. They are handed out in the order in which they were asked for.
#pragma once
#include <pthread.h>

#include "core/core.h"
#include "karst/pack.h"
#include "karst/zoneground.h"

typedef struct patches_load {
    kst_task task;  // first: the scheduler gives it back
    struct patches_loads *loads;
    int32_t index;     // of the pack
    double away_m;     // when it was asked for
    karst_zone *zone;  // whoever takes the load owns these; NULL unless the status is KARST_OK
    karst_zone_boxes *boxes;
    karst_status status;
    karst_report report;
    bool done;
} patches_load;

enum { PATCHES_LOADS = 16 };  // on their way at once

typedef struct patches_loads {
    const karst_pack *pack;
    const karst_noise_bank *bank;
    const karst_zone_ground *ground;
    karst_jobs *jobs;
    bool torn;   // zones are torn once they are read
    bool alone;  // the scheduler takes no tasks
    patches_load ring[PATCHES_LOADS];
    int first, count;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    bool ready;
} patches_loads;

// All but `torn` are kept. jobs may be NULL.
void patches_loads_begin(patches_loads *l, const karst_pack *pack, const karst_noise_bank *bank,
                         const karst_zone_ground *ground, karst_jobs *jobs);
// Waits for those that are on their way and drops them. Zeroed is allowed.
void patches_loads_end(patches_loads *l);

// Ask for a zone. There are fewer than PATCHES_LOADS.
void patches_load_start(patches_loads *l, int32_t index, double away_m);
// The one that was asked for first, to be taken now; NULL: there is none, or it has not come and wait is false.
// Valid until the next is started.
patches_load *patches_load_take(patches_loads *l, bool wait);
