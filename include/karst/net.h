// SPDX-License-Identifier: MIT
// Net: ground of curved patches as authored: bicubic Bezier patches whose corners, edges and inner points are stored
// once and shared, so that it holds together by construction. Caves, arches and tunnels are ordinary ground. See
// docs/patch.md.
//
// Control points lie on one lattice of whole *steps* (a power of two of a metre) from the net's origin. An edge is one
// cubic curve. A patch has four *sides*, each a whole edge or a part of one counted in eighths: that is how two, four
// or eight small patches bind to one large one, and a small patch's border is its master edge's curve.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KARST_NET_NONE = -1,
    KARST_NET_TILES_MAX = 16,      ///< along one side of a patch
    KARST_NET_FINE = 16,           ///< drawn vertices lie on a lattice of steps / 16
    KARST_NET_MAX = 1 << 24,       ///< corners, edges and patches of a net, each
    KARST_NET_SIZES = 64,          ///< classes of tile size
    KARST_NOISE_SETS = 6,          ///< tile sets of displacement maps
    KARST_TILE_GROUPS = 12,        ///< kinds of images of a set; 0 is what is common
    KARST_TILE_CORNERS = 17 * 17,  ///< of a patch, at most
    KARST_NOISE_SLOTS = 16,        ///< maps of a set; slot 0 of every set is flat
};

/// Tile sets, which are noise sets too: what ground is made of.
typedef enum karst_tile_set {
    KARST_TILE_EARTH,
    KARST_TILE_GRASS,
    KARST_TILE_ROCK,
    KARST_TILE_MOSS,
    KARST_TILE_SAND,
    KARST_TILE_PATH,
} karst_tile_set;

/// Which of two sets lies over the other where they meet: the higher rank. @param set below KARST_NOISE_SETS
static inline int karst_tile_rank(int set) {
    return "\2\4\3\5\0\1"[set];
}

/// A corner, shared by any number of patches.
typedef struct karst_net_corner {
    int32_t at[3];      ///< place before displacement [steps]; of one on an edge the nearest steps, set by finish
    int32_t edge;       ///< the edge that it lies inside, or KARST_NET_NONE
    uint8_t eighth;     ///< where on that edge, 1..7
    int8_t noise;       ///< own displacement along the normal [1/127 m]
    bool kept;          ///< the normal was set by the author and finish leaves it
    int16_t facing[2];  ///< unit normal, octahedral; set by finish
    uint8_t radius;     ///< half the largest patch round it and its noise [1/4 m, rounded up]; set by finish
} karst_net_corner;

/// An edge: one cubic curve from corner 0 to corner 1.
typedef struct karst_net_edge {
    int32_t corner[2];
    int32_t handle[2][3];  ///< inner control points, by corner 0 and by corner 1 [steps]
    uint8_t noise;         ///< displacement map: slot + 16 * set
    bool crease;           ///< a fold: displaced half as far, shaded from each side
    uint8_t seam;          ///< the net takes the place of a field up to here: tile corners are vertices of the field,
                           ///< from (column, row) on along x+ (1), z+ (2), x- (3) or z- (4); 0: none. Open, flat, of 2
                           ///< to 16 tiles, a cell each; it lies on a border of the field's patches of 16 x 16 cells
                           ///< and begins and ends there at multiples of its tiles
    int32_t column, row;   ///< of a seam: the vertex at corner 0
    // Set by karst_net_finish():
    uint8_t spans;    ///< 1, 2, 4 or 8 equal parts between its corners and those inside it
    uint8_t tiles;    ///< along it, 2..128
    uint8_t size[2];  ///< least and most of its patches' tile sizes [class]
    uint8_t open;     ///< bit k: eighth k has a patch on one side only
    int32_t inside;   ///< first of spans - 1 entries of karst_net.inside
    int32_t pin;      ///< first of tiles + 1 entries of karst_net.pins, or KARST_NET_NONE
} karst_net_edge;

/// A side of a patch, in the direction of growing s (sides 0 and 2) or t (sides 1 and 3).
typedef struct karst_net_side {
    int32_t edge;
    uint8_t from, to;  ///< eighths of the edge, 0..8; from > to runs against it; the distance is 1, 2, 4 or 8
} karst_net_side;

/// A patch. Corners: (s, t) = (0,0), (1,0), (1,1), (0,1). Side 0: t = 0, 1: s = 1, 2: t = 1, 3: s = 0. Its upper side
/// is the one from which s to t turns clockwise (x along s and z along t look up).
typedef struct karst_net_patch {
    karst_net_side side[4];
    int32_t inner[4][3];    ///< control points (1,1), (2,1), (1,2), (2,2) in (s, t) [steps]
    uint8_t tiles_log2[2];  ///< along s and t, 1..4 (2 to 16 tiles); at most 8 to 1
    uint8_t noise_set;      ///< below KARST_NOISE_SETS
    uint8_t noise_turn;     ///< quarter turns of its displacement maps, 0..3
    uint8_t size;           ///< side of a tile [class]; set by finish
    uint8_t slot[KARST_NET_TILES_MAX * KARST_NET_TILES_MAX];  ///< displacement map of tile (i, j) at 16 j + i, 0..15
    uint8_t group[KARST_NET_TILES_MAX *
                  KARST_NET_TILES_MAX];  ///< of which its images are chosen, of tile (i, j) at 16 j + i
    uint8_t set[KARST_TILE_CORNERS];     ///< karst_tile_set at tile corner (i, j), at 17 j + i
    uint16_t
        tint[KARST_TILE_CORNERS];  ///< what is taken from the colour there: red << 11 | green << 5 | blue; 0: nothing
} karst_net_patch;

