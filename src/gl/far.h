// SPDX-License-Identifier: MIT
// Far textures: pages of 256 x 256 texels with mips, cut into blocks of 8, 16, 32 or 64, one a piece. All blocks of a
// page have one size.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"
#include "karst/tile.h"

enum {
    KST_FAR_PAGE = 256,
    KST_FAR_LOG2_MAX = 6,  // of a block
    KST_FAR_SIDE_MAX = 1 << KST_FAR_LOG2_MAX,
    KST_FAR_MIPS = KST_FAR_LOG2_MAX + 1,
    KST_FAR_BLOCKS = (KST_FAR_PAGE / 8) * (KST_FAR_PAGE / 8),
    KST_FAR_PAGE_BYTES = 4 * (KST_FAR_PAGE * KST_FAR_PAGE * 4 - 16) / 3,
};

typedef struct kst_far_page {
    uint8_t log2;  // of its blocks; 0: none are taken
    uint16_t used;
    uint64_t taken[KST_FAR_BLOCKS / 64];  // bits
} kst_far_page;

typedef struct kst_far {
    GLuint texture;      // another one after it grew
    kst_far_page *page;  // as many as there are layers
    int32_t page_room, page_most;
    uint64_t gives;  // blocks given back so far
    int32_t blocks;  // taken
} kst_far;

// No page yet. @param most_bytes of all pages
karst_status kst_far_make(kst_far *far, uint64_t most_bytes);
// Room for so many pages, or as many as there may be. False: no more than before
bool kst_far_grow(kst_far *far, int32_t pages);
void kst_far_free(kst_far *far);
// A block of 2^log2 texels a side: 1 + (page << 10 | y / 8 << 5 | x / 8), or 0 when there is no room within the budget.
uint32_t kst_far_take(kst_far *far, int log2);
// Give it back; 0 is allowed.
void kst_far_give(kst_far *far, uint32_t block);
// Fill a block with sRGB colours and what is in alpha; mips are made. texels: 2^log2 a side; taken to pieces.
void kst_far_put(kst_far *far, uint32_t block, int log2, uint8_t (*texels)[4]);
