// SPDX-License-Identifier: MIT
// Slots: the chunks of a scene that are here. A method wishes; the state machine of stream.h decides what is loaded,
// shown and evicted; the loader decodes; and the slots hold what came.
//
//     kst_slots_begin, kst_slots_wish ... -> kst_slots_update -> kst_slots_is_open, kst_slots_find
#pragma once
#include "loader.h"

enum { KST_SLOT_NONE = 0xFFFF };

typedef struct kst_slot {
    int32_t level, x, z;  // level -1: empty
    karst_chunk *chunk;   // allocated when first used
    bool untold;          // filled, and no frame has said so yet
} kst_slot;

typedef struct kst_slots {
    karst_pack *pack;
    const karst_allocator *allocator;
    kst_tree tree;
    int32_t count, item_count;  // of slots; with those of simulation data
    kst_slot *slot;
    kst_stream stream;
    kst_loader loader;
    uint64_t memory_bytes, sim_bytes;
    uint64_t file_bytes, present_bytes;  // of the pack: it may still grow
    double ns_per_byte;                  // of decoding, as it has been lately
    // What is wished in this update.
    uint32_t update;
    uint32_t *wished[KARST_MAX_LEVEL + 1];  // update that wished a node split last; level 0: simulation data
    kst_split *splits;
    int32_t split_count, split_room;
    int32_t chunk_count;  // children of these
    kst_sim_want *sims;
    int32_t sim_count, sim_room;
    // What became of it.
    kst_stream_out out;
    bool all_open;              // all that is wished is shown
    kst_arrival *arrivals;      // working list
    kst_stream_chunk *damaged;  // found so since a frame told of it
    int32_t damaged_count;
} kst_slots;

typedef struct kst_slots_rate {
    uint64_t bytes;  // that may be asked for
    float ms;        // processor time that they may take, about; 0: any
    bool wait;       // until what is asked for is here
    int apart;       // levels by which neighbours may differ; 0: any
} kst_slots_rate;

// Bytes that a chunk takes in a slot.
static inline uint32_t kst_slots_chunk_bytes(void) {
    return sizeof(karst_chunk);
}

karst_status kst_slots_create(kst_slots *slots, karst_pack *pack, const kst_tree *tree, int count,
                              uint64_t memory_bytes, karst_jobs *jobs, const karst_allocator *allocator);
void kst_slots_destroy(kst_slots *slots);

void kst_slots_begin(kst_slots *slots);
// Whether more can be wished than memory holds anyway. Asked between levels.
bool kst_slots_have_room(const kst_slots *slots);
// Wish that a node be shown by its children; coarse levels first.
karst_status kst_slots_wish(kst_slots *slots, const kst_leaf *node, float urgency);
// Wish the simulation data of chunks within radius_m of an eye.
karst_status kst_slots_wish_sims(kst_slots *slots, const kst_eye *eyes, int eye_count, double radius_m);
// Take what came, ask for what is wished, and decide what is shown. The root is here when this succeeds.
// Errors: those of the root, and KARST_ERROR_MEMORY; what was here stays.
karst_status kst_slots_update(kst_slots *slots, const kst_slots_rate *rate);
// Ask again for chunks that were damaged.
void kst_slots_retry(kst_slots *slots);

// Whether a node is shown by its children.
static inline bool kst_slots_is_open(const kst_slots *slots, int level, int32_t x, int32_t z) {
    return kst_stream_is_open(&slots->stream, level, x, z);
}
// The slot of a chunk that is here, else KST_SLOT_NONE.
static inline int kst_slots_find(const kst_slots *slots, int level, int32_t x, int32_t z) {
    int slot = kst_stream_slot(&slots->stream, level, x, z);
    return slot < 0 ? KST_SLOT_NONE : slot;
}
