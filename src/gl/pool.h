// SPDX-License-Identifier: MIT
// Pool: runs of rows of 16 bytes in one storage buffer, which grows.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"

typedef struct kst_rows {
    uint32_t first, count;  // count 0: none
} kst_rows;

typedef struct kst_pool {
    GLuint buffer;                      // another one after it grew
    uint32_t room;                      // rows
    kst_rows *gaps;                     // in order of place; no two touch
    size_t gap_count, gap_room, taken;  // taken: runs that somebody has
} kst_pool;

void kst_pool_destroy(kst_pool *pool);
// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT when the device has no larger buffer; *out is then none
karst_status kst_pool_take(kst_pool *pool, uint32_t count, kst_rows *out);
// Give a run back; none is allowed.
void kst_pool_give(kst_pool *pool, kst_rows *rows);
// Write bytes, from `offset` bytes into the buffer on.
void kst_pool_write(const kst_pool *pool, uint64_t offset, const void *bytes, size_t size);
static inline void kst_pool_put(const kst_pool *pool, uint32_t first, uint32_t count, const void *rows) {
    kst_pool_write(pool, (uint64_t)first * 16, rows, (size_t)count * 16);
}
