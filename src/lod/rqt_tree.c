// SPDX-License-Identifier: MIT
// The bisection tree: its nodes, and which of them an error needs.
//
// After: R. Pajarola, "Large Scale Terrain Visualization Using the Restricted Quadtree Triangulation", 1998: the forced
// splits. We differ: the error of a triangle is that of all samples in it and of nothing else. It is not made to grow
// from child to parent, so a triangle that is good stays whole though a part of it, cut out alone, would not be; every
// split is asked for by a sample or forced by one that is. And errors are found when a triangle is first looked at:
// most large ones are refused by their first sample, so that only the last triangles are scanned whole.
#include <stdlib.h>

#include "lod/rqt.h"

static karst_status lay_out(kst_rqt *r) {
    int32_t across = r->x1 - r->x0, along = r->z1 - r->z0, least = across < along ? across : along;
    r->side = 1;
    while (r->side < least) r->side *= 2;
    for (int tries = 0;; ++tries) {
        r->base_x = r->x0 & -r->side;
        r->base_z = r->z0 & -r->side;
        r->roots_x = (r->x1 - r->base_x + r->side - 1) / r->side;
        r->roots_z = (r->z1 - r->base_z + r->side - 1) / r->side;
        if (tries == 2 || (r->roots_x <= 1 && r->roots_z <= 1) || r->side >= KARST_FIELD_MAX_SIDE) break;
        // Twice the side: fewer roots, if the squares then lie well.
        int32_t side = 2 * r->side;
        int32_t x = (r->x1 - (r->x0 & -side) + side - 1) / side, z = (r->z1 - (r->z0 & -side) + side - 1) / side;
        if ((int64_t)x * z * 4 > (int64_t)r->roots_x * r->roots_z * 2) break;
        r->side = side;
    }
    r->pad_columns = r->roots_x * r->side + 1;
    r->pad_rows = r->roots_z * r->side + 1;
    size_t words = ((size_t)r->pad_columns * (size_t)r->pad_rows + 63) / 64;
    r->active = kst_alloc_zero(r->allocator, words * sizeof *r->active);
    return r->active ? KARST_OK : KARST_ERROR_MEMORY;
}

karst_status kst_rqt_open(kst_rqt *r) {
    return lay_out(r);
}

void kst_rqt_close(kst_rqt *r) {
    size_t words = ((size_t)r->pad_columns * (size_t)r->pad_rows + 63) / 64;
    if (r->active) kst_free(r->allocator, r->active, words * sizeof *r->active);
    r->active = NULL;
    kst_list_free(r->allocator, &r->stack, sizeof(kst_half));
    kst_list_free(r->allocator, &r->nodes, sizeof(kst_node));
    kst_list_free(r->allocator, &r->pins, sizeof(kst_node));
}

// ---- nodes -------------------------------------------------------------------------------------------

// Half the size of the square or edge whose middle v is.
static int32_t reach(const kst_rqt *r, kst_node v) {
    int32_t bits = v.i | v.j | r->side;
    return bits & -bits;
}

kst_family kst_node_family(const kst_rqt *r, kst_node v) {
    int32_t s = reach(r, v), i = v.i, j = v.j;
    bool odd_i = i & s, odd_j = j & s;
    if (odd_i && odd_j) {  // the middle of a square: its diagonal joins the corners of even sum
        bool even = !(((i - s) / s / 2 + (j - s) / s / 2) & 1);
        int32_t t = even ? s : -s;
        return (kst_family){{i - s, j - t}, {i + s, j + t}, {{i + s, j - t}, {i - s, j + t}}};
    }
    if (odd_i) return (kst_family){{i - s, j}, {i + s, j}, {{i, j - s}, {i, j + s}}};
    return (kst_family){{i, j - s}, {i, j + s}, {{i - s, j}, {i + s, j}}};
}

bool kst_node_dependents(const kst_rqt *r, kst_node v, kst_node out[4]) {
    int32_t s = reach(r, v), i = v.i, j = v.j;
    if ((i & s) && (j & s) && !kst_node_is_root(r, v)) {
        out[0] = (kst_node){i - s, j}, out[1] = (kst_node){i + s, j};
        out[2] = (kst_node){i, j - s}, out[3] = (kst_node){i, j + s};
        return true;
    }
    if (s == 1) return false;
    s /= 2;
    out[0] = (kst_node){i - s, j - s}, out[1] = (kst_node){i + s, j - s};
    out[2] = (kst_node){i - s, j + s}, out[3] = (kst_node){i + s, j + s};
    return true;
}

// A corner stands elsewhere: the parts of this triangle may hold ground that it does not.
static bool is_beyond(const kst_rqt *r, const kst_half *t) {
    return !kst_node_same(t->w, kst_node_place(r, t->w)) || !kst_node_same(t->a, kst_node_place(r, t->a)) ||
           !kst_node_same(t->b, kst_node_place(r, t->b));
}

bool kst_half_absent(const kst_rqt *r, const kst_half *t) {
    if (!kst_node_inside(r, t->w) || !kst_node_inside(r, t->a) || !kst_node_inside(r, t->b)) return true;
    if (t->w.i <= r->x0 && t->a.i <= r->x0 && t->b.i <= r->x0) return true;
    if (t->w.i >= r->x1 && t->a.i >= r->x1 && t->b.i >= r->x1) return true;
    if (t->w.j <= r->z0 && t->a.j <= r->z0 && t->b.j <= r->z0) return true;
    if (t->w.j >= r->z1 && t->a.j >= r->z1 && t->b.j >= r->z1) return true;
    if (!r->hole_sum || is_beyond(r, t)) return false;
    kst_node place[3] = {t->w, t->a, t->b};
    return kst_rqt_holes(r, place) == 2;
}

