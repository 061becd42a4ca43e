// SPDX-License-Identifier: MIT
// Reading a pack: the file is mapped; header, directory and tables are checked whole at opening, a record or map
// (its checksum, the zeros behind it, its contents) when it is read. So no byte of the file is taken on trust.
#include "pack/pack.h"

#include <math.h>
#include <stdlib.h>

enum { RACK_PLACES = sizeof((kst_decoder_rack *)0)->place / sizeof *((kst_decoder_rack *)0)->place };

karst_pack_def karst_pack_def_default(void) {
    return (karst_pack_def){.ground_bytes = UINT64_C(256) << 20, .cookie = KST_COOKIE};
}

static bool all_zero(const uint8_t *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; ++i)
        if (bytes[i]) return false;
    return true;
}

karst_status kst_pack_part(const karst_pack *pack, const kst_pack_span *span, const uint8_t **out) {
    const uint8_t *bytes = pack->file.bytes + span->place;
    uint64_t end = span->place + span->size;
    if (kst_pack_aligned(end) > atomic_load(&pack->present)) return KARST_ERROR_PENDING;
    if (kst_hash(bytes, (size_t)span->size, 0) != span->hash) return KARST_ERROR_FORMAT;
    if (!all_zero(bytes + span->size, kst_pack_aligned(end) - end)) return KARST_ERROR_FORMAT;
    *out = bytes;
    return KARST_OK;
}

// Map a file that is shorter than its header says for all that it will be.
static karst_status map_growing(karst_pack *pack, uint64_t file_bytes, const char *path, karst_report *report) {
    if (file_bytes > SIZE_MAX) return kst_fail(report, KARST_ERROR_LIMIT, "%s: too large for this machine", path);
    kst_file_unmap(&pack->file);
    karst_status status = kst_file_map_growing(path, (size_t)file_bytes, report, &pack->file, &pack->growing);
    if (status) {
        pack->growing = -1;
        return status;
    }
    karst_pack_refresh(pack);
    return KARST_OK;
}

static karst_status not_yet(const char *path, uint64_t present, uint64_t needed, karst_report *report) {
    return kst_fail(report, KARST_ERROR_PENDING, "%s: %llu of its first %llu bytes are there; try again when more are",
                    path, (unsigned long long)present, (unsigned long long)needed);
}

// What records are read by.
static karst_status read_tables(karst_pack *pack, const char *path, karst_report *report) {
    const kst_directory *d = &pack->directory;
    const uint8_t *bytes;
    karst_status status = kst_pack_part(pack, &d->tables, &bytes);
    uint64_t end = kst_pack_aligned(d->tables.place + d->tables.size);
    if (status == KARST_ERROR_PENDING) return not_yet(path, atomic_load(&pack->present), end, report);
    if (status) return kst_fail(report, status, "%s: tables: the checksum is wrong; copy or bake it again", path);
    pack->tables = kst_alloc_zero(pack->def.allocator, sizeof *pack->tables);
    bool records = d->record_count > 1;
    pack->slots = records ? kst_alloc(pack->def.allocator, sizeof *pack->slots) : NULL;
    if (!pack->tables || (records && !pack->slots))
        return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    pack->tables->lattice = d->lattice;
    pack->tables->level_count = d->level_count;
    if (!kst_record_tables_read(bytes, (size_t)d->tables.size, pack->tables))
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: tables: what they say is out of range", path);
    if (records) kst_record_slots_make(pack->tables, pack->slots);
    return KARST_OK;
}

