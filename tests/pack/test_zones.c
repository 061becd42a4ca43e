// SPDX-License-Identifier: MIT
// Packs that hold the zones of a net, beside a field or alone.
#include <fcntl.h>
#include <unistd.h>

#include "karst/bake.h"
#include "pack/pack.h"
#include "support/net.h"

static karst_field *small_field(void) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){70, 20, 4, {-10, 0, -20}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    float row[70];
    for (int j = 0; j < 20; ++j) {
        for (int i = 0; i < 70; ++i) row[i] = (float)((i * 7 + j * 3) % 11);
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, 70, j + 1}, row, NULL, NULL, 70), KARST_OK);
    }
    return field;
}

static void bake(karst_field *field, const karst_net *net, const char *path, karst_bake_info *info) {
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    def.net = net, def.map_side = 32;
    if (karst_bake_field(field, path, &def, NULL, &report, info)) fail_msg("%s", report.message);
}

static karst_pack *open_pack(const char *path) {
    karst_pack *pack;
    karst_report report = {0};
    karst_pack_def def = karst_pack_def_default();
    def.report = &report;
    if (karst_pack_open(path, &def, &pack)) fail_msg("%s", report.message);
    return pack;
}

static void expect_zones(karst_pack *pack, const scene_zones *zones) {
    assert_int_equal(karst_pack_zone_count(pack), zones->count);
    double bytes = 0;
    for (int k = 0; k < zones->count; ++k) {
        const karst_zone *want = zones->zones[k];
        karst_pack_zone told = karst_pack_zone_info(pack, k);
        karst_zone *zone;
        karst_report report = {0};
        if (karst_pack_zone_read(pack, k, zones->bank, &report, &zone)) fail_msg("%s", report.message);
        assert_true(zone->zone_x == want->zone_x && zone->zone_z == want->zone_z);
        assert_true(told.zone_x == want->zone_x && told.zone_z == want->zone_z);
        assert_int_equal(told.patch_count, want->patch_count);
        assert_int_equal(told.raw_bytes, karst_zone_write(want, NULL, 0));
        assert_int_equal(zone->place_count, want->place_count);
        assert_memory_equal(zone->places, want->places, want->place_count * sizeof *want->places);
        double fine = 1.0 / 4096;
        assert_true(told.bounds.min.x == (want->bias.x + want->low.x) * fine);
        assert_true(told.bounds.max.y == (want->bias.y + want->high.y) * fine);
        bytes += told.bytes;
        karst_zone_destroy(zone);
    }
    karst_pack_parts parts;
    assert_int_equal(karst_pack_parts_of(pack, &parts), KARST_OK);
    assert_true(parts.zones == bytes);
}

static int check(karst_pack *pack, karst_check *zones) {
    karst_check row[KARST_CHECK_MAX];
    int count, failed = 0;
    assert_int_equal(karst_pack_check(pack, NULL, NULL, row, &count), KARST_OK);
    for (int k = 0; k < count; ++k) failed += row[k].failed > 0;
    assert_string_equal(row[count - 1].name, "zones");
    *zones = row[count - 1];
    return failed;
}

