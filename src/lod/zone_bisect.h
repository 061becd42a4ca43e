// SPDX-License-Identifier: MIT
// Method bisect, inner. See docs/patch.md, Bisection.
//
// Only leaves are kept. A face is a right triangle; point 0 has the right angle, neighbour e lies beyond the edge
// opposite point e. Halving puts a point m in the middle of the edge 1-2, in both faces beside it, and the face's
// number stays that of its left half:
//
//          0                  left (m, 0, 1), right (m, 2, 0)
//        / | \                neighbours of left: beyond 0-1, the other face's right half, right
//      1---m---2              of right: beyond 2-0, left, the other face's left half
//
// A point may be taken away when the four faces round it (two at an open side) have their right angle there. Then it is
// in the list of merges. A face is in one of the lists of splits unless it is at the finest level.
#pragma once
#include "zone_scene.h"

enum {
    KST_SECTORS_MAX = 32,
    KST_BUCKETS = 4096,
    KST_CLASSES = KST_ZONE_BELOW + KST_ZONE_ABOVE,
    KST_LEANING = KST_SECTORS_MAX,  // coordinates: planes by sector, then leaning ones
    KST_ODOMETER = 2 * KST_SECTORS_MAX,
    // Heads of lists of faces: buckets by coordinate; those that every move tests; those whose turn it is; those to
    // split.
    KST_FACE_HOT = (KST_ODOMETER + 1) * KST_BUCKETS,
    KST_FACE_DUE,
    KST_FACE_WORK,
    KST_FACE_HEADS,
    // ... and of points: buckets of the odometer, and the same three.
    KST_KNOT_HOT = KST_BUCKETS,
    KST_KNOT_DUE,
    KST_KNOT_WORK,
    KST_KNOT_HEADS,
    KST_JUMP_M = 16,  // further moves begin anew: that costs about as much as ten fast frames
    KST_RIM_MAX = KARST_NET_TILES_MAX * KARST_TILE_CELLS,  // edges of faces along a span
    KST_DIRTY = 16,                                        // elements of a dirty block
};
#define KST_NONE UINT32_MAX
#define KST_HEAD 0x80000000u  // kst_chain.prev: the list of this number begins here

typedef struct kst_chain {
    uint32_t next, prev;  // prev KST_NONE: in no list
} kst_chain;

// 44 bytes with its karst_zone_triangle.
typedef struct kst_face {
    uint32_t nb[3];
    kst_chain chain;
} kst_face;

typedef struct kst_knot {
    uint32_t face;  // one of those round it
    kst_chain chain;
    uint8_t size;  // class of tile size that its radius goes by
    int8_t class;  // -4..7
    bool pinned;   // a corner of pieces
    uint8_t unused;
} kst_knot;

_Static_assert(sizeof(karst_zone_triangle) + sizeof(kst_face) == 44, "a face has 44 bytes");
_Static_assert(sizeof(kst_knot) == 16, "a point has 16 bytes");

// Numbers by a hash of what they stand for; several may have the same.
typedef struct kst_bind {
    uint64_t key;
    uint32_t next, a, b;
} kst_bind;
typedef struct kst_binds {
    uint32_t *head;
    kst_bind *at;
    size_t head_room, room, promised;
    uint32_t end, free;
} kst_binds;

// A span of a zone, as the piece that it bounds sees it.
typedef struct kst_side {
    uint32_t piece;
    uint32_t other;  // span of slot other_slot that is the same curve run the other way, or KST_NONE
    uint16_t other_slot;
    uint8_t side;
} kst_side;

typedef struct kst_bisect_slot {
    const karst_zone *zone;  // NULL: not in the mesh
    uint32_t *corner;        // points of its corners
    uint32_t *anchor;        // by piece: the face at its vertex (0, 0)
    uint32_t *faces;         // by piece: how many it has
    int64_t seen_faces;      // of the frame, and
    int32_t seen_pieces;
    kst_side *side;  // by span
    uint32_t corner_count, piece_count, span_count;
} kst_bisect_slot;

typedef struct kst_pool {
    uint32_t end, free, count;  // first never used, first of those free again, how many are in use
    size_t room;
} kst_pool;

