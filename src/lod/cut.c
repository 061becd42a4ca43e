// SPDX-License-Identifier: MIT
// The cut: which chunks are drawn. Rules 2 and 3 of docs/lod.md.
//
// The tree is walked level by level, coarse first, so that what a tight residency leaves out is always the finest:
// a cut stopped anywhere is still a cut whose neighbours fit. Nothing here knows where an eye looks.
#include <math.h>

#include "lod.h"

// Levels of freedom a corner wins for each share of the split distance that the eye is away from it.
static const float pinch = 8.0f;

karst_status kst_cut_create(kst_cut *cut, const kst_tree *tree, const karst_allocator *allocator) {
    *cut = (kst_cut){.tree = *tree, .allocator = allocator};
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
    kst_free(cut->allocator, cut->front, 2 * (size_t)cut->front_room * sizeof(kst_leaf));
    *cut = (kst_cut){0};
}

// Room for `need` nodes in each of the two fronts (one block), keeping the first, and for as many more leaves.
static karst_status reserve(kst_cut *cut, int32_t need) {
    if (need > cut->front_room) {
        int32_t room = cut->front_room ? cut->front_room : 256;
        while (room < need) room *= 2;
        kst_leaf *fresh = kst_alloc_array(cut->allocator, 2 * (size_t)room, sizeof(kst_leaf));
        if (!fresh) return KARST_ERROR_MEMORY;
        if (cut->front_room) memcpy(fresh, cut->front, (size_t)cut->front_room * sizeof(kst_leaf));
        kst_free(cut->allocator, cut->front, 2 * (size_t)cut->front_room * sizeof(kst_leaf));
        cut->front = fresh;
        cut->front_room = room;
    }
    if (cut->leaf_count + need > cut->leaf_room) {
        int32_t room = cut->leaf_room ? cut->leaf_room : 256;
        while (room < cut->leaf_count + need) room *= 2;
        kst_leaf *fresh = kst_alloc_array(cut->allocator, (size_t)room, sizeof(kst_leaf));
        if (!fresh) return KARST_ERROR_MEMORY;
        if (cut->leaf_count) memcpy(fresh, cut->leaves, (size_t)cut->leaf_count * sizeof(kst_leaf));
        kst_free(cut->allocator, cut->leaves, (size_t)cut->leaf_room * sizeof(kst_leaf));
        cut->leaves = fresh;
        cut->leaf_room = room;
    }
    return KARST_OK;
}

static inline float most(float a, float b) {
    return a > b ? a : b;
}
static inline float smaller(float a, float b) {
    return a < b ? a : b;
}

// Distance to the reach over the distance at which the node splits: below 1 it must.
static inline float split_ratio(const karst_node *n, const kst_eye *eyes, int eye_count) {
    float least = INFINITY;
    for (int v = 0; v < eye_count; ++v) {
        float x = most(most(n->reach_min[0] - eyes[v].x, eyes[v].x - n->reach_max[0]), 0);
        float y = most(most(n->reach_min[1] - eyes[v].y, eyes[v].y - n->reach_max[1]), 0);
        float z = most(most(n->reach_min[2] - eyes[v].z, eyes[v].z - n->reach_max[2]), 0);
        least = smaller(least, (x * x + y * y + z * z) * eyes[v].slope * eyes[v].slope);
    }
    return sqrtf(least) / n->error;
}

static void add_leaf(kst_cut *cut, const kst_leaf *node, kst_mark *mark) {
    mark->leaf = cut->leaf_count;
    kst_leaf *leaf = &cut->leaves[cut->leaf_count++];
    *leaf = *node;
    leaf->floor = most(leaf->floor, (float)leaf->level);
}

// Whether a leaf two or more levels up touches a node. With all that is wanted at hand none does when it splits.
static bool touches_much_coarser(const kst_cut *cut, const kst_leaf *node) {
    for (int z = -1; z <= 1; ++z)
        for (int x = -1; x <= 1; ++x) {
            const kst_leaf *beside = kst_cut_leaf(cut, node->level, node->x + x, node->z + z);
            if (beside && beside->level > node->level + 1) return true;
        }
    return false;
}

karst_status kst_cut_make(kst_cut *cut, const kst_eye *eyes, int eye_count, bool full, kst_ready_fn *ready,
                          void *context) {
    const kst_tree *tree = &cut->tree;
    bool *can = NULL, short_of = false;  // something wanted is not here
    int32_t can_room = 0;
    cut->leaf_count = 0;
    cut->nodes_visited = 0;
    if (++cut->stamp == 0) {  // wrapped: old marks would look new
        for (int l = 0; l < tree->level_count; ++l)
            memset(cut->marks[l], 0, (size_t)tree->grid_x[l] * (size_t)tree->grid_z[l] * sizeof(kst_mark));
        cut->stamp = 1;
    }
    karst_status status = reserve(cut, 1);
    if (status) return status;
    int32_t count = 1;
    cut->front[0] = (kst_leaf){tree->level_count - 1, 0, 0, INFINITY, -INFINITY};
    for (int level = tree->level_count - 1; level >= 0 && count; --level) {
        status = reserve(cut, 4 * count);
        if (status) break;
        kst_leaf *front = cut->front;
        int32_t splits = 0;
        cut->nodes_visited += count;
        // First who must split: those are gathered at the front of the list, the rest are leaves.
        for (int32_t k = 0; k < count; ++k) {
            kst_leaf node = front[k];
            int64_t index = (int64_t)node.z * tree->grid_x[level] + node.x;
            kst_mark *mark = &cut->marks[level][index];
            mark->stamp = cut->stamp;
            mark->leaf = -1;
            bool split = level > 0 && full;
            const karst_node *n = &tree->nodes[level][index];
            if (level > 0 && n->error > 0 && !full) {
                float ratio = split_ratio(n, eyes, eye_count);
                split = ratio < 1;
                float room = pinch * (split ? 1 / ratio - 1 : ratio - 1);
                node.cap = smaller(node.cap, (float)level + room);
                if (split) node.floor = most(node.floor, (float)level - room);
            }
            if (split)
                front[splits++] = node;
            else
                add_leaf(cut, &node, mark);
        }
        if (!splits) break;
        if (ready) {
            if (splits > can_room) {
                kst_free(cut->allocator, can, (size_t)can_room);
                can = kst_alloc(cut->allocator, (size_t)splits);
                can_room = can ? splits : 0;
                if (!can) {
                    status = KARST_ERROR_MEMORY;
                    break;
                }
            }
            status = ready(context, front, splits, can);
            if (status) break;
            for (int32_t k = 0; k < splits; ++k) short_of |= !can[k];
            for (int32_t k = 0; k < splits && short_of; ++k) can[k] = can[k] && !touches_much_coarser(cut, &front[k]);
        }
        count = 0;
        kst_leaf *next = front + cut->front_room;
        int32_t gx = tree->grid_x[level - 1], gz = tree->grid_z[level - 1];
        for (int32_t k = 0; k < splits; ++k) {
            kst_leaf node = front[k];
            if (ready && !can[k]) {
                add_leaf(cut, &node, &cut->marks[level][(int64_t)node.z * tree->grid_x[level] + node.x]);
                continue;
            }
            for (int32_t z = 2 * node.z; z < 2 * node.z + 2 && z < gz; ++z)
                for (int32_t x = 2 * node.x; x < 2 * node.x + 2 && x < gx; ++x)
                    next[count++] = (kst_leaf){level - 1, x, z, node.cap, node.floor};
        }
        memcpy(front, next, (size_t)count * sizeof *next);
    }
    kst_free(cut->allocator, can, (size_t)can_room);
    return status;
}
