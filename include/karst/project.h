// SPDX-License-Identifier: MIT
// Project: the world that an author edits, one SQLite file. See docs/project.md.
#pragma once
#include "karst/base.h"
#include "karst/check.h"
#include "karst/field.h"
#include "karst/jobs.h"
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_project karst_project;

typedef enum karst_project_mode {
    KARST_PROJECT_READ,   ///< any number of processes
    KARST_PROJECT_WRITE,  ///< one process; a second gets KARST_ERROR_BUSY
} karst_project_mode;

/// Make a new, empty world file and open it for editing: written beside and renamed, so it is there whole or
/// not at all. @param out yours until karst_project_close(); untouched on error
/// @return KARST_ERROR_FILE when it exists already or cannot be made
KARST_API karst_status karst_project_create(const char *path, karst_report *report, karst_project **out);

/// Open a world file; migrates an older one forward after writing a copy beside it (PATH.schema-N). A reader
/// sees the world of this moment until it closes, whatever a writer does meanwhile. A writer holds a lock that
/// ends with its process, however that ends.
/// @param out yours until karst_project_close(); untouched on error
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT (not a world), KARST_ERROR_VERSION, KARST_ERROR_BUSY
/// Threads: the functions of one project may be called from any thread, one step at a time.
KARST_API karst_status karst_project_open(const char *path, karst_project_mode mode, karst_report *report,
                                          karst_project **out);

/// Close; an unfinished step is dropped. Fields opened from it must be gone. NULL is allowed.
KARST_API void karst_project_close(karst_project *project);

/// Close a world made under a passing name and give it its own, which must be free: whoever looks there sees
/// nothing or the whole world. The project is closed and, on error, its file removed.
/// @return KARST_ERROR_FILE when path exists already or cannot be made
KARST_API karst_status karst_project_publish(karst_project *project, const char *path, karst_report *report);

/// Remove the file of a closed world and what SQLite may have left beside it.
KARST_API void karst_project_discard_file(const char *path);

/// Message of the last failure on this project, valid until the next call.
KARST_API const char *karst_project_message(const karst_project *project);

enum { KARST_NAME_BYTES = 64, KARST_SOURCE_BYTES = 256 };

/// What a ground is made of. A world holds one ground of each kind for now.
typedef enum karst_project_kind {
    KARST_PROJECT_FIELD,  ///< "field": a grid of displaced vertices
    KARST_PROJECT_PATCH,  ///< "patch": a net of curved patches
    KARST_PROJECT_KINDS,
} karst_project_kind;

/// "field" or "patch": as the file and programs name a kind. Cost: O(1).
KARST_API const char *karst_project_kind_name(karst_project_kind kind);

/// How large a net is and where, as karst_net has it.
typedef struct karst_project_net {
    karst_pos origin;
    int step_log2;  ///< a step of its lattice is 2^step_log2 m
    int32_t corner_count, edge_count, patch_count;
} karst_project_net;

/// One ground of a world.
typedef struct karst_project_ground {
    int64_t id;  ///< never given again
    karst_project_kind kind;
    char name[KARST_NAME_BYTES];
    char source[KARST_SOURCE_BYTES];  ///< what it was made from, for people
    uint64_t hash;                    ///< of all that it is made of, wherever it lies; names are no part of it
    karst_field_shape shape;          ///< of a field, else all 0, as are the next two
    double step_m;                    ///< vertical step of the source, 0 if unknown
    double hole_share;                ///< unused cells 0..1
    karst_project_net net;            ///< of a net of patches, else all 0
} karst_project_ground;

/// List the grounds, of all kinds: fields first, of one kind the oldest first. One that needs a ground of its kind asks
/// karst_project_find_ground(). @param out room for capacity; *count receives how many there are
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_VERSION (a damaged world)
KARST_API karst_status karst_project_grounds(karst_project *project, karst_project_ground *out, int capacity,
                                             int *count);
/// The oldest ground of a kind. @param out id 0 when the world has none of that kind
/// @return as karst_project_grounds(), of this ground alone: that another one is damaged does not matter
KARST_API karst_status karst_project_find_ground(karst_project *project, karst_project_kind kind,
                                                 karst_project_ground *out);

/// Open a ground's field, paged from this file. Owned by the caller; the project must outlive it. Changes need a
/// step, and karst_field_flush() before its commit; after a rollback destroy the field, its memory is stale.
/// @param cache_bytes most memory for chunks, 0: the field's default
/// @return KARST_ERROR_ARGUMENT (no such field), KARST_ERROR_MEMORY; later reads KARST_ERROR_FORMAT (damaged chunk)
KARST_API karst_status karst_project_field(karst_project *project, int64_t ground, size_t cache_bytes,
                                           karst_field **out);

/// Bytes that the base's chunks under a part of a ground take in the file, whole chunks. @param rect of vertices,
/// inside the ground @return KARST_ERROR_ARGUMENT (no such field), KARST_ERROR_FILE. Cost: O(chunks), none is unpacked.
KARST_API karst_status karst_project_field_bytes(karst_project *project, int64_t ground, karst_rect rect,
                                                 double *bytes);

/// Begin, end or drop a step. Everything between is one transaction: seen whole or not at all, also after a kill
/// or a power cut. A commit that fails drops the step. Dropping with none begun does nothing.
/// @return KARST_ERROR_ARGUMENT (opened for reading), KARST_ERROR_FILE (disk full and the like)
KARST_API karst_status karst_project_begin(karst_project *project, const char *step);
/// End the step and keep it. @return as karst_project_begin()
KARST_API karst_status karst_project_commit(karst_project *project);
/// Drop the step; without one nothing happens.
KARST_API void karst_project_rollback(karst_project *project);

