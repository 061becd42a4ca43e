// SPDX-License-Identifier: MIT
// Jobs: every cell once, on any number of workers, own pool or the host's; failure, cancel, nesting.
#include <pthread.h>
#include <stdatomic.h>

#include "support/prop.h"

// ---- a host's scheduler: threads of its own, ranges from the last to the first, the caller idle ----------

typedef struct host {
    int workers, calls;
    bool lose_one;  // the control: a scheduler that forgets its first range
} host;

typedef struct host_work {
    int count, grain, worker, workers;
    karst_range_fn *fn;
    void *context;
    bool lose_one;
} host_work;

static void *host_thread(void *argument) {
    host_work *w = argument;
    int ranges = (w->count + w->grain - 1) / w->grain;
    for (int r = ranges - 1 - w->worker; r >= (w->lose_one ? 1 : 0); r -= w->workers) {
        int begin = r * w->grain, end = begin + w->grain < w->count ? begin + w->grain : w->count;
        w->fn(begin, end, w->worker, w->context);
    }
    return NULL;
}

static void host_for(int count, int grain, karst_range_fn *fn, void *context, void *opaque) {
    host *h = opaque;
    pthread_t thread[16];
    host_work work[16];
    ++h->calls;
    for (int i = 0; i < h->workers; ++i) {
        work[i] = (host_work){count, grain, i, h->workers, fn, context, h->lose_one};
        assert_int_equal(pthread_create(&thread[i], NULL, host_thread, &work[i]), 0);
    }
    for (int i = 0; i < h->workers; ++i) pthread_join(thread[i], NULL);
}

static karst_jobs *make_jobs(int workers, host *h) {
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = workers;
    if (h) {
        h->workers = workers;
        def.parallel_for = host_for;
        def.host = h;
    }
    karst_jobs *jobs = NULL;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    return jobs;
}

// ---- coverage --------------------------------------------------------------------------------------------

typedef struct tally {
    _Atomic uint8_t *seen;
    int grain, workers;
    _Atomic int wrong;
} tally;

static void count_cells(int begin, int end, int worker, void *context) {
    tally *t = context;
    if (end <= begin || end - begin > t->grain || worker < 0 || worker >= t->workers) atomic_fetch_add(&t->wrong, 1);
    for (int i = begin; i < end; ++i) atomic_fetch_add(&t->seen[i], 1);
}

static bool covers_once(karst_jobs *jobs, int count, int grain) {
    tally t = {.seen = calloc((size_t)count + 1, 1), .grain = grain, .workers = karst_jobs_worker_count(jobs)};
    karst_jobs_for(jobs, count, grain, count_cells, &t);
    bool ok = !t.wrong;
    for (int i = 0; i < count; ++i) ok &= t.seen[i] == 1;
    free(t.seen);
    return ok;
}

static void every_cell_once_on_any_workers(void **state) {
    (void)state;
    static const int workers[] = {1, 2, 5, 16};
    for (int w = -1; w < 8; ++w) {  // none, own pools, the host's
        host h = {0};
        karst_jobs *jobs = w < 0 ? NULL : make_jobs(workers[w % 4], w < 4 ? NULL : &h);
        assert_int_equal(karst_jobs_worker_count(jobs), w < 0 ? 1 : workers[w % 4]);
        for (prop p = prop_begin("jobs_cover", 100); prop_next(&p);)
            prop_check(&p, covers_once(jobs, prop_int(&p, 0, 1000), prop_int(&p, 1, 40)));
        if (w >= 4) assert_true(h.calls > 0);
        karst_jobs_destroy(jobs);
    }
    host bad = {.lose_one = true};  // the control
    karst_jobs *jobs = make_jobs(2, &bad);
    assert_false(covers_once(jobs, 100, 7));
    karst_jobs_destroy(jobs);
}

static void count_ranges(int begin, int end, int worker, void *context) {
    (void)worker;
    _Atomic int *ranges = context;
    atomic_fetch_add(ranges, end > begin ? 1 : 1000);
}

static void huge_counts_do_not_wrap(void **state) {
    (void)state;
    static const int grains[] = {INT32_MAX, INT32_MAX - 1, 1 << 30, 1500000000};
    static const int ranges[] = {1, 2, 2, 2};
    karst_jobs *jobs = make_jobs(16, NULL);
    for (int turn = 0; turn < 50; ++turn)
        for (int i = 0; i < 4; ++i) {
            _Atomic int got = 0;
            karst_jobs_for(jobs, INT32_MAX, grains[i], count_ranges, &got);
            assert_int_equal(got, ranges[i]);
        }
    karst_jobs_destroy(jobs);
}

// ---- nesting ---------------------------------------------------------------------------------------------

enum { OUTER = 40, INNER = 30 };

typedef struct nest {
    karst_jobs *jobs;
    _Atomic int cells, wrong;
    _Atomic int users[16];  // how many are inside worker w's scratch memory
} nest;

typedef struct inner {
    nest *n;
    int worker;
    pthread_t thread;
} inner;

