// SPDX-License-Identifier: MIT
// The local executor: keys in parallel, look-ups in order, what is missing in parallel, what is new kept in order.
#include "bake/graph.h"

#include <stdlib.h>

enum { SEAL_BYTES = 8 };  // a kept result ends in its own hash: a damaged one counts as missing

bool kst_graph_find(kst_graph *graph, uint64_t key, kst_bytes *out) {
    if (!graph->store) return false;
    void *bytes = NULL;
    size_t size = 0;
    if (graph->store->get(graph->store->context, key, &bytes, &size) || !bytes) return false;
    uint64_t seal;
    if (size > SEAL_BYTES) {
        memcpy(&seal, (uint8_t *)bytes + size - SEAL_BYTES, SEAL_BYTES);
        if (seal == kst_hash(bytes, size - SEAL_BYTES, key)) {
            *out = (kst_bytes){bytes, size - SEAL_BYTES, false};
            return true;
        }
    }
    free(bytes);
    return false;
}

void kst_graph_keep(kst_graph *graph, uint64_t key, kst_bytes *bytes) {
    if (!graph->store) return;
    uint64_t seal = kst_hash(bytes->at, bytes->size, key);
    memcpy(bytes->at + bytes->size, &seal, SEAL_BYTES);
    graph->store->put(graph->store->context, key, bytes->at, bytes->size + SEAL_BYTES);
}

kst_bytes kst_bytes_make(size_t size) {
    kst_bytes bytes = {kst_alloc(NULL, size + SEAL_BYTES), size, false};
    return bytes;
}

void kst_bytes_free(kst_bytes *bytes, int count) {
    for (int i = 0; i < count; ++i) {
        if (!bytes[i].kept) kst_free(NULL, bytes[i].at, bytes[i].size + SEAL_BYTES);  // the store's malloc: the same
        bytes[i] = (kst_bytes){0};
    }
}

typedef struct work {
    const kst_graph *graph;
    const kst_stage *stage;
    uint64_t *key;
    int *missing;
    kst_bytes *out;
} work;

static karst_status key_steps(int begin, int end, int worker, void *context) {
    (void)worker;
    work *w = context;
    karst_status status = KARST_OK;
    for (int i = begin; i < end && !status; ++i) status = w->stage->key(w->stage->context, i, &w->key[i]);
    kst_scratch_ease(w->graph->scratch);
    return status;
}

// Put a result where it waits for its turn.
static karst_status settle(const kst_graph *graph, kst_bytes *bytes) {
    void *at = bytes->at;
    karst_status status = at ? kst_scratch_keep(graph->scratch, &at, bytes->size + SEAL_BYTES, &bytes->kept) : KARST_OK;
    bytes->at = at;
    kst_scratch_ease(graph->scratch);
    return status;
}

static karst_status run_steps(int begin, int end, int worker, void *context) {
    (void)worker;
    work *w = context;
    karst_status status = KARST_OK;
    for (int i = begin; i < end && !status; ++i) {
        kst_bytes *out = &w->out[w->missing[i]];
        status = w->stage->run(w->stage->context, w->missing[i], out);
        if (!status) status = settle(w->graph, out);
    }
    return status;
}

karst_status kst_graph_stage(kst_graph *graph, const kst_stage *stage, kst_bytes *out, karst_report *report) {
    size_t count = (size_t)stage->count;
    work w = {.graph = graph, .stage = stage, .out = out};
    w.key = kst_alloc_array(NULL, count, sizeof *w.key);
    w.missing = kst_alloc_array(NULL, count, sizeof *w.missing);
    karst_status status = w.key && w.missing ? KARST_OK : KARST_ERROR_MEMORY;
    int missing = 0;
    uint64_t held = 0;  // bytes of this stage in the store
    if (!status && graph->store) {
        status = kst_jobs_run(graph->jobs, stage->count, 1, key_steps, &w, graph->progress, stage->name, 0, 0.1);
        for (int i = 0; i < stage->count && !status; ++i) {
            if (i % 16 == 0) status = kst_progress_step(graph->progress, stage->name, 0.1);
            bool found = !status && kst_graph_find(graph, w.key[i], &out[i]);
            if (found && !stage->is_whole(stage->context, i, &out[i])) kst_bytes_free(&out[i], 1), found = false;
            if (found) held += out[i].size, status = settle(graph, &out[i]);
            if (!found) w.missing[missing++] = i;
        }
    } else {
        for (int i = 0; i < stage->count && w.missing; ++i) w.missing[missing++] = i;
    }
    if (!status) {
        graph->run += missing;
        graph->reused += stage->count - missing;
        // A step that is alone has all workers to itself.
        status = missing == 1
                     ? run_steps(0, 1, 0, &w)
                     : kst_jobs_run(graph->jobs, missing, 1, run_steps, &w, graph->progress, stage->name, 0.1, 1);
    }
    if (status == KARST_ERROR_FILE) status = kst_scratch_fail(graph->scratch, report);
    for (int i = 0; i < missing && !status && graph->store; ++i) {
        held += out[w.missing[i]].size;
        if (held > graph->store->room) break;
        kst_graph_keep(graph, w.key[w.missing[i]], &out[w.missing[i]]);
        kst_scratch_ease(graph->scratch);
    }
    kst_free(NULL, w.key, count * sizeof *w.key);
    kst_free(NULL, w.missing, count * sizeof *w.missing);
    return status;
}
