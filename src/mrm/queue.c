// SPDX-License-Identifier: MIT
// The queue: a heap of vertices by key, ties by number, that knows where each vertex is. Four children a node, whose
// keys lie side by side.
#include "mrm/order.h"

enum { CHILDREN = 4 };

static void put(kst_order *o, uint32_t at, uint32_t v, float key) {
    o->heap[at] = v;
    o->heap_key[at] = key;
    o->heap_at[v] = at;
}

static bool before(const kst_order *o, uint32_t at, float key, uint32_t v) {
    return o->heap_key[at] < key || (o->heap_key[at] == key && o->heap[at] < v);
}

// Vertex v, to be put at `at` or above.
static void rise(kst_order *o, uint32_t at, uint32_t v) {
    float key = o->key[v];
    while (at > 0) {
        uint32_t above = (at - 1) / CHILDREN;
        if (before(o, above, key, v)) break;
        put(o, at, o->heap[above], o->heap_key[above]);
        at = above;
    }
    put(o, at, v, key);
}

// Vertex v, to be put at `at` or below.
static void sink(kst_order *o, uint32_t at, uint32_t v) {
    float key = o->key[v];
    for (;;) {
        uint32_t first = CHILDREN * at + 1, end = first + CHILDREN, least = first;
        if (first >= o->heap_count) break;
        if (end > o->heap_count) end = o->heap_count;
        for (uint32_t child = first + 1; child < end; ++child)
            if (before(o, child, o->heap_key[least], o->heap[least])) least = child;
        if (!before(o, least, key, v)) break;
        put(o, at, o->heap[least], o->heap_key[least]);
        at = least;
    }
    put(o, at, v, key);
}

void kst_queue_begin(kst_order *o) {
    o->heap_count = o->vertex_count;
    for (uint32_t v = 0; v < o->vertex_count; ++v) put(o, v, v, o->key[v]);
    kst_queue_all_changed(o);
}

void kst_queue_all_changed(kst_order *o) {
    for (uint32_t at = 0; at < o->heap_count; ++at) o->heap_key[at] = o->key[o->heap[at]];
    for (uint32_t at = o->heap_count; at-- > 0;) sink(o, at, o->heap[at]);
}

void kst_queue_changed(kst_order *o, uint32_t v) {
    rise(o, o->heap_at[v], v);
    sink(o, o->heap_at[v], v);
}

void kst_queue_top_changed(kst_order *o) {
    sink(o, 0, o->heap[0]);
}

void kst_queue_add(kst_order *o, uint32_t v) {
    rise(o, o->heap_count++, v);
}

void kst_queue_remove(kst_order *o, uint32_t v) {
    uint32_t at = o->heap_at[v], last = o->heap[--o->heap_count];
    o->heap_at[v] = KST_NONE;
    if (last == v) return;
    put(o, at, last, o->key[last]);
    kst_queue_changed(o, last);
}
