// SPDX-License-Identifier: MIT
// A net is a row among the grounds of a world: listed, found by its kind, proved with its elements, gone with them.
#include "karst/history.h"
#include "karst/sheet.h"
#include "project/worlds.h"
#include "surface/net_bytes.h"

static void fine(karst_project *p, karst_status status) {
    if (status) fail_msg("%s", karst_project_message(p));
}

// Hash of the authored elements of the world's net; 0: it has none.
static uint64_t elements_of(const karst_net *net) {
    uint64_t hash = 1;
    for (int part = 0; part < KST_NET_PARTS; ++part) {
        const int32_t counts[KST_NET_PARTS] = {net->corner_count, net->edge_count, net->patch_count};
        size_t size = (size_t)counts[part] * kst_net_element_bytes((kst_net_part)part);
        uint8_t *bytes = malloc(size + 1);
        kst_net_put_elements(net, (kst_net_part)part, 0, counts[part], bytes);
        hash = kst_hash(bytes, size, hash);
        free(bytes);
    }
    return hash;
}

static uint64_t state(karst_project *p) {
    karst_net *net = NULL;
    fine(p, take_net(p, &net));
    uint64_t hash = net ? elements_of(net) : 0;
    karst_net_destroy(net);
    return hash;
}

static int64_t rows(const char *path, const char *of) {
    sqlite3 *db;
    sqlite3_stmt *q;
    char sql[200];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", of);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &q, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(q), SQLITE_ROW);
    int64_t count = sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    sqlite3_close(db);
    return count;
}

static void refused(karst_project *p, karst_status status, karst_status want, const char *said) {
    assert_int_equal(status, want);
    if (!strstr(karst_project_message(p), said)) fail_msg("%s", karst_project_message(p));
}

// Both orders of adding them make one world.
static void a_net_is_listed_beside_a_field(void **unused) {
    (void)unused;
    uint64_t hash[2];
    karst_net *net = grid_net(23, 1), *empty;
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &empty), KARST_OK);
    assert_int_equal(karst_net_finish(empty, NULL), KARST_OK);
    for (int turn = 0; turn < 2; ++turn) {
        const char *path = world_path();
        karst_project *p = create(path);
        int64_t field = 0, id = 0, other;
        fine(p, karst_project_begin(p, "both"));
        if (turn) field = add(p, 70, 20);
        fine(p, karst_project_add_net(p, "rock", net, &id));
        if (!turn) field = add(p, 70, 20);
        fine(p, karst_project_set_source(p, id, "a scene", 3));
        fine(p, karst_project_commit(p));
        karst_project_ground g[3], found;
        int count = 0;
        fine(p, karst_project_grounds(p, g, 3, &count));
        assert_int_equal(count, 2);
        assert_true(g[0].kind == KARST_PROJECT_FIELD && g[0].id == field && g[0].net.patch_count == 0);
        assert_true(g[1].kind == KARST_PROJECT_PATCH && g[1].id == id && g[1].shape.columns == 0);
        assert_true(!strcmp(g[1].name, "rock") && !strcmp(g[1].source, "a scene") && g[1].step_m == 0);
        assert_true(g[1].net.patch_count == net->patch_count && g[1].net.edge_count == net->edge_count);
        assert_true(g[1].net.corner_count == net->corner_count && g[1].net.step_log2 == net->step_log2);
        assert_true(!memcmp(&g[1].net.origin, &net->origin, sizeof net->origin));
        assert_true(g[0].hash != g[1].hash);
        for (int k = 0; k < KARST_PROJECT_KINDS; ++k) {
            fine(p, karst_project_find_ground(p, (karst_project_kind)k, &found));
            assert_true(found.id == g[k].id && found.hash == g[k].hash);
        }
        hash[turn] = hash_of(p);

        fine(p, karst_project_begin(p, "one more"));
        refused(p, karst_project_add_net(p, "b", net, &other), KARST_ERROR_LIMIT, "has a net of patches already");
        refused(p, karst_project_set_extra(p, id, "net edges 00000", "x", 1), KARST_ERROR_ARGUMENT, "part of a net");
        refused(p, karst_project_set_extra(p, 99, "note", "x", 1), KARST_ERROR_ARGUMENT, "no ground 99");
        fine(p, karst_project_set_extra(p, id, "nets", "x", 1));  // anybody's, and no part of the hash
        fine(p, karst_project_commit(p));
        assert_true(hash_of(p) == hash[turn]);
        fine(p, karst_project_begin(p, "empty"));
        fine(p, karst_project_set_net(p, id, empty));
        fine(p, karst_project_commit(p));
        assert_true(hash_of(p) != hash[turn]);
        fine(p, karst_project_find_ground(p, KARST_PROJECT_PATCH, &found));
        assert_true(found.id == id && found.net.patch_count == 0);  // a ground all the same
        assert_int_equal(rows(path, "extra WHERE name GLOB 'net*'"), 2);
        fine(p, karst_project_undo(p, NULL, NULL));
        assert_true(hash_of(p) == hash[turn]);

        fine(p, karst_project_begin(p, "gone"));
        fine(p, karst_project_remove_ground(p, id));
        fine(p, karst_project_commit(p));
        fine(p, karst_project_find_ground(p, KARST_PROJECT_PATCH, &found));
        assert_true(found.id == 0);
        assert_int_equal(rows(path, "extra"), 0);
        fine(p, karst_project_begin(p, "again"));
        fine(p, karst_project_add_net(p, NULL, net, &other));
        fine(p, karst_project_commit(p));
        assert_true(other > id && hash_of(p) == hash[turn]);  // an id means one ground for ever
        fine(p, karst_project_undo(p, NULL, NULL));
        fine(p, karst_project_undo(p, NULL, NULL));
        fine(p, karst_project_find_ground(p, KARST_PROJECT_PATCH, &found));
        assert_true(found.id == id && found.hash == g[1].hash && state(p) == elements_of(net));
        karst_project_close(p);
    }
    assert_true(hash[0] == hash[1]);
    karst_net_destroy(net), karst_net_destroy(empty);
}

