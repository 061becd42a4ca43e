// SPDX-License-Identifier: MIT
// Zones as bytes: what was cut comes back to the last vertex, and whatever else the bytes are is named or is a zone.
#include <stdlib.h>
#include <string.h>

#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/zone_record.h"

static karst_net *net_of(int side, int slot) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = side, .slot = (uint8_t)slot, .tiles_log2 = 3, .noise_set = 2}, &report,
                  &net))
        fail_msg("%s", report.message);
    return net;
}

static scene_zones zones_of(int side, int slot) {
    karst_net *net = net_of(side, slot);
    scene_zones zones;
    karst_net_paint_group(net, (karst_pos){20, scene_net_hill(20, 20), 20}, 30, 9);
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    karst_net_destroy(net);
    return zones;
}

static uint8_t *bytes_of(const karst_zone *zone, size_t *size) {
    *size = karst_zone_write(zone, NULL, 0);
    uint8_t *bytes = malloc(*size);
    assert_int_equal(karst_zone_write(zone, bytes, *size), *size);
    return bytes;
}

static void all_vertices(const karst_zone *zone, uint64_t *hash) {
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    for (uint32_t k = 0; k < zone->piece_count; ++k) {
        size_t w = ((size_t)KARST_TILE_CELLS << zone->pieces[k].tiles_log2) + 1;
        karst_zone_fine(zone, k, v);
        *hash = kst_hash(v, w * w * sizeof *v, *hash);
    }
    free(v);
}

static void a_zone_comes_back_to_the_last_vertex(void **state) {
    (void)state;
    scene_zones zones = zones_of(48, 15);
    for (int k = 0; k < zones.count; ++k) {
        const karst_zone *zone = zones.zones[k];
        size_t size;
        uint8_t *bytes = bytes_of(zone, &size);
        karst_report report = {0};
        karst_zone *back;
        if (karst_zone_read(bytes, size, zones.bank, NULL, &report, &back)) fail_msg("%s", report.message);
        assert_int_equal(back->place_count, zone->place_count);
        assert_int_equal(back->span_count, zone->span_count);
        assert_memory_equal(back->places, zone->places, zone->place_count * sizeof *zone->places);
        assert_memory_equal(&back->bias, &zone->bias, sizeof zone->bias);
        assert_memory_equal(&back->low, &zone->low, 2 * sizeof zone->low);
        assert_true(back->reach_m == zone->reach_m && back->step_log2 == zone->step_log2);
        uint64_t a = 0, b = 0, c = 0;
        all_vertices(zone, &a), all_vertices(back, &b);
        assert_true(a == b);
        back->record->patches[0].c[5].y += 1;  // control
        all_vertices(back, &c);
        assert_true(a != c);
        size_t again_size;
        uint8_t *again = bytes_of(back, &again_size);
        assert_int_equal(again_size, size);
        assert_memory_equal(again, bytes, size);
        assert_true(size == karst_zone_write(back, again, 10));  // too little room: told, and nothing written beyond
        assert_memory_equal(again, bytes, size);
        karst_zone_destroy(back);
        free(again), free(bytes);
    }
    scene_zones_free(&zones);
}

