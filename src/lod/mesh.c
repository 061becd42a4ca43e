// SPDX-License-Identifier: MIT
// Meshes of a field, region by region.
//
// Regions are as large as a tree handles well, their number depends on the field alone, and each is made by one thread;
// their common sides are shared borders, so that they meet whoever makes them, and the mesh does not depend on jobs.
#include "karst/mesh.h"

#include <math.h>
#include <stdatomic.h>

#include "lod/mesh_region.h"

enum { REGION_CELLS = 1024 };

karst_mesh_def karst_mesh_def_default(void) {
    return (karst_mesh_def){.error_m = 1, .refit = true, .cookie = KST_COOKIE};
}

void karst_mesh_destroy(karst_mesh *mesh) {
    if (!mesh) return;
    kst_free(mesh->allocator, mesh->position, mesh->vertex_count * sizeof *mesh->position);
    kst_free(mesh->allocator, mesh->place, mesh->vertex_count * sizeof *mesh->place);
    kst_free(mesh->allocator, mesh->triangle, mesh->triangle_count * sizeof *mesh->triangle);
    kst_free(mesh->allocator, mesh, sizeof *mesh);
}

karst_mesh *kst_mesh_alloc(const karst_allocator *a, uint32_t vertices, uint32_t triangles) {
    karst_mesh *m = kst_alloc_zero(a, sizeof *m);
    if (!m) return NULL;
    m->allocator = a;
    m->vertex_count = vertices;
    m->triangle_count = triangles;
    m->position = kst_alloc_array(a, vertices, sizeof *m->position);
    m->place = kst_alloc_array(a, vertices, sizeof *m->place);
    m->triangle = kst_alloc_array(a, triangles, sizeof *m->triangle);
    if (m->position && m->place && m->triangle) return m;
    karst_mesh_destroy(m);
    return NULL;
}

// ---- what is asked ---------------------------------------------------------------------------------------

typedef struct plan {
    karst_field *field;
    const karst_mesh_def *def;
    karst_rect part;
    bool shared[KST_SIDES];  // of the whole part
    int32_t across, along;   // regions
    karst_mesh **made;       // of each region
    pthread_mutex_t lock;    // of the field
    pthread_t caller;        // who alone may tell of progress
    _Atomic bool stop;
    _Atomic int finished;
} plan;

static karst_status check_def(plan *p) {
    const karst_mesh_def *def = p->def;
    karst_rect part = def->part;
    karst_field_shape s = karst_field_shape_of(p->field);
    if (part.x0 == part.x1 && part.z0 == part.z1) part = (karst_rect){0, 0, s.columns, s.rows};
    if (!(def->error_m >= 0) || !isfinite(def->error_m))
        return kst_fail(def->report, KARST_ERROR_ARGUMENT, "mesh: an error of %g m: give 0 or more", def->error_m);
    if (!(def->room_m >= 0) || !(def->room_m <= def->error_m))
        return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                        "mesh: an error of %g m, of which writing takes up to %g m: ask for a larger one", def->error_m,
                        def->room_m);
    if (part.x0 < 0 || part.z0 < 0 || part.x1 > s.columns || part.z1 > s.rows || part.x1 - part.x0 < 2 ||
        part.z1 - part.z0 < 2)
        return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                        "mesh: columns %d..%d, rows %d..%d: give at least 2 of each inside the field's %d x %d",
                        part.x0, part.x1 - 1, part.z0, part.z1 - 1, s.columns, s.rows);
    if (def->border == KARST_MESH_BORDER_SHARED) {
        p->shared[KST_LEFT] = part.x0 > 0;
        p->shared[KST_RIGHT] = part.x1 < s.columns;
        p->shared[KST_TOP] = part.z0 > 0;
        p->shared[KST_BOTTOM] = part.z1 < s.rows;
    }
    if (part.x1 - part.x0 - p->shared[KST_LEFT] - p->shared[KST_RIGHT] < 2 ||
        part.z1 - part.z0 - p->shared[KST_TOP] - p->shared[KST_BOTTOM] < 2)
        return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                        "mesh: %d x %d vertices: a part with shared borders has at least 4 x 4", part.x1 - part.x0,
                        part.z1 - part.z0);
    p->part = part;
    p->across = (part.x1 - part.x0 - 2) / REGION_CELLS + 1;
    p->along = (part.z1 - part.z0 - 2) / REGION_CELLS + 1;
    return KARST_OK;
}