static void inner_cells(int begin, int end, int worker, void *context) {
    inner *in = context;
    if (worker != in->worker || !pthread_equal(pthread_self(), in->thread)) atomic_fetch_add(&in->n->wrong, 1);
    atomic_fetch_add(&in->n->cells, end - begin);
}

static void outer_cells(int begin, int end, int worker, void *context) {
    nest *n = context;
    if (atomic_fetch_add(&n->users[worker], 1)) atomic_fetch_add(&n->wrong, 1);
    for (int i = begin; i < end; ++i) {
        inner in = {n, worker, pthread_self()};
        karst_jobs_for(n->jobs, INNER, 4, inner_cells, &in);
        in.worker = 0;  // without jobs there is one worker, number 0
        karst_jobs_for(NULL, INNER, 4, inner_cells, &in);
    }
    atomic_fetch_sub(&n->users[worker], 1);
}

static void calls_from_inside_stay_on_their_worker(void **state) {
    (void)state;
    for (int w = 0; w < 6; ++w) {
        host h = {0};
        karst_jobs *jobs = make_jobs((int[]){1, 2, 5}[w % 3], w < 3 ? NULL : &h);
        nest n = {.jobs = jobs};
        karst_jobs_for(jobs, OUTER, 3, outer_cells, &n);
        assert_int_equal(n.cells, OUTER * INNER * 2);
        assert_int_equal(n.wrong, 0);
        assert_true(covers_once(jobs, 500, 3));  // and afterwards work spreads again
        karst_jobs_destroy(jobs);
    }
}

// ---- work that fails, reports, is cancelled ----------------------------------------------------------------

typedef struct faulty {
    int first_bad, second_bad;
    _Atomic int ran;
} faulty;

static karst_status fail_at(int begin, int end, int worker, void *context) {
    (void)worker;
    faulty *f = context;
    atomic_fetch_add(&f->ran, end - begin);
    if (begin <= f->first_bad && f->first_bad < end) return KARST_ERROR_FORMAT;
    if (begin <= f->second_bad && f->second_bad < end) return KARST_ERROR_FILE;
    return KARST_OK;
}

static void lowest_failure_wins(void **state) {
    (void)state;
    static const int workers[] = {1, 2, 5};
    for (int w = 0; w < 6; ++w) {
        host h = {0};
        karst_jobs *jobs = make_jobs(workers[w % 3], w < 3 ? NULL : &h);
        for (prop p = prop_begin("jobs_fail", 200); prop_next(&p);) {
            int count = prop_int(&p, 10, 400), grain = prop_int(&p, 1, 5);
            faulty f = {.first_bad = prop_int(&p, 0, count - 6)};
            f.second_bad = prop_int(&p, f.first_bad + grain, count + 5);
            karst_status status = kst_jobs_run(jobs, count, grain, fail_at, &f, NULL, "test", 0, 1);
            prop_check(&p, status == KARST_ERROR_FORMAT);
            prop_check(&p, f.ran > 0 && f.ran <= count);
        }
        faulty none = {-1, -1, 0};
        assert_int_equal(kst_jobs_run(jobs, 100, 3, fail_at, &none, NULL, "test", 0, 1), KARST_OK);
        assert_int_equal(none.ran, 100);
        assert_int_equal(kst_jobs_run(jobs, 0, 3, fail_at, &none, NULL, "test", 0, 1), KARST_OK);
        karst_jobs_destroy(jobs);
    }
}

typedef struct told {
    pthread_t thread;
    int calls, stop_after;  // stop_after 0: never
    double last;
    bool wrong;
} told;

static bool hear(void *context, const char *stage, double share) {
    told *t = context;
    t->wrong |= !pthread_equal(pthread_self(), t->thread) || strcmp(stage, "dig") || share < t->last || share > 0.75;
    t->last = share;
    return !t->stop_after || ++t->calls < t->stop_after;
}

static karst_status work_a_little(int begin, int end, int worker, void *context) {
    (void)worker;
    struct timespec nap = {0, 2000000};
    nanosleep(&nap, NULL);
    atomic_fetch_add((_Atomic int *)context, end - begin);
    return KARST_OK;
}

static void cancel_stops_soon_and_comes_from_the_caller(void **state) {
    (void)state;
    for (int w = 0; w < 6; ++w) {
        host h = {0};
        karst_jobs *jobs = make_jobs((int[]){1, 2, 5}[w % 3], w < 3 ? NULL : &h);
        for (int stop = 0; stop < 3; ++stop) {
            told t = {.thread = pthread_self(), .stop_after = stop, .last = 0.25};
            karst_progress progress = {hear, &t};
            _Atomic int ran = 0;
            karst_status status = kst_jobs_run(jobs, 200, 1, work_a_little, &ran, &progress, "dig", 0.25, 0.75);
            assert_int_equal(status, stop ? KARST_ERROR_CANCELLED : KARST_OK);
            assert_false(t.wrong);
            assert_true(t.last > 0.25 || stop == 1);
            if (!stop) assert_int_equal(ran, 200);
            if (stop == 1) assert_int_equal(ran, 0);
            if (stop == 2) assert_in_range(ran, 1, 150);  // 200 would be 80 ms on five workers
        }
        karst_jobs_destroy(jobs);
    }
    told t = {.thread = pthread_self(), .stop_after = 1};
    karst_progress progress = {hear, &t};
    assert_int_equal(kst_progress_step(&progress, "dig", 0.5), KARST_ERROR_CANCELLED);
    assert_int_equal(kst_progress_step(NULL, "dig", 0.5), KARST_OK);
}

