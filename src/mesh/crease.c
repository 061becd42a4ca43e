// SPDX-License-Identifier: MIT
// Normals from a crease angle.
//
// Corners at a vertex whose faces meet at a soft edge are one group, along chains of such edges. A group's normal is
// the sum of a x b / (|a|^2 |b|^2) over its corners, a and b their two edges.
//
// After: N. Max, "Weights for Computing Vertex Normals from Facet Normals", Journal of Graphics Tools 4(2), 1999. The
// weights need no angle, so nothing here depends on a C library's sine.
#include "mesh/crease.h"

#include <math.h>

#include "mesh/adjacency.h"
#include "mesh/weld.h"

enum {
    MOST_FACES = 8,  // of an edge that may be soft: each is compared with each
    SOME = 1 << 17,  // edges, corners: progress is told
};

// cos x = 1 - 2 sin^2(x / 2), the sine by its series, whose rest is below 1e-17 on [0, pi / 2].
static double cosine(double x) {
    double h = x / 2, term = h, sine = h;
    for (int k = 1; k < 12; ++k) {
        term *= -h * h / ((2 * k) * (2 * k + 1));
        sine += term;
    }
    return 1 - 2 * sine * sine;
}

typedef struct crease {
    const karst_model *model;
    uint32_t (*triangle)[3];  // vertices
    uint32_t *group;          // of a corner: another of its group, at last the first
    double (*sum)[3];         // of a group, at its first corner
    double (*whole)[3];       // of a vertex
    kst_edges edges;
    double least_cos;
    const karst_progress *progress;
} crease;

static karst_status step(const crease *c, double share) {
    return kst_progress_step(c->progress, "crease", share);
}

static void crease_free(crease *c) {
    size_t corners = 3 * (size_t)c->model->triangle_count + 1;
    kst_free(NULL, c->triangle, corners * sizeof(uint32_t));
    kst_free(NULL, c->group, corners * sizeof *c->group);
    kst_free(NULL, c->sum, corners * sizeof *c->sum);
    kst_free(NULL, c->whole, ((size_t)c->model->vertex_count + 1) * sizeof *c->whole);
    kst_edges_free(&c->edges);
}

static karst_status crease_create(crease *c) {
    const karst_model *m = c->model;
    size_t corners = 3 * (size_t)m->triangle_count + 1;
    c->triangle = kst_alloc(NULL, corners * sizeof(uint32_t));
    c->group = kst_alloc(NULL, corners * sizeof *c->group);
    c->sum = kst_alloc_zero(NULL, corners * sizeof *c->sum);
    c->whole = kst_alloc_zero(NULL, ((size_t)m->vertex_count + 1) * sizeof *c->whole);
    if (!c->triangle || !c->group || !c->sum || !c->whole) return KARST_ERROR_MEMORY;
    for (uint32_t t = 0; t < m->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            c->triangle[t][k] = m->vertex[m->triangle[t][k]];
            c->group[3 * t + (uint32_t)k] = 3 * t + (uint32_t)k;
        }
    return kst_edges_create(m->vertex_count, (const uint32_t(*)[3])c->triangle, m->triangle_count, &c->edges);
}

// ---- groups ----------------------------------------------------------------------------------------------

static uint32_t first_of(uint32_t *group, uint32_t corner) {
    while (group[corner] != corner) corner = group[corner] = group[group[corner]];
    return corner;
}

static void join(uint32_t *group, uint32_t a, uint32_t b) {
    a = first_of(group, a);
    b = first_of(group, b);
    if (a < b)
        group[b] = a;
    else
        group[a] = b;
}

static bool is_soft(const crease *c, uint32_t s, uint32_t t) {
    double a[3], b[3];
    kst_triangle_normal(c->model->position, c->triangle[s / 3], a);
    kst_triangle_normal(c->model->position, c->triangle[t / 3], b);
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double lengths = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    return lengths > 0 && dot >= c->least_cos * lengths;
}

// The corner of a side at a vertex of its edge.
static uint32_t corner_at(const crease *c, uint32_t side, uint32_t vertex) {
    return c->triangle[side / 3][side % 3] == vertex ? side : kst_next_corner(side);
}

static karst_status group_corners(crease *c) {
    const kst_edges *e = &c->edges;
    for (uint32_t i = 0; i < e->edge_count; ++i) {
        karst_status status = i % SOME ? KARST_OK : step(c, 0.2 + 0.2 * i / e->edge_count);
        if (status) return status;
        uint32_t from = e->first[i], to = e->first[i + 1];
        if (to - from > MOST_FACES) continue;
        for (uint32_t a = from; a < to; ++a)
            for (uint32_t b = a + 1; b < to; ++b) {
                if (!is_soft(c, e->side[a], e->side[b])) continue;
                for (int k = 0; k < 2; ++k)
                    join(c->group, corner_at(c, e->side[a], e->end[i][k]), corner_at(c, e->side[b], e->end[i][k]));
            }
    }
    return KARST_OK;
}

// ---- normals ---------------------------------------------------------------------------------------------

// Max's weight of a corner times its face's normal; nothing at a corner of no size.
static void weighted(const karst_vec3 *position, const uint32_t v[3], int k, double out[3]) {
    uint32_t turned[3] = {v[k], v[(k + 1) % 3], v[(k + 2) % 3]};
    double square[2];
    for (int i = 0; i < 2; ++i) {
        karst_vec3 o = position[turned[0]], p = position[turned[i + 1]];
        double x = (double)p.x - (double)o.x, y = (double)p.y - (double)o.y, z = (double)p.z - (double)o.z;
        square[i] = x * x + y * y + z * z;
    }
    kst_triangle_normal(position, turned, out);
    double weight = square[0] > 0 && square[1] > 0 ? 1 / square[0] / square[1] : 0;
    for (int i = 0; i < 3; ++i) out[i] *= weight;
}