static void zones_come_back_beside_a_field_and_alone(void **state) {
    (void)state;
    karst_net *net = net_of(24);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    uint64_t hash[2], world[3];
    for (int k = 0; k < 3; ++k) {
        karst_field *field = k == 1 ? NULL : small_field();
        karst_bake_info info;
        bake(field, k == 2 ? NULL : net, temp_path("net.kpack"), &info);
        assert_int_equal(info.zone_count, k == 2 ? 0 : zones.count);
        if (k < 2) hash[k] = info.hash;
        karst_pack *pack = open_pack(temp_path("net.kpack"));
        world[k] = karst_pack_info_of(pack).world_hash;
        karst_check row;
        if (k < 2) {
            expect_zones(pack, &zones);
            assert_int_equal(check(pack, &row), 0);
            assert_int_equal(row.tried, zones.count + 1);
        } else {
            assert_int_equal(karst_pack_zone_count(pack), 0);  // control
        }
        double y;
        bool there = karst_ground_height(karst_pack_ground(pack), 20, 0, &y);
        assert_int_equal(there, k != 1);  // a net alone has a field of hole
        karst_pack_close(pack);
        karst_field_destroy(field);
    }
    assert_true(hash[0] != hash[1] && world[0] != world[2]);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void the_same_net_gives_the_same_bytes(void **state) {
    (void)state;
    karst_bake_info info[3];
    for (int k = 0; k < 3; ++k) {
        karst_net *net = net_of(16);
        net->origin = (karst_pos){1000.5, -3, 7};
        if (k == 2) net->patches[3].slot[2] ^= 1;
        assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
        bake(NULL, net, temp_path("same.kpack"), &info[k]);
        karst_net_destroy(net);
    }
    assert_true(info[0].hash == info[1].hash && info[0].hash != info[2].hash);
    karst_pack *pack = open_pack(temp_path("same.kpack"));
    assert_true(karst_pack_net_origin(pack).x == 1000.5 && karst_pack_net_origin(pack).z == 7);
    karst_box box = karst_pack_zone_info(pack, 0).bounds;
    assert_true(box.min.x > 990 && box.max.x < 1200 && box.min.z > 0);
    karst_pack_close(pack);
}

static void a_damaged_zone_is_named_and_a_missing_one_too(void **state) {
    (void)state;
    const char *path = temp_path("damaged.kpack");
    karst_net *net = net_of(24);
    karst_bake_info info;
    bake(NULL, net, path, &info);
    karst_noise_bank *bank = malloc(sizeof *bank);
    karst_noise_bank_make(bank);
    karst_pack *pack = open_pack(path);
    kst_pack_span span = pack->directory.zones[2].span;
    int32_t x = pack->directory.zones[2].zone_x, z = pack->directory.zones[2].zone_z,
            count = karst_pack_zone_count(pack);
    char name[40];
    snprintf(name, sizeof name, "zone %d, %d:", x, z);
    int fd = open(path, O_RDWR);
    for (prop p = prop_begin("flip", 300); prop_next(&p);) {
        off_t at = (off_t)(span.place + prop_u64(&p) % kst_pack_aligned(span.size));
        uint8_t kept, other;
        prop_check(&p, pread(fd, &kept, 1, at) == 1);
        other = kept ^ (uint8_t)prop_int(&p, 1, 255);
        prop_check(&p, pwrite(fd, &other, 1, at) == 1);
        karst_report report = {0};
        karst_zone *zone = NULL;
        prop_check(&p, karst_pack_zone_read(pack, 2, bank, &report, &zone) == KARST_ERROR_FORMAT && !zone);
        prop_check(&p, !strncmp(report.message, name, strlen(name)));
        if (p.at % 100 == 0) {
            karst_check row;
            prop_check(&p, check(pack, &row) == 1 && row.failed == 1 && !strncmp(row.first, name, strlen(name)));
        }
        prop_check(&p, pwrite(fd, &kept, 1, at) == 1);
    }
    karst_check row;
    assert_int_equal(check(pack, &row), 0);
    // A zone that says nothing is there any more: read as an array without it.
    karst_pack *less = pack;
    kst_pack_zone *entries = less->directory.zones;
    memmove(entries + 2, entries + 3, (size_t)(count - 3) * sizeof *entries);
    less->directory.zone_count -= 1;
    assert_int_equal(check(less, &row), 1);
    assert_int_equal(row.failed, 1);
    assert_non_null(strstr(row.first, "missing"));
    less->directory.zone_count += 1;  // as it was allocated
    entries[1].low[1] += 1;           // and a directory that lies
    karst_report report = {0};
    karst_zone *zone;
    assert_int_equal(karst_pack_zone_read(pack, 1, bank, &report, &zone), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "not what the directory says"));
    karst_pack_close(pack);
    close(fd);
    free(bank);
    karst_net_destroy(net);
}

