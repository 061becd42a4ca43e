// SPDX-License-Identifier: MIT
// History that is killed, starved or damaged: the world stands at a finished step, and one line says what is wrong.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "project/steps.h"

// What karst check finds wrong, 0 for nothing; the first line of it.
static uint64_t check_world(const char *path, char first[200]) {
    karst_project *w = open_as(path, KARST_PROJECT_READ);
    karst_check checks[KARST_CHECK_MAX];
    int count = 0;
    uint64_t failed = 0;
    *first = 0;
    good(w, karst_project_check(w, NULL, checks, &count));
    for (int i = 0; i < count; ++i) {
        if (checks[i].failed && !failed) snprintf(first, 200, "%s: %s", checks[i].name, checks[i].first);
        failed += checks[i].failed;
    }
    karst_project_close(w);
    return failed;
}

// ---- kills -------------------------------------------------------------------------------------------

typedef struct told {
    int64_t head;
    uint64_t state;
} told;

// A wide change that a step writes page by page, as erosion does.
static void erode(prop *p, karst_project *w, const karst_project_ground *g) {
    karst_field *field;
    good(w, karst_project_sheet_field(w, 1, 1 << 18, &field));
    karst_rect all = {0, 0, g->shape.columns, g->shape.rows};
    size_t n = (size_t)all.x1 * (size_t)all.z1;
    float *y = malloc(n * sizeof *y);
    good(w, karst_field_read(field, all, y, NULL, NULL, all.x1));
    for (size_t k = 0; k < n; ++k) y[k] += (float)(prop_u64(p) % 1000) * 1e-3f;
    good(w, karst_field_write(field, all, y, NULL, NULL, all.x1));
    good(w, karst_field_flush(field));
    karst_field_destroy(field);
    free(y);
}

// Strokes, wide changes, undo and redo until killed; after each its end is told.
static void work(const char *path, uint64_t seed, int out) {
    karst_project *w = open_as(path, KARST_PROJECT_WRITE);
    prop p = {.name = "child", .seed = seed, .count = 1};
    karst_project_ground g;
    ground_of(w, &g);
    for (;;) {
        int what = prop_int(&p, 0, 9);
        if (what < 2) {
            karst_project_undo(w, NULL, NULL);
        } else if (what < 4) {
            karst_project_redo(w, NULL, NULL);
        } else {
            begin(w);
            what < 7 ? stroke(&p, w, &g, 0) : erode(&p, w, &g);
            commit(w);
        }
        told t = {head_of(w), state_of(path)};
        if (write(out, &t, sizeof t) != sizeof t) _exit(1);
    }
}

// 24 kills; KARST_KILLS=300 for more.
static void killed_at_any_moment_it_stands_at_the_last_step(void **state) {
    (void)state;
    const char *path = poured(150, 150, 1);
    karst_project *w = open_as(path, KARST_PROJECT_WRITE);
    begin(w);
    int64_t id;
    good(w, karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "eroded", &id));
    assert_int_equal(id, 1);
    commit(w);
    told last = {head_of(w), state_of(path)};
    karst_project_close(w);
    const char *count = getenv("KARST_KILLS");
    int between = 0, finished = 0, wanted = count ? atoi(count) : test_count(24);
    for (prop p = prop_begin("history_kill", 8 * wanted); p.at + 1 < wanted && prop_next(&p);) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (!child) work(path, prop_u64(&p), ends[1]);
        close(ends[1]);
        usleep((useconds_t)prop_int(&p, 0, 60000));
        kill(child, SIGKILL);
        int how;
        waitpid(child, &how, 0);
        prop_check(&p, WIFSIGNALED(how));
        for (told t; read(ends[0], &t, sizeof t) == sizeof t; last = t) ++finished;
        close(ends[0]);
        char first[200];
        if (check_world(path, first)) fail_msg("%s", first);
        w = open_as(path, KARST_PROJECT_WRITE);
        uint64_t now = state_of(path);
        if (head_of(w) != last.head) {  // killed after a step was finished, before it was told
            ++between;
            good(w, karst_project_go(w, last.head, NULL));
            prop_check(&p, state_of(path) == last.state);
        } else {
            prop_check(&p, now == last.state);
        }
        karst_project_close(w);
    }
    if (count) printf("%s kills, %d steps finished, %d of them untold\n", count, finished + between, between);
    assert_true(finished > 0);
}

