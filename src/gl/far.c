// SPDX-License-Identifier: MIT
// Far textures of pieces. Pages come when they are needed, half as many again each time, and stay.
//
// Invariant: page.used is the number of its bits that are set; a page of no used block has no size.
#include "gl/far.h"

#include <math.h>
#include <stdlib.h>

karst_status kst_far_make(kst_far *f, uint64_t most_bytes) {
    GLint layers = 0;
    glGetIntegerv(GL_MAX_ARRAY_TEXTURE_LAYERS, &layers);
    uint64_t most = most_bytes / KST_FAR_PAGE_BYTES;
    f->page_most = most < (uint64_t)layers ? (int32_t)most : layers;
    return KARST_OK;
}

void kst_far_free(kst_far *f) {
    glDeleteTextures(1, &f->texture);
    free(f->page);
}

// More pages: the old ones are copied on the device.
bool kst_far_grow(kst_far *f, int32_t room) {
    room = room < f->page_most ? room : f->page_most;
    if (room <= f->page_room) return false;
    kst_far_page *page = realloc(f->page, (size_t)room * sizeof *page);
    if (!page) return false;
    f->page = page;
    memset(page + f->page_room, 0, (size_t)(room - f->page_room) * sizeof *page);
    GLuint next;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &next);
    glTextureStorage3D(next, KST_FAR_MIPS, GL_SRGB8_ALPHA8, KST_FAR_PAGE, KST_FAR_PAGE, room);
    glTextureParameteri(next, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTextureParameteri(next, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    for (int level = 0; f->texture && level < KST_FAR_MIPS; ++level)
        glCopyImageSubData(f->texture, GL_TEXTURE_2D_ARRAY, level, 0, 0, 0, next, GL_TEXTURE_2D_ARRAY, level, 0, 0, 0,
                           KST_FAR_PAGE >> level, KST_FAR_PAGE >> level, f->page_room);
    glDeleteTextures(1, &f->texture);
    f->texture = next;
    f->page_room = room;
    return true;
}

static uint32_t take_in(kst_far *f, int32_t at, int log2) {
    kst_far_page *page = &f->page[at];
    uint32_t across = KST_FAR_PAGE >> log2, count = across * across;
    if (page->log2 && (page->log2 != log2 || page->used == count)) return 0;
    uint32_t k = 0;
    while (page->taken[k / 64] >> (k % 64) & 1) ++k;
    page->taken[k / 64] |= (uint64_t)1 << (k % 64);
    page->log2 = (uint8_t)log2;
    ++page->used;
    ++f->blocks;
    return 1 + ((uint32_t)at << 10 | (k / across) << (log2 - 3) << 5 | (k % across) << (log2 - 3));
}

uint32_t kst_far_take(kst_far *f, int log2) {
    KARST_ASSERT(log2 >= 3 && log2 <= KST_FAR_LOG2_MAX);
    do {
        for (int empty = 0; empty < 2; ++empty)  // pages that are begun first
            for (int32_t k = 0; k < f->page_room; ++k) {
                uint32_t block = (f->page[k].log2 == 0) == empty ? take_in(f, k, log2) : 0;
                if (block) return block;
            }
    } while (kst_far_grow(f, f->page_room < 8 ? f->page_room + 4 : f->page_room + f->page_room / 2));
    return 0;
}

void kst_far_give(kst_far *f, uint32_t block) {
    if (!block) return;
    kst_far_page *page = &f->page[(block - 1) >> 10];
    uint32_t shift = page->log2 - 3u, x = ((block - 1) & 31) >> shift, y = ((block - 1) >> 5 & 31) >> shift;
    uint32_t k = y * (KST_FAR_PAGE >> page->log2) + x;
    KARST_ASSERT(page->taken[k / 64] >> (k % 64) & 1);
    page->taken[k / 64] &= ~((uint64_t)1 << (k % 64));
    if (!--page->used) page->log2 = 0;
    ++f->gives;
    --f->blocks;
}

void kst_far_put(kst_far *f, uint32_t block, int log2, uint8_t (*texels)[4]) {
    GLint page = (GLint)((block - 1) >> 10), x = (GLint)((block - 1) & 31) * 8, y = (GLint)((block - 1) >> 5 & 31) * 8;
    for (int level = 0, side = 1 << log2; level <= log2; ++level, side /= 2) {
        glTextureSubImage3D(f->texture, level, x >> level, y >> level, page, side, side, 1, GL_RGBA, GL_UNSIGNED_BYTE,
                            texels);
        for (int j = 0; j < side / 2; ++j)
            for (int i = 0; i < side / 2; ++i) {
                const uint8_t(*from)[4] = (const uint8_t(*)[4])texels + 2 * j * side + 2 * i;
                for (int c = 0; c < 4; ++c) {  // squares are near enough to light
                    float a = from[0][c], b = from[1][c], d = from[side][c], e = from[side + 1][c];
                    float mean = c < 3 ? sqrtf((a * a + b * b + d * d + e * e) / 4) : (a + b + d + e) / 4;
                    texels[j * (side / 2) + i][c] = (uint8_t)(mean + 0.5f);
                }
            }
    }
}
