// SPDX-License-Identifier: MIT
// What zones cost in bytes: 100 patches of 16 m on hills, each tile with a displacement map of its own, beside the same
// ground as 16-bit heights every 0.5 m.
#include <stdlib.h>

#include "core/core.h"
#include "patch_bytes.h"
#include "scenes/nets.h"
#include "surface/zone_record.h"

enum { ZONES = 3, PATCHES = 10, CAGE = ZONES * PATCHES, SAMPLES = KARST_ZONE_SIDE_M * 2 + 1, LEVEL = 19 };

static karst_status hills(karst_report *report, karst_net **out) {
    size_t places_room = (CAGE + 1) * (CAGE + 1), quads_room = CAGE * CAGE;
    karst_pos *places = malloc(places_room * sizeof *places);
    int32_t(*quads)[4] = malloc(quads_room * sizeof *quads);
    karst_net *net = NULL;
    karst_status status = places && quads ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net);
    if (!status) {
        for (int j = 0; j <= CAGE; ++j)
            for (int i = 0; i <= CAGE; ++i)
                places[j * (CAGE + 1) + i] = (karst_pos){16.0 * i, scene_net_hill(16.0 * i, 16.0 * j), 16.0 * j};
        for (int j = 0; j < CAGE; ++j)
            for (int i = 0; i < CAGE; ++i) {
                int32_t a = j * (CAGE + 1) + i, quad[4] = {a, a + 1, a + CAGE + 2, a + CAGE + 1};
                memcpy(quads[j * CAGE + i], quad, sizeof quad);
            }
        karst_net_cage cage = {.places = places,
                               .place_count = (int32_t)places_room,
                               .quads = (const int32_t(*)[4])quads,
                               .quad_count = (int32_t)quads_room};
        status = karst_net_from_cage(net, &cage, report);
    }
    free(places), free(quads);
    if (status)
        karst_net_destroy(net);
    else
        *out = net;
    return status;
}

static void vary_tiles(karst_net *net) {
    for (int32_t k = 0; k < net->patch_count; ++k)
        for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
            net->patches[k].slot[i] = (uint8_t)(kst_random(5, (uint64_t)k * 256 + (uint64_t)i) & 15);
}

// Bytes of a zone: all, the nibbles of its tiles, all in a frame.
typedef struct sizes {
    size_t all, tiles, packed;
    uint64_t hash;
} sizes;

static bool measure(const karst_zone *zone, sizes *out) {
    *out = (sizes){.all = karst_zone_write(zone, NULL, 0)};
    size_t room = kst_compress_bound(out->all);
    uint8_t *bytes = malloc(out->all), *packed = malloc(room);
    bool good = bytes && packed;
    if (good) {
        karst_zone_write(zone, bytes, out->all);
        out->packed = kst_compress(bytes, out->all, packed, room, LEVEL);
        out->hash = kst_hash(bytes, out->all, 0);
        for (uint32_t k = 0; k < zone->patch_count; ++k) {
            const uint8_t *tiles = zone->record->data.patches[k].tiles_log2;
            out->tiles += ((size_t)1 << (tiles[0] + tiles[1])) / 2;
        }
    }
    free(bytes), free(packed);
    return good;
}

typedef struct reading {
    const uint8_t *bytes;
    size_t size;
    const karst_noise_bank *bank;
} reading;

static void read_zone(void *context) {
    const reading *r = context;
    karst_zone *zone;
    if (!karst_zone_read(r->bytes, r->size, r->bank, NULL, NULL, &zone)) karst_zone_destroy(zone);
}

static karst_status plain(bench *b, const karst_zone *zone, const karst_noise_bank *bank) {
    const double heights = 2.0 * SAMPLES * SAMPLES;
    sizes s;
    uint8_t *bytes = malloc(karst_zone_write(zone, NULL, 0));
    if (!bytes || !measure(zone, &s)) {
        free(bytes);
        return KARST_ERROR_MEMORY;
    }
    size_t geometry = s.all - s.tiles;
    bench_add_note(b,
                   &(bench_row){.what = "zone_bytes_geometry",
                                .unit = "B",
                                .value = (double)geometry,
                                .peer = "16-bit heights, 0.5 m",
                                .peer_value = heights,
                                .hash = s.hash},
                   "%u patches, %u corners; not compressed", zone->patch_count, zone->corner_count);
    bench_add_note(b,
                   &(bench_row){.what = "zone_bytes_all",
                                .unit = "B",
                                .value = (double)s.packed,
                                .peer = "16-bit heights, 0.5 m",
                                .peer_value = heights,
                                .hash = s.hash},
                   "as in a pack, with a displacement map a tile at random; %zu not compressed", s.all);
    karst_zone_write(zone, bytes, s.all);
    double ours, none;
    bench_compare(b, read_zone, NULL, &(reading){bytes, s.all, bank}, &ours, &none);
    bench_add(b, &(bench_row){.what = "zone_read_ms", .unit = "ms", .value = ours * 1e3, .runs = bench_runs(b)});
    free(bytes);
    return KARST_OK;
}

// Patches bound two and four to one, folds, an arch, fans, a tunnel: the costliest zone for its patches.
static karst_status bound(bench *b) {
    karst_net *net;
    scene_zones zones;
    karst_status status =
        scene_net(&(scene_net_def){.side = b->quick ? 16 : 64, .slot = 9, .tiles_log2 = 3}, b->report, &net);
    if (status) return status;
    status = scene_zones_cut(net, b->report, &zones);
    karst_net_destroy(net);
    if (status) return status;
    double most = 0;
    uint32_t patches = 0;
    for (int k = 0; k < zones.count && !status; ++k) {
        sizes s;
        const karst_zone *zone = zones.zones[k];
        if (zone->patch_count < 60) continue;
        if (!measure(zone, &s)) status = KARST_ERROR_MEMORY;
        double share = 100.0 * (double)(s.all - s.tiles) / zone->patch_count;
        if (share > most) most = share, patches = zone->patch_count;
    }
    bench_add_note(b, &(bench_row){.what = "zone_bytes_geometry_bound", .unit = "B/100 patches", .value = most},
                   "worst of %d zones of the scene, %u patches", zones.count, patches);
    scene_zones_free(&zones);
    return status;
}

karst_status bench_patch_bytes(bench *b) {
    karst_net *net = NULL;
    karst_zone *zone = NULL;
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_status status = bank ? hills(b->report, &net) : KARST_ERROR_MEMORY;
    if (!status) {
        karst_noise_bank_make(bank);
        vary_tiles(net);
        status = karst_net_finish(net, b->report);
    }
    if (!status) status = karst_net_cut(net, 1, 1, bank, b->report, &zone);
    if (!status) status = plain(b, zone, bank);
    if (!status) status = bound(b);
    karst_zone_destroy(zone);
    karst_net_destroy(net);
    free(bank);
    return status;
}
