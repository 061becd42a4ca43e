// SPDX-License-Identifier: MIT
// The faces round a vertex, whether it may leave towards a neighbour, and what they would become.
//
// A collapse of v into u is allowed when nothing of the surface's kind changes: the common neighbours of v and u are
// the third corners of the faces they share (else a hole closes to a fin), two border vertices meet along a border, no
// face that stays lies on one that is there already, none loses its area or turns over. These rules look at vertices
// alone, so the two sides of a seam go together and input that is no manifold does not get worse. After: H. Hoppe, T.
// DeRose, T. Duchamp, J. McDonald, W. Stuetzle, "Mesh Optimization", 1993 (the link condition).
#include "mrm/order.h"

// A face may turn this far in one step: strict tests block good collapses more than they prevent bad ones.
static const float least_cosine = 0.1f;
static const float least_area_square = 1e-24f;  // of a cross product, where the diagonal is 1

static int corner_of(const kst_order *o, uint32_t f, uint32_t v) {
    return o->face[f][0] == v ? 0 : o->face[f][1] == v ? 1 : 2;
}

static bool has(const kst_order *o, uint32_t f, uint32_t v) {
    return o->face[f][0] == v || o->face[f][1] == v || o->face[f][2] == v;
}

static void add_sample(kst_order *o, uint32_t sample, float off) {
    kst_star *s = o->star;
    int i = s->sample_count++;
    for (int k = 0; k < 3; ++k) s->x[k][i] = o->sample.place[sample][k];
    s->weight[i] = o->sample.weight[sample];
    s->off[i] = off;
    s->sample[i] = sample;
    if (!o->attributes || sample >= o->source_wedges) {
        for (int k = 0; k < KST_ATTRIBUTES; ++k) s->attribute[k][i] = 0;
        return;
    }
    for (int k = 0; k < KST_ATTRIBUTES; ++k) s->attribute[k][i] = o->attribute[sample][k];
}

// By how much a wedge is off the source's own: only a copy is.
static float off_its_own(const kst_order *o, uint32_t w) {
    float off = 0;
    if (o->origin[w] == w) return 0;
    for (int k = 0; k < KST_ATTRIBUTES; ++k) off += kst_square(o->attribute[w][k] - o->attribute[o->origin[w]][k]);
    return off;
}

// The wedges of v itself are samples from now on.
static void add_own_wedges(kst_order *o) {
    kst_star *s = o->star;
    uint32_t own[64];
    int count = 0;
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t w = o->corner[s->face[j]][corner_of(o, s->face[j], s->v)];
        int k = 0;
        while (k < count && own[k] != w) ++k;
        if (k < count || count == 64) continue;
        own[count++] = w;
        add_sample(o, o->origin[w], off_its_own(o, w));
    }
}

bool kst_star_gather(kst_order *o, uint32_t v, bool samples) {
    kst_star *s = o->star;
    s->v = v;
    s->face_count = s->near_count = s->sample_count = 0;
    if (o->at[v].listed > KST_STAR_FACES) return false;
    s->face_count = (int)o->at[v].listed;
    memcpy(s->face, o->pool + o->at[v].list, o->at[v].listed * sizeof *s->face);
    uint32_t stamp = ++o->stamp;
    o->at[v].mark = stamp;
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t f = s->face[j];
        for (int k = 0; k < 3; ++k) {
            uint32_t u = o->face[f][k];
            if (o->at[u].mark == stamp) continue;
            o->at[u].mark = stamp;
            s->near[s->near_count++] = u;
        }
        if (!samples) continue;
        for (uint32_t i = o->sample_of[f]; i != KST_NONE && s->sample_count < KST_STAR_SAMPLES - 80;
             i = o->sample.next[i])
            add_sample(o, i, o->sample.off[i]);
    }
    if (samples) add_own_wedges(o);
    return true;
}

static bool differs_in_texture(const kst_order *o, uint32_t a, uint32_t b) {
    return a != b && (o->attribute[a][0] != o->attribute[b][0] || o->attribute[a][1] != o->attribute[b][1]);
}

// Whether the edge from v to u is a seam: its faces do not agree on the texture place of an end, or on the material.
static bool is_seam(const kst_order *o, uint32_t u, int *faces) {
    const kst_star *s = o->star;
    uint32_t first = KST_NONE;
    bool seam = false;
    *faces = 0;
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t f = s->face[j];
        if (!has(o, f, u)) continue;
        if (!(*faces)++) {
            first = f;
            continue;
        }
        if (o->source->paint && o->source->paint[f] != o->source->paint[first]) seam = true;
        if (!o->attributes) continue;
        const uint32_t *a = o->corner[first], *b = o->corner[f];
        seam |= differs_in_texture(o, a[corner_of(o, first, s->v)], b[corner_of(o, f, s->v)]) ||
                differs_in_texture(o, a[corner_of(o, first, u)], b[corner_of(o, f, u)]);
    }
    return seam;
}

