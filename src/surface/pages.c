// SPDX-License-Identifier: MIT
// Pages: the chunks of an author's field in memory, and their way to and from the store.
#include "surface/pages.h"

#include <math.h>

static size_t sideways_bytes(void) {
    return 2 * KARST_CHUNK_VERTICES * sizeof(float);
}

// ---- list of use -----------------------------------------------------------------------------------

static void unlink_page(karst_field *field, kst_page *page) {
    *(page->newer ? &page->newer->older : &field->newest) = page->older;
    *(page->older ? &page->older->newer : &field->oldest) = page->newer;
    page->newer = page->older = NULL;
}

static void link_newest(karst_field *field, kst_page *page) {
    page->older = field->newest;
    *(field->newest ? &field->newest->newer : &field->oldest) = page;
    field->newest = page;
}

// ---- one page --------------------------------------------------------------------------------------

static void point_view(karst_field *field, kst_page *page) {
    page->view = (kst_chunk_view){.shape = field->shape,
                                  .column = page->x * KARST_CHUNK_CELLS,
                                  .row = page->z * KARST_CHUNK_CELLS,
                                  .y = page->y,
                                  .x = page->sideways,
                                  .z = page->sideways ? page->sideways + KARST_CHUNK_VERTICES : NULL,
                                  .hole = page->hole};
}

static void drop_tree(karst_field *field, kst_page *page) {
    if (!page->tree) return;
    kst_free(field->allocator, page->tree, kst_tree_bytes());
    page->tree = NULL;
    field->bytes -= kst_tree_bytes();
}

static void free_page(karst_field *field, kst_page *page) {
    drop_tree(field, page);
    if (page->sideways) {
        kst_free(field->allocator, page->sideways, sideways_bytes());
        field->bytes -= sideways_bytes();
    }
    if (page->transparency) {
        kst_free(field->allocator, page->transparency, KARST_HALF_VERTICES);
        field->bytes -= KARST_HALF_VERTICES;
    }
    kst_free(field->allocator, page, sizeof *page);
    field->bytes -= sizeof *page;
}

static int inside(int32_t vertices, int32_t chunk) {  // last vertex of the field in the chunk along one axis
    int64_t last = (int64_t)vertices - 1 - (int64_t)chunk * KARST_CHUNK_CELLS;
    return last < KARST_CHUNK_CELLS ? (int)last : KARST_CHUNK_CELLS;
}

static void pad_plane(float *plane, int last_i, int last_j) {
    for (int j = 0; j <= last_j; ++j)
        for (int i = last_i + 1; i < KARST_CHUNK_SIDE; ++i)
            plane[j * KARST_CHUNK_SIDE + i] = plane[j * KARST_CHUNK_SIDE + last_i];
    for (int j = last_j + 1; j < KARST_CHUNK_SIDE; ++j)
        memcpy(plane + j * KARST_CHUNK_SIDE, plane + last_j * KARST_CHUNK_SIDE, KARST_CHUNK_SIDE * sizeof *plane);
}

// The same for every second vertex: the last one inside is stepped on.
static void pad_half(uint8_t *half, int last_i, int last_j) {
    for (int j = 0; j <= last_j; ++j)
        memset(half + j * KARST_HALF_SIDE + last_i, half[j * KARST_HALF_SIDE + last_i],
               (size_t)(KARST_HALF_SIDE - last_i));
    for (int j = last_j + 1; j < KARST_HALF_SIDE; ++j)
        memcpy(half + j * KARST_HALF_SIDE, half + last_j * KARST_HALF_SIDE, KARST_HALF_SIDE);
}

void kst_page_pad(const karst_field_shape *shape, kst_page *page) {
    int last_i = inside(shape->columns, page->x), last_j = inside(shape->rows, page->z);
    if (last_i == KARST_CHUNK_CELLS && last_j == KARST_CHUNK_CELLS) return;
    pad_plane(page->y, last_i, last_j);
    if (page->sideways) {
        pad_plane(page->sideways, last_i, last_j);
        pad_plane(page->sideways + KARST_CHUNK_VERTICES, last_i, last_j);
    }
    if (page->transparency) pad_half(page->transparency, last_i / 2, last_j / 2);
    uint64_t beside = last_i == KARST_CHUNK_CELLS ? 0 : ~(uint64_t)0 << last_i;
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) page->hole[j] |= j < last_j ? beside : ~(uint64_t)0;
}

