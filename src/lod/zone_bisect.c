// SPDX-License-Identifier: MIT
// Right-triangle bisection over pieces of patches.
//
// After: M. Duchaineau et al., "ROAMing Terrain: Real-time Optimally Adapting Meshes", 1997. We differ: faces lie on
// patches, any number of them round a corner; only leaves are kept; a point exists when its radius holds an eye or one
// that needs it exists, so the mesh is a function of the eyes and not of how they came there.
#include "zone_bisect.h"

static const karst_piece *piece_of(const kst_bisect *b, const karst_zone_triangle *t) {
    return &b->slots[t->zone].zone->pieces[t->piece];
}

kst_middle kst_bisect_middle(const kst_bisect *b, uint32_t face) {
    const karst_zone_triangle *t = &b->triangles[face];
    const karst_piece *piece = piece_of(b, t);
    const uint8_t *p = t->at[1], *q = t->at[2];
    int n = KARST_TILE_CELLS << piece->tiles_log2;
    kst_middle m = {.i = (p[0] + q[0]) / 2, .j = (p[1] + q[1]) / 2, .span = KST_NONE, .size = piece->size};
    m.class = (int8_t)(2 * piece->tiles_log2 - 1 - t->level);
    int side = p[1] == 0 && q[1] == 0 ? 0 : p[0] == n && q[0] == n ? 1 : p[1] == n && q[1] == n ? 2 : -1;
    if (p[0] == 0 && q[0] == 0) side = 3;
    if (side < 0) return m;
    int along = side & 1 ? m.j : m.i, per = n >> piece->spans_log2[side];
    m.span = piece->first_span[side] + (uint32_t)(along / per);
    m.corner = along % per == 0;
    m.size = b->slots[t->zone].zone->spans[m.span].size[1];  // both sides take the larger
    return m;
}

// ---- pools -----------------------------------------------------------------------------------------

static bool grow_dirty(kst_bisect *b, const karst_allocator *a, int kind, size_t room) {
    size_t words = room / KST_DIRTY / 64 + 1, before = b->dirty_room[kind];
    if (!kst_grow(a, &b->dirty[kind], &b->dirty_room[kind], words, sizeof **b->dirty)) return false;
    memset(b->dirty[kind] + before, 0, (b->dirty_room[kind] - before) * sizeof **b->dirty);
    return kst_grow(a, &b->range[kind], &b->range_room[kind], 32 * words + 1, sizeof **b->range);
}

// Both arrays of a pool, to the same room.
static bool grow_pool(const karst_allocator *a, kst_pool *pool, size_t want, void *first, size_t first_bytes,
                      void *second, size_t second_bytes) {
    size_t room = pool->room, other = pool->room;
    if (want < pool->room + pool->room / 2) want = pool->room + pool->room / 2;
    void *old = *(void **)first;
    void *next = kst_alloc_array(a, want, first_bytes);
    if (!next) return false;
    if (!kst_grow(a, second, &other, want, second_bytes)) {
        kst_free(a, next, want * first_bytes);
        return false;
    }
    if (old) memcpy(next, old, room * first_bytes);
    kst_free(a, old, room * first_bytes);
    *(void **)first = next;
    pool->room = other;
    return true;
}

static uint32_t left_in(const kst_pool *pool) {
    size_t left = pool->room - pool->count;
    return left > INT32_MAX ? INT32_MAX : (uint32_t)left;
}

bool kst_bisect_reserve(kst_bisect *b, const karst_allocator *a, uint32_t faces, uint32_t knots) {
    if (left_in(&b->face_pool) < faces) {
        size_t want = b->face_pool.room + faces + 1024;
        if (want >= KST_HEAD || !grow_dirty(b, a, 0, want + want / 2)) return false;
        if (!grow_pool(a, &b->face_pool, want, &b->triangles, sizeof *b->triangles, &b->faces, sizeof *b->faces))
            return false;
    }
    if (left_in(&b->knot_pool) < knots) {
        size_t want = b->knot_pool.room + knots + 1024;
        if (want >= KST_HEAD || !grow_dirty(b, a, 1, want + want / 2)) return false;
        if (!grow_pool(a, &b->knot_pool, want, &b->points, sizeof *b->points, &b->knots, sizeof *b->knots))
            return false;
    }
    return true;
}

uint32_t kst_bisect_new_face(kst_bisect *b) {
    uint32_t f = b->face_pool.free;
    if (f != KST_NONE)
        b->face_pool.free = b->faces[f].chain.next;
    else
        f = b->face_pool.end++;
    ++b->face_pool.count;
    b->faces[f] = (kst_face){{KST_NONE, KST_NONE, KST_NONE}, {KST_NONE, KST_NONE}};
    return f;
}

