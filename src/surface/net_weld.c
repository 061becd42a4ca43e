// SPDX-License-Identifier: MIT
// Making a net of parts whole: corners and edges that lie together become one, small edges part of a large one; patches
// face alike.
#include <math.h>

#include "karst/field.h"
#include "surface/net_mend.h"

karst_net_weld_def karst_net_weld_def_default(void) {
    return (karst_net_weld_def){.distance_m = 0.01, .cookie = KST_COOKIE};
}

// ---- what became what ----------------------------------------------------------------------------------

void kst_mend_tell(const kst_mend *w, karst_net_repair repair, const int32_t at[3]) {
    if (!w->def->tell) return;
    double m = ldexp(1, w->net->step_log2);
    const karst_pos o = w->net->origin;
    repair.at = (karst_pos){o.x + at[0] * m, o.y + at[1] * m, o.z + at[2] * m};
    w->def->tell(w->def->context, &repair);
}

void kst_mend_corner(kst_mend *w, int32_t index, int32_t into) {
    const karst_net_corner *mine = &w->net->corners[index], *its = &w->net->corners[into];
    w->corner[index] = into, ++w->done.corners;
    w->corner_join[into] |= w->corner_join[index] | KST_JOINED | (mine->noise != its->noise ? KST_UNLIKE : 0);
    kst_mend_tell(w, (karst_net_repair){.kind = KARST_REPAIR_CORNER, .index = index, .into = into}, mine->at);
}

// The calmer map stays.
void kst_mend_edge(kst_mend *w, int32_t index, int32_t into, int from, int to) {
    const karst_net_edge *mine = &w->net->edges[index];
    karst_net_edge *its = &w->net->edges[into];
    bool whole = from + to == 8 && (from == 0 || to == 0);
    w->edge[index] = into, w->part[index][0] = (uint8_t)from, w->part[index][1] = (uint8_t)to;
    w->edge_join[into] |= w->edge_join[index] | KST_JOINED | (mine->noise != its->noise ? KST_UNLIKE : 0);
    if ((mine->noise & 15) < (its->noise & 15)) its->noise = mine->noise;
    its->crease |= mine->crease;
    ++*(whole ? &w->done.edges : &w->done.bound);
    kst_mend_tell(w,
                  (karst_net_repair){.kind = whole ? KARST_REPAIR_EDGE : KARST_REPAIR_BOUND,
                                     .index = index,
                                     .into = into,
                                     .from = (uint8_t)from,
                                     .to = (uint8_t)to},
                  w->net->corners[mine->corner[0]].at);
}

static uint8_t eighth_of(const kst_mend *w, int32_t edge, int eighth) {
    int from = w->part[edge][0], to = w->part[edge][1];
    return (uint8_t)(from + (to - from) * eighth / 8);
}

void kst_mend_settle(kst_mend *w) {
    karst_net *net = w->net;
    for (int32_t k = 0; k < net->corner_count; ++k)
        while (w->corner[w->corner[k]] != w->corner[k]) w->corner[k] = w->corner[w->corner[k]];
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int end = 0; end < 2; ++end) net->edges[k].corner[end] = w->corner[net->edges[k].corner[end]];
    for (int32_t k = 0; k < net->corner_count; ++k) {
        karst_net_corner *c = &net->corners[k];
        while (c->edge != KARST_NET_NONE && w->edge[c->edge] != c->edge)
            c->eighth = eighth_of(w, c->edge, c->eighth), c->edge = w->edge[c->edge];
    }
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &net->patches[k].side[side];
            for (; w->edge[s->edge] != s->edge; s->edge = w->edge[s->edge])
                s->from = eighth_of(w, s->edge, s->from), s->to = eighth_of(w, s->edge, s->to);
        }
}

// ---- what names what is there --------------------------------------------------------------------------

