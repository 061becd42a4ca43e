// SPDX-License-Identifier: MIT
// Meshes of a field: reads the region, has it triangulated, proves the result, hands it out.
#include "karst/mesh.h"

#include <math.h>

#include "lod/rqt.h"

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

// ---- the region --------------------------------------------------------------------------------------

enum { SPARE = 8 };  // floats behind the samples that vector loads may touch

typedef struct job {
    karst_field *field;
    const karst_mesh_def *def;
    karst_field_shape shape;
    kst_rqt r;
    kst_net net;
    size_t samples;
    float *y, *x, *z;
    uint32_t *hole_sum;
    kst_ring ring;
    uint8_t *beyond[KST_SIDES];  // holes on the far side of shared borders
    double error_m;
} job;

static karst_status check_def(job *m) {
    const karst_mesh_def *def = m->def;
    karst_rect part = def->part;
    const karst_field_shape *s = &m->shape;
    if (part.x0 == part.x1 && part.z0 == part.z1) part = (karst_rect){0, 0, s->columns, s->rows};
    if (!(def->error_m >= 0) || !isfinite(def->error_m))
        return kst_fail(def->report, KARST_ERROR_ARGUMENT, "mesh: an error of %g m: give 0 or more", def->error_m);
    if (!(def->room_m >= 0) || !(def->room_m <= def->error_m))
        return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                        "mesh: an error of %g m, of which writing takes up to %g m: ask for a larger one", def->error_m,
                        def->room_m);
    if (part.x0 < 0 || part.z0 < 0 || part.x1 > s->columns || part.z1 > s->rows || part.x1 - part.x0 < 2 ||
        part.z1 - part.z0 < 2)
        return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                        "mesh: columns %d..%d, rows %d..%d: give at least 2 of each inside the field's %d x %d",
                        part.x0, part.x1 - 1, part.z0, part.z1 - 1, s->columns, s->rows);
    int64_t samples = (int64_t)(part.x1 - part.x0) * (part.z1 - part.z0);
    if (samples > KARST_MESH_MAX_SAMPLES)
        return kst_fail(def->report, KARST_ERROR_LIMIT,
                        "mesh: %lld samples: one mesh has up to %d; mesh parts with shared borders", (long long)samples,
                        KARST_MESH_MAX_SAMPLES);
    kst_ring *g = &m->ring;
    *g = (kst_ring){.x0 = part.x0, .z0 = part.z0, .x1 = part.x1 - 1, .z1 = part.z1 - 1, .refit = def->refit};
    if (def->border == KARST_MESH_BORDER_SHARED) {
        g->shared[KST_LEFT] = part.x0 > 0;
        g->shared[KST_RIGHT] = part.x1 < s->columns;
        g->shared[KST_TOP] = part.z0 > 0;
        g->shared[KST_BOTTOM] = part.z1 < s->rows;
        if (part.x1 - part.x0 - g->shared[KST_LEFT] - g->shared[KST_RIGHT] < 2 ||
            part.z1 - part.z0 - g->shared[KST_TOP] - g->shared[KST_BOTTOM] < 2)
            return kst_fail(def->report, KARST_ERROR_ARGUMENT,
                            "mesh: %d x %d vertices: a part with shared borders has at least 4 x 4", part.x1 - part.x0,
                            part.z1 - part.z0);
    }
    m->samples = (size_t)samples;
    m->r = (kst_rqt){.allocator = def->allocator,
                     .x0 = part.x0,
                     .z0 = part.z0,
                     .x1 = part.x1 - 1,
                     .z1 = part.z1 - 1,
                     .from_x = part.x0,
                     .from_z = part.z0,
                     .columns = part.x1 - part.x0,
                     .rows = part.z1 - part.z0,
                     .error = def->error_m - def->room_m};
    return KARST_OK;
}

static bool any_not_zero(const float *v, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (v[i] != 0) return true;
    return false;
}

