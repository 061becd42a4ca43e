// SPDX-License-Identifier: MIT
// Fewer vertices by other heights.
//
// A node that nothing depends on can leave: its four triangles (two on a border) become the two (one) of which they
// were made. If the merged triangles are off, the heights of vertices round them may mend that: first of their own
// corners, then of one ring of vertices after another. Nodes leave level by level from the finest on, the least off
// first, so that one pass goes through the whole tree. Vertices are set to the middle of what the error leaves them
// before each pass, so that their neighbours find room.
#include <stdlib.h>

#include "lod/rqt.h"

enum { RINGS = 3 };

typedef struct refit {
    kst_rqt *r;
    kst_net *net;
    kst_fit fit;
    bool *stays;  // of a vertex: it is pinned
    struct entry *queue;
    const karst_progress *progress;
    uint64_t steps;
} refit;

typedef struct entry {
    double cost;
    kst_node node;
} entry;

// What becomes of the triangles round a node when it leaves.
typedef struct merge {
    int old_count, fresh_count;
    uint32_t old[4];       // triangles
    uint32_t fresh[2][3];  // corners
} merge;

static uint32_t vertex_of(const refit *f, kst_node v) {
    return (uint32_t)f->net->vertex_at[kst_place_at(f->r, kst_node_place(f->r, v))];
}

static merge merge_at(const refit *f, kst_node v) {
    const kst_net *net = f->net;
    kst_family family = kst_node_family(f->r, v);
    merge m = {0};
    for (int k = 0; k < 2; ++k) {
        kst_half whole = {family.w[k], family.a, family.b};
        if (kst_half_absent(f->r, &whole)) continue;
        kst_net_corners(net, f->r, &whole, m.fresh[m.fresh_count++]);
        for (int end = 0; end < 2; ++end) {
            kst_half part = {v, end ? family.b : family.a, family.w[k]};
            if (kst_half_absent(f->r, &part)) continue;
            uint32_t corner[3];
            kst_net_corners(net, f->r, &part, corner);
            int32_t found = kst_net_find(net, corner);
            KARST_ASSERT(found != KST_NONE);
            m.old[m.old_count++] = (uint32_t)found;
        }
    }
    return m;
}

// A triangle that would cover ground and holes must stay split.
static bool must_stay_split(const kst_rqt *r, kst_node v) {
    kst_family family = kst_node_family(r, v);
    for (int k = 0; k < 2; ++k) {
        kst_half whole = {family.w[k], family.a, family.b};
        if (kst_half_absent(r, &whole)) continue;
        kst_node place[3] = {kst_node_place(r, whole.w), kst_node_place(r, whole.a), kst_node_place(r, whole.b)};
        if (kst_rqt_holes(r, place)) return true;
    }
    return false;
}

static bool can_leave(const refit *f, kst_node v) {
    const kst_rqt *r = f->r;
    kst_node dependent[4];
    if (!kst_node_is_active(r, v)) return false;
    uint32_t vertex = vertex_of(f, v);
    if (vertex == (uint32_t)KST_NONE || f->stays[vertex]) return false;  // among holes alone, or pinned
    bool any = kst_node_dependents(r, v, dependent);
    for (int k = 0; k < 4 && any; ++k)
        if (kst_node_inside(r, dependent[k]) && kst_node_is_active(r, dependent[k])) return false;
    return !r->hole_sum || !must_stay_split(r, v);
}

// How far the merged triangles are off with the heights as they are.
static double cost_of(const refit *f, const merge *m) {
    double cost = 0;
    for (int t = 0; t < m->fresh_count; ++t) {
        kst_node p[3];
        float h[3];
        for (int k = 0; k < 3; ++k) p[k] = f->net->place[m->fresh[t][k]], h[k] = f->net->height[m->fresh[t][k]];
        double off = kst_rqt_off(f->r, p, h);
        if (off > cost) cost = off;
    }
    return cost;
}

static void free_another_ring(kst_fit *fit) {
    int count = fit->triangle_count;
    for (int t = 0; t < count; ++t)
        for (int k = 0; k < 3; ++k) kst_fit_free_vertex(fit, fit->triangle[t].vertex[k]);
}

