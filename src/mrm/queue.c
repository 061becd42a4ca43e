// SPDX-License-Identifier: MIT
// The queue: a binary heap of vertices by key, ties by number, that knows where each vertex is.
#include "mrm/order.h"

static bool before(const kst_order *o, uint32_t a, uint32_t b) {
    return o->key[a] < o->key[b] || (o->key[a] == o->key[b] && a < b);
}

static void put(kst_order *o, uint32_t at, uint32_t v) {
    o->heap[at] = v;
    o->heap_at[v] = at;
}

static void rise(kst_order *o, uint32_t at) {
    uint32_t v = o->heap[at];
    while (at > 0 && before(o, v, o->heap[(at - 1) / 2])) {
        put(o, at, o->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(o, at, v);
}

static void sink(kst_order *o, uint32_t at) {
    uint32_t v = o->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= o->heap_count) break;
        if (child + 1 < o->heap_count && before(o, o->heap[child + 1], o->heap[child])) ++child;
        if (!before(o, o->heap[child], v)) break;
        put(o, at, o->heap[child]);
        at = child;
    }
    put(o, at, v);
}

void kst_queue_begin(kst_order *o) {
    o->heap_count = o->vertex_count;
    for (uint32_t v = 0; v < o->vertex_count; ++v) put(o, v, v);
    kst_queue_all_changed(o);
}

void kst_queue_all_changed(kst_order *o) {
    for (uint32_t at = o->heap_count; at-- > 0;) sink(o, at);
}

void kst_queue_changed(kst_order *o, uint32_t v) {
    rise(o, o->heap_at[v]);
    sink(o, o->heap_at[v]);
}

void kst_queue_top_changed(kst_order *o) {
    sink(o, 0);
}

void kst_queue_add(kst_order *o, uint32_t v) {
    put(o, o->heap_count++, v);
    rise(o, o->heap_at[v]);
}

void kst_queue_remove(kst_order *o, uint32_t v) {
    uint32_t at = o->heap_at[v], last = o->heap[--o->heap_count];
    o->heap_at[v] = KST_NONE;
    if (last == v) return;
    put(o, at, last);
    kst_queue_changed(o, last);
}
