// SPDX-License-Identifier: MIT
// karst erode: one undoable step, what it tells, and what it says of bad input.
#include <cjson/cJSON.h>
#include <unistd.h>

#include "karst/project.h"
#include "karst/sheet.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"

enum { SIDE = 100 };
static const karst_rect all = {0, 0, SIDE, SIDE};
static char world_path[512];
static float before[SIDE * SIDE], after[SIDE * SIDE];

static void read_world(float *y) {
    karst_project *project;
    karst_field *field;
    karst_project_ground ground;
    assert_int_equal(karst_project_open(world_path, KARST_PROJECT_READ, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_find_ground(project, KARST_PROJECT_FIELD, &ground), KARST_OK);
    assert_int_equal(karst_project_field(project, ground.id, 0, &field), KARST_OK);
    assert_int_equal(karst_field_read(field, all, y, NULL, NULL, SIDE), KARST_OK);
    karst_field_destroy(field);
    karst_project_close(project);
}

static int make_world(void **state) {
    (void)state;
    snprintf(world_path, sizeof world_path, "%s", temp_path("erode.karst"));
    ran r = run_karst("new", world_path, "--size", "100x100", "--spacing", "10");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    karst_project *project;
    karst_field *field;
    karst_project_ground ground;
    assert_int_equal(karst_project_open(world_path, KARST_PROJECT_WRITE, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_find_ground(project, KARST_PROJECT_FIELD, &ground), KARST_OK);
    assert_int_equal(karst_project_begin(project, "rough"), KARST_OK);
    assert_int_equal(karst_project_field(project, ground.id, 0, &field), KARST_OK);
    for (int k = 0; k < SIDE * SIDE; ++k) before[k] = 4 * scene_height(k % SIDE, k / SIDE, 2);
    assert_int_equal(karst_field_write(field, all, before, NULL, NULL, SIDE), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    karst_field_destroy(field);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    karst_project_close(project);
    return 0;
}

static cJSON *json_of(const ran *r) {
    assert_int_equal(r->code, 0);
    cJSON *object = cJSON_Parse(r->out);
    assert_non_null(object);
    return object;
}

static double number(const cJSON *object, const char *group, const char *name) {
    if (group) object = cJSON_GetObjectItem(object, group);
    assert_true(cJSON_IsNumber(cJSON_GetObjectItem(object, name)));
    return cJSON_GetObjectItem(object, name)->valuedouble;
}

static void it_tells_what_it_did_keeps_masks_and_is_undone_in_one_step(void **state) {
    (void)state;
    ran r = run_karst("erode", world_path, "--wear", "worn", "--deposit", "silt", "--json");
    cJSON *told = json_of(&r);
    assert_true(number(told, "pits_before", "share") > 0.05 && number(told, "pits_after", "share") <= 0.02);
    assert_true(number(told, NULL, "worn_m3") > 0 && number(told, NULL, "deepest_cut_m") > 1);
    assert_true(number(told, NULL, "account_error") < 1e-6 && number(told, NULL, "wear_full_m") > 0);
    cJSON_Delete(told);
    ran_free(&r);
    read_world(after);
    assert_memory_not_equal(before, after, sizeof before);
    // The masks are there: rivers that obey one change nothing where it is 0.
    r = run_karst("erode", world_path, "--mask", "worn", "--hardness", "silt", "--preset", "desert");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "desert"));
    ran_free(&r);
    for (int k = 0; k < 2; ++k) {
        r = run_karst("undo", world_path);
        assert_int_equal(r.code, 0);
        ran_free(&r);
    }
    read_world(after);
    assert_memory_equal(before, after, sizeof before);
}

static void an_area_is_all_that_changes(void **state) {
    (void)state;
    ran r = run_karst("erode", world_path, "--area", "200,300,800,990", "--years", "60000", "--drops", "0");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    read_world(after);
    int changed = 0;
    for (int k = 0; k < SIDE * SIDE; ++k) {
        int x = k % SIDE, z = k / SIDE;
        bool same = !memcmp(&before[k], &after[k], sizeof(float));
        if (x < 20 || x > 80 || z < 30) assert_true(same);
        changed += !same;
    }
    assert_true(changed > 2000);
    r = run_karst("undo", world_path);
    ran_free(&r);
}

static void bad_words_are_told_in_one_line(void **state) {
    (void)state;
    static const struct {
        const char *word, *value, *says;
        int code;
    } bad[] = {
        {"--preset", "moon", "alpine, desert, coast", 2},
        {"--area", "1,2,3", "four numbers", 2},
        {"--area", "-90,-90,-50,-50", "lies in", 2},
        {"--years", "-1", "--years", 2},
        {"--hardness", "none", "no mask none", 1},
        {"--mask", "none", "no mask none", 1},
        {"--thermal", "x", "--thermal", 2},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        ran r = run_karst("erode", world_path, bad[k].word, bad[k].value);
        if (r.code != bad[k].code || !strstr(r.err, bad[k].says)) print_message("%s", r.err);
        assert_int_equal(r.code, bad[k].code);
        assert_true(is_one_line(r.err));
        assert_non_null(strstr(r.err, bad[k].says));
        ran_free(&r);
    }
    read_world(after);
    assert_memory_equal(before, after, sizeof before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_tells_what_it_did_keeps_masks_and_is_undone_in_one_step),
        cmocka_unit_test(an_area_is_all_that_changes),
        cmocka_unit_test(bad_words_are_told_in_one_line),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, make_world, temp_teardown);
}
