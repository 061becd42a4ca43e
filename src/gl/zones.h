// SPDX-License-Identifier: MIT
// Zones: ground of patches. Their places lie in a pool on the device; a compute pass makes the vertices of a frame.
#pragma once
#include "gl/pool.h"
#include "gl/renderer.h"
#include "gl/zones_bisect.h"
#include "gl/zones_light.h"
#include "gl/zones_seen.h"
#include "gl/zones_tiles.h"
#include "karst/glzone.h"

// Storage buffers of the shaders.
enum {
    KST_ZONES_POOL,
    KST_ZONES_INSTANCES,
    KST_ZONES_NUMBERS,
    KST_ZONES_LEVELS,
    KST_ZONES_TABLES,
    KST_ZONES_VERTICES,
    KST_ZONES_BUFFERS
};
enum { KST_PIECE_ROWS = 3 };  // of a piece: piece_at() in shaders/zone_lattice.glsl
enum { KST_CELLS_LOG2_MAX = 6, KST_PATTERNS = 2 * KST_CELLS_LOG2_MAX + 2 };

// What else the device has of a piece.
typedef struct kst_fine_rows {
    kst_rows rows;       // finest vertices
    uint32_t used;       // the show that last had it refined
    uint32_t far;        // block of its far texture; 0: none
    uint32_t triangles;  // of method bisect that have a corner inside a tile
} kst_fine_rows;

// What stands in a slot of the scene.
typedef struct kst_zone_stay {
    const karst_zone *zone;  // may be gone once the frame is another
    uint32_t stay;           // of the scene; 0: nothing
    uint32_t piece_count;
    kst_rows rows;        // pieces, spans, places, tiles
    kst_fine_rows *fine;  // by piece
} kst_zone_stay;

// Numbers of a frame, as shaders have them; a row a slot follows: offset; first level, or of method bisect first piece.
typedef struct kst_zone_numbers {
    int32_t counts[4];
    int32_t eye[KARST_ZONE_VIEWS_MAX][4];
    float fraction[KARST_ZONE_VIEWS_MAX][4];
    karst_zone_ramp ramps[KARST_NET_SIZES][4];
} kst_zone_numbers;

// A batch as it is drawn.
typedef struct kst_zone_run {
    int32_t first_vertex, vertices;  // of the first instance; an instance
    int32_t count;                   // instances
    int cells_log2, pattern;         // of its index list
} kst_zone_run;

struct karst_gl_zones {
    karst_gl *gl;
    const karst_zone_scene *scene;
    karst_gl_zones_def def;
    GLuint morph, program, array, indices, buffer[KST_ZONES_BUFFERS];  // that of the pool is its own
    GLint run_at, shift_at;
    int32_t list_first[(KST_CELLS_LOG2_MAX + 1) * KST_PATTERNS], list_count[(KST_CELLS_LOG2_MAX + 1) * KST_PATTERNS];
    kst_pool pool;
    kst_zones_light light;
    bool lit;  // in the view that is drawn
    kst_zones_tiles tiles;
    int32_t far_missing;  // pieces without a far texture
    bool far_waits;       // some of these were not tried yet
    int32_t far_left;     // that this show may make
    uint64_t far_gives;   // when that was tried last
    kst_zone_stay *stays;
    int32_t stay_room;
    uint32_t change;      // another number each time that zones come or go
    uint32_t shows;       // so far
    uint64_t fine_bytes;  // of refined pieces, in the pool
    int32_t fine_pieces;
    uint64_t vertex_bytes;  // room of the vertices
    // Of the frame that is shown
    karst_pos origin;
    double low_m;  // lowest ground [world m]
    kst_zone_run *runs;
    uint32_t (*rows)[4];  // instances
    void *numbers;
    size_t run_room, row_room, number_room;
    int32_t run_count;  // 0: none, or those of method bisect
    kst_zones_bisect bisect;
    kst_zones_seen seen;
    karst_gl_zone_figures figures;
};

// zones_put.c: bring zones of a frame up, and take away those that left; then the pieces that it refines.
karst_status kst_zones_bring(karst_gl_zones *zones, const karst_zone_frame *frame);
karst_status kst_zones_bring_fine(karst_gl_zones *zones, const karst_zone_frame *frame);
void kst_zones_forget(karst_gl_zones *zones);
// Row of a piece in the pool.
static inline uint32_t kst_piece_row(const kst_zone_stay *stay, uint32_t piece) {
    return stay->rows.first + KST_PIECE_ROWS * piece;
}
// Whether there is anything to draw.
static inline bool kst_zones_is_shown(const karst_gl_zones *zones) {
    return zones->run_count || zones->bisect.triangles;
}
// Numbers of a frame, in zones->numbers. @return their bytes; 0: no memory
size_t kst_zones_fill_numbers(karst_gl_zones *zones, const karst_zone_frame *frame);
// Room for a number of things of an array. False: no memory
bool kst_zones_grow(void *array, size_t *room, size_t want, size_t bytes);
// Before the state of a view is set: depth maps for its light, or none. @return KARST_ERROR_MEMORY
karst_status kst_zones_prepare(karst_gl_zones *zones, const karst_view *view, const float sun[3], bool lit);
// Draw what is shown; leaves its vertex array bound. origin: of the renderer's frame.
void kst_zones_draw(karst_gl_zones *zones, karst_pos origin);
// All storage buffers to their places.
void kst_zones_bind(const karst_gl_zones *zones);
// Instances of one index list under the program in use.
void kst_zones_draw_list(const karst_gl_zones *zones, int cells_log2, int pattern, int32_t count);
