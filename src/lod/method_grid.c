// SPDX-License-Identifier: MIT
// Method grid: the tree is cut where no chunk is needed finer, and each corner has the level that its own ground asks
// for. The cut is in cut.c, the corners in corner.c.
#include "method.h"

const karst_chunk_corners *kst_method_corners(void *context, const kst_leaf *leaf) {
    const kst_method *m = context;
    return &kst_method_chunk(m, kst_slots_find(&m->slots, leaf->level, leaf->x, leaf->z))->corners;
}

bool kst_method_sees(const kst_method *m, const kst_leaf *leaf, kst_source *source, kst_seen *seen) {
    float tight[6];
    bool skirt = kst_skirt_wants(&m->skirt, leaf->level, leaf->x, leaf->z);
    if (!leaf->seen && !skirt) return false;
    if (m->frusta && !karst_pack_chunk_bounds(m->pack, leaf->level, leaf->x, leaf->z, tight)) return false;
    *source = (kst_source){.level = leaf->level,
                           .x = leaf->x,
                           .z = leaf->z,
                           .slot = (uint16_t)kst_slots_find(&m->slots, leaf->level, leaf->x, leaf->z),
                           .awaited = leaf->awaited};
    const karst_chunk_corners *c = &kst_method_chunk(m, source->slot)->corners;
    *seen = kst_chunk_seen(c, m->frusta, m->eye_count, (kst_seen){leaf->seen, leaf->whole});
    return seen->seen != 0 || skirt;
}

void kst_method_give(kst_method *m, const kst_source *source, kst_seen seen, const float levels[KARST_CORNER_LANES],
                     float share) {
    const karst_chunk *chunk = kst_method_chunk(m, source->slot);
    const karst_chunk_corners *c = &chunk->corners;
    uint16_t there = kst_patches_there(chunk, source->level);
    if (kst_skirt_wants(&m->skirt, source->level, source->x, source->z))
        kst_skirt_keep(&m->skirt, source, there, levels);
    if (!seen.seen) return;
    int before = m->found.patch_count;
    for (int pz = 0; pz < KARST_CHUNK_PATCHES; ++pz)
        for (int px = 0; px < KARST_CHUNK_PATCHES; ++px) {
            if (!(there >> (pz * KARST_CHUNK_PATCHES + px) & 1)) continue;
            unsigned mask = kst_patch_seen(c, px, pz, m->frusta, m->eye_count, seen);
            if (mask) kst_found_patch(&m->found, source, px, pz, mask, levels);
        }
    if (m->found.patch_count > before) kst_found_source(&m->found, source, share);
}

void kst_method_full_levels(kst_method *m, const kst_cut *cut, const kst_leaf *leaf, const karst_chunk_corners *corners,
                            float levels[KARST_CORNER_LANES], float *share) {
    memset(levels, 0, KARST_CORNER_LANES * sizeof *levels);
    *share = 0;
    if (m->slots.all_open && m->all_wished && leaf->level == 0) return;
    kst_eye strict[KARST_VIEWS_MAX];  // eyes that allow no error
    for (int v = 0; v < m->eye_count; ++v) strict[v] = m->eyes[v], strict[v].slope = 0;
    float unused, allowed[KARST_CORNER_LANES];
    kst_corner_levels(cut, leaf, corners, strict, m->eye_count, kst_method_corners, m, levels, &unused);
    kst_corner_allowed(corners, m->eyes, m->eye_count, allowed);
    *share = kst_worst_share_of(corners, levels, allowed);
}

static void take_leaf(kst_method *m, const kst_leaf *leaf) {
    kst_source source;
    kst_seen seen;
    if (!kst_method_sees(m, leaf, &source, &seen)) return;
    float levels[KARST_CORNER_LANES], share;
    const karst_chunk_corners *corners = &kst_method_chunk(m, source.slot)->corners;
    if (m->full)
        kst_method_full_levels(m, &m->cut, leaf, corners, levels, &share);
    else
        kst_corner_levels(&m->cut, leaf, corners, m->eyes, m->eye_count, kst_method_corners, m, levels, &share);
    if (m->seam && kst_seam_take(m->seam, &m->cut, leaf, levels))
        share = kst_worst_share(corners, m->eyes, m->eye_count, levels);
    kst_method_give(m, &source, seen, levels, share);
}

karst_status kst_method_grid(kst_method *m) {
    karst_status status = kst_method_cut(m, &m->cut);
    if (status || m->wishing) return status;
    status = kst_found_reserve(&m->found, m->cut.leaf_count);
    for (int k = 0; k < m->cut.leaf_count && !status; ++k) take_leaf(m, &m->cut.leaves[k]);
    return status;
}
