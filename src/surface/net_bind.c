// SPDX-License-Identifier: MIT
// Edges that lie along a half, a quarter or an eighth of another one become that part of it.
//
//     c0        x        c1      the large edge; x is its half
//     a---------b---------d      two small ones: a is c0, d is c1, b and x are no further apart than the distance
//
// Seams go with seams at the same vertices of the field, however far apart: two nets in place of it side by side.
//
// Where open ground meets open ground, and where an edge runs from corner to corner of another one anyway; no part of
// an edge gets a third patch. What is bound may have small edges bound to it, as long as those are then eighths at
// least.
#include "surface/net_mend.h"

// A small edge on eighths of a large one.
typedef struct part {
    int32_t edge, into;
    uint8_t from, to;
    double off2;  // how far ends and middle lie from it, squares [steps^2]
} part;

typedef struct bind {
    kst_mend *w;
    kst_cells free;      // corners that stand alone and may move
    uint8_t (*uses)[8];  // of an edge: patches on each eighth, 3 for more
    uint8_t *unit;       // the greatest number of eighths that all its sides and inner corners are multiples of
    uint8_t *target;     // something became a part of it in this pass
    part *best;          // of each edge, then those there are
    kst_pair *between;   // edges by their corners
    kst_pair *inside;    // corners by edge and eighth
    kst_pair *rim;       // ends of seams by column and row of the field
    int32_t between_count, inside_count, rim_count;
} bind;

static bool live(const kst_mend *w, int32_t edge) {
    return w->edge[edge] == edge;
}

static void on_edge(const int32_t p[4][3], double t, double out[3]) {
    double u = 1 - t, b[4] = {u * u * u, 3 * t * u * u, 3 * t * t * u, t * t * t};
    for (int axis = 0; axis < 3; ++axis)
        out[axis] = (b[0] * p[0][axis] + b[3] * p[3][axis]) + (b[1] * p[1][axis] + b[2] * p[2][axis]);
}

// ---- what is there ---------------------------------------------------------------------------------------

static void count_uses(bind *b) {
    const kst_mend *w = b->w;
    const karst_net *net = w->net;
    memset(b->uses, 0, (size_t)net->edge_count * sizeof *b->uses);
    memset(b->unit, 8, (size_t)net->edge_count);
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int side = 0; side < 4 && !w->gone[k]; ++side) {
            const karst_net_side *s = &net->patches[k].side[side];
            int bits = kst_side_bits(s), ends = s->from | s->to | 8, unit = ends & -ends;
            for (int e = 0; e < 8; ++e)
                if (bits >> e & 1 && b->uses[s->edge][e] < 3) ++b->uses[s->edge][e];
            if (unit < b->unit[s->edge]) b->unit[s->edge] = (uint8_t)unit;
        }
    for (int32_t k = 0; k < b->inside_count; ++k) {
        int eighth = b->inside[k].high, unit = eighth & -eighth;
        if (unit < b->unit[b->inside[k].low]) b->unit[b->inside[k].low] = (uint8_t)unit;
    }
}

// The vertex of the field at an eighth of a seam that lies at a tile corner.
static void vertex_of(const karst_net_edge *seam, int eighth, int32_t out[2]) {
    kst_seam_vertex(seam->seam, seam->column, seam->row, eighth * seam->tiles / 8, out);
}

// The first of the pairs at or after two numbers.
static int32_t lower(const kst_pair *pairs, int32_t count, int32_t low, int32_t high) {
    int32_t first = 0;
    while (first < count) {
        int32_t middle = first + (count - first) / 2;
        const kst_pair *m = &pairs[middle];
        if (m->low < low || (m->low == low && m->high < high))
            first = middle + 1;
        else
            count = middle;
    }
    return first;
}

