// SPDX-License-Identifier: MIT
// Zone: the patches of one 160 x 160 m cell of a net, as a game loads them. Each stands alone: all that two zones must
// agree on is stored in both, so zones come and go in any order and the ground stays closed. See docs/patch.md.
//
// A patch is cut into square *pieces* of 2 x 2 to 16 x 16 tiles; a piece's side is one or more *spans*, the parts of an
// edge between two corners. Vertices are whole numbers of a *fine* lattice, steps / KARST_NET_FINE.
#pragma once
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_ZONE_SIDE_M = 160,
    KARST_TILE_CELLS = 4,  ///< finest cells along a tile
    KARST_PIECE_FINE_MAX = KARST_NET_TILES_MAX * KARST_TILE_CELLS + 1,
};

/// A vertex, or an offset [fine steps].
typedef struct karst_fine {
    int32_t x, y, z;
} karst_fine;

/// A corner of pieces.
typedef struct karst_zone_corner {
    karst_fine at;   ///< drawn place, from the zone's bias
    float radius_m;  ///< every vertex of the pieces round it lies within twice this
} karst_zone_corner;

/// Part of an edge between two corners that follow each other on it.
typedef struct karst_zone_span {
    uint32_t edge;
    uint32_t corner[2];   ///< in the direction of growing s or t
    uint8_t from, to;     ///< eighths of the edge
    uint8_t size[2];      ///< least and most tile size of the edge's patches [class]
    bool open;            ///< nothing lies beyond it
    uint8_t seam;         ///< a field lies beyond it, whose patch has an edge here along x (1) or z (2); 0: none
    int32_t column, row;  ///< vertex of the field at which that edge begins, multiples of 16 (KARST_PATCH_CELLS)
} karst_zone_span;

/// A square piece of N x N tiles, N = 1 << tiles_log2.
typedef struct karst_piece {
    uint32_t patch;
    uint32_t first_place;    ///< of its (N + 1)^2 tile corners in karst_zone.places, rows along s
    uint32_t first_span[4];  ///< sides as of a patch
    uint32_t corner[4];      ///< (0,0), (1,0), (1,1), (0,1)
    uint8_t spans_log2[4];   ///< 1 << this spans on a side
    uint8_t tiles_log2;
    uint8_t size;            ///< of its tiles [class]
    uint8_t tile_s, tile_t;  ///< of its tile (0, 0) in the patch
} karst_piece;

/// A zone in memory. All arrays belong to it and are only read.
typedef struct karst_zone {
    int32_t zone_x, zone_z;  ///< cell: x from 160 zone_x to 160 (zone_x + 1) m, from the net's origin
    int step_log2;
    karst_fine bias;  ///< of all its places, from the net's origin [fine steps]
    float reach_m;    ///< largest corner radius of the whole net
    const karst_zone_corner *corners;
    const karst_zone_span *spans;
    const karst_piece *pieces;
    const karst_fine *places;  ///< drawn tile corners, from the bias
    uint32_t corner_count, span_count, piece_count, place_count, patch_count;
    karst_fine low, high;                      ///< box of every vertex, from the bias
    struct kst_zone_record *record;            ///< curves behind it; do not touch
    size_t piece_room, span_room, place_room;  ///< do not touch
} karst_zone;

/// What a patch of a zone is made of, as its author said.
typedef struct karst_zone_patch {
    uint8_t noise_set, noise_turn;  ///< as of karst_net_patch
    uint8_t tiles_log2[2];          ///< along s and t
} karst_zone_patch;
/// Of patch 0..patch_count - 1. Threads: any. Cost: O(1).
KARST_API karst_zone_patch karst_zone_patch_of(const karst_zone *zone, uint32_t patch);

/// Side of a tile of a size class [m]: 2^((size - 24) / 2).
KARST_API float karst_tile_size_m(int size);

/// Zones that a finished net touches: pairs (zone_x, zone_z) sorted by z, then x. A patch lies in the zone that holds
/// its middle. @param out room for `capacity` pairs @return their number, which may be larger
KARST_API int32_t karst_net_zones(const karst_net *net, int32_t (*out)[2], int32_t capacity);

/// Cut one zone out of a finished net. @param bank must outlive the zone @param out yours until karst_zone_destroy()
/// @return KARST_ERROR_LIMIT (a point too far from the zone's middle for the step, too many of something),
/// KARST_ERROR_MEMORY
KARST_API karst_status karst_net_cut(const karst_net *net, int32_t zone_x, int32_t zone_z, const karst_noise_bank *bank,
                                     karst_report *report, karst_zone **out);
