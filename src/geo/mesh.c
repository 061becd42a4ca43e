// SPDX-License-Identifier: MIT
// The reference triangles of a ground, welded.
//
// A vertex that two triangles or two chunks share comes as the same bits from both, by the ground's own promise, so
// vertices are welded by their bits and no tolerance is needed.
#include "geo/mesh.h"

#include <math.h>

static const size_t triangles_max = (size_t)1 << 27;

typedef struct collector {
    kst_mesh *mesh;
    karst_status status;
} collector;

static bool grow(void **memory, size_t *room, size_t each) {
    size_t more = *room ? 2 * *room : 4096, bytes;
    if (!kst_size_mul(more, each, &bytes)) return false;
    void *fresh = kst_alloc(NULL, bytes);
    if (!fresh) return false;
    if (*room) memcpy(fresh, *memory, *room * each);
    kst_free(NULL, *memory, *room * each);
    *memory = fresh;
    *room = more;
    return true;
}

static size_t find_slot(const kst_mesh *m, const double p[3]) {
    size_t mask = m->slot_count - 1, at = (size_t)kst_hash(p, 24, 0) & mask;
    while (m->slot[at] && memcmp(m->position[m->slot[at] - 1], p, 24) != 0) at = (at + 1) & mask;
    return at;
}

static bool rehash(kst_mesh *m) {
    size_t old = m->slot_count, count = old ? 2 * old : 16384;
    uint32_t *slot = kst_alloc_zero(NULL, count * sizeof *slot);
    if (!slot) return false;
    kst_free(NULL, m->slot, old * sizeof *m->slot);
    m->slot = slot;
    m->slot_count = count;
    for (size_t v = 0; v < m->vertex_count; ++v) m->slot[find_slot(m, m->position[v])] = (uint32_t)v + 1;
    return true;
}

static bool weld(kst_mesh *m, karst_pos at, uint32_t *out) {
    double p[3] = {at.x + 0.0, at.y + 0.0, at.z + 0.0};  // -0 is 0
    if (2 * m->vertex_count >= m->slot_count && !rehash(m)) return false;
    size_t slot = find_slot(m, p);
    if (!m->slot[slot]) {
        if (m->vertex_count == m->vertex_room && !grow((void **)&m->position, &m->vertex_room, sizeof *m->position))
            return false;
        memcpy(m->position[m->vertex_count], p, sizeof p);
        m->slot[slot] = (uint32_t)++m->vertex_count;
        for (int k = 0; k < 3; ++k) {
            if (p[k] < m->min[k]) m->min[k] = p[k];
            if (p[k] > m->max[k]) m->max[k] = p[k];
        }
    }
    *out = m->slot[slot] - 1;
    return true;
}

static bool take(void *context, const karst_triangle *triangles, int count) {
    collector *c = context;
    kst_mesh *m = c->mesh;
    for (int i = 0; i < count; ++i) {
        c->status = m->triangle_count >= triangles_max ? KARST_ERROR_LIMIT : KARST_ERROR_MEMORY;
        if (c->status == KARST_ERROR_LIMIT) return false;
        if (m->triangle_count == m->triangle_room &&
            !grow((void **)&m->triangle, &m->triangle_room, sizeof *m->triangle))
            return false;
        for (int k = 0; k < 3; ++k)
            if (!weld(m, triangles[i].corner[k], &m->triangle[m->triangle_count][k])) return false;
        ++m->triangle_count;
    }
    c->status = KARST_OK;
    return true;
}

karst_status kst_mesh_build(kst_mesh *mesh, const karst_ground *ground, const char *path,
                            const karst_progress *progress, karst_report *report) {
    *mesh = (kst_mesh){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
    collector c = {mesh, KARST_OK};
    uint32_t chunks = karst_ground_chunk_count(ground);
    karst_status status = KARST_OK;
    for (uint32_t k = 0; k < chunks && !status; ++k) {
        status = kst_progress_step(progress, "collect", (double)k / chunks);
        if (!status) status = karst_ground_triangles(ground, k, take, &c);
        if (c.status) status = c.status;
    }
    if (status == KARST_ERROR_LIMIT)
        kst_fail(report, status, "%s: more than %zu triangles: too many for one mesh; write a raster (.tif)", path,
                 triangles_max);
    else if (status)
        kst_fail(report, status, "%s: cannot collect the triangles: %s", path, karst_status_text(status));
    else if (!mesh->triangle_count)
        status = kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: the ground has no triangle: it is one hole", path);
    kst_free(NULL, mesh->slot, mesh->slot_count * sizeof *mesh->slot);  // the writers need no search
    mesh->slot = NULL;
    mesh->slot_count = 0;
    if (status) kst_mesh_free(mesh);
    return status;
}

void kst_mesh_free(kst_mesh *mesh) {
    kst_free(NULL, mesh->position, mesh->vertex_room * sizeof *mesh->position);
    kst_free(NULL, mesh->triangle, mesh->triangle_room * sizeof *mesh->triangle);
    kst_free(NULL, mesh->slot, mesh->slot_count * sizeof *mesh->slot);
    *mesh = (kst_mesh){0};
}