static void list_all(bind *b) {
    const kst_mend *w = b->w;
    const karst_net *net = w->net;
    b->between_count = b->inside_count = b->rim_count = 0;
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (w->corner[k] == k && net->corners[k].edge != KARST_NET_NONE)
            b->inside[b->inside_count++] = (kst_pair){net->corners[k].edge, net->corners[k].eighth, k};
    kst_sort_pairs(b->inside, b->inside_count, kst_by_pair);
    for (int32_t k = 0; k < net->edge_count; ++k) {
        int32_t x = net->edges[k].corner[0], y = net->edges[k].corner[1];
        if (!live(w, k) || x == y) continue;
        b->between[b->between_count++] = (kst_pair){x < y ? x : y, x < y ? y : x, k};
        for (int end = 0; end < 2 && net->edges[k].seam; ++end) {
            int32_t at[2];
            vertex_of(&net->edges[k], 8 * end, at);
            b->rim[b->rim_count++] = (kst_pair){at[0], at[1], net->edges[k].corner[end]};
        }
    }
    kst_sort_pairs(b->between, b->between_count, kst_by_pair);
    kst_sort_pairs(b->rim, b->rim_count, kst_by_pair);
    int32_t rim = 0;  // each corner once
    for (int32_t k = 0; k < b->rim_count; ++k)
        if (!rim || kst_by_pair(&b->rim[rim - 1], &b->rim[k])) b->rim[rim++] = b->rim[k];
    b->rim_count = rim;
}

static karst_status list_free(bind *b) {
    const kst_mend *w = b->w;
    const karst_net *net = w->net;
    karst_status status = kst_cells_make(&b->free, net, w->steps);
    for (int32_t k = 0; k < net->corner_count && !status; ++k)
        if (w->corner[k] == k && net->corners[k].edge == KARST_NET_NONE && !(w->corner_join[k] & KST_FIXED))
            kst_cells_put(&b->free, k);
    return status;
}

// Whether an edge leans on a corner or on another edge: it ends there, or inside an edge that does. Taken for true
// where too many would have to be asked.
static bool leans_on(const kst_mend *w, int32_t edge, int32_t corner, int32_t other) {
    int32_t stack[KST_MEND_PASSES] = {edge};
    int count = 1;
    for (int asked = 0; count > 0; ++asked) {
        int32_t at = stack[--count];
        if (at == other || asked == KST_MEND_PASSES) return true;
        for (int end = 0; end < 2; ++end) {
            int32_t c = w->corner[w->net->edges[at].corner[end]], in = w->net->corners[c].edge;
            if (c == corner) return true;
            if (in == KARST_NET_NONE) continue;
            if (count == KST_MEND_PASSES) return true;
            while (w->edge[in] != in) in = w->edge[in];
            stack[count++] = in;
        }
    }
    return false;
}

// ---- corners beside corners inside edges -----------------------------------------------------------------

// A corner that stands alone becomes the nearest one inside an edge within the distance. @return whether some did
static bool take_inside(bind *b) {
    kst_mend *w = b->w;
    karst_net *net = w->net;
    for (int32_t k = 0; k < net->corner_count; ++k) w->pairs[k] = (kst_pair){.index = KARST_NET_NONE};
    for (int32_t k = 0; k < b->inside_count; ++k) {
        int32_t inner = b->inside[k].index, near[KST_CELLS_NEAR];
        int count = kst_cells_near(&b->free, net->corners[inner].at, near);
        for (int i = 0; i < count; ++i) {
            int32_t *best = &w->pairs[near[i]].index;
            const int32_t *at = net->corners[near[i]].at;
            if (*best == KARST_NET_NONE ||
                kst_apart2(at, net->corners[inner].at) < kst_apart2(at, net->corners[*best].at))
                *best = inner;
        }
    }
    bool took = false;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        int32_t into = w->pairs[k].index;
        if (into == KARST_NET_NONE || leans_on(w, net->corners[into].edge, k, KARST_NET_NONE)) continue;
        kst_mend_corner(w, k, into);
        took = true;
    }
    return took;
}

// ---- small edges along large ones ------------------------------------------------------------------------

