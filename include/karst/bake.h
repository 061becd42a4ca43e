// SPDX-License-Identifier: MIT
// Bake: a world becomes a pack, through a graph of steps keyed by the checksums of their inputs. See docs/bake.md.
#pragma once
#include "karst/base.h"
#include "karst/jobs.h"
#include "karst/net.h"
#include "karst/project.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters of a bake. Start from karst_bake_def_default().
typedef struct karst_bake_def {
    float error_m;  ///< every baked vertex is within this distance of the author's, or of the relaxed ground; default
                    ///< 0.01, 1e-5..100
    int32_t map_side;  ///< most samples along a side of the look maps; default 2048
    karst_jobs *jobs;  ///< NULL: the caller alone. The bytes do not depend on it
    /// Most memory for what grows with the field; the rest waits in a file without a name beside the pack. 0: the
    /// default, 1 GiB. Maps, tables and the cache of chunks take up to 0.4 GB more. The bytes do not depend on it.
    uint64_t memory_bytes;
    /// Before anything else, displaced chunks with an edge stretched beyond this, and the chunks round them, are
    /// relaxed (docs/relax.md): 0 leaves all where the author put it, 2..1000; default 0, and 3 of karst bake. The
    /// pack's ground then lies within relax_distance_m and error_m of the author's.
    float relax_above;
    float relax_distance_m;  ///< no point of either surface is further from the other [m]; default 0: half the spacing
    /// A finished net whose zones go into the pack, too; NULL: none. Where it has seams it takes the place of the
    /// field, which is cut away there in the pack (docs/bake.md, Seams). karst_bake() takes the world's and does not
    /// read this.
    const karst_net *net;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_bake_def;

/// Within a centimetre, maps of 2048 samples a side, on the caller alone.
KARST_API karst_bake_def karst_bake_def_default(void);

/// What relaxation did to the ground before it was baked; all 0 when it had nothing to do.
typedef struct karst_bake_relaxed {
    int32_t regions;                   ///< groups of chunks, relaxed apart from each other
    int64_t moved;                     ///< vertices
    double worst_before, worst_after;  ///< longest edge of the regions [spacings]
    double largest_m;                  ///< distance of the surfaces, a bound both ways [m]
} karst_bake_relaxed;

/// What a bake did.
typedef struct karst_bake_info {
    uint64_t file_bytes;
    int32_t level_count;
    int64_t chunk_count;
    int32_t zone_count;
    double largest_error_m;  ///< measured at every vertex, <= error_m; against the relaxed ground where it was
    int32_t steps_run, steps_reused;
    uint64_t hash;           ///< of the pack's bytes
    uint64_t scratch_bytes;  ///< how large the scratch file became, 0: all was in memory
    karst_bake_relaxed relaxed;
} karst_bake_info;

/// Bake a world into a pack at path, written beside and renamed: whatever happens, there is the old file or the
/// whole new one. Threads: one call a project; work is spread over def->jobs. Cost: O(vertices); def->memory_bytes
/// of memory, and on disk for a field larger than that up to 18 bytes a vertex (6 when only heights) for the time.
/// @param def NULL: the default @param progress, report, info may be NULL
/// @return KARST_ERROR_LIMIT when the error bound cannot be kept in the format (says which), KARST_ERROR_FILE,
/// KARST_ERROR_FORMAT (a damaged world, a seam where net and field cannot meet: says where), KARST_ERROR_MEMORY,
/// KARST_ERROR_UNSUPPORTED (no ground), KARST_ERROR_CANCELLED
KARST_API karst_status karst_bake(karst_project *project, const char *path, const karst_bake_def *def,
                                  const karst_progress *progress, karst_report *report, karst_bake_info *info);

/// Bake a field that lives in memory (scenes, tests, generated worlds), and def->net. Otherwise as karst_bake(); both
/// are only read, and may not change meanwhile.
/// @param field NULL when there is a net: a pack has a field, and that of one with a net alone is a single cell of hole
KARST_API karst_status karst_bake_field(karst_field *field, const char *path, const karst_bake_def *def,
                                        const karst_progress *progress, karst_report *report, karst_bake_info *info);

#ifdef __cplusplus
}
#endif
