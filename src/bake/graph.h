// SPDX-License-Identifier: MIT
// Graph: steps keyed by the checksums of what they read, run by an executor. See docs/bake.md.
//
// A stage is steps that do not depend on each other. A step whose key is in the store is not run: its result is what
// was kept. Keys hash contents, never times or names, so an input that changed back finds its old result, and one that
// changed without effect stops the work there.
#pragma once
#include "core/core.h"

// A result. Behind its bytes is room for the seal that it is kept with.
typedef struct kst_bytes {
    uint8_t *at;
    size_t size;
    bool kept;  // lies in the graph's scratch, where it stays
} kst_bytes;

// Room for size bytes; at is NULL when there is none. Freed by kst_bytes_free.
kst_bytes kst_bytes_make(size_t size);

// Where results are kept. Called from one thread. get: *out is malloc'ed, empty when there is none.
typedef struct kst_store {
    void (*put)(void *context, uint64_t key, const void *bytes, size_t size);
    karst_status (*get)(void *context, uint64_t key, void **out, size_t *size);
    void *context;
    uint64_t room;  // most bytes of one stage: more would push each other out
} kst_store;

typedef struct kst_graph {
    const kst_store *store;  // NULL: nothing is kept
    kst_scratch *scratch;    // takes results that memory has no room for; NULL: there always is
    uint64_t version;        // of the program that makes the results; in every key
    karst_jobs *jobs;
    const karst_progress *progress;
    int32_t run, reused;
} kst_graph;

typedef struct kst_stage {
    const char *name;  // shown as progress
    int count;
    void *context;
    // All three: any thread, any order. key: of everything that run reads, its code included.
    karst_status (*key)(void *context, int step, uint64_t *out);
    karst_status (*run)(void *context, int step, kst_bytes *out);
    bool (*is_whole)(void *context, int step, const kst_bytes *bytes);  // a kept result has the right shape
} kst_stage;

// Results of all steps into out[count], which starts empty; after a failure too what is in it is the caller's. They may
// move to the scratch, so they are read in place until it ends. Eases the scratch after each step.
// Of a stage that exceeds the store's room the first results are kept. report: says so when the scratch had no room.
karst_status kst_graph_stage(kst_graph *graph, const kst_stage *stage, kst_bytes *out, karst_report *report);

void kst_bytes_free(kst_bytes *bytes, int count);

// One value kept outside any stage. find: false when it is not there or damaged.
bool kst_graph_find(kst_graph *graph, uint64_t key, kst_bytes *out);

void kst_graph_keep(kst_graph *graph, uint64_t key, kst_bytes *bytes);
