// SPDX-License-Identifier: MIT
// Pages: the chunks of an author's field in memory, and their way to and from the store.
//
// In memory all chunks stay, those never touched have no page. With a store the least recently used page that
// nobody pins goes when the byte limit is reached, saved first when it was changed.
#pragma once
#include <pthread.h>

#include "surface/chunk_view.h"

typedef struct kst_page {
    struct kst_page *newer, *older;  // list of use
    int32_t x, z;                    // which chunk
    int32_t pins;
    bool dirty;             // differs from the store
    float *sideways;        // dx then dz, KARST_CHUNK_VERTICES each; NULL when all are zero
    uint8_t *transparency;  // KARST_HALF_VERTICES; NULL when all is solid
    kst_chunk_tree *tree;   // NULL until a ray comes
    kst_chunk_view view;
    uint64_t hole[KARST_CHUNK_CELLS];
    float y[KARST_CHUNK_VERTICES];
} kst_page;

struct karst_field {
    karst_field_shape shape;
    int32_t chunks_x, chunks_z;
    bool paged;
    karst_field_store store;
    size_t cache_bytes, bytes;
    const karst_allocator *allocator;
    pthread_mutex_t lock;  // guards all below but what a writer alone may touch
    kst_page ***rows;      // rows[z][x]; a row is made when first touched
    kst_page *newest, *oldest;
    karst_field_chunk *scratch;  // for the store
    kst_field_ground ground;
    pthread_mutex_t ground_lock;    // guards the two below while queries start
    struct kst_chunk_reach *reach;  // what the ground knows of each chunk; NULL until asked
    bool ground_ready;
    float *farthest;     // of each chunk: no |dx| or |dz| is or was larger; NULL until asked
    float farthest_all;  // the largest of them
};

// Pin a chunk; put it back when done. Threads: any.
karst_status kst_page_get(karst_field *field, int32_t x, int32_t z, kst_page **out);
void kst_page_put(karst_field *field, kst_page *page);
// The page of a chunk if it is in memory, not pinned.
static inline kst_page *kst_page_peek(const karst_field *field, int32_t x, int32_t z) {
    kst_page **row = __atomic_load_n(&field->rows[z], __ATOMIC_ACQUIRE);
    return row ? __atomic_load_n(&row[x], __ATOMIC_ACQUIRE) : NULL;
}
// Make room for dx and dz, all zero.
karst_status kst_page_displace(karst_field *field, kst_page *page);
// Make room for transparency, all zero.
karst_status kst_page_fade(karst_field *field, kst_page *page);
// The tree over a pinned page, built when there is none. Threads: any.
karst_status kst_page_tree(karst_field *field, kst_page *page, const kst_chunk_tree **out);
// The samples of a page are about to change.
void kst_page_change(karst_field *field, kst_page *page);
// Save what differs from the store.
karst_status kst_pages_flush(karst_field *field);
void kst_pages_free(karst_field *field);

// field_find.c. Before a write that displaces: what the store knows is asked while it still knows all; then a chunk was
// written with displacements up to `most`; and free.
karst_status kst_field_find_ready(karst_field *field);
void kst_field_find_note(karst_field *field, const kst_page *page, float most);
void kst_field_find_free(karst_field *field);

// Step the last sample on over the vertices outside the field and mark the cells there as hole.
void kst_page_pad(const karst_field_shape *shape, kst_page *page);
void kst_page_copy(const kst_page *page, karst_field_chunk *out);

// field_as_ground.c
void kst_field_ground_init(karst_field *field);
void kst_field_ground_forget(karst_field *field, int32_t chunk_x, int32_t chunk_z);  // the chunk changed
void kst_field_ground_free(karst_field *field);
