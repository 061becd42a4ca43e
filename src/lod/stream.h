// SPDX-License-Identifier: MIT
// Streaming: which chunks of a world larger than memory are here, and which of them are shown. A state machine without
// clock, disk or thread, stepped tick by tick. See docs/stream.md.
//
//     absent -> wanted -> loading -> ready <-> shown
//       ^                   |  |       |  \       |
//       |                   |  |       v   v      v
//       |<--- evicted ------|--|----- leaving <---'      (wanted again: ready)
//       |<--- dropped ------'  |
//       |<--- retry --- failed, later
#pragma once
#include "lod.h"

typedef enum kst_kind { KST_VISUAL, KST_SIM, KST_KINDS } kst_kind;  // what is drawn; what queries near viewers use

typedef enum kst_stream_state {
    KST_ABSENT,   // not here and not wanted
    KST_WANTED,   // will be asked for when rate and memory let it
    KST_LOADING,  // asked for
    KST_READY,    // here and wanted
    KST_SHOWN,    // ready, and in the picture
    KST_LEAVING,  // here, wanted no more; goes when its memory is needed
    KST_FAILED,   // damaged: its parent is shown until somebody asks for a retry
    KST_LATER,    // its source has not got it yet
} kst_stream_state;

// A chunk, and the place in memory that is its own while it is loading or here: 0 .. limit[kind] - 1.
typedef struct kst_stream_chunk {
    kst_kind kind;
    int32_t slot, level, x, z;  // slot -1: it has none (failed)
} kst_stream_chunk;

// A node whose children should be shown in its place.
typedef struct kst_split {
    int32_t level, x, z;
    float urgency;  // higher is loaded earlier; never above its parent's
} kst_split;

// A level-0 chunk whose simulation data should be here.
typedef struct kst_sim_want {
    int32_t x, z;
    float urgency;
} kst_sim_want;

// How a load ended.
typedef enum kst_load_end {
    KST_LOAD_DONE,
    KST_LOAD_FAILED,   // damaged
    KST_LOAD_LATER,    // not there yet
    KST_LOAD_DROPPED,  // not for the chunk's sake: asked for again when it is still wanted
} kst_load_end;

typedef struct kst_arrival {
    kst_kind kind;
    int32_t slot;
    kst_load_end end;
    uint32_t bytes;  // KST_LOAD_DONE: what it takes, at most def.chunk_bytes
} kst_arrival;

typedef struct kst_stream_def {
    kst_tree tree;                    // nodes are not looked at
    int32_t limit[KST_KINDS];         // slots
    uint32_t chunk_bytes[KST_KINDS];  // most that one takes: what a load reserves
    const karst_allocator *allocator;
} kst_stream_def;

typedef struct kst_stream_in {
    const kst_split *splits;  // coarse level first; parents with their children
    int32_t split_count;
    const kst_sim_want *sims;
    int32_t sim_count;
    const kst_arrival *arrivals;  // in any order: it does not matter
    int32_t arrival_count;
    int apart;              // levels by which neighbours shown may differ at most; 0: any
    uint64_t memory_bytes;  // of all that is here or loading, both kinds
    uint64_t sim_bytes;     // of these, most for simulation data
    uint64_t rate_bytes;    // may be asked for in this tick; what is left, less than a chunk, counts in the next
} kst_stream_in;

// What a tick decided. Valid until the next tick. First evict, then load: requests may use the slots again.
typedef struct kst_stream_out {
    const kst_stream_chunk *requests, *evicted, *shown, *failed;  // failed: found so in this tick
    int32_t request_count, evicted_count, shown_count, failed_count;
    int32_t open_count;   // splits that are shown by their children
    int32_t awaited;      // wanted or loading
    int32_t kept_coarse;  // nodes that should split and do not since a child is damaged
    int32_t kept_later;   // ... since a child is not in the source yet
    int32_t left_out;     // splits that memory has no room for
    uint64_t bytes;       // of all that is here or loading
} kst_stream_out;

typedef struct kst_stream_item {
    int32_t level, x, z;  // level -1: free
    uint32_t bytes;
    uint32_t kept, opened;  // ticks in which it was last wanted, and shown by its children
    kst_stream_state state;
    bool arrived;
    kst_load_end end;
    uint32_t end_bytes;
    int32_t dependants;    // visuals: children that are loading or here
    int32_t older, newer;  // among those leaving
} kst_stream_item;

typedef struct kst_stream {
    kst_stream_def def;
    kst_stream_item *items;  // visuals, then sims
    int32_t item_count;
    int32_t *vacant[KST_KINDS];  // free items, the next to use last
    int32_t vacant_count[KST_KINDS];
    int32_t used[KST_KINDS];              // items that were ever used: the first ones
    int32_t *where[KARST_MAX_LEVEL + 1];  // item of a node, or what there is in place of one: see stream.c
    int32_t *sim_where;
    int32_t oldest, newest;  // of those leaving
    int32_t undecided;       // loads that failed before their parents arrived
    uint64_t *turns;         // arrivals in the order in which they are taken
    uint32_t tick;
    uint64_t bytes, credit;
    int32_t *order;  // of the splits, most urgent first
    int32_t order_room;
    struct kst_stream_wish *wishes;  // wanted and without item, most urgent first
    int32_t wish_count;
    kst_stream_chunk *requests, *evicted, *shown, *failed;
} kst_stream;

karst_status kst_stream_create(kst_stream *stream, const kst_stream_def *def);
void kst_stream_destroy(kst_stream *stream);

// Grow the lists for a tick with so many wants, which then cannot fail.
karst_status kst_stream_reserve(kst_stream *stream, int32_t splits, int32_t sims);

// One step. Cost: O(splits + slots), no allocation once the lists have grown.
// Errors: KARST_ERROR_MEMORY, and then nothing has changed.
karst_status kst_stream_tick(kst_stream *stream, const kst_stream_in *in, kst_stream_out *out);

// Let chunks in a state (KST_FAILED, KST_LATER) be asked for again.
void kst_stream_retry(kst_stream *stream, kst_stream_state state);

kst_stream_state kst_stream_state_of(const kst_stream *stream, kst_kind kind, int level, int32_t x, int32_t z);

// The slot of a chunk that is here; -1 when it is not.
static inline int kst_stream_slot(const kst_stream *s, int level, int32_t x, int32_t z) {
    int32_t at = s->where[level][(int64_t)z * s->def.tree.grid_x[level] + x];
    return at >= 0 && s->items[at].state >= KST_READY ? at : -1;
}

// Whether the last tick shows a node by its children.
static inline bool kst_stream_is_open(const kst_stream *s, int level, int32_t x, int32_t z) {
    int32_t at = s->where[level][(int64_t)z * s->def.tree.grid_x[level] + x];
    return at >= 0 && s->items[at].opened == s->tick;
}
