// SPDX-License-Identifier: MIT
// Writing a pack: the place of header and directory is reserved, tables, maps and records stream past, and the two are
// filled in at the end, when all sizes and hashes are known.
#include "pack/writer.h"

#include <stdlib.h>

#include "pack/format.h"

static void pad(kst_writer *w) {
    static const uint8_t zeros[KST_PACK_ALIGN];
    kst_writer_put(w, zeros, (size_t)(kst_pack_aligned(w->offset) - w->offset));
}

static void reserve(kst_writer *w, uint64_t bytes) {
    static const uint8_t zeros[4096];
    for (; bytes > sizeof zeros; bytes -= sizeof zeros) kst_writer_put(w, zeros, sizeof zeros);
    kst_writer_put(w, zeros, (size_t)bytes);
}

static kst_pack_span put_part(kst_writer *w, const uint8_t *bytes, size_t size) {
    kst_pack_span span = {w->offset, size, kst_hash(bytes, size, 0)};
    kst_writer_put(w, bytes, size);
    pad(w);
    return span;
}

static karst_status encode_map(const karst_map *map, uint8_t *out, size_t room, size_t *size) {
    *size = 0;
    for (int band = 0; band < kst_map_bands(map); ++band) {
        size_t packed = kst_map_encode_band(map, band, out + *size, room - *size);
        if (!packed) return KARST_ERROR_MEMORY;
        *size += packed;
    }
    return KARST_OK;
}

static karst_status put_maps(kst_writer *w, kst_directory *d, const kst_pack_contents *c) {
    karst_status status = KARST_OK;
    for (int m = 0; m < d->map_count && !status; ++m) {
        const karst_map *map = &c->maps[m];
        size_t raw, size = 0, room = (size_t)kst_map_bands(map) * kst_map_band_bound(map);
        if (!kst_map_bytes(map, &raw)) return KARST_ERROR_ARGUMENT;
        if (c->map_bytes[m]) {
            d->map_spans[m] = put_part(w, c->map_bytes[m], c->map_sizes[m]);
            continue;
        }
        uint8_t *bytes = kst_alloc(NULL, room);
        status = bytes ? encode_map(map, bytes, room, &size) : KARST_ERROR_MEMORY;
        if (!status) d->map_spans[m] = put_part(w, bytes, size);
        kst_free(NULL, bytes, room);
    }
    return status;
}

static karst_status put_records(kst_writer *w, kst_directory *d, kst_pack_record_fn *fn, void *context,
                                const karst_progress *progress) {
    karst_status status = KARST_OK;
    for (size_t record = 0; record < d->record_count && !status; ++record) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        if (record % 32 == 0) status = kst_progress_step(progress, "write", (double)record / (double)d->record_count);
        if (!status) status = fn(context, record, &bytes, &size);
        if (!status && (!size || size > UINT32_MAX)) status = KARST_ERROR_FORMAT;
        if (!status) d->records[record] = put_part(w, bytes, size);
    }
    return status ? status : kst_progress_step(progress, "write", 1);
}

// The world's hash tells of the zones, too.
static karst_status put_zones(kst_writer *w, kst_directory *d, const kst_pack_contents *c,
                              const karst_progress *progress) {
    karst_status status = KARST_OK;
    for (int32_t k = 0; k < c->zone_count && !status; ++k) {
        karst_zone *zone = NULL;
        uint8_t *bytes = NULL;
        size_t room = 0;
        status = kst_progress_step(progress, "zones", (double)k / (double)c->zone_count);
        if (!status) status = c->zone(c->zone_context, k, &zone);
        if (!status) status = kst_pack_encode_zone(zone, &d->zones[k], &bytes, &room);
        if (!status) {
            d->zones[k].span = put_part(w, bytes, (size_t)d->zones[k].span.size);
            d->world_hash = kst_hash_u64(d->world_hash, d->zones[k].span.hash);
        }
        kst_free(NULL, bytes, room);
        karst_zone_destroy(zone);
    }
    return status;
}

