// SPDX-License-Identifier: MIT
// History: whatever steps did, going to and fro among them gives every row of the world back, bit for bit.
#include "karst/history.h"

#include "karst/sheet.h"
#include "project/worlds.h"

static void begin(karst_project *p) {
    if (karst_project_begin(p, "step")) fail_msg("%s", karst_project_message(p));
}

static void commit(karst_project *p) {
    if (karst_project_commit(p)) fail_msg("%s", karst_project_message(p));
}

#define good(p, call)                                       \
    do {                                                    \
        if (call) fail_msg("%s", karst_project_message(p)); \
    } while (0)

// Hash of every row of all that a step can change, stored bytes included, past the library.
static uint64_t state_of(const char *path) {
    static const char *const tables[] = {"SELECT * FROM ground ORDER BY id", "SELECT * FROM sheet ORDER BY id",
                                         "SELECT * FROM extra ORDER BY id", "SELECT * FROM chunk ORDER BY place"};
    sqlite3 *db;
    uint64_t hash = 0;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; ++t) {
        sqlite3_stmt *s;
        assert_int_equal(sqlite3_prepare_v2(db, tables[t], -1, &s, NULL), SQLITE_OK);
        while (sqlite3_step(s) == SQLITE_ROW)
            for (int k = 0; k < sqlite3_column_count(s); ++k) {
                int type = sqlite3_column_type(s, k);
                const void *bytes = sqlite3_column_blob(s, k);
                hash = kst_hash(bytes, (size_t)sqlite3_column_bytes(s, k), kst_hash_u64(hash, (uint64_t)type));
            }
        sqlite3_finalize(s);
    }
    sqlite3_close(db);
    return hash;
}

// ---- random steps ------------------------------------------------------------------------------------

static int64_t ground_of(karst_project *w, karst_project_ground *g) {
    int count = 0;
    good(w, karst_project_grounds(w, g, 1, &count));
    return count ? g->id : 0;
}

// A smooth dab into base or a layer, with some holes and some opacity.
static void stroke(prop *p, karst_project *w, const karst_project_ground *g, int64_t layer) {
    karst_project_canvas *canvas;
    good(w, karst_project_canvas_open(w, g->id, layer, 0, prop_chance(p, 0.3) ? 1 << 18 : 0, &canvas));
    const karst_canvas *c = karst_project_canvas_get(canvas);
    double radius = prop_real(p, 1, 40), x = prop_real(p, 0, g->shape.columns), z = prop_real(p, 0, g->shape.rows);
    karst_rect r = {(int)fmax(0, x - radius), (int)fmax(0, z - radius), (int)fmin(g->shape.columns, x + radius + 1),
                    (int)fmin(g->shape.rows, z + radius + 1)};
    int width = r.x1 - r.x0, count = width * (r.z1 - r.z0);
    if (count > 0) {
        float *y = malloc(3 * (size_t)count * sizeof *y), *dx = y + count, *dz = dx + count;
        bool sideways = prop_chance(p, 0.3);
        double height = prop_real(p, -20, 20);
        good(w, karst_field_read(c->shown, r, y, dx, dz, width));
        for (int k = 0; k < count; ++k) {
            double u = (r.x0 + k % width - x) / radius, v = (r.z0 + k / width - z) / radius;
            double share = fmax(0, 1 - u * u - v * v);
            y[k] += (float)(height * share * share);
            if (sideways) dx[k] += (float)share;
        }
        good(w, karst_canvas_write(c, r, y, sideways ? dx : NULL, sideways ? dz : NULL, width));
        if (!layer && prop_chance(p, 0.2)) {
            uint8_t hole = prop_chance(p, 0.5);
            karst_rect cell = {r.x0, r.z0, r.x0 + 1, r.z0 + 1};
            if (r.x0 < g->shape.columns - 1 && r.z0 < g->shape.rows - 1)
                good(w, karst_field_write_holes(c->target, cell, &hole, 1));
            uint8_t opacity = (uint8_t)prop_u64(p);
            karst_rect half = {r.x0 / 2, r.z0 / 2, r.x0 / 2 + 1, r.z0 / 2 + 1};
            good(w, karst_field_write_opacity(c->target, half, &opacity, 1));
        }
        free(y);
    }
    good(w, karst_project_canvas_flush(canvas));
    if (prop_chance(p, 0.1)) good(w, karst_project_canvas_flush(canvas));  // nothing new
    karst_project_canvas_close(canvas);
}

static void change_sheets(prop *p, karst_project *w, const karst_project_ground *g) {
    karst_sheet all[64];
    int count = 0;
    int64_t id = 0;
    good(w, karst_project_sheets(w, g->id, all, 64, &count));
    if (count < 2 || (count < 6 && prop_chance(p, 0.4))) {
        char name[32];
        snprintf(name, sizeof name, "n%llx", (unsigned long long)prop_u64(p));
        karst_sheet_kind kind = prop_chance(p, 0.5) ? KARST_SHEET_LAYER : KARST_SHEET_MASK;
        good(w, karst_project_add_sheet(w, g->id, kind, name, &id));
        return;
    }
    karst_sheet *s = &all[prop_int(p, 0, count - 1)];
    if (prop_chance(p, 0.3)) {
        karst_status status = karst_project_remove_sheet(w, s->id);
        assert_true(!status || s->kind == KARST_SHEET_MASK);  // it may limit a layer
        return;
    }
    s->on = prop_chance(p, 0.8);
    s->strength = (float)prop_real(p, -1, 2);
    for (int k = 0; k < count; ++k)
        if (s->kind == KARST_SHEET_LAYER && all[k].kind == KARST_SHEET_MASK) s->mask = all[k].id;
    good(w, karst_project_set_sheet(w, s));
}