static karst_status check(const kst_mend *w) {
    const karst_net *net = w->net;
    karst_report *report = w->def->report;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge != KARST_NET_NONE && (c->edge < 0 || c->edge >= net->edge_count || c->eighth < 1 || c->eighth > 7))
            return kst_fail(report, KARST_ERROR_FORMAT, "corner %d lies at eighth %d of edge %d; edges are 0 to %d", k,
                            c->eighth, c->edge, net->edge_count - 1);
    }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        const karst_net_edge *e = &net->edges[k];
        for (int end = 0; end < 2; ++end)
            if (e->corner[end] < 0 || e->corner[end] >= net->corner_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "edge %d ends at corner %d; corners are 0 to %d", k,
                                e->corner[end], net->corner_count - 1);
        if (e->seam &&
            (e->column < 0 || e->column >= KARST_FIELD_MAX_SIDE || e->row < 0 || e->row >= KARST_FIELD_MAX_SIDE))
            return kst_fail(report, KARST_ERROR_FORMAT, "edge %d is a seam at vertex %d, %d; vertices are 0 to %d", k,
                            e->column, e->row, KARST_FIELD_MAX_SIDE - 1);
    }
    for (int32_t k = 0; k < net->patch_count; ++k) {
        const karst_net_patch *p = &net->patches[k];
        if (p->tiles_log2[0] < 1 || p->tiles_log2[0] > 4 || p->tiles_log2[1] < 1 || p->tiles_log2[1] > 4)
            return kst_fail(report, KARST_ERROR_FORMAT, "patch %d has 2^%d by 2^%d tiles; each is 2, 4, 8 or 16", k,
                            p->tiles_log2[0], p->tiles_log2[1]);
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &p->side[side];
            if (s->edge < 0 || s->edge >= net->edge_count || s->from > 8 || s->to > 8 || s->from == s->to)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, side %d is on eighths %d to %d of edge %d; edges are 0 to %d", k, side,
                                s->from, s->to, s->edge, net->edge_count - 1);
        }
    }
    return KARST_OK;
}

// ---- corners that lie together -------------------------------------------------------------------------

static int32_t nearest(const kst_mend *w, const kst_cells *cells, const int32_t at[3]) {
    int32_t near[KST_CELLS_NEAR], best = KARST_NET_NONE;
    int count = kst_cells_near(cells, at, near);
    double least = 0;
    for (int k = 0; k < count; ++k) {
        double d = kst_apart2(at, w->net->corners[near[k]].at);
        if (best == KARST_NET_NONE || d < least || (d <= least && near[k] < best)) best = near[k], least = d;
    }
    return best;
}

// Those at the ends of seams come first, others come to them.
static karst_status merge_near(kst_mend *w) {
    const karst_net *net = w->net;
    kst_cells cells;
    karst_status status = kst_cells_make(&cells, net, w->steps);
    if (status) return status;
    for (int turn = 0; turn < 2; ++turn)
        for (int32_t k = 0; k < net->corner_count; ++k) {
            bool later = !(w->corner_join[k] & KST_FIXED);
            if (net->corners[k].edge != KARST_NET_NONE || later != turn) continue;
            int32_t into = nearest(w, &cells, net->corners[k].at);
            if (into == KARST_NET_NONE)
                kst_cells_put(&cells, k);
            else
                kst_mend_corner(w, k, into);
        }
    kst_cells_free(&cells);
    return KARST_OK;
}

// ---- seams of edges that became one --------------------------------------------------------------------

// An edge that a seam became one with is a seam.
static void take_seam(karst_net_edge *into, const karst_net_edge *from, bool against) {
    if (!from->seam) return;
    into->seam = from->seam, into->column = from->column, into->row = from->row;
    if (!against) return;
    int32_t at[2];
    kst_seam_vertex(from->seam, from->column, from->row, from->tiles, at);
    into->seam = (uint8_t)((from->seam + 1) % 4 + 1), into->column = at[0], into->row = at[1];
}

// Tiles along seams, of a net that may not be finished.
static void count_tiles(karst_net *net) {
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            const karst_net_patch *p = &net->patches[k];
            const karst_net_side *s = &p->side[side];
            int length = s->from < s->to ? s->to - s->from : s->from - s->to, own = p->tiles_log2[side & 1];
            if (net->edges[s->edge].seam && own < 5) net->edges[s->edge].tiles = (uint8_t)((8 << own) / length);
        }
}