// ---- regions ---------------------------------------------------------------------------------------------

// First vertex of region k of `count`, or the last of region k - 1.
static int32_t cut_at(int32_t first, int32_t end, int32_t k, int32_t count) {
    return first + (int32_t)((int64_t)(end - 1 - first) * k / count);
}

static bool step(void *context, const char *stage, double share) {
    plan *p = context;
    if (p->def->progress && pthread_equal(pthread_self(), p->caller)) {
        int count = p->across * p->along;
        double all = count == 1 ? share : (atomic_load(&p->finished) + share) / count;
        if (kst_progress_step(p->def->progress, stage, all < 1 ? all : 1)) atomic_store(&p->stop, true);
    }
    return !atomic_load(&p->stop);
}

static karst_status make_regions(int begin, int end, int worker, void *context) {
    (void)worker;
    plan *p = context;
    const karst_progress progress = {step, p};
    karst_status status = KARST_OK;
    for (int k = begin; k < end && !status; ++k) {
        int32_t x = k % p->across, z = k / p->across;
        kst_region region = {
            .field = p->field,
            .lock = &p->lock,
            .part = {cut_at(p->part.x0, p->part.x1, x, p->across), cut_at(p->part.z0, p->part.z1, z, p->along),
                     cut_at(p->part.x0, p->part.x1, x + 1, p->across) + 1,
                     cut_at(p->part.z0, p->part.z1, z + 1, p->along) + 1},
            .shared = {x > 0 || p->shared[KST_LEFT], x < p->across - 1 || p->shared[KST_RIGHT],
                       z > 0 || p->shared[KST_TOP], z < p->along - 1 || p->shared[KST_BOTTOM]},
            .error_m = p->def->error_m - p->def->room_m,
            .refit = p->def->refit,
            .progress = &progress,
            .allocator = p->def->allocator};
        status = kst_region_mesh(&region, &p->made[k]);
        atomic_fetch_add(&p->finished, 1);
    }
    return status;
}

// ---- joining ---------------------------------------------------------------------------------------------

static bool is_cut(int32_t first, int32_t end, int32_t count, int32_t at) {
    int32_t k = (int32_t)((int64_t)(at - first) * count / (end - 1 - first));  // of this cut, or of the one before
    return (k > 0 && k < count && at == cut_at(first, end, k, count)) ||
           (k + 1 < count && at == cut_at(first, end, k + 1, count));
}

static bool is_on_cut(const plan *p, karst_mesh_place at) {
    return is_cut(p->part.x0, p->part.x1, p->across, at.column) || is_cut(p->part.z0, p->part.z1, p->along, at.row);
}

// The numbers that vertices get. Those on cuts are found by place in an open hash table.
typedef struct seam {
    struct seam_slot {
        karst_mesh_place at;
        uint32_t number;  // + 1
    } * slot;
    size_t slot_count;  // a power of two
    uint32_t *fresh;    // of all regions' vertices, one region after another
    uint32_t count;
} seam;

static uint32_t number_of(seam *s, karst_mesh_place at) {
    size_t k = (size_t)kst_hash(&at, sizeof at, 0) & (s->slot_count - 1);
    for (; s->slot[k].number; k = (k + 1) & (s->slot_count - 1))
        if (!memcmp(&s->slot[k].at, &at, sizeof at)) return s->slot[k].number - 1;
    s->slot[k] = (struct seam_slot){at, ++s->count};
    return s->count - 1;
}

