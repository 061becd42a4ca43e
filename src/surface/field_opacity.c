// SPDX-License-Identifier: MIT
// Opacity of a field: a byte of every second vertex, kept as transparency, so that solid ground is no memory.
//
// Samples lie like vertices, half as dense: one on a border of chunks is stored in all that it touches, and a write has
// all of those pinned before a byte changes.
#include "surface/blocks.h"

enum { HALF_CELLS = KARST_CHUNK_CELLS / 2 };

static bool rect_fits(const karst_field *field, karst_rect r) {
    return kst_rect_fits(r, (field->shape.columns + 1) / 2, (field->shape.rows + 1) / 2);
}

static int local(const kst_page *page, int32_t i, int32_t j) {
    return (j - page->z * HALF_CELLS) * KARST_HALF_SIDE + i - page->x * HALF_CELLS;
}

karst_status karst_field_read_opacity(karst_field *field, karst_rect rect, uint8_t *opacity, int stride) {
    if (!rect_fits(field, rect)) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    KST_FOR_BLOCKS(rect, HALF_CELLS, bx, bz) {
        kst_page *page;
        karst_status status = kst_block_page(field, bx, bz, &page);
        if (status) return status;
        karst_rect part = kst_block_part(rect, HALF_CELLS, bx, bz);
        for (int32_t j = part.z0; j < part.z1; ++j)
            for (int32_t i = part.x0; i < part.x1; ++i)
                opacity[kst_rect_at(rect, stride, i, j)] =
                    page->transparency ? (uint8_t)(255 - page->transparency[local(page, i, j)]) : 255;
        kst_page_put(field, page);
    }
    return KARST_OK;
}

typedef struct source {
    karst_rect rect;
    const uint8_t *opacity;
    int stride;
} source;

static void write_part(kst_page *page, const source *s, karst_rect part) {
    for (int32_t j = part.z0; j < part.z1; ++j)
        for (int32_t i = part.x0; i < part.x1; ++i)
            page->transparency[local(page, i, j)] = (uint8_t)(255 - s->opacity[kst_rect_at(s->rect, s->stride, i, j)]);
}

karst_status karst_field_write_opacity(karst_field *field, karst_rect rect, const uint8_t *opacity, int stride) {
    if (!rect_fits(field, rect)) return KARST_ERROR_ARGUMENT;
    if (kst_rect_is_empty(rect)) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    source s = {rect, opacity, stride};
    bool fades = false;  // any of it is not solid
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        for (int32_t i = rect.x0; i < rect.x1; ++i) fades |= opacity[kst_rect_at(rect, stride, i, j)] != 255;
    KST_FOR_BLOCKS(rect, HALF_CELLS, bx, bz) {
        kst_pinned pinned;
        karst_status status = kst_block_pin(field, kst_block_part(rect, HALF_CELLS, bx, bz), HALF_CELLS, bx, bz,
                                            fades ? kst_page_fade : NULL, &pinned);
        if (status) return status;
        for (int k = 0; k < pinned.count; ++k) {
            if (!pinned.page[k]->transparency) continue;
            kst_page_change(field, pinned.page[k]);
            write_part(pinned.page[k], &s, pinned.share[k]);
            kst_page_pad(&field->shape, pinned.page[k]);
        }
        kst_block_put(field, &pinned);
    }
    return KARST_OK;
}