// An edge with patches on both sides is no seam any more; those that are seams now are flat.
static karst_status settle_seams(karst_net *net) {
    uint8_t *sides = kst_alloc_zero(net->allocator, (size_t)net->edge_count + 1);
    if (!sides) return KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &net->patches[k].side[side];
            sides[s->edge] |= (s->from > s->to) != (side >= 2) ? 2 : 1;
        }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge *e = &net->edges[k];
        if (sides[k] == 3) e->seam = 0;
        if (e->seam) e->noise &= (uint8_t)~15;
        for (int end = 0; end < 2 && e->seam; ++end) net->corners[e->corner[end]].noise = 0;
    }
    kst_free(net->allocator, sides, (size_t)net->edge_count + 1);
    return KARST_OK;
}

// ---- edges between the same corners, and what lies inside them -----------------------------------------

int kst_by_pair(const void *a, const void *b) {
    const kst_pair *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// The middle of a curve, eight times.
static void middle8(const karst_net *net, int32_t edge, double out[3]) {
    int32_t p[4][3];
    kst_net_edge_points(net, edge, p);
    for (int axis = 0; axis < 3; ++axis) out[axis] = p[0][axis] + 3.0 * p[1][axis] + 3.0 * p[2][axis] + p[3][axis];
}

static bool run_alike(const kst_mend *w, int32_t x, int32_t y) {
    const karst_net *net = w->net;
    double p[3], q[3], d2 = 0;
    middle8(net, x, p), middle8(net, y, q);
    for (int axis = 0; axis < 3; ++axis) d2 += (p[axis] - q[axis]) * (p[axis] - q[axis]) / 64;
    const int32_t *ends = net->edges[x].corner;
    return d2 <= fmax(w->steps * w->steps, kst_apart2(net->corners[ends[0]].at, net->corners[ends[1]].at) / 16);
}

// Whether some became one.
static bool merge_edges(kst_mend *w) {
    karst_net *net = w->net;
    kst_pair *pairs = w->pairs;
    int32_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) {
        int32_t a = net->edges[k].corner[0], b = net->edges[k].corner[1];
        if (w->edge[k] == k && a != b) pairs[count++] = (kst_pair){a < b ? a : b, a < b ? b : a, k};
    }
    kst_sort_pairs(pairs, count, kst_by_pair);
    bool merged = false;
    for (int32_t k = 0, first = 0, alone = 0; k < count; ++k) {  // of those between the same two, some stay alone
        if (pairs[k].low != pairs[first].low || pairs[k].high != pairs[first].high) first = k, alone = 0;
        int32_t mine = pairs[k].index;
        for (int32_t i = 0; i < alone && w->edge[mine] == mine; ++i) {
            int32_t into = pairs[first + i].index;
            if (!run_alike(w, into, mine)) continue;
            bool against = net->edges[mine].corner[0] != net->edges[into].corner[0];
            if (!net->edges[into].seam) take_seam(&net->edges[into], &net->edges[mine], against);
            kst_mend_edge(w, mine, into, against ? 8 : 0, against ? 0 : 8);
            merged = true;
        }
        if (w->edge[mine] == mine && alone < KST_ALIKE_MOST) pairs[first + alone++] = pairs[k];
    }
    return merged;
}

// Corners at the same eighth of the same edge become one.
static bool merge_inside(kst_mend *w) {
    const karst_net *net = w->net;
    kst_pair *pairs = w->pairs;
    int32_t count = 0;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge != KARST_NET_NONE && w->corner[k] == k) pairs[count++] = (kst_pair){c->edge, c->eighth, k};
    }
    kst_sort_pairs(pairs, count, kst_by_pair);
    bool merged = false;
    for (int32_t k = 1, first = 0; k < count; ++k)
        if (pairs[k].low != pairs[first].low || pairs[k].high != pairs[first].high)
            first = k;
        else
            kst_mend_corner(w, pairs[k].index, pairs[first].index), merged = true;
    return merged;
}

