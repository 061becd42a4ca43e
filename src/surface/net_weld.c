// SPDX-License-Identifier: MIT
// Making a net of parts whole: corners and edges that lie together become one, patches face alike.
#include <math.h>

#include "core/turns.h"
#include "karst/netweld.h"
#include "surface/net.h"

typedef struct weld {
    karst_net *net;
    const karst_net_weld_def *def;
    double steps;      // distance
    int32_t *corner;   // what a corner became; ways are one step long between passes
    int32_t *edge;     // what an edge became
    uint8_t *against;  // ... and whether it ran the other way
    uint8_t *gone;     // of patches
    karst_net_welded done;
} weld;

karst_net_weld_def karst_net_weld_def_default(void) {
    return (karst_net_weld_def){.distance_m = 0.01, .cookie = KST_COOKIE};
}

static void tell(const weld *w, karst_repair_kind kind, int32_t index, int32_t into, const int32_t at[3]) {
    if (!w->def->tell) return;
    double m = ldexp(1, w->net->step_log2);
    const karst_pos o = w->net->origin;
    w->def->tell(w->def->context,
                 &(karst_net_repair){kind, index, into, {o.x + at[0] * m, o.y + at[1] * m, o.z + at[2] * m}});
}

static double apart2(const int32_t a[3], const int32_t b[3]) {
    double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return x * x + y * y + z * z;
}

// ---- what names what is there --------------------------------------------------------------------------

static karst_status check(const weld *w) {
    const karst_net *net = w->net;
    karst_report *report = w->def->report;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const karst_net_corner *c = &net->corners[k];
        if (c->edge != KARST_NET_NONE && (c->edge < 0 || c->edge >= net->edge_count || c->eighth < 1 || c->eighth > 7))
            return kst_fail(report, KARST_ERROR_FORMAT, "corner %d lies at eighth %d of edge %d; edges are 0 to %d", k,
                            c->eighth, c->edge, net->edge_count - 1);
    }
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int end = 0; end < 2; ++end) {
            int32_t c = net->edges[k].corner[end];
            if (c < 0 || c >= net->corner_count)
                return kst_fail(report, KARST_ERROR_FORMAT, "edge %d ends at corner %d; corners are 0 to %d", k, c,
                                net->corner_count - 1);
        }
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            const karst_net_side *s = &net->patches[k].side[side];
            if (s->edge < 0 || s->edge >= net->edge_count || s->from > 8 || s->to > 8 || s->from == s->to)
                return kst_fail(report, KARST_ERROR_FORMAT,
                                "patch %d, side %d is on eighths %d to %d of edge %d; edges are 0 to %d", k, side,
                                s->from, s->to, s->edge, net->edge_count - 1);
        }
    return KARST_OK;
}

// ---- corners that lie together -------------------------------------------------------------------------

// Corners that stay, by cells as wide as the distance.
typedef struct cells {
    int32_t *first, *next;
    size_t mask;
    double wide;
} cells;

static size_t slot_of(const cells *c, int64_t x, int64_t y, int64_t z) {
    const int64_t key[3] = {x, y, z};
    return (size_t)kst_hash(key, sizeof key, 0) & c->mask;
}

static int32_t nearest(const weld *w, const cells *c, const int32_t at[3], const int64_t cell[3]) {
    int32_t best = KARST_NET_NONE;
    double least = w->steps * w->steps;
    for (int k = 0; k < 27; ++k) {
        size_t slot = slot_of(c, cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1);
        for (int32_t other = c->first[slot]; other != KARST_NET_NONE; other = c->next[other]) {
            double d = apart2(at, w->net->corners[other].at);
            if (d < least || (d <= least && (best == KARST_NET_NONE || other < best))) best = other, least = d;
        }
    }
    return best;
}