/// Displacement maps: 32 x 32 signed bytes each, 1/127 m, four samples a tile, periodic.
typedef struct karst_noise_bank {
    int8_t map[KARST_NOISE_SETS][KARST_NOISE_SLOTS][32][32];
} karst_noise_bank;

/// The bank that Karst brings: sets earth, grass, rock, moss, sand, path; slots from calm to rough. The same
/// everywhere. Threads: any. Cost: 2 ms.
KARST_API void karst_noise_bank_make(karst_noise_bank *out);

/// A net. Arrays may be read, and their elements written until karst_net_finish() is called again.
typedef struct karst_net {
    karst_pos origin;  ///< world [m]
    int step_log2;     ///< a step is 2^step_log2 m
    karst_net_corner *corners;
    karst_net_edge *edges;
    karst_net_patch *patches;
    int32_t *inside;     ///< corners inside edges
    int32_t (*pins)[3];  ///< where the tile corners of seams lie, from the origin [fine steps]; set by karst_net_pin()
    int32_t corner_count, edge_count, patch_count, inside_count, pin_count;
    uint8_t reach;  ///< largest radius of a corner [1/4 m]; set by finish
    bool finished;
    const karst_allocator *allocator;
    struct kst_net_room *room;  ///< what is allocated; do not touch
} karst_net;

/// Make an empty net. @param step_log2 -12..-4; -8 (1/256 m) reaches 128 m from the middle of a zone, -6 512 m
/// @param allocator NULL: malloc; kept @param out yours until karst_net_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_net_create(karst_pos origin, int step_log2, const karst_allocator *allocator,
                                        karst_net **out);
/// Free a net. NULL is allowed.
KARST_API void karst_net_destroy(karst_net *net);

/// Add a corner; *index is its number. The net is no longer finished. Threads: one writer a net. Cost: O(1) in the
/// mean.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_LIMIT
KARST_API karst_status karst_net_add_corner(karst_net *net, const karst_net_corner *corner, int32_t *index);
/// Add an edge. Otherwise as karst_net_add_corner().
KARST_API karst_status karst_net_add_edge(karst_net *net, const karst_net_edge *edge, int32_t *index);
/// Add a patch. Otherwise as karst_net_add_corner().
KARST_API karst_status karst_net_add_patch(karst_net *net, const karst_net_patch *patch, int32_t *index);

/// Add all of another net behind what is there, corners inside edges that its finish made included. The net is no
/// longer finished. Threads: one writer of `net`; `other` is read. Cost: O(other).
/// @param other a net of the same origin and step, not `net` itself @param report one line; may be NULL
/// @return KARST_ERROR_ARGUMENT (another origin or step), KARST_ERROR_LIMIT, KARST_ERROR_MEMORY: `net` has then gained
/// elements that belong to nothing: destroy it
KARST_API karst_status karst_net_append(karst_net *net, const karst_net *other, karst_report *report);

/// Check every rule of a net and work out what follows from it: corners inside edges where sides end or pieces of long
/// patches meet (added at the end of the corners), spans, tile counts, normals, radii, open sides. What the author set
/// stays. Pins go.
/// @param report one line that names the corner, edge or patch at fault, its place and the remedy; may be NULL
/// @return KARST_ERROR_FORMAT, KARST_ERROR_LIMIT, KARST_ERROR_MEMORY; the net is then not finished.
/// Threads: one call a net. Cost: O(net).
KARST_API karst_status karst_net_finish(karst_net *net, karst_report *report);

/// Where vertex (column, row) of a field lies, from the net's origin [fine steps]. @return false: the field has no such
/// vertex
typedef bool karst_pin_fn(void *context, int32_t column, int32_t row, int32_t fine[3]);

/// Pin the seams of a finished net to a field: zones cut from now on have the tile corners of seams at its vertices to
/// the last bit, and straight lines between them. Zones of a net without pins have no seams.
/// @param fn asked for every tile corner of every seam @param report one line that names the edge, its place and the
/// remedy; may be NULL
/// @return KARST_ERROR_FORMAT (no such vertex, or one more than 1 m from its edge), KARST_ERROR_MEMORY,
/// KARST_ERROR_LIMIT; the net then has no pins. Threads: one call a net. Cost: 0.1 us a pin, and what fn takes
KARST_API karst_status karst_net_pin(karst_net *net, karst_pin_fn *fn, void *context, karst_report *report);

