// SPDX-License-Identifier: MIT
// Pack: the baked file that a game loads. Immutable, checksummed, coarse level first. See docs/pack-format.md.
#pragma once
#include "karst/base.h"
#include "karst/check.h"
#include "karst/chunk.h"
#include "karst/jobs.h"
#include "karst/surface.h"
#include "karst/zone.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_pack karst_pack;

/// Parameters of opening. Start from karst_pack_def_default().
typedef struct karst_pack_def {
    const karst_allocator *allocator;
    karst_report *report;   ///< receives the reason of a failure; may be NULL
    uint64_t ground_bytes;  ///< exact ground kept for queries, beside what is held; default 256 MiB. Decoded records
                            ///< that are kept for a while take 0.7 MiB more, and a fortieth of this up to 6 MiB
    bool partial;           ///< the file may still be growing at its end; default false
    uint32_t cookie;        ///< set by the default function, do not touch
} karst_pack_def;

/// Memory from malloc, no report, 256 MiB of ground, a whole file.
KARST_API karst_pack_def karst_pack_def_default(void);

/// Map a pack and check its header and directory: every offset and count is proved in range here.
/// Cost: O(nodes); chunks are read when asked for.
/// @param def NULL: the default @param out yours until karst_pack_close(); untouched on error
/// @return KARST_ERROR_FILE, KARST_ERROR_FORMAT, KARST_ERROR_VERSION, KARST_ERROR_MEMORY; of a partial file
///     KARST_ERROR_PENDING until its header and directory are there
KARST_API karst_status karst_pack_open(const char *path, const karst_pack_def *def, karst_pack **out);

/// Close; NULL is allowed. Grounds and scenes of it must be gone.
KARST_API void karst_pack_close(karst_pack *pack);

/// Look how much of a partial file is there by now. What is there never goes away: chunks and maps beyond it answer
/// KARST_ERROR_PENDING. A whole pack is there. Threads: any. Cost: one system call.
/// @return bytes from the start of the file, at most karst_pack_info.file_bytes
KARST_API uint64_t karst_pack_refresh(karst_pack *pack);

/// What is in a pack.
typedef struct karst_pack_info {
    uint32_t version;
    uint64_t file_bytes;
    karst_lattice lattice;
    int32_t level_count;     ///< levels 0 (finest) .. level_count - 1 (one chunk)
    karst_box bounds;        ///< of the reference triangles, world [m]
    uint64_t hole_count;     ///< hole cells inside the field
    float min_y_m, max_y_m;  ///< world heights of vertices that touch ground
    float beside_m;          ///< most that a vertex lies beside its place at rest, along x or z; 0: a height field
    uint64_t world_hash;     ///< of the inputs this was baked from
} karst_pack_info;

/// What is in it. Threads: any. Cost: O(1).
KARST_API karst_pack_info karst_pack_info_of(const karst_pack *pack);

/// Chunks along x and z at a level, 0..level_count - 1. Threads: any. Cost: O(1).
KARST_API void karst_pack_chunk_grid(const karst_pack *pack, int level, int32_t *chunks_x, int32_t *chunks_z);

/// The nodes of a level, 0..level_count - 1, row-major, valid until close. Threads: any. Cost: O(1).
KARST_API const karst_node *karst_pack_nodes(const karst_pack *pack, int level);

/// Tight bounds of one chunk's vertices relative to the ground's origin [m]: min xyz, max xyz; false when all hole.
/// Threads: any. Cost: O(1).
KARST_API bool karst_pack_chunk_bounds(const karst_pack *pack, int level, int32_t x, int32_t z, float out[6]);

/// Bytes of a pack by what they are of. They sum to the file's, but for what a sample leaves to be guessed.
typedef struct karst_pack_parts {
    double directory, maps, root, heights, sideways, normals, holes, light, corners;
    double zones;
    double rest;  ///< zeros between parts, heads and states of records
} karst_pack_parts;

/// Where the bytes of a pack are. Decodes its records; of more than 4,096 an even spread. Threads: any. Cost: 40 us a
/// record. @return KARST_ERROR_FORMAT, KARST_ERROR_PENDING, KARST_ERROR_MEMORY
KARST_API karst_status karst_pack_parts_of(const karst_pack *pack, karst_pack_parts *out);

/// Read, check and decode one chunk. Threads: any number at once. Cost: about 30 us when the chunk's neighbours are
/// read too (a record decodes to four chunks and is kept for a while), and as much again for each of its ancestors that
/// was not needed lately.
/// @return KARST_ERROR_FORMAT when the checksum or the contents are wrong; KARST_ERROR_PENDING, KARST_ERROR_MEMORY
KARST_API karst_status karst_pack_read_chunk(const karst_pack *pack, int level, int32_t x, int32_t z, karst_chunk *out);

/// A raster over the whole ground kept for looks: sample (i, j) lies at the centre of its share of the
/// ground's rest rectangle. value = offset + scale * sample.
typedef struct karst_map {
    char name[16];
    int32_t width, height;
    int32_t channels;      ///< 1..4, interleaved
    int32_t sample_bytes;  ///< 1: u8, 2: u16
    float scale, offset;
    const void *samples;  ///< valid until the pack is closed
} karst_map;

