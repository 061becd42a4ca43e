// SPDX-License-Identifier: MIT
// Field: reading and writing samples by rectangles that know nothing of chunks.
//
// Vertex (i, j) belongs to block (i / 64, j / 64); it is stored in the chunk of that name and, on the borders of
// chunks, in up to three more before it. A write goes block by block with all of these pinned, so their copies
// are equal bit for bit at every moment, even when the store fails halfway through a large write.
#include "karst/field.h"

#include <float.h>
#include <math.h>

#include "surface/blocks.h"

karst_field_def karst_field_def_default(void) {
    return (karst_field_def){.shape = {.columns = 1025, .rows = 1025, .spacing_m = 1},
                             .cache_bytes = (size_t)256 << 20,
                             .cookie = KST_COOKIE};
}

static bool shape_is_valid(const karst_field_shape *s) {
    return s->columns >= 2 && s->columns <= KARST_FIELD_MAX_SIDE && s->rows >= 2 && s->rows <= KARST_FIELD_MAX_SIDE &&
           isfinite(s->spacing_m) && s->spacing_m > 0 && isfinite(s->origin.x) && isfinite(s->origin.y) &&
           isfinite(s->origin.z);
}

karst_status karst_field_create(const karst_field_def *def, karst_field **out) {
    KARST_ASSERT(def->cookie == KST_COOKIE);
    if (!shape_is_valid(&def->shape)) return KARST_ERROR_ARGUMENT;
    karst_field *field = kst_alloc_zero(def->allocator, sizeof *field);
    if (!field) return KARST_ERROR_MEMORY;
    field->shape = def->shape;
    field->chunks_x = (def->shape.columns - 2) / KARST_CHUNK_CELLS + 1;
    field->chunks_z = (def->shape.rows - 2) / KARST_CHUNK_CELLS + 1;
    field->paged = def->store != NULL;
    if (def->store) field->store = *def->store;
    field->cache_bytes = def->cache_bytes;
    field->allocator = def->allocator;
    pthread_mutex_init(&field->lock, NULL);
    kst_field_ground_init(field);
    field->rows = kst_alloc_zero(def->allocator, (size_t)field->chunks_z * sizeof *field->rows);
    if (field->rows && field->paged) field->scratch = kst_alloc(def->allocator, sizeof *field->scratch);
    if (!field->rows || (field->paged && !field->scratch)) {
        karst_field_destroy(field);
        return KARST_ERROR_MEMORY;
    }
    *out = field;
    return KARST_OK;
}

void karst_field_destroy(karst_field *field) {
    if (!field) return;
    kst_field_ground_free(field);
    kst_field_find_free(field);
    kst_pages_free(field);
    kst_free(field->allocator, field->scratch, sizeof *field->scratch);
    pthread_mutex_destroy(&field->lock);
    kst_free(field->allocator, field, sizeof *field);
}

karst_field_shape karst_field_shape_of(const karst_field *field) {
    return field->shape;
}

void karst_field_chunk_grid(const karst_field *field, int32_t *chunks_x, int32_t *chunks_z) {
    *chunks_x = field->chunks_x;
    *chunks_z = field->chunks_z;
}

karst_status karst_field_flush(karst_field *field) {
    return kst_pages_flush(field);
}

karst_status karst_field_read_chunk(karst_field *field, int32_t chunk_x, int32_t chunk_z, karst_field_chunk *out) {
    if (chunk_x < 0 || chunk_x >= field->chunks_x || chunk_z < 0 || chunk_z >= field->chunks_z)
        return KARST_ERROR_ARGUMENT;
    kst_page *page;
    karst_status status = kst_page_get(field, chunk_x, chunk_z, &page);
    if (status) return status;
    kst_page_copy(page, out);
    kst_page_put(field, page);
    return KARST_OK;
}

// ---- vertices: one on a border of chunks is in all that it touches --------------------------------------

static int local(int32_t column, int32_t row, const kst_page *page) {
    return (row - page->z * KARST_CHUNK_CELLS) * KARST_CHUNK_SIDE + column - page->x * KARST_CHUNK_CELLS;
}

karst_status karst_field_read(karst_field *field, karst_rect rect, float *y, float *x, float *z, int stride) {
    if (!kst_rect_fits(rect, field->shape.columns, field->shape.rows)) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    KST_FOR_BLOCKS(rect, KARST_CHUNK_CELLS, bx, bz) {
        kst_page *page;
        karst_status status = kst_block_page(field, bx, bz, &page);
        if (status) return status;
        karst_rect part = kst_block_part(rect, KARST_CHUNK_CELLS, bx, bz);
        size_t bytes = (size_t)(part.x1 - part.x0) * sizeof(float);
        for (int32_t row = part.z0; row < part.z1; ++row) {
            size_t to = kst_rect_at(rect, stride, part.x0, row);
            int from = local(part.x0, row, page);
            memcpy(y + to, page->y + from, bytes);
            const float *sideways = page->sideways;
            if (x) sideways ? memcpy(x + to, sideways + from, bytes) : memset(x + to, 0, bytes);
            if (z) sideways ? memcpy(z + to, sideways + KARST_CHUNK_VERTICES + from, bytes) : memset(z + to, 0, bytes);
        }
        kst_page_put(field, page);
    }
    return KARST_OK;
}

// Whether all are finite, and the largest magnitude.
static bool rows_are_finite(karst_rect r, const float *values, int stride, float *most) {
    for (int32_t row = r.z0; values && row < r.z1; ++row) {
        const float *line = values + kst_rect_at(r, stride, r.x0, row);
        bool finite = true;
        float largest = *most;
        for (int i = 0; i < r.x1 - r.x0; ++i) {
            float size = fabsf(line[i]);
            finite &= size <= FLT_MAX;
            largest = size > largest ? size : largest;
        }
        if (!finite) return false;
        *most = largest;
    }
    return true;
}