/// What following a field came to.
typedef struct karst_net_followed {
    int32_t edges;   ///< seams that moved
    double moved_m;  ///< furthest that a corner of one went
} karst_net_followed;

/// Bring the seams of a finished net to a field that changed along them since they were fitted: their corners and
/// curves go to its vertices, and what belongs to these corners goes along (handles of other edges, inner points), so
/// the ground leans over to the new border within a patch. Seams within 0.5 m of the field, corners and all, keep every
/// bit, and so does what lies farther in. The net is finished anew.
/// @param fn asked for the tile corners of all seams @param report one line that names the edge; may be NULL
/// @param info may be NULL @return KARST_ERROR_FORMAT (no such vertex): the net is as it was; KARST_ERROR_LIMIT,
/// KARST_ERROR_MEMORY: it is not finished. Threads: one call a net. Cost: O(net)
KARST_API karst_status karst_net_follow(karst_net *net, karst_pin_fn *fn, void *context, karst_report *report,
                                        karst_net_followed *info);

/// Which patches (16 x 16 cells) of a field a finished net takes the place of: those that its seams enclose.
/// @param columns, rows of the field [vertices] @param patches a byte each, ceil((columns - 1) / 16) a row and
/// ceil((rows
/// - 1) / 16) rows: 1 where the net is in its place, else 0. A net without seams: all 0
/// @param report one line that names the place and the remedy; may be NULL
/// @return KARST_ERROR_FORMAT: the seams are no closed rings, two lie in one place, one leaves the field, or its patch
/// is not on the inner side and seen from above; KARST_ERROR_MEMORY. Threads: any. Cost: O(patches of both)
KARST_API karst_status karst_net_replaced(const karst_net *net, int32_t columns, int32_t rows, uint8_t *patches,
                                          karst_report *report);

/// Paint a sphere: tile corners within radius_m of a world place get a tile set, or a tint, or both. Corners are where
/// they lie before displacement, those on an edge by the edge alone, so that its patches stay of one mind.
/// @param set KARST_NET_NONE: as it is @param tint negative: as it is, else as karst_net_patch.tint
/// @return corners that changed, those of two patches twice. Threads: one writer a net. Cost: O(patches), and 30 ns a
/// corner of those near. The net stays finished
KARST_API int32_t karst_net_paint(karst_net *net, karst_pos centre, double radius_m, int set, int32_t tint);

/// Give tiles a group, by which their images are chosen (karst/tile.h): those whose middle, before displacement, lies
/// within radius_m of a world place. Tiles of different groups need no transition.
/// @param group below KARST_TILE_GROUPS @return tiles that changed. Threads: one writer a net. Cost: O(patches), and 50
/// ns a tile of those near. The net stays finished
KARST_API int32_t karst_net_paint_group(karst_net *net, karst_pos centre, double radius_m, int group);

/// Give tiles a displacement map: those whose middle, before displacement, lies within radius_m of a world place. A
/// tile with a side on a crease gets half the slot, so that folds stay sharp. The maps of edges follow: the calmest of
/// the tiles along each; a corner's own displacement is of the calmest edge that ends there. Seams and their corners
/// stay flat.
/// @param radius_m INFINITY: the whole net @param slot 0..15
/// @param set KARST_NET_NONE: as it is, else the noise set of patches that have such a tile
/// @return tiles that changed. Threads: one writer a net. Cost: O(net). The net stays finished. KARST_NET_NONE: out of
/// memory, nothing changed
KARST_API int32_t karst_net_displace(karst_net *net, karst_pos centre, double radius_m, int slot, int set);

/// A quad cage: places and quads of a net yet to be made.
typedef struct karst_net_cage {
    const karst_pos *places;  ///< world [m]
    int32_t place_count;
    const int32_t (*quads)[4];  ///< corners in the order (0,0), (1,0), (1,1), (0,1); upper side as in a patch
    int32_t quad_count;
    const uint8_t (*tiles_log2)[2];  ///< of a quad along s and t; NULL: 3, 3 (8 tiles)
    const uint8_t *split_log2;       ///< 0, 1 or 2: the quad becomes 1, 4 or 16 patches that bind to their neighbours'
                                     ///< edges; their tile counts are the quad's less this; NULL: 0
    const uint8_t *slot;             ///< displacement map of all tiles of a quad; NULL: 0, flat
    const uint8_t *noise_set;        ///< of a quad, and its tile set; the higher rank takes a border. NULL: 0
    double crease_rad;               ///< 0..pi: quads that meet at more fold there: the edge is a crease, and the
                                     ///< surface to either side has tangents of its own. 0: smooth everywhere
} karst_net_cage;

/// Fill an empty net with smooth patches through the places of a cage: handles lie in the tangent planes of its
/// corners, but at creases. It is then finished.
/// @return as karst_net_finish(); KARST_ERROR_FORMAT names the quad
KARST_API karst_status karst_net_from_cage(karst_net *net, const karst_net_cage *cage, karst_report *report);

#ifdef __cplusplus
}
#endif
