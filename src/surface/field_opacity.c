// SPDX-License-Identifier: MIT
// Opacity of a field: a byte of every second vertex, kept as transparency, so that solid ground is no memory.
//
// Samples lie like vertices, half as dense: one on a border of chunks is stored in all that it touches, and a write has
// all of those pinned before a byte changes.
#include "surface/pages.h"

enum { HALF_CELLS = KARST_CHUNK_CELLS / 2 };

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}
static int32_t most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

static bool rect_fits(const karst_field *field, karst_rect r) {
    return r.x0 >= 0 && r.x0 <= r.x1 && r.x1 <= (field->shape.columns + 1) / 2 && r.z0 >= 0 && r.z0 <= r.z1 &&
           r.z1 <= (field->shape.rows + 1) / 2;
}

// The part of rect in block (bx, bz), which holds 32 x 32 samples.
static karst_rect clip(karst_rect r, int32_t bx, int32_t bz) {
    return (karst_rect){most(r.x0, bx * HALF_CELLS), most(r.z0, bz * HALF_CELLS), least(r.x1, (bx + 1) * HALF_CELLS),
                        least(r.z1, (bz + 1) * HALF_CELLS)};
}

static size_t at(karst_rect r, int stride, int32_t i, int32_t j) {  // index into the caller's array
    return (size_t)(j - r.z0) * (size_t)stride + (size_t)(i - r.x0);
}

static int local(const kst_page *page, int32_t i, int32_t j) {
    return (j - page->z * HALF_CELLS) * KARST_HALF_SIDE + i - page->x * HALF_CELLS;
}

karst_status karst_field_read_opacity(karst_field *field, karst_rect rect, uint8_t *opacity, int stride) {
    if (!rect_fits(field, rect)) return KARST_ERROR_ARGUMENT;
    if (rect.x0 == rect.x1 || rect.z0 == rect.z1) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    for (int32_t bz = rect.z0 / HALF_CELLS; bz <= (rect.z1 - 1) / HALF_CELLS; ++bz)
        for (int32_t bx = rect.x0 / HALF_CELLS; bx <= (rect.x1 - 1) / HALF_CELLS; ++bx) {
            kst_page *page;
            karst_status status =
                kst_page_get(field, least(bx, field->chunks_x - 1), least(bz, field->chunks_z - 1), &page);
            if (status) return status;
            karst_rect part = clip(rect, bx, bz);
            for (int32_t j = part.z0; j < part.z1; ++j)
                for (int32_t i = part.x0; i < part.x1; ++i)
                    opacity[at(rect, stride, i, j)] =
                        page->transparency ? (uint8_t)(255 - page->transparency[local(page, i, j)]) : 255;
            kst_page_put(field, page);
        }
    return KARST_OK;
}

typedef struct source {
    karst_rect rect;
    const uint8_t *opacity;
    int stride;
    bool fades;  // any of it is not solid
} source;

static void write_part(kst_page *page, const source *s, karst_rect part) {
    for (int32_t j = part.z0; j < part.z1; ++j)
        for (int32_t i = part.x0; i < part.x1; ++i)
            page->transparency[local(page, i, j)] = (uint8_t)(255 - s->opacity[at(s->rect, s->stride, i, j)]);
}

static karst_status write_block(karst_field *field, const source *s, karst_rect part, int32_t bx, int32_t bz) {
    bool left = bx > 0 && part.x0 == bx * HALF_CELLS, above = bz > 0 && part.z0 == bz * HALF_CELLS;
    kst_page *page[4];
    karst_rect share[4];
    int count = 0;
    karst_status status = KARST_OK;
    for (int k = 0; k < 4 && !status; ++k) {
        int32_t x = bx - (k & 1), z = bz - (k >> 1);
        if ((k & 1 && !left) || (k >> 1 && !above) || x >= field->chunks_x || z >= field->chunks_z) continue;
        share[count] = part;
        if (k & 1) share[count].x1 = part.x0 + 1;
        if (k >> 1) share[count].z1 = part.z0 + 1;
        status = kst_page_get(field, x, z, &page[count]);
        if (status) break;
        if (s->fades) status = kst_page_fade(field, page[count]);
        ++count;
    }
    for (int k = 0; k < count; ++k) {
        if (!status && page[k]->transparency) {
            kst_page_change(field, page[k]);
            write_part(page[k], s, share[k]);
            kst_page_pad(&field->shape, page[k]);
        }
        kst_page_put(field, page[k]);
    }
    return status;
}

karst_status karst_field_write_opacity(karst_field *field, karst_rect rect, const uint8_t *opacity, int stride) {
    if (!rect_fits(field, rect)) return KARST_ERROR_ARGUMENT;
    if (rect.x0 == rect.x1 || rect.z0 == rect.z1) return KARST_OK;
    KARST_ASSERT(stride >= rect.x1 - rect.x0);
    source s = {rect, opacity, stride, false};
    for (int32_t j = rect.z0; j < rect.z1; ++j)
        for (int32_t i = rect.x0; i < rect.x1; ++i) s.fades |= opacity[at(rect, stride, i, j)] != 255;
    for (int32_t bz = rect.z0 / HALF_CELLS; bz <= (rect.z1 - 1) / HALF_CELLS; ++bz)
        for (int32_t bx = rect.x0 / HALF_CELLS; bx <= (rect.x1 - 1) / HALF_CELLS; ++bx) {
            karst_status status = write_block(field, &s, clip(rect, bx, bz), bx, bz);
            if (status) return status;
        }
    return KARST_OK;
}