/// Number of maps, at most 8.
KARST_API int karst_pack_map_count(const karst_pack *pack);

/// What map `index` is, without its samples (NULL). @param index 0 .. karst_pack_map_count() - 1
KARST_API karst_map karst_pack_map_info(const karst_pack *pack, int index);

/// Find a map by name ("normal", "relief", "height"). Decoded on first use and kept. Threads: one at a time.
/// @return KARST_ERROR_UNSUPPORTED when there is none of that name, KARST_ERROR_FORMAT, KARST_ERROR_PENDING,
///     KARST_ERROR_MEMORY
KARST_API karst_status karst_pack_map(karst_pack *pack, const char *name, karst_map *out);

/// A zone of the net in a pack, as the directory tells it.
typedef struct karst_pack_zone {
    int32_t zone_x, zone_z;
    uint32_t patch_count;
    uint32_t bytes, raw_bytes;  ///< in the file, and unpacked
    karst_box bounds;           ///< of every vertex, world [m]
} karst_pack_zone;

/// A corner of a field's patches on a seam, where the net takes the place of the field: what the level of detail there,
/// which both have, follows from.
typedef struct karst_pack_seam {
    int32_t column, row;   ///< vertex of the field, multiples of KARST_PATCH_CELLS
    uint8_t most_log2;     ///< cells of the shortest span of the net at it, 1..4: no coarser than these
    uint8_t size;          ///< of the largest tiles of the net at it [class]
    float min[3], max[3];  ///< bounds of the pieces of the net at it, from the net's origin [m]
} karst_pack_seam;

/// Number of zones, by z, then x; 0 when the pack holds no net. Threads: any. Cost: O(1).
KARST_API int32_t karst_pack_zone_count(const karst_pack *pack);

/// What zone `index` is, without reading it. @param index 0 .. karst_pack_zone_count() - 1. Threads: any. Cost: O(1).
KARST_API karst_pack_zone karst_pack_zone_info(const karst_pack *pack, int32_t index);

/// Error that patches of level 1 and above have that touch a seam [m]: chunks with one in their reach are split from
/// any distance, so that the field has its finest chunks along seams. What is drawn there, level 0, has true errors.
#define KARST_SEAM_ERROR_M 1e6f

/// Number of corners of the field on seams; 0: the net takes the place of no part of it. Threads: any. Cost: O(1).
KARST_API int32_t karst_pack_seam_count(const karst_pack *pack);

/// All of them by row, then column, valid until close; NULL when there is none. Threads: any. Cost: O(1).
KARST_API const karst_pack_seam *karst_pack_seams(const karst_pack *pack);

/// World place [m] of the net's origin, which zones count from. Threads: any. Cost: O(1).
KARST_API karst_pos karst_pack_net_origin(const karst_pack *pack);

/// Read, check and build one zone. @param bank must outlive the zone: karst_noise_bank_make()'s
/// @param report may be NULL @param out yours until karst_zone_destroy(), may outlive the pack; untouched on error
/// @return KARST_ERROR_FORMAT when the checksum or the contents are wrong; KARST_ERROR_PENDING, KARST_ERROR_MEMORY
/// Threads: any number at once. Cost: about 0.5 ms for 100 patches.
KARST_API karst_status karst_pack_zone_read(const karst_pack *pack, int32_t index, const karst_noise_bank *bank,
                                            karst_report *report, karst_zone **out);

/// The exact ground of a pack's field: its level-0 triangles, decoded chunk by chunk as queries touch them and kept as
/// far as karst_pack_def.ground_bytes goes. Its net is a ground of its own (karst/zoneground.h): under it are holes.
/// Owned by the pack. Threads: queries from any number at once; none waits for another, and what one looks at stays
/// until it is done.
KARST_API const karst_ground *karst_pack_ground(karst_pack *pack);

/// Keep level-0 chunk (x, z) of the ground decoded until karst_pack_drop(), beside the budget: queries there cost no
/// decoding. Holds are counted. Threads: any. Cost: that of a decoding when it is not there.
/// @return KARST_ERROR_FORMAT, KARST_ERROR_PENDING, KARST_ERROR_MEMORY; it is then not held
KARST_API karst_status karst_pack_hold(karst_pack *pack, int32_t x, int32_t z);
/// Let go of a chunk that is held. Threads: any.
KARST_API void karst_pack_drop(karst_pack *pack, int32_t x, int32_t z);
/// Bytes that one chunk of ground takes while it is decoded. Threads: any.
KARST_API size_t karst_pack_hold_bytes(const karst_pack *pack);

/// Prove a pack: checksums, borders bit-equal, bounds contain, error bounds true, holes agree between draw,
/// ray and height, coverage once; zones whole, and none missing (all are in memory at once for that), and where they
/// take the place of the field the two meet bit for bit. @param checks
/// room for KARST_CHECK_MAX
/// @return KARST_OK when the check ran, whatever it found; KARST_ERROR_PENDING when the file is not whole
KARST_API karst_status karst_pack_check(karst_pack *pack, karst_jobs *jobs, const karst_progress *progress,
                                        karst_check *checks, int *check_count);

#ifdef __cplusplus
}
#endif
