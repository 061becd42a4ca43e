// SPDX-License-Identifier: MIT
// Fitted normals: a vertex that speaks for a wide piece of the source may get better normals than its own.
//
// The vertex is replaced by a copy of itself: a record without triangles, whose wedges differ in their normals alone.
// So the buffer of vertices is still one for all levels, and finer levels show what the source has. The normal of a
// wedge is the one that, mixed over its faces, is nearest to the normals of the samples there, in least squares; its
// neighbours stay as they are.
#include "mrm/order.h"

// A copy is worth it when normals turn by this much [rad] over a vertex's share of the surface.
static const float worth = 0.07f;

typedef struct fit {
    int count;
    uint32_t wedge[KST_COPY_WEDGES];
    float sum[KST_COPY_WEDGES][3], share[KST_COPY_WEDGES];  // of samples, by weight
    float by[KST_COPY_WEDGES][3];                           // what the normal changes
} fit;

// Room for copies, as a share of the vertices and of the wedges.
static uint32_t with_copies(uint32_t count) {
    return count + count / 2;
}

karst_status kst_fit_room(karst_model **model, karst_report *report) {
    karst_model *m = *model, *wide;
    karst_model_size size = {.vertices = with_copies(m->vertex_count),
                             .wedges = with_copies(m->wedge_count),
                             .triangles = m->triangle_count,
                             .materials = m->material_count,
                             .joints = m->joint_count,
                             .uv_sets = m->uv_sets,
                             .normals = m->normal != NULL,
                             .colours = m->colour != NULL};
    karst_status status = karst_model_create(&size, NULL, report, &wide);
    if (status) return status;
    wide->origin = m->origin;
    wide->vertex_count = m->vertex_count;
    wide->wedge_count = m->wedge_count;
#define COPY(name, count) \
    if (m->name) memcpy(wide->name, m->name, (count) * sizeof *m->name)
    COPY(position, m->vertex_count);
    COPY(skin, m->vertex_count);
    COPY(vertex, m->wedge_count);
    COPY(normal, m->wedge_count);
    COPY(colour, m->wedge_count);
    for (int k = 0; k < m->uv_sets; ++k) COPY(uv[k], m->wedge_count);
    COPY(triangle, m->triangle_count);
    COPY(paint, m->triangle_count);
    COPY(material, m->material_count);
    COPY(joint, m->joint_count);
#undef COPY
    karst_model_destroy(m);
    *model = wide;
    return KARST_OK;
}

static int corner_of(const kst_order *o, uint32_t f, uint32_t v) {
    return o->face[f][0] == v ? 0 : o->face[f][1] == v ? 1 : 2;
}

static uint32_t own_wedge(const kst_order *o, uint32_t f, uint32_t v) {
    return o->corner[f][corner_of(o, f, v)];
}

static void add(fit *x, int at, float weight, float share, const float off[3]) {
    for (int c = 0; c < 3; ++c) x->sum[at][c] += weight * share * off[c];
    x->share[at] += weight * share * share;
}

// The wedge's place in the fit, with its own source normal counted in; -1: too many.
static int wedge_at(const kst_order *o, fit *x, uint32_t w) {
    for (int k = 0; k < x->count; ++k)
        if (x->wedge[k] == w) return k;
    if (x->count == KST_COPY_WEDGES) return -1;
    float off[3];
    kst_sub(o->attribute[o->origin[w]] + 2, o->attribute[w] + 2, off);
    x->wedge[x->count] = w;
    add(x, x->count, o->sample.weight[o->origin[w]], 1, off);
    return x->count++;
}

typedef struct spread {
    float e[3], g[3], n[3], inverse;
} spread;

// Shares of the corners at the place of a face nearest to a sample, as far as its plane tells.
static void shares_at(const spread *s, const float p[3], float share[3]) {
    float m[3];
    kst_cross(p, s->g, m);
    share[1] = kst_clamp01(kst_dot(m, s->n) * s->inverse);
    kst_cross(s->e, p, m);
    share[2] = kst_clamp01(kst_dot(m, s->n) * s->inverse);
    float sum = share[1] + share[2], over = sum > 1 ? 1 / sum : 1;
    share[1] *= over, share[2] *= over;
    share[0] = 1 - share[1] - share[2];
}