static void a_directory_that_is_altered_is_read_with_care(void **state) {
    (void)state;
    const char *path = temp_path("front.kpack");
    karst_net *net = net_of(16);
    karst_bake_info info;
    bake(NULL, net, path, &info);
    karst_pack *pack = open_pack(path);
    size_t bytes;
    assert_true(kst_directory_bytes(&pack->directory, KST_PACK_VERSION, &bytes));
    int32_t zones = karst_pack_zone_count(pack);
    karst_pack_close(pack);
    uint8_t *kept = malloc(bytes), *other = malloc(bytes);
    int fd = open(path, O_RDWR), bad = 0;
    assert_int_equal(pread(fd, kept, bytes, 64), bytes);
    // Under a true checksum, so that the directory itself is looked at.
    for (prop p = prop_begin("sealed", 1500); prop_next(&p);) {
        memcpy(other, kept, bytes);
        size_t at = p.at % 2 ? 200 + prop_u64(&p) % (size_t)(zones * KST_PACK_ZONE_BYTES + 100) : prop_u64(&p) % bytes;
        other[at < bytes ? at : bytes - 1] ^= (uint8_t)prop_int(&p, 1, 255);
        kst_directory d = {0};
        karst_report report = {0};
        karst_status status = kst_directory_read(&d, KST_PACK_VERSION, other, bytes, kst_pack_aligned(64 + bytes),
                                                 info.file_bytes, NULL, path, &report);
        prop_check(&p, !status || report.message[0]);
        bad += status != KARST_OK;
        kst_directory_free(&d, NULL);
        if (!status) continue;
        prop_check(&p, status == KARST_ERROR_FORMAT);
    }
    assert_true(bad > test_count(300));
    kst_directory d = {0};
    assert_int_equal(kst_directory_read(&d, KST_PACK_VERSION, kept, bytes, kst_pack_aligned(64 + bytes),
                                        info.file_bytes, NULL, path, NULL),
                     KARST_OK);
    kst_directory_free(&d, NULL);
    memset(&d, 0, sizeof d);
    karst_report report = {0};  // version 2 had none
    assert_int_equal(
        kst_directory_read(&d, 2, kept, bytes, kst_pack_aligned(64 + bytes), info.file_bytes, NULL, path, &report),
        KARST_ERROR_FORMAT);
    kst_directory_free(&d, NULL);
    close(fd);
    free(kept), free(other);
    karst_net_destroy(net);
}

static void zones_of_a_growing_file_are_awaited(void **state) {
    (void)state;
    const char *path = temp_path("grows.kpack");
    karst_net *net = net_of(16);
    karst_bake_info info;
    bake(NULL, net, path, &info);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    karst_pack *pack = open_pack(path);
    uint64_t place = pack->directory.zones[1].span.place;
    karst_pack_close(pack);
    size_t size = (size_t)info.file_bytes;
    uint8_t *bytes = malloc(size);
    int fd = open(path, O_RDWR);
    assert_int_equal(pread(fd, bytes, size, 0), size);
    assert_int_equal(ftruncate(fd, (off_t)place), 0);
    karst_pack_def def = karst_pack_def_default();
    def.partial = true;
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_OK);
    karst_report report = {0};
    karst_zone *zone;
    assert_int_equal(karst_pack_zone_read(pack, 1, zones.bank, &report, &zone), KARST_ERROR_PENDING);
    assert_int_equal(karst_pack_zone_read(pack, 0, zones.bank, &report, &zone), KARST_OK);
    karst_zone_destroy(zone);
    assert_int_equal(pwrite(fd, bytes, size, 0), size);
    karst_pack_refresh(pack);
    expect_zones(pack, &zones);
    karst_pack_close(pack);
    close(fd);
    free(bytes);
    scene_zones_free(&zones);
    karst_net_destroy(net);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    const char *path = temp_path("memory.kpack");
    karst_net *net = net_of(16);
    karst_noise_bank *bank = calloc(1, sizeof *bank);
    for (uint64_t n = 1;; n += 1 + n / 16) {
        karst_bake_def def = karst_bake_def_default();
        def.net = net, def.map_side = 32;
        karst_pack *pack = NULL;
        karst_zone *zone = NULL;
        karst_bake_info info = {0};
        kst_alloc_fail_after(n);
        karst_status status = karst_bake_field(NULL, path, &def, NULL, NULL, &info);
        if (!status) status = karst_pack_open(path, NULL, &pack);
        if (!status) status = karst_pack_zone_read(pack, 0, bank, NULL, &zone);
        kst_alloc_fail_after(0);
        karst_zone_destroy(zone);
        karst_pack_close(pack);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    free(bank);
    karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zones_come_back_beside_a_field_and_alone),
        cmocka_unit_test(the_same_net_gives_the_same_bytes),
        cmocka_unit_test(a_damaged_zone_is_named_and_a_missing_one_too),
        cmocka_unit_test(a_directory_that_is_altered_is_read_with_care),
        cmocka_unit_test(zones_of_a_growing_file_are_awaited),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
