// SPDX-License-Identifier: MIT
// The cut: which chunks are drawn. Rules 2 and 3 of docs/lod.md.
//
// The tree is walked level by level, coarse first, so that what a tight residency leaves out is always the finest:
// a cut stopped anywhere is still a cut whose neighbours fit. Where an eye looks only marks who is seen: the cut is the
// same.
#include <math.h>

#include "lod.h"

// Levels of freedom a corner wins for each share of the split distance that the eye is away from it.
static const float pinch = 8.0f;

karst_status kst_cut_create(kst_cut *cut, const kst_tree *tree, const karst_allocator *allocator) {
    *cut = (kst_cut){.tree = *tree, .apart = 2, .allocator = allocator};
    memcpy(cut->split, tree->nodes, sizeof cut->split);
    for (int level = 0; level < tree->level_count; ++level) {
        size_t count = (size_t)tree->grid_x[level] * (size_t)tree->grid_z[level];
        cut->marks[level] = kst_alloc_zero(allocator, count * sizeof(kst_mark));
        if (!cut->marks[level]) {
            kst_cut_destroy(cut);
            return KARST_ERROR_MEMORY;
        }
    }
    return KARST_OK;
}

void kst_cut_destroy(kst_cut *cut) {
    for (int level = 0; level < cut->tree.level_count; ++level)
        kst_free(cut->allocator, cut->marks[level],
                 (size_t)cut->tree.grid_x[level] * (size_t)cut->tree.grid_z[level] * sizeof(kst_mark));
    kst_free(cut->allocator, cut->leaves, (size_t)cut->leaf_room * sizeof(kst_leaf));
    for (int k = 0; k < 2; ++k) kst_free(cut->allocator, cut->front[k], (size_t)cut->front_room[k] * sizeof(kst_leaf));
    kst_free(cut->allocator, cut->can, (size_t)cut->can_room);
    *cut = (kst_cut){0};
}

static karst_status grow(const karst_allocator *allocator, kst_leaf **list, int32_t *room, int32_t kept, int32_t need) {
    if (need <= *room) return KARST_OK;
    int32_t fresh_room = *room ? *room : 256;
    while (fresh_room < need) fresh_room *= 2;
    kst_leaf *fresh = kst_alloc_array(allocator, (size_t)fresh_room, sizeof(kst_leaf));
    if (!fresh) return KARST_ERROR_MEMORY;
    if (kept) memcpy(fresh, *list, (size_t)kept * sizeof(kst_leaf));
    kst_free(allocator, *list, (size_t)*room * sizeof(kst_leaf));
    *list = fresh;
    *room = fresh_room;
    return KARST_OK;
}

// Whether a node splits, and what its pinch does to the corners it touches. Beyond twice or half the distance at which
// it splits the pinch lets eight levels go, more than any corner there can be away.
static inline bool decide(const karst_node *n, int level, const kst_eye *eyes, int eye_count, kst_leaf *node) {
    if (!(n->error > 0)) return false;
    float allowed = kst_allowed_squared(n, eyes, eye_count), error = n->error * n->error;
    if (allowed >= 4 * error) return false;
    if (4 * allowed < error) return true;
    float ratio = sqrtf(allowed) / n->error;
    bool split = ratio < 1;
    float room = pinch * (split ? 1 / ratio - 1 : ratio - 1);
    node->cap = kst_less(node->cap, (float)level + room);
    if (split) node->floor = kst_more(node->floor, (float)level - room);
    return split;
}

static void add_leaf(kst_cut *cut, const kst_leaf *node, kst_mark *mark) {
    mark->leaf = cut->leaf_count;
    kst_leaf *leaf = &cut->leaves[cut->leaf_count++];
    *leaf = *node;
    leaf->floor = kst_more(leaf->floor, (float)leaf->level);
}

// Whether a leaf so many levels up touches a node that its children would be too far from it. With all that is wanted
// at hand none does when it splits.
static bool touches_much_coarser(const kst_cut *cut, const kst_leaf *node) {
    for (int z = -1; z <= 1; ++z)
        for (int x = -1; x <= 1; ++x) {
            const kst_leaf *beside = kst_cut_leaf(cut, node->level, node->x + x, node->z + z);
            if (beside && beside->level >= node->level + cut->apart) return true;
        }
    return false;
}

