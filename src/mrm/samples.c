// SPDX-License-Identifier: MIT
// Samples: where the source was, hung on the faces that are left.
#include "mrm/order.h"

// Each wedge stands for a third of the area of its faces; where vertices may move, the middles of faces take half.
void kst_samples_begin(kst_order *o) {
    kst_samples *s = &o->sample;
    bool middles = o->def->move;
    float share = middles ? 0.5f : 1;
    memset(o->sample_of, 0xff, o->face_count * sizeof *o->sample_of);
    o->area = 0;
    for (uint32_t w = 0; w < o->wedge_count; ++w) {
        memcpy(s->place[w], o->at[o->source->vertex[w]].place, sizeof *s->place);
        s->border[w] = o->at[o->source->vertex[w]].border;
        s->next[w] = KST_NONE;
    }
    for (uint32_t f = 0; f < o->face_count; ++f) {
        const uint32_t *v = o->face[f];
        float e[3], g[3], n[3];
        kst_sub(o->at[v[1]].place, o->at[v[0]].place, e);
        kst_sub(o->at[v[2]].place, o->at[v[0]].place, g);
        kst_cross(e, g, n);
        float area = sqrtf(kst_dot(n, n)) / 2;
        o->area += area;
        for (int k = 0; k < 3; ++k) {
            uint32_t w = o->corner[f][k];
            for (int c = 0; c < 3; ++c) s->normal[w][c] += n[c];
            s->weight[w] += area / 3 * share;
        }
        if (!middles) continue;
        uint32_t i = o->wedge_count + f;
        for (int c = 0; c < 3; ++c) {
            s->place[i][c] = (o->at[v[0]].place[c] + o->at[v[1]].place[c] + o->at[v[2]].place[c]) / 3;
            s->normal[i][c] = n[c];
        }
        s->weight[i] = area * share;
        s->next[i] = KST_NONE;
        o->sample_of[f] = i;
    }
}

void kst_samples_hang(kst_order *o) {
    const kst_star *s = o->star;
    for (int i = 0; i < s->sample_count; ++i) {
        uint32_t sample = s->sample[i], f = s->fan[s->best_face[i]].face;
        o->sample.off[sample] = s->best[i];
        o->sample.next[sample] = o->sample_of[f];
        o->sample_of[f] = sample;
    }
}

static float apart(const kst_order *o, uint32_t a, uint32_t b) {
    float d[3], sum;
    kst_sub(o->sample.place[a], o->sample.place[b], d);
    sum = kst_dot(d, d);
    if (o->attributes && a < o->source_wedges && b < o->source_wedges)
        for (int k = 0; k < KST_ATTRIBUTES; ++k) sum += kst_square(o->attribute[a][k] - o->attribute[b][k]);
    return sum;
}

// The lightest sample of a face, one inside the surface before one of a border.
static uint32_t lightest(const kst_order *o, uint32_t face, uint32_t *before) {
    uint32_t best = KST_NONE;
    for (int border = 0; border < 2 && best == KST_NONE; ++border) {
        uint32_t previous = KST_NONE;
        float least = FLT_MAX;
        for (uint32_t i = o->sample_of[face]; i != KST_NONE; previous = i, i = o->sample.next[i])
            if ((border || !o->sample.border[i]) && o->sample.weight[i] < least)
                least = o->sample.weight[i], best = i, *before = previous;
    }
    return best;
}

void kst_samples_thin(kst_order *o, uint32_t face) {
    kst_samples *s = &o->sample;
    int count = 0;
    for (uint32_t i = o->sample_of[face]; i != KST_NONE; i = s->next[i]) ++count;
    for (; count > o->keep_samples; --count) {
        uint32_t before = KST_NONE, from = lightest(o, face, &before), to = KST_NONE;
        if (from == KST_NONE) return;
        float least = INFINITY;
        for (uint32_t i = o->sample_of[face]; i != KST_NONE; i = s->next[i]) {
            float d = apart(o, i, from);
            if (i != from && d < least) least = d, to = i;
        }
        if (before == KST_NONE)
            o->sample_of[face] = s->next[from];
        else
            s->next[before] = s->next[from];
        float weight = s->weight[to] + s->weight[from];
        if (weight > 0) s->off[to] = (s->off[to] * s->weight[to] + s->off[from] * s->weight[from]) / weight;
        s->weight[to] = weight;
    }
}
