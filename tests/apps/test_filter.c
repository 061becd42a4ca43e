// SPDX-License-Identifier: MIT
// The verbs filter and mask, run as people run them: one step each, undone as one, stopped without a trace.
#include <unistd.h>

#include "apps/answers.h"
#include "karst/sheet.h"

enum { SIDE = 200, COUNT = SIDE * SIDE };

static void good(ran r) {
    if (r.code) print_message("%s", r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

// A new world of noisy ground at 2 m, its corner at 0.
static const char *make_world(const char *name) {
    const char *world = temp_path(name);
    good(run_karst("new", world, "--size", "200x200", "--spacing", "2", "--quiet"));
    good(run_karst("filter", world, "noise", "--noise", "ridged", "--wavelength", "90", "--height", "60", "--quiet"));
    return world;
}

// What the ground looks like, or a mask of it.
static void read_heights(const char *world, const char *mask, float *out) {
    karst_project *project;
    karst_project_ground ground;
    karst_sheet sheet;
    karst_field *field;
    const karst_rect all = {0, 0, SIDE, SIDE};
    assert_int_equal(karst_project_open(world, KARST_PROJECT_READ, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_find_ground(project, KARST_PROJECT_FIELD, &ground), KARST_OK);
    if (mask) {
        assert_int_equal(karst_project_find_sheet(project, ground.id, KARST_SHEET_MASK, mask, &sheet), KARST_OK);
        assert_int_equal(karst_project_sheet_field(project, sheet.id, 0, &field), KARST_OK);
    } else {
        assert_int_equal(karst_project_field(project, ground.id, 0, &field), KARST_OK);
    }
    assert_int_equal(karst_field_read(field, all, out, NULL, NULL, SIDE), KARST_OK);
    karst_field_destroy(field);
    karst_project_close(project);
}

static double json_number(const char *text, const char *name) {
    cJSON *o = cJSON_Parse(text);
    assert_non_null(o);
    cJSON *n = cJSON_GetObjectItem(o, name);
    assert_true(cJSON_IsNumber(n));
    double value = n->valuedouble;
    cJSON_Delete(o);
    return value;
}

static void every_filter_is_one_step_that_undo_takes_back(void **state) {
    (void)state;
    const char *world = make_world("steps.karst");
    static const char *const calls[][6] = {
        {"noise", "--height", "5", "--normal", "--json", NULL},
        {"terrace", "--step", "10", "--wander", "3", "--json"},
        {"blur", "--radius", "9", "--json", NULL, NULL},
        {"sharpen", "--amount", "2", "--json", NULL, NULL},
        {"clamp", "--low", "20", "--high", "30", "--json"},
        {"remap", "--to", "-10..900", "--bend", "0.7", "--json"},
    };
    for (size_t k = 0; k < 6; ++k) {
        uint64_t before = world_hash(world);
        const char *const *w = calls[k];
        ran r = run_karst("filter", world, w[0], w[1], w[2], w[3] ? w[3] : "--json", w[4], w[4] ? w[5] : NULL);
        assert_int_equal(r.code, 0);
        assert_true(is_one_line(r.out));
        assert_true(json_number(r.out, "vertices") == COUNT);
        assert_true(json_number(r.out, "changed") > COUNT / 4 && json_number(r.out, "most_m") > 0.5);
        ran_free(&r);
        assert_true(world_hash(world) != before);
        good(run_karst("undo", world, "--quiet"));
        assert_true(world_hash(world) == before);
    }
}

static void threads_leave_no_trace(void **state) {
    (void)state;
    uint64_t want = 0;
    static const char *const threads[] = {"1", "3"};
    for (int k = 0; k < 2; ++k) {
        const char *world = make_world(k ? "threads3.karst" : "threads1.karst");
        good(run_karst("mask", world, "some", "--relief", "0..", "--feather", "9", "--threads", threads[k], "--quiet"));
        good(run_karst("filter", world, "sharpen", "--radius", "20", "--mask", "some", "--threads", threads[k],
                       "--quiet"));
        good(run_karst("filter", world, "noise", "--normal", "--mask", "some", "--threads", threads[k], "--quiet"));
        uint64_t hash = world_hash(world);
        assert_true(!k || hash == want);
        want = hash;
    }
}

static void an_area_and_a_mask_limit_a_filter(void **state) {
    (void)state;
    static float before[COUNT], after[COUNT], mask[COUNT];
    const char *world = make_world("limits.karst");
    good(run_karst("mask", world, "high", "--height", "20..~4", "--quiet"));
    read_heights(world, NULL, before);
    read_heights(world, "high", mask);
    ran r = run_karst("filter", world, "noise", "--mask", "high", "--area", "300,39.9,101,200", "--json");
    assert_int_equal(r.code, 0);
    assert_true(json_number(r.out, "vertices") == 100 * 81);  // columns 51..150, rows 20..100
    ran_free(&r);
    read_heights(world, NULL, after);
    int changed = 0;
    for (int k = 0; k < COUNT; ++k) {
        bool inside = k % SIDE >= 51 && k % SIDE <= 150 && k / SIDE >= 20 && k / SIDE <= 100;
        if (!inside || mask[k] == 0) assert_memory_equal(&before[k], &after[k], 4);
        changed += before[k] != after[k];
    }
    assert_true(changed > 1000);
}

static void a_layer_takes_what_a_filter_does(void **state) {
    (void)state;
    static float before[COUNT], after[COUNT];
    const char *world = make_world("layer.karst");
    good(run_karst("layer", world, "add", "strata", "--quiet"));
    read_heights(world, NULL, before);
    uint64_t hash = world_hash(world);
    ran r = run_karst("filter", world, "terrace", "--layer", "strata", "--json");
    assert_int_equal(r.code, 0);
    assert_true(json_number(r.out, "changed") > COUNT / 2);
    ran_free(&r);
    read_heights(world, NULL, after);
    assert_true(memcmp(before, after, sizeof before) != 0);
    assert_true(world_hash(world) != hash);
    good(run_karst("layer", world, "off", "strata", "--quiet"));
    read_heights(world, NULL, after);
    assert_memory_equal(before, after, sizeof before);
}

static double share_of(const char *world, const char *mask) {
    ran r = run_karst("mask", world, mask, "--json");
    assert_int_equal(r.code, 0);
    double share = json_number(r.out, "share");
    ran_free(&r);
    return share;
}

static void masks_are_made_met_listed_drawn_and_removed(void **state) {
    (void)state;
    const char *world = make_world("masks.karst"), *picture = temp_path("steep.png");
    good(run_karst("mask", world, "steep", "--slope", "35..90", "--image", picture, "--quiet"));
    assert_int_equal(access(picture, R_OK), 0);
    good(run_karst("mask", world, "flat", "--from", "steep", "--invert", "--quiet"));
    double steep = share_of(world, "steep"), flat = share_of(world, "flat");
    assert_true(steep > 0.1 && steep < 0.9 && fabs(steep + flat - 1) < 1e-6);
    good(run_karst("mask", world, "flat", "--invert", "--quiet"));
    assert_true(fabs(share_of(world, "flat") - steep) < 1e-6);
    good(run_karst("mask", world, "flat", "--from", "steep", "--mode", "subtract", "--quiet"));
    assert_true(share_of(world, "flat") < 0.5 * steep);  // only where the border was soft
    good(run_karst("mask", world, "flat", "--all", "--mode", "add", "--quiet"));
    assert_true(share_of(world, "flat") == 1);
    good(run_karst("mask", world, "flat", "--slope", "..30", "--noise", "fbm", "--mode", "intersect", "--grow", "6",
                   "--feather", "8", "--quiet"));
    assert_true(share_of(world, "flat") < 0.9);
    good(run_karst("mask", world, "hard", "--from", "steep", "--from-range", "0.5..", "--quiet"));
    double hard = share_of(world, "hard");
    assert_true(hard > 0.5 * steep && fabs(hard * COUNT - rint(hard * COUNT)) < 1e-6);  // 0 and 1 only
    good(run_karst("layer", world, "add", "moss", "--mask", "flat", "--quiet"));
    ran r = run_karst("mask", world, "--json");
    assert_int_equal(r.code, 0);
    assert_true(strstr(r.out, "\"name\":\"flat\"") && strstr(r.out, "\"layers\":[\"moss\"]"));
    ran_free(&r);
    r = run_karst("mask", world, "flat", "--remove");
    assert_int_equal(r.code, 1);  // it limits a layer
    assert_true(is_one_line(r.err));
    ran_free(&r);
    good(run_karst("mask", world, "steep", "--remove", "--quiet"));
    r = run_karst("mask", world);
    assert_true(strstr(r.out, "flat") && !strstr(r.out, "steep"));
    ran_free(&r);
    good(run_karst("undo", world, "--quiet"));
    assert_true(fabs(share_of(world, "steep") - steep) < 1e-9);
}

static void nonsense_is_one_line_and_changes_nothing(void **state) {
    (void)state;
    const char *world = make_world("bad.karst");
    uint64_t hash = world_hash(world);
    static const struct {
        const char *word[6];
        int code;
        const char *says;
    } calls[] = {
        {{"filter", "bluur"}, 2, "sharpen"},
        {{"filter", "blur", "--step", "3"}, 2, "terrace"},
        {{"filter", "clamp"}, 2, "--low"},
        {{"filter", "clamp", "--low", "9", "--high=3"}, 2, "above"},
        {{"filter", "remap"}, 2, "--to"},
        {{"filter", "remap", "--to", "9..3"}, 2, "range"},
        {{"filter", "remap", "--to", "9.."}, 2, "both"},
        {{"filter", "noise", "--noise", "white"}, 2, "ridged"},
        {{"filter", "noise", "--octaves", "99"}, 2, "octaves"},
        {{"filter", "blur", "--area", "1,2,3"}, 2, "four"},
        {{"filter", "blur", "--area", "-9,-9,-1,-1"}, 2, "0,0,398,398"},
        {{"filter", "blur", "--radius", "1"}, 1, "spacing"},
        {{"filter", "blur", "--mask", "none"}, 1, "none"},
        {{"filter", "blur", "--layer", "none"}, 1, "none"},
        {{"mask", "m"}, 1, "m"},
        {{"mask", "m", "--feather", "9"}, 1, "m"},
        {{"mask", "m", "--slope", "90..3"}, 2, "range"},
        {{"mask", "m", "--slope", "3..9~-2"}, 2, "range"},
        {{"mask", "m", "--facing", "1,2,3"}, 2, "ANGLE"},
        {{"mask", "m", "--facing", "0,0,0,9"}, 1, "nowhere"},
        {{"mask", "m", "--noise", "white"}, 2, "billow"},
        {{"mask", "m", "--seed", "5"}, 2, "--noise"},
        {{"mask", "m", "--range", "0..1"}, 2, "--noise"},
        {{"mask", "m", "--from-range", "0..1"}, 2, "--from"},
        {{"mask", "m", "--all", "--mode", "xor"}, 2, "subtract"},
        {{"mask", "m", "--mode", "add"}, 2, "--all"},
        {{"mask", "m", "--all", "--mode", "subtract"}, 1, "m"},
        {{"mask", "m", "--all", "--grow=3", "--shrink=3"}, 2, "not both"},
        {{"mask", "m", "--all", "--grow", "1e6"}, 1, "at most"},
        {{"mask", "m", "--all", "--feather", "1"}, 1, "spacing"},
        {{"mask", "m", "--from", "n"}, 1, "n"},
        {{"mask", "m", "--remove"}, 1, "m"},
        {{"mask", "m", "--remove", "--all"}, 2, "alone"},
    };
    for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k) {
        const char *const *w = calls[k].word;
        ran r = run_karst(w[0], world, w[1], w[2], w[2] ? w[3] : NULL, w[2] && w[3] ? w[4] : NULL);
        if (r.code != calls[k].code || !is_one_line(r.err) || !strstr(r.err, calls[k].says))
            fail_msg("case %zu, %s %s: %d %s", k, w[0], w[1], r.code, r.err);
        ran_free(&r);
    }
    ran r = run_karst("mask", world, "--slope", "3..9");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    assert_true(world_hash(world) == hash);
}

// The text of --help with every run of spaces and lines as one space.
static void help_breaks_lines_between_words(void **state) {
    (void)state;
    static const char *const says[] = {"a hill and a hollow take about two (200)", "falls to 0 over S beyond (S 5)",
                                       "an end may be open: 300.. (S 0)", "down to twice the spacing"};
    ran r = run_karst("mask", "--help");
    assert_int_equal(r.code, 0);
    char *to = r.out;
    for (const char *c = r.out; *c; ++c)
        if ((*c != ' ' && *c != '\n') || (to > r.out && to[-1] != ' ')) *to++ = *c == '\n' ? ' ' : *c;
    *to = 0;
    for (size_t k = 0; k < sizeof says / sizeof *says; ++k)
        if (!strstr(r.out, says[k])) fail_msg("not in the help: %s", says[k]);
    ran_free(&r);
}

static void stopping_a_filter_leaves_the_world_as_it_was(void **state) {
    (void)state;
    const char *world = temp_path("stop.karst");
    good(run_karst("new", world, "--size", "1601x1601", "--quiet"));
    good(run_karst("filter", world, "noise", "--quiet"));
    uint64_t hash = world_hash(world);
    assert_int_equal(stop_karst("filter", world, "blur", "--radius", "1000", "--quiet", "--threads", "1"), 1);
    assert_true(world_hash(world) == hash);
    good(run_karst("filter", world, "clamp", "--low", "0", "--quiet"));  // nothing holds it
    assert_true(world_hash(world) != hash);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_filter_is_one_step_that_undo_takes_back),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(an_area_and_a_mask_limit_a_filter),
        cmocka_unit_test(a_layer_takes_what_a_filter_does),
        cmocka_unit_test(masks_are_made_met_listed_drawn_and_removed),
        cmocka_unit_test(nonsense_is_one_line_and_changes_nothing),
        cmocka_unit_test(help_breaks_lines_between_words),
        cmocka_unit_test(stopping_a_filter_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
