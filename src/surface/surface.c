// SPDX-License-Identifier: MIT
// Ground: the public calls go through the table of the kind.
#include "karst/surface.h"

#include <math.h>

#include "core/core.h"
#include "surface/near.h"

karst_ray karst_ray_make(karst_pos origin, karst_pos direction) {
    return (karst_ray){.origin = origin, .direction = direction, .t_min = 0, .t_max = INFINITY};
}

karst_box karst_ground_bounds(const karst_ground *ground) {
    return ground->table->bounds(ground);
}

uint32_t karst_ground_chunk_count(const karst_ground *ground) {
    return ground->table->chunk_count(ground);
}

karst_box karst_ground_chunk_bounds(const karst_ground *ground, uint32_t chunk) {
    KARST_ASSERT(chunk < ground->table->chunk_count(ground));
    return ground->table->chunk_bounds(ground, chunk);
}

karst_status karst_ground_triangles(const karst_ground *ground, uint32_t chunk, karst_triangle_fn *fn, void *context) {
    KARST_ASSERT(chunk < ground->table->chunk_count(ground));
    return ground->table->chunk_triangles(ground, chunk, fn, context);
}

karst_status karst_ground_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                  int *count) {
    return ground->table->heights(ground, x, z, out, capacity, count);
}

bool karst_ground_height(const karst_ground *ground, double x, double z, double *y) {
    if (ground->table->height) return ground->table->height(ground, x, z, y);
    karst_level level;
    int count = 0;
    if (ground->table->heights(ground, x, z, &level, 1, &count) || !count) return false;
    *y = level.y;
    return true;
}

karst_status karst_ground_cast(const karst_ground *ground, const karst_ray *ray, karst_hit *out) {
    return ground->table->cast(ground, ray, false, out);
}

karst_status karst_ground_blocked(const karst_ground *ground, const karst_ray *ray, bool *out) {
    karst_hit hit;
    karst_status status = ground->table->cast(ground, ray, true, &hit);
    if (!status) *out = hit.hit;
    return status;
}

karst_status karst_ground_near(const karst_ground *ground, karst_box box, karst_triangle_fn *fn, void *context) {
    if (!ground->table->near_box) return kst_near_by_chunks(ground, box, fn, context);
    return ground->table->near_box(ground, box, fn, context);
}

size_t karst_ground_memory(const karst_ground *ground) {
    return ground->table->memory(ground);
}
