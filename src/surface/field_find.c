// SPDX-License-Identifier: MIT
// What may lie at a place of a field whose vertices are displaced sideways, without reading all of it.
//
// Invariant: no vertex of a chunk lies farther from its rest place along x or z than the chunk's entry of `farthest`.
// An entry only grows, so it costs a write nothing to keep.
#include <math.h>

#include "surface/blocks.h"
#include "surface/triangle.h"

static size_t chunk_count(const karst_field *field) {
    return (size_t)field->chunks_x * (size_t)field->chunks_z;
}

static float page_farthest(const kst_page *page) {
    float most = 0;
    for (int k = 0; page->sideways && k < 2 * KARST_CHUNK_VERTICES; ++k) {
        float size = fabsf(page->sideways[k]);
        most = size > most ? size : most;
    }
    return most;
}

// Look at every chunk that is in memory, or, where the store cannot tell the rest, at every one. In memory alone those
// without a page lie flat.
static karst_status look_at_all(karst_field *field, float *farthest) {
    bool asks = field->paged && field->store.farthest, loads = field->paged && !asks;
    karst_status status = asks ? field->store.farthest(field->store.context, farthest) : KARST_OK;
    for (int32_t z = 0; z < field->chunks_z && !status; ++z)
        for (int32_t x = 0; x < field->chunks_x && !status; ++x) {
            float *entry = &farthest[(size_t)z * (size_t)field->chunks_x + (size_t)x];
            kst_page *page;
            if (loads || kst_page_peek(field, x, z)) {
                status = kst_page_get(field, x, z, &page);
                if (status) break;
                *entry = fmaxf(*entry, page_farthest(page));
                kst_page_put(field, page);
            }
            field->farthest_all = fmaxf(field->farthest_all, *entry);
        }
    return status;
}

static karst_status know(karst_field *field) {
    if (field->farthest) return KARST_OK;
    size_t bytes;
    float *farthest =
        kst_size_mul(chunk_count(field), sizeof *farthest, &bytes) ? kst_alloc_zero(field->allocator, bytes) : NULL;
    if (!farthest) return KARST_ERROR_MEMORY;
    field->farthest_all = 0;
    karst_status status = look_at_all(field, farthest);
    if (status)
        kst_free(field->allocator, farthest, bytes);
    else
        field->farthest = farthest;
    return status;
}

karst_status kst_field_find_ready(karst_field *field) {
    return field->paged && field->store.farthest ? know(field) : KARST_OK;
}

void kst_field_find_note(karst_field *field, const kst_page *page, float most) {
    if (!field->farthest) return;
    float *entry = &field->farthest[(size_t)page->z * (size_t)field->chunks_x + (size_t)page->x];
    *entry = fmaxf(*entry, most);
    field->farthest_all = fmaxf(field->farthest_all, most);
}

void kst_field_find_free(karst_field *field) {
    if (field->farthest) kst_free(field->allocator, field->farthest, chunk_count(field) * sizeof *field->farthest);
    field->farthest = NULL;
}

// ---- one axis: [low, high] of positions to vertices and chunks --------------------------------------------

typedef struct span {
    double low, high;  // relative to the first vertex at rest [m]
    double spacing_m;
    int32_t vertices, chunks;
} span;

static int32_t whole(double value, int32_t most) {
    return (int32_t)fmax(-1, fmin((double)most, value));
}

// Vertices within reach, first and last; a hair more, for what the sums round.
static void span_vertices(const span *s, double reach, int32_t *first, int32_t *last) {
    double low = (s->low - reach) / s->spacing_m, high = (s->high + reach) / s->spacing_m;
    double hair = 1e-6 + 1e-9 * fmax(fabs(low), fabs(high));
    *first = whole(ceil(low - hair), s->vertices);
    if (*first < 0) *first = 0;
    *last = whole(floor(high + hair), s->vertices - 1);
}

static void span_chunks(const span *s, double reach, int32_t *first, int32_t *last) {
    int32_t a, b;
    span_vertices(s, reach, &a, &b);
    *first = kst_most(0, (a - 1) / KARST_CHUNK_CELLS);  // a border belongs to the chunk before it too
    *last = b < 0 ? -1 : kst_least(s->chunks - 1, b / KARST_CHUNK_CELLS);
}

static span span_of(double low, double high, double origin, double spacing_m, int32_t vertices, int32_t chunks) {
    return (span){low - origin, high - origin, spacing_m, vertices, chunks};
}