// Header and directory. Place and size of the directory are checked before they are used.
static karst_status read_front(karst_pack *pack, const char *path, karst_report *report) {
    const kst_map *file = &pack->file;
    size_t known = file->size < sizeof kst_pack_magic ? file->size : sizeof kst_pack_magic;
    if (pack->def.partial && file->size < KST_PACK_HEADER_BYTES &&
        (!known || !memcmp(file->bytes, kst_pack_magic, known)))
        return not_yet(path, file->size, KST_PACK_HEADER_BYTES, report);
    if (file->size > 16 && !memcmp(file->bytes, "SQLite format 3", 16))
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: a world, not a pack: karst bake makes a pack of it", path);
    if (file->size < KST_PACK_HEADER_BYTES || memcmp(file->bytes, kst_pack_magic, sizeof kst_pack_magic))
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: not a pack (no KPACK at its start)", path);
    kst_reader r = {file->bytes + sizeof kst_pack_magic, file->bytes + KST_PACK_HEADER_BYTES, false};
    uint32_t version = kst_read_u32(&r), header_bytes = kst_read_u32(&r);
    uint64_t file_bytes = kst_read_u64(&r), place = kst_read_u64(&r), size = kst_read_u64(&r);
    uint64_t directory_hash = kst_read_u64(&r), spare = kst_read_u64(&r), header_hash = kst_read_u64(&r);
    if (header_hash != kst_hash(file->bytes, KST_PACK_HEADER_BYTES - 8, 0) && version <= KST_PACK_VERSION)
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: header: the checksum is wrong; copy or bake it again", path);
    if (version > KST_PACK_VERSION)
        return kst_fail(report, KARST_ERROR_VERSION, "%s: pack version %u, this Karst reads up to %d; update Karst",
                        path, version, KST_PACK_VERSION);
    if (version < KST_PACK_VERSION_LEAST || header_bytes != KST_PACK_HEADER_BYTES || place != KST_PACK_HEADER_BYTES ||
        spare)
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: header: a field is out of range", path);
    if (pack->def.partial && file_bytes > file->size) {
        karst_status status = map_growing(pack, file_bytes, path, report);
        if (status) return status;
    }
    if (file_bytes != file->size)
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: %llu bytes where the header says %llu; copy or bake it again",
                        path, (unsigned long long)file->size, (unsigned long long)file_bytes);
    if (size > file_bytes - place || kst_pack_aligned(place + size) > file_bytes)
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: header: the directory does not fit the file", path);
    if (kst_pack_aligned(place + size) > atomic_load(&pack->present))
        return not_yet(path, atomic_load(&pack->present), kst_pack_aligned(place + size), report);
    if (kst_hash(file->bytes + place, (size_t)size, 0) != directory_hash ||
        !all_zero(file->bytes + place + size, kst_pack_aligned(place + size) - (place + size)))
        return kst_fail(report, KARST_ERROR_FORMAT, "%s: directory: the checksum is wrong; copy or bake it again",
                        path);
    pack->version = version;
    karst_status status =
        kst_directory_read(&pack->directory, version, file->bytes + place, (size_t)size, kst_pack_aligned(place + size),
                           file_bytes, pack->def.allocator, path, report);
    return status ? status : read_tables(pack, path, report);
}

bool kst_pack_front_is_sound(const karst_pack *pack) {
    const uint8_t *bytes = pack->file.bytes;
    kst_reader r = {bytes + 32, bytes + KST_PACK_HEADER_BYTES, false};  // what was checked at opening, checked again
    uint64_t size = kst_read_u64(&r), directory_hash = kst_read_u64(&r);
    kst_read_u64(&r);
    if (kst_read_u64(&r) != kst_hash(bytes, KST_PACK_HEADER_BYTES - 8, 0)) return false;
    const uint8_t *tables;
    return size <= pack->file.size - KST_PACK_HEADER_BYTES &&
           kst_hash(bytes + KST_PACK_HEADER_BYTES, (size_t)size, 0) == directory_hash &&
           !kst_pack_part(pack, &pack->directory.tables, &tables);
}

karst_status karst_pack_open(const char *path, const karst_pack_def *def, karst_pack **out) {
    karst_pack_def d = def ? *def : karst_pack_def_default();
    KARST_ASSERT(d.cookie == KST_COOKIE);
    karst_report *report = d.report;
    d.report = NULL;
    karst_pack *pack = kst_alloc_zero(d.allocator, sizeof *pack);
    if (!pack) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    pack->def = d;
    pack->growing = -1;
    pack->rack = kst_alloc_zero(d.allocator, sizeof *pack->rack);
    karst_status status = pack->rack ? kst_file_map(path, report, &pack->file)
                                     : kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    atomic_store(&pack->present, pack->file.size);
    if (!status) {
        status = kst_family_shelf_create(&d, &pack->shelf);
        if (status) kst_fail(report, status, "%s: out of memory", path);
    }
    if (!status) status = read_front(pack, path, report);
    if (!status) {
        status = kst_pack_ground_create(pack, &pack->ground);
        if (status) kst_fail(report, status, "%s: out of memory", path);
    }
    if (status) {
        karst_pack_close(pack);
        return status;
    }
    *out = pack;
    return KARST_OK;
}