// Whether an end of an edge is a corner of another one, at an eighth.
static bool is_at(const kst_mend *w, int32_t corner, int32_t into, int eighth) {
    const karst_net_corner *c = &w->net->corners[corner];
    if (eighth % 8 == 0) return corner == w->corner[w->net->edges[into].corner[eighth / 8]];
    return c->edge == into && c->eighth == eighth;
}
static bool ends_at(const kst_mend *w, const part *p) {
    const int32_t *ends = w->net->edges[p->edge].corner;
    return is_at(w, w->corner[ends[0]], p->into, p->from) && is_at(w, w->corner[ends[1]], p->into, p->to);
}

// Whether a part of an edge has room for what is on another one, and something open meets there.
static bool has_room(const bind *b, const part *p) {
    int low = p->from < p->to ? p->from : p->to, length = p->from < p->to ? p->to - p->from : p->from - p->to;
    bool meets = ends_at(b->w, p);
    if (b->unit[p->edge] * length < 8) return false;
    for (int e = 0; e < length; ++e) {
        int theirs = b->uses[p->into][low + e], mine = 0;
        for (int i = 0; i < 8 / length; ++i) {
            int at = (p->from < p->to ? e : length - 1 - e) * (8 / length) + i;
            if (b->uses[p->edge][at] > mine) mine = b->uses[p->edge][at];
        }
        if (theirs + mine > 2) return false;
        meets |= theirs == 1 && mine == 1;
    }
    return meets;
}

// The longest part, then the nearest, then the least number.
static bool better(const part *x, const part *y) {
    int a = abs(x->to - x->from), b = abs(y->to - y->from);
    if (y->into == KARST_NET_NONE || a != b) return y->into == KARST_NET_NONE || a > b;
    if (x->off2 < y->off2 || x->off2 > y->off2) return x->off2 < y->off2;
    return x->into < y->into;
}

// Corners at or near the eighths of an edge.
typedef struct places {
    int32_t points[4][3], at[9][3], corner[9][KST_CELLS_NEAR + 1];
    int count[9];
} places;

// Corners that other seams have at the vertex of an eighth of one. @return how many
static int ends_here(const bind *b, const karst_net_edge *seam, int eighth, int32_t out[KST_CELLS_NEAR]) {
    int32_t at[2];
    int count = 0;
    vertex_of(seam, eighth, at);
    for (int32_t k = lower(b->rim, b->rim_count, at[0], at[1]); k < b->rim_count && count < KST_CELLS_NEAR; ++k) {
        if (b->rim[k].low != at[0] || b->rim[k].high != at[1]) break;
        out[count++] = b->rim[k].index;
    }
    return count;
}

// Two seams at the same vertices of the field, one along a part of the other; or none of the two is a seam.
static bool may_meet(const bind *b, const part *p) {
    const karst_net_edge *mine = &b->w->net->edges[p->edge], *its = &b->w->net->edges[p->into];
    if (!mine->seam || !its->seam) return !mine->seam && !its->seam;
    int32_t at[2][2], there[2][2];
    if (p->from * its->tiles % 8 || p->to * its->tiles % 8) return false;
    vertex_of(mine, 0, at[0]), vertex_of(mine, 8, at[1]);
    vertex_of(its, p->from, there[0]), vertex_of(its, p->to, there[1]);
    return !memcmp(at, there, sizeof at);
}

// From the first of its corners inside, where they begin. @return whether there are any but its ends
static bool find_places(const bind *b, int32_t edge, int32_t first, places *out) {
    const kst_mend *w = b->w;
    const karst_net_edge *e = &w->net->edges[edge];
    bool any = false;
    kst_net_edge_points(w->net, edge, out->points);
    for (int i = 0; i <= 8; ++i) {
        out->count[i] = 0;
        if (i % 8 == 0) {
            memcpy(out->at[i], out->points[i ? 3 : 0], sizeof *out->at);
            out->corner[i][out->count[i]++] = e->corner[i / 8];
            continue;
        }
        kst_edge_eighth((const int32_t(*)[3])out->points, i, out->at[i]);
        if (!e->seam)
            out->count[i] = kst_cells_near(&b->free, out->at[i], out->corner[i]);
        else if (i * e->tiles % 8 == 0)
            out->count[i] = ends_here(b, e, i, out->corner[i]);
        for (; first < b->inside_count && b->inside[first].low == edge && b->inside[first].high <= i; ++first)
            if (b->inside[first].high == i && out->count[i] <= KST_CELLS_NEAR)
                out->corner[i][out->count[i]++] = b->inside[first].index;
        any |= out->count[i] > 0;
    }
    return any;
}

