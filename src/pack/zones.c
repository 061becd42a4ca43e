// SPDX-License-Identifier: MIT
// Zones of a net in a pack: each a zstd frame of what karst_zone_write() makes.
#include "pack/pack.h"

#include <math.h>
#include <stdlib.h>

enum { ZSTD_LEVEL = 19 };

karst_status kst_pack_encode_zone(const karst_zone *zone, kst_pack_zone *entry, uint8_t **out, size_t *room) {
    size_t raw_bytes = karst_zone_write(zone, NULL, 0);
    if (raw_bytes > KST_PACK_ZONE_RAW_MAX) return KARST_ERROR_LIMIT;
    *room = kst_compress_bound(raw_bytes);
    uint8_t *raw = kst_alloc(NULL, raw_bytes);
    *out = kst_alloc(NULL, *room);
    size_t packed = 0;
    if (raw && *out) {
        karst_zone_write(zone, raw, raw_bytes);
        packed = kst_compress(raw, raw_bytes, *out, *room, ZSTD_LEVEL);
    }
    kst_free(NULL, raw, raw_bytes);
    *entry = (kst_pack_zone){
        .zone_x = zone->zone_x,
        .zone_z = zone->zone_z,
        .patch_count = zone->patch_count,
        .raw_bytes = (uint32_t)raw_bytes,
        .low = {zone->bias.x + zone->low.x, zone->bias.y + zone->low.y, zone->bias.z + zone->low.z},
        .high = {zone->bias.x + zone->high.x, zone->bias.y + zone->high.y, zone->bias.z + zone->high.z},
        .span = {.size = packed},
    };
    return packed ? KARST_OK : KARST_ERROR_MEMORY;
}

int32_t karst_pack_zone_count(const karst_pack *pack) {
    return (int32_t)pack->directory.zone_count;
}

karst_pack_zone karst_pack_zone_info(const karst_pack *pack, int32_t index) {
    KARST_ASSERT(index >= 0 && index < karst_pack_zone_count(pack));
    const kst_directory *d = &pack->directory;
    const kst_pack_zone *z = &d->zones[index];
    double fine = ldexp(1.0 / KARST_NET_FINE, d->net_step_log2);
    karst_pos o = d->net_origin;
    return (karst_pack_zone){
        .zone_x = z->zone_x,
        .zone_z = z->zone_z,
        .patch_count = z->patch_count,
        .bytes = (uint32_t)z->span.size,
        .raw_bytes = z->raw_bytes,
        .bounds = {{o.x + z->low[0] * fine, o.y + z->low[1] * fine, o.z + z->low[2] * fine},
                   {o.x + z->high[0] * fine, o.y + z->high[1] * fine, o.z + z->high[2] * fine}},
    };
}

int32_t karst_pack_seam_count(const karst_pack *pack) {
    return (int32_t)pack->directory.seam_count;
}

const karst_pack_seam *karst_pack_seams(const karst_pack *pack) {
    return pack->directory.seams;
}

karst_pos karst_pack_net_origin(const karst_pack *pack) {
    return pack->directory.net_origin;
}

// Is a zone what the directory says of it? Whoever chose it by its bounds trusts them.
static bool is_as_told(const kst_directory *d, const kst_pack_zone *entry, const karst_zone *zone) {
    const karst_fine *b = &zone->bias, *low = &zone->low, *high = &zone->high;
    return zone->zone_x == entry->zone_x && zone->zone_z == entry->zone_z && zone->step_log2 == d->net_step_log2 &&
           zone->patch_count == entry->patch_count && b->x + low->x >= entry->low[0] &&
           b->y + low->y >= entry->low[1] && b->z + low->z >= entry->low[2] && b->x + high->x <= entry->high[0] &&
           b->y + high->y <= entry->high[1] && b->z + high->z <= entry->high[2];
}

karst_status karst_pack_zone_read(const karst_pack *pack, int32_t index, const karst_noise_bank *bank,
                                  karst_report *report, karst_zone **out) {
    KARST_ASSERT(index >= 0 && index < karst_pack_zone_count(pack));
    const kst_directory *d = &pack->directory;
    const kst_pack_zone *entry = &d->zones[index];
    const karst_allocator *allocator = pack->def.allocator;
    const uint8_t *packed;
    karst_status status = kst_pack_part(pack, &entry->span, &packed);
    if (status)
        return kst_fail(report, status, "zone %d, %d: %s", entry->zone_x, entry->zone_z,
                        status == KARST_ERROR_PENDING ? "its bytes are not there yet; ask again later"
                                                      : "the checksum is wrong; copy or bake the pack again");
    uint8_t *raw = kst_alloc(allocator, entry->raw_bytes);
    if (!raw) return kst_fail(report, KARST_ERROR_MEMORY, "zone %d, %d: out of memory", entry->zone_x, entry->zone_z);
    karst_zone *zone = NULL;
    if (kst_decompress(packed, (size_t)entry->span.size, raw, entry->raw_bytes))
        status = karst_zone_read(raw, entry->raw_bytes, bank, allocator, report, &zone);
    else
        status = kst_fail(report, KARST_ERROR_FORMAT, "zone %d, %d: its bytes do not unpack; bake the pack again",
                          entry->zone_x, entry->zone_z);
    kst_free(allocator, raw, entry->raw_bytes);
    if (!status && !is_as_told(d, entry, zone)) {
        status = kst_fail(report, KARST_ERROR_FORMAT,
                          "zone %d, %d: is not what the directory says of it; bake the pack again", entry->zone_x,
                          entry->zone_z);
        karst_zone_destroy(zone);
    }
    if (!status) *out = zone;
    return status;
}
