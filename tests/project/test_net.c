// SPDX-License-Identifier: MIT
// The net of a world is a ground: it comes back as it was, undo and redo go over it, and what damages it is named.
#include "karst/bake.h"
#include "karst/history.h"
#include "karst/pack.h"
#include "project/worlds.h"
#include "scenes/nets.h"
#include "surface/net_bytes.h"
#include "surface/zone_record.h"

static karst_net *net_of(int side) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = side, .slot = 9, .tiles_log2 = 3, .noise_set = 2}, &report, &net))
        fail_msg("%s", report.message);
    net->origin = (karst_pos){100, 2, -50};
    return net;
}

static void fine(karst_project *p, karst_status status) {
    if (status) fail_msg("%s", karst_project_message(p));
}

static void keep(karst_project *p, const karst_net *net, const char *step) {
    fine(p, karst_project_begin(p, step));
    fine(p, put_net(p, net));
    fine(p, karst_project_commit(p));
}

// Hash of all zones as bytes, and where they lie; 0: no net.
static uint64_t state_of_net(const karst_net *net) {
    if (!net) return 0;
    uint64_t hash = kst_hash(&net->origin, sizeof net->origin, 7);
    scene_zones zones;
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    for (int k = 0; k < zones.count; ++k) {
        size_t size = karst_zone_write(zones.zones[k], NULL, 0);
        uint8_t *bytes = malloc(size);
        karst_zone_write(zones.zones[k], bytes, size);
        hash = kst_hash(bytes, size, hash);
        free(bytes);
    }
    scene_zones_free(&zones);
    return hash;
}

static uint64_t state(karst_project *p) {
    karst_net *net = NULL;
    fine(p, take_net(p, &net));
    uint64_t hash = state_of_net(net);
    karst_net_destroy(net);
    return hash;
}

static karst_history_step head_step(karst_project *p) {
    static karst_history_step all[64];
    int count = 0;
    fine(p, karst_project_log(p, all, 64, &count));
    assert_true(count > 0 && count <= 64);
    return all[count - 1];
}

static void a_net_comes_back_and_steps_go_over_it(void **unused) {
    (void)unused;
    const char *path = world_path();
    karst_project *p = create(path);
    uint64_t none = hash_of(p);
    assert_true(state(p) == 0);
    karst_net *net = net_of(48);
    uint64_t first = state_of_net(net), hash = 0;
    karst_net_paint(net, (karst_pos){300, 0, 200}, 60, 3, 0x1234);
    karst_net_paint_group(net, (karst_pos){300, 0, 220}, 60, 5);
    first = state_of_net(net);
    keep(p, net, "net");
    hash = hash_of(p);
    assert_true(state(p) == first && hash != none);
    uint64_t whole = head_step(p).bytes;
    keep(p, net, "the same");
    assert_string_equal(head_step(p).name, "net");  // a step that changes nothing is none
    net->patches[1000].slot[5] ^= 3;                // a tile: one block of patches
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    uint64_t second = state_of_net(net);
    keep(p, net, "tile");
    assert_string_equal(head_step(p).name, "tile");
    assert_true(state(p) == second && second != first && hash_of(p) != hash);
    karst_check row[KARST_CHECK_MAX];
    int count;
    fine(p, karst_project_check(p, NULL, row, &count));
    for (int k = 0; k < count; ++k) assert_int_equal(row[k].failed, 0);
    assert_string_equal(row[count - 1].name, "net");
    karst_project_close(p);

    p = open_as(path, KARST_PROJECT_WRITE);
    assert_true(state(p) == second);
    fine(p, karst_project_undo(p, NULL, NULL));
    assert_true(state(p) == first && hash_of(p) == hash);
    fine(p, karst_project_undo(p, NULL, NULL));
    assert_true(state(p) == 0 && hash_of(p) == none);
    fine(p, karst_project_redo(p, NULL, NULL));
    fine(p, karst_project_redo(p, NULL, NULL));
    assert_true(state(p) == second);
    uint64_t tile = head_step(p).bytes;
    karst_net *less = net_of(16);  // fewer blocks: the others go
    keep(p, less, "less");
    assert_true(state(p) == state_of_net(less));
    assert_true(head_step(p).bytes > 5 * tile && tile > 0);
    keep(p, NULL, "gone");
    assert_true(state(p) == 0 && hash_of(p) == none);
    fine(p, karst_project_check(p, NULL, row, &count));
    assert_string_not_equal(row[count - 1].name, "net");
    (void)whole;
    karst_net_destroy(net), karst_net_destroy(less);
    karst_project_close(p);
}