// Directory and header, now that everything else is placed. The header's hash seals the directory's, and that one
// all others, so it names the whole file.
static karst_status put_front(kst_writer *w, const kst_directory *d, size_t directory_bytes, uint64_t *hash) {
    uint8_t *bytes = kst_alloc(NULL, directory_bytes);
    if (!bytes) return KARST_ERROR_MEMORY;
    kst_directory_put(d, bytes);
    kst_writer_at(w, KST_PACK_HEADER_BYTES, bytes, directory_bytes);
    uint8_t header[KST_PACK_HEADER_BYTES];
    memcpy(header, kst_pack_magic, sizeof kst_pack_magic);
    kst_out o = {header + sizeof kst_pack_magic};
    kst_put_uint(&o, KST_PACK_VERSION, 4);
    kst_put_uint(&o, KST_PACK_HEADER_BYTES, 4);
    kst_put_uint(&o, w->offset, 8);
    kst_put_uint(&o, KST_PACK_HEADER_BYTES, 8);
    kst_put_uint(&o, directory_bytes, 8);
    kst_put_uint(&o, kst_hash(bytes, directory_bytes, 0), 8);
    kst_put_uint(&o, 0, 8);
    *hash = kst_hash(header, (size_t)(o.at - header), 0);
    kst_put_uint(&o, *hash, 8);
    kst_writer_at(w, 0, header, sizeof header);
    kst_free(NULL, bytes, directory_bytes);
    return KARST_OK;
}

static karst_status fill_directory(kst_directory *d, const kst_pack_contents *c, const char *path,
                                   karst_report *report) {
    *d = (kst_directory){.lattice = c->lattice,
                         .level_count = c->level_count,
                         .map_count = c->map_count,
                         .hole_count = c->hole_count,
                         .world_hash = c->world_hash,
                         .bounds = c->bounds,
                         .min_y_m = c->min_y_m,
                         .max_y_m = c->max_y_m,
                         .reach_x_steps = c->reach_x_steps,
                         .reach_z_steps = c->reach_z_steps,
                         .zone_count = (size_t)c->zone_count,
                         .seam_count = (size_t)c->seam_count,
                         .net_origin = c->net_origin,
                         .net_step_log2 = c->net_step_log2};
    if (c->map_count >= 0 && c->map_count <= KST_PACK_MAPS_MAX)
        memcpy(d->maps, c->maps, sizeof *d->maps * (size_t)c->map_count);
    karst_status status = kst_directory_check(d, path, KARST_ERROR_LIMIT, report);  // no chunk is numbered yet
    if (status) return status;
    kst_directory_number(d);
    status = kst_directory_alloc(d, NULL);
    if (status) return kst_fail(report, status, "%s: out of memory for the directory", path);
    for (int level = 0; level < d->level_count; ++level) {
        size_t count = (size_t)d->chunks_x[level] * (size_t)d->chunks_z[level];
        memcpy(d->nodes + d->first[level], c->nodes[level], count * sizeof *d->nodes);
        memcpy(d->chunk_bounds + d->first[level], c->chunk_bounds[level], count * sizeof *d->chunk_bounds);
    }
    return kst_directory_check(d, path, KARST_ERROR_LIMIT, report);
}

static karst_status take_seams(kst_directory *d, const kst_pack_contents *c, const char *path, karst_report *report) {
    if (d->seam_count) memcpy(d->seams, c->seams, d->seam_count * sizeof *d->seams);
    return kst_directory_check_seams(d, path, KARST_ERROR_LIMIT, report);
}

static karst_status put_all(kst_writer *w, kst_directory *d, const kst_pack_contents *contents, kst_pack_record_fn *fn,
                            void *context, const char *path, const karst_progress *progress, karst_report *report,
                            uint64_t *hash) {
    size_t directory_bytes;
    if (!kst_directory_bytes(d, KST_PACK_VERSION, &directory_bytes)) return KARST_ERROR_LIMIT;
    reserve(w, kst_pack_aligned(KST_PACK_HEADER_BYTES + (uint64_t)directory_bytes));
    d->tables = put_part(w, contents->tables, contents->table_bytes);
    karst_status status = put_maps(w, d, contents);
    if (!status) status = put_records(w, d, fn, context, progress);
    if (!status) status = put_zones(w, d, contents, progress);
    if (!status) status = take_seams(d, contents, path, report);
    if (!status) status = put_front(w, d, directory_bytes, hash);
    return status;
}

karst_status kst_pack_write(const char *path, const kst_pack_contents *contents, kst_pack_record_fn *fn, void *context,
                            const karst_progress *progress, karst_report *report, uint64_t *hash, uint64_t *bytes) {
    kst_directory d;
    if (report) report->status = KARST_OK;
    karst_status status = fill_directory(&d, contents, path, report);
    kst_writer writer;
    if (!status) status = kst_writer_open(&writer, path, report);
    if (!status) {
        uint64_t file_hash = 0;
        status = put_all(&writer, &d, contents, fn, context, path, progress, report, &file_hash);
        uint64_t file_bytes = writer.offset;
        if (status) {
            kst_writer_abandon(&writer);
            if (!report || !report->status)  // else fn told more
                kst_fail(report, status, "%s: not written: %s", path, karst_status_text(status));
        } else {
            status = kst_writer_commit(&writer, report);
        }
        if (!status && hash) *hash = file_hash;
        if (!status && bytes) *bytes = file_bytes;
    }
    kst_directory_free(&d, NULL);
    return status;
}