// All samples of a face: what their normals differ by from what is shown there; either summed up, or told of the
// change.
static void each_sample(kst_order *o, uint32_t f, uint32_t u, fit *x, int at, bool tell) {
    int k = corner_of(o, f, u);
    const uint32_t *v = o->face[f], *w = o->corner[f];
    const float *n[3] = {o->attribute[w[k]] + 2, o->attribute[w[(k + 1) % 3]] + 2, o->attribute[w[(k + 2) % 3]] + 2};
    spread s;
    kst_sub(o->at[v[(k + 1) % 3]].place, o->at[u].place, s.e);
    kst_sub(o->at[v[(k + 2) % 3]].place, o->at[u].place, s.g);
    kst_cross(s.e, s.g, s.n);
    float area = kst_dot(s.n, s.n);
    if (area <= 0) return;
    s.inverse = 1 / area;
    for (uint32_t i = o->sample_of[f]; i != KST_NONE; i = o->sample.next[i]) {
        if (i >= o->source_wedges) continue;
        float p[3], share[3], off[3], now[3];
        kst_sub(o->sample.place[i], o->at[u].place, p);
        shares_at(&s, p, share);
        for (int c = 0; c < 3; ++c)
            off[c] = o->attribute[i][2 + c] - share[0] * n[0][c] - share[1] * n[1][c] - share[2] * n[2][c];
        if (!tell) {
            add(x, at, o->sample.weight[i], share[0], off);
            continue;
        }
        for (int c = 0; c < 3; ++c) now[c] = off[c] - share[0] * x->by[at][c];
        o->sample.off[i] = fmaxf(0, o->sample.off[i] + kst_dot(now, now) - kst_dot(off, off));
    }
}

static bool gather(kst_order *o, uint32_t u, fit *x) {
    x->count = 0;
    memset(x->sum, 0, sizeof x->sum);
    memset(x->share, 0, sizeof x->share);
    for (uint32_t j = 0; j < o->at[u].listed; ++j) {
        uint32_t f = o->pool[o->at[u].list + j];
        int at = wedge_at(o, x, own_wedge(o, f, u));
        if (at < 0) return false;
        each_sample(o, f, u, x, at, false);
    }
    return true;
}

// The changes, kept to length; returns by how much the sum of squares over the samples falls.
static float solve(const kst_order *o, fit *x) {
    float gain = 0;
    for (int k = 0; k < x->count; ++k) {
        const float *was = o->attribute[x->wedge[k]] + 2;
        float now[3];
        memset(x->by[k], 0, sizeof x->by[k]);
        if (x->share[k] <= 0) continue;
        for (int c = 0; c < 3; ++c) now[c] = was[c] + x->sum[k][c] / x->share[k];
        float square = kst_dot(now, now);
        if (square <= 0) continue;
        float scale = o->normal_length / sqrtf(square);
        for (int c = 0; c < 3; ++c) x->by[k][c] = now[c] * scale - was[c];
        gain += 2 * kst_dot(x->by[k], x->sum[k]) - x->share[k] * kst_dot(x->by[k], x->by[k]);
    }
    return gain;
}

// With what it holds in the source, but for its normals.
static uint32_t copy_wedge(kst_order *o, uint32_t w, const float by[3], uint32_t vertex) {
    karst_model *m = o->source;
    uint32_t to = o->wedge_count++;
    m->wedge_count = o->wedge_count;
    float n[3];
    memcpy(o->attribute[to], o->attribute[w], sizeof *o->attribute);
    for (int c = 0; c < 3; ++c) n[c] = o->attribute[to][2 + c] += by[c];
    m->normal[to] = (karst_vec3){n[0] / o->normal_length, n[1] / o->normal_length, n[2] / o->normal_length};
    m->vertex[to] = vertex;
    for (int k = 0; k < m->uv_sets; ++k) memcpy(m->uv[k][to], m->uv[k][w], sizeof *m->uv[k]);
    if (m->colour) memcpy(m->colour[to], m->colour[w], sizeof *m->colour);
    o->origin[to] = o->origin[w];
    return to;
}

static uint32_t copy_vertex(kst_order *o, uint32_t v) {
    karst_model *m = o->source;
    uint32_t to = o->vertex_count++;
    m->vertex_count = o->vertex_count;
    m->position[to] = kst_place_now(o, v);
    if (m->skin) m->skin[to] = m->skin[v];
    memcpy(o->at[to].place, o->at[v].place, sizeof o->at[v].place);
    memcpy(o->normal[to], o->normal[v], sizeof *o->normal);
    o->at[to].border = o->at[v].border;
    o->part[to] = o->part[v];
    return to;
}

bool kst_fit(kst_order *o, uint32_t u, kst_copy *out) {
    if (o->keep[u] || !o->at[u].listed || o->normal_length <= 0) return false;
    fit x;
    if (!gather(o, u, &x)) return false;
    float least = worth * o->normal_length * worth * o->normal_length * o->area / (float)o->live_vertices;
    if (solve(o, &x) <= least) return false;
    if (o->vertex_count == o->vertex_room || (uint32_t)x.count > o->wedge_room - o->wedge_count) return false;
    for (uint32_t j = 0; j < o->at[u].listed; ++j) {
        uint32_t f = o->pool[o->at[u].list + j];
        each_sample(o, f, u, &x, wedge_at(o, &x, own_wedge(o, f, u)), true);
    }
    out->vertex = copy_vertex(o, u);
    out->count = x.count;
    for (int k = 0; k < x.count; ++k) {
        out->before[k] = x.wedge[k];
        out->after[k] = copy_wedge(o, x.wedge[k], x.by[k], out->vertex);
    }
    return true;
}