static double ends_off2(const kst_mend *w, const places *p, const int32_t corner[2], int from, int to) {
    return kst_apart2(w->net->corners[corner[0]].at, p->at[from]) +
           kst_apart2(w->net->corners[corner[1]].at, p->at[to]);
}

// The edges from corner a at eighth i to corner b at eighth j of a large one, if they run like it.
static void try_between(bind *b, int32_t into, const places *p, int32_t x, int32_t y, int i, int j) {
    const kst_mend *w = b->w;
    int32_t low = x < y ? x : y, high = x < y ? y : x, first = lower(b->between, b->between_count, low, high);
    for (int tried = 0; first < b->between_count && tried < KST_ALIKE_MOST; ++first, ++tried) {
        if (b->between[first].low != low || b->between[first].high != high) break;
        int32_t edge = b->between[first].index;
        if (edge == into) continue;
        const int32_t *ends = w->net->edges[edge].corner;
        bool against = ends[0] != x;
        part new = {edge, into, (uint8_t)(against ? j : i), (uint8_t)(against ? i : j), 0};
        if (!may_meet(b, &new) || !has_room(b, &new)) continue;
        int32_t points[4][3];
        double here[3], there[3], middle2 = 0;
        kst_net_edge_points(w->net, edge, points);
        on_edge((const int32_t(*)[3])points, 0.5, here);
        on_edge((const int32_t(*)[3])p->points, (i + j) / 16.0, there);
        for (int axis = 0; axis < 3; ++axis) middle2 += (here[axis] - there[axis]) * (here[axis] - there[axis]);
        if (middle2 > fmax(w->steps * w->steps, kst_apart2(points[0], points[3]) / 16)) continue;
        new.off2 = middle2 + ends_off2(w, p, ends, new.from, new.to);
        if (better(&new, &b->best[edge])) b->best[edge] = new;
    }
}

static void find_parts(bind *b) {
    const kst_mend *w = b->w;
    const karst_net *net = w->net;
    for (int32_t k = 0; k < net->edge_count; ++k) b->best[k].into = KARST_NET_NONE;
    for (int32_t k = 0, first = 0; k < net->edge_count; ++k) {
        while (first < b->inside_count && b->inside[first].low < k) ++first;
        bool open = false;
        for (int e = 0; e < 8; ++e) open |= b->uses[k][e] < 2;
        places p;
        if (!live(w, k) || !open || !find_places(b, k, first, &p)) continue;
        for (int length = 4; length >= 1; length /= 2)
            for (int i = 0; i < 8; i += length)
                for (int x = 0; x < p.count[i]; ++x)
                    for (int y = 0; y < p.count[i + length]; ++y)
                        try_between(b, k, &p, p.corner[i][x], p.corner[i + length][y], i, i + length);
    }
}

static int by_part(const void *a, const void *b) {
    const part *x = a, *y = b;
    int m = abs(x->to - x->from), n = abs(y->to - y->from);
    if (m != n) return m > n ? -1 : 1;
    if (x->off2 < y->off2 || x->off2 > y->off2) return x->off2 < y->off2 ? -1 : 1;
    return (x->edge > y->edge) - (x->edge < y->edge);
}

// Whether an end may lie at an eighth of an edge: it does, or it stands alone and the edge does not lean on it.
static bool end_may(const kst_mend *w, int32_t corner, int32_t into, int eighth) {
    if (is_at(w, corner, into, eighth)) return true;
    bool alone = eighth % 8 && w->net->corners[corner].edge == KARST_NET_NONE;
    return alone && !leans_on(w, into, corner, KARST_NET_NONE);
}

