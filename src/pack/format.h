// SPDX-License-Identifier: MIT
// The pack's layout, version 4: sizes, places and the directory as it stands in memory. docs/pack-format.md tells
// the same byte by byte.
//
//     header | directory | tables | maps | root chunk | records, coarse level first, row-major | zones
//
// Every part begins at a multiple of 64 and follows the one before without a gap, but for zeros up to that multiple.
#pragma once
#include "core/core.h"
#include "pack/record.h"
#include "pack/writer.h"

enum {
    KST_PACK_VERSION = 4,
    KST_PACK_VERSION_ZONES = 3,  // the first with zones
    KST_PACK_VERSION_SEAMS = 4,  // the first with seams, whose count is the last of what is fixed
    KST_PACK_VERSION_LEAST = 2,
    KST_PACK_ALIGN = 64,
    KST_PACK_HEADER_BYTES = 64,
    KST_PACK_FIXED_BYTES = 176,  // of the directory: what stands before its tables
    KST_PACK_COUNT_BYTES = 4,    // less in versions without seams
    KST_PACK_GRID_BYTES = 8,     // a level
    KST_PACK_MAP_BYTES = 64,     // a map
    KST_PACK_CHUNK_BYTES = 52,   // a chunk
    KST_PACK_RECORD_BYTES = 20,  // a record
    KST_PACK_NET_BYTES = 28,     // what all zones share
    KST_PACK_ZONE_BYTES = 60,    // a zone
    KST_PACK_SEAM_BYTES = 36,    // a corner of the field on a seam
    KST_PACK_LEVELS_MAX = KARST_MAX_LEVEL + 1,
    KST_PACK_MAP_SIDE_MAX = 16384,
    KST_PACK_MAP_BYTES_MAX = 1 << 29,
    KST_PACK_ZONES_MAX = 1 << 20,
    KST_PACK_SEAMS_MAX = 1 << 20,
    KST_PACK_ZONE_RAW_MAX = 1 << 26,  // bytes of a zone before compression: 65,535 of everything fit
};

extern const uint8_t kst_pack_magic[8];

// Where the bytes of a part are and what they hash to.
typedef struct kst_pack_span {
    uint64_t place, size, hash;
} kst_pack_span;

// A zone as the directory tells it.
typedef struct kst_pack_zone {
    int32_t zone_x, zone_z;
    uint32_t patch_count, raw_bytes;
    int32_t low[3], high[3];  // box of its vertices, from the net's origin [steps / KARST_NET_FINE]
    kst_pack_span span;       // a zstd frame
} kst_pack_zone;

// The directory in memory. Chunks are numbered as in the file: coarse level first, row-major.
typedef struct kst_directory {
    karst_lattice lattice;
    int32_t level_count, map_count;
    uint64_t hole_count, world_hash;
    karst_box bounds;
    float min_y_m, max_y_m;
    uint16_t reach_x_steps, reach_z_steps;  // most that a level-0 vertex is moved sideways
    int32_t chunks_x[KST_PACK_LEVELS_MAX], chunks_z[KST_PACK_LEVELS_MAX];
    size_t first[KST_PACK_LEVELS_MAX];  // number of the level's first chunk
    size_t chunk_count, record_count;
    kst_pack_span tables;
    karst_map maps[KST_PACK_MAPS_MAX];  // samples NULL
    kst_pack_span map_spans[KST_PACK_MAPS_MAX];
    karst_node *nodes;
    float (*chunk_bounds)[6];
    kst_pack_span *records;  // the root chunk, then one of each node of level 1 and above, in the order of chunks
    size_t zone_count, seam_count;
    karst_pos net_origin;  // when there are zones
    int32_t net_step_log2;
    kst_pack_zone *zones;    // by z, then x
    karst_pack_seam *seams;  // by row, then column
} kst_directory;

static inline uint64_t kst_pack_aligned(uint64_t place) {
    return (place + KST_PACK_ALIGN - 1) & ~(uint64_t)(KST_PACK_ALIGN - 1);
}

// The record that holds a chunk, and the chunk's place in it. (x, z) is inside the level's grid.
static inline size_t kst_pack_record_of(const kst_directory *d, int level, int32_t x, int32_t z) {
    if (level == d->level_count - 1) return 0;
    return 1 + d->first[level + 1] + (size_t)(z / 2) * (size_t)d->chunks_x[level + 1] + (size_t)(x / 2);
}
static inline int kst_pack_child_of(const kst_directory *d, int level, int32_t x, int32_t z) {
    return level == d->level_count - 1 ? 0 : (x & 1) + 2 * (z & 1);
}
// The node whose children a record holds, by their level; record 0 has none.
kst_record_place kst_pack_place_of(const kst_directory *d, size_t record);

// Levels that a field has: until one chunk holds all of it.
int kst_pack_level_count(const karst_field_shape *shape);
// Chunks along x and z at a level.
void kst_pack_grid(const karst_field_shape *shape, int level, int32_t *chunks_x, int32_t *chunks_z);
// Fill level grids, first and chunk_count from shape and level_count.
void kst_directory_number(kst_directory *d);
// Bytes of the directory in a file of a version, zones and seams included; false on overflow.
bool kst_directory_bytes(const kst_directory *d, uint32_t version, size_t *out);
// Allocate the tables for chunk_count chunks, zone_count zones and seam_count seams.
karst_status kst_directory_alloc(kst_directory *d, const karst_allocator *allocator);
void kst_directory_free(kst_directory *d, const karst_allocator *allocator);
// Is everything but the spans and the seams in range? One line that says what is not.
karst_status kst_directory_check(const kst_directory *d, const char *path, karst_status status, karst_report *report);
karst_status kst_directory_check_seams(const kst_directory *d, const char *path, karst_status status,
                                       karst_report *report);
// Write all into bytes that kst_directory_bytes sized.
void kst_directory_put(const kst_directory *d, uint8_t *bytes);
// Read from untrusted bytes, check all, and prove that the spans tile [begin, file_bytes) of the file exactly.
karst_status kst_directory_read(kst_directory *d, uint32_t version, const uint8_t *bytes, size_t size, uint64_t begin,
                                uint64_t file_bytes, const karst_allocator *allocator, const char *path,
                                karst_report *report);

// A zone to the bytes of a pack and its entry, all but the span's place. *out is kst_alloc'ed, *room its size.
karst_status kst_pack_encode_zone(const karst_zone *zone, kst_pack_zone *entry, uint8_t **out, size_t *room);

// All bands of a map into samples, from untrusted bytes.
karst_status kst_map_decode(const uint8_t *bytes, size_t size, const karst_map *map, void *samples);
