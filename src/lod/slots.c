// SPDX-License-Identifier: MIT
// Slots: decoded chunks under a fixed count.
#include "slots.h"

static size_t grid_count(const kst_tree *tree, int level) {
    return (size_t)tree->grid_x[level] * (size_t)tree->grid_z[level];
}

karst_status kst_slots_create(kst_slots *slots, const karst_pack *pack, const kst_tree *tree, int count,
                              karst_jobs *jobs, const karst_allocator *allocator) {
    *slots = (kst_slots){.pack = pack, .jobs = jobs, .allocator = allocator, .tree = *tree, .count = count};
    slots->slot = kst_alloc_zero(allocator, (size_t)count * sizeof *slots->slot);
    slots->fresh = kst_alloc_array(allocator, (size_t)count, sizeof *slots->fresh);
    bool ok = slots->slot && slots->fresh;
    for (int level = 0; level < tree->level_count && ok; ++level) {
        slots->where[level] = kst_alloc_array(allocator, grid_count(tree, level), sizeof(uint16_t));
        if (slots->where[level]) memset(slots->where[level], 0xFF, grid_count(tree, level) * sizeof(uint16_t));
        ok = slots->where[level] != NULL;
    }
    if (!ok) {
        kst_slots_destroy(slots);
        return KARST_ERROR_MEMORY;
    }
    for (int k = 0; k < count; ++k) slots->slot[k].level = -1;
    return KARST_OK;
}

void kst_slots_destroy(kst_slots *slots) {
    for (int k = 0; slots->slot && k < slots->count; ++k)
        kst_free(slots->allocator, slots->slot[k].chunk, sizeof(karst_chunk));
    kst_free(slots->allocator, slots->slot, (size_t)slots->count * sizeof *slots->slot);
    kst_free(slots->allocator, slots->fresh, (size_t)slots->count * sizeof *slots->fresh);
    for (int level = 0; level < slots->tree.level_count; ++level)
        kst_free(slots->allocator, slots->where[level], grid_count(&slots->tree, level) * sizeof(uint16_t));
    *slots = (kst_slots){0};
}

void kst_slots_begin(kst_slots *slots, int loads) {
    ++slots->update;
    slots->loads_left = loads;
}

static uint16_t *where_of(kst_slots *slots, int level, int32_t x, int32_t z) {
    return &slots->where[level][(int64_t)z * slots->tree.grid_x[level] + x];
}

// An empty slot, or the one unwanted for longest (ties: the lowest number); -1 when all are wanted now.
static int find_room(const kst_slots *slots) {
    int best = -1;
    uint32_t age = 0;
    for (int k = 0; k < slots->count; ++k) {
        if (slots->slot[k].level < 0) return k;
        uint32_t unwanted = slots->update - slots->slot[k].wanted;
        if (unwanted > age) {
            age = unwanted;
            best = k;
        }
    }
    return best;
}

static karst_status decode(int begin, int end, int worker, void *context) {
    (void)worker;
    const kst_slots *slots = context;
    for (int k = begin; k < end; ++k) {
        const kst_slot *s = &slots->slot[slots->fresh[k]];
        karst_status status = karst_pack_read_chunk(slots->pack, s->level, s->x, s->z, s->chunk);
        if (status) return status;
    }
    return KARST_OK;
}

karst_status kst_slots_want(kst_slots *slots, const kst_leaf *nodes, int count) {
    int fresh = 0;
    karst_status status = KARST_OK;
    // What is here already is wanted before room is made for the rest.
    for (int k = 0; k < count; ++k) {
        uint16_t here = *where_of(slots, nodes[k].level, nodes[k].x, nodes[k].z);
        if (here != KST_SLOT_NONE) slots->slot[here].wanted = slots->update;
    }
    for (int k = 0; k < count && slots->loads_left > 0; ++k) {
        uint16_t *where = where_of(slots, nodes[k].level, nodes[k].x, nodes[k].z);
        if (*where != KST_SLOT_NONE) continue;
        int room = find_room(slots);
        if (room < 0) break;
        kst_slot *s = &slots->slot[room];
        if (!s->chunk) s->chunk = kst_alloc(slots->allocator, sizeof(karst_chunk));
        if (!s->chunk) {
            status = KARST_ERROR_MEMORY;
            break;
        }
        if (s->level >= 0) *where_of(slots, s->level, s->x, s->z) = KST_SLOT_NONE;
        s->level = nodes[k].level;
        s->x = nodes[k].x;
        s->z = nodes[k].z;
        s->wanted = slots->update;
        s->untold = true;
        *where = (uint16_t)room;
        slots->fresh[fresh++] = (uint16_t)room;
        --slots->loads_left;
    }
    if (!status) status = kst_jobs_run(slots->jobs, fresh, 1, decode, slots, NULL, "chunks", 0, 1);
    for (int k = 0; k < fresh && status; ++k) {  // nothing undecoded stays behind
        kst_slot *s = &slots->slot[slots->fresh[k]];
        *where_of(slots, s->level, s->x, s->z) = KST_SLOT_NONE;
        s->level = -1;
        s->untold = false;
    }
    return status;
}