static bool bind_part(bind *b, const part *p) {
    kst_mend *w = b->w;
    karst_net *net = w->net;
    if (!live(w, p->edge) || !live(w, p->into) || b->target[p->edge] || !has_room(b, p)) return false;
    if (leans_on(w, p->into, KARST_NET_NONE, p->edge)) return false;
    const int eighth[2] = {p->from, p->to};
    int32_t corner[2], points[4][3];
    for (int end = 0; end < 2; ++end) {
        corner[end] = w->corner[net->edges[p->edge].corner[end]];
        if (!end_may(w, corner[end], p->into, eighth[end])) return false;
    }
    if (corner[0] == corner[1]) return false;
    kst_net_edge_points(net, p->into, points);
    for (int end = 0; end < 2; ++end) {
        karst_net_corner *c = &net->corners[corner[end]];
        if (eighth[end] % 8 == 0 || c->edge != KARST_NET_NONE) continue;
        c->edge = p->into, c->eighth = (uint8_t)eighth[end];
        kst_edge_eighth((const int32_t(*)[3])points, eighth[end], c->at);
        w->corner_join[corner[end]] |= KST_JOINED;
    }
    kst_mend_edge(w, p->edge, p->into, p->from, p->to);
    int low = p->from < p->to ? p->from : p->to, length = abs(p->to - p->from);
    for (int e = 0; e < length; ++e) {
        int at = (p->from < p->to ? e : length - 1 - e) * (8 / length);
        b->uses[p->into][low + e] = (uint8_t)(b->uses[p->into][low + e] + b->uses[p->edge][at]);
    }
    int unit = b->unit[p->edge] * length / 8;
    if (unit < b->unit[p->into]) b->unit[p->into] = (uint8_t)unit;
    b->target[p->into] = 1;
    return true;
}

static bool bind_parts(bind *b) {
    int32_t count = 0;
    for (int32_t k = 0; k < b->w->net->edge_count; ++k)
        if (b->best[k].into != KARST_NET_NONE) b->best[count++] = b->best[k];
    qsort(b->best, (size_t)count, sizeof *b->best, by_part);
    memset(b->target, 0, (size_t)b->w->net->edge_count);
    bool bound = false;
    for (int32_t k = 0; k < count; ++k) bound |= bind_part(b, &b->best[k]);
    return bound;
}

// ---- the whole -------------------------------------------------------------------------------------------

static karst_status pass(bind *b, bool *more) {
    list_all(b);
    count_uses(b);
    karst_status status = list_free(b);
    if (status) return status;
    *more = take_inside(b);
    if (!*more) {
        find_parts(b);
        *more = bind_parts(b);
    }
    kst_cells_free(&b->free);
    if (*more) kst_mend_whole(b->w);
    return KARST_OK;
}

karst_status kst_mend_bind(kst_mend *w) {
    karst_net *net = w->net;
    const karst_allocator *a = net->allocator;
    size_t edges = (size_t)net->edge_count + 1, corners = (size_t)net->corner_count + 1;
    bind b = {.w = w,
              .uses = kst_alloc_array(a, edges, sizeof *b.uses),
              .unit = kst_alloc(a, edges),
              .target = kst_alloc(a, edges),
              .best = kst_alloc_array(a, edges, sizeof *b.best),
              .between = kst_alloc_array(a, edges, sizeof *b.between),
              .rim = kst_alloc_array(a, 2 * edges, sizeof *b.rim),
              .inside = kst_alloc_array(a, corners, sizeof *b.inside)};
    bool room = b.uses && b.unit && b.target && b.best && b.between && b.inside && b.rim, more = room;
    karst_status status = room ? KARST_OK : KARST_ERROR_MEMORY;
    // Edges that end inside each other have no place: nothing lies along them.
    for (int k = 0; more && !status && k < KST_BIND_PASSES && kst_net_place_inside(net); ++k) status = pass(&b, &more);
    kst_free(a, b.uses, edges * sizeof *b.uses), kst_free(a, b.unit, edges);
    kst_free(a, b.target, edges), kst_free(a, b.best, edges * sizeof *b.best);
    kst_free(a, b.rim, 2 * edges * sizeof *b.rim);
    kst_free(a, b.between, edges * sizeof *b.between), kst_free(a, b.inside, corners * sizeof *b.inside);
    return status;
}
