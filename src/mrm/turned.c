// SPDX-License-Identifier: MIT
// Faces that would turn over: by more than a right angle from the source where they lie.
//
// A step that turns a face a little is fine, many such steps may turn it over. A face is looked up on the source when
// it is askew from the normals of its vertices or of the samples on it; few are.
#include "mrm/order.h"

static const float askew = 0.3f;  // cosine

static bool is_askew(const kst_order *o, const kst_fan_face *f, uint32_t u, const float facing[3]) {
    float length = sqrtf(kst_dot(f->n, f->n));
    const uint32_t end[3] = {u, f->a, f->b};
    for (int k = 0; k < 3; ++k)
        if (kst_dot(f->n, o->normal[end[k]]) < askew * length) return true;
    return kst_dot(f->n, facing) < 0;
}

static bool is_turned(const kst_order *o, const kst_fan_face *f, uint32_t u) {
    float middle[3];
    for (int k = 0; k < 3; ++k) {
        double p = ((double)o->at[u].place[k] + (double)o->at[f->a].place[k] + (double)o->at[f->b].place[k]) / 3;
        middle[k] = (float)(p * o->diagonal + o->middle[k]);
    }
    const karst_model *m = o->source;
    const uint32_t *w =
        m->triangle[kst_nearby_find(o->nearby, (karst_vec3){middle[0], middle[1], middle[2]}, f->face).triangle];
    const float *p[3];
    for (int k = 0; k < 3; ++k) p[k] = (const float *)&m->position[m->vertex[w[k]]];
    float e[3], g[3], n[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = (float)(((double)p[1][k] - (double)p[0][k]) / o->diagonal);
        g[k] = (float)(((double)p[2][k] - (double)p[0][k]) / o->diagonal);
    }
    kst_cross(e, g, n);
    return kst_dot(f->n, n) < 0;
}

bool kst_fan_turns(kst_order *o, uint32_t u) {
    const kst_star *s = o->star;
    float facing[KST_STAR_FACES][3];
    memset(facing, 0, (size_t)s->fan_count * sizeof *facing);
    for (int i = 0; i < s->sample_count && s->fan_count; ++i)
        for (int k = 0; k < 3; ++k) facing[s->best_face[i]][k] += o->sample.normal[s->sample[i]][k];
    for (int j = 0; j < s->fan_count; ++j)
        if (is_askew(o, &s->fan[j], u, facing[j]) && is_turned(o, &s->fan[j], u)) return true;
    return false;
}