static karst_status merge_near(weld *w) {
    const karst_net *net = w->net;
    size_t room = 64;
    while (room < 2 * (size_t)net->corner_count) room *= 2;
    cells c = {.mask = room - 1, .wide = fmax(w->steps, 1)};
    c.first = kst_alloc_array(net->allocator, room, sizeof *c.first);
    c.next = kst_alloc_array(net->allocator, (size_t)net->corner_count + 1, sizeof *c.next);
    karst_status status = c.first && c.next ? KARST_OK : KARST_ERROR_MEMORY;
    for (size_t k = 0; k < room && !status; ++k) c.first[k] = KARST_NET_NONE;
    for (int32_t k = 0; k < net->corner_count && !status; ++k) {
        const int32_t *at = net->corners[k].at;
        if (net->corners[k].edge != KARST_NET_NONE) continue;
        int64_t cell[3];
        for (int axis = 0; axis < 3; ++axis) cell[axis] = (int64_t)floor(at[axis] / c.wide);
        int32_t into = nearest(w, &c, at, cell);
        if (into != KARST_NET_NONE) {
            w->corner[k] = into, ++w->done.corners;
            tell(w, KARST_REPAIR_CORNER, k, into, at);
            continue;
        }
        size_t slot = slot_of(&c, cell[0], cell[1], cell[2]);
        c.next[k] = c.first[slot], c.first[slot] = k;
    }
    kst_free(net->allocator, c.first, room * sizeof *c.first);
    kst_free(net->allocator, c.next, ((size_t)net->corner_count + 1) * sizeof *c.next);
    return status;
}

// ---- edges between the same corners, and what lies inside them -----------------------------------------

// Something found by a pair of numbers; the least index comes first.
typedef struct pair {
    int32_t low, high, index;
} pair;

static int by_pair(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void end_of(const weld *w, int32_t edge, int end, int32_t out[3]) {
    memcpy(out, w->net->corners[w->corner[w->net->edges[edge].corner[end]]].at, 3 * sizeof *out);
}

// The middle of a curve, eight times.
static void middle8(const weld *w, int32_t edge, double out[3]) {
    const karst_net_edge *e = &w->net->edges[edge];
    int32_t a[3], b[3];
    end_of(w, edge, 0, a), end_of(w, edge, 1, b);
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = a[axis] + 3.0 * e->handle[0][axis] + 3.0 * e->handle[1][axis] + b[axis];
}

static bool run_alike(const weld *w, int32_t x, int32_t y) {
    double p[3], q[3], d2 = 0;
    int32_t a[3], b[3];
    middle8(w, x, p), middle8(w, y, q);
    for (int axis = 0; axis < 3; ++axis) d2 += (p[axis] - q[axis]) * (p[axis] - q[axis]) / 64;
    end_of(w, x, 0, a), end_of(w, x, 1, b);
    return d2 <= fmax(w->steps * w->steps, apart2(a, b) / 16);
}

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

// Whether some became one.
static bool merge_edges(weld *w, pair *pairs) {
    karst_net *net = w->net;
    int32_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) {
        int32_t a = w->corner[net->edges[k].corner[0]], b = w->corner[net->edges[k].corner[1]];
        if (w->edge[k] == k && a != b) pairs[count++] = (pair){a < b ? a : b, a < b ? b : a, k};
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_pair);
    bool merged = false;
    for (int32_t k = 1, first = 0; k < count; ++k) {
        if (pairs[k].low != pairs[first].low || pairs[k].high != pairs[first].high) first = k;
        int32_t mine = pairs[k].index;
        for (int32_t i = first; i < k && w->edge[mine] == mine; ++i) {
            int32_t into = pairs[i].index;
            if (w->edge[into] != into || !run_alike(w, into, mine)) continue;
            w->edge[mine] = into, merged = true, ++w->done.edges;
            w->against[mine] = w->corner[net->edges[mine].corner[0]] != w->corner[net->edges[into].corner[0]];
            net->edges[into].crease |= net->edges[mine].crease;
            if (!net->edges[into].seam) take_seam(&net->edges[into], &net->edges[mine], w->against[mine]);
            tell(w, KARST_REPAIR_EDGE, mine, into, net->corners[net->edges[mine].corner[0]].at);
        }
    }
    return merged;
}