/// Free a zone. NULL is allowed.
KARST_API void karst_zone_destroy(karst_zone *zone);

/// Write a zone as bytes: at most `room` into `out`, nothing when it is NULL. The same zone gives the same bytes
/// everywhere. Threads: any. Cost: O(zone). @return how many bytes it has; more than `room`: what was written is of no
/// use
KARST_API size_t karst_zone_write(const karst_zone *zone, void *out, size_t room);
/// Make a zone from bytes that may come from anywhere; it is the one that was written, to the last vertex.
/// @param bank must outlive the zone, and be the one that it was cut with @param allocator NULL: malloc; kept
/// @param report one line that names the element at fault, its place and the remedy; may be NULL
/// @param out yours until karst_zone_destroy(); untouched on error
/// @return KARST_ERROR_FORMAT, KARST_ERROR_VERSION, KARST_ERROR_MEMORY. Threads: any. Cost: O(zone).
KARST_API karst_status karst_zone_read(const void *bytes, size_t size, const karst_noise_bank *bank,
                                       const karst_allocator *allocator, karst_report *report, karst_zone **out);

/// Do zones make whole ground together? Edges that are in two of them are the same in both (points, normals,
/// displacement, parts, sizes, radii, seams and pins), and each part of one that is not open has a patch on both sides.
/// Edges of a zone that have the same points as another of its own are not judged.
/// @param report one line: the zones and place at fault, or which zone is missing; may be NULL
/// @return KARST_ERROR_FORMAT, KARST_ERROR_MEMORY. Threads: any. Cost: O(n log n) of edges, 64 bytes of memory each.
KARST_API karst_status karst_zones_check(const karst_zone *const *zones, int32_t count,
                                         const karst_allocator *allocator, karst_report *report);

/// All vertices of a piece at the finest level: (4 N + 1)^2, rows along s, from the zone's bias. Those at tile corners
/// equal karst_zone.places; those on a side are functions of its edge alone. On a seam those between tile corners lie
/// at the nearer one: at cell (i + 2) & ~3 of the edge. Threads: any. Cost: 40 ns a vertex.
KARST_API void karst_zone_fine(const karst_zone *zone, uint32_t piece, karst_fine *out);
/// A box of all vertices of a piece, from the zone's bias, a metre or so too large. Threads: any. Cost: 0.3 us.
KARST_API void karst_zone_box(const karst_zone *zone, uint32_t piece, karst_fine *low, karst_fine *high);
/// The 25 vertices of tile (i, j) of a piece, as karst_zone_fine() makes them. Threads: any. Cost: 1 us.
KARST_API void karst_zone_tile(const karst_zone *zone, uint32_t piece, int i, int j, karst_fine out[25]);

/// Vertex (i, j) of a piece, i and j of 0..4 N, as karst_zone_fine() makes it. Threads: any. Cost: 40 ns inside.
KARST_API karst_fine karst_zone_place(const karst_zone *zone, uint32_t piece, int i, int j);

/// Normals to shade with at the vertices of a piece, octahedral as in karst_net_corner.facing: inside by the vertices
/// round each, on a side by the edge's own normal and vertices, so that both sides of it shade alike (but at a crease),
/// and at a corner the corner's. places: what karst_zone_fine() made (fine true) or karst_zone.places from the piece's
/// first_place on (false: (N + 1)^2). Threads: any. Cost: 20 ns a vertex.
KARST_API void karst_zone_normals(const karst_zone *zone, uint32_t piece, bool fine, const karst_fine *places,
                                  int16_t (*out)[2]);
/// The unit normal that two octahedral numbers stand for. Threads: any.
KARST_API karst_vec3 karst_facing_vector(const int16_t facing[2]);

/// For pictures and controls, to show what the rule of edges is for: from now on each patch displaces its own border by
/// itself, and the ground has cracks. Threads: nobody else may use the zone meanwhile. Cost: that of its tile corners.
KARST_API void karst_zone_tear(karst_zone *zone);

/// What a patch of a zone is painted with: karst_net_patch.set, .tint and .group, which live as long as the zone.
typedef struct karst_zone_painted {
    const uint8_t *set, *group;
    const uint16_t *tint;
} karst_zone_painted;
/// Of patch 0..patch_count - 1. Threads: any. Cost: O(1).
KARST_API karst_zone_painted karst_zone_paint(const karst_zone *zone, uint32_t patch);

/// Which diagonal halves a finest cell (i, j) of a tile: true from (0,0) to (1,1), false from (1,0) to (0,1).
static inline bool karst_tile_diagonal(int i, int j) {
    return ((i + j) & 1) == 0;
}

#ifdef __cplusplus
}
#endif
