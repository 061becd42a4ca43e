// SPDX-License-Identifier: MIT
// Pack writer: what bake hands over. The layout is docs/pack-format.md.
#pragma once
#include "core/core.h"
#include "karst/pack.h"
#include "karst/zone.h"
#include "pack/record.h"

enum { KST_PACK_MAPS_MAX = 8 };

// Gives zone `index`, which the writer destroys; called once each, in order, from one thread.
typedef karst_status kst_pack_zone_fn(void *context, int32_t index, karst_zone **out);

// Everything but the chunks. Nodes and bounds are row-major a level; bounds are min xyz, max xyz relative to
// the ground's origin, min > max for a chunk that is all hole.
typedef struct kst_pack_contents {
    karst_lattice lattice;
    int32_t level_count;
    uint64_t hole_count, world_hash;
    float min_y_m, max_y_m;
    karst_box bounds;
    const karst_node *nodes[KARST_MAX_LEVEL + 1];
    const float (*chunk_bounds[KARST_MAX_LEVEL + 1])[6];
    karst_map maps[KST_PACK_MAPS_MAX];
    const uint8_t *map_bytes[KST_PACK_MAPS_MAX];  // the bands, encoded: samples are not looked at; NULL: encode them
    size_t map_sizes[KST_PACK_MAPS_MAX];
    int32_t map_count;
    uint16_t reach_x_steps, reach_z_steps;  // most that a level-0 vertex is moved sideways
    const uint8_t *tables;                  // of the records, as bytes
    size_t table_bytes;
    int32_t zone_count;  // of a net; they come by z, then x
    karst_pos net_origin;
    int32_t net_step_log2;
    kst_pack_zone_fn *zone;
    void *zone_context;
    const karst_pack_seam *seams;  // corners of the field on seams, by row, then column; whole once all zones are given
    int32_t seam_count;
} kst_pack_contents;

// Encode one chunk by itself (of the last level); the bytes depend only on the chunk and its level. 0 when room is too
// small.
size_t kst_pack_encode_bound(void);
size_t kst_pack_encode_chunk(const karst_chunk *chunk, int level, uint8_t *out, size_t room);
// The reverse, from untrusted bytes.
karst_status kst_pack_decode_chunk(const uint8_t *bytes, size_t size, int level, const karst_allocator *allocator,
                                   karst_chunk *out);

// Bytes of a map's samples, interleaved; false on overflow or above the limits.
bool kst_map_bytes(const karst_map *map, size_t *out);
// A map is kept as bands of rows, one after the other; each can be encoded alone. 0 when there is no memory or too
// little room.
int kst_map_bands(const karst_map *map);
size_t kst_map_band_bound(const karst_map *map);
size_t kst_map_encode_band(const karst_map *map, int band, uint8_t *out, size_t room);

// Gives the bytes of a record; called once each, in order, from one thread; the bytes need to stay until the next call.
// Record 0 is the chunk of the last level, from kst_pack_encode_chunk; then those of all nodes of level 1 and above.
typedef karst_status kst_pack_record_fn(void *context, size_t record, const uint8_t **bytes, size_t *size);

// Write a whole pack beside path and rename. *hash and *bytes (NULL allowed): of the file.
karst_status kst_pack_write(const char *path, const kst_pack_contents *contents, kst_pack_record_fn *fn, void *context,
                            const karst_progress *progress, karst_report *report, uint64_t *hash, uint64_t *bytes);

// The same from chunks: fills in the tables and what is moved sideways; one thread.
karst_status kst_pack_write_chunks(const char *path, const kst_pack_contents *contents, kst_chunk_fn *fn, void *context,
                                   const karst_progress *progress, karst_report *report, uint64_t *hash,
                                   uint64_t *bytes);
