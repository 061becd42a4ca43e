// SPDX-License-Identifier: MIT
// Heap: chunks differ in size, so they share rows of one texture: the first run of free rows that is long enough is
// taken, and when there is none the texture doubles.
#include "gl/heap.h"

#include <stdlib.h>

enum { LAYERS_FIRST = 4 };

void kst_heap_destroy(kst_heap *heap) {
    if (heap->texture) glDeleteTextures(1, &heap->texture);
    free(heap->used);
    *heap = (kst_heap){0};
}

static karst_status grow(kst_heap *heap) {
    GLint most = 0;
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &most);
    int32_t layers = heap->layers ? 2 * heap->layers : LAYERS_FIRST;
    if (layers > most) return KARST_ERROR_LIMIT;
    size_t rows = (size_t)layers * KST_HEAP_HEIGHT, before = (size_t)heap->layers * KST_HEAP_HEIGHT;
    uint8_t *used = realloc(heap->used, rows);
    if (!used) return KARST_ERROR_MEMORY;
    memset(used + before, 0, rows - before);
    heap->used = used;
    GLuint grown;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &grown);
    glTextureStorage3D(grown, 1, GL_R32UI, KST_HEAP_WIDTH, KST_HEAP_HEIGHT, layers);
    glTextureParameteri(grown, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTextureParameteri(grown, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (heap->texture) {
        glCopyImageSubData(heap->texture, GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0, grown, GL_TEXTURE_2D_ARRAY, 0, 0, 0, 0,
                           KST_HEAP_WIDTH, KST_HEAP_HEIGHT, heap->layers);
        glDeleteTextures(1, &heap->texture);
    }
    heap->texture = grown;
    heap->layers = layers;
    return KARST_OK;
}

// The first of so many free rows one after another; -1: nowhere.
static int32_t find(const kst_heap *heap, int32_t rows) {
    int32_t all = heap->layers * KST_HEAP_HEIGHT;
    for (int32_t at = 0, free_rows = 0; at < all; ++at) {
        free_rows = heap->used[at] ? 0 : free_rows + 1;
        if (free_rows == rows) return at - rows + 1;
    }
    return -1;
}

karst_status kst_heap_put(kst_heap *heap, const uint32_t *words, int count, kst_run *run) {
    if (run->rows) memset(heap->used + run->row, 0, (size_t)run->rows);
    *run = (kst_run){0};
    int32_t rows = (count + KST_HEAP_WIDTH - 1) / KST_HEAP_WIDTH, row;
    while ((row = find(heap, rows)) < 0) {
        karst_status status = grow(heap);
        if (status) return status;
    }
    memset(heap->used + row, 1, (size_t)rows);
    *run = (kst_run){row, rows};
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    for (int32_t left = rows; left > 0;) {  // a run may lie in two layers
        int32_t y = row % KST_HEAP_HEIGHT, here = left < KST_HEAP_HEIGHT - y ? left : KST_HEAP_HEIGHT - y;
        glTextureSubImage3D(heap->texture, 0, 0, y, row / KST_HEAP_HEIGHT, KST_HEAP_WIDTH, here, 1, GL_RED_INTEGER,
                            GL_UNSIGNED_INT, words);
        words += here * KST_HEAP_WIDTH;
        row += here;
        left -= here;
    }
    return KARST_OK;
}