karst_status kst_cut_make(kst_cut *cut, const kst_eye *eyes, const kst_frustum *frusta, int eye_count, bool full,
                          kst_ready_fn *ready, void *context) {
    const kst_tree *tree = &cut->tree;
    const karst_allocator *allocator = cut->allocator;
    bool short_of = false;  // something wanted is not here
    cut->leaf_count = 0;
    cut->nodes_visited = 0;
    if (++cut->stamp == 0) {  // wrapped: old marks would look new
        for (int l = 0; l < tree->level_count; ++l)
            memset(cut->marks[l], 0, (size_t)tree->grid_x[l] * (size_t)tree->grid_z[l] * sizeof(kst_mark));
        cut->stamp = 1;
    }
    karst_status status = grow(allocator, &cut->front[0], &cut->front_room[0], 0, 1);
    if (status) return status;
    int32_t count = 1;
    uint16_t all = (uint16_t)((1u << eye_count) - 1);
    cut->front[0][0] = (kst_leaf){
        .level = tree->level_count - 1, .cap = INFINITY, .floor = -INFINITY, .seen = all, .whole = frusta ? 0 : all};
    for (int level = tree->level_count - 1, at = 0; level >= 0 && count; --level, at = !at) {
        status = grow(allocator, &cut->leaves, &cut->leaf_room, cut->leaf_count, cut->leaf_count + count);
        if (status) break;
        kst_leaf *front = cut->front[at];
        int32_t splits = 0, grid_x = tree->grid_x[level];
        cut->nodes_visited += count;
        // First who must split: those are gathered at the front of the list, the rest are leaves.
        for (int32_t k = 0; k < count; ++k) {
            kst_leaf node = front[k];
            int64_t index = (int64_t)node.z * grid_x + node.x;
            const karst_node *n = &tree->nodes[level][index];
            kst_mark *mark = &cut->marks[level][index];
            *mark = (kst_mark){cut->stamp, -1};
            if (node.seen != node.whole) kst_look(n, frusta, eye_count, &node);
            if (level > 0 && (full || decide(&cut->split[level][index], level, eyes, eye_count, &node)))
                front[splits++] = node;
            else
                add_leaf(cut, &node, mark);
        }
        if (!splits) break;
        if (ready) {
            if (splits > cut->can_room) {
                kst_free(allocator, cut->can, (size_t)cut->can_room);
                cut->can_room = 0;
                cut->can = kst_alloc(allocator, (size_t)splits);
                if (!cut->can) return KARST_ERROR_MEMORY;
                cut->can_room = splits;
            }
            bool *can = cut->can;
            status = ready(context, front, splits, can);
            if (status) return status;
            for (int32_t k = 0; k < splits; ++k) short_of |= !can[k];
            for (int32_t k = 0; k < splits && short_of; ++k) can[k] = can[k] && !touches_much_coarser(cut, &front[k]);
        }
        status = grow(allocator, &cut->front[!at], &cut->front_room[!at], 0, 4 * splits);
        if (status) break;
        count = 0;
        kst_leaf *next = cut->front[!at];
        int32_t gx = tree->grid_x[level - 1], gz = tree->grid_z[level - 1];
        for (int32_t k = 0; k < splits; ++k) {
            kst_leaf node = front[k];
            if (ready && !cut->can[k]) {
                node.awaited = true;
                add_leaf(cut, &node, &cut->marks[level][(int64_t)node.z * grid_x + node.x]);
                continue;
            }
            --node.level;
            for (int32_t z = 2 * front[k].z; z < 2 * front[k].z + 2 && z < gz; ++z)
                for (int32_t x = 2 * front[k].x; x < 2 * front[k].x + 2 && x < gx; ++x) {
                    node.x = x;
                    node.z = z;
                    next[count++] = node;
                }
        }
    }
    return status;
}