void kst_page_copy(const kst_page *page, karst_field_chunk *out) {
    memset(out, 0, sizeof *out);
    memcpy(out->y, page->y, sizeof out->y);
    memcpy(out->hole, page->hole, sizeof out->hole);
    if (page->transparency) memcpy(out->transparency, page->transparency, sizeof out->transparency);
    if (!page->sideways) return;
    memcpy(out->x, page->sideways, sizeof out->x);
    memcpy(out->z, page->sideways + KARST_CHUNK_VERTICES, sizeof out->z);
    for (int k = 0; k < KARST_CHUNK_VERTICES && !out->displaced; ++k) out->displaced = out->x[k] != 0 || out->z[k] != 0;
}

static bool all_finite(const float *values, int count) {
    for (int k = 0; k < count; ++k)
        if (!isfinite(values[k])) return false;
    return true;
}

karst_status kst_page_displace(karst_field *field, kst_page *page) {
    if (page->sideways) return KARST_OK;
    float *sideways = kst_alloc_zero(field->allocator, sideways_bytes());
    if (!sideways) return KARST_ERROR_MEMORY;
    pthread_mutex_lock(&field->lock);
    page->sideways = sideways;
    field->bytes += sideways_bytes();
    point_view(field, page);
    pthread_mutex_unlock(&field->lock);
    return KARST_OK;
}

karst_status kst_page_fade(karst_field *field, kst_page *page) {
    if (page->transparency) return KARST_OK;
    uint8_t *half = kst_alloc_zero(field->allocator, KARST_HALF_VERTICES);
    if (!half) return KARST_ERROR_MEMORY;
    pthread_mutex_lock(&field->lock);
    page->transparency = half;
    field->bytes += KARST_HALF_VERTICES;
    pthread_mutex_unlock(&field->lock);
    return KARST_OK;
}

static bool any_transparent(const uint8_t *half) {
    unsigned any = 0;
    for (int k = 0; k < KARST_HALF_VERTICES; ++k) any |= half[k];
    return any != 0;
}

// Fill a fresh page from the store; the caller holds the lock. What comes from a store is not trusted: the
// numbers are checked, the padding made anew.
static karst_status load_page(karst_field *field, kst_page *page) {
    bool found = false;
    karst_field_chunk *chunk = field->scratch;
    karst_status status = field->store.load(field->store.context, page->x, page->z, chunk, &found);
    if (status || !found) return status;
    if (!all_finite(chunk->y, KARST_CHUNK_VERTICES)) return KARST_ERROR_FORMAT;
    memcpy(page->y, chunk->y, sizeof page->y);
    memcpy(page->hole, chunk->hole, sizeof page->hole);
    if (any_transparent(chunk->transparency)) {
        page->transparency = kst_alloc(field->allocator, KARST_HALF_VERTICES);
        if (!page->transparency) return KARST_ERROR_MEMORY;
        field->bytes += KARST_HALF_VERTICES;
        memcpy(page->transparency, chunk->transparency, KARST_HALF_VERTICES);
    }
    if (!chunk->displaced) return KARST_OK;
    if (!all_finite(chunk->x, KARST_CHUNK_VERTICES) || !all_finite(chunk->z, KARST_CHUNK_VERTICES))
        return KARST_ERROR_FORMAT;
    page->sideways = kst_alloc(field->allocator, sideways_bytes());
    if (!page->sideways) return KARST_ERROR_MEMORY;
    field->bytes += sideways_bytes();
    memcpy(page->sideways, chunk->x, sizeof chunk->x);
    memcpy(page->sideways + KARST_CHUNK_VERTICES, chunk->z, sizeof chunk->z);
    return KARST_OK;
}

static karst_status save_page(karst_field *field, kst_page *page) {
    if (!page->dirty || !field->paged) return KARST_OK;
    kst_page_copy(page, field->scratch);
    karst_status status = field->store.save(field->store.context, page->x, page->z, field->scratch);
    if (!status) page->dirty = false;
    return status;
}

// ---- the table -------------------------------------------------------------------------------------

