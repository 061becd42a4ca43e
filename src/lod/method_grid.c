// SPDX-License-Identifier: MIT
// Method grid: the tree is cut where no chunk is needed finer, and each corner has the level that its own ground asks
// for. The cut is in cut.c, the corners in corner.c.
#include "method.h"

karst_status kst_method_ready(void *context, const kst_leaf *nodes, int count, bool *ready) {
    kst_method *m = context;
    kst_slots *slots = &m->slots;
    const kst_tree *tree = &m->cut.tree;
    karst_status status = kst_method_want_room(m, 4 * count);
    if (status) return status;
    int wanted = 0;
    for (int k = 0; k < count; ++k)
        for (int c = 0; c < 4; ++c) {
            int level = nodes[k].level - 1, x = 2 * nodes[k].x + (c & 1), z = 2 * nodes[k].z + (c >> 1);
            if (x < tree->grid_x[level] && z < tree->grid_z[level])
                m->wanted[wanted++] = (kst_leaf){.level = level, .x = x, .z = z};
        }
    status = kst_slots_want(slots, m->wanted, wanted);
    if (status) return status;
    for (int k = 0, at = 0; k < count; ++k) {
        ready[k] = true;
        for (; at < wanted && m->wanted[at].x >> 1 == nodes[k].x && m->wanted[at].z >> 1 == nodes[k].z; ++at)
            if (kst_slots_find(slots, m->wanted[at].level, m->wanted[at].x, m->wanted[at].z) == KST_SLOT_NONE) {
                ready[k] = false;
                ++m->awaited;
            }
    }
    return KARST_OK;
}

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
                           .slot = (uint16_t)kst_slots_find(&m->slots, leaf->level, leaf->x, leaf->z)};
    const karst_chunk_corners *c = &kst_method_chunk(m, source->slot)->corners;
    *seen = kst_chunk_seen(c, m->frusta, m->eye_count, (kst_seen){leaf->seen, leaf->whole});
    return seen->seen != 0 || skirt;
}

void kst_method_give(kst_method *m, const kst_source *source, kst_seen seen, const float levels[KARST_CORNER_LANES],
                     float share) {
    if (kst_skirt_wants(&m->skirt, source->level, source->x, source->z))
        kst_skirt_keep(&m->skirt, source, 0xFFFF, levels);
    if (!seen.seen) return;
    const karst_chunk_corners *c = &kst_method_chunk(m, source->slot)->corners;
    int before = m->found.patch_count;
    for (int pz = 0; pz < KARST_CHUNK_PATCHES; ++pz)
        for (int px = 0; px < KARST_CHUNK_PATCHES; ++px) {
            unsigned mask = kst_patch_seen(c, px, pz, m->frusta, m->eye_count, seen);
            if (mask) kst_found_patch(&m->found, source, px, pz, mask, levels);
        }
    if (m->found.patch_count > before) kst_found_source(&m->found, source, share);
}

static void take_leaf(kst_method *m, const kst_leaf *leaf) {
    kst_source source;
    kst_seen seen;
    if (!kst_method_sees(m, leaf, &source, &seen)) return;
    float levels[KARST_CORNER_LANES] = {0}, share = 0;
    if (!m->full)
        kst_corner_levels(&m->cut, leaf, &kst_method_chunk(m, source.slot)->corners, m->eyes, m->eye_count,
                          kst_method_corners, m, levels, &share);
    kst_method_give(m, &source, seen, levels, share);
}

karst_status kst_method_grid(kst_method *m) {
    karst_status status = kst_cut_make(&m->cut, m->eyes, m->frusta, m->eye_count, m->full, kst_method_ready, m);
    if (!status) status = kst_found_reserve(&m->found, m->cut.leaf_count);
    for (int k = 0; k < m->cut.leaf_count && !status; ++k) take_leaf(m, &m->cut.leaves[k]);
    m->nodes_visited = m->cut.nodes_visited;
    return status;
}
