// SPDX-License-Identifier: MIT
// Scene of zones, inner: what the methods share. See docs/patch.md, Levels.
#pragma once
#include "core/core.h"
#include "karst/zonescene.h"
#include "lod.h"

enum {
    KST_ZONE_LANES = 8,
    KST_ZONE_BELOW = 4,     // classes below tile level: -4 .. -1
    KST_ZONE_ABOVE = 8,     // classes from tile level: 0 .. 7
    KST_ZONE_BATCHES = 64,  // keys of batches
    KST_ZONE_GRAIN = 256,   // pieces of a range
    KST_NEVER = 99,         // depends on nothing
};

// An edge of the field's patches under spans of a zone, on a seam: all of them have one level.
typedef struct kst_zone_edge {
    int32_t column, row;
    uint8_t way;          // as karst_zone_span.seam
    uint32_t first, end;  // of edge_pair
    int32_t at[2];        // its ends in the seam of the last frame, or where they were
} kst_zone_edge;

// A zone as the methods read it: places by axis, so that eight make a vector.
typedef struct kst_zone_slot {
    const karst_zone *zone;  // NULL: free
    uint32_t stay;
    int32_t *corner[3];  // of corners, from the bias; padded to whole vectors
    float *radius, *d2;  // of corners [m], and the square of the distance to the nearest eye less it
    // Levels are owed to pairs of corner and size class, sorted by class; each class begins a vector.
    uint32_t *level_corner;
    uint32_t level_count;
    uint32_t class_first[KARST_NET_SIZES + 1];
    uint32_t (*span_level)[2];
    // Edges on seams own levels from edge_level on. The corners' levels of their spans, for frames without a seam.
    kst_zone_edge *edge;
    uint32_t (*edge_pair)[2];
    uint32_t edge_count, edge_level, pair_count;
    int32_t *place[3];      // of tile corners; each piece begins a vector, and its last place fills it up
    uint32_t *first_place;  // by piece
    uint8_t *patterns;      // of tiles, by first_tile
    uint32_t *first_tile;
    struct kst_piece_info {
        float min[3], max[3];   // box of every vertex, from the bias [m]
        uint8_t scale_log2[2];  // log2 tiles of its patch along s and t
        uint8_t top;            // most that its level may be: the least of its spans'
        bool plain;             // all its spans' least size is its own
    } * info;
    uint8_t *kind, *whole;  // of this frame, by piece: kst_piece_kind, pattern of a whole one
    int32_t *fine;          // by piece: its entry in the cache, or -1
    size_t corner_room, place_room, tile_room;
    // This frame
    uint32_t first_level;
    int32_t offset[KARST_ZONE_VIEWS_MAX][3];  // bias less each eye's base
    uint16_t seen, inside;                    // views that see some of it, all of it
    kst_frustum frusta[KARST_ZONE_VIEWS_MAX];
} kst_zone_slot;

typedef enum kst_piece_kind { KST_PIECE_UNSEEN, KST_PIECE_WHOLE, KST_PIECE_FINEST, KST_PIECE_TILES } kst_piece_kind;

// Pieces [first, end) of a slot, and what they gave.
typedef struct kst_zone_range {
    uint16_t slot;
    uint32_t first, end;
    int32_t count[KST_ZONE_BATCHES];  // instances by key; then where its next one goes
    int32_t pieces, refined;
} kst_zone_range;

// Tables of lattices of 2^L cells, for L of 1..4.
typedef struct kst_zone_relation {
    uint8_t end[2][2];  // (i, j) of the ends of the edge that a vertex halves
    uint8_t class;      // KST_NEVER: a corner of the lattice
} kst_zone_relation;
typedef struct kst_zone_tables {
    kst_zone_relation relation[5][2][17 * 17];  // L, parity of a lone cell
    uint32_t depend_first[5][2][4][4][8];       // L, parity, side, log2 spans, span
    uint8_t depend[24 * 1024];
} kst_zone_tables;

// Cache of finest vertices: pages of one piece of 16 x 16 tiles or as many of another size as fit, in equal entries.
enum {
    KST_PAGE_VERTICES = KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX,
    KST_PAGE_ENTRIES = KST_PAGE_VERTICES / (9 * 9),
};
typedef struct kst_fine_page {
    uint8_t tiles_log2;  // of its pieces; 0: free
    uint8_t used;
    uint64_t frame;                    // that last refined one of them
    uint32_t owner[KST_PAGE_ENTRIES];  // zone << 16 | piece, or KST_NOBODY
} kst_fine_page;
#define KST_NOBODY UINT32_MAX
typedef struct kst_fine_cache {
    karst_fine *vertices;
    kst_fine_page *pages;
    int32_t page_count;
    uint64_t frame;
    karst_zone_upload *uploads;
    size_t upload_room;
    int32_t upload_count;
} kst_fine_cache;

