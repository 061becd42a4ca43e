// SPDX-License-Identifier: MIT
// The nearest triangle: boxes over halves, split at the middle triangle along the longest side.
#include "mrm/nearby.h"

#include <float.h>
#include <math.h>

enum { LEAF = 4, MANY = 1 << 14 };

typedef struct node {
    float low[3], high[3];
    uint32_t from, count;  // triangles of a leaf; an inner node has count 0, and its halves at from and from + 1
} node;

struct kst_nearby {
    const karst_model *model;
    uint32_t *order;
    float (*middle)[3];
    node *nodes;
    uint32_t node_count;
};

static const float *corner(const karst_model *m, uint32_t t, int k) {
    return (const float *)&m->position[m->vertex[m->triangle[t][k]]];
}

// Put the middle-th of order[from .. from + count) where it belongs along an axis, smaller ones before it.
static void select_middle(kst_nearby *n, uint32_t from, uint32_t count, int axis) {
    uint32_t *order = n->order, low = from, high = from + count - 1, k = from + count / 2;
    while (low < high) {
        float pivot = n->middle[order[low + (high - low) / 2]][axis];
        uint32_t i = low, j = high;
        for (;;) {
            while (n->middle[order[i]][axis] < pivot) ++i;
            while (n->middle[order[j]][axis] > pivot) --j;
            if (i >= j) break;
            uint32_t t = order[i];
            order[i++] = order[j];
            order[j--] = t;
        }
        if (i == j) {
            if (k == i) return;
            if (k < i)
                high = i - 1;
            else
                low = i + 1;
        } else if (k <= j) {
            high = j;
        } else {
            low = i;
        }
    }
}

static void empty(node *x) {
    for (int k = 0; k < 3; ++k) x->low[k] = FLT_MAX, x->high[k] = -FLT_MAX;
}

static void widen(node *x, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; ++k) {
        x->low[k] = low[k] < x->low[k] ? low[k] : x->low[k];
        x->high[k] = high[k] > x->high[k] ? high[k] : x->high[k];
    }
}

static int longest_side(const kst_nearby *n, uint32_t from, uint32_t count) {
    node x;
    empty(&x);
    for (uint32_t i = from; i < from + count; ++i) widen(&x, n->middle[n->order[i]], n->middle[n->order[i]]);
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (x.high[k] - x.low[k] > x.high[axis] - x.low[axis]) axis = k;
    return axis;
}

// The box of a leaf from its triangles, that of others from their halves.
static karst_status split(kst_nearby *n, const karst_progress *progress, uint32_t at, uint32_t from, uint32_t count) {
    node *x = &n->nodes[at];
    empty(x);
    x->from = from;
    x->count = count;
    if (count <= LEAF) {
        for (uint32_t i = from; i < from + count; ++i)
            for (int c = 0; c < 3; ++c) widen(x, corner(n->model, n->order[i], c), corner(n->model, n->order[i], c));
        return KARST_OK;
    }
    select_middle(n, from, count, longest_side(n, from, count));
    uint32_t halves = n->node_count;
    n->node_count += 2;
    x->from = halves;
    x->count = 0;
    karst_status status = KARST_OK;
    if (count > MANY) status = kst_progress_step(progress, "look", (double)from / n->model->triangle_count);
    if (!status) status = split(n, progress, halves, from, count / 2);
    if (!status) status = split(n, progress, halves + 1, from + count / 2, count - count / 2);
    for (uint32_t k = halves; k < halves + 2 && !status; ++k) widen(x, n->nodes[k].low, n->nodes[k].high);
    return status;
}

karst_status kst_nearby_create(const karst_model *model, const karst_progress *progress, kst_nearby **out) {
    kst_nearby *n = kst_alloc_zero(NULL, sizeof *n);
    if (!n) return KARST_ERROR_MEMORY;
    size_t count = model->triangle_count;
    n->model = model;
    n->order = kst_alloc_array(NULL, count, sizeof *n->order);
    n->middle = kst_alloc_array(NULL, count, sizeof *n->middle);
    n->nodes = kst_alloc_array(NULL, count + 2, sizeof *n->nodes);  // leaves hold two or more
    if (!n->order || !n->middle || !n->nodes) {
        kst_nearby_destroy(n);
        return KARST_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < count; ++t) {
        n->order[t] = t;
        for (int k = 0; k < 3; ++k)
            n->middle[t][k] = (corner(model, t, 0)[k] + corner(model, t, 1)[k] + corner(model, t, 2)[k]) / 3;
    }
    n->node_count = 1;
    karst_status status = split(n, progress, 0, 0, (uint32_t)count);
    kst_free(NULL, n->middle, count * sizeof *n->middle);
    n->middle = NULL;
    if (status)
        kst_nearby_destroy(n);
    else
        *out = n;
    return status;
}