// ---- damage ------------------------------------------------------------------------------------------

static void copy_file(const char *from, const char *to) {
    size_t size;
    uint8_t *bytes = read_bytes(from, &size);
    unlink(to);
    write_part(to, bytes, 0, size);
    free(bytes);
}

// Alter one delta: its bytes, a hash, what it is of.
static void damage(prop *p, const char *path) {
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT id, data FROM delta ORDER BY id LIMIT 1 OFFSET abs(%lld) %% (SELECT count(*) FROM delta)",
             (long long)(prop_u64(p) >> 8));
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    int64_t id = sqlite3_column_int64(s, 0);
    int size = sqlite3_column_bytes(s, 1), kept = size;
    uint8_t *bytes = malloc((size_t)size + 1);
    if (size) memcpy(bytes, sqlite3_column_blob(s, 1), (size_t)size);
    sqlite3_finalize(s);
    static const char *const columns[] = {"takes", "gives", "kind", "key", "step"};
    if (size && prop_chance(p, 0.7)) {
        for (int k = prop_int(p, 1, 4); k; --k) bytes[prop_u64(p) % (uint64_t)size] = (uint8_t)prop_u64(p);
        if (prop_chance(p, 0.3)) kept = prop_int(p, 0, size - 1);
        sqlite3_prepare_v2(db, "UPDATE delta SET data=?2 WHERE id=?1", -1, &s, NULL);
        sqlite3_bind_blob(s, 2, bytes, kept, SQLITE_STATIC);
    } else {
        snprintf(sql, sizeof sql, "UPDATE delta SET %s=?2 WHERE id=?1", columns[prop_int(p, 0, 4)]);
        sqlite3_prepare_v2(db, sql, -1, &s, NULL);
        if (prop_chance(p, 0.2))
            sqlite3_bind_int64(s, 2, 3);
        else
            sqlite3_bind_int64(s, 2, (int64_t)prop_u64(p));
    }
    sqlite3_bind_int64(s, 1, id);
    sqlite3_step(s);  // a constraint may refuse it
    sqlite3_finalize(s);
    free(bytes);
    sqlite3_close(db);
}

static void a_damaged_step_is_named_and_changes_nothing(void **state) {
    (void)state;
    const char *whole = world_path();
    karst_project *w = create(whole);
    prop p = prop_begin("history_damage", 150);
    uint64_t first_state = state_of(whole);
    prop_next(&p);
    for (int k = 0; k < 12; ++k) random_step(&p, w);
    int64_t last = head_of(w);
    good(w, karst_project_undo(w, NULL, NULL));  // so that some deltas lead forward
    int64_t head = head_of(w);
    karst_project_close(w);
    uint64_t state_now = state_of(whole);
    int refused = 0, found = 0;
    const char *path = temp_path("damaged.karst");
    char first[200];
    if (check_world(whole, first)) fail_msg("%s", first);
    for (; prop_next(&p);) {
        copy_file(whole, path);
        damage(&p, path);
        bool seen = check_world(path, first) > 0;
        w = open_as(path, KARST_PROJECT_WRITE);
        karst_status forward = karst_project_go(w, last, NULL);
        if (forward) {
            prop_check(&p, forward == KARST_ERROR_FORMAT && karst_project_message(w)[0]);
            prop_check(&p, state_of(path) == state_now && head_of(w) == head);
        }
        uint64_t before = state_of(path);
        karst_status back = karst_project_go(w, 0, NULL);
        if (back) {
            prop_check(&p, back == KARST_ERROR_FORMAT && karst_project_message(w)[0]);
            prop_check(&p, strstr(karst_project_message(w), "damaged"));
            prop_check(&p, state_of(path) == before);
        }
        // What goes through unnoticed must be right.
        if (!forward && !back) prop_check(&p, seen || state_of(path) == first_state);
        if (forward || back) prop_check(&p, seen);
        refused += forward || back;
        found += seen;
        karst_project_close(w);
    }
    assert_true(refused > 5 && found >= refused);
}

