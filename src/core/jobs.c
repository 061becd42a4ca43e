// SPDX-License-Identifier: MIT
// Jobs: the host's parallel-for, or a pool of our own.
//
// The pool is one parallel-for at a time: workers take ranges, in rising order, from an atomic counter. Which
// worker takes which range is chance, so results may not depend on it. Workers that find none take posted tasks; one
// that is at a task when a parallel-for begins joins late or not at all, and nobody waits for it.
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
    int busy;        // workers that joined the parallel-for
    bool active;     // it may be joined
    bool quit;
    kst_task *first_task, *last_task;
    karst_range_fn *fn;
    void *context;
    int count, grain, range_count;
    _Atomic int next;  // range
};

// What this thread works for now: calls from inside a job stay on their worker and keep its number.
static _Thread_local const karst_jobs *inside;
static _Thread_local int inside_worker;

karst_jobs_def karst_jobs_def_default(void) {
    return (karst_jobs_def){.cookie = KST_COOKIE};
}

static void take_ranges(karst_jobs *jobs, int worker) {
    inside = jobs;
    inside_worker = worker;
    for (;;) {
        int range = atomic_fetch_add(&jobs->next, 1);
        if (range >= jobs->range_count || range < 0) break;
        int begin = range * jobs->grain;
        int end = jobs->count - begin < jobs->grain ? jobs->count : begin + jobs->grain;
        jobs->fn(begin, end, worker, jobs->context);
    }
    inside = NULL;
}