static void bytes_of_a_field_are_those_of_its_chunks(void **unused) {
    (void)unused;
    karst_project *p = create(world_path());
    static float y[200 * 70];
    double none = -1, all, sum = 0;
    fine(p, karst_project_begin(p, "field"));
    int64_t id = add(p, 200, 70);
    fine(p, karst_project_field_bytes(p, id, (karst_rect){0, 0, 200, 70}, &none));
    assert_true(none == 0);  // flat chunks are not stored
    for (int k = 0; k < 200 * 70; ++k) y[k] = (float)(kst_random(3, (uint64_t)k) & 1023);
    karst_field *field;
    fine(p, karst_project_field(p, id, 0, &field));
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, 200, 70}, y, NULL, NULL, 200), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    karst_field_destroy(field);
    fine(p, karst_project_commit(p));
    fine(p, karst_project_field_bytes(p, id, (karst_rect){0, 0, 200, 70}, &all));
    for (int k = 0; k < 8; ++k) {
        int x = 64 * (k % 4), z = 64 * (k / 4);
        double whole, part;
        fine(p, karst_project_field_bytes(p, id, (karst_rect){x, z, x + 65 < 200 ? x + 65 : 200, z ? 70 : 65}, &whole));
        fine(p, karst_project_field_bytes(p, id, (karst_rect){x + 1, z + 1, x + 4, z + 4}, &part));
        assert_true(whole > 100 && part == whole);
        sum += whole;
    }
    assert_true(sum == all);
    karst_project_close(p);
}

static void a_net_stays_when_the_field_goes(void **unused) {
    (void)unused;
    karst_project *p = create(world_path());
    karst_net *net = net_of(16);
    fine(p, karst_project_begin(p, "both"));
    int64_t id = add(p, 70, 20);
    fine(p, put_net(p, net));
    fine(p, karst_project_commit(p));
    uint64_t want = state_of_net(net);
    karst_field_shape shape = {90, 30, 2, {10, 20, 30}};
    fine(p, karst_project_begin(p, "resize"));
    fine(p, karst_project_resize(p, id, &shape, NULL));
    fine(p, karst_project_commit(p));
    assert_true(state(p) == want);
    fine(p, karst_project_begin(p, "remove"));
    fine(p, karst_project_remove_ground(p, id));
    fine(p, karst_project_commit(p));
    assert_true(state(p) == want);
    assert_int_equal(put_net(p, net), KARST_ERROR_ARGUMENT);  // no step
    assert_non_null(strstr(karst_project_message(p), "outside a step"));
    karst_check row[KARST_CHECK_MAX];
    int count;
    fine(p, karst_project_check(p, NULL, row, &count));
    for (int k = 0; k < count; ++k)
        if (row[k].failed) fail_msg("%s: %s", row[k].name, row[k].first);
    karst_project_close(p);
    karst_net_destroy(net);
}

static void expect_pack(const char *path, const karst_net *net) {
    karst_pack *pack;
    scene_zones zones;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
    assert_int_equal(karst_pack_zone_count(pack), zones.count);
    for (int k = 0; k < zones.count; ++k) {
        karst_zone *zone;
        assert_int_equal(karst_pack_zone_read(pack, k, zones.bank, NULL, &zone), KARST_OK);
        assert_int_equal(zone->place_count, zones.zones[k]->place_count);
        assert_memory_equal(zone->places, zones.zones[k]->places, zone->place_count * sizeof *zone->places);
        karst_zone_destroy(zone);
    }
    scene_zones_free(&zones);
    karst_pack_close(pack);
}

