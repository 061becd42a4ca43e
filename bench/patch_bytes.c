// SPDX-License-Identifier: MIT
// What zones cost in bytes: 100 patches of 16 m on hills, each tile with a displacement map of its own and painted,
// beside the same ground as 16-bit heights every 0.5 m.
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

// Paths and clearings: dabs of a tile set, a group and a colour, some of them over others.
static void paint(karst_net *net, int dabs) {
    for (int k = 0; k < dabs; ++k) {
        double r[4];
        for (int n = 0; n < 4; ++n) r[n] = kst_random01(9, (uint64_t)(4 * k + n));
        double x = (1 + r[0]) * KARST_ZONE_SIDE_M, z = (1 + r[1]) * KARST_ZONE_SIDE_M;
        karst_net_paint(net, (karst_pos){x, scene_net_hill(x, z), z}, 4 + 12 * r[2], (int)(6 * r[3]),
                        (int32_t)(kst_random(10, (uint64_t)k) & 0xFFFF));
        karst_net_paint_group(net, (karst_pos){x, scene_net_hill(x, z), z}, 4 + 12 * r[2],
                              (int)(kst_random(12, (uint64_t)k) % KARST_TILE_GROUPS));
    }
}

// Each tile corner for itself: what no painter does, and the most that paint can take.
static void paint_at_random(karst_net *net) {
    for (int32_t k = 0; k < net->patch_count; ++k) {
        for (int i = 0; i < KARST_NET_TILES_MAX * KARST_NET_TILES_MAX; ++i)
            net->patches[k].group[i] = (uint8_t)(kst_random(13, (uint64_t)k * 256 + (uint64_t)i) % KARST_TILE_GROUPS);
        for (int i = 0; i < KARST_TILE_CORNERS; ++i) {
            uint64_t r = kst_random(11, (uint64_t)k * KARST_TILE_CORNERS + (uint64_t)i);
            net->patches[k].set[i] = (uint8_t)(r % KARST_NOISE_SETS);
            net->patches[k].tint[i] = (uint16_t)(r >> 16);
        }
    }
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

static karst_status cut_and_measure(bench *b, const karst_net *net, const karst_noise_bank *bank, sizes *out,
                                    karst_zone **zone) {
    karst_status status = karst_net_cut(net, 1, 1, bank, b->report, zone);
    if (!status && !measure(*zone, out)) status = KARST_ERROR_MEMORY;
    return status;
}

static const char peer[] = "16-bit heights, 0.5 m";
static const double peer_bytes = 2.0 * SAMPLES * SAMPLES;

static karst_status geometry(bench *b, const karst_net *net, const karst_noise_bank *bank) {
    sizes s;
    karst_zone *zone = NULL;
    karst_status status = cut_and_measure(b, net, bank, &s, &zone);
    if (!status)
        bench_add_note(b,
                       &(bench_row){.what = "zone_bytes_geometry",
                                    .unit = "B",
                                    .value = (double)(s.all - s.tiles),
                                    .peer = peer,
                                    .peer_value = peer_bytes,
                                    .hash = s.hash},
                       "%u patches, %u corners; not compressed", zone->patch_count, zone->corner_count);
    karst_zone_destroy(zone);
    return status;
}

static karst_status painted(bench *b, const karst_net *net, const karst_noise_bank *bank, const char *what,
                            const char *how) {
    sizes s;
    karst_zone *zone = NULL;
    karst_status status = cut_and_measure(b, net, bank, &s, &zone);
    if (!status)
        bench_add_note(b,
                       &(bench_row){.what = what,
                                    .unit = "B",
                                    .value = (double)s.packed,
                                    .peer = peer,
                                    .peer_value = peer_bytes,
                                    .hash = s.hash},
                       "as in a pack, a displacement map a tile at random, %s; %zu not compressed", how, s.all);
    karst_zone_destroy(zone);
    return status;
}

static karst_status read_back(bench *b, const karst_net *net, const karst_noise_bank *bank) {
    karst_zone *zone;
    karst_status status = karst_net_cut(net, 1, 1, bank, b->report, &zone);
    if (status) return status;
    size_t size = karst_zone_write(zone, NULL, 0);
    uint8_t *bytes = malloc(size);
    if (bytes) {
        karst_zone_write(zone, bytes, size);
        double ours, none;
        bench_compare(b, read_zone, NULL, &(reading){bytes, size, bank}, &ours, &none);
        bench_add(b, &(bench_row){.what = "zone_read_ms", .unit = "ms", .value = ours * 1e3, .runs = bench_runs(b)});
    }
    free(bytes);
    karst_zone_destroy(zone);
    return bytes ? KARST_OK : KARST_ERROR_MEMORY;
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
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_status status = bank ? hills(b->report, &net) : KARST_ERROR_MEMORY;
    if (!status) {
        karst_noise_bank_make(bank);
        vary_tiles(net);
        status = karst_net_finish(net, b->report);
    }
    if (!status) status = geometry(b, net, bank);
    if (!status) {
        paint(net, b->quick ? 5 : 200);
        status = painted(b, net, bank, "zone_bytes_all", "200 dabs of tile sets, groups and colours");
    }
    if (!status) status = read_back(b, net, bank);
    if (!status) {
        paint_at_random(net);
        status = painted(b, net, bank, "zone_bytes_worst",
                         "a tile set and colour each tile corner, a group each tile at random");
    }
    if (!status) status = bound(b);
    karst_net_destroy(net);
    free(bank);
    return status;
}
