// SPDX-License-Identifier: MIT
// Heap: the words of resident chunks (karst/resident.h) in one array texture, each chunk in a run of whole rows.
#pragma once
#include <epoxy/gl.h>

#include "core/core.h"

// Word a of the heap is texel (a % 256, a / 256 % 1024) of layer a / 2^18.
enum { KST_HEAP_WIDTH = 256, KST_HEAP_HEIGHT = 1024 };

typedef struct kst_run {
    int32_t row, rows;  // rows 0: none
} kst_run;

typedef struct kst_heap {
    GLuint texture;  // R32UI; another one after it grew
    uint8_t *used;   // a byte a row
    int32_t layers;
} kst_heap;

void kst_heap_destroy(kst_heap *heap);
// Put words in place of what the run held. words: room for whole rows.
// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT when the device has no larger texture; the run is then empty
karst_status kst_heap_put(kst_heap *heap, const uint32_t *words, int count, kst_run *run);