static void host_range(int begin, int end, int worker, void *context) {
    karst_jobs *jobs = context;
    inside = jobs;
    inside_worker = worker;
    jobs->fn(begin, end, worker, jobs->context);
    inside = NULL;
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
        bool joins = jobs->active && jobs->round != seen;
        kst_task *task = jobs->first_task;
        if (joins) {
            seen = jobs->round;
            ++jobs->busy;
            pthread_mutex_unlock(&jobs->lock);
            take_ranges(jobs, s.worker);
            pthread_mutex_lock(&jobs->lock);
            if (--jobs->busy == 0) pthread_cond_signal(&jobs->idle);
        } else if (task) {
            jobs->first_task = task->next;
            pthread_mutex_unlock(&jobs->lock);
            inside = jobs;
            inside_worker = s.worker;
            task->fn(task);
            inside = NULL;
            pthread_mutex_lock(&jobs->lock);
        } else if (jobs->quit) {
            break;
        } else {
            pthread_cond_wait(&jobs->wake, &jobs->lock);
        }
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
        karst_status status = KARST_OK;
        if (!s)
            status = KARST_ERROR_MEMORY;
        else if (pthread_create(&jobs->thread[jobs->started], NULL, worker_main, s))
            status = KARST_ERROR_LIMIT;
        if (status) {
            kst_free(d.allocator, s, sizeof *s);
            karst_jobs_destroy(jobs);
            return status;
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

int karst_jobs_worker_count(const karst_jobs *jobs) {
    return jobs ? jobs->def.worker_count : 1;
}

void karst_jobs_for(karst_jobs *jobs, int count, int grain, karst_range_fn *fn, void *context) {
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    bool host = jobs && jobs->def.parallel_for;
    if (!jobs || inside || (!host && (jobs->def.worker_count == 1 || count <= grain))) {
        const karst_jobs *outer = inside;
        int worker = jobs && outer == jobs ? inside_worker : 0;
        if (!outer) inside = jobs, inside_worker = 0;
        for (int begin = 0; begin < count;) {
            int end = count - begin < grain ? count : begin + grain;
            fn(begin, end, worker, context);
            begin = end;
        }
        inside = outer;
        return;
    }
    if (!host) pthread_mutex_lock(&jobs->lock);
    jobs->fn = fn;
    jobs->context = context;
    if (host) {
        jobs->def.parallel_for(count, grain, host_range, jobs, jobs->def.host);
        return;
    }
    jobs->count = count;
    jobs->grain = grain;
    jobs->range_count = (count - 1) / grain + 1;
    atomic_store(&jobs->next, 0);
    jobs->active = true;
    ++jobs->round;
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    take_ranges(jobs, 0);
    pthread_mutex_lock(&jobs->lock);
    jobs->active = false;
    while (jobs->busy) pthread_cond_wait(&jobs->idle, &jobs->lock);
    pthread_mutex_unlock(&jobs->lock);
}

static void run_task(void *context) {
    kst_task *task = context;
    task->fn(task);
}

bool kst_jobs_post(karst_jobs *jobs, kst_task *task) {
    if (!jobs) return false;
    if (jobs->def.parallel_for) {
        if (!jobs->def.post) return false;
        jobs->def.post(run_task, task, jobs->def.host);
        return true;
    }
    if (!jobs->started) return false;
    task->next = NULL;
    pthread_mutex_lock(&jobs->lock);
    *(jobs->first_task ? &jobs->last_task->next : &jobs->first_task) = task;
    jobs->last_task = task;
    pthread_cond_signal(&jobs->wake);
    pthread_mutex_unlock(&jobs->lock);
    return true;
}

// ---- work that may fail, report and be cancelled ---------------------------------------------------

typedef struct run {
    kst_range_fn *fn;
    void *context;
    const karst_progress *progress;
    const char *stage;
    double from, to;
    int first, count;  // first: of the slice that runs now
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

// At most a few dozen times a second; false when asked to stop.
static bool tell(run *r, int done) {
    if (!r->progress || !r->progress->step) return true;
    double now = now_s();
    if (now - r->told_s < 0.03 && done < r->count) return true;
    r->told_s = now;
    return r->progress->step(r->progress->context, r->stage, r->from + (r->to - r->from) * done / r->count);
}

static void run_range(int begin, int end, int worker, void *context) {
    run *r = context;
    begin += r->first;
    end += r->first;
    if (begin > atomic_load(&r->failed_at)) return;  // a lower range failed: its status wins anyway
    karst_status status = r->fn(begin, end, worker, r->context);
    if (status) note_failure(r, begin, status);
    int done = atomic_fetch_add(&r->done, end - begin) + end - begin;
    if (pthread_equal(pthread_self(), r->caller) && !tell(r, done)) note_failure(r, -1, KARST_ERROR_CANCELLED);
}

karst_status kst_jobs_run(karst_jobs *jobs, int count, int grain, kst_range_fn *fn, void *context,
                          const karst_progress *progress, const char *stage, double from, double to) {
    run r = {.fn = fn,
             .context = context,
             .progress = progress,
             .stage = stage,
             .from = from,
             .to = to,
             .count = count,
             .caller = pthread_self()};
    atomic_store(&r.failed_at, INT32_MAX);
    pthread_mutex_init(&r.lock, NULL);
    karst_status status = kst_progress_step(progress, stage, from);
    if (!status) {
        // A host's scheduler may leave the caller idle, where it cannot tell or be stopped: slices let it.
        int slice = count;
        if (grain < 1) grain = 1;
        if (jobs && jobs->def.parallel_for && progress && (int64_t)4 * jobs->def.worker_count * grain < count)
            slice = 4 * jobs->def.worker_count * grain;
        while (r.first < count && !r.status) {
            int left = count - r.first;
            karst_jobs_for(jobs, left < slice ? left : slice, grain, run_range, &r);
            r.first = left < slice ? count : r.first + slice;
            if (!r.status && slice < count && !tell(&r, r.first)) r.status = KARST_ERROR_CANCELLED;
        }
        status = r.status;
    }
    pthread_mutex_destroy(&r.lock);
    return status;
}

karst_status kst_progress_step(const karst_progress *progress, const char *stage, double share) {
    if (!progress || !progress->step) return KARST_OK;
    return progress->step(progress->context, stage, share) ? KARST_OK : KARST_ERROR_CANCELLED;
}