struct karst_zone_scene {
    karst_zone_scene_def def;
    struct kst_bisect *bisect;  // of method bisect, once it was asked for
    kst_zone_tables tables;
    kst_fine_cache fine;
    kst_zone_slot *slots;
    int32_t slot_room, zone_count;
    uint32_t stays;     // zones that were ever added
    int32_t step_log2;  // of all zones
    float reach_m;
    // Of this budget
    const karst_seam *seam;
    float threshold, tile_m, tile_fade_m, ramp_reach_m;
    karst_zone_ramp below[KARST_NET_SIZES][KST_ZONE_BELOW];
    karst_zone_ramp above[KARST_NET_SIZES][KST_ZONE_ABOVE];
    float near[KARST_NET_SIZES];  // distance of tile level [m]
    // Of this frame
    karst_zone_eye eyes[KARST_ZONE_VIEWS_MAX];
    karst_pos way;  // from the origin to eye 0 [m]
    int32_t eye_count;
    const karst_view *views;
    bool cull;
    float fine_m;
    karst_zone_at *at;
    float *levels;
    kst_zone_range *ranges;
    karst_zone_instance *instances;
    int32_t range_count, batch_count;
    karst_zone_batch batches[KST_ZONE_BATCHES];
    size_t slot_capacity, at_capacity, level_room, range_room, instance_room;
};

// Room for at least `want` elements; what was in it stays.
bool kst_grow(const karst_allocator *allocator, void *array, size_t *room, size_t want, size_t bytes);

// Where a place is drawn before it moves, relative to the frame's origin: whole fine steps from the base are exact,
// then one rounding each, as in place_of() of patch.c.
static inline karst_vec3 kst_zone_drawn(const karst_zone_frame *f, int32_t x, int32_t y, int32_t z) {
    return (karst_vec3){(float)x * f->fine_m - f->fraction.x, (float)y * f->fine_m - f->fraction.y,
                        (float)z * f->fine_m - f->fraction.z};
}

// Which views see a zone, and whether one sees a piece of it, where frames are culled.
void kst_zone_see(karst_zone_scene *scene, kst_zone_slot *slot);
static inline bool kst_zone_sees(const karst_zone_scene *scene, const kst_zone_slot *slot,
                                 const struct kst_piece_info *info) {
    if (!scene->cull || slot->inside) return true;
    for (int v = 0; v < scene->eye_count; ++v)
        if (slot->seen >> v & 1 && kst_box_in(&slot->frusta[v], info->min, info->max)) return true;
    return false;
}

// zone_tables.c
void kst_zone_tables_make(kst_zone_tables *tables);
static inline const uint8_t *kst_zone_depend(const kst_zone_tables *t, int log2n, int odd, int side, int spans_log2,
                                             int span) {
    return t->depend + t->depend_first[log2n][odd][side][spans_log2][span];
}

// zone_slot.c
karst_status kst_zone_slot_make(kst_zone_slot *slot, const karst_zone *zone, const karst_allocator *allocator);
void kst_zone_slot_free(kst_zone_slot *slot, const karst_allocator *allocator);
// Where the arrays of a piece's tiles end.
static inline uint32_t kst_up(uint32_t count) {
    return (count + KST_ZONE_LANES - 1) / KST_ZONE_LANES * KST_ZONE_LANES;
}

// zone_fine.c
void kst_zone_fine_forget(karst_zone_scene *scene, int slot);  // a zone that goes
void kst_zone_fine_free(karst_zone_scene *scene);
const karst_fine *kst_zone_fine_at(const karst_zone_scene *scene, int slot, uint32_t piece);  // NULL: not here

// zone_corner.c: the method corner.
void kst_zone_ramps_make(karst_zone_scene *scene);
// Distance below which a tile corner asks for less than a tile of a class [m].
double kst_zone_tile_reach(int size, float threshold);
// Ramps from tile level on, which ends at near_m.
void kst_zone_ramps_above(karst_zone_ramp out[KST_ZONE_ABOVE], int size, float threshold, double near_m,
                          float tile_fade_m);
void kst_zone_corner_levels(karst_zone_scene *scene, kst_zone_slot *slot);
void kst_zone_corner_select(karst_zone_scene *scene, kst_zone_range *range);
void kst_zone_corner_place(karst_zone_scene *scene, kst_zone_range *range);
// The key of a batch, and back.
static inline int kst_zone_key_whole(int tiles_log2, int pattern) {
    return 10 * (tiles_log2 - 1) + pattern;
}
enum { KST_KEY_TILES = 40, KST_KEY_FINEST = 50 };
// Triangles of a pattern before any collapses.
static inline int32_t kst_zone_triangles(int cells_log2, int pattern) {
    if (pattern >= 2 * cells_log2) return 2;
    int32_t cells = 1 << (2 * (cells_log2 - (pattern >> 1)));
    return pattern & 1 ? cells : 2 * cells;
}