// The middle of the hypotenuse; false when it is no vertex: the triangle is half a cell.
static bool middle(const kst_half *t, kst_node *out) {
    int32_t i = t->a.i + t->b.i, j = t->a.j + t->b.j;
    *out = (kst_node){i / 2, j / 2};
    return !((i | j) & 1);
}

// ---- selection ---------------------------------------------------------------------------------------

static void look_later(kst_rqt *r, kst_half t) {
    kst_node v;
    if (!middle(&t, &v) || kst_half_absent(r, &t)) return;
    kst_half *to = kst_list_add(r->allocator, &r->stack, sizeof *to);
    if (to)
        *to = t;
    else
        r->short_of_memory = true;
}

void kst_rqt_activate(kst_rqt *r, kst_node v) {
    if (kst_node_is_active(r, v) || r->short_of_memory) return;
    kst_family f = kst_node_family(r, v);
    bool there[2];
    for (int k = 0; k < 2; ++k) {
        there[k] = !kst_half_absent(r, &(kst_half){f.w[k], f.a, f.b});
        if (there[k]) kst_rqt_activate(r, f.w[k]);
    }
    if (!there[0] && !there[1]) return;
    size_t bit = kst_node_bit(r, v);
    r->active[bit / 64] |= (uint64_t)1 << (bit % 64);
    kst_node *to = kst_list_add(r->allocator, &r->nodes, sizeof *to);
    if (to)
        *to = v;
    else
        r->short_of_memory = true;
    for (int k = 0; k < 2; ++k) {
        if (!there[k]) continue;
        look_later(r, (kst_half){v, f.a, f.w[k]});
        look_later(r, (kst_half){v, f.b, f.w[k]});
    }
}

// Half a cell along the wrong diagonal, as can come about in the corner of a region: no sample tells.
static bool is_wrong_half(const kst_rqt *r, const kst_half *t) {
    kst_node a = kst_node_place(r, t->a), b = kst_node_place(r, t->b);
    return abs(a.i - b.i) == 1 && abs(a.j - b.j) == 1 && ((a.i + a.j) & 1);
}

static bool must_split(const kst_rqt *r, const kst_half *t) {
    kst_node place[3] = {kst_node_place(r, t->w), kst_node_place(r, t->a), kst_node_place(r, t->b)};
    if (is_wrong_half(r, t)) return true;
    return (r->hole_sum && kst_rqt_holes(r, place)) || kst_rqt_exceeds(r, place);
}

// The two triangles of a root square.
static void root_halves(const kst_rqt *r, int k, kst_half out[2]) {
    int32_t s = r->side, i = r->base_x + k % r->roots_x * s, j = r->base_z + k / r->roots_x * s;
    bool odd = (i / s + j / s) & 1;
    kst_node p[4] = {{i, j}, {i + s, j}, {i + s, j + s}, {i, j + s}};
    out[0] = (kst_half){p[!odd], p[odd], p[odd + 2]};
    out[1] = (kst_half){p[(!odd + 2) % 4], p[odd], p[odd + 2]};
}

karst_status kst_rqt_select(kst_rqt *r, const karst_progress *progress) {
    enum { SOME = 1 << 14 };
    for (int k = 0; k < r->roots_x * r->roots_z; ++k) {
        kst_half half[2];
        root_halves(r, k, half);
        look_later(r, half[0]);
        look_later(r, half[1]);
    }
    for (size_t k = 0; k < r->pins.count; ++k) kst_rqt_activate(r, ((const kst_node *)r->pins.items)[k]);
    double all = (double)(r->x1 - r->x0 + 1) * (r->z1 - r->z0 + 1);
    for (uint64_t looks = 0; r->stack.count && !r->short_of_memory; ++looks) {
        if (looks % SOME == 0) {
            karst_status status = kst_progress_step(progress, "split", (double)r->nodes.count / all);
            if (status) return status;
        }
        kst_half t = ((kst_half *)r->stack.items)[--r->stack.count];
        kst_node v;
        middle(&t, &v);
        if (!kst_node_is_active(r, v) && must_split(r, &t)) kst_rqt_activate(r, v);
    }
    return r->short_of_memory ? KARST_ERROR_MEMORY : KARST_OK;
}

// ---- leaves ------------------------------------------------------------------------------------------

static bool leaves_of(const kst_rqt *r, const kst_half *t, kst_half_fn *fn, void *context) {
    kst_node v;
    if (kst_half_absent(r, t)) return true;
    if (!middle(t, &v) || !kst_node_is_active(r, v)) return fn(context, t);
    return leaves_of(r, &(kst_half){v, t->a, t->w}, fn, context) &&
           leaves_of(r, &(kst_half){v, t->b, t->w}, fn, context);
}

bool kst_rqt_leaves(const kst_rqt *r, kst_half_fn *fn, void *context) {
    for (int k = 0; k < r->roots_x * r->roots_z; ++k) {
        kst_half half[2];
        root_halves(r, k, half);
        if (!leaves_of(r, &half[0], fn, context) || !leaves_of(r, &half[1], fn, context)) return false;
    }
    return true;
}
