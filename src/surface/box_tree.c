// SPDX-License-Identifier: MIT
// Building box trees: halves along the longest axis, down to sixteen.
#include "surface/box_tree.h"

#include <math.h>

typedef struct spot {
    float middle[3];
    uint32_t item;
} spot;

static inline bool is_before(const spot *a, const spot *b, int axis) {
    return a->middle[axis] != b->middle[axis] ? a->middle[axis] < b->middle[axis] : a->item < b->item;
}

// The k least come first. C. A. R. Hoare, "Algorithm 65: Find", 1961.
static void find(spot *s, int64_t count, int64_t k, int axis) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        spot pivot = s[k];
        int64_t i = low, j = high;
        do {
            while (is_before(&s[i], &pivot, axis)) ++i;
            while (is_before(&pivot, &s[j], axis)) --j;
            if (i > j) break;
            spot t = s[i];
            s[i++] = s[j];
            s[j--] = t;
        } while (i <= j);
        if (j < k) low = i;
        if (k < i) high = j;
    }
}

static int longest_axis(const spot *s, uint32_t count) {
    float size[3];
    for (int a = 0; a < 3; ++a) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t k = 0; k < count; ++k) low = fminf(low, s[k].middle[a]), high = fmaxf(high, s[k].middle[a]);
        size[a] = high - low;
    }
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[2] >= size[1] ? 2 : 1;
}

// Halves of whole nodes: `group` items, a power of sixteen, fill a child of the node at hand.
static void order(spot *s, uint32_t count, uint32_t group) {
    while (group >= count) group /= 16;
    if (group <= 1) return;  // what is left goes into one node
    uint32_t half = (count + group - 1) / group / 2 * group;
    find(s, count, half, longest_axis(s, count));
    order(s, half, group);
    order(s + half, count - half, group);
}

static void fill(kst_box_tree *tree, const float (*box)[6]) {
    uint32_t below = tree->item_count;
    for (int level = 0; level < tree->level_count; ++level) {
        uint32_t count = (below + 15) / 16;
        for (uint32_t n = 0; n < count; ++n) {
            float child[16][6];
            uint32_t used = below - 16 * n < 16 ? below - 16 * n : 16;
            for (uint32_t c = 0; c < used; ++c) {
                if (level)
                    (void)kst_node_box(&tree->node[tree->first[level - 1] + 16 * n + c], child[c]);
                else
                    memcpy(child[c], box[tree->item[16 * n + c]], sizeof child[c]);
            }
            kst_node_fill(&tree->node[tree->first[level] + n], (const float(*)[6])child, (1u << used) - 1);
        }
        below = count;
    }
}

karst_status kst_box_tree_build(const float (*box)[6], uint32_t count, const karst_allocator *allocator,
                                kst_box_tree *out) {
    kst_box_tree tree = {.item_count = count};
    for (uint32_t n = count; n > 1 || (n == 1 && !tree.level_count);) {
        n = (n + 15) / 16;
        tree.first[tree.level_count++] = tree.node_count;
        tree.node_count += n;
    }
    *out = (kst_box_tree){0};
    if (!count) return KARST_OK;
    spot *s = kst_alloc_array(allocator, count, sizeof *s);
    tree.node = kst_alloc_array(allocator, tree.node_count, sizeof *tree.node);
    tree.item = kst_alloc_array(allocator, count, sizeof *tree.item);
    bool made = s && tree.node && tree.item;
    if (made) {
        for (uint32_t k = 0; k < count; ++k) {
            s[k].item = k;
            for (int a = 0; a < 3; ++a) s[k].middle[a] = 0.5f * (box[k][a] + box[k][a + 3]);
        }
        order(s, count, 1u << 28);
        for (uint32_t k = 0; k < count; ++k) tree.item[k] = s[k].item;
        fill(&tree, box);
    }
    kst_free(allocator, s, count * sizeof *s);
    if (made)
        *out = tree;
    else
        kst_box_tree_free(&tree, allocator);
    return made ? KARST_OK : KARST_ERROR_MEMORY;
}

void kst_box_tree_free(kst_box_tree *tree, const karst_allocator *allocator) {
    kst_free(allocator, tree->node, tree->node_count * sizeof *tree->node);
    kst_free(allocator, tree->item, tree->item_count * sizeof *tree->item);
    *tree = (kst_box_tree){0};
}

size_t kst_box_tree_bytes(const kst_box_tree *tree) {
    return tree->node_count * sizeof *tree->node + tree->item_count * sizeof *tree->item;
}

bool kst_box_tree_bounds(const kst_box_tree *tree, float out[6]) {
    return tree->level_count && kst_node_box(&tree->node[tree->node_count - 1], out);
}

// To the next item, in *at; or down to a node, whose children that are wanted the caller puts into left[level].
typedef enum step { STEP_END, STEP_ITEM, STEP_NODE } step;
static inline step walk_on(kst_box_walk *w, const kst_box_tree *tree, uint32_t *at) {
    if (!tree->level_count) return STEP_END;
    while (!w->left[w->level]) {
        if (++w->level == tree->level_count) {
            w->level = tree->level_count - 1;
            return STEP_END;
        }
        w->node /= 16;
    }
    uint32_t child = 16 * w->node + (uint32_t)__builtin_ctz(w->left[w->level]);
    w->left[w->level] &= w->left[w->level] - 1;
    if (!w->level) {
        *at = child;
        return STEP_ITEM;
    }
    w->node = child;
    --w->level;
    *at = tree->first[w->level] + child;
    return STEP_NODE;
}

void kst_box_over_begin(kst_box_over *o, const kst_box_tree *tree, double x, double z, double pad) {
    *o = (kst_box_over){.x = x, .z = z, .pad = pad, .walk.level = tree->level_count - 1};
    if (tree->level_count) o->walk.left[o->walk.level] = kst_node_over(&tree->node[tree->node_count - 1], x, z, pad);
}

bool kst_box_over_next(kst_box_over *o, const kst_box_tree *tree, uint32_t *place) {
    step next;
    while ((next = walk_on(&o->walk, tree, place)) == STEP_NODE)
        o->walk.left[o->walk.level] = kst_node_over(&tree->node[*place], o->x, o->z, o->pad);
    return next == STEP_ITEM;
}

void kst_box_near_begin(kst_box_near *o, const kst_box_tree *tree, const double low[3], const double high[3]) {
    *o = (kst_box_near){.walk.level = tree->level_count - 1};
    memcpy(o->low, low, sizeof o->low);
    memcpy(o->high, high, sizeof o->high);
    if (tree->level_count) o->walk.left[o->walk.level] = kst_node_near(&tree->node[tree->node_count - 1], low, high);
}

bool kst_box_near_next(kst_box_near *o, const kst_box_tree *tree, uint32_t *place) {
    step next;
    while ((next = walk_on(&o->walk, tree, place)) == STEP_NODE)
        o->walk.left[o->walk.level] = kst_node_near(&tree->node[*place], o->low, o->high);
    return next == STEP_ITEM;
}