static void what_is_of_fields_is_not_for_nets(void **unused) {
    (void)unused;
    static const char asked[] = "is a net of patches, and a field is asked for";
    karst_project *p = create(world_path());
    karst_net *net = grid_net(3, 1), *none = NULL;
    karst_field *field;
    karst_project_canvas *canvas;
    karst_field_shape shape = {90, 30, 2, {10, 20, 30}};
    double bytes;
    int64_t id, other, sheet;
    fine(p, karst_project_begin(p, "both"));
    fine(p, karst_project_add_net(p, NULL, net, &id));
    other = add(p, 70, 20);
    refused(p, karst_project_resize(p, id, &shape, NULL), KARST_ERROR_ARGUMENT, asked);
    refused(p, karst_project_add_sheet(p, id, KARST_SHEET_MASK, "m", &sheet), KARST_ERROR_ARGUMENT, asked);
    refused(p, karst_project_set_net(p, other, net), KARST_ERROR_ARGUMENT, "a net of patches is asked for");
    refused(p, karst_project_set_net(p, 77, net), KARST_ERROR_ARGUMENT, "no ground 77");
    fine(p, karst_project_commit(p));
    refused(p, karst_project_field(p, id, 0, &field), KARST_ERROR_ARGUMENT, asked);
    refused(p, karst_project_canvas_open(p, id, 0, 0, 0, &canvas), KARST_ERROR_ARGUMENT, asked);
    refused(p, karst_project_field_bytes(p, id, (karst_rect){0, 0, 2, 2}, &bytes), KARST_ERROR_ARGUMENT, asked);
    refused(p, karst_project_get_net(p, other, NULL, &none), KARST_ERROR_ARGUMENT, "a net of patches is asked for");
    refused(p, karst_project_get_net(p, 77, NULL, &none), KARST_ERROR_ARGUMENT, "no ground 77");
    assert_null(none);
    assert_string_equal(karst_project_kind_name(KARST_PROJECT_PATCH), "patch");
    karst_project_close(p);
    karst_net_destroy(net);
}

// An extra of the net gets other bytes, and the hash that goes with them.
static void put_sealed(const char *path, const char *name, const uint8_t *bytes, size_t size) {
    sqlite3 *db;
    sqlite3_stmt *q;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO extra(ground, name, hash, data) VALUES(2, ?1, ?2, ?3)", -1, &q,
                           NULL),
        SQLITE_OK);
    sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(q, 2, (int64_t)kst_hash(bytes, size, 0));
    sqlite3_bind_blob(q, 3, bytes, (int)size, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(q), SQLITE_DONE);
    sqlite3_finalize(q);
    sqlite3_close(db);
}

// The head tells of more or fewer elements of a part than there are.
static void miscount(const char *path, const karst_net *net, int part, int by) {
    uint8_t bytes[KST_NET_HEAD_BYTES];
    kst_net_head head = kst_net_head_of(net);
    head.count[part] += by;
    kst_net_head_put(&head, bytes);
    put_sealed(path, "net", bytes, sizeof bytes);
}