uint32_t kst_bisect_new_knot(kst_bisect *b) {
    uint32_t k = b->knot_pool.free;
    if (k != KST_NONE)
        b->knot_pool.free = b->knots[k].chain.next;
    else
        k = b->knot_pool.end++;
    ++b->knot_pool.count;
    b->knots[k] = (kst_knot){.face = KST_NONE, .chain = {KST_NONE, KST_NONE}};
    return k;
}

void kst_bisect_free_face(kst_bisect *b, uint32_t f) {
    memset(b->triangles[f].point, 0, sizeof b->triangles[f].point);
    kst_bisect_mark(b, 0, f);
    b->faces[f].chain = (kst_chain){b->face_pool.free, KST_NONE};
    b->face_pool.free = f;
    --b->face_pool.count;
}

void kst_bisect_free_knot(kst_bisect *b, uint32_t k) {
    b->knots[k].face = KST_NONE;
    b->knots[k].chain = (kst_chain){b->knot_pool.free, KST_NONE};
    b->knot_pool.free = k;
    --b->knot_pool.count;
}

// ---- split and merge -------------------------------------------------------------------------------

// Of face n, the neighbour `from` beyond the edge that begins at a point becomes `to`.
static void relink(kst_bisect *b, uint32_t n, uint32_t from, uint32_t point, uint32_t to) {
    if (n == KST_NONE) return;
    for (int e = 0; e < 3; ++e)
        if (b->faces[n].nb[e] == from && b->triangles[n].point[(e + 1) % 3] == point) b->faces[n].nb[e] = to;
}

static uint32_t make_point(kst_bisect *b, uint32_t f, bool open) {
    const karst_zone_triangle *t = &b->triangles[f];
    const kst_bisect_slot *slot = &b->slots[t->zone];
    kst_middle m = kst_bisect_middle(b, f);
    if (m.corner) return slot->corner[slot->zone->spans[m.span].corner[0]];
    if (m.span != KST_NONE && open && slot->side[m.span].other != KST_NONE) {  // while zones are bound
        uint32_t k = kst_bisect_beside(b, t->zone, m.span, slot->side[m.span].side & 1 ? m.j : m.i);
        if (k != KST_NONE) return k;
    }
    uint32_t k = kst_bisect_new_knot(b);
    karst_fine at = karst_zone_place(slot->zone, t->piece, m.i, m.j), bias = slot->zone->bias;
    b->points[k] = (karst_zone_point){.at = {at.x + bias.x, at.y + bias.y, at.z + bias.z},
                                      .end = {t->point[1], t->point[2]},
                                      .ramp = b->ramp[m.size][m.class + KST_ZONE_BELOW]};
    b->knots[k].face = f, b->knots[k].size = m.size, b->knots[k].class = m.class;
    kst_bisect_mark(b, 1, k);
    ++b->splits;
    return k;
}

static void put_corner(karst_zone_triangle *t, int c, uint32_t point, const uint8_t at[2]) {
    t->point[c] = point;
    t->at[c][0] = at[0], t->at[c][1] = at[1];
}

// Face f becomes its left half; gives the right one. What lies beyond their halves of the long edge is open.
static uint32_t halve(kst_bisect *b, uint32_t f, uint32_t m) {
    uint32_t r = kst_bisect_new_face(b);
    kst_bisect_take(b, f);
    const karst_zone_triangle t = b->triangles[f];
    const kst_face old = b->faces[f];
    if (b->knots[t.point[0]].chain.prev != KST_NONE) kst_bisect_take_knot(b, t.point[0]);
    karst_zone_triangle *left = &b->triangles[f], *right = &b->triangles[r];
    *right = t;
    ++left->level, ++right->level;
    const uint8_t middle[2] = {(uint8_t)((t.at[1][0] + t.at[2][0]) / 2), (uint8_t)((t.at[1][1] + t.at[2][1]) / 2)};
    put_corner(left, 0, m, middle), put_corner(left, 1, t.point[0], t.at[0]), put_corner(left, 2, t.point[1], t.at[1]);
    put_corner(right, 0, m, middle), put_corner(right, 1, t.point[2], t.at[2]);
    put_corner(right, 2, t.point[0], t.at[0]);
    b->faces[f] = (kst_face){{old.nb[2], KST_NONE, r}, {KST_NONE, KST_NONE}};
    b->faces[r] = (kst_face){{old.nb[1], f, KST_NONE}, {KST_NONE, KST_NONE}};
    relink(b, old.nb[1], f, t.point[0], r);
    if (b->knots[t.point[2]].face == f) b->knots[t.point[2]].face = r;
    if (t.at[2][0] == 0 && t.at[2][1] == 0) b->slots[t.zone].anchor[t.piece] = r;
    ++b->slots[t.zone].faces[t.piece];
    kst_bisect_mark(b, 0, f);
    kst_bisect_mark(b, 0, r);
    return r;
}

