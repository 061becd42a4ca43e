// SPDX-License-Identifier: MIT
// What the writer, the reader and the learner of records share: the flags, the working memory, and the steps that both
// ways take alike. A record as bytes:
//
//     flags u8: 1 y wide, 2 holes, 4 occlusion, 8 transparency, 16 all normals coded, 32 corners raw, 64 moved sideways
//     flags u8: 1 dx wide, 2 dz wide
//     raw corners only: size u16, zstd frame
//     stream of numbers
#pragma once
#include "pack/record_parts.h"

enum {
    KST_RECORD_Y_WIDE = 1,
    KST_RECORD_HOLES = 2,
    KST_RECORD_OCCLUSION = 4,
    KST_RECORD_TRANSPARENCY = 8,
    KST_RECORD_ALL_NORMALS = 16,
    KST_RECORD_RAW_CORNERS = 32,
    KST_RECORD_MOVED = 64,
    KST_RECORD_SIDE = KST_FINE_SIDE,
    KST_RECORD_LAST = KST_FINE_SIDE - 1,
    KST_RECORD_CHUNK = KARST_CHUNK_SIDE,
    KST_RECORD_RUNS = 1 + KST_RECORD_PLANES + 1 + 2 + 1,
    KST_RECORD_NUMBERS = KST_HOLE_NUMBERS + KST_RECORD_PLANES * KST_PLANE_NUMBERS + KST_NORMAL_NUMBERS +
                         2 * KST_LIGHT_NUMBERS + KST_CORNER_NUMBERS,
    KST_RECORD_STREAM_MOST = KST_RECORD_NUMBERS * 6 + 5 + 4 * KST_RANS_LANES,
    KST_RECORD_RAW_MOST = 4 * 4 * KST_CORNER_FLOATS,
};

// Numbers of all parts; used by who writes.
typedef struct kst_record_writing {
    kst_plane_target target;
    kst_plane_numbers plane[KST_RECORD_PLANES];
    uint32_t hole[KST_HOLE_NUMBERS], light[2][KST_LIGHT_NUMBERS], corner[KST_CORNER_NUMBERS],
        normal[KST_NORMAL_NUMBERS];
    uint16_t hole_table[KST_HOLE_NUMBERS], light_table[2][KST_LIGHT_NUMBERS], corner_table[KST_CORNER_NUMBERS];
    int32_t wanted[KST_FINE_VERTICES];
    uint16_t wanted_normal[KST_FINE_VERTICES];
    unsigned flags, wide;
    int normal_count;
} kst_record_writing;

struct kst_record_coder {
    const karst_allocator *allocator;
    kst_record_writing *w;  // NULL: reads only
    kst_plane plane;
    uint64_t known[KST_PLANE_ROWS];
    int32_t coarse[KST_NODE_SIDE * KST_NODE_SIDE];
    int32_t y[KST_FINE_VERTICES], fine[KST_FINE_VERTICES];
    int16_t d[2][KST_FINE_VERTICES];
    uint16_t normal[KST_FINE_VERTICES];  // estimates, then what is
    uint16_t normal_table[KST_NORMAL_NUMBERS];
    kst_hole_grid holes, beyond;
    uint8_t light[KST_LIGHT_SIDE * KST_LIGHT_SIDE];
    uint32_t number[KST_NORMAL_NUMBERS];
    uint16_t table[KST_LIGHT_NUMBERS];
    kst_arena arena;
    kst_record_parts parts;
    uint8_t raw[KST_RECORD_RAW_MOST];
    uint8_t *stream;  // a copy of what is read, so that a decoder may look beyond its end
    size_t stream_room;
};

typedef struct kst_record_extent {  // of a record in the field: the first fine vertex at or beyond the last, and more
    int fx, fz;
    bool beyond, left, top, right, bottom;  // the node's own side is also the field's
} kst_record_extent;
kst_record_extent kst_record_extent_of(kst_record_coder *c, const kst_record_tables *t, kst_record_place p);

// The node's own values of a plane, and the plane made ready for them.
void kst_record_begin_plane(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                            const karst_chunk *parent, int plane, bool beyond);
// Values of a plane once its numbers are there; those of the node are its own, bit for bit.
void kst_record_end_plane(kst_record_coder *c, const kst_record_tables *t, const kst_record_extent *e,
                          const karst_chunk *parent, int plane);
// Normals as the vertices of this level alone would have them. At level 0 they are right inside the record.
karst_status kst_record_estimate_normals(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                                         const kst_record_extent *e, bool moved);
// Places of the normals that are coded, in rows; tables for the two numbers of each. Returns how many numbers there are
// of one kind, filled up to whole rows.
int kst_record_normal_tables(kst_record_coder *c, kst_record_place p, const kst_record_extent *e, bool all);
void kst_record_place_own_normals(kst_record_coder *c, const karst_chunk *parent);

// Is the normal of a vertex that the node has not coded? i, j: its place in the record.
static inline bool kst_record_normal_is_coded(const kst_record_extent *e, bool all, int i, int j) {
    if (!(i & 1) && !(j & 1)) return false;
    if (e->beyond && kst_plane_is_copy(i, j, e->fx, e->fz)) return false;
    return all || (i == 0 && !e->left) || (j == 0 && !e->top) || (i == KST_RECORD_LAST && !e->right) ||
           (j == KST_RECORD_LAST && !e->bottom);
}

// ---- record_write.c --------------------------------------------------------------------------------

// All numbers of a record. False when the chunks do not agree.
bool kst_record_make_numbers(kst_record_coder *c, const kst_record_tables *t, kst_record_place p,
                             const karst_chunk *parent, const karst_chunk *const children[4]);
// The runs of a record in the order of the stream; which model each is coded by.
int kst_record_list_runs(const kst_record_writing *w, kst_rans_run *runs, kst_record_model *model);
// A plane of the children, and from it the target. False when chunks disagree; when a height is no multiple of the
// step.
bool kst_record_gather_plane(kst_record_coder *c, int plane, const karst_chunk *const children[4]);
bool kst_record_set_target(kst_record_coder *c, const kst_record_tables *t, int plane);

// ---- small numbers ---------------------------------------------------------------------------------

static inline int32_t kst_record_component(const karst_vertex *v, int plane) {
    return plane == 0 ? v->y : plane == 1 ? v->dx : v->dz;
}
static inline uint32_t kst_byte_number(unsigned value, unsigned guess) {
    return kst_zigzag((uint32_t)(int32_t)(int8_t)(uint8_t)(value - guess)) & 0xff;
}
static inline unsigned kst_byte_from(uint32_t number, unsigned guess) {
    return (guess + kst_unzigzag(number)) & 0xff;
}
static inline const uint8_t *kst_light_of(const karst_chunk *chunk, int kind) {
    return kind ? chunk->transparency : chunk->occlusion;
}