karst_status karst_field_find(karst_field *field, karst_box box, karst_rect *out) {
    karst_status status = know(field);
    if (status) return status;
    const karst_field_shape *f = &field->shape;
    span sx = span_of(box.min.x, box.max.x, f->origin.x, f->spacing_m, f->columns, field->chunks_x);
    span sz = span_of(box.min.z, box.max.z, f->origin.z, f->spacing_m, f->rows, field->chunks_z);
    karst_rect all = {INT32_MAX, INT32_MAX, 0, 0};
    int32_t cx0, cx1, cz0, cz1;
    span_chunks(&sx, (double)field->farthest_all, &cx0, &cx1);
    span_chunks(&sz, (double)field->farthest_all, &cz0, &cz1);
    for (int32_t cz = cz0; cz <= cz1; ++cz)
        for (int32_t cx = cx0; cx <= cx1; ++cx) {
            double reach = (double)field->farthest[(size_t)cz * (size_t)field->chunks_x + (size_t)cx];
            int32_t x0, x1, z0, z1;
            span_vertices(&sx, reach, &x0, &x1);
            span_vertices(&sz, reach, &z0, &z1);
            x0 = kst_most(x0, cx * KARST_CHUNK_CELLS);
            z0 = kst_most(z0, cz * KARST_CHUNK_CELLS);
            x1 = kst_least(x1, kst_least((cx + 1) * KARST_CHUNK_CELLS, f->columns - 1));
            z1 = kst_least(z1, kst_least((cz + 1) * KARST_CHUNK_CELLS, f->rows - 1));
            if (x0 > x1 || z0 > z1) continue;
            all = (karst_rect){kst_least(all.x0, x0), kst_least(all.z0, z0), kst_most(all.x1, x1 + 1),
                               kst_most(all.z1, z1 + 1)};
        }
    *out = all.x1 ? all : (karst_rect){0, 0, 0, 0};
    return KARST_OK;
}

// ---- the highest ground ----------------------------------------------------------------------------------

static void top_of_page(const kst_page *page, karst_rect cells, const kst_exact_ray *down, double *y, bool *found) {
    karst_rect part = {kst_most(cells.x0, page->x * KARST_CHUNK_CELLS), kst_most(cells.z0, page->z * KARST_CHUNK_CELLS),
                       kst_least(cells.x1, (page->x + 1) * KARST_CHUNK_CELLS),
                       kst_least(cells.z1, (page->z + 1) * KARST_CHUNK_CELLS)};
    for (int32_t j = part.z0; j < part.z1; ++j)
        for (int32_t i = part.x0; i < part.x1; ++i) {
            int column = i - page->x * KARST_CHUNK_CELLS, row = j - page->z * KARST_CHUNK_CELLS;
            if (kst_view_hole(&page->view, column, row)) continue;
            for (int k = 0; k < 2; ++k) {
                kst_corners corner;
                double t;
                kst_cell_triangle(&page->view, column, row, k, &corner);
                if (!kst_triangle_cast(down, &corner, &t) || (*found && -t <= *y)) continue;
                *y = -t;
                *found = true;
            }
        }
}

karst_status karst_field_top(karst_field *field, double x, double z, double *y, bool *found) {
    // A point of a triangle is no farther from its rest place than its corners are; those lie a cell round it.
    double cell = 1.001 * field->shape.spacing_m;
    karst_rect vertices;
    karst_box box = {{x - cell, 0, z - cell}, {x + cell, 0, z + cell}};
    karst_status status = karst_field_find(field, box, &vertices);
    if (status) return status;
    karst_rect cells = {vertices.x0, vertices.z0, vertices.x1 - 1, vertices.z1 - 1};
    karst_ray ray = {.origin = {x, 0, z}, .direction = {0, -1, 0}, .t_min = -INFINITY, .t_max = INFINITY};
    kst_exact_ray down;
    kst_exact_ray_make(&ray, &down);
    double top = 0;
    bool any = false;
    if (cells.x0 < cells.x1 && cells.z0 < cells.z1) KST_FOR_BLOCKS(cells, KARST_CHUNK_CELLS, bx, bz) {
            kst_page *page;
            status = kst_page_get(field, bx, bz, &page);
            if (status) return status;
            top_of_page(page, cells, &down, &top, &any);
            kst_page_put(field, page);
        }
    if (any) *y = top;
    *found = any;
    return KARST_OK;
}
