// SPDX-License-Identifier: MIT
// Box tree: nodes of sixteen boxes over things that lie anywhere. Items are put in an order in which sixteen that
// follow each other are near each other; a node is over sixteen of them, or over sixteen nodes. So no links are stored.
#pragma once
#include "surface/ray.h"

enum { KST_BOX_LEVELS = 8 };

typedef struct kst_box_tree {
    kst_node *node;  // level 0 first, the root last
    uint32_t *item;  // by place in the order
    uint32_t first[KST_BOX_LEVELS];
    uint32_t item_count, node_count;
    int level_count;  // 0: empty
} kst_box_tree;

// Boxes: low xyz, high xyz [m], kept by nobody. The same tree for the same boxes. @return KARST_ERROR_MEMORY
karst_status kst_box_tree_build(const float (*box)[6], uint32_t count, const karst_allocator *allocator,
                                kst_box_tree *out);
void kst_box_tree_free(kst_box_tree *tree, const karst_allocator *allocator);
size_t kst_box_tree_bytes(const kst_box_tree *tree);
// The box round all; false when there is nothing.
bool kst_box_tree_bounds(const kst_box_tree *tree, float out[6]);

// Where a walk through a tree stands: children left at each level.
typedef struct kst_box_walk {
    int level;
    uint32_t node, left[KST_BOX_LEVELS];
} kst_box_walk;

// Items over (x, z), relative to the boxes' origin; pad covers what was rounded. Begin with from 0; false: no more.
typedef struct kst_box_over {
    double x, z, pad;
    kst_box_walk walk;
} kst_box_over;
void kst_box_over_begin(kst_box_over *o, const kst_box_tree *tree, double x, double z, double pad);
bool kst_box_over_next(kst_box_over *o, const kst_box_tree *tree, uint32_t *place);

// Items that touch a box, relative to the boxes' origin, in their order; low and high have room for what was rounded.
typedef struct kst_box_near {
    double low[3], high[3];
    kst_box_walk walk;
} kst_box_near;
void kst_box_near_begin(kst_box_near *o, const kst_box_tree *tree, const double low[3], const double high[3]);
bool kst_box_near_next(kst_box_near *o, const kst_box_tree *tree, uint32_t *place);
