// SPDX-License-Identifier: MIT
// Slots: the chunks that a scene holds decoded. Least recently wanted leaves first; what this update wants stays.
#pragma once
#include "karst/jobs.h"
#include "karst/pack.h"
#include "lod.h"

enum { KST_SLOT_NONE = 0xFFFF };

typedef struct kst_slot {
    int32_t level, x, z;  // level -1: empty
    uint32_t wanted;      // update that wanted it last
    karst_chunk *chunk;   // allocated when first used
    bool untold;          // filled, and no frame has said so yet
} kst_slot;

typedef struct kst_slots {
    const karst_pack *pack;
    karst_jobs *jobs;
    const karst_allocator *allocator;
    kst_tree tree;
    int32_t count;
    kst_slot *slot;
    uint16_t *where[KARST_MAX_LEVEL + 1];  // slot of a node, KST_SLOT_NONE when absent
    uint16_t *fresh;                       // slots to decode, inside kst_slots_want
    uint32_t update;
    int32_t loads_left;
} kst_slots;

karst_status kst_slots_create(kst_slots *slots, const karst_pack *pack, const kst_tree *tree, int count,
                              karst_jobs *jobs, const karst_allocator *allocator);
void kst_slots_destroy(kst_slots *slots);
// Begin an update in which at most `loads` chunks may be decoded.
void kst_slots_begin(kst_slots *slots, int loads);
// Make nodes resident, in order, as far as loads and room go; a wanted one is kept through this update.
karst_status kst_slots_want(kst_slots *slots, const kst_leaf *nodes, int count);
static inline int kst_slots_find(const kst_slots *slots, int level, int32_t x, int32_t z) {
    return slots->where[level][(int64_t)z * slots->tree.grid_x[level] + x];
}