// ---- creation ----------------------------------------------------------------------------------------------

static void creation_survives_every_failing_allocation(void **state) {
    (void)state;
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 4;
    int failures = 0;
    for (uint64_t n = 1;; ++n) {
        karst_jobs *jobs = (karst_jobs *)&def;
        kst_alloc_fail_after(n);
        karst_status status = karst_jobs_create(&def, &jobs);
        kst_alloc_fail_after(0);
        if (!status) {
            karst_jobs_destroy(jobs);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_ptr_equal(jobs, &def);  // untouched
        ++failures;
    }
    assert_in_range(failures, 4, 20);  // the scheduler and one start record a thread
}

static _Atomic int64_t balance;

static void *counted_alloc(size_t bytes, void *context) {
    (void)context;
    atomic_fetch_add(&balance, (int64_t)bytes);
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void counted_free(void *memory, size_t bytes, void *context) {
    (void)context;
    atomic_fetch_sub(&balance, (int64_t)bytes);
    free(memory);
}

static void the_allocator_gets_everything_back(void **state) {
    (void)state;
    const karst_allocator allocator = {counted_alloc, counted_free, NULL};
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 5;
    def.allocator = &allocator;
    for (int turn = 0; turn < 20; ++turn) {
        karst_jobs *jobs;
        assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
        if (turn % 2) assert_true(covers_once(jobs, 100, 1));
        karst_jobs_destroy(jobs);
        assert_int_equal(balance, 0);
    }
    karst_jobs_destroy(NULL);
}

// ---- tasks -----------------------------------------------------------------------------------------------

typedef struct counted_task {
    kst_task task;  // first: fn gets its address
    _Atomic int *ran;
    int times;
} counted_task;

static void run_counted(kst_task *task) {
    counted_task *t = (counted_task *)task;
    ++t->times;  // one thread alone runs it
    atomic_fetch_add(t->ran, 1);
}

static void host_post(void (*fn)(void *context), void *context, void *opaque) {
    ((host *)opaque)->calls += 1000;
    fn(context);
}

// Each runs once, beside parallel-fors that lose nothing, the last of them by the time the scheduler is gone.
static void posted_tasks_run_once_beside_other_work(void **state) {
    (void)state;
    enum { TASKS = 500 };
    static counted_task tasks[TASKS];
    for (int workers = 2; workers <= 5; ++workers) {
        karst_jobs *jobs = make_jobs(workers, NULL);
        _Atomic int ran = 0;
        for (int k = 0; k < TASKS; ++k) {
            tasks[k] = (counted_task){.task.fn = run_counted, .ran = &ran};
            assert_true(kst_jobs_post(jobs, &tasks[k].task));
            if (k % 10 == 0) assert_true(covers_once(jobs, 64, 3));
        }
        karst_jobs_destroy(jobs);
        assert_int_equal(ran, TASKS);
        for (int k = 0; k < TASKS; ++k) assert_int_equal(tasks[k].times, 1);
    }
}

static void tasks_that_nobody_would_run_are_refused(void **state) {
    (void)state;
    _Atomic int ran = 0;
    counted_task t = {.task.fn = run_counted, .ran = &ran};
    assert_false(kst_jobs_post(NULL, &t.task));
    karst_jobs *jobs = make_jobs(1, NULL);
    assert_false(kst_jobs_post(jobs, &t.task));
    karst_jobs_destroy(jobs);
    host h = {0};
    jobs = make_jobs(3, &h);
    assert_false(kst_jobs_post(jobs, &t.task));
    karst_jobs_destroy(jobs);
    assert_int_equal(ran, 0);
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 3;
    def.parallel_for = host_for;
    def.post = host_post;
    def.host = &h;
    h.calls = 0;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    assert_true(kst_jobs_post(jobs, &t.task));
    assert_true(ran == 1 && h.calls == 1000);
    karst_jobs_destroy(jobs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_once_on_any_workers),
        cmocka_unit_test(huge_counts_do_not_wrap),
        cmocka_unit_test(calls_from_inside_stay_on_their_worker),
        cmocka_unit_test(lowest_failure_wins),
        cmocka_unit_test(cancel_stops_soon_and_comes_from_the_caller),
        cmocka_unit_test(creation_survives_every_failing_allocation),
        cmocka_unit_test(the_allocator_gets_everything_back),
        cmocka_unit_test(posted_tasks_run_once_beside_other_work),
        cmocka_unit_test(tasks_that_nobody_would_run_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
