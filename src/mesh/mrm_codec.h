// SPDX-License-Identifier: MIT
// What writer and reader of .kmrm share. See docs/mrm.md for every byte.
#pragma once
#include "mesh/mrm.h"

enum {
    KST_KMRM_VERSION = 1,
    KST_KMRM_HEAD = 104,    // bytes before the directory
    KST_KMRM_ENTRY = 40,    // of the directory
    KST_KMRM_BLOCKS = 64,   // at most
    KST_KMRM_RATIO = 1000,  // a block does not unpack to more times its size
    KST_KMRM_NORMALS = 1,
    KST_KMRM_COLOURS = 2,
    KST_KMRM_OLD_MOVES = 4,  // places in full, not read any more
    KST_KMRM_RIGHT = 8,
    KST_KMRM_MOVES = 16,
};
#define KST_KMRM_MAGIC 0x4d524d4bu

// One block: where the counts stand after it, and where it is.
typedef struct kst_kmrm_entry {
    uint32_t vertices, wedges, triangles, unused, packed, raw;
    uint64_t offset, hash;
} kst_kmrm_entry;

// Which corners (3 * triangle + corner) each wedge has, as lists, while the mesh is put together from coarse to fine.
typedef struct kst_mrm_net {
    uint32_t (*corner)[3];  // wedge of each
    uint32_t *head, *next;  // first corner of a wedge, and the one after; KST_NONE ends
    uint32_t *mark, stamp;  // of wedges
    uint32_t wedges, triangles;
} kst_mrm_net;

bool kst_mrm_net_begin(kst_mrm_net *net, uint32_t wedges, uint32_t triangles);  // false: no memory
void kst_mrm_net_end(kst_mrm_net *net);
void kst_mrm_net_add(kst_mrm_net *net, uint32_t triangle);  // its corners are set
// Wedges near the new wedges [from, to): parents, and what shares a triangle with them. Returns how many.
enum { KST_MRM_NEAR = 255 };
int kst_mrm_net_near(kst_mrm_net *net, const uint32_t *parent, uint32_t from, uint32_t to, uint32_t out[KST_MRM_NEAR]);

// A row of bytes that grows. After a failure `failed` stays set and nothing is added.
typedef struct kst_kmrm_row {
    uint8_t *at;
    size_t count, room;
    bool failed;
} kst_kmrm_row;
uint8_t *kst_kmrm_row_add(kst_kmrm_row *b, size_t count);  // NULL: no memory
void kst_kmrm_row_free(kst_kmrm_row *b);

// Bytes of `count` elements, first all first bytes, then all second ones...: they pack better.
void kst_split_bytes(const void *elements, size_t count, size_t bytes, uint8_t *out);
void kst_join_bytes(const uint8_t *split, size_t count, size_t bytes, void *elements);
