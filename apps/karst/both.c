// SPDX-License-Identifier: MIT
// Both: two grounds as one.
#include "both.h"

#include <math.h>

#include "core/core.h"

static const both *of(const karst_ground *ground) {
    return (const both *)ground;
}

static karst_box both_bounds(const karst_ground *ground) {
    const both *b = of(ground);
    if (b->is_fixed) return b->bounds;
    karst_box all = karst_ground_bounds(b->zones);
    if (!b->field) return all;
    karst_box more = karst_ground_bounds(b->field);
    all.min = (karst_pos){fmin(all.min.x, more.min.x), fmin(all.min.y, more.min.y), fmin(all.min.z, more.min.z)};
    all.max = (karst_pos){fmax(all.max.x, more.max.x), fmax(all.max.y, more.max.y), fmax(all.max.z, more.max.z)};
    return all;
}

static uint32_t field_chunks(const both *b) {
    return b->field ? karst_ground_chunk_count(b->field) : 0;
}

static uint32_t both_chunk_count(const karst_ground *ground) {
    return field_chunks(of(ground)) + karst_ground_chunk_count(of(ground)->zones);
}

// Which of the two has a chunk, and its number there.
static const karst_ground *whose(const both *b, uint32_t *chunk) {
    uint32_t fields = field_chunks(b);
    if (*chunk < fields) return b->field;
    *chunk -= fields;
    return b->zones;
}

static karst_box both_chunk_bounds(const karst_ground *ground, uint32_t chunk) {
    const karst_ground *one = whose(of(ground), &chunk);
    return karst_ground_chunk_bounds(one, chunk);
}

// Triangles of zones on their way, with the numbers of chunks that both have together.
typedef struct renumbered {
    karst_triangle_fn *fn;
    void *context;
    uint32_t first_chunk;
} renumbered;

static bool renumber(void *context, const karst_triangle *triangles, int count) {
    const renumbered *r = context;
    enum { AT_ONCE = 64 };
    karst_triangle some[AT_ONCE];
    for (int first = 0; first < count; first += AT_ONCE) {
        int n = count - first < AT_ONCE ? count - first : AT_ONCE;
        for (int k = 0; k < n; ++k) {
            some[k] = triangles[first + k];
            some[k].place.chunk += r->first_chunk;
        }
        if (!r->fn(r->context, some, n)) return false;
    }
    return true;
}

static karst_status both_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn, void *context) {
    const both *b = of(ground);
    const karst_ground *one = whose(b, &chunk);
    if (one == b->field) return karst_ground_triangles(one, chunk, fn, context);
    renumbered r = {fn, context, field_chunks(b)};
    return karst_ground_triangles(one, chunk, renumber, &r);
}

// `more` into out, both sorted from the top; at most capacity stay.
static void merge(karst_level *out, int count, const karst_level *more, int more_count, int capacity) {
    for (int i = count - 1, j = more_count - 1, at = count + more_count - 1; j >= 0; --at) {
        const karst_level *lower = i >= 0 && out[i].y <= more[j].y ? &out[i--] : &more[j--];
        if (at < capacity) out[at] = *lower;
    }
}

static karst_status both_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                 int *count) {
    const both *b = of(ground);
    enum { FEW = 32 };
    karst_level few[FEW], *more = few;
    int fields = 0, zones = 0;
    size_t bytes = 0;
    *count = 0;
    if (capacity > FEW) {
        if (!kst_size_mul((size_t)capacity, sizeof *more, &bytes)) return KARST_ERROR_MEMORY;
        more = kst_alloc(NULL, bytes);
        if (!more) return KARST_ERROR_MEMORY;
    }
    karst_status status = b->field ? karst_ground_heights(b->field, x, z, out, capacity, &fields) : KARST_OK;
    if (!status) status = karst_ground_heights(b->zones, x, z, more, capacity, &zones);
    if (!status) {
        int z_here = zones < capacity ? zones : capacity, f_here = fields < capacity ? fields : capacity;
        uint32_t first = field_chunks(b);
        for (int k = 0; k < z_here; ++k) more[k].place.chunk += first;
        merge(out, f_here, more, z_here, capacity);
        *count = fields + zones;
    }
    if (more != few) kst_free(NULL, more, bytes);
    return status;
}

static karst_status both_cast(const karst_ground *ground, const karst_ray *ray, bool any, karst_hit *out) {
    const both *b = of(ground);
    *out = (karst_hit){0};
    karst_status status = b->field ? b->field->table->cast(b->field, ray, any, out) : KARST_OK;
    if (status || (any && out->hit)) return status;
    karst_ray shorter = *ray;
    if (out->hit) shorter.t_max = out->t;
    karst_hit hit = {0};
    status = b->zones->table->cast(b->zones, &shorter, any, &hit);
    if (status || !hit.hit || (out->hit && hit.t >= out->t)) return status;
    hit.place.chunk += field_chunks(b);
    *out = hit;
    return KARST_OK;
}

static karst_status both_near(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context) {
    const both *b = of(ground);
    karst_status status = b->field ? karst_ground_near(b->field, box, fn, context) : KARST_OK;
    renumbered r = {fn, context, field_chunks(b)};
    return status ? status : karst_ground_near(b->zones, box, renumber, &r);
}

static size_t both_memory(const karst_ground *ground) {
    const karst_ground *field = of(ground)->field;
    return (field ? karst_ground_memory(field) : 0) + karst_ground_memory(of(ground)->zones);
}

static const karst_ground_table table = {
    .kind = "both",
    .bounds = both_bounds,
    .chunk_count = both_chunk_count,
    .chunk_bounds = both_chunk_bounds,
    .chunk_triangles = both_triangles,
    .heights = both_heights,
    .cast = both_cast,
    .memory = both_memory,
    .near_box = both_near,
};

const karst_ground *both_make(both *out, const karst_ground *field, const karst_ground *zones,
                              const karst_box *bounds) {
    *out = (both){.ground = {&table}, .field = field, .zones = zones, .is_fixed = bounds != NULL};
    if (bounds) out->bounds = *bounds;
    return &out->ground;
}