// Whether a check of the world fails in the row, and with these words.
static bool check_says(const char *path, const char *row, const char *said) {
    karst_project *p = open_as(path, KARST_PROJECT_READ);
    karst_check checks[KARST_CHECK_MAX];
    int count = 0;
    bool found = false;
    fine(p, karst_project_check(p, NULL, checks, &count));
    for (int k = 0; k < count; ++k) {
        if (!said && checks[k].failed) fail_msg("%s: %s", checks[k].name, checks[k].first);
        found |= said && !strcmp(checks[k].name, row) && checks[k].failed && strstr(checks[k].first, said);
    }
    if (said && !found)
        for (int k = 0; k < count; ++k)
            print_message("%s: %d: %s\n", checks[k].name, (int)checks[k].failed, checks[k].first);
    karst_project_close(p);
    return found;
}

static void a_check_names_what_is_wrong_with_a_net(void **unused) {
    (void)unused;
    static const struct {
        const char *sql, *row, *said;
    } wrongs[] = {
        {"DELETE FROM extra WHERE name='net'", "grounds", "ground 2 is a net of patches, and the head"},
        {"DELETE FROM extra WHERE name='net'", "net", "the head of its elements is not there"},
        {"DELETE FROM extra WHERE name='net patches 00001'", "net", "the extra net patches 00001 is not there"},
        {"DELETE FROM extra WHERE ground=2", "grounds", "ground 2 is a net of patches, and the head"},
        {"DELETE FROM ground WHERE id=2", "extras", "belongs to ground 2, which is not there"},
        {"UPDATE extra SET ground=1 WHERE name='net edges 00000'", "extras", "belongs to ground 1, which is no net"},
        {"UPDATE extra SET ground=0 WHERE name='net edges 00000'", "extras", "belongs to ground 0, which is not there"},
        {"UPDATE extra SET name='net edges 00900' WHERE name='net edges 00002'", "extras",
         "the extra net edges 00900 is none of a net"},
        {"UPDATE extra SET name='net edges 2' WHERE name='net edges 00002'", "extras",
         "the extra net edges 2 is none of a net"},
        {"UPDATE ground SET columns=4 WHERE id=2", "grounds", "ground 2 has a kind or size that no Karst wrote"},
        {"UPDATE ground SET kind='tile' WHERE id=2", "grounds", "ground 2 has a kind or size that no Karst wrote"},
        {"UPDATE ground SET kind='field' WHERE id=2", "grounds", "ground 2 has a kind or size that no Karst wrote"},
        {"INSERT INTO ground(kind, name, source) VALUES('patch', 'x', '');"
         "INSERT INTO extra(ground, name, hash, data) SELECT 3, name, hash, data FROM extra WHERE ground=2",
         "grounds", "ground 3 is one more patch, and a world holds one"},
        {"UPDATE ground SET name='x' WHERE id=2", "history", "ground 2 of the world does not follow"},
        {NULL, "net", "does not hold the"},
    };
    karst_net *net = grid_net(23, 1);
    const char *made = world_path();
    karst_project *p = create(made);
    fine(p, karst_project_begin(p, "both"));
    add(p, 70, 20);
    fine(p, put_net(p, net));
    fine(p, karst_project_commit(p));
    karst_project_close(p);
    assert_false(check_says(made, NULL, NULL));  // control
    size_t size;
    uint8_t *whole = read_bytes(made, &size);
    const char *path = temp_path("wrong.karst");
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; ++k)
        for (int turn = 0; turn < (wrongs[k].sql ? 1 : 2 * KST_NET_PARTS); ++turn) {
            write_part(path, whole, 0, size);
            if (wrongs[k].sql)
                run_sql(path, wrongs[k].sql);
            else
                miscount(path, net, turn / 2, turn % 2 ? 1 : -1);
            if (!check_says(path, wrongs[k].row, wrongs[k].said)) fail_msg("%zu: %s", k, wrongs[k].said);
            // The field is of use still.
            p = open_as(path, KARST_PROJECT_WRITE);
            karst_project_ground g;
            fine(p, karst_project_find_ground(p, KARST_PROJECT_FIELD, &g));
            assert_true(g.id == 1);
            karst_project_close(p);
        }
    // A whole block that no head tells of.
    write_part(path, whole, 0, size);
    miscount(path, net, KST_NET_PATCHES, -(net->patch_count % 512));
    assert_true(check_says(path, "extras", "net patches 00001 is none of a net of"));
    p = open_as(path, KARST_PROJECT_WRITE);
    fine(p, karst_project_begin(p, "gone"));
    fine(p, karst_project_remove_ground(p, 2));
    fine(p, karst_project_commit(p));
    karst_project_close(p);
    assert_int_equal(rows(path, "extra"), 0);
    free(whole);
    karst_net_destroy(net);
}

