// SPDX-License-Identifier: MIT
// Project: the world that an author edits, one SQLite file. See docs/project.md.
#pragma once
#include "karst/base.h"
#include "karst/field.h"
#include "karst/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_project karst_project;

typedef enum karst_project_mode {
    KARST_PROJECT_READ,   ///< any number of processes
    KARST_PROJECT_WRITE,  ///< one process; a second gets KARST_ERROR_BUSY
} karst_project_mode;

/// Make a new, empty world file. @return KARST_ERROR_FILE when it exists already or cannot be made
KARST_API karst_status karst_project_create(const char *path, karst_report *report, karst_project **out);

/// Open a world file; migrates an older one forward after writing a copy beside it.
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT (not a world), KARST_ERROR_VERSION, KARST_ERROR_BUSY
KARST_API karst_status karst_project_open(const char *path, karst_project_mode mode, karst_report *report,
                                          karst_project **out);
KARST_API void karst_project_close(karst_project *project);

/// Message of the last failure on this project, valid until the next call.
KARST_API const char *karst_project_message(const karst_project *project);

enum { KARST_NAME_BYTES = 64, KARST_SOURCE_BYTES = 256 };

/// One ground of a world.
typedef struct karst_project_ground {
    int64_t id;
    char kind[16];  ///< "field"
    char name[KARST_NAME_BYTES];
    karst_field_shape shape;
    double step_m;          ///< vertical step of the source, 0 if unknown
    double hole_share;      ///< unused cells 0..1
    char source[KARST_SOURCE_BYTES];  ///< what it was imported from, for people
    uint64_t hash;          ///< of all its samples and its shape
} karst_project_ground;

/// List the grounds. @param out room for capacity; *count receives how many there are
KARST_API karst_status karst_project_grounds(karst_project *project, karst_project_ground *out, int capacity,
                                             int *count);

/// Open a ground's field, paged from this file. Owned by the caller; the project must outlive it.
KARST_API karst_status karst_project_field(karst_project *project, int64_t ground, size_t cache_bytes,
                                           karst_field **out);

/// Begin, end or drop a step. Everything between is one transaction: seen whole or not at all.
KARST_API karst_status karst_project_begin(karst_project *project, const char *step);
KARST_API karst_status karst_project_commit(karst_project *project);
KARST_API void karst_project_rollback(karst_project *project);

/// Inside a step: add a field ground, flat at 0; *id receives its id. A world holds one field for now.
KARST_API karst_status karst_project_add_field(karst_project *project, const char *name,
                                               const karst_field_shape *shape, int64_t *id);
/// Inside a step: remove a ground and all its samples.
KARST_API karst_status karst_project_remove_ground(karst_project *project, int64_t ground);
/// Inside a step: note where a ground came from.
KARST_API karst_status karst_project_set_source(karst_project *project, int64_t ground, const char *source,
                                                double step_m);

/// Hash of everything that a bake reads.
KARST_API karst_status karst_project_hash(karst_project *project, uint64_t *out);

/// Keep and find results of bake steps by the checksum of their inputs (a cache: safe to lose).
KARST_API karst_status karst_project_cache_put(karst_project *project, uint64_t key, const void *bytes, size_t size);
/// *out is malloc'ed and the caller's; *size 0 and *out NULL when it is not there.
KARST_API karst_status karst_project_cache_get(karst_project *project, uint64_t key, void **out, size_t *size);

#ifdef __cplusplus
}
#endif
