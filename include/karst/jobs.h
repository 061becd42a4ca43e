// SPDX-License-Identifier: MIT
// Jobs and progress: who runs parallel work, and how long work tells and asks. See docs/core.md.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Cells [begin, end) belong to this call alone. worker is stable and < karst_jobs_worker_count().
typedef void karst_range_fn(int begin, int end, int worker, void *context);

/// A scheduler: Karst's own pool, or the game's.
typedef struct karst_jobs karst_jobs;

/// Parameters of a scheduler. Start from karst_jobs_def_default().
typedef struct karst_jobs_def {
    int worker_count;  ///< threads that work, the caller's included, 1..256; 0: one a processor
    /// The game's own parallel-for; NULL starts Karst's pool. Must call fn on disjoint ranges that
    /// cover [0, count), each at most `grain` long, with worker in [0, worker_count), and return when all are done.
    void (*parallel_for)(int count, int grain, karst_range_fn *fn, void *context, void *host);
    /// With parallel_for: run fn(context) once, soon, on any thread, and return at once. NULL: work that could run
    /// beside the caller's is done by the caller.
    void (*post)(void (*fn)(void *context), void *context, void *host);
    void *host;
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_jobs_def;

/// One worker a processor, on threads of our own.
KARST_API karst_jobs_def karst_jobs_def_default(void);

/// Start a scheduler. Cost: one thread a worker beside the caller.
/// @param def NULL: the default @param out yours until karst_jobs_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT (threads could not start)
KARST_API karst_status karst_jobs_create(const karst_jobs_def *def, karst_jobs **out);

/// Stop the workers and free the scheduler; no work of it may be running. NULL is allowed.
KARST_API void karst_jobs_destroy(karst_jobs *jobs);

/// Number of workers, >= 1. NULL means 1: the caller alone. Threads: any.
KARST_API int karst_jobs_worker_count(const karst_jobs *jobs);

/// Run fn over [0, count) in ranges of at most grain and return when all are done. A NULL jobs runs on
/// the caller. Calls from inside a job run on that worker alone, and keep its number. Which worker gets which
/// range is chance: results may not depend on it. Threads: one caller at a time. Cost: a few microseconds.
KARST_API void karst_jobs_for(karst_jobs *jobs, int count, int grain, karst_range_fn *fn, void *context);

/// How long work reports and is stopped. Passed by pointer; NULL means silent and unstoppable.
typedef struct karst_progress {
    /// Called from the thread that started the work, at most a few dozen times a second. `stage` is a
    /// short static text ("erode"), share is 0..1 of that stage. Return false to cancel: the work then
    /// ends within a tenth of a second with KARST_ERROR_CANCELLED and nothing half-done.
    bool (*step)(void *context, const char *stage, double share);
    void *context;
} karst_progress;

#ifdef __cplusplus
}
#endif