bool kst_bisect_split(kst_bisect *b, const karst_allocator *a, uint32_t f) {
    uint32_t g;
    // The face beyond must have the same long edge.
    while ((g = b->faces[f].nb[0]) != KST_NONE && b->faces[g].nb[0] != f)
        if (!kst_bisect_split(b, a, g)) return false;
    if (!kst_bisect_reserve(b, a, 2, 1)) return false;
    uint32_t m = make_point(b, f, g == KST_NONE), r = halve(b, f, m);
    if (g != KST_NONE) {
        uint32_t s = halve(b, g, m);
        b->faces[f].nb[1] = s, b->faces[s].nb[2] = f;
        b->faces[r].nb[2] = g, b->faces[g].nb[1] = r;
        kst_bisect_put(b, g);
        kst_bisect_put(b, s);
    }
    kst_bisect_put(b, f);
    kst_bisect_put(b, r);
    kst_bisect_refresh(b, m);
    return true;
}

bool kst_bisect_fan(const kst_bisect *b, uint32_t m, uint32_t fan[4]) {
    if (b->knots[m].pinned) return false;
    uint32_t l = b->knots[m].face;
    if (b->triangles[l].point[0] != m) return false;
    const uint32_t *end = b->points[m].end, last = b->triangles[l].point[2];
    if (last != end[0] && last != end[1]) l = b->faces[l].nb[1];  // it was a right half
    uint32_t r = b->faces[l].nb[2];
    if (b->triangles[l].point[0] != m || b->triangles[r].point[0] != m) return false;
    fan[0] = l, fan[1] = r, fan[2] = b->faces[r].nb[2], fan[3] = b->faces[l].nb[1];
    if (fan[2] == KST_NONE || fan[3] == KST_NONE) return fan[2] == fan[3];
    return b->triangles[fan[2]].point[0] == m && b->triangles[fan[3]].point[0] == m;
}

// Left half l becomes the face that it was cut from; what lies beyond the long edge is left open.
static void unite(kst_bisect *b, uint32_t l, uint32_t r) {
    const karst_zone_triangle left = b->triangles[l], right = b->triangles[r];
    kst_bisect_take(b, l);
    kst_bisect_take(b, r);
    karst_zone_triangle *t = &b->triangles[l];
    --t->level;
    put_corner(t, 0, left.point[1], left.at[1]), put_corner(t, 1, left.point[2], left.at[2]);
    put_corner(t, 2, right.point[1], right.at[1]);
    uint32_t beyond = b->faces[r].nb[0];
    b->faces[l] = (kst_face){{KST_NONE, beyond, b->faces[l].nb[0]}, {KST_NONE, KST_NONE}};
    relink(b, beyond, r, right.point[2], l);
    for (int c = 1; c < 3; ++c)
        if (b->knots[right.point[c]].face == r) b->knots[right.point[c]].face = l;
    uint32_t *anchor = &b->slots[t->zone].anchor[t->piece];
    if (*anchor == r) *anchor = l;
    --b->slots[t->zone].faces[t->piece];
    kst_bisect_mark(b, 0, l);
    kst_bisect_free_face(b, r);
}

void kst_bisect_merge(kst_bisect *b, uint32_t m) {
    uint32_t fan[4];
    if (!kst_bisect_fan(b, m, fan)) return;
    kst_bisect_take_knot(b, m);
    bool both = fan[2] != KST_NONE;
    uint32_t alone[4];  // twins that have to wait for themselves from now on
    for (int k = 0; k < (both ? 4 : 2); ++k) {
        alone[k] = kst_bisect_twin(b, fan[k]);
        if (alone[k] != KST_NONE && b->faces[alone[k]].chain.prev != KST_NONE) alone[k] = KST_NONE;
    }
    unite(b, fan[0], fan[1]);
    if (both) {
        unite(b, fan[2], fan[3]);
        b->faces[fan[0]].nb[0] = fan[2], b->faces[fan[2]].nb[0] = fan[0];
    }
    kst_bisect_free_knot(b, m);
    ++b->merges;
    for (int k = 0; k < (both ? 4 : 2); k += 2) kst_bisect_put(b, fan[k]);
    for (int k = 0; k < (both ? 4 : 2); ++k) {
        uint32_t f = alone[k];
        bool there = f != KST_NONE && b->triangles[f].point[0] != b->triangles[f].point[1];
        if (there && b->faces[f].chain.prev == KST_NONE) kst_bisect_put(b, f);
    }
    for (int k = 0; k < (both ? 4 : 2); k += 2) kst_bisect_refresh(b, b->triangles[fan[k]].point[0]);
}