void karst_pack_close(karst_pack *pack) {
    if (!pack) return;
    kst_pack_ground_destroy(pack->ground, pack->def.allocator);
    for (int i = 0; pack->rack && i < RACK_PLACES; ++i) kst_record_coder_destroy(atomic_load(&pack->rack->place[i]));
    kst_free(pack->def.allocator, pack->rack, sizeof *pack->rack);
    kst_family_shelf_destroy(pack->shelf, pack->def.allocator);
    kst_free(pack->def.allocator, pack->tables, sizeof *pack->tables);
    kst_free(pack->def.allocator, pack->slots, sizeof *pack->slots);
    for (int m = 0; m < KST_PACK_MAPS_MAX; ++m) {
        size_t bytes;
        if (pack->samples[m] && kst_map_bytes(&pack->directory.maps[m], &bytes))
            kst_free(pack->def.allocator, pack->samples[m], bytes);
    }
    kst_directory_free(&pack->directory, pack->def.allocator);
    kst_file_unmap(&pack->file);
    if (pack->growing >= 0) kst_file_close(pack->growing);
    kst_free(pack->def.allocator, pack, sizeof *pack);
}

uint64_t karst_pack_refresh(karst_pack *pack) {
    uint64_t before = atomic_load(&pack->present);
    if (pack->growing < 0 || before == pack->file.size) return before;
    uint64_t now = kst_file_size(pack->growing);
    if (now > pack->file.size) now = pack->file.size;
    while (before < now && !atomic_compare_exchange_weak(&pack->present, &before, now)) {
    }
    return before < now ? now : before;
}

karst_pack_info karst_pack_info_of(const karst_pack *pack) {
    const kst_directory *d = &pack->directory;
    return (karst_pack_info){.version = pack->version,
                             .file_bytes = pack->file.size,
                             .lattice = d->lattice,
                             .level_count = d->level_count,
                             .bounds = d->bounds,
                             .hole_count = d->hole_count,
                             .min_y_m = d->min_y_m,
                             .max_y_m = d->max_y_m,
                             .beside_m = (float)(fmax(d->reach_x_steps, d->reach_z_steps) * d->lattice.step_xz_m),
                             .world_hash = d->world_hash};
}

void karst_pack_chunk_grid(const karst_pack *pack, int level, int32_t *chunks_x, int32_t *chunks_z) {
    KARST_ASSERT(level >= 0 && level < pack->directory.level_count);
    *chunks_x = pack->directory.chunks_x[level];
    *chunks_z = pack->directory.chunks_z[level];
}

const karst_node *karst_pack_nodes(const karst_pack *pack, int level) {
    KARST_ASSERT(level >= 0 && level < pack->directory.level_count);
    return pack->directory.nodes + pack->directory.first[level];
}

bool karst_pack_chunk_bounds(const karst_pack *pack, int level, int32_t x, int32_t z, float out[6]) {
    const float *bounds = pack->directory.chunk_bounds[kst_pack_chunk_index(pack, level, x, z)];
    memcpy(out, bounds, 6 * sizeof *out);
    return bounds[0] <= bounds[3];
}

static kst_record_coder *take_decoder(const karst_pack *pack) {
    for (int i = 0; i < RACK_PLACES; ++i) {
        kst_record_coder *d = atomic_exchange(&pack->rack->place[i], NULL);
        if (d) return d;
    }
    return kst_record_coder_create(pack->def.allocator, false);
}

static void put_back(const karst_pack *pack, kst_record_coder *d) {
    for (int i = 0; i < RACK_PLACES; ++i) {
        kst_record_coder *empty = NULL;
        if (atomic_compare_exchange_strong(&pack->rack->place[i], &empty, d)) return;
    }
    kst_record_coder_destroy(d);
}

// Queries trust that no vertex of level 0 is moved farther than the directory says.
static bool keeps_reach(const kst_directory *d, const karst_chunk *chunk) {
    int x = 0, z = 0;
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
        int dx = abs(chunk->vertex[k].dx), dz = abs(chunk->vertex[k].dz);
        x = dx > x ? dx : x;
        z = dz > z ? dz : z;
    }
    return x <= d->reach_x_steps && z <= d->reach_z_steps;
}

