// SPDX-License-Identifier: MIT
// History: whatever steps did, going to and fro among them gives every row of the world back, bit for bit.
#include "project/steps.h"

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

static void fields_opened_before_a_move_are_stale(void **state) {
    (void)state;
    karst_project *w = open_as(poured(200, 200, 1), KARST_PROJECT_WRITE);
    int64_t id;
    begin(w);
    good(w, karst_project_add_sheet(w, 1, KARST_SHEET_LAYER, "top", &id));
    commit(w);
    for (int layered = 0; layered < 2; ++layered) {
        karst_field *field;
        float y;
        karst_rect first = {0, 0, 1, 1}, last = {199, 199, 200, 200};
        if (layered)
            good(w, karst_project_field(w, 1, 0, &field));
        else
            good(w, karst_project_sheet_field(w, id, 0, &field));
        good(w, karst_field_read(field, first, &y, NULL, NULL, 1));  // control
        good(w, karst_project_undo(w, NULL, NULL));
        good(w, karst_project_redo(w, NULL, NULL));
        assert_int_equal(karst_field_read(field, last, &y, NULL, NULL, 1), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(karst_project_message(w), "before an undo or redo"));
        begin(w);
        y += 1;
        assert_int_equal(karst_field_write(field, first, &y, NULL, NULL, 1), KARST_OK);  // in memory
        assert_int_equal(karst_field_flush(field), KARST_ERROR_ARGUMENT);
        karst_project_rollback(w);
        karst_field_destroy(field);
    }
    karst_project_close(w);
}

// A file that gives back what its history took.
static void a_limit_makes_the_file_smaller(void **state) {
    (void)state;
    const char *path = poured(500, 500, 1);
    karst_project *w = open_as(path, KARST_PROJECT_WRITE);
    for (int k = 0; k < 3; ++k) {
        begin(w);
        good(w, pour(w, 1, (uint64_t)k + 2, false));
        commit(w);
    }
    karst_project_close(w);
    size_t before, after;
    free(read_bytes(path, &before));
    w = open_as(path, KARST_PROJECT_WRITE);
    uint64_t state_now = state_of(path), bytes;
    list_steps(w, &bytes);
    good(w, karst_project_set_history_limit(w, 1));
    assert_true(state_of(path) == state_now && list_steps(w, &bytes) == 0);
    karst_project_close(w);
    free(read_bytes(path, &after));
    assert_true(after * 3 < before * 2);
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
    assert_true(dropped > 2 && survived > 10);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_way_through_500_steps_gives_every_bit_back),
        cmocka_unit_test(what_was_undone_stays_within_reach),
        cmocka_unit_test(fields_opened_before_a_move_are_stale),
        cmocka_unit_test(a_limit_drops_the_oldest_and_no_more),
        cmocka_unit_test(a_limit_makes_the_file_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
