// SPDX-License-Identifier: MIT
// Zones of a bisected mesh come and go. Corners are shared by exact place. A span waits until the one comes that is the
// same curve run the other way: same ends, same middle. Then both sides are split until they have the same edges, point
// by point shared, and joined. When a zone goes, its neighbours' sides are open again.
#include "zone_bisect.h"

// An edge of a face on the border of its piece; lo < hi: cells along the side.
typedef struct rim {
    uint32_t face;
    int edge, side, lo, hi;
} rim;
typedef struct rims {
    int count;
    bool falling;  // run against s or t; here in growing order all the same
    rim at[KST_RIM_MAX];
} rims;

// ---- numbers by hash -------------------------------------------------------------------------------

// Room for `more` beside those that room was made for and that are still there, in use or not.
static bool binds_reserve(kst_binds *m, const karst_allocator *a, size_t more) {
    m->promised += more;
    if (!kst_grow(a, &m->at, &m->room, m->promised, sizeof *m->at)) return false;
    if (m->head_room >= m->room) return true;
    size_t want = 64;
    while (want < m->room) want *= 2;
    uint32_t *head = kst_alloc_array(a, want, sizeof *head);
    if (!head) return false;
    memset(head, 0xFF, want * sizeof *head);
    for (size_t h = 0; h < m->head_room; ++h)
        for (uint32_t k = m->head[h], next; k != KST_NONE; k = next) {
            next = m->at[k].next;
            uint32_t *to = &head[m->at[k].key & (want - 1)];
            m->at[k].next = *to;
            *to = k;
        }
    kst_free(a, m->head, m->head_room * sizeof *head);
    m->head = head, m->head_room = want;
    return true;
}

static uint32_t binds_first(const kst_binds *m, uint64_t key) {
    uint32_t k = m->head_room ? m->head[key & (m->head_room - 1)] : KST_NONE;
    while (k != KST_NONE && m->at[k].key != key) k = m->at[k].next;
    return k;
}
static uint32_t binds_next(const kst_binds *m, uint32_t k) {
    uint64_t key = m->at[k].key;
    do k = m->at[k].next;
    while (k != KST_NONE && m->at[k].key != key);
    return k;
}

// Room was reserved.
static void binds_add(kst_binds *m, uint64_t key, uint32_t first, uint32_t second) {
    uint32_t k = m->free, *head = &m->head[key & (m->head_room - 1)];
    if (k != KST_NONE)
        m->free = m->at[k].next;
    else
        k = m->end++;
    m->at[k] = (kst_bind){.key = key, .next = *head, .a = first, .b = second};
    *head = k;
}

static void binds_remove(kst_binds *m, uint32_t k) {
    uint32_t *at = &m->head[m->at[k].key & (m->head_room - 1)];
    while (*at != k) at = &m->at[*at].next;
    *at = m->at[k].next;
    m->at[k].next = m->free;
    m->free = k;
}

static void binds_clear(kst_binds *m) {
    if (m->head) memset(m->head, 0xFF, m->head_room * sizeof *m->head);
    m->end = 0, m->free = KST_NONE, m->promised = 0;
}

// ---- borders of pieces -----------------------------------------------------------------------------

static int side_of(const uint8_t p[2], const uint8_t q[2], int n) {
    return p[1] == 0 && q[1] == 0   ? 0
           : p[0] == n && q[0] == n ? 1
           : p[1] == n && q[1] == n ? 2
           : p[0] == 0 && q[0] == 0 ? 3
                                    : -1;
}

static bool same_at(const uint8_t p[2], const uint8_t q[2]) {
    return p[0] == q[0] && p[1] == q[1];
}

// The border edge of the piece that begins at corner c of a face: round that point, inside the piece.
static rim rim_from(const kst_bisect *b, uint32_t face, int c, int n) {
    for (;;) {
        const karst_zone_triangle *t = &b->triangles[face];
        const uint8_t *p = t->at[c], *q = t->at[(c + 1) % 3];
        int side = side_of(p, q, n), edge = (c + 2) % 3;
        if (side >= 0) {
            int u = p[side & 1], v = q[side & 1];
            return (rim){face, edge, side, u < v ? u : v, u < v ? v : u};
        }
        face = b->faces[face].nb[edge];
        const karst_zone_triangle *g = &b->triangles[face];
        for (c = 0; !same_at(g->at[c], p) || !same_at(g->at[(c + 2) % 3], q);) ++c;
    }
}