// Hole cells left of and above each vertex; none are kept as NULL.
static karst_status read_holes(job *m) {
    kst_rqt *r = &m->r;
    size_t across = (size_t)r->columns - 1, along = (size_t)r->rows - 1, row = (size_t)r->columns;
    uint8_t *hole = kst_alloc_array(m->def->allocator, across, along);
    if (!hole) return KARST_ERROR_MEMORY;
    karst_status status = karst_field_read_holes(m->field, (karst_rect){r->x0, r->z0, r->x1, r->z1}, hole, (int)across);
    if (!status && memchr(hole, 1, across * along)) {
        m->hole_sum = kst_alloc_zero(m->def->allocator, m->samples * sizeof *m->hole_sum);
        if (!m->hole_sum) status = KARST_ERROR_MEMORY;
        for (size_t j = 0; j < along && !status; ++j)
            for (size_t i = 0, sum = 0; i < across; ++i) {
                sum += hole[j * across + i];
                m->hole_sum[(j + 1) * row + i + 1] = m->hole_sum[j * row + i + 1] + (uint32_t)sum;
            }
    }
    kst_free(m->def->allocator, hole, across * along);
    r->hole_sum = m->hole_sum;
    return status;
}

static karst_status read_region(job *m) {
    kst_rqt *r = &m->r;
    size_t room = m->samples + SPARE;
    m->y = kst_alloc_array(m->def->allocator, room, sizeof(float));
    m->x = kst_alloc_array(m->def->allocator, room, sizeof(float));
    m->z = kst_alloc_array(m->def->allocator, room, sizeof(float));
    if (!m->y || !m->x || !m->z) return KARST_ERROR_MEMORY;
    memset(m->y + m->samples, 0, SPARE * sizeof(float));
    karst_status status =
        karst_field_read(m->field, (karst_rect){r->x0, r->z0, r->x1 + 1, r->z1 + 1}, m->y, m->x, m->z, r->columns);
    if (status) return status;
    r->y = m->y;
    if (any_not_zero(m->x, m->samples) || any_not_zero(m->z, m->samples)) {
        r->x = m->x;
        r->z = m->z;
    } else {
        kst_free(m->def->allocator, m->x, room * sizeof(float));
        kst_free(m->def->allocator, m->z, room * sizeof(float));
        m->x = m->z = NULL;
    }
    return read_holes(m);
}

static size_t side_cells(const job *m, int side) {
    return (size_t)(side < KST_TOP ? m->r.rows : m->r.columns) - 1;
}

static karst_status open_ring(job *m) {
    kst_ring *g = &m->ring;
    g->r = &m->r;
    for (int side = 0; side < KST_SIDES; ++side) {
        if (!g->shared[side]) continue;
        m->beyond[side] = kst_alloc_array(m->def->allocator, side_cells(m, side), 1);
        if (!m->beyond[side]) return KARST_ERROR_MEMORY;
        const karst_rect cells[KST_SIDES] = {{g->x0 - 1, g->z0, g->x0, g->z1},
                                             {g->x1, g->z0, g->x1 + 1, g->z1},
                                             {g->x0, g->z0 - 1, g->x1, g->z0},
                                             {g->x0, g->z1, g->x1, g->z1 + 1}};
        int stride = cells[side].x1 - cells[side].x0;
        karst_status status = karst_field_read_holes(m->field, cells[side], m->beyond[side], stride);
        if (status) return status;
        g->beyond[side] = m->beyond[side];
    }
    return kst_ring_open(g);
}

static void close_job(job *m) {
    size_t room = (m->samples + SPARE) * sizeof(float);
    const karst_allocator *a = m->def->allocator;
    kst_net_close(&m->net, &m->r);
    if (m->ring.r) kst_ring_close(&m->ring);
    for (int side = 0; side < KST_SIDES; ++side) kst_free(a, m->beyond[side], side_cells(m, side));
    kst_rqt_close(&m->r);
    kst_free(a, m->y, room);
    kst_free(a, m->x, room);
    kst_free(a, m->z, room);
    kst_free(a, m->hole_sum, m->samples * sizeof *m->hole_sum);
}