void kst_nearby_destroy(kst_nearby *n) {
    if (!n) return;
    size_t count = n->model->triangle_count;
    kst_free(NULL, n->order, count * sizeof *n->order);
    kst_free(NULL, n->middle, count * sizeof *n->middle);
    kst_free(NULL, n->nodes, (count + 2) * sizeof *n->nodes);
    kst_free(NULL, n, sizeof *n);
}

// ---- asking --------------------------------------------------------------------------------------------

static float dot(const float a[3], const float b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The nearest point of a triangle: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5.
static void against(const karst_model *m, uint32_t t, const float p[3], kst_nearest_hit *best) {
    const float *a = corner(m, t, 0), *b = corner(m, t, 1), *c = corner(m, t, 2);
    float ab[3], ac[3], ap[3], bp[3], cp[3], b1, b2;
    for (int k = 0; k < 3; ++k) {
        ab[k] = b[k] - a[k], ac[k] = c[k] - a[k];
        ap[k] = p[k] - a[k], bp[k] = p[k] - b[k], cp[k] = p[k] - c[k];
    }
    float d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, sum = va + vb + vc;
    if (d1 <= 0 && d2 <= 0)
        b1 = b2 = 0;
    else if (d3 >= 0 && d4 <= d3)
        b1 = 1, b2 = 0;
    else if (d6 >= 0 && d5 <= d6)
        b1 = 0, b2 = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0)
        b1 = d1 - d3 > 0 ? d1 / (d1 - d3) : 0, b2 = 0;
    else if (vb <= 0 && d2 >= 0 && d6 <= 0)
        b1 = 0, b2 = d2 - d6 > 0 ? d2 / (d2 - d6) : 0;
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        b2 = d4 - d3 + d5 - d6 > 0 ? (d4 - d3) / (d4 - d3 + d5 - d6) : 0, b1 = 1 - b2;
    else
        b1 = sum > 0 ? vb / sum : 0, b2 = sum > 0 ? vc / sum : 0;
    float square = 0;
    for (int k = 0; k < 3; ++k) {
        float d = ap[k] - b1 * ab[k] - b2 * ac[k];
        square += d * d;
    }
    if (square < best->square) *best = (kst_nearest_hit){square, t, b1, b2};
}

static float to_box(const node *x, const float p[3]) {
    float square = 0;
    for (int k = 0; k < 3; ++k) {
        float d = p[k] < x->low[k] ? x->low[k] - p[k] : p[k] > x->high[k] ? p[k] - x->high[k] : 0;
        square += d * d;
    }
    return square;
}

kst_nearest_hit kst_nearby_find(const kst_nearby *n, karst_vec3 at, uint32_t hint) {
    const float place[3] = {at.x, at.y, at.z};
    kst_nearest_hit best = {INFINITY, 0, 0, 0};
    against(n->model, hint < n->model->triangle_count ? hint : 0, place, &best);
    struct {
        uint32_t node;
        float square;
    } stack[64];  // the tree is balanced: two a level are open
    int depth = 0;
    stack[depth].node = 0, stack[depth++].square = to_box(n->nodes, place);
    while (depth) {
        const node *x = &n->nodes[stack[--depth].node];
        if (stack[depth].square >= best.square) continue;
        for (uint32_t i = x->from; i < x->from + x->count; ++i) against(n->model, n->order[i], place, &best);
        if (x->count) continue;
        float square[2] = {to_box(&n->nodes[x->from], place), to_box(&n->nodes[x->from + 1], place)};
        uint32_t near = square[1] < square[0];
        stack[depth].node = x->from + 1 - near, stack[depth++].square = square[1 - near];
        stack[depth].node = x->from + near, stack[depth++].square = square[near];
    }
    return best;
}

void kst_nearby_each(const kst_nearby *n, karst_vec3 at, float reach,
                     void (*fn)(const kst_nearest_hit *hit, void *context), void *context) {
    const float place[3] = {at.x, at.y, at.z};
    uint32_t stack[64];
    int depth = 0;
    stack[depth++] = 0;
    while (depth) {
        const node *x = &n->nodes[stack[--depth]];
        if (to_box(x, place) > reach * reach) continue;
        for (uint32_t i = x->from; i < x->from + x->count; ++i) {
            kst_nearest_hit hit = {INFINITY, 0, 0, 0};
            against(n->model, n->order[i], place, &hit);
            if (hit.square <= reach * reach) fn(&hit, context);
        }
        if (x->count) continue;
        stack[depth++] = x->from;
        stack[depth++] = x->from + 1;
    }
}
