// SPDX-License-Identifier: MIT
// Distances between models: stratified places by area, after the R2 sequence (M. Roberts, 2018), and a tree of boxes.
#include "mrm_gap.h"

#include <math.h>
#include <string.h>

#include "mrm/nearby.h"

enum { PLACES = 20000 };

typedef struct place {
    double p[3], uv[2], normal[3];
} place;

static const karst_vec3 *corner(const karst_model *m, uint32_t t, int k) {
    return &m->position[m->vertex[m->triangle[t][k]]];
}

static double area_of(const karst_model *m, uint32_t t) {
    double e[2][3], n[3];
    const float *a = (const float *)corner(m, t, 0);
    for (int k = 0; k < 2; ++k) {
        const float *b = (const float *)corner(m, t, k + 1);
        for (int c = 0; c < 3; ++c) e[k][c] = (double)b[c] - (double)a[c];
    }
    for (int c = 0; c < 3; ++c) n[c] = e[0][(c + 1) % 3] * e[1][(c + 2) % 3] - e[0][(c + 2) % 3] * e[1][(c + 1) % 3];
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
}

static void mix(const karst_model *m, uint32_t t, double b1, double b2, place *out) {
    const double w[3] = {1 - b1 - b2, b1, b2};
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; ++k) {
        const float *p = (const float *)corner(m, t, k);
        uint32_t i = m->triangle[t][k];
        for (int c = 0; c < 3; ++c) out->p[c] += w[k] * (double)p[c];
        for (int c = 0; c < 2 && m->uv_sets; ++c) out->uv[c] += w[k] * (double)m->uv[0][i][c];
        for (int c = 0; c < 3 && m->normal; ++c) out->normal[c] += w[k] * (double)((const float *)&m->normal[i])[c];
    }
}

typedef struct best_fit {
    const karst_model *to;
    place from;
    double uv, cosine;
} best_fit;

static void try_face(const kst_nearest_hit *hit, void *context) {
    best_fit *b = context;
    place there;
    mix(b->to, hit->triangle, (double)hit->b1, (double)hit->b2, &there);
    b->uv = fmin(b->uv, hypot(there.uv[0] - b->from.uv[0], there.uv[1] - b->from.uv[1]));
    double dot = 0, aa = 0, bb = 0;
    for (int c = 0; c < 3; ++c) {
        dot += there.normal[c] * b->from.normal[c];
        aa += there.normal[c] * there.normal[c], bb += b->from.normal[c] * b->from.normal[c];
    }
    if (aa > 0 && bb > 0) b->cosine = fmax(b->cosine, fmin(1, dot / sqrt(aa * bb)));
}

typedef struct one_side {
    double rms, uv_bad, shade_deg;
} one_side;

static one_side measure(const karst_model *from, const karst_model *to, const kst_nearby *tree, double diagonal) {
    double total = 0, reached = 0, squares = 0, bad = 0, degrees = 0;
    uint32_t hint = 0;
    int k = 0;
    for (uint32_t t = 0; t < from->triangle_count; ++t) total += area_of(from, t);
    for (uint32_t t = 0; t < from->triangle_count && total > 0; ++t) {
        reached += area_of(from, t);
        for (; k < PLACES && (k + 0.5) / PLACES * total <= reached; ++k) {
            double b1 = fmod(0.5 + k * 0.7548776662466927, 1), b2 = fmod(0.5 + k * 0.5698402909980532, 1);
            if (b1 + b2 > 1) b1 = 1 - b1, b2 = 1 - b2;
            best_fit best = {.to = to, .uv = INFINITY, .cosine = -1};
            mix(from, t, b1, b2, &best.from);
            const double *p = best.from.p;
            karst_vec3 at = {(float)p[0], (float)p[1], (float)p[2]};
            kst_nearest_hit hit = kst_nearby_find(tree, at, hint);
            hint = hit.triangle;
            place there;
            mix(to, hit.triangle, (double)hit.b1, (double)hit.b2, &there);
            for (int c = 0; c < 3; ++c) squares += (there.p[c] - p[c]) * (there.p[c] - p[c]);
            if (!from->uv_sets && !from->normal) continue;
            kst_nearby_each(tree, at, (float)((double)sqrtf(hit.square) + 1e-6 * diagonal), try_face, &best);
            bad += best.uv > 0.02;
            degrees += acos(best.cosine) * 57.29577951308232;
        }
    }
    one_side out = {0};
    if (k) out = (one_side){sqrt(squares / k) / diagonal * 100, 100 * bad / k, degrees / k};
    return out;
}

karst_status mrm_gap_measure(const karst_model *source, const karst_model *level, mrm_gap *out) {
    kst_nearby *a = NULL, *b = NULL;
    karst_status status = kst_nearby_create(source, NULL, &a);
    if (!status) status = kst_nearby_create(level, NULL, &b);
    if (!status) {
        karst_box box = karst_model_bounds(source);
        double x = box.max.x - box.min.x, y = box.max.y - box.min.y, z = box.max.z - box.min.z;
        double diagonal = sqrt(x * x + y * y + z * z);
        one_side forth = measure(source, level, b, diagonal), back = measure(level, source, a, diagonal);
        *out = (mrm_gap){fmax(forth.rms, back.rms), forth.uv_bad, forth.shade_deg};
    }
    kst_nearby_destroy(a);
    kst_nearby_destroy(b);
    return status;
}