typedef struct kst_bisect {
    kst_pool face_pool, knot_pool;
    karst_zone_triangle *triangles;
    kst_face *faces;
    karst_zone_point *points;
    kst_knot *knots;
    kst_bisect_slot *slots;
    size_t slot_room;
    kst_binds corners, spans;  // corners: point, users; spans that wait for their other side: slot, span
    // Lists
    uint32_t *face_head, *knot_head;
    int sectors;                       // 0: directions are of no use
    double along[KST_SECTORS_MAX][2];  // unit vectors in x, z
    double now[KST_ODOMETER + 1];      // coordinates of the eye [m]
    int64_t cursor[KST_ODOMETER + 1];  // last bucket that was done
    // Of the budget
    bool ready;
    float threshold, tile_m, tile_fade_m;
    int sectors_asked;
    double outer[KARST_NET_SIZES][KST_CLASSES];  // radius within which a point is wanted [m]
    karst_zone_ramp ramp[KARST_NET_SIZES][KST_CLASSES];
    // Of the frame
    double eye[KARST_ZONE_VIEWS_MAX][3];  // from the net's origin [m]
    int eye_count;
    double fine_m;
    uint64_t *dirty[2];  // bits by block: of triangles, of points
    size_t dirty_room[2];
    karst_zone_dirty *range[2];
    size_t range_room[2];
    uint64_t round;
    int64_t split_tests, merge_tests, splits, merges, refused;
} kst_bisect;

// The point that halves a face.
typedef struct kst_middle {
    int i, j;
    uint32_t span;  // of the zone, or KST_NONE inside a piece
    uint8_t size;
    int8_t class;  // below -4: there is none
    bool corner;   // between two spans: it is a corner of pieces
} kst_middle;

// zone_bisect.c: faces and points.
kst_middle kst_bisect_middle(const kst_bisect *b, uint32_t face);
bool kst_bisect_split(kst_bisect *b, const karst_allocator *a, uint32_t face);  // false: no memory
void kst_bisect_merge(kst_bisect *b, uint32_t knot);
bool kst_bisect_fan(const kst_bisect *b, uint32_t knot, uint32_t fan[4]);  // may it be taken away?
bool kst_bisect_reserve(kst_bisect *b, const karst_allocator *a, uint32_t faces, uint32_t knots);
uint32_t kst_bisect_new_face(kst_bisect *b);
uint32_t kst_bisect_new_knot(kst_bisect *b);
void kst_bisect_free_face(kst_bisect *b, uint32_t face);
void kst_bisect_free_knot(kst_bisect *b, uint32_t knot);
static inline void kst_bisect_mark(kst_bisect *b, int kind, uint32_t k) {
    b->dirty[kind][k / KST_DIRTY / 64] |= (uint64_t)1 << (k / KST_DIRTY % 64);
}

// The face that is halved together with this one, or KST_NONE.
static inline uint32_t kst_bisect_twin(const kst_bisect *b, uint32_t face) {
    uint32_t g = b->faces[face].nb[0];
    return g != KST_NONE && b->faces[g].nb[0] == face ? g : KST_NONE;
}

// zone_bisect_list.c: whose turn it is.
void kst_bisect_lists_clear(kst_bisect *b);
void kst_bisect_put(kst_bisect *b,
                    uint32_t face);  // into the list where it belongs, unless its twin is in one; it is in none
void kst_bisect_refresh(kst_bisect *b, uint32_t knot);  // into or out of the list of merges
void kst_bisect_move(kst_bisect *b, const double (*eye)[3]);
double kst_bisect_distance2(const kst_bisect *b, const int32_t at[3]);
void kst_bisect_take(kst_bisect *b, uint32_t face);  // out of its list, if it is in one
void kst_bisect_take_knot(kst_bisect *b, uint32_t knot);
void kst_bisect_hold(kst_bisect *b, uint32_t face);  // to be tested at the next move
static inline bool kst_bisect_wanted(const kst_bisect *b, int size, int class, double d2) {
    double r = b->outer[size][class + KST_ZONE_BELOW];
    return d2 < r * r;
}

// zone_bisect_bind.c: zones that come and go. False: no memory, and the mesh is of no use any more.
bool kst_bisect_add(kst_bisect *b, const karst_allocator *a, int slot, const karst_zone *zone);
void kst_bisect_remove(kst_bisect *b, const karst_allocator *a, int slot);
void kst_bisect_begin(kst_bisect *b);  // nothing is bound; memory of zones stays for when they are added anew
void kst_bisect_free_slots(kst_bisect *b, const karst_allocator *a);
// The point of the other side of a span at cell `along` of the piece's side, or KST_NONE.
uint32_t kst_bisect_beside(const kst_bisect *b, int slot, uint32_t span, int along);

// zone_bisect_frame.c
void kst_bisect_update(karst_zone_scene *scene, const karst_zone_budget *budget, karst_zone_frame *frame);
void kst_bisect_destroy(karst_zone_scene *scene);