typedef struct source {
    karst_rect rect;
    const float *y, *x, *z;
    int stride;
} source;

// Whether a write changes a bit of a page; one that does not leaves it as it was, clean and known.
static bool part_differs(const kst_page *page, const source *s, karst_rect part) {
    size_t count = (size_t)(part.x1 - part.x0);
    for (int32_t row = part.z0; row < part.z1; ++row) {
        size_t from = kst_rect_at(s->rect, s->stride, part.x0, row);
        const float *held = page->y + local(part.x0, row, page);
        if (memcmp(held, s->y + from, count * sizeof(float))) return true;
        if (!s->x || !page->sideways) continue;
        const float *x = page->sideways + local(part.x0, row, page), *z = x + KARST_CHUNK_VERTICES;
        bool differs = false;
        for (size_t i = 0; i < count; ++i) differs |= x[i] != s->x[from + i] || z[i] != s->z[from + i];
        if (differs) return true;
    }
    return false;
}

static void write_part(kst_page *page, const source *s, karst_rect part) {
    for (int32_t row = part.z0; row < part.z1; ++row) {
        size_t from = kst_rect_at(s->rect, s->stride, part.x0, row);
        int to = local(part.x0, row, page), count = part.x1 - part.x0;
        memcpy(page->y + to, s->y + from, (size_t)count * sizeof(float));
        if (!s->x || !page->sideways) continue;
        for (int i = 0; i < count; ++i) {  // + 0: a negative zero and a chunk without sideways read the same
            page->sideways[to + i] = s->x[from + (size_t)i] + 0.0f;
            page->sideways[KARST_CHUNK_VERTICES + to + i] = s->z[from + (size_t)i] + 0.0f;
        }
    }
}

karst_status karst_field_write(karst_field *field, karst_rect rect, const float *y, const float *x, const float *z,
                               int stride) {
    if (!kst_rect_fits(rect, field->shape.columns, field->shape.rows) || !x != !z) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    float highest = 0, farthest = 0;
    if (!rows_are_finite(rect, y, stride, &highest) || !rows_are_finite(rect, x, stride, &farthest) ||
        !rows_are_finite(rect, z, stride, &farthest))
        return KARST_ERROR_ARGUMENT;
    source s = {rect, y, x, z, stride};
    karst_status status = farthest > 0 ? kst_field_find_ready(field) : KARST_OK;
    if (status) return status;
    KST_FOR_BLOCKS(rect, KARST_CHUNK_CELLS, bx, bz) {
        kst_pinned pinned;
        status = kst_block_pin(field, kst_block_part(rect, KARST_CHUNK_CELLS, bx, bz), KARST_CHUNK_CELLS, bx, bz,
                               farthest > 0 ? kst_page_displace : NULL, &pinned);
        if (status) return status;
        for (int k = 0; k < pinned.count; ++k) {
            if (!part_differs(pinned.page[k], &s, pinned.share[k])) continue;
            kst_page_change(field, pinned.page[k]);
            write_part(pinned.page[k], &s, pinned.share[k]);
            if (farthest > 0) kst_field_find_note(field, pinned.page[k], farthest);
            kst_page_pad(&field->shape, pinned.page[k]);
        }
        kst_block_put(field, &pinned);
    }
    return KARST_OK;
}

// ---- holes: a cell is in one chunk only ------------------------------------------------------------

karst_status karst_field_read_holes(karst_field *field, karst_rect rect, uint8_t *holes, int stride) {
    if (!kst_rect_fits(rect, field->shape.columns - 1, field->shape.rows - 1)) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    KST_FOR_BLOCKS(rect, KARST_CHUNK_CELLS, bx, bz) {
        kst_page *page;
        karst_status status = kst_page_get(field, bx, bz, &page);
        if (status) return status;
        karst_rect part = kst_block_part(rect, KARST_CHUNK_CELLS, bx, bz);
        for (int32_t row = part.z0; row < part.z1; ++row)
            for (int32_t column = part.x0; column < part.x1; ++column)
                holes[kst_rect_at(rect, stride, column, row)] =
                    page->hole[row % KARST_CHUNK_CELLS] >> (column % KARST_CHUNK_CELLS) & 1;
        kst_page_put(field, page);
    }
    return KARST_OK;
}

karst_status karst_field_write_holes(karst_field *field, karst_rect rect, const uint8_t *holes, int stride) {
    if (!kst_rect_fits(rect, field->shape.columns - 1, field->shape.rows - 1)) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    KST_FOR_BLOCKS(rect, KARST_CHUNK_CELLS, bx, bz) {
        kst_page *page;
        karst_status status = kst_page_get(field, bx, bz, &page);
        if (status) return status;
        kst_page_change(field, page);
        karst_rect part = kst_block_part(rect, KARST_CHUNK_CELLS, bx, bz);
        for (int32_t row = part.z0; row < part.z1; ++row)
            for (int32_t column = part.x0; column < part.x1; ++column) {
                uint64_t bit = (uint64_t)1 << (column % KARST_CHUNK_CELLS);
                uint64_t *word = &page->hole[row % KARST_CHUNK_CELLS];
                *word = holes[kst_rect_at(rect, stride, column, row)] ? *word | bit : *word & ~bit;
            }
        kst_page_put(field, page);
    }
    return KARST_OK;
}