// A tree of steps that is none: a parent that comes later, a head that is not there.
static void a_broken_tree_is_refused(void **state) {
    (void)state;
    static const char *const wrongs[] = {"UPDATE step SET parent=5 WHERE id=2", "UPDATE step SET parent=2 WHERE id=2",
                                         "UPDATE history SET head=77", "DELETE FROM history",
                                         "UPDATE step SET id=-4 WHERE id=1"};
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; ++k) {
        const char *path = poured(20, 20, 1);
        karst_project *w = open_as(path, KARST_PROJECT_WRITE);
        begin(w);
        good(w, karst_project_set_source(w, 1, "x", 1));
        commit(w);
        karst_project_close(w);
        char first[200];
        assert_int_equal(check_world(path, first), 0);  // control
        run_sql(path, wrongs[k]);
        w = open_as(path, KARST_PROJECT_WRITE);
        uint64_t before = state_of(path);
        assert_int_equal(karst_project_undo(w, NULL, NULL), KARST_ERROR_FORMAT);
        assert_non_null(strstr(karst_project_message(w), "history is damaged"));
        assert_true(state_of(path) == before);
        karst_project_close(w);
        assert_true(check_world(path, first) > 0);
    }
}

static void check_finds_what_is_wrong_with_a_world(void **state) {
    (void)state;
    static const struct {
        const char *sql, *said;
    } wrongs[] = {
        {"UPDATE chunk SET hash=hash+1 WHERE place=(SELECT min(place) FROM chunk)", "chunks: chunk (0, 0) is damaged"},
        {"UPDATE chunk SET holes=holes+1 WHERE place=(SELECT min(place) FROM chunk)", "another number of holes"},
        {"DELETE FROM chunk WHERE place=(SELECT min(place) FROM chunk)", "does not meet chunk (0, 0)"},
        {"UPDATE chunk SET place=place + 5 WHERE place=(SELECT max(place) FROM chunk)", "belongs to no ground"},
        {"INSERT INTO extra(ground, name, hash, data) VALUES(1, 'note', 5, x'00')", "the extra note is damaged"},
        {"UPDATE sheet SET mask=9", "the mask of top is not there"},
        {"UPDATE sheet SET kind='odd'", "values that no Karst wrote"},
        {"UPDATE ground SET columns=0", "no Karst wrote"},
        {"UPDATE ground SET source='y'", "does not follow"},
    };
    for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; ++k) {
        const char *path = poured(130, 130, 1);
        karst_project *w = open_as(path, KARST_PROJECT_WRITE);
        int64_t id;
        begin(w);
        good(w, karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "top", &id));
        commit(w);
        karst_project_close(w);
        char first[200];
        if (check_world(path, first)) fail_msg("%s", first);
        run_sql(path, wrongs[k].sql);
        if (!check_world(path, first) || !strstr(first, wrongs[k].said)) fail_msg("%s: %s", wrongs[k].sql, first);
    }
}

// ---- faults ------------------------------------------------------------------------------------------

