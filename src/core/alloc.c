// SPDX-License-Identifier: MIT
// Memory: the caller's allocator or malloc, a fault for tests, and arenas.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "core/core.h"

enum { ALIGNMENT = 64, ARENA_BLOCK = 1 << 16, HUGE_PAGE = 2 << 20 };

static _Atomic uint64_t fault_countdown, made;

uint64_t kst_alloc_fail_after(uint64_t n) {
    atomic_store(&fault_countdown, n);
    return atomic_exchange(&made, 0);
}

static bool fault_strikes(void) {
    atomic_fetch_add_explicit(&made, 1, memory_order_relaxed);
    uint64_t left = atomic_load_explicit(&fault_countdown, memory_order_relaxed);
    while (left && !atomic_compare_exchange_weak(&fault_countdown, &left, left - 1)) {
    }
    return left == 1;
}

static size_t rounded(size_t bytes) {  // aligned_alloc wants a multiple of the alignment
    return bytes > SIZE_MAX - ALIGNMENT ? 0 : (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

// Arrays over whole fields are touched from end to end, once: in small pages the faults cost more than the work.
static void *alloc_huge(size_t size) {
    void *memory;  // posix_memalign, since aligned_alloc wants a multiple of the page
    if (posix_memalign(&memory, HUGE_PAGE, size)) return NULL;
    madvise(memory, size & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE);  // a wish: small pages do as well
    return memory;
}

void *kst_alloc(const karst_allocator *allocator, size_t bytes) {
    if (allocator) return allocator->alloc(bytes ? bytes : 1, allocator->context);
    if (fault_strikes()) return NULL;
    size_t size = rounded(bytes ? bytes : 1);
    return size >= 2 * HUGE_PAGE ? alloc_huge(size) : size ? aligned_alloc(ALIGNMENT, size) : NULL;
}

void *kst_alloc_zero(const karst_allocator *allocator, size_t bytes) {
    void *memory = kst_alloc(allocator, bytes);
    if (memory) memset(memory, 0, bytes);
    return memory;
}

void *kst_alloc_array(const karst_allocator *allocator, size_t count, size_t bytes) {
    size_t size;
    return kst_size_mul(count, bytes, &size) ? kst_alloc(allocator, size) : NULL;
}

void kst_free(const karst_allocator *allocator, void *memory, size_t bytes) {
    if (!memory) return;
    if (allocator)
        allocator->free(memory, bytes ? bytes : 1, allocator->context);
    else
        free(memory);
}

// A block holds its header in its first aligned slot; `next` is the older block.
typedef struct kst_arena_block {
    struct kst_arena_block *next;
    size_t size, used;
} block;

void *kst_arena_alloc(kst_arena *arena, size_t bytes) {
    size_t need = rounded(bytes ? bytes : 1);
    if (!need) return NULL;
    block *b = arena->block;
    if (!b || b->size - b->used < need) {
        size_t size = b ? b->size : ARENA_BLOCK / 2;
        if (size > SIZE_MAX / 2 - ALIGNMENT) return NULL;
        size *= 2;
        while (size - ALIGNMENT < need) {
            if (size > SIZE_MAX / 2) return NULL;
            size *= 2;
        }
        block *fresh = kst_alloc(arena->allocator, size);
        if (!fresh) return NULL;
        *fresh = (block){.next = b, .size = size, .used = ALIGNMENT};
        arena->block = b = fresh;
    }
    void *memory = (uint8_t *)b + b->used;
    b->used += need;
    return memory;
}

static void free_older(kst_arena *arena, block *b) {
    while (b) {
        block *next = b->next;
        kst_free(arena->allocator, b, b->size);
        b = next;
    }
}

void kst_arena_reset(kst_arena *arena) {  // the newest block is the largest
    if (!arena->block) return;
    free_older(arena, arena->block->next);
    arena->block->next = NULL;
    arena->block->used = ALIGNMENT;
}

void kst_arena_free(kst_arena *arena) {
    free_older(arena, arena->block);
    arena->block = NULL;
}
