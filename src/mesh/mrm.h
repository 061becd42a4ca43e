// SPDX-License-Identifier: MIT
// Multi-resolution meshes: how they lie in memory, and the plain list that files and the generator deal in.
//
//   vertex    0 ........ base | base ......................... n      importance falls
//   wedge     of vertex 0, of vertex 1, ...                           one record each from `base` on
//   range     levels (bottom, top]: in it the index array keeps one order, the layout; range 0 is the finest
//   layout    triangles by material, then in cache order of the range's finest level
//
// A triangle that vanishes inside a range stays in its place without area. At the end of the range another array is
// shown, sorted anew: place[q] of the range is where, in its layout, the triangle lies that goes to q: first the layout
// of the next range, then those that vanished, at the place of their number.
#pragma once
#include "core/core.h"
#include "karst/model.h"
#include "karst/mrm.h"

#define KST_NONE UINT32_MAX
enum {
    KST_MRM_FIRST = 0x8000,  // in `faces`: the first wedge of its vertex
    KST_MRM_FACES = 0x7fff,
    KST_MRM_STEP = 0xffff,  // an item that moves on without a slot
    KST_MRM_FAR = 0x8000,   // in `items`: there are such
    KST_MRM_ITEMS = 0x7fff,
    KST_MRM_FEW = 7,  // items that may be read whether a wedge has them or not: so many more are there at the end
    KST_MRM_CURVE = 256,
};

// What changes when a wedge comes (its slots get its number) or goes (they get its parent's). The first slot is here,
// the others are items: each the distance from the one before.
typedef struct kst_mrm_wedge {
    uint32_t parent, first;  // itself: none; KST_NONE: no slot
    uint16_t items, faces;   // faces that come with the vertex, on its first wedge
} kst_mrm_wedge;

static inline uint32_t kst_mrm_items(const kst_mrm_wedge *r) {
    return r->items & KST_MRM_ITEMS;
}

typedef struct kst_mrm_range {
    uint32_t top, bottom, triangles, kept;  // levels; triangles of the layout, and of the next one
    uint32_t wedges;                        // at the top
    size_t place;                           // offset in place16 or place32
    size_t index;                           // triangles of the finer ranges: where an instance has its array
    bool wide;
} kst_mrm_range;

// Levels with low < vertices < high are none.
typedef struct kst_mrm_gap {
    uint32_t low, high;
} kst_mrm_gap;

// Every so many vertices from the base on: how many wedges and triangles there are.
enum { KST_MRM_MARK = 64 };
typedef struct kst_mrm_mark {
    uint32_t wedges, triangles;
} kst_mrm_mark;

struct karst_mrm {
    const karst_allocator *allocator;
    karst_model *model;
    uint32_t base_vertices, base_wedges, base_triangles;
    bool is_least_right;
    kst_mrm_wedge *record;  // of wedge base_wedges + i
    kst_mrm_mark *mark;
    size_t mark_count;
    uint16_t *item;
    size_t item_count;
    uint16_t *move;   // of vertex base_vertices + i: how its parent's code changes; NULL: none ever moves
    float move_unit;  // [m]
    kst_mrm_range *range;
    int range_count;
    uint16_t *place16;
    uint32_t *place32;
    size_t place16_count, place32_count;
    uint16_t *material;  // of a section
    uint32_t section_count;
    uint32_t *section;  // [range][section + 1]: triangles before it
    kst_mrm_gap *gap;
    uint32_t gap_count;
    karst_mrm_level *curve;
    int curve_count;
};

// The same without layouts: triangles numbered by falling importance, slots are 3 * triangle + corner.
typedef struct kst_mrm_list {
    karst_model *model;         // sorted; triangles at full detail
    uint32_t vertices, wedges;  // lengths of the arrays
    size_t slot_room;
    uint32_t base_vertices, base_wedges, base_triangles;
    bool is_least_right;
    uint32_t *parent;    // of a wedge; itself: none
    uint32_t *slot_end;  // of a wedge: its slots are slot[slot_end[w - 1] .. slot_end[w]]
    uint32_t *slot;
    uint32_t *triangle_end;  // of a vertex: triangles there are with it
    uint16_t *move;          // of vertex base_vertices + i: its parent's code without it, or KST_MRM_STAYS; NULL: none
    float move_unit;         // [m]
    kst_mrm_gap *gap;        // rising
    uint32_t gap_count;
    karst_mrm_level *curve;
    int curve_count;
} kst_mrm_list;

// mrm_assemble.c. The list's model, gaps and curve become the mesh's (and NULL in the list); the rest stays.
karst_status kst_mrm_assemble(kst_mrm_list *list, const karst_allocator *allocator, const karst_progress *progress,
                              karst_report *report, karst_mrm **out);
// The list that a mesh was made from. It shares what kst_mrm_assemble takes, but for the model's triangles and paint.
karst_status kst_mrm_unravel(const karst_mrm *mrm, karst_report *report, kst_mrm_list *out);
void kst_mrm_list_free(kst_mrm_list *list, const karst_allocator *allocator);  // all that is left in it
void kst_mrm_list_release(kst_mrm_list *list);                                 // after kst_mrm_unravel

// mrm.c: the finest level with at most so many vertices.
uint32_t kst_mrm_snap(const karst_mrm *mrm, uint32_t vertices);

// mrm_moves.c
enum { KST_MRM_STAYS = 0x888 };                                              // no code has this
float kst_mrm_move_unit(double diagonal);                                    // a power of two
bool kst_mrm_move_code(const double offset[3], float unit, uint16_t *code);  // false: too far
karst_vec3 kst_mrm_moved(karst_vec3 place, float unit, uint16_t code);
// Codes as the list has them become changes as the mesh has them, or back. code: room for all vertices.
void kst_mrm_moves_change(uint16_t *move, const uint32_t *parent, const karst_model *model, uint32_t base_vertices,
                          uint16_t *code, bool back);
// The instance went between levels of `from` and `to` wedges, either way.
void kst_mrm_move_between(karst_mrm_instance *instance, uint32_t from, uint32_t to);

// mrm_encode.c, mrm_decode.c
karst_status kst_mrm_encode(const kst_mrm_list *list, karst_report *report, uint8_t **out, size_t *size);
karst_status kst_mrm_decode(const uint8_t *bytes, size_t size, bool partial, const karst_allocator *allocator,
                            karst_report *report, kst_mrm_list *out);

// cache_order.c: order[] of triangles for a FIFO vertex cache, after index[] over `vertices` numbers.
// KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED.
karst_status kst_cache_order(const uint32_t (*index)[3], uint32_t triangles, uint32_t vertices,
                             const karst_progress *progress, uint32_t *order);
// Vertices that a FIFO cache of `size` misses.
uint64_t kst_cache_misses(const uint32_t *index, size_t count, uint32_t vertices, int size);