static void paint_comes_back_and_is_small_where_there_is_none(void **state) {
    (void)state;
    karst_net *net = net_of(16, 0);
    size_t plain_size = 0, size = 0;
    for (int pass = 0; pass < 2; ++pass) {
        scene_zones zones;
        if (pass) {
            assert_true(karst_net_paint(net, (karst_pos){60, scene_net_hill(60, 60), 60}, 20, KARST_TILE_SAND, -1) >
                        100);
            assert_true(karst_net_paint(net, (karst_pos){90, scene_net_hill(90, 60), 60}, 9, KARST_NET_NONE, 0x1234) >
                        20);
            assert_true(karst_net_paint_group(net, (karst_pos){30, scene_net_hill(30, 60), 60}, 9, 7) > 20);
            assert_int_equal(
                karst_net_paint(net, (karst_pos){90, scene_net_hill(90, 60), 60}, 9, KARST_NET_NONE, 0x1234), 0);
        }
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        for (int k = 0; k < zones.count; ++k) {
            uint8_t *bytes = bytes_of(zones.zones[k], &size);
            if (!pass)
                plain_size += size;
            else
                plain_size -= size;
            karst_zone *back;
            bytes[4] = 2;  // which knows no groups
            bool groups = false;
            for (uint32_t p = 0; p < zones.zones[k]->patch_count; ++p)
                for (int i = 0; i < 256; ++i) groups |= zones.zones[k]->record->data.patches[p].group[i] != 0;
            assert_int_equal(karst_zone_read(bytes, size, zones.bank, NULL, NULL, &back),
                             groups ? KARST_ERROR_FORMAT : KARST_OK);
            if (!groups) karst_zone_destroy(back);
            assert_int_equal(groups, pass == 1 && zones.zones[k]->zone_x == 0 && zones.zones[k]->zone_z == 0);
            bytes[4] = 3;
            assert_int_equal(karst_zone_read(bytes, size, zones.bank, NULL, NULL, &back), KARST_OK);
            for (uint32_t p = 0; p < back->patch_count; ++p) {
                const karst_zone_painted a = karst_zone_paint(zones.zones[k], p), b = karst_zone_paint(back, p);
                const uint8_t *log2 = back->record->data.patches[p].tiles_log2;
                for (int j = 0; j <= 1 << log2[1]; ++j) {
                    assert_memory_equal(a.set + 17 * j, b.set + 17 * j, (1u << log2[0]) + 1);
                    assert_memory_equal(a.tint + 17 * j, b.tint + 17 * j, 2 * ((1u << log2[0]) + 1));
                    if (j < 1 << log2[1]) assert_memory_equal(a.group + 16 * j, b.group + 16 * j, 1u << log2[0]);
                }
            }
            karst_zone_destroy(back);
            free(bytes);
        }
        scene_zones_free(&zones);
    }
    assert_true(0 - plain_size > 45 * 4 && 0 - plain_size < 20 * 45 + 10 * 162);  // a few patches hold paint
    karst_net_destroy(net);
}

// Zones of every version that is still read. They are the seeds of the fuzz target, too.
static void zones_of_old_are_read(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t patches, pieces;
        uint64_t hash;  // of all vertices
    } files[] = {{"v1-one", 1, 1, 0x56bd8d14686b6c46},    {"v1-bound", 7, 7, 0xda2d3cb1963c321e},
                 {"v1-long", 2, 12, 0x2d3fef706d8164a0},  {"v2-painted", 7, 7, 0x2e55467c580ad9ef},
                 {"v3-groups", 7, 7, 0x2e55467c580ad9ef}, {"v3-seam", 4, 4, 0xbd95503a8e2a902a}};
    const char *source = getenv("KARST_SOURCE");
    if (!source) skip();
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_noise_bank_make(bank);
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        char path[1024];
        snprintf(path, sizeof path, "%s/fuzz/corpus/zone/%s", source, files[k].name);
        kst_map map;
        karst_zone *zone;
        uint64_t hash = 0;
        assert_int_equal(kst_file_map(path, NULL, &map), KARST_OK);
        assert_int_equal(karst_zone_read(map.bytes, map.size, bank, NULL, NULL, &zone), KARST_OK);
        all_vertices(zone, &hash);
        assert_int_equal(zone->patch_count, files[k].patches);
        assert_int_equal(zone->piece_count, files[k].pieces);
        if (hash != files[k].hash) fail_msg("%s: %#llx", files[k].name, (unsigned long long)hash);
        karst_zone_destroy(zone);
        kst_file_unmap(&map);
    }
    free(bank);
}

// The smallest zone of a scene that binds patches two and four to one.
static uint8_t *bound_zone(karst_noise_bank **bank, size_t *size) {
    scene_zones zones = zones_of(24, 9);
    uint8_t *least = NULL;
    for (int k = 0; k < zones.count; ++k) {
        const kst_zone_data *data = &zones.zones[k]->record->data;
        bool binds = false;
        for (uint32_t e = 0; e < data->edge_count; ++e) binds |= data->edges[e].spans_log2 > 0;
        if (!binds) continue;
        size_t one;
        uint8_t *bytes = bytes_of(zones.zones[k], &one);
        if (least && *size <= one) {
            free(bytes);
            continue;
        }
        free(least);
        least = bytes, *size = one;
    }
    assert_non_null(least);
    *bank = malloc(sizeof **bank);
    karst_noise_bank_make(*bank);
    scene_zones_free(&zones);
    return least;
}

