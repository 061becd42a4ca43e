// SPDX-License-Identifier: MIT
// Found: the patches that a method chose for a frame, in the order in which it came upon them.
#pragma once
#include "lod.h"

// About which end of an axis an image is mirrored.
typedef enum kst_mirror { KST_MIRROR_NONE, KST_MIRROR_LOW, KST_MIRROR_HIGH } kst_mirror;

// A chunk that patches were taken from, or an image of it.
typedef struct kst_source {
    int32_t level, x, z;
    uint16_t slot;
    kst_mirror mirror_x, mirror_z;
    bool awaited;  // finer chunks are wanted in its place
} kst_source;

typedef struct kst_found {
    const karst_allocator *allocator;
    karst_patch *patches;
    uint8_t *lattices;  // of each patch, as karst_batch.lattice
    int32_t patch_count, patch_room;
    kst_source *sources;
    int32_t source_count, source_room;
    int32_t counts[KARST_LATTICE_COUNT];  // patches of each lattice
    float worst;                          // largest error, as share of the allowed
} kst_found;

void kst_found_begin(kst_found *found);
void kst_found_free(kst_found *found);
// Room for so many more chunks with all of their patches.
karst_status kst_found_reserve(kst_found *found, int32_t chunks);

// Which views see something: `seen` some of it, `whole` all of it; a view in neither sees nothing.
typedef struct kst_seen {
    unsigned seen, whole;
} kst_seen;

// The same for a chunk's own patches. frusta NULL: all is seen.
kst_seen kst_chunk_seen(const karst_chunk_corners *corners, const kst_frustum *frusta, int count, kst_seen reach);
// The views that see patch (px, pz) of the chunk.
unsigned kst_patch_seen(const karst_chunk_corners *corners, int px, int pz, const kst_frustum *frusta, int count,
                        kst_seen chunk);

// Bit 4 pz + px: patch (px, pz) of a chunk has a cell that is no hole. Coarser than level 0 a hole need not be one
// throughout, so all of them have.
uint16_t kst_patches_there(const karst_chunk *chunk, int level);

// Add patch (px, pz) of the source that kst_found_source() is called for next. levels: of the chunk's corners.
void kst_found_patch(kst_found *found, const kst_source *source, int px, int pz, unsigned mask,
                     const float levels[KARST_CORNER_LANES]);
// Close a chunk whose patches have been added. worst: its largest error, as share of the allowed.
void kst_found_source(kst_found *found, const kst_source *source, float worst);