bool kst_mend_whole(kst_mend *w) {
    bool any = false, more = true;
    for (int pass = 0; more && pass < KST_MEND_PASSES; ++pass, any |= more) {
        kst_mend_settle(w);
        more = merge_inside(w);
        if (more) kst_mend_settle(w);
        more |= merge_edges(w);
    }
    kst_mend_settle(w);
    return any;
}

// ---- the whole -------------------------------------------------------------------------------------------

static karst_status turn_patches(kst_mend *w) {
    uint8_t *turn = kst_alloc_zero(w->net->allocator, (size_t)w->net->patch_count + 1);
    karst_status status = turn ? kst_net_turns(w->net, w->gone, turn) : KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < w->net->patch_count && !status; ++k)
        if (turn[k]) {
            kst_patch_turn_over(&w->net->patches[k]);
            ++w->done.turned;
            kst_mend_tell(w, (karst_net_repair){.kind = KARST_REPAIR_TURNED, .index = k, .into = KARST_NET_NONE},
                          w->net->patches[k].inner[0]);
        }
    kst_free(w->net->allocator, turn, (size_t)w->net->patch_count + 1);
    return status;
}

static karst_status mend(kst_mend *w) {
    karst_net *net = w->net;
    for (int32_t k = 0; k < net->corner_count; ++k) w->corner[k] = k;
    for (int32_t k = 0; k < net->edge_count; ++k) {
        w->edge[k] = k;
        for (int end = 0; end < 2 && net->edges[k].seam; ++end) w->corner_join[net->edges[k].corner[end]] = KST_FIXED;
    }
    count_tiles(net);
    karst_status status = merge_near(w);
    if (status) return status;
    kst_mend_whole(w);
    status = kst_mend_remove(w);
    // A patch that goes makes room for another one.
    for (int32_t before = -1, turn = 0; !status && before != w->done.removed && turn < KST_BIND_PASSES; ++turn) {
        before = w->done.removed;
        status = kst_mend_bind(w);
        if (!status) status = kst_mend_remove(w);
    }
    if (!status) status = turn_patches(w);
    if (!status) status = kst_mend_compact(w);
    if (!status) status = settle_seams(net);
    int32_t corner_count = net->corner_count;  // finishing adds some
    if (!status) status = kst_net_tiles_agree(net, w->def->report);
    if (!status) status = karst_net_finish(net, w->def->report);
    if (!status) status = kst_net_agree(net, w->corner_join, corner_count, w->edge_join, &w->done.painted);
    net->finished &= !status;
    return status;
}

karst_status karst_net_weld(karst_net *net, const karst_net_weld_def *def, karst_net_welded *info) {
    karst_net_weld_def usual = karst_net_weld_def_default();
    if (!def) def = &usual;
    KARST_ASSERT(def->cookie == KST_COOKIE && def->distance_m >= 0);
    kst_mend w = {.net = net, .def = def, .steps = ldexp(def->distance_m, -net->step_log2)};
    const karst_allocator *a = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    size_t patches = (size_t)net->patch_count + 1, pairs = corners > edges ? corners : edges;
    net->finished = false;
    karst_status status = check(&w);
    if (status) return status;
    w.corner = kst_alloc_array(a, corners, sizeof *w.corner), w.edge = kst_alloc_array(a, edges, sizeof *w.edge);
    w.part = kst_alloc_array(a, edges, sizeof *w.part), w.pairs = kst_alloc_array(a, pairs, sizeof *w.pairs);
    w.corner_join = kst_alloc_zero(a, corners), w.edge_join = kst_alloc_zero(a, edges);
    w.gone = kst_alloc_zero(a, patches);
    bool room = w.corner && w.edge && w.part && w.pairs && w.corner_join && w.edge_join && w.gone;
    status = room ? mend(&w) : KARST_ERROR_MEMORY;
    kst_free(a, w.corner, corners * sizeof *w.corner), kst_free(a, w.edge, edges * sizeof *w.edge);
    kst_free(a, w.part, edges * sizeof *w.part), kst_free(a, w.pairs, pairs * sizeof *w.pairs);
    kst_free(a, w.corner_join, corners), kst_free(a, w.edge_join, edges);
    kst_free(a, w.gone, patches);
    if (!status && info) *info = w.done;
    return status;
}
