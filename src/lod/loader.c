// SPDX-License-Identifier: MIT
// Loader: from requests to decoded chunks.
#include "loader.h"

#include <time.h>

karst_status kst_loader_create(kst_loader *l, karst_pack *pack, karst_jobs *jobs, const int32_t limit[KST_KINDS],
                               const karst_allocator *allocator) {
    *l = (kst_loader){.pack = pack,
                      .jobs = jobs,
                      .allocator = allocator,
                      .visual_count = limit[KST_VISUAL],
                      .count = limit[KST_VISUAL] + limit[KST_SIM]};
    l->loads = kst_alloc_array(allocator, (size_t)l->count, sizeof *l->loads);
    l->queue = kst_alloc_array(allocator, (size_t)l->count, sizeof *l->queue);
    pthread_mutex_init(&l->lock, NULL);
    pthread_cond_init(&l->arrived, NULL);
    return l->loads && l->queue ? KARST_OK : KARST_ERROR_MEMORY;
}

void kst_loader_destroy(kst_loader *l) {
    if (!l->count) return;
    kst_loader_wait(l);
    pthread_cond_destroy(&l->arrived);
    pthread_mutex_destroy(&l->lock);
    kst_free(l->allocator, l->loads, (size_t)l->count * sizeof *l->loads);
    kst_free(l->allocator, l->queue, (size_t)l->count * sizeof *l->queue);
    *l = (kst_loader){0};
}

static uint64_t thread_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void decode(kst_load *load) {
    const kst_stream_chunk *c = &load->chunk;
    karst_pack *pack = load->loader->pack;
    uint64_t start = thread_ns();
    load->status = c->kind == KST_SIM ? karst_pack_hold(pack, c->x, c->z)
                                      : karst_pack_read_chunk(pack, c->level, c->x, c->z, load->into);
    load->took_ns = thread_ns() - start;
}

static void decode_all(kst_load *first) {
    for (kst_load *load = first; load; load = load->next) decode(load);
}

// A list of loads joins those that are done. The lock is held.
static void put_done(kst_loader *l, kst_load *first) {
    kst_load *last = first;
    while (last->next) last = last->next;
    last->next = l->done;
    l->done = first;
}

static void run_beside(kst_task *task) {
    kst_load *first = (kst_load *)task;
    kst_loader *l = first->loader;
    decode_all(first);
    pthread_mutex_lock(&l->lock);
    put_done(l, first);
    if (--l->on_way == 0) pthread_cond_signal(&l->arrived);
    pthread_mutex_unlock(&l->lock);
}

static kst_load *load_of(kst_loader *l, const kst_stream_chunk *chunk, karst_chunk *into) {
    kst_load *load = &l->loads[chunk->slot + (chunk->kind == KST_SIM ? l->visual_count : 0)];
    *load = (kst_load){.task.fn = run_beside, .loader = l, .chunk = *chunk, .into = into};
    return load;
}

static bool are_siblings(const kst_stream_chunk *a, const kst_stream_chunk *b) {
    return a->kind == b->kind && a->level == b->level && a->x >> 1 == b->x >> 1 && a->z >> 1 == b->z >> 1;
}

void kst_loader_add(kst_loader *l, const kst_stream_chunk *chunk, karst_chunk *into) {
    kst_load *load = load_of(l, chunk, into);
    kst_load **last = l->queue_count ? &l->queue[l->queue_count - 1] : NULL;
    if (!last || !are_siblings(&(*last)->chunk, chunk)) {
        l->queue[l->queue_count++] = load;
        return;
    }
    while (*last) last = &(*last)->next;
    *last = load;
}

void kst_loader_end(kst_loader *l, const kst_stream_chunk *chunk, karst_status status) {
    kst_load *load = load_of(l, chunk, NULL);
    load->status = status;
    pthread_mutex_lock(&l->lock);
    put_done(l, load);
    pthread_mutex_unlock(&l->lock);
}

static void run_here(int begin, int end, int worker, void *context) {
    (void)worker;
    kst_loader *l = context;
    for (int k = begin; k < end; ++k) decode_all(l->queue[k]);
}

bool kst_loader_start(kst_loader *l, bool beside) {
    int32_t left = 0;
    for (int32_t k = 0; k < l->queue_count; ++k) {
        pthread_mutex_lock(&l->lock);
        l->on_way += beside;
        pthread_mutex_unlock(&l->lock);
        if (beside && kst_jobs_post(l->jobs, &l->queue[k]->task)) continue;
        pthread_mutex_lock(&l->lock);
        l->on_way -= beside;
        pthread_mutex_unlock(&l->lock);
        l->queue[left++] = l->queue[k];
    }
    l->queue_count = 0;
    if (!left) return false;
    karst_jobs_for(l->jobs, left, 1, run_here, l);
    pthread_mutex_lock(&l->lock);
    for (int32_t k = 0; k < left; ++k) put_done(l, l->queue[k]);
    pthread_mutex_unlock(&l->lock);
    return true;
}

void kst_loader_wait(kst_loader *l) {
    pthread_mutex_lock(&l->lock);
    while (l->on_way) pthread_cond_wait(&l->arrived, &l->lock);
    pthread_mutex_unlock(&l->lock);
}

kst_load *kst_loader_take(kst_loader *l) {
    pthread_mutex_lock(&l->lock);
    kst_load *done = l->done;
    l->done = NULL;
    pthread_mutex_unlock(&l->lock);
    return done;
}
