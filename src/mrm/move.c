// SPDX-License-Identifier: MIT
// Moving the vertex that stays: one least-squares step to where the samples on its faces are nearest.
#include "mesh/mrm.h"
#include "mrm/order.h"

static const float pull = 1e-3f;         // towards staying, as a share of the trace
static const float least_cosine = 0.5f;  // no face may turn farther

typedef struct normal_equations {
    double a[6], b[3], before;  // a: xx xy xz yy yz zz
} normal_equations;

static int corner_of(const kst_order *o, uint32_t f, uint32_t v) {
    return o->face[f][0] == v ? 0 : o->face[f][1] == v ? 1 : 2;
}

// Add the samples of one face, which moves by its share at the sample along its normal.
static bool add_face(kst_order *o, uint32_t f, uint32_t u, normal_equations *eq) {
    kst_star *s = o->star;
    int k = corner_of(o, f, u);
    const float *at = o->at[u].place;
    float e[3], g[3], n[3], p[3], m[3];
    kst_sub(o->at[o->face[f][(k + 1) % 3]].place, at, e);
    kst_sub(o->at[o->face[f][(k + 2) % 3]].place, at, g);
    kst_cross(e, g, n);
    float area = kst_dot(n, n);
    if (area <= 0) return false;
    float inverse = 1 / area, length = sqrtf(inverse);
    for (uint32_t i = o->sample_of[f]; i != KST_NONE; i = o->sample.next[i]) {
        if (s->sample_count >= KST_STAR_SAMPLES - 80) return false;
        kst_sub(o->sample.place[i], at, p);
        kst_cross(p, g, m);
        float b1 = kst_dot(m, n) * inverse;
        kst_cross(e, p, m);
        float b2 = kst_dot(m, n) * inverse, b0 = kst_clamp01(1 - b1 - b2);
        double off = (double)(kst_dot(p, n) * length), weight = (double)o->sample.weight[i];
        double normal[3] = {(double)(n[0] * length), (double)(n[1] * length), (double)(n[2] * length)};
        double share = (double)b0, q = weight * share * share;
        eq->a[0] += q * normal[0] * normal[0], eq->a[1] += q * normal[0] * normal[1];
        eq->a[2] += q * normal[0] * normal[2], eq->a[3] += q * normal[1] * normal[1];
        eq->a[4] += q * normal[1] * normal[2], eq->a[5] += q * normal[2] * normal[2];
        for (int c = 0; c < 3; ++c) eq->b[c] += weight * share * off * normal[c];
        eq->before += weight * (double)o->sample.off[i];
        int at_sample = s->sample_count++;
        for (int c = 0; c < 3; ++c) s->x[c][at_sample] = o->sample.place[i][c];
        for (int c = 0; c < KST_ATTRIBUTES; ++c)
            s->attribute[c][at_sample] = o->attributes && i < o->source_wedges ? o->attribute[i][c] : 0;
        s->weight[at_sample] = o->sample.weight[i];
        s->sample[at_sample] = i;
    }
    return true;
}

// By Cramer's rule; false when there is nothing to solve.
static bool solve(normal_equations *eq, double out[3]) {
    double *a = eq->a, *b = eq->b, trace = a[0] + a[3] + a[5];
    if (!(trace > 0)) return false;
    a[0] += (double)pull * trace, a[3] += (double)pull * trace, a[5] += (double)pull * trace;
    double c0 = a[3] * a[5] - a[4] * a[4], c1 = a[2] * a[4] - a[1] * a[5], c2 = a[1] * a[4] - a[2] * a[3];
    double determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
    if (!(determinant > 0)) return false;
    out[0] = (c0 * b[0] + c1 * b[1] + c2 * b[2]) / determinant;
    out[1] = (c1 * b[0] + (a[0] * a[5] - a[2] * a[2]) * b[1] + (a[1] * a[2] - a[0] * a[4]) * b[2]) / determinant;
    out[2] = (c2 * b[0] + (a[1] * a[2] - a[0] * a[4]) * b[1] + (a[0] * a[3] - a[1] * a[1]) * b[2]) / determinant;
    return true;
}

