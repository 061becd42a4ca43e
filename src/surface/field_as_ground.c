// SPDX-License-Identifier: MIT
// The author's field as a ground: which pages it pins, and what it knows of chunks without loading them.
//
// The first query after a write looks at the chunks that changed; of a paged field the very first reads them all once.
#include <math.h>

#include "surface/pages.h"
#include "surface/ray.h"

// Bounds of a chunk relative to the ground's origin; min > max when it is all hole.
typedef struct kst_chunk_reach {
    double min[3], max[3];
    float sideways_m;
    bool known;
} reach;

static karst_field *field_of(kst_field_ground *ground) {
    return (karst_field *)((char *)ground - offsetof(karst_field, ground));
}

static size_t chunk_count(const karst_field *field) {
    return (size_t)field->chunks_x * (size_t)field->chunks_z;
}

static void measure(reach *r, const kst_chunk_view *view) {
    r->known = true;
    r->sideways_m = 0;
    for (int k = 0; view->x && k < KARST_CHUNK_VERTICES; ++k)
        r->sideways_m = fmaxf(r->sideways_m, fmaxf(fabsf(view->x[k]), fabsf(view->z[k])));
    if (kst_view_bounds(view, r->min, r->max)) return;
    for (int a = 0; a < 3; ++a) r->min[a] = INFINITY, r->max[a] = -INFINITY;
}

// A chunk that nobody touched lies flat at its rest place.
static void measure_untouched(const karst_field *field, reach *r, int32_t x, int32_t z) {
    const karst_field_shape *s = &field->shape;
    int32_t x1 = (x + 1) * KARST_CHUNK_CELLS, z1 = (z + 1) * KARST_CHUNK_CELLS;
    if (x1 > s->columns - 1) x1 = s->columns - 1;
    if (z1 > s->rows - 1) z1 = s->rows - 1;
    *r = (reach){.min = {x * KARST_CHUNK_CELLS * s->spacing_m, 0, z * KARST_CHUNK_CELLS * s->spacing_m},
                 .max = {x1 * s->spacing_m, 0, z1 * s->spacing_m},
                 .known = true};
}

static karst_status measure_changed(karst_field *field) {
    for (int32_t z = 0; z < field->chunks_z; ++z)
        for (int32_t x = 0; x < field->chunks_x; ++x) {
            reach *r = &field->reach[(size_t)z * (size_t)field->chunks_x + (size_t)x];
            if (r->known) continue;
            if (!field->paged && !kst_page_peek(field, x, z)) {
                measure_untouched(field, r, x, z);
                continue;
            }
            kst_page *page;
            karst_status status = kst_page_get(field, x, z, &page);
            if (status) return status;
            measure(r, &page->view);
            kst_page_put(field, page);
        }
    return KARST_OK;
}

static void sum_up(karst_field *field) {
    double min[3] = {INFINITY, INFINITY, INFINITY}, max[3] = {-INFINITY, -INFINITY, -INFINITY};
    float sideways = 0;
    for (size_t k = 0; k < chunk_count(field); ++k) {
        const reach *r = &field->reach[k];
        sideways = fmaxf(sideways, r->sideways_m);
        for (int a = 0; a < 3; ++a) {
            min[a] = fmin(min[a], r->min[a]);
            max[a] = fmax(max[a], r->max[a]);
        }
    }
    karst_pos o = field->shape.origin;
    field->ground.all =
        (karst_box){{o.x + min[0], o.y + min[1], o.z + min[2]}, {o.x + max[0], o.y + max[1], o.z + max[2]}};
    field->ground.displaced = sideways > 0;
    field->ground.reach_m = (double)sideways;
}