/// Inside a step: add a field ground, flat at 0; *id receives its id. A world holds one field for now.
/// @return KARST_ERROR_ARGUMENT (shape, or no step begun), KARST_ERROR_LIMIT (a world holds one field),
/// KARST_ERROR_FILE
KARST_API karst_status karst_project_add_field(karst_project *project, const char *name, const karst_field_shape *shape,
                                               int64_t *id);
/// Inside a step: give a field and its sheets another shape: what lies at a place stays there, see
/// karst_field_resample(). Heights keep their origin; shape->origin.y is not read. What an import keeps beside the
/// ground (extras, the vertical step) goes. Fields opened before must be gone.
/// @param progress may be NULL
/// @return KARST_ERROR_ARGUMENT (shape, no such field, or no step begun), KARST_ERROR_CANCELLED and the like: roll the
/// step back then. Cost: O(samples of both), twice; memory: the caches of two fields
KARST_API karst_status karst_project_resize(karst_project *project, int64_t ground, const karst_field_shape *shape,
                                            const karst_progress *progress);
/// Inside a step: remove a ground and all that it is made of, damaged or not. @return KARST_ERROR_ARGUMENT,
/// KARST_ERROR_FILE
KARST_API karst_status karst_project_remove_ground(karst_project *project, int64_t ground);
/// Inside a step: note where a ground came from and, of a field, its vertical step [m], 0 if unknown.
/// @return KARST_ERROR_ARGUMENT, KARST_ERROR_FILE
KARST_API karst_status karst_project_set_source(karst_project *project, int64_t ground, const char *source,
                                                double step_m);

/// Inside a step: keep bytes with a ground under a name, in place of what was there; they go when it goes and are no
/// part of its hash. size 0 removes them.
/// @param name "net" and what begins with "net " are the elements of a net, and refused
/// @return KARST_ERROR_ARGUMENT (no step begun, no such ground, the name), KARST_ERROR_FILE
KARST_API karst_status karst_project_set_extra(karst_project *project, int64_t ground, const char *name,
                                               const void *bytes, size_t size);
/// *out is malloc'ed and the caller's; *size 0 and *out NULL when there is none.
/// @return KARST_ERROR_FORMAT (damaged), KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_project_get_extra(karst_project *project, int64_t ground, const char *name, void **out,
                                               size_t *size);

/// Inside a step: add a ground of a finished net; *id receives its id. A world holds one net for now, beside its field
/// or without one. Cost: O(net).
/// @return KARST_ERROR_ARGUMENT (no step begun), KARST_ERROR_LIMIT (a world holds one net), KARST_ERROR_FILE,
/// KARST_ERROR_MEMORY
KARST_API karst_status karst_project_add_net(karst_project *project, const char *name, const karst_net *net,
                                             int64_t *id);
/// Inside a step: put a finished net in place of a ground's. It is an edit like any other: a step keeps the blocks of
/// 512 corners, edges or patches that it changed. What is there may be damaged, and is whole then. Cost: O(net).
/// @return KARST_ERROR_ARGUMENT (no step begun, no such net), KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_project_set_net(karst_project *project, int64_t ground, const karst_net *net);
/// The net of a ground, finished. @param allocator NULL: malloc; kept
/// @param out yours until karst_net_destroy(); untouched on error
/// @return KARST_ERROR_ARGUMENT (no such net), KARST_ERROR_FORMAT (damaged: the line names what), KARST_ERROR_VERSION,
/// KARST_ERROR_FILE, KARST_ERROR_MEMORY
KARST_API karst_status karst_project_get_net(karst_project *project, int64_t ground, const karst_allocator *allocator,
                                             karst_net **out);

/// Hash of everything that a bake reads. Cost: O(chunks), but no samples are read.
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT
KARST_API karst_status karst_project_hash(karst_project *project, uint64_t *out);

/// Prove a world: the file's own structure; rows sound; a net's elements all there and keeping every rule; chunks
/// whole, of the hash that is told, and meeting bit for bit; every step's deltas whole, and each state following from
/// the one before, up to the world as it stands.
/// @param checks room for KARST_CHECK_MAX @return KARST_OK when the check ran, whatever it found
/// Cost: a read of the whole file.
KARST_API karst_status karst_project_check(karst_project *project, const karst_progress *progress, karst_check *checks,
                                           int *check_count);

/// Most bytes of results to keep, oldest dropped first; default 512 MiB, per open project.
KARST_API void karst_project_set_cache_limit(karst_project *project, uint64_t bytes);
/// The limit now [bytes]. Cost: O(1).
KARST_API uint64_t karst_project_cache_limit(const karst_project *project);
/// Keep and find results of bake steps by the checksum of their inputs (a cache: safe to lose). Works on a world
/// opened for reading too; there, what cannot be kept at once is not kept.
KARST_API karst_status karst_project_cache_put(karst_project *project, uint64_t key, const void *bytes, size_t size);
/// *out is malloc'ed and the caller's; *size 0 and *out NULL when it is not there.
KARST_API karst_status karst_project_cache_get(karst_project *project, uint64_t key, void **out, size_t *size);

#ifdef __cplusplus
}
#endif
