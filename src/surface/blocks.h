// SPDX-License-Identifier: MIT
// Blocks: how a rectangle of samples falls on chunks. A sample belongs to one block of `side` x `side`; it is stored in
// the chunk of that name and, on the borders of chunks, in up to three more before it.
#pragma once
#include "surface/pages.h"

static inline int32_t kst_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static inline int32_t kst_most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static inline bool kst_rect_fits(karst_rect r, int32_t width, int32_t height) {
    return r.x0 >= 0 && r.x0 <= r.x1 && r.x1 <= width && r.z0 >= 0 && r.z0 <= r.z1 && r.z1 <= height;
}
static inline bool kst_rect_is_empty(karst_rect r) {
    return r.x0 == r.x1 || r.z0 == r.z1;
}
// Index of a sample in the caller's array.
static inline size_t kst_rect_at(karst_rect r, int stride, int32_t i, int32_t j) {
    return (size_t)(j - r.z0) * (size_t)stride + (size_t)(i - r.x0);
}

// The part of rect in block (bx, bz).
static inline karst_rect kst_block_part(karst_rect r, int32_t side, int32_t bx, int32_t bz) {
    return (karst_rect){kst_most(r.x0, bx * side), kst_most(r.z0, bz * side), kst_least(r.x1, (bx + 1) * side),
                        kst_least(r.z1, (bz + 1) * side)};
}

// Loop over the blocks that a non-empty rect touches.
#define KST_FOR_BLOCKS(rect, side, bx, bz)                                      \
    for (int32_t bz = (rect).z0 / (side); bz <= ((rect).z1 - 1) / (side); ++bz) \
        for (int32_t bx = (rect).x0 / (side); bx <= ((rect).x1 - 1) / (side); ++bx)

// The page of a block to read from: the samples past the last block lie in the last chunk.
static inline karst_status kst_block_page(karst_field *field, int32_t bx, int32_t bz, kst_page **out) {
    return kst_page_get(field, kst_least(bx, field->chunks_x - 1), kst_least(bz, field->chunks_z - 1), out);
}

// The pinned chunks that hold some of a block's part, and what of it each holds.
typedef struct kst_pinned {
    kst_page *page[4];
    karst_rect share[4];
    int count;
} kst_pinned;

// Pin all chunks that a write of `part` touches, before a sample of any changes: so their copies stay equal bit for
// bit even when the store fails. ready (NULL: nothing to do) makes room in each. On an error none stays pinned.
karst_status kst_block_pin(karst_field *field, karst_rect part, int32_t side, int32_t bx, int32_t bz,
                           karst_status (*ready)(karst_field *field, kst_page *page), kst_pinned *out);
void kst_block_put(karst_field *field, const kst_pinned *pinned);