void kst_star_lines(kst_order *o) {
    kst_star *s = o->star;
    s->line_count = 0;
    if (!o->at[s->v].border && !o->attributes && !o->source->paint) return;
    for (int j = 0; j < s->near_count && s->line_count < 8; ++j) {
        int faces;
        bool seam = is_seam(o, s->near[j], &faces);
        if (!seam && faces != 1) continue;
        s->line[s->line_count].vertex = s->near[j];
        s->line[s->line_count++].seam = seam;
    }
}

// Whether a face of u other than those of the star has both a and b.
static bool is_face_of(const kst_order *o, uint32_t u, uint32_t a, uint32_t b) {
    const uint32_t *list = o->pool + o->at[u].list;
    for (uint32_t j = 0; j < o->at[u].listed; ++j)
        if (has(o, list[j], a) && has(o, list[j], b)) return true;
    return false;
}

bool kst_star_legal(kst_order *o, uint32_t u) {
    kst_star *s = o->star;
    uint32_t stamp = ++o->stamp, v = s->v;
    s->shared_count = 0;
    int shared = 0;
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t f = s->face[j];
        if (!has(o, f, u)) continue;
        int at_v = corner_of(o, f, v), at_u = corner_of(o, f, u), other = 3 - at_v - at_u;
        o->at[o->face[f][other]].mark2 = stamp;
        if (s->shared_count < 8) {
            uint32_t *entry = s->shared[s->shared_count++];
            entry[0] = o->corner[f][at_v], entry[1] = o->corner[f][at_u], entry[2] = o->face[f][other];
        }
        ++shared;
    }
    if (o->at[v].border && o->at[u].border && shared != 1) return false;
    const uint32_t *list = o->pool + o->at[u].list;
    for (uint32_t j = 0; j < o->at[u].listed; ++j)
        for (int k = 0; k < 3; ++k) o->at[o->face[list[j]][k]].mark = stamp;
    for (int j = 0; j < s->near_count; ++j) {
        uint32_t a = s->near[j];
        if (a != u && o->at[a].mark == stamp && o->at[a].mark2 != stamp) return false;
    }
    for (int j = 0; j < s->face_count; ++j) {
        const uint32_t *f = o->face[s->face[j]];
        int k = corner_of(o, s->face[j], v);
        uint32_t a = f[(k + 1) % 3], b = f[(k + 2) % 3];
        if (a != u && b != u && o->at[a].mark == stamp && o->at[b].mark == stamp && is_face_of(o, u, a, b))
            return false;
    }
    return true;
}

// The wedge of u that takes over from w: the one across a face that vanishes, or else the most alike.
uint32_t kst_star_wedge(const kst_order *o, uint32_t w, uint32_t u) {
    const kst_star *s = o->star;
    for (int k = 0; k < s->shared_count; ++k)
        if (s->shared[k][0] == w) return s->shared[k][1];
    uint32_t best = KST_NONE;
    float least = FLT_MAX;
    const uint32_t *list = o->pool + o->at[u].list;
    for (uint32_t j = 0; j < o->at[u].listed; ++j) {
        uint32_t c = o->corner[list[j]][corner_of(o, list[j], u)];
        float apart = 0;
        for (int k = 0; o->attributes && k < KST_ATTRIBUTES; ++k)
            apart += kst_square(o->attribute[w][k] - o->attribute[c][k]);
        if (apart < least) least = apart, best = c;
    }
    return best;
}

bool kst_star_fan(kst_order *o, uint32_t u, bool fill) {
    kst_star *s = o->star;
    const float *at_u = o->at[u].place, *at_v = o->at[s->v].place;
    uint32_t last = KST_NONE, after = KST_NONE;
    s->fan_count = 0;
    for (int j = 0; j < s->face_count; ++j) {
        uint32_t f = s->face[j];
        int k = corner_of(o, f, s->v), ka = (k + 1) % 3, kb = (k + 2) % 3;
        kst_fan_face *x = &s->fan[s->fan_count];
        x->a = o->face[f][ka], x->b = o->face[f][kb], x->face = f, x->corner = (uint32_t)k;
        if (x->a == u || x->b == u) continue;
        float e[3], g[3], was[3], h[3];
        kst_sub(o->at[x->a].place, at_u, x->e);
        kst_sub(o->at[x->b].place, at_u, x->g);
        kst_cross(x->e, x->g, x->n);
        kst_sub(o->at[x->a].place, at_v, e);
        kst_sub(o->at[x->b].place, at_v, g);
        kst_cross(e, g, was);
        float area = kst_dot(x->n, x->n);
        if (area <= least_area_square) return false;
        if (!o->bend && kst_dot(x->n, was) < least_cosine * sqrtf(area * kst_dot(was, was))) return false;
        if (!fill) continue;
        kst_sub(x->g, x->e, h);
        x->inv_n = 1 / area;
        x->inv_e = 1 / kst_dot(x->e, x->e);
        x->inv_g = 1 / kst_dot(x->g, x->g);
        x->inv_h = 1 / kst_dot(h, h);
        if (o->corner[f][k] != last) after = kst_star_wedge(o, last = o->corner[f][k], u);
        x->wedge[0] = after;
        x->wedge[1] = o->corner[f][ka], x->wedge[2] = o->corner[f][kb];
        ++s->fan_count;
    }
    return true;
}