// The faces of u as they would be; false when one turns too far.
static bool fan_at(kst_order *o, uint32_t u, const float to[3]) {
    kst_star *s = o->star;
    s->fan_count = 0;
    for (uint32_t j = 0; j < o->at[u].listed; ++j) {
        uint32_t f = o->pool[o->at[u].list + j];
        int k = corner_of(o, f, u);
        kst_fan_face *x = &s->fan[s->fan_count++];
        float e[3], g[3], was[3], h[3];
        x->face = f, x->a = o->face[f][(k + 1) % 3], x->b = o->face[f][(k + 2) % 3];
        for (int c = 0; c < 3; ++c) x->wedge[c] = o->corner[f][(k + c) % 3];
        kst_sub(o->at[x->a].place, to, x->e);
        kst_sub(o->at[x->b].place, to, x->g);
        kst_cross(x->e, x->g, x->n);
        kst_sub(o->at[x->a].place, o->at[u].place, e);
        kst_sub(o->at[x->b].place, o->at[u].place, g);
        kst_cross(e, g, was);
        float area = kst_dot(x->n, x->n);
        if (area < 1e-24f || kst_dot(x->n, was) < least_cosine * sqrtf(area * kst_dot(was, was))) return false;
        kst_sub(x->g, x->e, h);
        x->inv_n = 1 / area, x->inv_e = 1 / kst_dot(x->e, x->e);
        x->inv_g = 1 / kst_dot(x->g, x->g), x->inv_h = 1 / kst_dot(h, h);
    }
    return true;
}

// The nearest place to one in diagonals that has a code. [m]
static bool nearest_code(const kst_order *o, uint32_t v, const float at[3], uint16_t *code, karst_vec3 *place) {
    karst_vec3 p = o->source->position[v];
    const double from[3] = {(double)p.x, (double)p.y, (double)p.z};
    double offset[3];
    for (int c = 0; c < 3; ++c) offset[c] = (double)at[c] * o->diagonal + o->middle[c] - from[c];
    if (!kst_mrm_move_code(offset, o->move_unit, code)) return false;
    *place = kst_mrm_moved(p, o->move_unit, *code);
    return true;
}

// To becomes a place that has a code; false when none is near, or u is there.
static bool snap_place(const kst_order *o, uint32_t u, float to[3], uint16_t *code) {
    karst_vec3 p;
    if (!nearest_code(o, u, to, code, &p)) return false;
    kst_place_of(o, p, to);
    return memcmp(to, o->at[u].place, sizeof o->at[u].place) != 0;
}

karst_vec3 kst_place_now(const kst_order *o, uint32_t v) {
    float own[3];
    uint16_t code;
    karst_vec3 p = o->source->position[v];
    kst_place_of(o, p, own);
    if (memcmp(own, o->at[v].place, sizeof own)) nearest_code(o, v, o->at[v].place, &code, &p);
    return p;
}

void kst_move_target(kst_order *o, uint32_t u) {
    if (o->at[u].border || o->keep[u] || !o->at[u].listed || o->at[u].listed > KST_STAR_FACES) return;
    kst_star *s = o->star;
    normal_equations eq = {0};
    s->sample_count = 0;
    for (uint32_t j = 0; j < o->at[u].listed; ++j)
        if (!add_face(o, o->pool[o->at[u].list + j], u, &eq)) return;
    double by[3], after = 0;
    if (!solve(&eq, by)) return;
    float to[3];
    for (int c = 0; c < 3; ++c) to[c] = o->at[u].place[c] + (float)by[c];
    uint16_t code;
    if (!snap_place(o, u, to, &code) || !fan_at(o, u, to)) return;
    kst_nearest(o, s, to);
    for (int i = 0; i < s->sample_count; ++i) after += (double)(s->weight[i] * s->best[i]);
    if (after >= eq.before) return;
    for (int j = 0; j < s->fan_count; ++j) o->sample_of[s->fan[j].face] = KST_NONE;
    kst_samples_hang(o);
    memcpy(o->at[u].place, to, sizeof to);
    KARST_ASSERT(o->move_count < o->move_room);
    kst_move *m = &o->move[o->move_count++];
    m->leave = o->leave_count - 1;
    m->code = code;
}
