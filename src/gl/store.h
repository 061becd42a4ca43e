// SPDX-License-Identifier: MIT
// Store: what the shaders read of a pack: resident chunks, the chunks of a frame, bits of holes, look maps.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"
#include "gl/heap.h"
#include "karst/scene.h"

// Texture units; the same in every program.
enum {
    KST_UNIT_WORDS,
    KST_UNIT_CHUNKS,
    KST_UNIT_DEPEND,
    KST_UNIT_HOLE_TILE,
    KST_UNIT_HOLE_BITS,
    KST_UNIT_NORMAL_MAP,
    KST_UNIT_RELIEF_MAP,
    KST_UNIT_HEIGHT_MAP,
    KST_UNIT_HORIZON_MAP,
    KST_UNIT_WAVES,
    KST_UNIT_CELLS,
    KST_UNIT_COUNT
};

// Which chunk a slot holds, and where its words are; level -1: none.
typedef struct kst_label {
    int32_t level, column, row;
    kst_run run;
    bool fades;  // some of it is transparent
} kst_label;

typedef struct kst_store {
    karst_pack *pack;
    GLuint texture[KST_UNIT_COUNT];
    kst_heap heap;
    kst_label *label;
    float (*error)[KARST_PATCH_LEVELS + 1][KARST_CORNER_COUNT];  // of each slot [m], as in karst_chunk_corners
    int slot_room, slots_used;                                   // used: the highest that was filled, and one
    bool displaced;  // a chunk came whose vertices left their places sideways
    karst_chunk *scratch;
    uint32_t *words;  // of a chunk on its way into the heap
} kst_store;

karst_status kst_store_create(kst_store *store, karst_pack *pack, karst_report *report);
void kst_store_destroy(kst_store *store);
// Copy what the frame brings and draws from.
karst_status kst_store_update(kst_store *store, const karst_frame *frame);
void kst_store_bind(const kst_store *store);