static int32_t edge_of(const weld *w, int32_t edge, bool *against) {
    *against = false;
    for (; w->edge[edge] != edge; edge = w->edge[edge]) *against ^= w->against[edge];
    return edge;
}

// Corners at the same eighth of the same edge become one.
static void merge_inside(weld *w, pair *pairs) {
    karst_net *net = w->net;
    int32_t count = 0;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        karst_net_corner *c = &net->corners[k];
        if (c->edge == KARST_NET_NONE || w->corner[k] != k) continue;
        bool against;
        c->edge = edge_of(w, c->edge, &against);
        if (against) c->eighth = (uint8_t)(8 - c->eighth);
        pairs[count++] = (pair){c->edge, c->eighth, k};
    }
    qsort(pairs, (size_t)count, sizeof *pairs, by_pair);
    for (int32_t k = 1, first = 0; k < count; ++k) {
        if (pairs[k].low != pairs[first].low || pairs[k].high != pairs[first].high) first = k;
        if (k == first) continue;
        w->corner[pairs[k].index] = pairs[first].index, ++w->done.corners;
        tell(w, KARST_REPAIR_CORNER, pairs[k].index, pairs[first].index, net->corners[pairs[k].index].at);
    }
    for (int32_t k = 0; k < net->corner_count; ++k) w->corner[k] = w->corner[w->corner[k]];
}

static karst_status merge(weld *w) {
    const karst_net *net = w->net;
    size_t room = (size_t)(net->edge_count > net->corner_count ? net->edge_count : net->corner_count) + 1;
    pair *pairs = kst_alloc_array(net->allocator, room, sizeof *pairs);
    karst_status status = pairs ? merge_near(w) : KARST_ERROR_MEMORY;
    while (!status && merge_edges(w, pairs)) merge_inside(w, pairs);
    kst_free(net->allocator, pairs, room * sizeof *pairs);
    return status;
}

// ---- patches that are none any more ------------------------------------------------------------------------

// Sides on the edges that are left.
static void move_sides(weld *w) {
    for (int32_t k = 0; k < w->net->patch_count; ++k)
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &w->net->patches[k].side[side];
            bool against;
            s->edge = edge_of(w, s->edge, &against);
            if (against) s->from = (uint8_t)(8 - s->from), s->to = (uint8_t)(8 - s->to);
        }
}

static bool lost_a_side(const weld *w, const karst_net_patch *p) {
    for (int side = 0; side < 4; ++side) {
        const karst_net_side *s = &p->side[side];
        const karst_net_edge *e = &w->net->edges[s->edge];
        if (w->corner[e->corner[0]] == w->corner[e->corner[1]]) return true;
        for (int other = 0; other < side; ++other) {
            const karst_net_side *o = &p->side[other];
            if (o->edge == s->edge && kst_side_bits(o) & kst_side_bits(s)) return true;
        }
    }
    return false;
}

// Edges of a patch, least first.
typedef struct ring {
    int32_t edge[4], index;
} ring;