karst_status kst_pack_record_status(const karst_pack *pack, size_t record) {
    const uint8_t *bytes;
    return kst_pack_part(pack, &pack->directory.records[record], &bytes);
}

karst_status kst_pack_decode_record(const karst_pack *pack, size_t record, kst_record_place place,
                                    const karst_chunk *parent, karst_chunk chunks[4]) {
    const kst_directory *d = &pack->directory;
    const kst_pack_span *span = &d->records[record];
    const uint8_t *bytes;
    karst_status status = kst_pack_part(pack, span, &bytes);
    if (status) return status;
    if (record) {
        kst_record_coder *decoder = take_decoder(pack);
        if (!decoder) return KARST_ERROR_MEMORY;
        status =
            kst_record_decode(decoder, pack->tables, pack->slots, place, parent, bytes, (size_t)span->size, chunks);
        put_back(pack, decoder);
    } else {
        status = kst_pack_decode_chunk(bytes, (size_t)span->size, d->level_count - 1, pack->def.allocator, chunks);
    }
    int level = record ? place.level : d->level_count - 1;
    for (int child = 0; child < (record ? 4 : 1) && !status && !level; ++child)
        if ((!record || kst_record_has(pack->tables, place, child)) && !keeps_reach(d, &chunks[child]))
            status = KARST_ERROR_FORMAT;
    return status;
}

karst_status karst_pack_read_chunk(const karst_pack *pack, int level, int32_t x, int32_t z, karst_chunk *out) {
    const kst_directory *d = &pack->directory;
    kst_pack_chunk_index(pack, level, x, z);  // asserts that it is inside
    kst_family *family;
    karst_status status = kst_family_get(pack, kst_pack_record_of(d, level, x, z), &family);
    if (status) return status;
    *out = *kst_family_chunk(family, kst_pack_child_of(d, level, x, z));
    kst_family_drop(pack, family);
    return KARST_OK;
}

int karst_pack_map_count(const karst_pack *pack) {
    return pack->directory.map_count;
}

karst_map karst_pack_map_info(const karst_pack *pack, int index) {
    KARST_ASSERT(index >= 0 && index < pack->directory.map_count);
    return pack->directory.maps[index];
}

static karst_status decode_map(karst_pack *pack, int index) {
    const karst_map *map = &pack->directory.maps[index];
    const kst_pack_span *span = &pack->directory.map_spans[index];
    const uint8_t *bytes;
    size_t raw;
    karst_status status = kst_pack_part(pack, span, &bytes);
    if (!status && !kst_map_bytes(map, &raw)) status = KARST_ERROR_FORMAT;
    if (status) return status;
    void *samples = kst_alloc(pack->def.allocator, raw);
    if (!samples) return KARST_ERROR_MEMORY;
    status = kst_map_decode(bytes, (size_t)span->size, map, samples);
    if (status)
        kst_free(pack->def.allocator, samples, raw);
    else
        pack->samples[index] = samples;
    return status;
}

karst_status karst_pack_map(karst_pack *pack, const char *name, karst_map *out) {
    for (int m = 0; m < pack->directory.map_count; ++m) {
        if (strcmp(pack->directory.maps[m].name, name)) continue;
        karst_status status = pack->samples[m] ? KARST_OK : decode_map(pack, m);
        if (status) return status;
        *out = pack->directory.maps[m];
        out->samples = pack->samples[m];
        return KARST_OK;
    }
    return KARST_ERROR_UNSUPPORTED;
}

const karst_ground *karst_pack_ground(karst_pack *pack) {
    return kst_pack_ground_of(pack->ground);
}

karst_status karst_pack_hold(karst_pack *pack, int32_t x, int32_t z) {
    return kst_pack_ground_hold(pack->ground, x, z);
}

void karst_pack_drop(karst_pack *pack, int32_t x, int32_t z) {
    kst_pack_ground_drop(pack->ground, x, z);
}

size_t karst_pack_hold_bytes(const karst_pack *pack) {
    (void)pack;
    return kst_pack_ground_chunk_bytes();
}
