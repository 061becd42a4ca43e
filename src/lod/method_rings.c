// SPDX-License-Identifier: MIT
// Method rings: squares round the eyes. Radii and the walk are in rings.c; here it meets what is resident and seen.
#include <math.h>

#include "method.h"

// A chunk may be drawn when its parent is split, and so with all its siblings.
static karst_status want(void *context, const kst_leaf *chunks, int count, bool *here) {
    karst_status status = KARST_OK;
    for (int k = 0; k < count && !status; ++k) {
        kst_leaf parent = chunks[k];
        ++parent.level;
        parent.x >>= 1;
        parent.z >>= 1;
        status = kst_method_ready(context, &parent, 1, &here[k]);
    }
    return status;
}

// Corners that no drawn patch has do not count.
static float share_of(const karst_chunk_corners *c, const kst_ring_chunk *chunk, const kst_eye *eyes, int eye_count) {
    enum { N = KARST_CHUNK_PATCHES, C = KARST_CHUNK_CORNERS };
    bool used[KARST_CORNER_LANES] = {false};
    for (int k = 0; k < N * N; ++k)
        if (chunk->drawn >> k & 1) {
            int i = k / N * C + k % N;
            used[i] = used[i + 1] = used[i + C] = used[i + C + 1] = true;
        }
    float allowed[KARST_CORNER_LANES];
    kst_corner_allowed(c, eyes, eye_count, allowed);
    for (int i = 0; i < KARST_CORNER_LANES; ++i)
        if (!used[i]) allowed[i] = INFINITY;
    return kst_worst_share_of(c, chunk->levels, allowed);
}

static karst_status take(void *context, const kst_ring_chunk *chunk) {
    kst_method *m = context;
    float tight[6];
    if (m->wishing) return KARST_OK;
    if (m->frusta && !karst_pack_chunk_bounds(m->pack, chunk->level, chunk->x, chunk->z, tight)) return KARST_OK;
    kst_source source = {.level = chunk->level,
                         .x = chunk->x,
                         .z = chunk->z,
                         .slot = (uint16_t)kst_slots_find(&m->slots, chunk->level, chunk->x, chunk->z),
                         .awaited = chunk->awaited};
    unsigned drawn = chunk->drawn & kst_patches_there(kst_method_chunk(m, source.slot), chunk->level);
    if (kst_skirt_wants(&m->skirt, chunk->level, chunk->x, chunk->z))
        kst_skirt_keep(&m->skirt, &source, (uint16_t)drawn, chunk->levels);
    if (!chunk->seen) return KARST_OK;
    const karst_chunk_corners *c = &kst_method_chunk(m, source.slot)->corners;
    kst_seen seen = kst_chunk_seen(c, m->frusta, m->eye_count, (kst_seen){chunk->seen, chunk->whole});
    if (!seen.seen) return KARST_OK;
    karst_status status = kst_found_reserve(&m->found, 1);
    if (status) return status;
    int before = m->found.patch_count;
    for (int k = 0; k < KARST_CHUNK_PATCHES * KARST_CHUNK_PATCHES; ++k) {
        if (!(drawn >> k & 1)) continue;
        int px = k % KARST_CHUNK_PATCHES, pz = k / KARST_CHUNK_PATCHES;
        unsigned mask = kst_patch_seen(c, px, pz, m->frusta, m->eye_count, seen);
        if (mask) kst_found_patch(&m->found, &source, px, pz, mask, chunk->levels);
    }
    if (m->found.patch_count > before) kst_found_source(&m->found, &source, share_of(c, chunk, m->eyes, m->eye_count));
    return KARST_OK;
}

karst_status kst_method_rings(kst_method *m) {
    m->apart = 0;  // rings keep their own distance
    karst_status status = kst_rings_walk(&m->rings, m->eyes, m->frusta, m->eye_count, m->full, want, take, m);
    m->nodes_visited = m->rings.nodes_visited;
    return status;
}
