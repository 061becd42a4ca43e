// SPDX-License-Identifier: MIT
// The verb relax, run as people run it: one step, undone as one, stopped without a trace.

#include "apps/answers.h"

static void good(ran r) {
    if (r.code) print_message("%s", r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

// A new world of steep steps, 1 m between vertices.
static const char *make_world(const char *name, const char *size) {
    const char *world = temp_path(name);
    good(run_karst("new", world, "--size", size, "--quiet"));
    good(run_karst("filter", world, "noise", "--wavelength", "60", "--height", "60", "--octaves", "2", "--quiet"));
    good(run_karst("filter", world, "terrace", "--step", "12", "--sharpness", "0.9", "--quiet"));
    good(run_karst("filter", world, "blur", "--radius", "2", "--quiet"));
    return world;
}

static void relaxing_is_one_step_that_tells_what_it_did(void **state) {
    (void)state;
    const char *world = make_world("steps.karst", "65x65");
    uint64_t before = world_hash(world);
    ran r = run_karst("relax", world, "--sweeps", "8", "--json");
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    assert_true(number_in(o, "worst_before") > 2 && number_in(o, "worst_after") < number_in(o, "worst_before"));
    assert_true(number_in(o, "mean_before") > 1 && number_in(o, "mean_after") > 1);
    assert_true(number_in(o, "moved") > 100 && number_in(o, "sweeps") >= 8);
    assert_true(number_in(o, "largest_m") > 0 && number_in(o, "largest_m") <= 0.5);
    cJSON_Delete(o);
    ran_free(&r);
    uint64_t relaxed = world_hash(world);
    assert_true(relaxed != before);
    good(run_karst("undo", world, "--quiet"));
    assert_true(world_hash(world) == before);
    good(run_karst("relax", world, "--sweeps", "8", "--threads", "3", "--quiet"));
    assert_true(world_hash(world) == relaxed);
}

static void bake_relaxes_what_was_sculpted_unless_told_not_to(void **state) {
    (void)state;
    const char *world = temp_path("rock.karst"), *pack = temp_path("rock.kpack");
    char strokes[4096];
    snprintf(strokes, sizeof strokes, "%s/scenes/pedestal.strokes", getenv("KARST_SOURCE"));
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    good(run_karst("sculpt", world, "--strokes", strokes, "--quiet"));
    uint64_t hash = world_hash(world);
    for (int relaxes = 1; relaxes >= 0; --relaxes) {
        ran r = run_karst("bake", world, "-o", pack, "--json", relaxes ? NULL : "--no-relax");
        assert_int_equal(r.code, 0);
        cJSON *o = cJSON_Parse(r.out);
        const cJSON *relaxed = cJSON_GetObjectItem(o, "relaxed");
        assert_true(number_in(relaxed, "regions") == relaxes);
        assert_true((number_in(relaxed, "moved") > 100) == relaxes);
        assert_true(number_in(relaxed, "worst_after") <= number_in(relaxed, "worst_before"));
        assert_true(number_in(relaxed, "largest_m") <= 0.5 && number_in(o, "largest_error_m") <= 0.01);
        cJSON_Delete(o);
        ran_free(&r);
    }
    assert_true(world_hash(world) == hash);  // the author's ground is as it was
}

static void nonsense_is_one_line_and_changes_nothing(void **state) {
    (void)state;
    const char *world = make_world("nonsense.karst", "33x33");
    uint64_t before = world_hash(world);
    static const struct {
        const char *words[2];
        int code;
        const char *says;
    } calls[] = {
        {{"--above", "1"}, 2, "1.05"},    {{"--sweeps", "0"}, 2, "10000"},     {{"--distance", "-1"}, 2, "--distance"},
        {{"--area", "1,2,3"}, 2, "four"}, {{"--area", "3,3,3,9"}, 2, "2 x 2"}, {{"--mask", "none"}, 1, "none"},
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        ran r = run_karst("relax", world, calls[k].words[0], calls[k].words[1]);
        if (r.code != calls[k].code || !strstr(r.err, calls[k].says)) fail_msg("%s: %s", calls[k].words[0], r.err);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    assert_true(world_hash(world) == before);
}

static void stopping_leaves_the_world_as_it_was(void **state) {
    (void)state;
    const char *world = make_world("stop.karst", "257x257");
    uint64_t hash = world_hash(world);
    assert_int_equal(stop_karst("relax", world, "--sweeps", "10000", "--quiet", "--threads", "1"), 1);
    assert_true(world_hash(world) == hash);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relaxing_is_one_step_that_tells_what_it_did),
        cmocka_unit_test(bake_relaxes_what_was_sculpted_unless_told_not_to),
        cmocka_unit_test(nonsense_is_one_line_and_changes_nothing),
        cmocka_unit_test(stopping_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