static __attribute__((noinline)) karst_status look_again(kst_field_ground *ground) {
    karst_field *field = field_of(ground);
    pthread_mutex_lock(&field->ground_lock);
    karst_status status = KARST_OK;
    if (!field->ground_ready) {
        if (!field->reach) {
            size_t bytes;
            if (kst_size_mul(chunk_count(field), sizeof *field->reach, &bytes))
                field->reach = kst_alloc_zero(field->allocator, bytes);
        }
        status = field->reach ? measure_changed(field) : KARST_ERROR_MEMORY;
        if (!status) {
            sum_up(field);
            kst_field_ground_clear(ground);
            __atomic_store_n(&field->ground_ready, true, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&field->ground_lock);
    return status;
}

static karst_status begin(kst_field_ground *ground) {
    bool ready = __atomic_load_n(&field_of(ground)->ground_ready, __ATOMIC_ACQUIRE);
    return ready ? KARST_OK : look_again(ground);
}

static __attribute__((noinline)) karst_status pin_slowly(karst_field *field, int32_t x, int32_t z,
                                                         const kst_chunk_view **view, const kst_chunk_tree **tree,
                                                         void **handle) {
    kst_page *page;
    karst_status status = kst_page_get(field, x, z, &page);
    if (status) return status;
    if (tree) status = kst_page_tree(field, page, tree);
    *view = &page->view;
    if (status || !field->paged)
        kst_page_put(field, page);
    else
        *handle = page;
    return status;
}

// In memory pages stay where they are, so nothing needs to be held; a paged field holds the page.
static karst_status pin(kst_field_ground *ground, int32_t x, int32_t z, const kst_chunk_view **view,
                        const kst_chunk_tree **tree, void **handle) {
    karst_field *field = field_of(ground);
    *handle = NULL;
    kst_page *page = field->paged ? NULL : kst_page_peek(field, x, z);
    const kst_chunk_tree *built = page && tree ? __atomic_load_n(&page->tree, __ATOMIC_ACQUIRE) : NULL;
    if (!page || (tree && !built)) return pin_slowly(field, x, z, view, tree, handle);
    *view = &page->view;
    if (tree) *tree = built;
    return KARST_OK;
}

static void release(kst_field_ground *ground, void *handle) {
    if (handle) kst_page_put(field_of(ground), handle);
}

static bool bounds(kst_field_ground *ground, int32_t x, int32_t z, float out[6]) {
    karst_field *field = field_of(ground);
    const reach *r = &field->reach[(size_t)z * (size_t)field->chunks_x + (size_t)x];
    for (int a = 0; a < 3; ++a) {
        out[a] = kst_float_below(r->min[a]);
        out[a + 3] = kst_float_above(r->max[a]);
    }
    return r->min[0] <= r->max[0];
}

static size_t memory(const kst_field_ground *ground) {
    karst_field *field = field_of((kst_field_ground *)(uintptr_t)ground);
    pthread_mutex_lock(&field->lock);
    size_t bytes = field->bytes + (field->reach ? chunk_count(field) * sizeof *field->reach : 0);
    pthread_mutex_unlock(&field->lock);
    return bytes;
}

void kst_field_ground_init(karst_field *field) {
    pthread_mutex_init(&field->ground_lock, NULL);
    field->ground = (kst_field_ground){.base.table = &kst_field_ground_table,
                                       .shape = field->shape,
                                       .chunks_x = field->chunks_x,
                                       .chunks_z = field->chunks_z,
                                       .begin = begin,
                                       .pin = pin,
                                       .release = release,
                                       .bounds = bounds,
                                       .memory = memory,
                                       .allocator = field->allocator};
}

void kst_field_ground_forget(karst_field *field, int32_t chunk_x, int32_t chunk_z) {
    if (field->reach) field->reach[(size_t)chunk_z * (size_t)field->chunks_x + (size_t)chunk_x].known = false;
    __atomic_store_n(&field->ground_ready, false, __ATOMIC_RELEASE);
}

void kst_field_ground_free(karst_field *field) {
    kst_field_ground_clear(&field->ground);
    if (field->reach) kst_free(field->allocator, field->reach, chunk_count(field) * sizeof *field->reach);
    field->reach = NULL;
    pthread_mutex_destroy(&field->ground_lock);
}

const karst_ground *karst_field_ground(karst_field *field) {
    return &field->ground.base;
}