// Whatever is left of a net, another one in its place is whole, and so is the same one.
static void a_net_that_is_set_is_whole_whatever_was_there(void **unused) {
    (void)unused;
    static const char *const wrongs[] = {
        "UPDATE extra SET data=x'00' WHERE name='net patches 00000'",
        "DELETE FROM extra WHERE name GLOB 'net patches *' AND name < 'net patches 00001'",
        "UPDATE extra SET hash=hash+1",
        "DELETE FROM extra WHERE ground=1",
        "UPDATE extra SET name='net edges 2' WHERE name='net edges 00001'",
    };
    karst_net *net[2] = {grid_net(23, 1), grid_net(2, 1)};
    for (size_t k = 0; k < 2 * sizeof wrongs / sizeof *wrongs; ++k) {
        const char *path = world_path();
        karst_project *p = create(path);
        int64_t id;
        fine(p, karst_project_begin(p, "net"));
        fine(p, karst_project_add_net(p, NULL, net[0], &id));
        fine(p, karst_project_set_extra(p, id, "note", "x", 1));
        fine(p, karst_project_commit(p));
        karst_project_close(p);
        run_sql(path, wrongs[k / 2]);
        p = open_as(path, KARST_PROJECT_WRITE);
        karst_net *got = NULL;
        assert_int_equal(karst_project_get_net(p, id, NULL, &got), KARST_ERROR_FORMAT);  // control
        fine(p, karst_project_begin(p, "again"));
        fine(p, karst_project_set_net(p, id, net[k % 2]));
        fine(p, karst_project_commit(p));
        assert_true(state(p) == elements_of(net[k % 2]));
        karst_check row[KARST_CHECK_MAX];
        int count = 0;
        fine(p, karst_project_check(p, NULL, row, &count));
        for (int r = 0; r < count; ++r)
            if (!strcmp(row[r].name, "net") || !strcmp(row[r].name, "grounds") || k / 2 == 4)
                assert_true(!row[r].failed || !strcmp(row[r].name, "history"));
        karst_project_close(p);
    }
    karst_net_destroy(net[0]), karst_net_destroy(net[1]);
}

// Add a net, change it, remove it, undo that, each with the n-th allocation of SQLite failing: an error and the world
// as it was, or done.
static void sqlite_out_of_memory_leaves_the_world_whole(void **unused) {
    (void)unused;
    const char *path = world_path();
    karst_project *p = create(path);
    karst_net *net = grid_net(3, 1), *less = grid_net(2, 1);
    uint64_t want[5] = {0, elements_of(net), elements_of(less), 0, elements_of(less)};
    karst_project_close(p);
    for (int what = 0; what < 4; ++what) {
        int failed = 0;
        bool done = false;
        for (long n = 1; !done; n += 1 + n / 24) {
            p = open_as(path, KARST_PROJECT_WRITE);
            assert_true(state(p) == want[what]);
            sqlite_countdown = n;
            karst_status status = KARST_OK;
            if (what < 3) {
                status = karst_project_begin(p, "step");
                if (!status) status = put_net(p, what == 0 ? net : what == 1 ? less : NULL);
                status ? karst_project_rollback(p) : (void)(status = karst_project_commit(p));
            } else {
                status = karst_project_undo(p, NULL, NULL);
            }
            done = !status;
            failed += !done;
            if (status) assert_true(karst_project_message(p)[0] != 0);
            karst_project_close(p);
            done = done && sqlite_countdown > 0;  // beyond the last allocation
            sqlite_countdown = 0;
            p = open_as(path, KARST_PROJECT_WRITE);
            uint64_t now = state(p);
            assert_true(now == want[what] || now == want[what + 1]);
            assert_true(!status == (now == want[what + 1]));
            if (!status && !done)
                fine(p, what < 3 ? karst_project_undo(p, NULL, NULL) : karst_project_redo(p, NULL, NULL));
            karst_project_close(p);
        }
        assert_true(failed > 5);
    }
    karst_net_destroy(net), karst_net_destroy(less);
}

int main(void) {
    temp_in_memory();
    sqlite_may_fail();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_is_listed_beside_a_field),
        cmocka_unit_test(what_is_of_fields_is_not_for_nets),
        cmocka_unit_test(a_check_names_what_is_wrong_with_a_net),
        cmocka_unit_test(a_net_that_is_set_is_whole_whatever_was_there),
        cmocka_unit_test(sqlite_out_of_memory_leaves_the_world_whole),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