static karst_status make_room(karst_field *field) {
    kst_page *page = field->oldest;
    while (page && field->bytes + sizeof *page > field->cache_bytes) {
        kst_page *next = page->newer;
        if (!page->pins) {
            karst_status status = save_page(field, page);
            if (status) return status;
            unlink_page(field, page);
            field->rows[page->z][page->x] = NULL;
            free_page(field, page);
        }
        page = next;
    }
    return KARST_OK;
}

static karst_status make_page(karst_field *field, int32_t x, int32_t z, kst_page **out) {
    karst_status status = field->paged ? make_room(field) : KARST_OK;
    if (status) return status;
    if (!field->rows[z]) {
        kst_page **row = kst_alloc_zero(field->allocator, (size_t)field->chunks_x * sizeof *row);
        if (!row) return KARST_ERROR_MEMORY;
        __atomic_store_n(&field->rows[z], row, __ATOMIC_RELEASE);
    }
    kst_page *page = kst_alloc_zero(field->allocator, sizeof *page);
    if (!page) return KARST_ERROR_MEMORY;
    field->bytes += sizeof *page;
    page->x = x;
    page->z = z;
    if (field->paged) status = load_page(field, page);
    if (status) {
        free_page(field, page);
        return status;
    }
    kst_page_pad(&field->shape, page);
    point_view(field, page);
    link_newest(field, page);
    __atomic_store_n(&field->rows[z][x], page, __ATOMIC_RELEASE);
    *out = page;
    return KARST_OK;
}

karst_status kst_page_get(karst_field *field, int32_t x, int32_t z, kst_page **out) {
    pthread_mutex_lock(&field->lock);
    kst_page *page = kst_page_peek(field, x, z);
    karst_status status = KARST_OK;
    if (!page) {
        status = make_page(field, x, z, &page);
    } else if (field->paged && page != field->newest) {
        unlink_page(field, page);
        link_newest(field, page);
    }
    if (!status) {
        ++page->pins;
        *out = page;
    }
    pthread_mutex_unlock(&field->lock);
    return status;
}

void kst_page_put(karst_field *field, kst_page *page) {
    pthread_mutex_lock(&field->lock);
    --page->pins;
    pthread_mutex_unlock(&field->lock);
}

karst_status kst_page_tree(karst_field *field, kst_page *page, const kst_chunk_tree **out) {
    kst_chunk_tree *tree = __atomic_load_n(&page->tree, __ATOMIC_ACQUIRE);
    if (!tree) {
        kst_chunk_tree *fresh = kst_alloc(field->allocator, kst_tree_bytes());
        if (!fresh) return KARST_ERROR_MEMORY;
        kst_tree_build(fresh, &page->view);
        pthread_mutex_lock(&field->lock);
        tree = page->tree;
        if (!tree) {
            tree = fresh;
            __atomic_store_n(&page->tree, fresh, __ATOMIC_RELEASE);
            field->bytes += kst_tree_bytes();
        }
        pthread_mutex_unlock(&field->lock);
        if (tree != fresh) kst_free(field->allocator, fresh, kst_tree_bytes());  // another thread was first
    }
    *out = tree;
    return KARST_OK;
}

void kst_page_change(karst_field *field, kst_page *page) {
    pthread_mutex_lock(&field->lock);
    page->dirty = true;
    drop_tree(field, page);
    kst_field_ground_forget(field, page->x, page->z);
    pthread_mutex_unlock(&field->lock);
}

karst_status kst_pages_flush(karst_field *field) {
    pthread_mutex_lock(&field->lock);
    karst_status status = KARST_OK;
    for (kst_page *page = field->oldest; page && !status; page = page->newer) status = save_page(field, page);
    pthread_mutex_unlock(&field->lock);
    return status;
}

void kst_pages_free(karst_field *field) {
    for (kst_page *page = field->oldest, *next; page; page = next) {
        next = page->newer;
        free_page(field, page);
    }
    for (int32_t z = 0; field->rows && z < field->chunks_z; ++z)
        kst_free(field->allocator, field->rows[z], (size_t)field->chunks_x * sizeof *field->rows[z]);
    kst_free(field->allocator, field->rows, (size_t)field->chunks_z * sizeof *field->rows);
    field->rows = NULL;
}
