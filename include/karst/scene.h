// SPDX-License-Identifier: MIT
// Scene and frame: residency and level selection of a pack, given out as data that any renderer can draw.
// See docs/lod.md; the thirty lines that draw a frame are there.
#pragma once
#include "karst/base.h"
#include "karst/chunk.h"
#include "karst/jobs.h"
#include "karst/pack.h"
#include "karst/surface.h"
#include "karst/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_scene karst_scene;

/// Parameters of a scene. Start from karst_scene_def_default().
typedef struct karst_scene_def {
    uint64_t memory_bytes;  ///< of all chunks that are here or being loaded, those held for simulation included;
                            ///< default 128 MiB, at least 16 chunks
    int32_t slot_count;     ///< of these, most to be drawn from, 16..2048; default 1024 (about 46 KiB each)
    karst_jobs *jobs;       ///< decodes chunks, beside the caller if it takes tasks; NULL: the caller
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_scene_def;

/// 128 MiB, 1024 slots, decoded on the caller, memory from malloc.
KARST_API karst_scene_def karst_scene_def_default(void);

/// Make a scene. Cost: the memory of its slots is taken as they fill.
/// @param pack must outlive the scene @param def NULL: the default
/// @param out yours until karst_scene_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_scene_create(karst_pack *pack, const karst_scene_def *def, karst_scene **out);
/// Free a scene; its frames go with it. NULL is allowed.
KARST_API void karst_scene_destroy(karst_scene *scene);

/// How detail is chosen. Every method gives out the same kind of frame and keeps the same promise. See docs/lod.md.
typedef enum karst_method {
    KARST_METHOD_GRID,   ///< each patch as fine as its own ground asks for
    KARST_METHOD_TESS,   ///< the same with no step of more than a level beside a patch; the hardware cuts the patches
    KARST_METHOD_RINGS,  ///< squares round the eye, twice the stride from each to the next
} karst_method;
enum { KARST_METHOD_COUNT = KARST_METHOD_RINGS + 1 };
/// The words of all methods, for help texts.
#define KARST_METHOD_NAMES "grid, tess, rings"

/// The word for a method, e.g. "grid". Static storage. Threads: any.
/// @param method below KARST_METHOD_COUNT
KARST_API const char *karst_method_name(karst_method method);

/// The method that a word names, in *out; false, and *out untouched, when none has that name. Threads: any.
KARST_API bool karst_method_find(const char *name, karst_method *out);

typedef struct karst_seam karst_seam;  // karst/seam.h

/// What a frame may cost and must keep. Start from karst_budget_default().
typedef struct karst_budget {
    karst_method method;  ///< may change from update to update; default KARST_METHOD_GRID
    float error_px;       ///< largest error on screen, > 0; default 1
    int32_t load_limit;   ///< most chunks asked for in this update; default 64. What is missing shows coarser
    uint64_t load_bytes;  ///< ... and most bytes, as they are in memory; 0, the default: as many
    float load_ms;        ///< ... and about as many as decode in this processor time [ms]; 0, the default: any
    float sim_radius_m;   ///< level-0 ground within this distance of an eye is held for queries, and comes before the
                          ///< picture there gets finer; default 100, 0: none, at most a quarter of the memory
    float skirt_m;     ///< how far the ground goes on beyond its outline, as in a mirror, for looks alone; at most the
                       ///< shorter side; default 0: it ends
    bool wait;         ///< until all that is asked for is here: the same frames on any number of threads
    bool cull;         ///< leave out what no view sees; default true
    bool full_detail;  ///< draw the reference triangles everywhere, whatever they cost
    const karst_seam *seam;  ///< updated for these views and budgets: the ground meets a net along it, by method grid
                             ///< whatever `method` says; the first update waits for the chunks there. Default NULL
} karst_budget;

/// Method grid, one pixel, 64 chunks an update, ground held 100 m round, no waiting, culled.
KARST_API karst_budget karst_budget_default(void);

/// A patch to draw: 16 x 16 lattice cells of the chunk in `slot`. Four numbers say all about its shape:
/// the levels of its corners, 0..4, counted from the chunk's level. Order: (0,0), (1,0), (1,1), (0,1) in (x, z).
typedef struct karst_patch {
    uint16_t slot;
    uint8_t patch_x, patch_z;  ///< 0..3 inside the chunk
    uint16_t chunk_index;      ///< into karst_frame.chunks
    uint16_t view_mask;        ///< bit v: seen by view v
    float corner_level[4];
} karst_patch;

/// A chunk that this frame draws from. In the skirt the ground is mirrored where it rests: the strides between vertices
/// then point to the low end of that axis; by how far a vertex is moved from there stays. One mirror turns triangles
/// over: they are clockwise from above, as index lists give them.
typedef struct karst_frame_chunk {
    int32_t offset[3];  ///< lattice position of vertex (0, 0) at rest and y = 0, less frame.base [steps]
    int32_t level;
    int32_t column, row;  ///< field coordinates of vertex (0, 0)
    uint16_t slot;
    bool holes;               ///< any hole cell under it
    bool mirror_x, mirror_z;  ///< of the skirt
    bool awaited;             ///< finer chunks are wanted in its place and have not come
} karst_frame_chunk;

/// Patches that share one index range: inner stride 2^lattice for lattice 0..3; 4 and 5 are the
/// single-cell lattices with diagonal (0,0)-(1,1) and (1,0)-(0,1).
typedef struct karst_batch {
    int32_t lattice;
    int32_t first_patch, patch_count;
} karst_batch;

enum { KARST_LATTICE_COUNT = 6, KARST_VIEWS_MAX = 16 };

/// A slot that was filled since the last frame; copy it to where the shaders read.
typedef struct karst_upload {
    uint16_t slot;
    int32_t level, column, row;  ///< of the chunk, as in karst_frame_chunk
    const karst_chunk *chunk;    ///< valid until the next update
} karst_upload;

/// A chunk that cannot be read: the file is damaged there, and its parent is shown in its place. `karst check` says
/// more.
typedef struct karst_damage {
    int32_t level, x, z;  ///< as in karst_pack_read_chunk()
} karst_damage;

/// What to draw, as data. Everything is valid until the next update of the scene.
typedef struct karst_frame {
    karst_method method;  ///< that chose it: with a seam KARST_METHOD_GRID
    karst_pos origin;     ///< world position that all floats are relative to: the eye of view 0, to 2^-16 m from the
                          ///< ground's origin, as karst_zone_frame has it
    int64_t base[3];      ///< the same as whole lattice steps from the ground's origin
    karst_vec3 fraction;  ///< origin = ground origin + base * step + fraction
    karst_lattice lattice;
    const karst_batch *batches;
    int32_t batch_count;
    const karst_patch *patches;
    int32_t patch_count;
    const karst_frame_chunk *chunks;
    int32_t chunk_count;
    const karst_upload *uploads;
    int32_t upload_count;
    const karst_damage *damages;  ///< found since the last frame: each is told once
    int32_t damage_count;
    struct {
        int64_t triangles;
        int32_t draws;         ///< batches; method tess: one for all patches
        float worst_error_px;  ///< largest bound of what is drawn, anywhere on a screen
        int32_t chunks_drawn;
        int32_t chunks_awaited;   ///< wanted and on their way or soon to be
        int32_t kept_damaged;     ///< chunks shown though finer ones are wanted: one of these is damaged,
        int32_t kept_pending;     ///< ... is not in the file yet,
        int32_t kept_for_memory;  ///< ... or has no room (then at least so many)
        int32_t nodes_visited;
        uint64_t resident_bytes;  ///< of what is here or being loaded
    } figures;
} karst_frame;

/// Choose what to draw for 1..KARST_VIEWS_MAX views, with what is here. What is missing is asked for: it is decoded by
/// this call, or beside it where the scheduler takes tasks, and drawn by a later one. A damaged chunk is told in
/// frame.damages and its parent drawn; one that is not in the file yet is asked for again as the file grows.
/// Threads: one update of a scene at a time. Cost: about 20 ns a node visited and 1.5 us a chunk drawn, apart from
/// decoding.
/// @return KARST_ERROR_MEMORY; KARST_ERROR_FORMAT or KARST_ERROR_PENDING when not even the coarsest chunk can be had;
///     the frame is then untouched
KARST_API karst_status karst_scene_update(karst_scene *scene, const karst_view *views, int view_count,
                                          const karst_budget *budget, karst_frame *out);

/// Update until nothing is awaited, for still pictures and tests. Otherwise as karst_scene_update().
KARST_API karst_status karst_scene_settle(karst_scene *scene, const karst_view *views, int view_count,
                                          const karst_budget *budget, karst_frame *out);

/// Ask again for chunks that were damaged, when the file may have been mended; those that still are will be told again.
KARST_API void karst_scene_retry(karst_scene *scene);

/// Nearest hit on the exact ground: the same triangles that full detail draws. A chunk that cannot be read is not
/// hit; karst_ground_cast() on karst_scene_ground() says so. Threads: any, also during updates.
KARST_API karst_hit karst_scene_cast(const karst_scene *scene, karst_ray ray);
/// The highest exact ground at world (x, z): true and *y [m], or false when there is none. Threads: any.
KARST_API bool karst_scene_height(const karst_scene *scene, double x, double z, double *y);
/// The exact ground, owned by the pack. Threads: any.
KARST_API const karst_ground *karst_scene_ground(const karst_scene *scene);

/// A drawn vertex, as the shader makes it.
typedef struct karst_drawn_vertex {
    karst_vec3 position;  ///< relative to frame.origin [m]
    float column, row;    ///< field coordinates [cells]; the hole bit is looked up with them
} karst_drawn_vertex;

enum { KARST_PATCH_MAX_TRIANGLES = 2 * KARST_PATCH_CELLS * KARST_PATCH_CELLS };

/// The CPU twin of the vertex shader: the triangles of one patch, collapsed ones left out, holed ones kept.
/// Threads: any, until the next update. Cost: about 20 us.
/// @param patch 0..patch_count - 1 @param out room for 3 * KARST_PATCH_MAX_TRIANGLES @return number of triangles
KARST_API int karst_frame_expand(const karst_frame *frame, const karst_scene *scene, int patch,
                                 karst_drawn_vertex *out);

/// Index list of a lattice, shared by all patches: vertex (i, j) of a patch is j * 17 + i. Threads: any.
/// @return static storage; *count receives the number of indices
KARST_API const uint16_t *karst_patch_indices(int lattice, int *count);

/// Level of the edge vertices on which patch vertex (i, j) depends, per edge z-, x+, z+, x-; 99 for none.
/// 4 * 17 * 17 bytes, static storage; shaders read it as a table. Threads: any.
KARST_API const uint8_t *karst_patch_depend(void);

#ifdef __cplusplus
}
#endif