static int by_ring(const void *a, const void *b) {
    const ring *x = a, *y = b;
    for (int k = 0; k < 4; ++k)
        if (x->edge[k] != y->edge[k]) return x->edge[k] < y->edge[k] ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static ring ring_of(const karst_net_patch *p, int32_t index) {
    ring r = {.index = index};
    for (int side = 0; side < 4; ++side) {
        int at = side;
        for (; at > 0 && r.edge[at - 1] > p->side[side].edge; --at) r.edge[at] = r.edge[at - 1];
        r.edge[at] = p->side[side].edge;
    }
    return r;
}

// Its middle, as far as inner points say: those that share all edges differ by these alone.
static void inner_middle(const karst_net_patch *p, int32_t out[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        int64_t sum = 0;
        for (int k = 0; k < 4; ++k) sum += p->inner[k][axis];
        out[axis] = (int32_t)(sum / 4);
    }
}

static void remove_patch(weld *w, int32_t index, int32_t into) {
    w->gone[index] = 1, ++w->done.removed;
    tell(w, KARST_REPAIR_REMOVED, index, into, w->net->patches[index].inner[0]);
}

static karst_status remove_patches(weld *w) {
    const karst_net *net = w->net;
    ring *rings = kst_alloc_array(net->allocator, (size_t)net->patch_count + 1, sizeof *rings);
    if (!rings) return KARST_ERROR_MEMORY;
    int32_t count = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        if (lost_a_side(w, &net->patches[k]))
            remove_patch(w, k, KARST_NET_NONE);
        else
            rings[count++] = ring_of(&net->patches[k], k);
    }
    qsort(rings, (size_t)count, sizeof *rings, by_ring);
    for (int32_t k = 1, first = 0; k < count; ++k) {
        if (memcmp(rings[k].edge, rings[first].edge, sizeof rings[k].edge) != 0) first = k;
        for (int32_t i = first; i < k && !w->gone[rings[k].index]; ++i) {
            int32_t a[3], b[3];
            inner_middle(&net->patches[rings[i].index], a), inner_middle(&net->patches[rings[k].index], b);
            if (!w->gone[rings[i].index] && apart2(a, b) <= fmax(1, w->steps * w->steps))
                remove_patch(w, rings[k].index, rings[i].index);
        }
    }
    kst_free(net->allocator, rings, ((size_t)net->patch_count + 1) * sizeof *rings);
    return KARST_OK;
}

// ---- the whole -------------------------------------------------------------------------------------------

// Keep what patches need, in order.
static karst_status compact(weld *w) {
    karst_net *net = w->net;
    const karst_allocator *a = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    int32_t *corner = kst_alloc_array(a, corners, sizeof *corner), *edge = kst_alloc_array(a, edges, sizeof *edge);
    if (!corner || !edge) {
        kst_free(a, corner, corners * sizeof *corner), kst_free(a, edge, edges * sizeof *edge);
        return KARST_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < net->corner_count; ++k) corner[k] = KARST_NET_NONE;
    for (int32_t k = 0; k < net->edge_count; ++k) edge[k] = KARST_NET_NONE;
    int32_t patches = 0;
    for (int32_t k = 0; k < net->patch_count; ++k) {
        if (w->gone[k]) continue;
        if (patches != k) net->patches[patches] = net->patches[k];
        for (int side = 0; side < 4; ++side) edge[net->patches[patches].side[side].edge] = 0;
        ++patches;
    }
    // An edge needs its corners; a corner inside an edge needs that. Edges end inside few others, so this ends soon.
    for (bool more = true; more;) {
        more = false;
        for (int32_t k = 0; k < net->edge_count; ++k)
            for (int end = 0; end < 2 && edge[k] != KARST_NET_NONE; ++end) {
                int32_t c = w->corner[net->edges[k].corner[end]], in = net->corners[c].edge;
                corner[c] = 0;
                if (in != KARST_NET_NONE && edge[in] == KARST_NET_NONE) edge[in] = 0, more = true;
            }
    }
    for (int32_t k = 0; k < net->corner_count; ++k)  // those inside edges that stay, stay
        if (w->corner[k] == k && net->corners[k].edge != KARST_NET_NONE && edge[net->corners[k].edge] != KARST_NET_NONE)
            corner[k] = 0;
    int32_t corner_count = 0, edge_count = 0;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (corner[k] != KARST_NET_NONE) {
            net->corners[corner_count] = net->corners[k];
            corner[k] = corner_count++;
        }
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (edge[k] != KARST_NET_NONE) {
            karst_net_edge *e = &net->edges[edge_count];
            *e = net->edges[k];
            for (int end = 0; end < 2; ++end) e->corner[end] = corner[w->corner[e->corner[end]]];
            edge[k] = edge_count++;
        }
    for (int32_t k = 0; k < corner_count; ++k)
        if (net->corners[k].edge != KARST_NET_NONE) net->corners[k].edge = edge[net->corners[k].edge];
    for (int32_t k = 0; k < patches; ++k)
        for (int side = 0; side < 4; ++side) {
            karst_net_side *s = &net->patches[k].side[side];
            s->edge = edge[s->edge];
        }
    net->corner_count = corner_count, net->edge_count = edge_count, net->patch_count = patches;
    kst_free(a, corner, corners * sizeof *corner), kst_free(a, edge, edges * sizeof *edge);
    return KARST_OK;
}

