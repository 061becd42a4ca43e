// SPDX-License-Identifier: MIT
// Scene of zones: which triangles of curved patches to draw, given out as data that any renderer can draw. Zones come
// and go at any time, in any order. See docs/patch.md, Levels.
//
// A *lattice* is what one instance draws: a whole piece by its tile corners, a tile by its 4 x 4 cells, or a whole
// piece by its finest cells. Vertex (i, j) of a lattice of n cells a side is j (n + 1) + i.
#pragma once
#include "karst/jobs.h"
#include "karst/view.h"
#include "karst/zone.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_zone_scene karst_zone_scene;

/// How detail is chosen.
typedef enum karst_zone_method {
    KARST_ZONE_METHOD_CORNER,  ///< levels owned by corners: no neighbour is asked, any speed costs the same
    KARST_ZONE_METHOD_BISECT,  ///< triangles halved and joined as the eye moves: fewest triangles, cheapest at a walk
} karst_zone_method;
enum { KARST_ZONE_METHOD_COUNT = KARST_ZONE_METHOD_BISECT + 1 };
/// The words of all methods, for help texts.
#define KARST_ZONE_METHOD_NAMES "corner, bisect"

/// The word for a method, e.g. "corner". Static storage. Threads: any. @param method below KARST_ZONE_METHOD_COUNT
KARST_API const char *karst_zone_method_name(karst_zone_method method);
/// The method that a word names, in *out; false, and *out untouched, when none has that name. Threads: any.
KARST_API bool karst_zone_method_find(const char *name, karst_zone_method *out);