static rim first_rim(const kst_bisect *b, int slot, uint32_t piece, int n) {
    uint32_t face = b->slots[slot].anchor[piece];
    int c = 0;
    while (b->triangles[face].at[c][0] || b->triangles[face].at[c][1]) ++c;
    return rim_from(b, face, c, n);
}
static rim next_rim(const kst_bisect *b, rim r, int n) {
    return rim_from(b, r.face, (r.edge + 2) % 3, n);  // it runs from corner edge + 1 to corner edge + 2
}

// The edges of faces along a span.
static void collect(const kst_bisect *b, int slot, uint32_t span, rims *out) {
    const karst_zone *zone = b->slots[slot].zone;
    const kst_side *side = &b->slots[slot].side[span];
    const karst_piece *piece = &zone->pieces[side->piece];
    int n = KARST_TILE_CELLS << piece->tiles_log2, per = n >> piece->spans_log2[side->side];
    int lo = (int)(span - piece->first_span[side->side]) * per, hi = lo + per;
    out->count = 0;
    out->falling = side->side < 2;  // the border runs up side 3, along side 2, down side 1, back along side 0
    rim first = first_rim(b, slot, side->piece, n), r = first;
    do {
        if (r.side == side->side && r.lo >= lo && r.hi <= hi) out->at[out->count++] = r;
        r = next_rim(b, r, n);
    } while (r.face != first.face || r.edge != first.edge);
    for (int i = 0, j = out->count - 1; out->falling && i < j; ++i, --j) {
        rim swap = out->at[i];
        out->at[i] = out->at[j], out->at[j] = swap;
    }
    for (int k = 0; k < out->count; ++k) out->at[k].lo -= lo, out->at[k].hi -= lo;
}

// The point at the upper end of an edge.
static uint32_t upper_point(const kst_bisect *b, const rims *r, int k) {
    const rim *at = &r->at[k];
    return b->triangles[at->face].point[(at->edge + (r->falling ? 1 : 2)) % 3];
}

static int span_cells(const kst_bisect *b, int slot, uint32_t span, int *first) {
    const kst_side *side = &b->slots[slot].side[span];
    const karst_piece *piece = &b->slots[slot].zone->pieces[side->piece];
    int per = (KARST_TILE_CELLS << piece->tiles_log2) >> piece->spans_log2[side->side];
    *first = (int)(span - piece->first_span[side->side]) * per;
    return per;
}

static uint32_t end_point(const kst_bisect *b, int slot, uint32_t span, int end) {
    return b->slots[slot].corner[b->slots[slot].zone->spans[span].corner[end]];
}

uint32_t kst_bisect_beside(const kst_bisect *b, int slot, uint32_t span, int along) {
    const kst_side *side = &b->slots[slot].side[span];
    rims other;
    int first, cells = span_cells(b, slot, span, &first);
    collect(b, side->other_slot, side->other, &other);
    bool turned = end_point(b, slot, span, 0) != end_point(b, side->other_slot, side->other, 0);
    int at = turned ? cells - (along - first) : along - first;
    for (int k = 0; k + 1 < other.count; ++k)
        if (other.at[k].hi == at) return upper_point(b, &other, k);
    return KST_NONE;
}

// ---- binding ---------------------------------------------------------------------------------------

// A face of a piece that lies along more than one span, or KST_NONE.
static uint32_t across_spans(const kst_bisect *b, int slot, uint32_t index) {
    const karst_piece *piece = &b->slots[slot].zone->pieces[index];
    int n = KARST_TILE_CELLS << piece->tiles_log2;
    rim first = first_rim(b, slot, index, n), r = first;
    do {
        int per = n >> piece->spans_log2[r.side];
        if (r.lo / per != (r.hi - 1) / per) return r.face;
        r = next_rim(b, r, n);
    } while (r.face != first.face || r.edge != first.edge);
    return KST_NONE;
}

// Both sides of a span get the same edges and are joined.
static bool join(kst_bisect *b, const karst_allocator *a, int slot, uint32_t span) {
    const kst_side *side = &b->slots[slot].side[span];
    int other = side->other_slot, first, cells = span_cells(b, slot, span, &first);
    bool turned = end_point(b, slot, span, 0) != end_point(b, other, side->other, 0);
    rims x, y;
    for (;;) {
        collect(b, slot, span, &x);
        collect(b, other, side->other, &y);
        int k = 0, at = 0;
        for (; k < x.count && k < y.count; ++k) {
            const rim *p = &x.at[k], *q = &y.at[turned ? y.count - 1 - k : k];
            int to = turned ? cells - q->lo : q->hi;
            if (p->hi != to) {
                at = p->hi > to ? 1 : 2;
                if (!kst_bisect_split(b, a, at == 1 ? p->face : q->face)) return false;
                break;
            }
        }
        if (!at) break;
    }
    KARST_ASSERT(x.count == y.count);
    for (int k = 0; k < x.count; ++k) {
        const rim *p = &x.at[k], *q = &y.at[turned ? y.count - 1 - k : k];
        b->faces[p->face].nb[p->edge] = q->face;
        b->faces[q->face].nb[q->edge] = p->face;
    }
    for (int k = 0; k + 1 < x.count; ++k) kst_bisect_refresh(b, upper_point(b, &x, k));
    return true;
}