// Something that a step may do.
static void change(prop *p, karst_project *w) {
    karst_project_ground g;
    int64_t id = ground_of(w, &g);
    if (!id || prop_chance(p, 0.02)) {  // another ground in its place
        if (id) good(w, karst_project_remove_ground(w, id));
        good(w, pour(w, add(w, prop_int(p, 20, 140), prop_int(p, 20, 140)), prop_u64(p), prop_chance(p, 0.3)));
        return;
    }
    int what = prop_int(p, 0, 9);
    if (what == 0) {
        char text[8];
        memset(text, prop_int(p, 'a', 'z'), sizeof text);
        good(w, karst_project_set_extra(w, id, prop_chance(p, 0.5) ? "a" : "b", text, (size_t)prop_int(p, 0, 8)));
    } else if (what == 1) {
        good(w, karst_project_set_source(w, id, "somewhere", prop_real(p, 0, 1)));
    } else if (what <= 3) {
        change_sheets(p, w, &g);
    } else {
        karst_sheet all[64];
        int count = 0;
        int64_t layer = 0;
        good(w, karst_project_sheets(w, id, all, 64, &count));
        for (int k = 0; k < count; ++k)
            if (all[k].kind == KARST_SHEET_LAYER && all[k].on && all[k].strength != 0 && prop_chance(p, 0.5))
                layer = all[k].id;
        stroke(p, w, &g, layer);
    }
}

// A step of one change or several.
static void random_step(prop *p, karst_project *w) {
    begin(w);
    do change(p, w);
    while (prop_chance(p, 0.25));
    commit(w);
}

static int64_t head_of(karst_project *w) {
    static karst_history_step steps[2000];
    int count = 0;
    good(w, karst_project_log(w, steps, 2000, &count));
    for (int i = 0; i < count && i < 2000; ++i)
        if (steps[i].current) return steps[i].id;
    return 0;
}

// ---- the walk ----------------------------------------------------------------------------------------

enum { MOST_STEPS = 2000 };

static void any_way_through_500_steps_gives_every_bit_back(void **state) {
    (void)state;
    const char *path = world_path();
    karst_project *w = create(path);
    static uint64_t states[MOST_STEPS];
    int steps = test_count(500), distinct = 0, moves = 0;
    states[0] = state_of(path);
    for (prop p = prop_begin("history_walk", 1); prop_next(&p);) {
        for (int made = 0; made < steps;) {
            int what = prop_int(&p, 0, 9);
            int64_t before = head_of(w), last = before;
            if (what < 6) {
                random_step(&p, w);
                ++made;
                last = head_of(w);
                prop_check(&p, last < MOST_STEPS);
                if (last != before) states[last] = state_of(path);  // an empty step leaves none
                distinct += states[last] != states[before];
            } else if (what < 8) {
                karst_history_step step;
                karst_status status =
                    what == 6 ? karst_project_undo(w, NULL, &step) : karst_project_redo(w, NULL, &step);
                last = head_of(w);
                prop_check(&p, status == KARST_OK || (status == KARST_ERROR_ARGUMENT && last == before));
                if (!status) prop_check(&p, what == 6 ? step.id == before && step.parent == last : step.id == last);
                if (!status && what == 6) {  // and back by redo, which takes what was undone last
                    prop_check(&p, !karst_project_redo(w, NULL, &step) && step.id == before);
                    prop_check(&p, state_of(path) == states[before]);
                    prop_check(&p, !karst_project_undo(w, NULL, NULL));
                }
            } else if (prop_chance(&p, 0.3)) {
                static karst_history_step all[MOST_STEPS];
                int count = 0;
                good(w, karst_project_log(w, all, MOST_STEPS, &count));
                int64_t to = count && !prop_chance(&p, 0.05) ? all[prop_int(&p, 0, count - 1)].id : 0;
                good(w, karst_project_go(w, to, NULL));
                last = head_of(w);
                prop_check(&p, last == to);
            }
            moves += last != before;
            prop_check(&p, state_of(path) == states[last]);
        }
    }
    assert_true(distinct > steps / 2 && moves > steps / 2);
    karst_project_close(w);
    // Control: a state that was altered is seen.
    uint64_t before = state_of(path);
    run_sql(path, "UPDATE chunk SET holes=holes+1 WHERE place=(SELECT min(place) FROM chunk)");
    assert_true(state_of(path) != before || !before);
}

// ---- branches and the limit --------------------------------------------------------------------------

static karst_history_step listed[MOST_STEPS];