/// Parameters of a scene. Start from karst_zone_scene_def_default().
typedef struct karst_zone_scene_def {
    karst_pos origin;     ///< of the net that its zones were cut from, world [m]
    uint64_t fine_bytes;  ///< of the cache of finest vertices, at least 64 KiB; taken when first used; default 32 MiB
    karst_jobs *jobs;     ///< NULL: the caller alone; the result is the same
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_zone_scene_def;

/// Origin 0, 32 MiB, on the caller, memory from malloc.
KARST_API karst_zone_scene_def karst_zone_scene_def_default(void);

/// Make a scene without zones. @param def NULL: the default @param out yours until karst_zone_scene_destroy();
/// untouched on error @return KARST_ERROR_MEMORY
KARST_API karst_status karst_zone_scene_create(const karst_zone_scene_def *def, karst_zone_scene **out);
/// Free a scene; its frames go with it, its zones do not. NULL is allowed.
KARST_API void karst_zone_scene_destroy(karst_zone_scene *scene);

enum {
    KARST_ZONE_SLOTS_MAX = 1 << 15,  ///< zones of a scene
    KARST_ZONE_PIECES_MAX = 1 << 16,
};

/// Add a zone. Nothing that is drawn of other zones changes. Frames of the scene end. Threads: one writer a scene.
/// Cost: about 20 ns a tile corner.
/// @param zone must outlive its stay @param slot receives its number in instances, until it is removed
/// @return KARST_ERROR_MEMORY; KARST_ERROR_LIMIT: more zones or pieces than there may be; KARST_ERROR_FORMAT: a zone of
/// another net (step or reach differ)
KARST_API karst_status karst_zone_scene_add(karst_zone_scene *scene, const karst_zone *zone, karst_report *report,
                                            uint16_t *slot);
/// Remove the zone in a slot. Otherwise as karst_zone_scene_add().
KARST_API void karst_zone_scene_remove(karst_zone_scene *scene, uint16_t slot);

typedef struct karst_seam karst_seam;  // karst/seam.h

/// What a frame may cost. Start from karst_zone_budget_default().
typedef struct karst_zone_budget {
    karst_zone_method method;
    float threshold;    ///< a triangle of area a at distance d is drawn whole where a / d^2 is below this, and halved
                        ///< where it is above twice this; 1e-8..1; default 3.5e-4
    float tile_m;       ///< no coarser than tiles within this distance; default 50
    float tile_fade_m;  ///< ... fading over this one; > 0, default 20
    bool cull;          ///< leave out pieces that no view sees; changes no level and no mesh; default true
    int sectors;        ///< of directions, 1, 16 or 32: fewer tests when the eye moves fast; default 16. Method bisect
    const karst_seam *seam;  ///< updated for these views and budgets: zones meet a field along it, by method corner
                             ///< whatever `method` says. Default NULL
} karst_zone_budget;

/// Method corner, 3.5e-4, 50 m and 20 m, culled, 16 sectors.
KARST_API karst_zone_budget karst_zone_budget_default(void);

/// The threshold at which a triangle is whole whose longest edge takes `edge_px` at a corner of a view. Threads: any.
KARST_API float karst_zone_threshold(const karst_view *view, float edge_px);

enum {
    KARST_ZONE_WHOLE = 0xFFFF,                    ///< karst_zone_instance.tile: the piece by its tile corners
    KARST_ZONE_FINEST = 0xFFFE,                   ///< ... the piece by its finest cells, none of them morphed
    KARST_ZONE_SEAM_CLASS = KARST_NET_SIZES - 1,  ///< of karst_zone_frame.ramps: tile level at any distance
    KARST_ZONE_TRIANGLES_MAX = 2 * 64 * 64,       ///< of an instance
    KARST_ZONE_VERTICES_MAX = 65 * 65,            ///< of a lattice
};

/// A lattice to draw.
typedef struct karst_zone_instance {
    uint16_t zone;    ///< slot
    uint16_t piece;   ///< of the zone
    uint16_t tile;    ///< 16 j + i, KARST_ZONE_WHOLE or KARST_ZONE_FINEST
    uint8_t pattern;  ///< 2 n: cells of 2^n with alternating diagonals; 2 n + 1: cells of 2^(n + 1), a fan of four in
                      ///< each; with one cell alone, 2 cells_log2: the diagonal from (0,0), + 1: from (1,0)
    uint8_t cells_log2;  ///< of the lattice a side
} karst_zone_instance;

/// Instances that share pattern and lattice size: one index list.
typedef struct karst_zone_batch {
    int32_t first, count;
    uint8_t pattern, cells_log2;
    bool tiles;   ///< they are tiles
    bool finest;  ///< they are whole pieces by their finest cells
} karst_zone_batch;

/// What stands in a slot.
typedef struct karst_zone_at {
    const karst_zone *zone;  ///< NULL: nothing
    uint32_t stay;           ///< another number each time that a zone is added, from 1 on
    int32_t offset[3];       ///< karst_zone.bias less frame.base [fine steps]
    uint32_t first_level;    ///< in karst_zone_frame.levels
    /// Of each span of the zone, the levels of its two corners, from first_level: the span's is the less of them, at
    /// most 2 log2 (tiles along the span). Both of one on a seam are the level of the field's edge there.
    const uint32_t (*span_level)[2];
    const uint8_t *seen;  ///< by piece: 0 where no view sees it; NULL: without culling
} karst_zone_at;

/// Class by which a tile's side on a span gets its level: on a seam its ends alone are drawn. Threads: any.
static inline int karst_zone_side_class(const karst_zone_span *span) {
    return span->seam ? (int)KARST_ZONE_SEAM_CLASS : span->size[0];
}

/// Part of a level: clamp((from - 1 / d^2) * scale, 0, 1), with d in metres and 1 / d^2 by
/// karst_zone_reciprocal().
typedef struct karst_zone_ramp {
    float from, scale;
} karst_zone_ramp;

enum { KARST_ZONE_VIEWS_MAX = 16 };

/// An eye, as the levels of tiles need it.
typedef struct karst_zone_eye {
    int32_t base[3];      ///< whole fine steps from the net's origin
    karst_vec3 fraction;  ///< the rest [m]
} karst_zone_eye;

/// A vertex of method bisect. It is drawn at P + w ((Q0 + Q1) / 2 - P): P its place, w its ramp at the square of the
/// distance of P to the nearest eye, Q0 and Q1 the ends of the edge that it halves, where they are drawn themselves.
typedef struct karst_zone_point {
    int32_t at[3];         ///< from the net's origin [fine steps]
    uint32_t end[2];       ///< points; of a corner of pieces itself
    karst_zone_ramp ramp;  ///< zeros where it never moves
} karst_zone_point;

/// A triangle of method bisect.
typedef struct karst_zone_triangle {
    uint32_t point[3];     ///< counter-clockwise from its upper side; the first has the right angle. All the same: free
    uint16_t zone, piece;  ///< slot, and piece of the zone
    uint8_t at[3][2];      ///< (i, j) of its corners in the piece's finest cells
    uint8_t level;         ///< halvings of half a piece
    uint8_t unused;
} karst_zone_triangle;

/// Elements that changed since the frame before.
typedef struct karst_zone_dirty {
    uint32_t first, count;
} karst_zone_dirty;

/// What method bisect draws. Triangles and points keep their numbers while they stay, so that a renderer uploads what
/// is dirty alone; free ones are among them.
typedef struct karst_zone_mesh {
    const karst_zone_triangle *triangles;
    const karst_zone_point *points;
    uint32_t triangle_count, point_count;  ///< with free ones
    const karst_zone_dirty *dirty_triangles, *dirty_points;
    int32_t dirty_triangle_count, dirty_point_count;
    uint64_t round;  ///< another number each time that the mesh changed; frames that skip one take everything
    // Figures
    int64_t split_tests, merge_tests;  ///< of faces and points whose turn it was
    int64_t splits, merges;            ///< points made and taken away
    int64_t refused;                   ///< splits that memory had no room for: coarser there, and closed
    int64_t live_triangles, live_points;
    uint64_t record_bytes;  ///< of triangles and points with links and lists, without what is drawn of points
    bool rebuilt;           ///< from nothing: after a jump, another budget or number of views
} karst_zone_mesh;

/// What to draw, as data. All of it is valid until the next update, add or remove.
typedef struct karst_zone_frame {
    karst_zone_method method;  ///< that chose it: with a seam KARST_ZONE_METHOD_CORNER
    karst_pos origin;          ///< world place that all floats are relative to: eye 0, to 2^-16 m from the net's origin
    int32_t base[3];           ///< the same from the net's origin, rounded down [fine steps]
    karst_vec3 fraction;       ///< origin = net's origin + base * fine_m + fraction [m]
    float fine_m;              ///< a fine step [m]
    const karst_zone_batch *batches;
    int32_t batch_count;
    const karst_zone_instance *instances;
    int32_t instance_count;
    const karst_zone_at *zones;  ///< by slot
    int32_t zone_room;           ///< slots
    const float *levels;         ///< of corners, and of edges on seams
    uint32_t level_count;
    const karst_zone_ramp (*ramps)[4];  ///< by size class: four, from the finest to tile level
    karst_zone_eye eyes[KARST_ZONE_VIEWS_MAX];
    int32_t eye_count;
    karst_zone_mesh mesh;  ///< of method bisect, which has no instances and no levels
    struct {
        int64_t triangles;  ///< seen, those of the patterns; where sides are coarser some of them collapse
        int32_t pieces;     ///< seen
        int32_t refined;    ///< of these drawn by tiles or finest cells; method corner
    } figures;
} karst_zone_frame;

/// Choose what to draw for 1..KARST_ZONE_VIEWS_MAX views. A pure function of zones, views and budget: a still camera
/// gets the same bytes. Never allocates. Method bisect keeps its mesh from frame to frame: which triangles it has is
/// such a pure function too, their order is not; it takes memory while the mesh grows, and holds what no view sees too
/// (karst_zone_at.seen). An eye more than 2^26 steps from the net's origin counts as at that distance. Threads: one
/// update of a scene at a time. Cost: corner: 40 ns a piece, 10 ns an instance; bisect: microseconds for a point that
/// comes or goes.
KARST_API void karst_zone_scene_update(karst_zone_scene *scene, const karst_view *views, int view_count,
                                       const karst_zone_budget *budget, karst_zone_frame *out);

/// Finest vertices of a piece that are new in the cache, as karst_zone_fine() makes them.
typedef struct karst_zone_upload {
    uint16_t zone, piece;
    uint32_t first, count;  ///< where they are in the cache [vertices]
    const karst_fine *vertices;
} karst_zone_upload;

/// What the cache did for a frame.
typedef struct karst_zone_refined {
    const karst_zone_upload *uploads;  ///< until the next call; copy them to where shaders read
    int32_t upload_count;
    int32_t missing;  ///< refined pieces that the cache has no room for: karst_zone_tile() makes their vertices
    uint32_t room;    ///< vertices in the whole cache
} karst_zone_refined;

enum { KARST_ZONE_NOT_HERE = -1 };

/// Bring the finest vertices of all pieces that the last frame of method corner refines into the cache; those that no
/// frame refined for longest make way. Choosing a frame does not need it; expanding one is faster with it. Threads: one
/// call a scene at a time, on its jobs. Cost: 40 ns a new vertex.
/// @return KARST_ERROR_MEMORY; the frame stays, and so does what was in the cache
KARST_API karst_status karst_zone_scene_refine(karst_zone_scene *scene, karst_zone_refined *out);
/// Where the finest vertices of a piece begin in the cache, or KARST_ZONE_NOT_HERE. Threads: any, until the next
/// refine.
KARST_API int64_t karst_zone_scene_fine(const karst_zone_scene *scene, uint16_t zone, uint16_t piece);

/// A drawn vertex, as a shader makes it.
typedef struct karst_zone_vertex {
    karst_vec3 position;  ///< relative to frame.origin [m]
    float s, t;           ///< in the patch of the instance's piece
} karst_zone_vertex;

/// The CPU twin of the shaders: triangles of one instance, counter-clockwise from their upper side. Those whose corners
/// coincide are left out; those on a line stay: they close the ground where half levels meet a coarser side.
/// Threads: any, until the next update. Cost: about 20 ns a vertex of the lattice, 60 ns one of a tile.
/// @param out room for 3 * KARST_ZONE_TRIANGLES_MAX @return number of triangles
KARST_API int karst_zone_frame_expand(const karst_zone_frame *frame, const karst_zone_scene *scene, int instance,
                                      karst_zone_vertex *out);

/// How far a frame is from the finest level.
typedef struct karst_zone_error {
    float metric;  ///< largest area over squared distance of a drawn triangle that could be halved: one to three
                   ///< thresholds, since tile sizes are rounded and corners give their radius
    float metres;  ///< largest distance between a finest vertex and the drawn surface at its (s, t)
    float pixels;  ///< the same at its distance from the nearest eye, as a corner of the view would show it
} karst_zone_error;

/// Measure a frame of method corner against every finest vertex of what it draws: for people who choose thresholds.
/// Threads: any, until the next update. Cost: 100 ns a finest vertex.
KARST_API karst_zone_error karst_zone_frame_error(const karst_zone_frame *frame, const karst_zone_scene *scene,
                                                  const karst_view *view);

/// Where a point of method bisect is drawn, relative to frame.origin [m]. Threads: any. Cost: 10 ns, times the vertices
/// that it moves with.
KARST_API karst_vec3 karst_zone_frame_point(const karst_zone_frame *frame, uint32_t point);
/// Triangle 0..frame.mesh.triangle_count - 1 as drawn; false when it is free. Threads: any.
KARST_API bool karst_zone_frame_triangle(const karst_zone_frame *frame, const karst_zone_scene *scene,
                                         uint32_t triangle, karst_zone_vertex out[3]);

/// Vertices of an instance's lattice before they are morphed, relative to frame.origin [m]. Threads, cost: as
/// karst_zone_frame_expand(). @param out room for KARST_ZONE_VERTICES_MAX
KARST_API void karst_zone_frame_places(const karst_zone_frame *frame, int instance, karst_vec3 *out);

/// Levels of a lattice: of its inside, 0..2 log2 cells, and of each span of its sides in the order of the sides; a tile
/// has one span a side. Threads: any. @param spans room for 32 @return number of spans
KARST_API int karst_zone_frame_levels(const karst_zone_frame *frame, int instance, float *inside, float spans[32]);

/// Index list of a pattern: triangles counter-clockwise from the upper side. Threads: any. @param cells_log2 1..6
/// @param pattern 0..2 cells_log2 + 1 @param out room for 3 * KARST_ZONE_TRIANGLES_MAX @return number of indices
KARST_API int karst_zone_indices(int cells_log2, int pattern, uint16_t *out);

/// The lowest class of a side's span on which each vertex of a lattice depends, 99 for none: (n + 1)^2 bytes, by rows.
/// Owned by the scene; shaders read it as a table. Threads: any.
/// @param cells_log2 1..4 @param odd a tile with an odd i + j: then cells_log2 is 2 @param spans_log2 0..cells_log2 - 1
KARST_API const uint8_t *karst_zone_scene_depend(const karst_zone_scene *scene, int cells_log2, bool odd, int side,
                                                 int spans_log2, int span);

/// 1 / d2, and 1e12 below 1e-12. Sums and products alone, so that a shader gets the same bits. Threads: any.
static inline float karst_zone_reciprocal(float d2) {
    union {
        float f;
        uint32_t u;
    } y;
    float a = d2 > 1e-12f ? d2 : 1e-12f;
    y.f = a;
    y.u = 0x7EF311C7u - y.u;  // within an eighth of the reciprocal; Newton's rule does the rest
    y.f = y.f * (2.0f - a * y.f);
    y.f = y.f * (2.0f - a * y.f);
    y.f = y.f * (2.0f - a * y.f);
    return y.f;
}

/// Level of a tile corner at squared distance d2 [m^2], 0 (finest) to 4 (tile). Shaders get the same bits. Threads:
/// any.
static inline float karst_zone_tile_level(const karst_zone_ramp ramps[4], float d2) {
    float y = karst_zone_reciprocal(d2), x = 0;
    for (int k = 0; k < 4; ++k) {
        float w = (ramps[k].from - y) * ramps[k].scale;
        w = w > 0 ? w : 0;
        x += w < 1 ? w : 1;
    }
    return x;
}

#ifdef __cplusplus
}
#endif