// Bytes of their own, so that a sanitizer sees one read too many.
static karst_status read_copy(const uint8_t *bytes, size_t size, const karst_noise_bank *bank, karst_report *report,
                              karst_zone **out) {
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, bytes, size);
    karst_status status = karst_zone_read(copy, size, bank, NULL, report, out);
    free(copy);
    return status;
}

static void every_flipped_byte_is_an_error_or_a_zone(void **state) {
    (void)state;
    karst_noise_bank *bank;
    size_t size;
    uint8_t *bytes = bound_zone(&bank, &size);
    int bad = 0, good = 0;
    for (prop p = prop_begin("flip", 4000); prop_next(&p);) {
        size_t at = (size_t)p.at < 2000 ? (size_t)p.at * size / 2000 : (size_t)prop_int(&p, 0, (int)size - 1);
        uint8_t kept = bytes[at];
        bytes[at] ^= (uint8_t)(p.at & 1 ? 1 << prop_int(&p, 0, 7) : prop_int(&p, 1, 255));
        karst_report report = {0};
        karst_zone *zone;
        karst_status status = read_copy(bytes, size, bank, &report, &zone);
        if (status) {
            prop_check(&p, report.message[0] && !strchr(report.message, '\n') && report.status == status);
            ++bad;
        } else {
            uint8_t *again = malloc(size);
            prop_check(&p, karst_zone_write(zone, again, size) == size && !memcmp(again, bytes, size));
            free(again);
            uint64_t hash = 0;
            if (p.at % 16 == 0) all_vertices(zone, &hash);
            karst_zone_destroy(zone);
            ++good;
        }
        bytes[at] = kept;
    }
    assert_true(bad > 10 && good > 10);
    free(bytes), free(bank);
}

static void bytes_cut_short_are_an_error(void **state) {
    (void)state;
    karst_noise_bank *bank;
    size_t size;
    uint8_t *bytes = bound_zone(&bank, &size);
    karst_report report;
    karst_zone *zone;
    for (size_t cut = 0; cut < size; cut += 1 + (size_t)(cut > 200) * 7)
        assert_int_equal(read_copy(bytes, cut, bank, &report, &zone), KARST_ERROR_FORMAT);
    uint8_t *more = calloc(1, size + 1);
    memcpy(more, bytes, size);
    assert_int_equal(read_copy(more, size + 1, bank, &report, &zone), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "go on after"));
    free(more), free(bytes), free(bank);
}

typedef struct fault {
    const char *word;
    void (*make)(kst_zone_data *data);
} fault;