static int list_steps(karst_project *w, uint64_t *bytes) {
    int count = 0;
    good(w, karst_project_log(w, listed, MOST_STEPS, &count));
    *bytes = 0;
    for (int i = 0; i < count; ++i) *bytes += listed[i].bytes;
    return count;
}

static void what_was_undone_stays_within_reach(void **state) {
    (void)state;
    const char *path = poured(100, 100, 1);
    karst_project *w = open_as(path, KARST_PROJECT_WRITE);
    uint64_t states[5];
    states[1] = state_of(path);
    for (int k = 2; k <= 4; ++k) {  // make 1, then 2; back; 3 and 4
        begin(w);
        good(w, karst_project_set_source(w, 1, "branch", k));
        commit(w);
        assert_int_equal(head_of(w), k);
        states[k] = state_of(path);
        if (k == 2) good(w, karst_project_undo(w, NULL, NULL));
    }
    good(w, karst_project_go(w, 2, NULL));
    assert_true(state_of(path) == states[2] && states[2] != states[4]);
    assert_int_equal(karst_project_redo(w, NULL, NULL), KARST_ERROR_ARGUMENT);  // nothing comes after 2
    assert_non_null(strstr(karst_project_message(w), "nothing to redo"));
    karst_history_step step;
    good(w, karst_project_undo(w, NULL, &step));
    assert_true(step.id == 2 && state_of(path) == states[1]);
    good(w, karst_project_redo(w, NULL, &step));  // the one undone last, not the newest
    assert_int_equal(step.id, 2);
    good(w, karst_project_go(w, 4, NULL));
    assert_true(state_of(path) == states[4]);
    uint64_t bytes;
    assert_int_equal(list_steps(w, &bytes), 4);
    assert_true(listed[0].done && !listed[1].done && listed[2].done && listed[3].done && listed[3].current);
    assert_true(listed[1].parent == 1 && listed[2].parent == 1 && listed[3].parent == 3);
    assert_int_equal(karst_project_go(w, 9, NULL), KARST_ERROR_ARGUMENT);
    begin(w);
    assert_int_equal(karst_project_undo(w, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(karst_project_message(w), "a step is open"));
    karst_project_rollback(w);
    karst_project_close(w);
    w = open_as(path, KARST_PROJECT_READ);
    assert_int_equal(karst_project_undo(w, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_set_history_limit(w, 1), KARST_ERROR_ARGUMENT);
    assert_int_equal(list_steps(w, &bytes), 4);
    karst_project_close(w);
}

// Steps, undos and limits at random: what is left of the tree leads where it led before, and keeps the limit.
static void a_limit_drops_the_oldest_and_no_more(void **state) {
    (void)state;
    int dropped = 0, survived = 0;
    for (prop p = prop_begin("history_limit", 6); prop_next(&p);) {
        const char *path = world_path();
        karst_project *w = create(path);
        static uint64_t states[MOST_STEPS];
        uint64_t root = state_of(path), bytes = 0, limit = 0, most = 0;
        for (int turn = 0; turn < 60; ++turn) {
            static bool done[MOST_STEPS];
            int before = list_steps(w, &bytes);
            memset(done, 0, sizeof done);
            for (int i = 0; i < before; ++i) done[listed[i].id] = listed[i].done;
            int64_t oldest = before ? listed[0].id : 0, last = before ? listed[before - 1].id : 0;
            if (prop_chance(&p, 0.1) && before) {
                most = prop_chance(&p, 0.2) ? 0 : (uint64_t)((double)bytes * prop_real(&p, 0.3, 2));
                good(w, karst_project_set_history_limit(w, most));
            } else if (prop_chance(&p, 0.3) && before) {
                good(w, karst_project_go(w, listed[prop_int(&p, 0, before - 1)].id, NULL));
                continue;
            } else {
                random_step(&p, w);
                int64_t made = head_of(w);
                if (made > last) states[made] = state_of(path), done[made] = true;
                if (made <= last) {  // nothing changed, or it took more than the limit alone
                    if (!list_steps(w, &bytes)) root = state_of(path);
                    continue;
                }
            }
            good(w, karst_project_history_limit(w, &limit));
            prop_check(&p, limit == most);
            int count = list_steps(w, &bytes);
            prop_check(&p, !most || bytes <= most);
            for (int64_t id = oldest; id < (count ? listed[0].id : last + 1) && id; ++id)
                if (done[id]) root = states[id], ++dropped;
            int64_t head = head_of(w);
            for (int i = 0; i < count; ++i) {
                int64_t to = listed[i].id;
                if (prop_chance(&p, 0.8)) continue;
                good(w, karst_project_go(w, to, NULL));
                prop_check(&p, state_of(path) == states[to]);
                ++survived;
            }
            good(w, karst_project_go(w, 0, NULL));
            prop_check(&p, state_of(path) == root);
            good(w, karst_project_go(w, head, NULL));
        }
        karst_project_close(w);
    }
    assert_true(dropped > 10 && survived > 50);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_through_500_steps_gives_every_bit_back),
        cmocka_unit_test(what_was_undone_stays_within_reach),
        cmocka_unit_test(a_limit_drops_the_oldest_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
