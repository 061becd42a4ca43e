// SPDX-License-Identifier: MIT
// The nearest face of a fan for many samples at once: eight samples a step, without branches.
//
// The square of the distance in space, plus, with attributes, that of texture place (capped: a texel that is wrong is
// wrong however far) and normal, both taken at the nearest point.
#include "mrm/order.h"

// A twin must not call a helper that is not one: vectors are passed in other registers there.
#define INLINE static inline __attribute__((always_inline))

typedef float v8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

INLINE v8 load(const float *p) {
    v8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE void store(void *p, v8 v) {
    memcpy(p, &v, sizeof v);
}
INLINE v8 pick(i8 mask, v8 a, v8 b) {
    return (v8)((mask & (i8)a) | (~mask & (i8)b));
}
INLINE v8 clamp01(v8 x) {
    x = pick(x > 0, x, (v8){0});
    v8 one = (v8){0} + 1;
    return pick(x < one, x, one);
}

typedef struct nearest {
    v8 all, space;
    i8 face;
    v8 b1, b2;
} nearest;

// One face against eight samples p relative to the target. Three clamped edges, the plane, and whichever is right.
INLINE void against(const kst_fan_face *f, const v8 p[3], v8 *distance, v8 *b1, v8 *b2) {
    const float *e = f->e, *g = f->g, *n = f->n;
    const float h[3] = {g[0] - e[0], g[1] - e[1], g[2] - e[2]};
    v8 t = clamp01((p[0] * e[0] + p[1] * e[1] + p[2] * e[2]) * f->inv_e);
    v8 x = p[0] - t * e[0], y = p[1] - t * e[1], z = p[2] - t * e[2];
    v8 d = x * x + y * y + z * z;
    *b1 = t, *b2 = (v8){0};
    t = clamp01((p[0] * g[0] + p[1] * g[1] + p[2] * g[2]) * f->inv_g);
    x = p[0] - t * g[0], y = p[1] - t * g[1], z = p[2] - t * g[2];
    v8 other = x * x + y * y + z * z;
    i8 nearer = other < d;
    d = pick(nearer, other, d), *b1 = pick(nearer, (v8){0}, *b1), *b2 = pick(nearer, t, *b2);
    v8 q[3] = {p[0] - e[0], p[1] - e[1], p[2] - e[2]};
    t = clamp01((q[0] * h[0] + q[1] * h[1] + q[2] * h[2]) * f->inv_h);
    x = q[0] - t * h[0], y = q[1] - t * h[1], z = q[2] - t * h[2];
    other = x * x + y * y + z * z;
    nearer = other < d;
    d = pick(nearer, other, d), *b1 = pick(nearer, 1 - t, *b1), *b2 = pick(nearer, t, *b2);
    v8 in1 =
        ((p[1] * g[2] - p[2] * g[1]) * n[0] + (p[2] * g[0] - p[0] * g[2]) * n[1] + (p[0] * g[1] - p[1] * g[0]) * n[2]) *
        f->inv_n;
    v8 in2 =
        ((e[1] * p[2] - e[2] * p[1]) * n[0] + (e[2] * p[0] - e[0] * p[2]) * n[1] + (e[0] * p[1] - e[1] * p[0]) * n[2]) *
        f->inv_n;
    v8 plane = p[0] * n[0] + p[1] * n[1] + p[2] * n[2];
    i8 inside = (in1 >= 0) & (in2 >= 0) & (in1 + in2 <= 1);
    *distance = pick(inside, plane * plane * f->inv_n, d);
    *b1 = pick(inside, in1, *b1), *b2 = pick(inside, in2, *b2);
}

static KST_TWINS void in_space(kst_star *s, const float origin[3]) {
    for (int i = 0; i < s->sample_count; i += 8) {
        v8 p[3], best = (v8){0} + FLT_MAX, b1, b2;
        i8 face = {0};
        for (int k = 0; k < 3; ++k) p[k] = load(s->x[k] + i) - origin[k];
        for (int j = 0; j < s->fan_count; ++j) {
            v8 d;
            against(&s->fan[j], p, &d, &b1, &b2);
            i8 nearer = d < best;
            best = pick(nearer, d, best);
            face = (nearer & j) | (~nearer & face);
        }
        store(s->best + i, best);
        store(s->apart + i, best);
        memcpy(s->best_face + i, &face, sizeof face);
    }
}

static KST_TWINS void with_attributes(kst_star *s, const float origin[3], const float (*attribute)[KST_ATTRIBUTES],
                                      float cap) {
    for (int i = 0; i < s->sample_count; i += 8) {
        v8 p[3], own[KST_ATTRIBUTES], best = (v8){0} + FLT_MAX, apart = best, b1, b2;
        i8 face = {0};
        for (int k = 0; k < 3; ++k) p[k] = load(s->x[k] + i) - origin[k];
        for (int k = 0; k < KST_ATTRIBUTES; ++k) own[k] = load(s->attribute[k] + i);
        for (int j = 0; j < s->fan_count; ++j) {
            const kst_fan_face *f = &s->fan[j];
            const float *a0 = attribute[f->wedge[0]], *a1 = attribute[f->wedge[1]], *a2 = attribute[f->wedge[2]];
            v8 space, d, c[KST_ATTRIBUTES];
            against(f, p, &space, &b1, &b2);
            for (int k = 0; k < KST_ATTRIBUTES; ++k) {
                c[k] = a0[k] + b1 * (a1[k] - a0[k]) + b2 * (a2[k] - a0[k]) - own[k];
                c[k] *= c[k];
            }
            d = c[0] + c[1];
            d = pick(d < cap, d, (v8){0} + cap);
            d += space + c[2] + c[3] + c[4];
            i8 nearer = d < best;
            best = pick(nearer, d, best), apart = pick(nearer, space, apart);
            face = (nearer & j) | (~nearer & face);
        }
        store(s->best + i, best);
        store(s->apart + i, apart);
        memcpy(s->best_face + i, &face, sizeof face);
    }
}

void kst_nearest(const kst_order *o, kst_star *s, const float origin[3]) {
    for (int i = s->sample_count; i % 8; ++i) {  // the rest of the last step
        for (int k = 0; k < 3; ++k) s->x[k][i] = 0;
        for (int k = 0; k < KST_ATTRIBUTES; ++k) s->attribute[k][i] = 0;
    }
    if (o->attributes)
        with_attributes(s, origin, (const float(*)[KST_ATTRIBUTES])o->attribute, o->uv_cap);
    else
        in_space(s, origin);
}

float kst_segment(const float p[3], const float a[3], const float b[3]) {
    float e[3], q[3];
    kst_sub(b, a, e);
    kst_sub(p, a, q);
    float length = kst_dot(e, e), t = length > 0 ? kst_clamp01(kst_dot(q, e) / length) : 0;
    for (int k = 0; k < 3; ++k) q[k] -= t * e[k];
    return kst_dot(q, q);
}
