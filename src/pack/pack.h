// SPDX-License-Identifier: MIT
// An open pack, as the parts of this room see it.
#pragma once
#include <stdatomic.h>

#include "karst/pack.h"
#include "pack/format.h"

typedef struct kst_pack_ground kst_pack_ground;

// Decoders that nobody uses at the moment. Whoever reads a chunk takes one or makes one, and puts it back; no locks.
typedef struct kst_decoder_rack {
    _Atomic(kst_chunk_decoder *) place[16];
} kst_decoder_rack;

struct karst_pack {
    karst_pack_def def;        // report NULL: it was for opening only
    kst_map file;              // of a partial file: all that it will be
    _Atomic uint64_t present;  // bytes of it that are there
    int growing;               // its descriptor while it may grow, else -1
    kst_directory directory;
    void *samples[KST_PACK_MAPS_MAX];  // of the maps decoded so far
    kst_decoder_rack *rack;
    kst_pack_ground *ground;
};

// ground.c: made at open, no chunk decoded yet.
karst_status kst_pack_ground_create(karst_pack *pack, kst_pack_ground **out);
void kst_pack_ground_destroy(kst_pack_ground *ground, const karst_allocator *allocator);
const karst_ground *kst_pack_ground_of(const kst_pack_ground *ground);
karst_status kst_pack_ground_hold(kst_pack_ground *ground, int32_t x, int32_t z);
void kst_pack_ground_drop(kst_pack_ground *ground, int32_t x, int32_t z);
size_t kst_pack_ground_chunk_bytes(void);

// Do header and directory still hash to what the header says?
bool kst_pack_front_is_sound(const karst_pack *pack);

// Number of a chunk in the directory.
static inline size_t kst_pack_chunk_index(const karst_pack *pack, int level, int32_t x, int32_t z) {
    const kst_directory *d = &pack->directory;
    KARST_ASSERT(level >= 0 && level < d->level_count);
    KARST_ASSERT(x >= 0 && x < d->chunks_x[level] && z >= 0 && z < d->chunks_z[level]);
    return d->first[level] + (size_t)z * (size_t)d->chunks_x[level] + (size_t)x;
}
