// SPDX-License-Identifier: MIT
// An open pack, as the parts of this room see it.
#pragma once
#include "karst/pack.h"
#include "pack/format.h"

struct karst_pack {
    karst_pack_def def;  // report NULL: it was for opening only
    kst_map file;
    kst_directory directory;
    void *samples[KST_PACK_MAPS_MAX];  // of the maps decoded so far
};

// Number of a chunk in the directory.
static inline size_t kst_pack_chunk_index(const karst_pack *pack, int level, int32_t x, int32_t z) {
    const kst_directory *d = &pack->directory;
    KARST_ASSERT(level >= 0 && level < d->level_count);
    KARST_ASSERT(x >= 0 && x < d->chunks_x[level] && z >= 0 && z < d->chunks_z[level]);
    return d->first[level] + (size_t)z * (size_t)d->chunks_x[level] + (size_t)x;
}