static uint64_t place_key(const int32_t at[3]) {
    return kst_hash(at, 3 * sizeof *at, 7);
}

static bool add_corners(kst_bisect *b, const karst_allocator *a, int slot) {
    kst_bisect_slot *s = &b->slots[slot];
    const karst_zone *zone = s->zone;
    if (!binds_reserve(&b->corners, a, zone->corner_count)) return false;
    if (!kst_bisect_reserve(b, a, 2 * zone->piece_count, zone->corner_count)) return false;
    for (uint32_t c = 0; c < zone->corner_count; ++c) {
        karst_fine p = zone->corners[c].at;
        const int32_t at[3] = {p.x + zone->bias.x, p.y + zone->bias.y, p.z + zone->bias.z};
        uint64_t key = place_key(at);
        uint32_t k = binds_first(&b->corners, key);
        while (k != KST_NONE && memcmp(b->points[b->corners.at[k].a].at, at, sizeof at)) k = binds_next(&b->corners, k);
        if (k != KST_NONE) {
            ++b->corners.at[k].b;
            s->corner[c] = b->corners.at[k].a;
            continue;
        }
        uint32_t point = s->corner[c] = kst_bisect_new_knot(b);
        b->points[point] = (karst_zone_point){.at = {at[0], at[1], at[2]}, .end = {point, point}};
        b->knots[point].pinned = true;
        kst_bisect_mark(b, 1, point);
        binds_add(&b->corners, key, point, 1);
    }
    return true;
}

// The ends in the order of places, the middle, and whether the border of the piece runs from the lesser end.
static uint64_t span_key(const kst_bisect *b, int slot, uint32_t span, bool *forth) {
    const kst_bisect_slot *s = &b->slots[slot];
    const kst_side *side = &s->side[span];
    int first, cells = span_cells(b, slot, span, &first), n, at = first + cells / 2;
    n = KARST_TILE_CELLS << s->zone->pieces[side->piece].tiles_log2;
    int i = side->side == 1 ? n : side->side == 3 ? 0 : at, j = side->side == 0 ? 0 : side->side == 2 ? n : at;
    karst_fine m = karst_zone_place(s->zone, side->piece, i, j), bias = s->zone->bias;
    const int32_t *p = b->points[end_point(b, slot, span, 0)].at, *q = b->points[end_point(b, slot, span, 1)].at;
    bool swap = memcmp(p, q, 3 * sizeof *p) > 0;
    *forth = swap == (side->side < 2);
    int32_t key[9] = {0};
    memcpy(key, swap ? q : p, 3 * sizeof *p);
    memcpy(key + 3, swap ? p : q, 3 * sizeof *p);
    key[6] = m.x + bias.x, key[7] = m.y + bias.y, key[8] = m.z + bias.z;
    return kst_hash(key, sizeof key, 11);
}

// Pairs spans with those that wait; the others wait. Room was reserved.
static void add_span(kst_bisect *b, int slot, uint32_t span) {
    bool forth, back;
    kst_side *side = &b->slots[slot].side[span];
    uint64_t key = span_key(b, slot, span, &forth);
    side->other = KST_NONE;
    for (uint32_t k = binds_first(&b->spans, key); k != KST_NONE; k = binds_next(&b->spans, k)) {
        uint32_t other_slot = b->spans.at[k].a, other = b->spans.at[k].b;
        int first, cells = span_cells(b, slot, span, &first);
        if (span_key(b, (int)other_slot, other, &back) != key || back == forth ||
            span_cells(b, (int)other_slot, other, &first) != cells)
            continue;
        kst_side *beyond = &b->slots[other_slot].side[other];
        side->other = other, side->other_slot = (uint16_t)other_slot;
        beyond->other = span, beyond->other_slot = (uint16_t)slot;
        binds_remove(&b->spans, k);
        return;
    }
    binds_add(&b->spans, key, (uint32_t)slot, span);
}

