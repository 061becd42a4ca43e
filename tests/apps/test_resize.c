// SPDX-License-Identifier: MIT
// karst resize: sizes that fit, parts, margins, undo, and what is said of others.
#include <cjson/cJSON.h>

#include "support/prop.h"
#include "support/run.h"

static bool says(const ran *r, const char *name, double wanted) {
    cJSON *o = cJSON_Parse(r->out);
    assert_non_null(o);
    double v = cJSON_GetNumberValue(cJSON_GetObjectItem(o, name));
    cJSON_Delete(o);
    return v == wanted;
}

static const char *make_world(void) {
    const char *world = temp_path("w.karst");
    ran r = run_karst("new", world, "--size", "101x81", "--spacing", "2", "--origin", "10,0,20");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    return world;
}

static void sizes_parts_and_margins_fit(void **state) {
    (void)state;
    const char *world = make_world();
    static const struct {
        const char *words[4];
        double columns, rows, spacing, x, z;
    } cases[] = {
        {{"--spacing", "1"}, 201, 161, 1, 10, 20},
        {{"--size", "51x41"}, 51, 41, 4, 10, 20},
        {{"--area", "19,41,90.6,99"}, 19, 16, 4, 18, 40},
        {{"--area", "-30,0,150,100", "--spacing", "4"}, 46, 26, 4, -30, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const char *const *w = cases[k].words;
        ran r = run_karst("resize", world, "--json", w[0], w[1], w[2], w[3]);
        assert_int_equal(r.code, 0);
        assert_true(says(&r, "columns", cases[k].columns) && says(&r, "rows", cases[k].rows));
        assert_true(says(&r, "spacing_m", cases[k].spacing));
        assert_true(says(&r, "origin_x", cases[k].x) && says(&r, "origin_z", cases[k].z));
        ran_free(&r);
    }
    ran r = run_karst("undo", world, "4");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = run_karst("info", world, "--json");
    assert_non_null(strstr(r.out, "\"columns\":101"));
    ran_free(&r);
    temp_remove();
}

static void bad_sizes_are_named_and_change_nothing(void **state) {
    (void)state;
    const char *world = make_world();
    static const struct {
        const char *words[4];
        const char *says;
    } cases[] = {
        {{"--size", "51x4"}, "51x41 fits"},
        {{"--size", "1x4"}, "--size"},
        {{"--size", "51x41", "--spacing", "4"}, "not both"},
        {{"--area", "3,4"}, "X0,Z0,X1,Z1"},
        {{"--area", "3,4,3,9"}, "X0 < X1"},
        {{"--spacing", "0"}, "--spacing"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const char *const *w = cases[k].words;
        ran r = run_karst("resize", world, w[0], w[1], w[2], w[3]);
        if (r.code != 2 || !is_one_line(r.err) || !strstr(r.err, cases[k].says)) fail_msg("case %zu: %s", k, r.err);
        ran_free(&r);
    }
    ran r = run_karst("resize", world, "--area", "0,0,1e9,1e9");  // more vertices than a field may have
    assert_true(r.code == 1 && is_one_line(r.err));
    ran_free(&r);
    r = run_karst("info", world, "--json");
    assert_non_null(strstr(r.out, "\"columns\":101"));
    ran_free(&r);
    temp_remove();
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_parts_and_margins_fit),
        cmocka_unit_test(bad_sizes_are_named_and_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