// Heights with which the merged triangles keep the error, made at once.
static bool find_heights(refit *f, const merge *m) {
    kst_fit *fit = &f->fit;
    kst_fit_begin(fit);
    for (int t = 0; t < m->fresh_count; ++t) kst_fit_add(fit, m->fresh[t]);
    free_another_ring(fit);
    if (!kst_fit_solve(fit)) return false;  // not even with nothing else to keep
    for (int t = 0; t < m->old_count; ++t) kst_fit_skip(fit, m->old[t]);
    for (int ring = 0; ring < RINGS; ++ring) {
        if (ring) free_another_ring(fit);
        kst_fit_add_stars(fit);
        if (kst_fit_solve(fit)) return kst_fit_accept(fit);
    }
    return false;
}

static void leave(refit *f, kst_node v, const merge *m) {
    for (int t = 0; t < m->old_count; ++t) kst_net_take(f->net, m->old[t]);
    for (int t = 0; t < m->fresh_count; ++t) kst_net_put(f->net, m->old[t], m->fresh[t]);
    size_t bit = kst_node_bit(f->r, v);
    f->r->active[bit / 64] &= ~((uint64_t)1 << (bit % 64));
}

// ---- levels ------------------------------------------------------------------------------------------------

static karst_status pause(refit *f, double share) {
    enum { SOME = 512 };
    if (f->fit.short_of_memory) return KARST_ERROR_MEMORY;
    return f->steps++ % SOME ? KARST_OK : kst_progress_step(f->progress, "refit", share);
}

static int by_cost(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    if (x->node.j != y->node.j) return x->node.j < y->node.j ? -1 : 1;
    return (x->node.i > y->node.i) - (x->node.i < y->node.i);
}

// Twice the power of its step, one more for the middle of a square: dependents have less.
static int level_of(const kst_rqt *r, kst_node v) {
    int power = __builtin_ctz((unsigned)(v.i | v.j | r->side));
    return 2 * power + (v.i >> power & v.j >> power & 1);
}

static karst_status leave_level(refit *f, int level, double share) {
    const kst_node *node = f->r->nodes.items;
    size_t count = 0;
    karst_status status = KARST_OK;
    for (size_t k = 0; k < f->r->nodes.count; ++k) {
        if (level_of(f->r, node[k]) != level || !can_leave(f, node[k])) continue;
        merge m = merge_at(f, node[k]);
        f->queue[count++] = (entry){cost_of(f, &m), node[k]};
    }
    qsort(f->queue, count, sizeof *f->queue, by_cost);
    for (size_t k = 0; k < count && !status; ++k) {
        kst_node v = f->queue[k].node;
        merge m = merge_at(f, v);
        if (cost_of(f, &m) <= f->r->error || find_heights(f, &m)) leave(f, v, &m);
        status = pause(f, share);
    }
    return status;
}

static karst_status run(refit *f) {
    int levels = 2 * __builtin_ctz((unsigned)f->r->side) + 1;
    karst_status status = KARST_OK;
    for (int level = 0; level < levels && !status; ++level)
        status = leave_level(f, level, (level + 1.0) / (levels + 1));
    return status;
}

karst_status kst_rqt_refit(kst_rqt *r, kst_net *net, const karst_progress *progress) {
    const karst_allocator *a = r->allocator;
    size_t nodes = r->nodes.count;
    refit *f = kst_alloc_zero(a, sizeof *f);
    if (!f) return KARST_ERROR_MEMORY;
    f->r = r;
    f->net = net;
    f->progress = progress;
    f->stays = kst_alloc_zero(a, net->vertex_room * sizeof *f->stays);
    f->queue = kst_alloc_array(a, nodes + 1, sizeof *f->queue);
    karst_status status = f->stays && f->queue ? kst_net_link(net) : KARST_ERROR_MEMORY;
    if (!status) status = kst_fit_open(&f->fit, r, net);
    for (size_t k = 0; k < r->pins.count && !status; ++k) {
        kst_node pin = ((const kst_node *)r->pins.items)[k];
        int32_t vertex = net->vertex_at[kst_place_at(r, pin)];
        if (vertex != KST_NONE) f->stays[vertex] = true;
    }
    if (!status) status = run(f);
    if (!status) kst_net_pack(net, r);
    if (f->fit.r) kst_fit_close(&f->fit);
    kst_free(a, f->stays, net->vertex_room * sizeof *f->stays);
    kst_free(a, f->queue, (nodes + 1) * sizeof *f->queue);
    kst_free(a, f, sizeof *f);
    return status;
}