static void add_faces(kst_bisect *b, int slot, uint32_t index) {
    kst_bisect_slot *s = &b->slots[slot];
    const karst_piece *piece = &s->zone->pieces[index];
    uint8_t n = (uint8_t)(KARST_TILE_CELLS << piece->tiles_log2);
    const uint8_t at[4][2] = {{0, 0}, {n, 0}, {n, n}, {0, n}};
    static const uint8_t corner[2][3] = {{1, 0, 2}, {3, 2, 0}};
    uint32_t f[2] = {kst_bisect_new_face(b), kst_bisect_new_face(b)};
    for (int k = 0; k < 2; ++k) {
        karst_zone_triangle *t = &b->triangles[f[k]];
        *t = (karst_zone_triangle){.zone = (uint16_t)slot, .piece = (uint16_t)index};
        for (int c = 0; c < 3; ++c) {
            t->point[c] = s->corner[piece->corner[corner[k][c]]];
            memcpy(t->at[c], at[corner[k][c]], 2);
        }
        b->faces[f[k]].nb[0] = f[!k];
        kst_bisect_mark(b, 0, f[k]);
    }
    s->anchor[index] = f[0];
    s->faces[index] = 2;
}

static bool make_slot(kst_bisect *b, const karst_allocator *a, int slot, const karst_zone *zone) {
    size_t before = b->slot_room;
    if (!kst_grow(a, &b->slots, &b->slot_room, (size_t)slot + 1, sizeof *b->slots)) return false;
    memset(b->slots + before, 0, (b->slot_room - before) * sizeof *b->slots);
    kst_bisect_slot *s = &b->slots[slot];
    if (s->zone) return true;  // begun anew
    *s = (kst_bisect_slot){.zone = zone,
                           .corner_count = zone->corner_count,
                           .piece_count = zone->piece_count,
                           .span_count = zone->span_count};
    s->corner = kst_alloc_array(a, (size_t)s->corner_count + 1, sizeof *s->corner);
    s->anchor = kst_alloc_array(a, (size_t)s->piece_count + 1, sizeof *s->anchor);
    s->faces = kst_alloc_array(a, (size_t)s->piece_count + 1, sizeof *s->faces);
    s->side = kst_alloc_array(a, (size_t)s->span_count + 1, sizeof *s->side);
    if (!s->corner || !s->anchor || !s->faces || !s->side) return false;
    for (uint32_t p = 0; p < zone->piece_count; ++p)
        for (int side = 0; side < 4; ++side)
            for (uint32_t k = 0; k < 1u << zone->pieces[p].spans_log2[side]; ++k)
                s->side[zone->pieces[p].first_span[side] + k] =
                    (kst_side){.piece = p, .side = (uint8_t)side, .other = KST_NONE};
    return true;
}

bool kst_bisect_add(kst_bisect *b, const karst_allocator *a, int slot, const karst_zone *zone) {
    if (!make_slot(b, a, slot, zone) || !add_corners(b, a, slot) || !binds_reserve(&b->spans, a, zone->span_count))
        return false;
    kst_bisect_slot *s = &b->slots[slot];
    for (uint32_t p = 0; p < zone->piece_count; ++p) add_faces(b, slot, p);
#define EACH_SPAN(p, span)                                                         \
    for (uint32_t p = 0; p < zone->piece_count; ++p)                               \
        for (int side_ = 0; side_ < 4; ++side_)                                    \
            for (uint32_t span = zone->pieces[p].first_span[side_],                \
                          end_ = span + (1u << zone->pieces[p].spans_log2[side_]); \
                 span < end_; ++span)
    EACH_SPAN(p, span) add_span(b, slot, span);
    for (uint32_t p = 0; p < zone->piece_count; ++p) {
        kst_bisect_put(b, s->anchor[p]);
        kst_bisect_put(b, b->faces[s->anchor[p]].nb[0]);
    }
    for (uint32_t p = 0; p < zone->piece_count; ++p)
        for (uint32_t f; (f = across_spans(b, slot, p)) != KST_NONE;)
            if (!kst_bisect_split(b, a, f)) return false;
    EACH_SPAN(p, span) {
        const kst_side *side = &s->side[span];
        bool later = side->other_slot == slot && side->other < span;  // joined from the other side
        if (side->other != KST_NONE && !later && !join(b, a, slot, span)) return false;
    }
    return true;
}

static void free_slot(kst_bisect_slot *s, const karst_allocator *a) {
    if (!s->zone) return;
    kst_free(a, s->corner, ((size_t)s->corner_count + 1) * sizeof *s->corner);
    kst_free(a, s->anchor, ((size_t)s->piece_count + 1) * sizeof *s->anchor);
    kst_free(a, s->faces, ((size_t)s->piece_count + 1) * sizeof *s->faces);
    kst_free(a, s->side, ((size_t)s->span_count + 1) * sizeof *s->side);
    *s = (kst_bisect_slot){0};
}