static void number_vertices(const plan *p, seam *s) {
    uint32_t *fresh = s->fresh;
    for (int k = 0; k < p->across * p->along; ++k) {
        const karst_mesh *m = p->made[k];
        for (uint32_t v = 0; v < m->vertex_count; ++v)
            *fresh++ = is_on_cut(p, m->place[v]) ? number_of(s, m->place[v]) : s->count++;
    }
}

static void copy_regions(const plan *p, const seam *s, karst_mesh *all) {
    const uint32_t *fresh = s->fresh;
    uint32_t triangle = 0;
    for (int k = 0; k < p->across * p->along; ++k) {
        const karst_mesh *m = p->made[k];
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            all->position[fresh[v]] = m->position[v];
            all->place[fresh[v]] = m->place[v];
        }
        for (uint32_t t = 0; t < m->triangle_count; ++t, ++triangle)
            for (int c = 0; c < 3; ++c) all->triangle[triangle][c] = fresh[m->triangle[t][c]];
        all->error_m = fmax(all->error_m, m->error_m);
        fresh += m->vertex_count;
    }
}

static karst_status join(const plan *p, karst_mesh **out) {
    const karst_allocator *a = p->def->allocator;
    size_t vertices = 0, triangles = 0, on_cut = 0;
    for (int k = 0; k < p->across * p->along; ++k) {
        const karst_mesh *m = p->made[k];
        for (uint32_t v = 0; v < m->vertex_count; ++v) on_cut += is_on_cut(p, m->place[v]);
        vertices += m->vertex_count;
        triangles += m->triangle_count;
    }
    if (triangles > KARST_MESH_MAX_TRIANGLES)
        return kst_fail(p->def->report, KARST_ERROR_LIMIT,
                        "mesh: %zu triangles, the most are %d: allow a larger error, or mesh parts with shared borders",
                        triangles, KARST_MESH_MAX_TRIANGLES);
    seam s = {.slot_count = 16};
    while (s.slot_count < 2 * on_cut) s.slot_count *= 2;
    s.slot = kst_alloc_zero(a, s.slot_count * sizeof *s.slot);
    s.fresh = kst_alloc_array(a, vertices + 1, sizeof *s.fresh);
    karst_mesh *all = NULL;
    if (s.slot && s.fresh) {
        number_vertices(p, &s);
        all = kst_mesh_alloc(a, s.count, (uint32_t)triangles);
        if (all) copy_regions(p, &s, all);
    }
    kst_free(a, s.slot, s.slot_count * sizeof *s.slot);
    kst_free(a, s.fresh, (vertices + 1) * sizeof *s.fresh);
    if (!all) return KARST_ERROR_MEMORY;
    *out = all;
    return KARST_OK;
}

karst_status karst_mesh_build(karst_field *field, const karst_mesh_def *def, karst_mesh **out) {
    karst_mesh_def plain = karst_mesh_def_default();
    if (!def) def = &plain;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    plan p = {.field = field, .def = def, .caller = pthread_self()};
    karst_status status = check_def(&p);
    if (status) return status;
    size_t count = (size_t)p.across * (size_t)p.along;
    p.made = kst_alloc_zero(def->allocator, count * sizeof(karst_mesh *));
    pthread_mutex_init(&p.lock, NULL);
    status = p.made ? kst_jobs_run(def->jobs, (int)count, 1, make_regions, &p, NULL, "mesh", 0, 1) : KARST_ERROR_MEMORY;
    if (def->report) def->report->message[0] = 0;
    if (!status && count == 1) {
        *out = p.made[0];
        p.made[0] = NULL;
    } else if (!status) {
        status = join(&p, out);
    }
    if (status && (!def->report || !def->report->message[0]))
        kst_fail(def->report, status, "mesh: %s", karst_status_text(status));
    for (size_t k = 0; k < count && p.made; ++k) karst_mesh_destroy(p.made[k]);
    kst_free(def->allocator, p.made, count * sizeof(karst_mesh *));
    pthread_mutex_destroy(&p.lock);
    return status;
}
