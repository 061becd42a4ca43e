// SPDX-License-Identifier: MIT
// Merge: what a layer adds becomes the base's own, and the layer goes.
#include "project/world.h"

typedef struct merging {
    karst_project *project;
    karst_sheet layer;
    karst_field *base, *delta, *mask;  // mask NULL: none
    float *memory;                     // y, x, z of base and layer, the mask
} merging;

enum { BLOCK = KARST_CHUNK_CELLS * KARST_CHUNK_CELLS, PLANES = 7 };

static karst_status open_fields(merging *m, const karst_field_shape *shape, int64_t ground) {
    enum { CACHE_BYTES = 64 << 20 };
    karst_project *p = m->project;
    karst_status status = kst_world_open_owner(p, kst_world_ground_owner(ground), shape, CACHE_BYTES, &m->base);
    if (!status) status = kst_world_open_owner(p, kst_world_sheet_owner(m->layer.id), shape, CACHE_BYTES, &m->delta);
    if (!status && m->layer.mask)
        status = kst_world_open_owner(p, kst_world_sheet_owner(m->layer.mask), shape, CACHE_BYTES, &m->mask);
    m->memory = kst_alloc_array(NULL, BLOCK, PLANES * sizeof *m->memory);
    if (!status && !m->memory) status = kst_fail(&p->report, KARST_ERROR_MEMORY, "%s: out of memory", p->path);
    return status;
}

static bool all_zero(const float *values, size_t count) {
    for (size_t k = 0; k < count; ++k)
        if (values[k] != 0) return false;
    return true;
}

static karst_status merge_block(merging *m, karst_rect rect) {
    int width = rect.x1 - rect.x0;
    size_t count = (size_t)width * (size_t)(rect.z1 - rect.z0);
    float *base = m->memory, *delta = base + 3 * count, *mask = base + 6 * count;
    karst_status status = karst_field_read(m->delta, rect, delta, delta + count, delta + 2 * count, width);
    if (status || all_zero(delta, 3 * count)) return status;
    status = karst_field_read(m->base, rect, base, base + count, base + 2 * count, width);
    if (!status && m->mask) status = karst_field_read(m->mask, rect, mask, NULL, NULL, width);
    for (size_t k = 0; k < 3 && !status; ++k)
        kst_stack_add(base + k * count, delta + k * count, m->mask ? mask : NULL, m->layer.strength, count);
    return status ? status : karst_field_write(m->base, rect, base, base + count, base + 2 * count, width);
}

static karst_status merge_all(merging *m, const karst_field_shape *s, const karst_progress *progress) {
    karst_status status = KARST_OK;
    for (int32_t z = 0; z < s->rows && !status; z += KARST_CHUNK_CELLS)
        for (int32_t x = 0; x < s->columns && !status; x += KARST_CHUNK_CELLS) {
            karst_rect rect = {x, z, x + KARST_CHUNK_CELLS, z + KARST_CHUNK_CELLS};
            if (rect.x1 > s->columns) rect.x1 = s->columns;
            if (rect.z1 > s->rows) rect.z1 = s->rows;
            status = kst_progress_step(progress, "merge", (double)z / s->rows);
            if (status) kst_fail(&m->project->report, status, "%s: stopped", m->project->path);
            if (!status) status = merge_block(m, rect);
        }
    return status ? status : karst_field_flush(m->base);
}

karst_status karst_project_merge_layer(karst_project *project, int64_t id, const karst_progress *progress) {
    karst_project_ground g;
    merging m = {.project = project};
    karst_status status = kst_world_need_step(project);
    if (status) return status;
    pthread_mutex_lock(&project->mutex);
    status = kst_world_find_sheet(project, id, &m.layer);
    if (!status) status = kst_world_find_ground(project, m.layer.ground, KARST_PROJECT_FIELD, &g);
    pthread_mutex_unlock(&project->mutex);
    if (!status && !kst_layer_shows(&m.layer))
        status = kst_fail(&project->report, KARST_ERROR_ARGUMENT,
                          "%s: %s is no layer that shows: turn it on first, or remove it", project->path, m.layer.name);
    if (!status) status = open_fields(&m, &g.shape, g.id);
    if (!status) status = merge_all(&m, &g.shape, progress);
    karst_field_destroy(m.base);
    karst_field_destroy(m.delta);
    karst_field_destroy(m.mask);
    if (m.memory) kst_free(NULL, m.memory, BLOCK * PLANES * sizeof *m.memory);
    return status ? status : karst_project_remove_sheet(project, id);
}
