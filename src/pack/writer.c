// SPDX-License-Identifier: MIT
// Writing a pack: the place of header and directory is reserved, maps and chunks stream past, and the two are
// filled in at the end, when all sizes and hashes are known.
#include "pack/writer.h"

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

static karst_status put_chunk(kst_writer *w, kst_directory *d, int level, int32_t x, int32_t z, kst_pack_chunk_fn *fn,
                              void *context) {
    const uint8_t *bytes = NULL;
    size_t size = 0;
    karst_status status = fn(context, level, x, z, &bytes, &size);
    if (status) return status;
    kst_chunk_head head;
    if (size > UINT32_MAX || !kst_chunk_head_read(bytes, size, &head) || head.level != level) return KARST_ERROR_FORMAT;
    if (level == 0) {
        if (head.reach_x_steps > d->reach_x_steps) d->reach_x_steps = head.reach_x_steps;
        if (head.reach_z_steps > d->reach_z_steps) d->reach_z_steps = head.reach_z_steps;
    }
    d->spans[d->first[level] + (size_t)z * (size_t)d->chunks_x[level] + (size_t)x] = put_part(w, bytes, size);
    return KARST_OK;
}

static karst_status put_chunks(kst_writer *w, kst_directory *d, kst_pack_chunk_fn *fn, void *context,
                               const karst_progress *progress) {
    size_t done = 0;
    karst_status status = KARST_OK;
    for (int level = d->level_count - 1; level >= 0; --level)
        for (int32_t z = 0; z < d->chunks_z[level]; ++z)
            for (int32_t x = 0; x < d->chunks_x[level] && !status; ++x, ++done) {
                if (done % 32 == 0)
                    status = kst_progress_step(progress, "write", (double)done / (double)d->chunk_count);
                if (!status) status = put_chunk(w, d, level, x, z, fn, context);
            }
    return status ? status : kst_progress_step(progress, "write", 1);
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
                         .max_y_m = c->max_y_m};
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

static karst_status put_all(kst_writer *w, kst_directory *d, const kst_pack_contents *contents, kst_pack_chunk_fn *fn,
                            void *context, const karst_progress *progress, uint64_t *hash) {
    size_t directory_bytes;
    if (!kst_directory_bytes(d, &directory_bytes)) return KARST_ERROR_LIMIT;
    reserve(w, kst_pack_aligned(KST_PACK_HEADER_BYTES + (uint64_t)directory_bytes));
    karst_status status = put_maps(w, d, contents);
    if (!status) status = put_chunks(w, d, fn, context, progress);
    if (!status) status = put_front(w, d, directory_bytes, hash);
    return status;
}

karst_status kst_pack_write(const char *path, const kst_pack_contents *contents, kst_pack_chunk_fn *fn, void *context,
                            const karst_progress *progress, karst_report *report, uint64_t *hash, uint64_t *bytes) {
    kst_directory d;
    if (report) report->status = KARST_OK;
    karst_status status = fill_directory(&d, contents, path, report);
    kst_writer writer;
    if (!status) status = kst_writer_open(&writer, path, report);
    if (!status) {
        uint64_t file_hash = 0;
        status = put_all(&writer, &d, contents, fn, context, progress, &file_hash);
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
