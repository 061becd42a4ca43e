// SPDX-License-Identifier: MIT
// Loader: decodes chunks beside the caller where the scheduler takes tasks, else when the caller says so. What is done
// is picked up by the caller's thread alone.
#pragma once
#include <pthread.h>

#include "karst/pack.h"
#include "stream.h"

typedef struct kst_load {
    kst_task task;  // first: the scheduler gives it back
    struct kst_loader *loader;
    kst_stream_chunk chunk;
    karst_chunk *into;  // NULL for simulation data, which the pack holds itself
    karst_status status;
    uint64_t took_ns;       // of processor time
    struct kst_load *next;  // of the same task: siblings, whose bytes lie together; then of those that are done
} kst_load;

typedef struct kst_loader {
    karst_pack *pack;
    karst_jobs *jobs;
    const karst_allocator *allocator;
    kst_load *loads;  // one a slot: visuals, then sims
    int32_t visual_count, count;
    kst_load **queue;  // first loads of tasks to be started
    int32_t queue_count;
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    kst_load *done;
    int32_t on_way;  // tasks with the scheduler
} kst_loader;

karst_status kst_loader_create(kst_loader *loader, karst_pack *pack, karst_jobs *jobs, const int32_t limit[KST_KINDS],
                               const karst_allocator *allocator);
// Waits for what is on its way.
void kst_loader_destroy(kst_loader *loader);
// Queue a chunk that has a slot of its own.
void kst_loader_add(kst_loader *loader, const kst_stream_chunk *chunk, karst_chunk *into);
// Say at once that a load has ended so.
void kst_loader_end(kst_loader *loader, const kst_stream_chunk *chunk, karst_status status);
// Start what is queued. beside: hand it to the scheduler; what that does not take is decoded now, by all workers.
// Whether there was such.
bool kst_loader_start(kst_loader *loader, bool beside);
// Until nothing is on its way.
void kst_loader_wait(kst_loader *loader);
// Take all loads that are done, in a list by `next`, in any order.
kst_load *kst_loader_take(kst_loader *loader);