// ---- from chunks -----------------------------------------------------------------------------------

typedef struct chunk_source {
    kst_directory d;  // numbers only
    kst_chunk_fn *fn;
    void *context;
    kst_record_tables tables;
    kst_record_codes codes;
    kst_record_coder *coder;
    karst_chunk parent, child[4];
    uint8_t *bytes;
    size_t room;
} chunk_source;

static karst_status encode_record(void *context, size_t record, const uint8_t **bytes, size_t *size) {
    chunk_source *s = context;
    *bytes = s->bytes;
    if (record == 0) {
        karst_status status = s->fn(s->context, s->d.level_count - 1, 0, 0, &s->parent);
        *size = status ? 0 : kst_pack_encode_chunk(&s->parent, s->d.level_count - 1, s->bytes, s->room);
        return status ? status : *size ? KARST_OK : KARST_ERROR_MEMORY;
    }
    kst_record_place p = kst_pack_place_of(&s->d, record);
    const karst_chunk *there[4] = {NULL};
    karst_status status = s->fn(s->context, p.level + 1, p.x, p.z, &s->parent);
    for (int child = 0; child < 4 && !status; ++child) {
        if (!kst_record_has(&s->tables, p, child)) continue;
        status = s->fn(s->context, p.level, 2 * p.x + (child & 1), 2 * p.z + (child >> 1), &s->child[child]);
        there[child] = &s->child[child];
    }
    if (!status) *size = kst_record_encode(s->coder, &s->tables, &s->codes, p, &s->parent, there, s->bytes, s->room);
    return status ? status : *size ? KARST_OK : KARST_ERROR_ARGUMENT;
}

// Is any vertex of level 0 moved, and how far?
static karst_status measure_reach(chunk_source *s, uint16_t reach[2]) {
    for (int32_t z = 0; z < s->d.chunks_z[0]; ++z)
        for (int32_t x = 0; x < s->d.chunks_x[0]; ++x) {
            karst_status status = s->fn(s->context, 0, x, z, &s->parent);
            if (status) return status;
            for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
                int dx = s->parent.vertex[k].dx, dz = s->parent.vertex[k].dz;
                reach[0] = (uint16_t)(abs(dx) > reach[0] ? abs(dx) : reach[0]);
                reach[1] = (uint16_t)(abs(dz) > reach[1] ? abs(dz) : reach[1]);
            }
        }
    return KARST_OK;
}

karst_status kst_pack_write_chunks(const char *path, const kst_pack_contents *contents, kst_chunk_fn *fn, void *context,
                                   const karst_progress *progress, karst_report *report, uint64_t *hash,
                                   uint64_t *bytes) {
    kst_pack_contents c = *contents;
    chunk_source *s = kst_alloc_zero(NULL, sizeof *s);
    if (!s) return kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    size_t one = kst_record_encode_bound(), root = kst_pack_encode_bound();
    s->fn = fn;
    s->context = context;
    s->room = one > root ? one : root;
    s->bytes = kst_alloc(NULL, s->room);
    s->coder = kst_record_coder_create(NULL, true);
    karst_status status = s->bytes && s->coder ? fill_directory(&s->d, contents, path, report)
                                               : kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    size_t room = kst_record_tables_bound(s->d.level_count);
    uint8_t *tables = kst_alloc(NULL, room);
    if (!status && !tables) status = kst_fail(report, KARST_ERROR_MEMORY, "%s: out of memory", path);
    if (!status) {
        uint16_t reach[2] = {0, 0};
        status = measure_reach(s, reach);
        c.reach_x_steps = reach[0], c.reach_z_steps = reach[1];
        s->tables.lattice = c.lattice;
        s->tables.level_count = c.level_count;
        s->tables.displaced = reach[0] || reach[1];
        if (!status) status = kst_record_tables_learn(&s->tables, fn, context, NULL, progress);
        if (status) kst_fail(report, status, "%s: %s", path, karst_status_text(status));
    }
    if (!status) {
        kst_record_codes_make(&s->tables, &s->codes);
        c.tables = tables;
        c.table_bytes = kst_record_tables_write(&s->tables, tables, room);
        status = kst_pack_write(path, &c, encode_record, s, progress, report, hash, bytes);
    }
    kst_directory_free(&s->d, NULL);
    kst_record_coder_destroy(s->coder);
    kst_free(NULL, tables, room);
    kst_free(NULL, s->bytes, s->room);
    kst_free(NULL, s, sizeof *s);
    return status;
}