static karst_status add_up(crease *c) {
    uint32_t corners = 3 * c->model->triangle_count;
    for (uint32_t corner = 0; corner < corners; ++corner) {
        karst_status status = corner % SOME ? KARST_OK : step(c, 0.4 + 0.2 * corner / corners);
        if (status) return status;
        double n[3];
        weighted(c->model->position, c->triangle[corner / 3], (int)(corner % 3), n);
        double *sum = c->sum[first_of(c->group, corner)];
        double *whole = c->whole[c->triangle[corner / 3][corner % 3]];
        for (int i = 0; i < 3; ++i) {
            sum[i] += n[i];
            whole[i] += n[i];
        }
    }
    return KARST_OK;
}

static bool unit(const double n[3], karst_vec3 *out) {
    double most = fmax(fmax(fabs(n[0]), fabs(n[1])), fabs(n[2]));
    if (!(most > 0) || !isfinite(most)) return false;
    double x = n[0] / most, y = n[1] / most, z = n[2] / most, length = sqrt(x * x + y * y + z * z);
    *out = (karst_vec3){(float)(x / length), (float)(y / length), (float)(z / length)};
    return true;
}

// Where no face of a group has an area, its vertex's other faces decide, then up does.
static karst_vec3 normal_of(crease *c, uint32_t corner) {
    karst_vec3 n = {0, 1, 0};
    if (!unit(c->sum[first_of(c->group, corner)], &n)) unit(c->whole[c->triangle[corner / 3][corner % 3]], &n);
    return n;
}

// ---- the new model: a wedge a corner, then those that are equal joined ---------------------------------

static karst_status fill(crease *c, karst_model *out) {
    const karst_model *m = c->model;
    out->origin = m->origin;
    if (m->vertex_count) memcpy(out->position, m->position, m->vertex_count * sizeof *m->position);
    if (m->skin) memcpy(out->skin, m->skin, m->vertex_count * sizeof *m->skin);
    if (m->paint) memcpy(out->paint, m->paint, m->triangle_count * sizeof *m->paint);
    if (m->material) memcpy(out->material, m->material, m->material_count * sizeof *m->material);
    if (m->joint) memcpy(out->joint, m->joint, m->joint_count * sizeof *m->joint);
    for (uint32_t corner = 0; corner < out->wedge_count; ++corner) {
        karst_status status = corner % SOME ? KARST_OK : step(c, 0.6 + 0.2 * corner / out->wedge_count);
        if (status) return status;
        uint32_t w = m->triangle[corner / 3][corner % 3];
        out->triangle[corner / 3][corner % 3] = corner;
        out->vertex[corner] = m->vertex[w];
        out->normal[corner] = normal_of(c, corner);
        for (int k = 0; k < m->uv_sets; ++k) memcpy(out->uv[k][corner], m->uv[k][w], sizeof *m->uv[k]);
        if (m->colour) memcpy(out->colour[corner], m->colour[w], sizeof *m->colour);
    }
    return KARST_OK;
}

// Keep the first of equal wedges.
static karst_status join_wedges(karst_model *m, const karst_progress *progress) {
    size_t bytes = ((size_t)m->wedge_count + 1) * sizeof(uint32_t);
    uint32_t *into = kst_alloc(NULL, bytes);
    karst_status status = into ? kst_weld_wedges(m, NULL, progress, into) : KARST_ERROR_MEMORY;
    if (!status) {
        uint32_t kept = 0;
        for (uint32_t w = 0; w < m->wedge_count; ++w) {
            bool stays = into[w] == w;
            if (stays) kst_move_wedge(m, kept, w);
            into[w] = stays ? kept++ : into[into[w]];  // those it joins stand before it and are numbered
        }
        m->wedge_count = kept;
        for (uint32_t t = 0; t < m->triangle_count; ++t)
            for (int k = 0; k < 3; ++k) m->triangle[t][k] = into[m->triangle[t][k]];
    }
    kst_free(NULL, into, bytes);
    return status;
}

karst_status kst_model_crease(const karst_model *model, double crease_rad, const karst_progress *progress,
                              karst_report *report, karst_model **out) {
    KARST_ASSERT(crease_rad >= 0 && crease_rad <= 3.1416);
    karst_status status = karst_model_check(model, report);
    if (status) return status;
    crease c = {.model = model, .least_cos = cosine(crease_rad) - 1e-12, .progress = progress};
    karst_model_size size = {
        .vertices = model->vertex_count,
        .wedges = 3 * model->triangle_count,
        .triangles = model->triangle_count,
        .materials = model->material_count,
        .joints = model->joint_count,
        .uv_sets = model->uv_sets,
        .normals = true,
        .colours = model->colour != NULL,
    };
    karst_model *wide = NULL;
    status = crease_create(&c);
    if (!status) status = step(&c, 0.2);
    if (!status) status = karst_model_create(&size, model->allocator, report, &wide);
    if (!status) status = group_corners(&c);
    if (!status) status = add_up(&c);
    if (!status) status = fill(&c, wide);
    if (!status) status = join_wedges(wide, progress);
    if (!status) status = step(&c, 1);
    crease_free(&c);
    if (!status) status = karst_model_copy(wide, report, out);  // of the size it came to
    karst_model_destroy(wide);
    if (status) kst_fail(report, status, "model: %s while making normals", karst_status_text(status));
    return status;
}

karst_status karst_model_crease(const karst_model *model, double crease_rad, karst_report *report, karst_model **out) {
    return kst_model_crease(model, crease_rad, NULL, report, out);
}