static kst_edge_data *parted(kst_zone_data *data, int skip) {
    for (uint32_t k = 0; k < data->edge_count; ++k)
        if (data->edges[k].spans_log2 > 0 && !skip--) return &data->edges[k];
    fail_msg("no edge in parts");
    return NULL;
}
static void no_step(kst_zone_data *d) {
    d->step_log2 = -3;
}
static void far_cell(kst_zone_data *d) {
    d->zone_x = 1 << 24;
}
static void half_metre(kst_zone_data *d) {
    d->bias[1] += 128;
}
static void wide_corner(kst_zone_data *d) {
    d->corners[3].radius = 255;
}
static void lost_end(kst_zone_data *d) {
    d->edges[5].corner[1] = 60000;
}
static void loop(kst_zone_data *d) {
    d->edges[5].corner[1] = d->edges[5].corner[0];
}
static void wild_noise(kst_zone_data *d) {
    d->edges[5].noise = 96;
}
static void odd_tiles(kst_zone_data *d) {
    d->edges[5].tiles = 12;
}
static void few_tiles(kst_zone_data *d) {
    parted(d, 0)->tiles = 2;
}
static void no_class(kst_zone_data *d) {
    d->edges[5].size[1] = 64;
}
static void half_open(kst_zone_data *d) {
    d->edges[5].open = 0x01;
}
static void lost_inside(kst_zone_data *d) {
    d->edges[5].inside += 1;
}
static void no_inside(kst_zone_data *d) {
    d->inside[0] = 60000;
}
static void twice_inside(kst_zone_data *d) {
    d->inside[parted(d, 1)->inside] = d->inside[parted(d, 0)->inside];
}
static void end_inside(kst_zone_data *d) {
    d->inside[parted(d, 0)->inside] = parted(d, 0)->corner[1];
}
static void more_inside(kst_zone_data *d) {
    d->inside_count -= 1;
}
static void no_tiles(kst_zone_data *d) {
    d->patches[2].tiles_log2[0] = 0;
}
static void no_set(kst_zone_data *d) {
    d->patches[2].noise_set = 6;
}
static void no_slot(kst_zone_data *d) {
    d->patches[2].slot[3] = 16;
}
static void no_group(kst_zone_data *d) {
    d->patches[2].group[3] = 12;
}
static void lost_edge(kst_zone_data *d) {
    d->patches[2].side[1].edge = 60000;
}
static void three_eighths(kst_zone_data *d) {
    d->patches[2].side[1].to = 3;
}
static void off_multiple(kst_zone_data *d) {
    d->patches[2].side[1].from = 2, d->patches[2].side[1].to = 6;
}
static void other_tiles(kst_zone_data *d) {
    d->patches[2].tiles_log2[0] = 4;
}
static void other_class(kst_zone_data *d) {
    d->patches[2].size = 63;
}
static void turned(kst_zone_data *d) {
    d->patches[3] = d->patches[2];
}
static void closed_open(kst_zone_data *d) {
    uint8_t *uses = calloc(d->edge_count, 1);
    for (uint32_t k = 0; k < d->patch_count; ++k)
        for (int s = 0; s < 4; ++s)
            if (++uses[d->patches[k].side[s].edge] == 2 && !d->edges[d->patches[k].side[s].edge].spans_log2) {
                d->edges[d->patches[k].side[s].edge].open = 0xFF;
                free(uses);
                return;
            }
    fail_msg("no edge between two patches");
}
static void not_met(kst_zone_data *d) {  // a side on another edge with as many tiles
    kst_patch_data *p = &d->patches[2];
    uint16_t own = p->side[1].edge;
    for (uint32_t k = 0; k < d->edge_count; ++k) {
        const kst_edge_data *e = &d->edges[k], *f = &d->edges[own];
        if (e->tiles != f->tiles || e->spans_log2 != f->spans_log2 || e->size[0] > p->size || e->size[1] < p->size)
            continue;
        if (e->corner[0] == f->corner[0] || e->corner[1] == f->corner[1]) continue;
        bool used = false;
        for (uint32_t q = 0; q < d->patch_count; ++q)
            for (int s = 0; s < 4; ++s) used |= d->patches[q].side[s].edge == k;
        if (!used) d->edges[own].corner[1] = e->corner[1], d->edges[own].open = 0;
        if (!used) return;
    }
    d->edges[own].corner[0] = (uint16_t)((d->edges[own].corner[0] + 7) % d->corner_count);
}

static void beside(kst_zone_data *d) {
    d->corners[d->inside[parted(d, 0)->inside]].at[1] += 1;
}
static void small_radius(kst_zone_data *d) {
    d->corners[d->edges[d->patches[2].side[1].edge].corner[1]].radius -= 1;
}
static void wrong_class(kst_zone_data *d) {
    for (uint32_t k = 0; k < d->edge_count; ++k) d->edges[k].size[1] += 1;
    d->patches[2].size += 1;
}

static void what_breaks_a_rule_is_named(void **state) {
    (void)state;
    static const fault faults[] = {
        {"steps are", no_step},
        {"2^26 steps", far_cell},
        {"bias", half_metre},
        {"above the net's reach", wide_corner},
        {"ends at corner 60000", lost_end},
        {"to itself", loop},
        {"displacement map 96", wild_noise},
        {"has 12 tiles", odd_tiles},
        {"each needs two", few_tiles},
        {"classes rise", no_class},
        {"half a part", half_open},
        {"names its inner corners", lost_inside},
        {"has corner 60000 inside", no_inside},
        {"lies inside edges", twice_inside},
        {"which lies inside it", end_inside},
        {"inner corners", more_inside},
        {"each is 2, 4, 8 or 16", no_tiles},
        {"noise set 6", no_set},
        {"displacement map 16", no_slot},
        {"tile group 12", no_group},
        {"is on edge 60000", lost_edge},
        {"begins at a multiple", three_eighths},
        {"begins at a multiple", off_multiple},
        {"the same number", other_tiles},
        {"tiles of class 63", other_class},
        {"on that side already", turned},
        {"is said to be open", closed_open},
        {"should meet in one", not_met},
        {"round it needs", small_radius},
        {"lies beside edge", beside},
        {"and says", wrong_class},
    };
    karst_noise_bank *bank;
    size_t size;
    uint8_t *bytes = bound_zone(&bank, &size);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; ++k) {
        karst_zone *zone;
        karst_report report = {0};
        assert_int_equal(karst_zone_read(bytes, size, bank, NULL, NULL, &zone), KARST_OK);
        kst_zone_data *data = &zone->record->data, broken = *data;
        assert_int_equal(kst_zone_data_check(data, NULL, NULL), KARST_OK);  // control
        uint32_t inside = data->inside_count;
        faults[k].make(&broken);
        assert_int_equal(kst_zone_data_check(&broken, NULL, &report), KARST_ERROR_FORMAT);
        if (!strstr(report.message, faults[k].word)) fail_msg("fault %zu, %s: %s", k, faults[k].word, report.message);
        if (strncmp(report.message, "zone ", 5) || strchr(report.message, '\n')) fail_msg("%s", report.message);
        assert_int_equal(data->inside_count, inside);
        karst_zone_destroy(zone);
    }
    free(bytes), free(bank);
}