static karst_status turn_patches(weld *w) {
    uint8_t *turn = kst_alloc_zero(w->net->allocator, (size_t)w->net->patch_count + 1);
    karst_status status = turn ? kst_net_turns(w->net, w->gone, turn) : KARST_ERROR_MEMORY;
    for (int32_t k = 0; k < w->net->patch_count && !status; ++k)
        if (turn[k]) {
            kst_patch_turn_over(&w->net->patches[k]);
            ++w->done.turned;
            tell(w, KARST_REPAIR_TURNED, k, KARST_NET_NONE, w->net->patches[k].inner[0]);
        }
    kst_free(w->net->allocator, turn, (size_t)w->net->patch_count + 1);
    return status;
}

// An edge has one number of tiles: parts of unlike numbers cannot meet, and raising one raises its whole strip.
static karst_status strips_agree(const weld *w) {
    karst_net_strip worst = {0};
    int32_t count = karst_net_strips(w->net, &worst, 1);
    if (count == KARST_NET_NONE) return KARST_ERROR_MEMORY;
    if (worst.tiles[0] == worst.tiles[1]) return KARST_OK;
    return kst_fail(w->def->report, KARST_ERROR_FORMAT,
                    "the strip of %d patches at %.1f, %.1f, %.1f would have %d tiles here and %d there along the edges "
                    "that they share; give all of it the same number, or bind two or four patches to one",
                    worst.patches, worst.at.x, worst.at.y, worst.at.z, worst.tiles[0], worst.tiles[1]);
}

karst_status karst_net_weld(karst_net *net, const karst_net_weld_def *def, karst_net_welded *info) {
    karst_net_weld_def usual = karst_net_weld_def_default();
    if (!def) def = &usual;
    KARST_ASSERT(def->cookie == KST_COOKIE && def->distance_m >= 0);
    weld w = {.net = net, .def = def, .steps = ldexp(def->distance_m, -net->step_log2)};
    const karst_allocator *a = net->allocator;
    size_t corners = (size_t)net->corner_count + 1, edges = (size_t)net->edge_count + 1;
    size_t patches = (size_t)net->patch_count + 1;
    net->finished = false;
    karst_status status = check(&w);
    if (status) return status;
    w.corner = kst_alloc_array(a, corners, sizeof *w.corner), w.edge = kst_alloc_array(a, edges, sizeof *w.edge);
    w.against = kst_alloc_zero(a, edges), w.gone = kst_alloc_zero(a, patches);
    if (w.corner && w.edge && w.against && w.gone) {
        for (int32_t k = 0; k < net->corner_count; ++k) w.corner[k] = k;
        for (int32_t k = 0; k < net->edge_count; ++k) w.edge[k] = k;
        count_tiles(net);
        status = merge(&w);
    } else {
        status = KARST_ERROR_MEMORY;
    }
    if (!status) {
        move_sides(&w);
        status = remove_patches(&w);
    }
    if (!status) status = turn_patches(&w);
    if (!status) status = compact(&w);
    if (!status) status = settle_seams(net);
    kst_free(a, w.corner, corners * sizeof *w.corner), kst_free(a, w.edge, edges * sizeof *w.edge);
    kst_free(a, w.against, edges), kst_free(a, w.gone, patches);
    if (!status) status = strips_agree(&w);
    if (!status) status = karst_net_finish(net, def->report);
    if (!status && info) *info = w.done;
    return status;
}
