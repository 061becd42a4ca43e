// SPDX-License-Identifier: MIT
// Loads: a ring of them. A load belongs to its task until it is done, which is told under the lock.
#include "patches_load.h"

void patches_loads_begin(patches_loads *l, const karst_pack *pack, const karst_noise_bank *bank,
                         const karst_zone_ground *ground, karst_jobs *jobs) {
    *l = (patches_loads){.pack = pack,
                         .bank = bank,
                         .ground = ground,
                         .jobs = jobs,
                         .alone = karst_jobs_worker_count(jobs) == 1,
                         .ready = true};
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->arrived, NULL);
}

void patches_loads_end(patches_loads *l) {
    if (!l->ready) return;
    for (patches_load *load; (load = patches_load_take(l, true));) {
        karst_zone_boxes_destroy(load->boxes);
        karst_zone_destroy(load->zone);
    }
    pthread_cond_destroy(&l->arrived);
    pthread_mutex_destroy(&l->lock);
    *l = (patches_loads){0};
}

static void read_zone(patches_load *load) {
    const patches_loads *l = load->loads;
    load->status = karst_pack_zone_read(l->pack, load->index, l->bank, &load->report, &load->zone);
    if (load->status) return;
    if (l->torn) karst_zone_tear(load->zone);
    load->status = karst_zone_boxes_make(l->ground, load->zone, &load->boxes);
    if (!load->status) return;
    karst_zone_destroy(load->zone);
    load->zone = NULL;
}

static void read_beside(kst_task *task) {
    patches_load *load = (patches_load *)task;
    patches_loads *l = load->loads;
    read_zone(load);
    pthread_mutex_lock(&l->lock);
    load->done = true;
    pthread_cond_signal(&l->arrived);
    pthread_mutex_unlock(&l->lock);
}

void patches_load_start(patches_loads *l, int32_t index, double away_m) {
    KARST_ASSERT(l->count < PATCHES_LOADS);
    patches_load *load = &l->ring[(l->first + l->count++) % PATCHES_LOADS];
    *load = (patches_load){.task.fn = read_beside, .loads = l, .index = index, .away_m = away_m};
    if (!l->alone && kst_jobs_post(l->jobs, &load->task)) return;
    l->alone = true;
    read_zone(load);
    load->done = true;
}

patches_load *patches_load_take(patches_loads *l, bool wait) {
    if (!l->count) return NULL;
    patches_load *load = &l->ring[l->first];
    pthread_mutex_lock(&l->lock);
    while (wait && !load->done) pthread_cond_wait(&l->arrived, &l->lock);
    bool done = load->done;
    pthread_mutex_unlock(&l->lock);
    if (!done) return NULL;
    l->first = (l->first + 1) % PATCHES_LOADS;
    --l->count;
    return load;
}
