// SPDX-License-Identifier: MIT
// Where the bytes of a pack are.
#include <math.h>

#include "pack/pack.h"

enum { RECORDS_MOST = 4096 };

static void add_parts(karst_pack_parts *to, const kst_record_parts *bits, double scale) {
    to->heights += scale * bits->heights / 8;
    to->sideways += scale * bits->sideways / 8;
    to->normals += scale * bits->normals / 8;
    to->holes += scale * bits->holes / 8;
    to->light += scale * bits->light / 8;
    to->corners += scale * bits->corners / 8;
}

karst_status karst_pack_parts_of(const karst_pack *pack, karst_pack_parts *out) {
    const kst_directory *d = &pack->directory;
    size_t records = d->record_count - 1, count = records < RECORDS_MOST ? records : RECORDS_MOST;
    uint64_t front = d->tables.place + d->tables.size;
    karst_pack_parts parts = {.directory = (double)front, .root = (double)d->records[0].size};
    for (int m = 0; m < d->map_count; ++m) parts.maps += (double)d->map_spans[m].size;
    for (size_t k = 0; k < d->zone_count; ++k) parts.zones += (double)d->zones[k].span.size;
    kst_record_coder *coder = kst_record_coder_create(pack->def.allocator, false);
    karst_chunk *chunks = kst_alloc_array(pack->def.allocator, 4, sizeof *chunks);
    karst_status status = coder && chunks ? KARST_OK : KARST_ERROR_MEMORY;
    for (size_t k = 0; k < count && !status; ++k) {
        size_t record = 1 + records * k / count;
        kst_record_place p = kst_pack_place_of(d, record);
        kst_family *family;
        status = kst_family_get(pack, kst_pack_record_of(d, p.level + 1, p.x, p.z), &family);
        if (status) break;
        const karst_chunk *parent = kst_family_chunk(family, kst_pack_child_of(d, p.level + 1, p.x, p.z));
        status = kst_pack_record_status(pack, record);
        if (!status)
            status =
                kst_record_decode(coder, pack->tables, pack->slots, p, parent,
                                  pack->file.bytes + d->records[record].place, (size_t)d->records[record].size, chunks);
        kst_family_drop(pack, family);
        kst_record_parts bits = kst_record_parts_of(coder);
        if (!status) add_parts(&parts, &bits, (double)records / (double)count);
    }
    parts.rest = (double)pack->file.size - parts.directory - parts.maps - parts.root - parts.heights - parts.sideways -
                 parts.normals - parts.holes - parts.light - parts.corners - parts.zones;
    kst_free(pack->def.allocator, chunks, 4 * sizeof *chunks);
    kst_record_coder_destroy(coder);
    if (!status) *out = parts;
    return status;
}
