// SPDX-License-Identifier: MIT
// One region of a mesh: reads its samples, has them triangulated, proves the result and hands it out.
#include "lod/mesh_region.h"

#include <math.h>

enum { SPARE = 8 };  // floats behind the samples that vector loads may touch

typedef struct job {
    const kst_region *def;
    karst_field_shape shape;
    kst_rqt r;
    kst_net net;
    kst_ring ring;
    size_t samples;
    float *y, *x, *z;
    uint32_t *hole_sum;
    uint8_t *beyond[KST_SIDES];  // holes on the far side of shared borders
    double error_m;              // found
} job;

// ---- the samples ---------------------------------------------------------------------------------------

static bool any_not_zero(const float *v, size_t count) {
    for (size_t i = 0; i < count; ++i)
        if (v[i] != 0) return true;
    return false;
}

// A field is read from one thread at a time.
static karst_status read_cells(const job *m, karst_rect cells, uint8_t *hole, int stride) {
    pthread_mutex_lock(m->def->lock);
    karst_status status = karst_field_read_holes(m->def->field, cells, hole, stride);
    pthread_mutex_unlock(m->def->lock);
    return status;
}

// Hole cells left of and above each vertex; none are kept as NULL.
static karst_status read_holes(job *m) {
    kst_rqt *r = &m->r;
    size_t across = (size_t)r->columns - 1, along = (size_t)r->rows - 1, row = (size_t)r->columns;
    uint8_t *hole = kst_alloc_array(m->def->allocator, across, along);
    if (!hole) return KARST_ERROR_MEMORY;
    karst_status status = read_cells(m, (karst_rect){r->x0, r->z0, r->x1, r->z1}, hole, (int)across);
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

static karst_status read_samples(job *m) {
    kst_rqt *r = &m->r;
    size_t room = m->samples + SPARE;
    m->y = kst_alloc_array(m->def->allocator, room, sizeof(float));
    m->x = kst_alloc_array(m->def->allocator, room, sizeof(float));
    m->z = kst_alloc_array(m->def->allocator, room, sizeof(float));
    if (!m->y || !m->x || !m->z) return KARST_ERROR_MEMORY;
    memset(m->y + m->samples, 0, SPARE * sizeof(float));
    pthread_mutex_lock(m->def->lock);
    karst_status status =
        karst_field_read(m->def->field, (karst_rect){r->x0, r->z0, r->x1 + 1, r->z1 + 1}, m->y, m->x, m->z, r->columns);
    pthread_mutex_unlock(m->def->lock);
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
        karst_status status = read_cells(m, cells[side], m->beyond[side], stride);
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
        const float height[3] = {shift[0][0], shift[1][0], shift[2][0]};
        double d = r->x ? kst_rqt_distance(r, place, (const float(*)[3])shift) : kst_rqt_off(r, place, height);
        if (d > m->error_m) m->error_m = d;
    }
}

static karst_status hand_out(job *m, karst_mesh **out) {
    const kst_net *net = &m->net;
    const kst_rqt *r = &m->r;
    const karst_allocator *a = m->def->allocator;
    karst_mesh *mesh = kst_mesh_alloc(a, net->vertex_count, net->triangle_count);
    if (!mesh) return KARST_ERROR_MEMORY;
    mesh->error_m = m->error_m;
    const karst_field_shape *s = &m->shape;
    for (uint32_t v = 0; v < net->vertex_count; ++v) {
        kst_node p = net->place[v];
        size_t at = kst_place_at(r, p);
        double x = p.i * s->spacing_m + (r->x ? (double)r->x[at] : 0);
        double z = p.j * s->spacing_m + (r->z ? (double)r->z[at] : 0);
        mesh->position[v] = (karst_pos){s->origin.x + x, s->origin.y + (double)net->height[v], s->origin.z + z};
        mesh->place[v] = (karst_mesh_place){p.i, p.j};
    }
    memcpy(mesh->triangle, net->corner, net->triangle_count * sizeof *mesh->triangle);
    *out = mesh;
    return KARST_OK;
}

// What sums of world coordinates may round [m]: heights alone, over no origin, are exact.
static double grain(const job *m) {
    const karst_field_shape *s = &m->shape;
    if (!m->r.x && s->origin.y == 0) return 0;
    double reach = fabs(s->origin.x) + fabs(s->origin.y) + fabs(s->origin.z);
    return 0x1p-50 * (reach + s->spacing_m * (s->columns + s->rows) + m->def->error_m);
}

karst_status kst_region_mesh(const kst_region *def, karst_mesh **out) {
    karst_rect p = def->part;
    job m = {.def = def, .shape = karst_field_shape_of(def->field)};
    m.samples = (size_t)(p.x1 - p.x0) * (size_t)(p.z1 - p.z0);
    m.r = (kst_rqt){.allocator = def->allocator,
                    .x0 = p.x0,
                    .z0 = p.z0,
                    .x1 = p.x1 - 1,
                    .z1 = p.z1 - 1,
                    .from_x = p.x0,
                    .from_z = p.z0,
                    .columns = p.x1 - p.x0,
                    .rows = p.z1 - p.z0};
    m.ring = (kst_ring){.x0 = p.x0, .z0 = p.z0, .x1 = p.x1 - 1, .z1 = p.z1 - 1, .refit = def->refit};
    memcpy(m.ring.shared, def->shared, sizeof m.ring.shared);
    karst_status status = read_samples(&m);
    if (!status) {
        double rounded = grain(&m);
        m.r.error = def->error_m > rounded ? def->error_m - rounded : 0;
        status = open_ring(&m);
    }
    if (!status) status = kst_rqt_open(&m.r);
    if (!status) status = kst_rqt_select(&m.r, def->progress);
    if (!status) status = kst_net_open(&m.net, &m.r);
    if (!status && def->refit && !m.r.x && m.r.error > 0) status = kst_rqt_refit(&m.r, &m.net, def->progress);
    if (!status) status = kst_ring_zip(&m.ring, &m.net);
    if (!status) {
        prove(&m);
        status = hand_out(&m, out);
    }
    close_job(&m);
    return status;
}