static void a_bake_copies_the_zones(void **unused) {
    (void)unused;
    karst_project *p = create(world_path());
    karst_net *net = net_of(24);
    const char *path = temp_path("world-net.kpack");
    karst_bake_def def = karst_bake_def_default();
    karst_bake_info info[3];
    karst_report report = {0};
    def.map_side = 32;
    assert_int_equal(karst_bake(p, path, &def, NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);  // nothing yet
    keep(p, net, "net");
    assert_int_equal(karst_bake(p, path, &def, NULL, &report, &info[0]), KARST_OK);
    expect_pack(path, net);
    fine(p, karst_project_begin(p, "field"));
    add(p, 70, 20);
    fine(p, karst_project_commit(p));
    assert_int_equal(karst_bake(p, path, &def, NULL, &report, &info[1]), KARST_OK);
    expect_pack(path, net);
    assert_int_equal(karst_bake(p, path, &def, NULL, &report, &info[2]), KARST_OK);
    assert_true(info[1].hash != info[0].hash && info[2].hash == info[1].hash && !info[2].steps_run);
    net->patches[7].slot[0] ^= 1;
    assert_int_equal(karst_net_finish(net, NULL), KARST_OK);
    keep(p, net, "tile");
    assert_int_equal(karst_bake(p, path, &def, NULL, &report, &info[2]), KARST_OK);
    assert_true(info[2].hash != info[1].hash);
    expect_pack(path, net);
    karst_project_close(p);
    karst_net_destroy(net);
}

// Bytes of an extra changed where they lie, its hash with them when `sealed`.
static void alter(sqlite3 *db, prop *p, bool sealed) {
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT id, data FROM extra ORDER BY id", -1, &s, NULL), SQLITE_OK);
    int rows = 0;
    while (sqlite3_step(s) == SQLITE_ROW) ++rows;
    sqlite3_reset(s);
    for (int k = prop_int(p, 0, rows - 1); k >= 0; --k) assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t id = sqlite3_column_int64(s, 0);
    int size = sqlite3_column_bytes(s, 1);
    uint8_t *packed = malloc((size_t)size), *raw = malloc(1 << 20);
    memcpy(packed, sqlite3_column_blob(s, 1), (size_t)size);
    sqlite3_finalize(s);
    // Of a sealed one the elements are altered, below the compression.
    size_t raw_size = 0, room = kst_compress_bound(1 << 20);
    for (int part = 0; part < 3 && sealed && size != KST_NET_HEAD_BYTES; ++part)
        for (size_t n = 1; n <= 512 && !raw_size; ++n)
            if (kst_decompress(packed, (size_t)size, raw, n * kst_net_element_bytes((kst_net_part)part)))
                raw_size = n * kst_net_element_bytes((kst_net_part)part);
    if (raw_size) {
        raw[prop_u64(p) % raw_size] ^= (uint8_t)prop_int(p, 1, 255);
        packed = realloc(packed, room);
        size = (int)kst_compress(raw, raw_size, packed, room, 1);
    } else {
        packed[prop_u64(p) % (size_t)size] ^= (uint8_t)prop_int(p, 1, 255);
    }
    assert_int_equal(
        sqlite3_prepare_v2(db, "UPDATE extra SET data=?1, hash=CASE WHEN ?2 THEN ?3 ELSE hash END WHERE id=?4", -1, &s,
                           NULL),
        SQLITE_OK);
    sqlite3_bind_blob(s, 1, packed, size, SQLITE_TRANSIENT);
    sqlite3_bind_int(s, 2, sealed);
    sqlite3_bind_int64(s, 3, (int64_t)kst_hash(packed, (size_t)size, 0));
    sqlite3_bind_int64(s, 4, id);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    free(packed), free(raw);
}

static void what_is_altered_is_named_or_keeps_every_rule(void **unused) {
    (void)unused;
    const char *path = world_path();
    karst_project *p = create(path);
    karst_net *net = net_of(16);
    keep(p, net, "net");
    karst_project_close(p);
    int errors = 0, nets = 0;
    for (prop q = prop_begin("alter", 120); prop_next(&q);) {
        sqlite3 *db;
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
        sqlite3_exec(db, "CREATE TABLE kept AS SELECT * FROM extra", NULL, NULL, NULL);
        bool sealed = q.at % 4 != 0;
        alter(db, &q, sealed);
        sqlite3_close(db);
        p = open_as(path, KARST_PROJECT_READ);
        karst_net *got = NULL;
        karst_status status = take_net(p, &got);
        prop_check(&q, sealed || status == KARST_ERROR_FORMAT);
        prop_check(&q, !status || (!got && karst_project_message(p)[0]));
        karst_check row[KARST_CHECK_MAX];
        int count;
        if (q.at % 8 == 0) {
            prop_check(&q, !karst_project_check(p, NULL, row, &count));
            prop_check(&q, !strcmp(row[count - 1].name, "net") && (row[count - 1].failed > 0) == (status != KARST_OK));
        }
        if (got) {  // every zone of it can be cut, or the line says why not
            int32_t cells[64][2], zones = karst_net_zones(got, cells, 64);
            static karst_noise_bank bank;
            for (int32_t k = 0; k < zones && k < 64; ++k) {
                karst_zone *zone = NULL;
                karst_report report = {0};
                karst_status cut = karst_net_cut(got, cells[k][0], cells[k][1], &bank, &report, &zone);
                prop_check(&q, !cut || report.message[0]);
                if (!cut) prop_check(&q, !kst_zone_data_check(&zone->record->data, NULL, NULL));
                karst_zone_destroy(zone);
            }
        }
        errors += status != KARST_OK, nets += got != NULL;
        karst_net_destroy(got);
        karst_project_close(p);
        assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
        sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
        sqlite3_exec(db, "DELETE FROM extra; INSERT INTO extra SELECT * FROM kept; DROP TABLE kept", NULL, NULL, NULL);
        sqlite3_close(db);
    }
    assert_true(errors > 0 && nets > 0);
    run_sql(path, "DELETE FROM extra WHERE name='net edges 00000'");
    p = open_as(path, KARST_PROJECT_READ);
    karst_net *got = NULL;
    assert_int_equal(take_net(p, &got), KARST_ERROR_FORMAT);
    assert_non_null(strstr(karst_project_message(p), "net edges 00000 is not there"));
    karst_project_close(p);
    karst_net_destroy(net);
}

static void running_out_of_memory_leaks_nothing(void **unused) {
    (void)unused;
    karst_project *p = create(world_path());
    karst_net *net = net_of(16);
    uint64_t want = state_of_net(net);
    for (uint64_t n = 1;; n += 1 + n / 8) {
        karst_net *got = NULL;
        kst_alloc_fail_after(n);
        karst_status status = karst_project_begin(p, "net");
        if (!status) status = put_net(p, net);
        if (!status) status = take_net(p, &got);
        if (!status) status = karst_project_commit(p);
        kst_alloc_fail_after(0);
        if (status) karst_project_rollback(p);
        karst_net_destroy(got);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_true(state(p) == 0);
    }
    assert_true(state(p) == want);
    karst_project_close(p);
    karst_net_destroy(net);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_comes_back_and_steps_go_over_it),
        cmocka_unit_test(bytes_of_a_field_are_those_of_its_chunks),
        cmocka_unit_test(a_net_stays_when_the_field_goes),
        cmocka_unit_test(a_bake_copies_the_zones),
        cmocka_unit_test(what_is_altered_is_named_or_keeps_every_rule),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
