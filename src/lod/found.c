// SPDX-License-Identifier: MIT
// Found: the patches that a method chose for a frame.
#include "found.h"

void kst_found_begin(kst_found *found) {
    found->patch_count = found->source_count = 0;
    found->worst = 0;
    memset(found->counts, 0, sizeof found->counts);
}

void kst_found_free(kst_found *found) {
    const karst_allocator *a = found->allocator;
    kst_free(a, found->patches, (size_t)found->patch_room * sizeof *found->patches);
    kst_free(a, found->lattices, (size_t)found->patch_room);
    kst_free(a, found->sources, (size_t)found->source_room * sizeof *found->sources);
    *found = (kst_found){.allocator = a};
}

// Grow a list to hold `need`, keeping `kept`. False without memory; the list is then as before.
static bool grow(const karst_allocator *a, void **list, size_t size, int32_t room, int32_t fresh_room, int32_t kept) {
    void *fresh = kst_alloc_array(a, (size_t)fresh_room, size);
    if (!fresh) return false;
    if (kept) memcpy(fresh, *list, (size_t)kept * size);
    kst_free(a, *list, (size_t)room * size);
    *list = fresh;
    return true;
}

karst_status kst_found_reserve(kst_found *found, int32_t chunks) {
    enum { EACH = KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES };
    const karst_allocator *a = found->allocator;
    int32_t sources = found->source_count + chunks, patches = found->patch_count + chunks * EACH;
    if (sources > found->source_room) {
        int32_t room = sources > 2 * found->source_room ? sources : 2 * found->source_room;
        if (!grow(a, (void **)&found->sources, sizeof *found->sources, found->source_room, room, found->source_count))
            return KARST_ERROR_MEMORY;
        found->source_room = room;
    }
    if (patches > found->patch_room) {  // both lists or none: they share their room
        int32_t room = patches > 2 * found->patch_room ? patches : 2 * found->patch_room, old = found->patch_room;
        uint8_t *lattices = kst_alloc(a, (size_t)room);
        if (!lattices) return KARST_ERROR_MEMORY;
        if (!grow(a, (void **)&found->patches, sizeof *found->patches, old, room, found->patch_count)) {
            kst_free(a, lattices, (size_t)room);
            return KARST_ERROR_MEMORY;
        }
        if (found->patch_count) memcpy(lattices, found->lattices, (size_t)found->patch_count);
        kst_free(a, found->lattices, (size_t)old);
        found->lattices = lattices;
        found->patch_room = room;
    }
    return KARST_OK;
}

kst_seen kst_chunk_seen(const karst_chunk_corners *c, const kst_frustum *frusta, int count, kst_seen reach) {
    if (!frusta || reach.seen == reach.whole) return reach;
    float min[3], max[3];
    kst_chunk_box(c, min, max);
    kst_seen out = {reach.whole, reach.whole};
    for (int v = 0; v < count; ++v) {
        if ((reach.whole >> v & 1) || !(reach.seen >> v & 1)) continue;
        int in = kst_box_in(&frusta[v], min, max);
        out.seen |= (unsigned)(in > 0) << v;
        out.whole |= (unsigned)(in == 2) << v;
    }
    return out;
}

unsigned kst_patch_seen(const karst_chunk_corners *c, int px, int pz, const kst_frustum *frusta, int count,
                        kst_seen chunk) {
    if (chunk.seen == chunk.whole) return chunk.whole;
    const int i00 = pz * KARST_CHUNK_CORNERS + px, i10 = i00 + 1, i01 = i00 + KARST_CHUNK_CORNERS, i11 = i01 + 1;
    // A patch lies in the boxes of all its corners.
    const float min[3] = {kst_more(kst_more(c->min_x[i00], c->min_x[i10]), kst_more(c->min_x[i01], c->min_x[i11])),
                          kst_more(kst_more(c->min_y[i00], c->min_y[i10]), kst_more(c->min_y[i01], c->min_y[i11])),
                          kst_more(kst_more(c->min_z[i00], c->min_z[i10]), kst_more(c->min_z[i01], c->min_z[i11]))};
    const float max[3] = {kst_less(kst_less(c->max_x[i00], c->max_x[i10]), kst_less(c->max_x[i01], c->max_x[i11])),
                          kst_less(kst_less(c->max_y[i00], c->max_y[i10]), kst_less(c->max_y[i01], c->max_y[i11])),
                          kst_less(kst_less(c->max_z[i00], c->max_z[i10]), kst_less(c->max_z[i01], c->max_z[i11]))};
    unsigned mask = chunk.whole;
    for (int v = 0; v < count; ++v)
        if (!(mask >> v & 1) && (chunk.seen >> v & 1) && kst_box_in(&frusta[v], min, max)) mask |= 1u << v;
    return mask;
}

uint16_t kst_patches_there(const karst_chunk *chunk, int level) {
    if (level) return 0xFFFF;
    uint64_t ground[KARST_CHUNK_PATCHES] = {0};  // by row of patches
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) ground[j / KARST_PATCH_CELLS] |= ~chunk->hole[j];
    unsigned there = 0;
    for (int k = 0; k < KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES; ++k) {
        uint64_t part = ground[k / KARST_CHUNK_PATCHES] >> (k % KARST_CHUNK_PATCHES * KARST_PATCH_CELLS);
        there |= (unsigned)((part & 0xFFFF) != 0) << k;
    }
    return (uint16_t)there;
}

void kst_found_patch(kst_found *found, const kst_source *source, int px, int pz, unsigned mask,
                     const float levels[KARST_CORNER_LANES]) {
    const int i00 = pz * KARST_CHUNK_CORNERS + px, i10 = i00 + 1, i01 = i00 + KARST_CHUNK_CORNERS, i11 = i01 + 1;
    KARST_ASSERT(found->patch_count < found->patch_room);
    karst_patch *p = &found->patches[found->patch_count];
    *p = (karst_patch){.slot = source->slot,
                       .patch_x = (uint8_t)px,
                       .patch_z = (uint8_t)pz,
                       .chunk_index = (uint16_t)found->source_count,
                       .view_mask = (uint16_t)mask,
                       .corner_level = {levels[i00], levels[i10], levels[i11], levels[i01]}};
    int parity = (source->x * KARST_CHUNK_PATCHES + px + source->z * KARST_CHUNK_PATCHES + pz) & 1;
    int lattice = kst_patch_lattice(p->corner_level, parity);
    found->lattices[found->patch_count++] = (uint8_t)lattice;
    ++found->counts[lattice];
}

void kst_found_source(kst_found *found, const kst_source *source, float worst) {
    KARST_ASSERT(found->source_count < found->source_room);
    found->sources[found->source_count++] = *source;
    found->worst = kst_more(found->worst, worst);
}
