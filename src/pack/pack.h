// SPDX-License-Identifier: MIT
// An open pack, as the parts of this room see it.
#pragma once
#include <stdatomic.h>

#include "karst/pack.h"
#include "pack/format.h"

typedef struct kst_pack_ground kst_pack_ground;

// Decoders that nobody uses at the moment. Whoever decodes takes one or makes one, and puts it back; no locks.
typedef struct kst_decoder_rack {
    _Atomic(kst_record_coder *) place[16];
} kst_decoder_rack;

// Decoded records that are kept (family.c).
typedef struct kst_family kst_family;
typedef struct kst_family_shelf kst_family_shelf;

struct karst_pack {
    karst_pack_def def;        // report NULL: it was for opening only
    kst_map file;              // of a partial file: all that it will be
    _Atomic uint64_t present;  // bytes of it that are there
    int growing;               // its descriptor while it may grow, else -1
    uint32_t version;
    kst_directory directory;
    void *samples[KST_PACK_MAPS_MAX];  // of the maps decoded so far
    kst_record_tables *tables;
    kst_record_slots *slots;
    kst_decoder_rack *rack;
    kst_family_shelf *shelf;
    kst_pack_ground *ground;
};

// ground.c: made at open, no chunk decoded yet.
karst_status kst_pack_ground_create(karst_pack *pack, kst_pack_ground **out);
void kst_pack_ground_destroy(kst_pack_ground *ground, const karst_allocator *allocator);
const karst_ground *kst_pack_ground_of(const kst_pack_ground *ground);
karst_status kst_pack_ground_hold(kst_pack_ground *ground, int32_t x, int32_t z);
void kst_pack_ground_drop(kst_pack_ground *ground, int32_t x, int32_t z);
size_t kst_pack_ground_chunk_bytes(void);

// family.c: the chunks of a record, its ancestors' records decoded as needed. They stay until dropped.
karst_status kst_family_shelf_create(const karst_pack_def *def, kst_family_shelf **out);
void kst_family_shelf_destroy(kst_family_shelf *shelf, const karst_allocator *allocator);
karst_status kst_family_get(const karst_pack *pack, size_t record, kst_family **out);
void kst_family_drop(const karst_pack *pack, kst_family *family);
const karst_chunk *kst_family_chunk(const kst_family *family, int child);

// Check and decode one record, its parent being there; record 0 has none and gives one chunk.
karst_status kst_pack_decode_record(const karst_pack *pack, size_t record, kst_record_place place,
                                    const karst_chunk *parent, karst_chunk chunks[4]);
// Is a record there, its checksum right?
karst_status kst_pack_record_status(const karst_pack *pack, size_t record);

// The bytes of a part, once they are there, when their checksum and the zeros behind them are as they should be.
karst_status kst_pack_part(const karst_pack *pack, const kst_pack_span *span, const uint8_t **out);

// Do header, directory and tables still hash to what they should?
bool kst_pack_front_is_sound(const karst_pack *pack);

// Number of a chunk in the directory.
static inline size_t kst_pack_chunk_index(const karst_pack *pack, int level, int32_t x, int32_t z) {
    const kst_directory *d = &pack->directory;
    KARST_ASSERT(level >= 0 && level < d->level_count);
    KARST_ASSERT(x >= 0 && x < d->chunks_x[level] && z >= 0 && z < d->chunks_z[level]);
    return d->first[level] + (size_t)z * (size_t)d->chunks_x[level] + (size_t)x;
}