// A step, an undo and a redo with the n-th allocation failing: each is whole or not at all.
static bool survive(const char *path, const uint64_t states[3]) {
    karst_report report;
    karst_project *w = NULL;
    karst_field *field = NULL;
    float y = 5;
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &report, &w);
    if (!status) status = karst_project_undo(w, NULL, NULL);
    if (!status) status = karst_project_redo(w, NULL, NULL);
    if (!status) status = karst_project_begin(w, "edit");
    if (!status) status = karst_project_field(w, 1, 0, &field);
    if (!status) status = karst_field_write(field, (karst_rect){3, 3, 4, 4}, &y, NULL, NULL, 1);
    if (!status) status = karst_field_flush(field);
    if (!status) status = karst_project_commit(w);
    karst_field_destroy(field);
    karst_project_close(w);
    sqlite_countdown = 0;
    kst_alloc_fail_after(0);
    uint64_t now = state_of(path);
    assert_true(status ? now == states[0] || now == states[1] : now == states[2]);
    char first[200];
    if (check_world(path, first)) fail_msg("%s", first);
    return !status;
}

static void every_failed_allocation_leaves_a_finished_step(void **state) {
    (void)state;
    // Two states and the one that survive() leads to, told by a run without faults.
    const char *made = poured(66, 66, 1), *path = temp_path("starved.karst");
    uint64_t states[3] = {state_of(made)};
    karst_project *w = open_as(made, KARST_PROJECT_WRITE);
    begin(w);
    good(w, pour(w, 1, 2, true));
    commit(w);
    karst_project_close(w);
    states[1] = state_of(made);
    static char whole[600];
    snprintf(whole, sizeof whole, "%s", made);
    copy_file(whole, path);
    w = open_as(path, KARST_PROJECT_WRITE);
    karst_field *field;
    float y = 5;
    begin(w);
    good(w, karst_project_field(w, 1, 0, &field));
    good(w, karst_field_write(field, (karst_rect){3, 3, 4, 4}, &y, NULL, NULL, 1));
    good(w, karst_field_flush(field));
    commit(w);
    karst_field_destroy(field);
    karst_project_close(w);
    states[2] = state_of(path);
    int undone = 0, finished = 0;
    for (int kind = 0; kind < 2; ++kind)
        for (int n = 1, stride = 1; n < 4000; n += stride, stride = 1 + n / 12) {
            copy_file(whole, path);
            if (kind)
                kst_alloc_fail_after((uint64_t)n);
            else
                sqlite_countdown = n;
            bool done = survive(path, states);
            undone += !done;
            finished += done;
            if (kind && done) break;
        }
    assert_true(undone > 20 && finished > 1);
}

// A cancelled move changes nothing.
static bool stop_soon(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    return --*(int *)context > 0;
}

static void a_move_that_is_stopped_changes_nothing(void **state) {
    (void)state;
    const char *path = poured(700, 700, 1);
    karst_project *w = open_as(path, KARST_PROJECT_WRITE);
    uint64_t before = state_of(path);
    int left = 3;
    karst_progress progress = {stop_soon, &left};
    assert_int_equal(karst_project_undo(w, &progress, NULL), KARST_ERROR_CANCELLED);
    assert_true(state_of(path) == before && head_of(w) == 1);
    left = 3;
    karst_check checks[KARST_CHECK_MAX];
    int count;
    assert_int_equal(karst_project_check(w, &progress, checks, &count), KARST_ERROR_CANCELLED);
    left = 1000000;
    assert_int_equal(karst_project_undo(w, &progress, NULL), KARST_OK);
    assert_true(state_of(path) != before);
    karst_project_close(w);
}

int main(void) {
    temp_in_memory();
    sqlite_may_fail();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_moment_it_stands_at_the_last_step),
        cmocka_unit_test(a_damaged_step_is_named_and_changes_nothing),
        cmocka_unit_test(a_broken_tree_is_refused),
        cmocka_unit_test(check_finds_what_is_wrong_with_a_world),
        cmocka_unit_test(every_failed_allocation_leaves_a_finished_step),
        cmocka_unit_test(a_move_that_is_stopped_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
