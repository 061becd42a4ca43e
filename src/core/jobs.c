// SPDX-License-Identifier: MIT
// Jobs: the host's parallel-for, or a pool of our own.
//
// The pool is one parallel-for at a time: workers take ranges from an atomic counter. Which worker takes
// which range is chance, so results may not depend on it.
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "core/core.h"

enum { WORKERS_MAX = 256 };

struct karst_jobs {
    karst_jobs_def def;
    int started;  // threads beside the caller
    pthread_t thread[WORKERS_MAX];
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    uint64_t round;  // grows with every parallel-for; workers wait for it to change
    int busy;
    bool quit;
    karst_range_fn *fn;
    void *context;
    int count, grain;
    _Atomic int next;
};

static _Thread_local bool inside_job;

karst_jobs_def karst_jobs_def_default(void) { return (karst_jobs_def){.cookie = KST_COOKIE}; }

static void take_ranges(karst_jobs *jobs, int worker) {
    inside_job = true;
    for (;;) {
        int begin = atomic_fetch_add(&jobs->next, jobs->grain);
        if (begin >= jobs->count || begin < 0) break;
        int end = jobs->count - begin < jobs->grain ? jobs->count : begin + jobs->grain;
        jobs->fn(begin, end, worker, jobs->context);
    }
    inside_job = false;
}

typedef struct start {
    karst_jobs *jobs;
    int worker;
} start;

static void *worker_main(void *argument) {
    start s = *(start *)argument;
    kst_free(s.jobs->def.allocator, argument, sizeof(start));
    karst_jobs *jobs = s.jobs;
    uint64_t seen = 0;
    pthread_mutex_lock(&jobs->lock);
    for (;;) {
        while (jobs->round == seen && !jobs->quit) pthread_cond_wait(&jobs->wake, &jobs->lock);
        if (jobs->quit) break;
        seen = jobs->round;
        pthread_mutex_unlock(&jobs->lock);
        take_ranges(jobs, s.worker);
        pthread_mutex_lock(&jobs->lock);
        if (--jobs->busy == 0) pthread_cond_signal(&jobs->idle);
    }
    pthread_mutex_unlock(&jobs->lock);
    return NULL;
}

karst_status karst_jobs_create(const karst_jobs_def *def, karst_jobs **out) {
    karst_jobs_def d = def ? *def : karst_jobs_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE);
    if (d.worker_count <= 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        d.worker_count = processors < 1 ? 1 : (int)processors;
    }
    if (d.worker_count > WORKERS_MAX) d.worker_count = WORKERS_MAX;
    karst_jobs *jobs = kst_alloc_zero(d.allocator, sizeof *jobs);
    if (!jobs) return KARST_ERROR_MEMORY;
    jobs->def = d;
    pthread_mutex_init(&jobs->lock, NULL);
    pthread_cond_init(&jobs->wake, NULL);
    pthread_cond_init(&jobs->idle, NULL);
    for (int i = 1; i < d.worker_count && !d.parallel_for; ++i) {
        start *s = kst_alloc(d.allocator, sizeof *s);
        if (s) *s = (start){jobs, i};
        if (!s || pthread_create(&jobs->thread[jobs->started], NULL, worker_main, s)) {
            kst_free(d.allocator, s, sizeof *s);
            karst_jobs_destroy(jobs);
            return s ? KARST_ERROR_LIMIT : KARST_ERROR_MEMORY;
        }
        ++jobs->started;
    }
    *out = jobs;
    return KARST_OK;
}

void karst_jobs_destroy(karst_jobs *jobs) {
    if (!jobs) return;
    pthread_mutex_lock(&jobs->lock);
    jobs->quit = true;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    for (int i = 0; i < jobs->started; ++i) pthread_join(jobs->thread[i], NULL);
    pthread_cond_destroy(&jobs->idle);
    pthread_cond_destroy(&jobs->wake);
    pthread_mutex_destroy(&jobs->lock);
    kst_free(jobs->def.allocator, jobs, sizeof *jobs);
}

int karst_jobs_worker_count(const karst_jobs *jobs) { return jobs ? jobs->def.worker_count : 1; }

void karst_jobs_for(karst_jobs *jobs, int count, int grain, karst_range_fn *fn, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if (jobs && jobs->def.parallel_for && !inside_job) {
        jobs->def.parallel_for(count, grain, fn, context, jobs->def.host);
        return;
    }
    if (!jobs || jobs->def.worker_count == 1 || inside_job || count <= grain) {
        for (int begin = 0; begin < count; begin += grain)
            fn(begin, count - begin < grain ? count : begin + grain, 0, context);
        return;
    }
    pthread_mutex_lock(&jobs->lock);
    jobs->fn = fn;
    jobs->context = context;
    jobs->count = count;
    jobs->grain = grain;
    atomic_store(&jobs->next, 0);
    jobs->busy = jobs->started;
    ++jobs->round;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    take_ranges(jobs, 0);
    pthread_mutex_lock(&jobs->lock);
    while (jobs->busy) pthread_cond_wait(&jobs->idle, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
}

// ---- work that may fail, report and be cancelled ---------------------------------------------------

typedef struct run {
    kst_range_fn *fn;
    void *context;
    const karst_progress *progress;
    const char *stage;
    double from, to;
    int count;
    pthread_t caller;
    _Atomic int done, failed_at;  // failed_at: begin of the lowest range known to have failed
    pthread_mutex_t lock;
    karst_status status;
    double told_s;
} run;

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void note_failure(run *r, int begin, karst_status status) {
    pthread_mutex_lock(&r->lock);
    if (begin < atomic_load(&r->failed_at)) {
        atomic_store(&r->failed_at, begin);
        r->status = status;
    }
    pthread_mutex_unlock(&r->lock);
}

static void run_range(int begin, int end, int worker, void *context) {
    run *r = context;
    if (begin > atomic_load(&r->failed_at)) return;  // a lower range failed: its status wins anyway
    karst_status status = r->fn(begin, end, worker, r->context);
    if (status) note_failure(r, begin, status);
    int done = atomic_fetch_add(&r->done, end - begin) + end - begin;
    if (!r->progress || !r->progress->step || !pthread_equal(pthread_self(), r->caller)) return;
    double now = now_s();
    if (now - r->told_s < 0.03 && done < r->count) return;
    r->told_s = now;
    if (!r->progress->step(r->progress->context, r->stage, r->from + (r->to - r->from) * done / r->count))
        note_failure(r, -1, KARST_ERROR_CANCELLED);
}

karst_status kst_jobs_run(karst_jobs *jobs, int count, int grain, kst_range_fn *fn, void *context,
                          const karst_progress *progress, const char *stage, double from, double to) {
    run r = {.fn = fn, .context = context, .progress = progress, .stage = stage, .from = from, .to = to,
             .count = count, .caller = pthread_self()};
    atomic_store(&r.failed_at, INT32_MAX);
    pthread_mutex_init(&r.lock, NULL);
    karst_status status = kst_progress_step(progress, stage, from);
    if (!status) {
        karst_jobs_for(jobs, count, grain, run_range, &r);
        status = r.status;
    }
    pthread_mutex_destroy(&r.lock);
    return status;
}

karst_status kst_progress_step(const karst_progress *progress, const char *stage, double share) {
    if (!progress || !progress->step) return KARST_OK;
    return progress->step(progress->context, stage, share) ? KARST_OK : KARST_ERROR_CANCELLED;
}