static void zones_that_do_not_agree_are_named(void **state) {
    (void)state;
    karst_report report = {0};
    scene_zones zones = zones_of(48, 9);
    const karst_zone *const *all = (const karst_zone *const *)zones.zones;
    if (karst_zones_check(all, zones.count, NULL, &report)) fail_msg("%s", report.message);
    // One of the middle is missing: its neighbours say so, and where.
    int middle = 0;
    for (int k = 0; k < zones.count; ++k)
        if (zones.zones[k]->zone_x == 1 && zones.zones[k]->zone_z == 1) middle = k;
    karst_zone *kept = zones.zones[middle];
    zones.zones[middle] = zones.zones[zones.count - 1], zones.zones[zones.count - 1] = kept;
    assert_int_equal(karst_zones_check(all, zones.count - 1, NULL, &report), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "to a zone that is missing, by its place 1, 1"));
    // Each thing that two zones must agree on, changed in one of them.
    static const char *words[] = {"normals", "displacement", "parts", "sizes", "open", "radius"};
    for (int what = 0; what < 6; ++what) {
        size_t size;
        uint8_t *bytes = bytes_of(kept, &size);
        karst_zone *other;
        assert_int_equal(karst_zone_read(bytes, size, zones.bank, NULL, NULL, &other), KARST_OK);
        kst_zone_record *record = other->record;
        for (uint32_t k = 0; k < record->data.edge_count; ++k) {
            if (what == 0) record->curves[k].normal[1].x += 0.001f;
            if (what == 1) record->curves[k].height[0] += 0.01f;
            if (what == 2) record->data.edges[k].tiles *= 2;
            if (what == 3) record->data.edges[k].size[0] = 0;
            if (what == 4) record->data.edges[k].open ^= 0xFF;
        }
        for (uint32_t k = 0; k < record->data.corner_count && what == 5; ++k) record->data.corners[k].radius ^= 1;
        zones.zones[zones.count - 1] = other;
        assert_int_equal(karst_zones_check(all, zones.count, NULL, &report), KARST_ERROR_FORMAT);
        if (!strstr(report.message, words[what])) fail_msg("%s: %s", words[what], report.message);
        karst_zone_destroy(other);
        free(bytes);
    }
    zones.zones[zones.count - 1] = kept;
    scene_zones_free(&zones);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    karst_noise_bank *bank;
    size_t size;
    uint8_t *bytes = bound_zone(&bank, &size);
    for (uint64_t n = 1;; ++n) {
        karst_zone *zone = NULL;
        kst_alloc_fail_after(n);
        karst_status status = karst_zone_read(bytes, size, bank, NULL, NULL, &zone);
        if (!status) status = karst_zones_check((const karst_zone *const *)&zone, 0, NULL, NULL);
        kst_alloc_fail_after(0);
        karst_zone_destroy(zone);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    free(bytes), free(bank);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zone_comes_back_to_the_last_vertex),
        cmocka_unit_test(paint_comes_back_and_is_small_where_there_is_none),
        cmocka_unit_test(zones_of_old_are_read),
        cmocka_unit_test(every_flipped_byte_is_an_error_or_a_zone),
        cmocka_unit_test(bytes_cut_short_are_an_error),
        cmocka_unit_test(what_breaks_a_rule_is_named),
        cmocka_unit_test(zones_that_do_not_agree_are_named),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