// ---- proof and hand-out --------------------------------------------------------------------------------

// The largest distance at any sample, of the mesh as it is handed out.
static void prove(job *m) {
    const kst_net *net = &m->net;
    const kst_rqt *r = &m->r;
    for (uint32_t t = 0; t < net->triangle_count; ++t) {
        kst_node place[3];
        float shift[3][3];
        for (int k = 0; k < 3; ++k) {
            uint32_t v = net->corner[t][k];
            size_t at = kst_place_at(r, net->place[v]);
            place[k] = net->place[v];
            shift[k][0] = net->height[v];
            shift[k][1] = r->x ? r->x[at] : 0;
            shift[k][2] = r->z ? r->z[at] : 0;
        }
        double d = kst_rqt_distance(r, place, (const float(*)[3])shift);
        if (d > m->error_m) m->error_m = d;
    }
}

static karst_status hand_out(job *m, karst_mesh **out) {
    const kst_net *net = &m->net;
    const kst_rqt *r = &m->r;
    const karst_allocator *a = m->def->allocator;
    karst_mesh *mesh = kst_alloc_zero(a, sizeof *mesh);
    if (!mesh) return KARST_ERROR_MEMORY;
    mesh->allocator = a;
    mesh->error_m = m->error_m;
    mesh->vertex_count = net->vertex_count;
    mesh->triangle_count = net->triangle_count;
    mesh->position = kst_alloc_array(a, net->vertex_count, sizeof *mesh->position);
    mesh->place = kst_alloc_array(a, net->vertex_count, sizeof *mesh->place);
    mesh->triangle = kst_alloc_array(a, net->triangle_count, sizeof *mesh->triangle);
    if (net->triangle_count && (!mesh->position || !mesh->place || !mesh->triangle)) {
        karst_mesh_destroy(mesh);
        return KARST_ERROR_MEMORY;
    }
    const karst_field_shape *s = &m->shape;
    for (uint32_t v = 0; v < net->vertex_count; ++v) {
        kst_node p = net->place[v];
        size_t at = kst_place_at(r, p);
        double x = p.i * s->spacing_m + (r->x ? (double)r->x[at] : 0);
        double z = p.j * s->spacing_m + (r->z ? (double)r->z[at] : 0);
        mesh->position[v] = (karst_pos){s->origin.x + x, s->origin.y + (double)net->height[v], s->origin.z + z};
        mesh->place[v] = (karst_mesh_place){p.i, p.j};
    }
    if (net->triangle_count) memcpy(mesh->triangle, net->corner, net->triangle_count * sizeof *mesh->triangle);
    *out = mesh;
    return KARST_OK;
}

karst_status karst_mesh_build(karst_field *field, const karst_mesh_def *def, karst_mesh **out) {
    karst_mesh_def plain = karst_mesh_def_default();
    if (!def) def = &plain;
    KARST_ASSERT(def->cookie == KST_COOKIE);
    job m = {.field = field, .def = def, .shape = karst_field_shape_of(field)};
    karst_status status = check_def(&m);
    if (status) return status;
    status = read_region(&m);
    if (!status) status = open_ring(&m);
    if (!status) status = kst_rqt_open(&m.r);
    if (!status) status = kst_rqt_select(&m.r, def->progress);
    if (!status) status = kst_net_open(&m.net, &m.r);
    if (!status && def->refit && !m.r.x && m.r.error > 0) status = kst_rqt_refit(&m.r, &m.net, def->progress);
    if (!status) status = kst_ring_zip(&m.ring, &m.net);
    if (!status) {
        prove(&m);
        status = hand_out(&m, out);
    }
    if (status) kst_fail(def->report, status, "mesh: %s", karst_status_text(status));
    close_job(&m);
    return status;
}
