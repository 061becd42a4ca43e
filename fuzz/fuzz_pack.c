// SPDX-License-Identifier: MIT
// Packs from hostile bytes: opened, and all that opens is read. The input is mended first (the file's size, and the
// checksums of the header, the directory and the parts that lie in the file), or nothing but hashes would be tried.
// The header's spare field says what is left as it is; a pack is its own seed. Then the same as a download of which two
// thirds are there.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pack/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum {
    LEAVE_HEADER = 1,
    LEAVE_DIRECTORY = 2,
    LEAVE_PARTS = 4,
    ZONE_COUNT = 148,  // in the directory
    TABLES_RECORD = 152,
    SEAM_COUNT = 172,
};

static uint64_t u64_at(const uint8_t *p) {
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}
static void put_u64(uint8_t *p, uint64_t v) {
    memcpy(p, &v, 8);
}
static uint32_t u32_at(const uint8_t *p) {
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

// Size (4 or 8 bytes), place and hash of a part; true to its bytes when they are in the file.
static void mend_part(uint8_t *file, size_t size, size_t at, int size_bytes) {
    if (at > size || size - at < (size_t)size_bytes + 16) return;
    uint64_t bytes = size_bytes == 4 ? u32_at(file + at) : u64_at(file + at),
             place = u64_at(file + at + (size_t)size_bytes);
    if (place <= size && bytes <= size - place)
        put_u64(file + at + (size_t)size_bytes + 8, kst_hash(file + place, (size_t)bytes, 0));
}

static void mend(uint8_t *file, size_t size) {
    if (size < KST_PACK_HEADER_BYTES) return;
    uint8_t leave = file[48];
    if (leave < 16) file[48] = 0;
    if (!(leave & LEAVE_HEADER)) put_u64(file + 16, size);
    uint64_t directory = u64_at(file + 32);
    if (directory > size - KST_PACK_HEADER_BYTES) directory = size - KST_PACK_HEADER_BYTES;
    if (!(leave & LEAVE_PARTS) && directory >= KST_PACK_FIXED_BYTES) {
        uint32_t levels = u32_at(file + 64 + 64), maps = u32_at(file + 64 + 68);
        bool seamed = u32_at(file + 8) >= KST_PACK_VERSION_SEAMS;
        size_t at = 64 + KST_PACK_FIXED_BYTES - (seamed ? 0 : KST_PACK_COUNT_BYTES);
        at += (size_t)(levels & 31) * KST_PACK_GRID_BYTES;
        for (uint32_t m = 0; m < maps && m < KST_PACK_MAPS_MAX; ++m, at += KST_PACK_MAP_BYTES)
            mend_part(file, size, at + 40, 8);
        uint32_t zones = u32_at(file + 64 + ZONE_COUNT);
        for (uint32_t z = 0; z < zones && z < 64; ++z)
            mend_part(file, size, at + KST_PACK_NET_BYTES + z * KST_PACK_ZONE_BYTES + 40, 4);
        uint32_t seams = seamed ? u32_at(file + 64 + SEAM_COUNT) : 0;
        if (zones && zones < 64) at += KST_PACK_NET_BYTES + zones * KST_PACK_ZONE_BYTES;
        if (seams < 1 << 20) at += seams * KST_PACK_SEAM_BYTES;
        mend_part(file, size, 64 + TABLES_RECORD, 4);
        size_t end = 64 + directory;  // records are its last, as many as there are chunks above level 0, and one
        for (size_t records = 0; records < 64 && end >= at + KST_PACK_RECORD_BYTES; ++records) {
            end -= KST_PACK_RECORD_BYTES;
            mend_part(file, size, end, 4);
        }
    }
    if (!(leave & LEAVE_DIRECTORY)) put_u64(file + 40, kst_hash(file + 64, (size_t)directory, 0));
    if (!(leave & LEAVE_HEADER)) put_u64(file + 56, kst_hash(file, 56, 0));
}

static void read_all(karst_pack *pack) {
    karst_chunk *chunk = malloc(sizeof *chunk);
    int chunks = 0;
    for (int level = karst_pack_info_of(pack).level_count - 1; chunk && level >= 0; --level) {
        int32_t nx, nz;
        karst_pack_chunk_grid(pack, level, &nx, &nz);
        for (int64_t i = 0; i < (int64_t)nx * nz && chunks < 64; ++i, ++chunks)
            (void)karst_pack_read_chunk(pack, level, (int32_t)(i % nx), (int32_t)(i / nx), chunk);
    }
    free(chunk);
    for (int m = 0; m < karst_pack_map_count(pack); ++m) {
        karst_map map = karst_pack_map_info(pack, m);
        if ((int64_t)map.width * map.height > 1 << 22) continue;  // allowed, but slow to fuzz
        (void)karst_pack_map(pack, map.name, &map);
    }
    static karst_noise_bank bank;  // flat is as good as any
    for (int32_t z = 0; z < karst_pack_zone_count(pack) && z < 16; ++z) {
        karst_zone *zone;
        (void)karst_pack_zone_info(pack, z);
        if (!karst_pack_zone_read(pack, z, &bank, NULL, &zone)) karst_zone_destroy(zone);
    }
    float reach = 0;
    for (int32_t k = 0; k < karst_pack_seam_count(pack); ++k) reach += karst_pack_seams(pack)[k].max[1];
    if (reach != reach) abort();  // what is finite was promised
    karst_box box = karst_ground_bounds(karst_pack_ground(pack));
    double y;
    (void)karst_ground_height(karst_pack_ground(pack), (box.min.x + box.max.x) / 2, (box.min.z + box.max.z) / 2, &y);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("fuzz_pack", 0);
        if (fd < 0) abort();
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    uint8_t *copy = malloc(size + !size);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    mend(copy, size);
    if (ftruncate(fd, 0) || pwrite(fd, copy, size, 0) != (ssize_t)size) abort();
    free(copy);
    karst_pack *pack;
    if (!karst_pack_open(path, NULL, &pack)) {
        read_all(pack);
        karst_pack_close(pack);
    }
    karst_pack_def def = karst_pack_def_default();
    def.partial = true;
    if (ftruncate(fd, (off_t)(size - size / 3))) abort();
    if (!karst_pack_open(path, &def, &pack)) {
        read_all(pack);
        karst_pack_close(pack);
    }
    return 0;
}