// The other side of a span is open from now on, and keeps the points on it.
static void part(kst_bisect *b, int slot, uint32_t span) {
    rims r;
    collect(b, slot, span, &r);
    for (int k = 0; k < r.count; ++k) {
        b->faces[r.at[k].face].nb[r.at[k].edge] = KST_NONE;
        if (b->faces[r.at[k].face].chain.prev == KST_NONE) kst_bisect_put(b, r.at[k].face);  // its twin goes
        if (k + 1 == r.count) continue;
        uint32_t point = upper_point(b, &r, k);
        if (!b->knots[point].pinned) b->knots[point].face = r.at[k].face;
    }
    b->slots[slot].side[span].other = KST_NONE;
}

// All faces of a piece, from its anchor, and the points that nobody else has.
static void remove_piece(kst_bisect *b, int slot, uint32_t piece) {
    uint32_t stack = b->slots[slot].anchor[piece];
    kst_bisect_take(b, stack);
    b->faces[stack].chain = (kst_chain){KST_NONE, stack};  // prev is itself: it was seen
    while (stack != KST_NONE) {
        uint32_t f = stack;
        stack = b->faces[f].chain.next;
        for (int e = 0; e < 3; ++e) {
            uint32_t g = b->faces[f].nb[e];
            if (g == KST_NONE || b->triangles[g].zone != slot || b->triangles[g].piece != piece) continue;
            if (b->triangles[g].point[0] == b->triangles[g].point[1] || b->faces[g].chain.prev == g) continue;
            kst_bisect_take(b, g);
            b->faces[g].chain = (kst_chain){stack, g};
            stack = g;
        }
        for (int c = 0; c < 3; ++c) {
            uint32_t point = b->triangles[f].point[c], face = b->knots[point].face;
            if (b->knots[point].pinned || face == KST_NONE || b->triangles[face].zone != slot) continue;
            kst_bisect_take_knot(b, point);
            kst_bisect_free_knot(b, point);
        }
        kst_bisect_free_face(b, f);
    }
}

void kst_bisect_remove(kst_bisect *b, const karst_allocator *a, int slot) {
    kst_bisect_slot *s = &b->slots[slot];
    const karst_zone *zone = s->zone;
    bool forth;
    // First those that wait, then those beyond whom nobody is any more wait, while their keys can still be told.
    EACH_SPAN(p, span) {
        const kst_side *side = &s->side[span];
        if (side->other != KST_NONE) continue;
        uint32_t k = binds_first(&b->spans, span_key(b, slot, span, &forth));
        while (b->spans.at[k].a != (uint32_t)slot || b->spans.at[k].b != span) k = binds_next(&b->spans, k);
        binds_remove(&b->spans, k);
    }
    EACH_SPAN(p, span) {
        kst_side *side = &s->side[span];
        if (side->other == KST_NONE || side->other_slot == slot) continue;
        part(b, side->other_slot, side->other);
    }
    for (uint32_t p = 0; p < zone->piece_count; ++p) remove_piece(b, slot, p);
    EACH_SPAN(p, span) {
        kst_side *side = &s->side[span];
        if (side->other == KST_NONE || side->other_slot == slot) continue;
        rims r;
        collect(b, side->other_slot, side->other, &r);
        for (int k = 0; k + 1 < r.count; ++k) kst_bisect_refresh(b, upper_point(b, &r, k));
        add_span(b, side->other_slot, side->other);
    }
    for (uint32_t c = 0; c < zone->corner_count; ++c) {
        uint32_t point = s->corner[c], k = binds_first(&b->corners, place_key(b->points[point].at));
        while (b->corners.at[k].a != point) k = binds_next(&b->corners, k);
        if (--b->corners.at[k].b) continue;
        binds_remove(&b->corners, k);
        kst_bisect_free_knot(b, point);
    }
    b->corners.promised -= zone->corner_count;
    b->spans.promised -= zone->span_count;
    free_slot(s, a);
}

void kst_bisect_free_slots(kst_bisect *b, const karst_allocator *a) {
    for (size_t k = 0; k < b->slot_room; ++k) free_slot(&b->slots[k], a);
    kst_free(a, b->slots, b->slot_room * sizeof *b->slots);
}

void kst_bisect_begin(kst_bisect *b) {
    binds_clear(&b->corners);
    binds_clear(&b->spans);
}
