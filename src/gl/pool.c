// SPDX-License-Identifier: MIT
// Pool: the first gap that is long enough is taken; what is given back joins the gaps that it touches.
#include "gl/pool.h"

#include <stdlib.h>

enum { ROWS_FIRST = 1 << 16 };

void kst_pool_destroy(kst_pool *pool) {
    glDeleteBuffers(1, &pool->buffer);
    free(pool->gaps);
    *pool = (kst_pool){0};
}

// Put a gap into the list, which has room for it.
static void add_gap(kst_pool *pool, kst_rows gap) {
    size_t k = 0;
    while (k < pool->gap_count && pool->gaps[k].first < gap.first) ++k;
    bool joins_last = k && pool->gaps[k - 1].first + pool->gaps[k - 1].count == gap.first;
    bool joins_next = k < pool->gap_count && gap.first + gap.count == pool->gaps[k].first;
    if (joins_last && joins_next) {
        pool->gaps[k - 1].count += gap.count + pool->gaps[k].count;
        memmove(pool->gaps + k, pool->gaps + k + 1, (--pool->gap_count - k) * sizeof *pool->gaps);
    } else if (joins_last) {
        pool->gaps[k - 1].count += gap.count;
    } else if (joins_next) {
        pool->gaps[k].first = gap.first, pool->gaps[k].count += gap.count;
    } else {
        memmove(pool->gaps + k + 1, pool->gaps + k, (pool->gap_count++ - k) * sizeof *pool->gaps);
        pool->gaps[k] = gap;
    }
}

// Between runs that are taken, before and behind them: so many gaps there may be, and one more while it grows.
static bool room_for_gaps(kst_pool *pool) {
    if (pool->taken + 3 <= pool->gap_room) return true;
    size_t room = pool->gap_room ? 2 * pool->gap_room : 64;
    kst_rows *gaps = realloc(pool->gaps, room * sizeof *gaps);
    if (!gaps) return false;
    pool->gaps = gaps;
    pool->gap_room = room;
    return true;
}

static karst_status grow(kst_pool *pool, uint32_t count) {
    GLint64 most = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &most);
    uint64_t room = pool->room ? pool->room : ROWS_FIRST;
    while (room < (uint64_t)pool->room + count) room *= 2;
    if (room * 16 > (uint64_t)most) return KARST_ERROR_LIMIT;
    GLuint next;
    glCreateBuffers(1, &next);
    glNamedBufferStorage(next, (GLsizeiptr)room * 16, NULL, GL_DYNAMIC_STORAGE_BIT | GL_MAP_WRITE_BIT);
    GLint64 made = 0;
    glGetNamedBufferParameteri64v(next, GL_BUFFER_SIZE, &made);
    if (made != (GLint64)room * 16) {
        glDeleteBuffers(1, &next);
        return KARST_ERROR_LIMIT;
    }
    if (pool->room) {
        glFinish();  // as in kst_pool_write()
        glCopyNamedBufferSubData(pool->buffer, next, 0, 0, (GLsizeiptr)pool->room * 16);
    }
    glDeleteBuffers(1, &pool->buffer);
    pool->buffer = next;
    add_gap(pool, (kst_rows){pool->room, (uint32_t)room - pool->room});
    pool->room = (uint32_t)room;
    return KARST_OK;
}

karst_status kst_pool_take(kst_pool *pool, uint32_t count, kst_rows *out) {
    *out = (kst_rows){0};
    if (!room_for_gaps(pool)) return KARST_ERROR_MEMORY;
    size_t k = 0;
    while (k < pool->gap_count && pool->gaps[k].count < count) ++k;
    if (k == pool->gap_count) {
        karst_status status = grow(pool, count);
        if (status) return status;
        for (k = 0; pool->gaps[k].count < count;) ++k;
    }
    ++pool->taken;
    *out = (kst_rows){pool->gaps[k].first, count};
    pool->gaps[k].first += count;
    pool->gaps[k].count -= count;
    if (!pool->gaps[k].count) memmove(pool->gaps + k, pool->gaps + k + 1, (--pool->gap_count - k) * sizeof *pool->gaps);
    return KARST_OK;
}

void kst_pool_give(kst_pool *pool, kst_rows *rows) {
    if (!rows->count) return;
    --pool->taken;
    add_gap(pool, *rows);
    *rows = (kst_rows){0};
}

// By a mapping: one driver (NVIDIA, H200) loses words that glNamedBufferSubData() writes between large pieces of the
// same buffer, in most runs of gl.test_zones.
void kst_pool_write(const kst_pool *pool, uint64_t offset, const void *bytes, size_t size) {
    const GLbitfield access = GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_RANGE_BIT;
    void *at = glMapNamedBufferRange(pool->buffer, (GLintptr)offset, (GLsizeiptr)size, access);
    if (at) memcpy(at, bytes, size);
    if (!at || !glUnmapNamedBuffer(pool->buffer))  // not to be mapped, or lost meanwhile
        glNamedBufferSubData(pool->buffer, (GLintptr)offset, (GLsizeiptr)size, bytes);
}
