// SPDX-License-Identifier: MIT
// karst export --method rqt: of worlds and packs alike, and what is said of bad options.
#include "apps/answers.h"
#include "scenes/scenes.h"

enum { SIDE = 100 };
static char world[512], pack[512];

static int make(void **state) {
    (void)state;
    char raw[512];
    snprintf(raw, sizeof raw, "%s", temp_path("in.r32"));
    snprintf(world, sizeof world, "%s", temp_path("w.karst"));
    snprintf(pack, sizeof pack, "%s", temp_path("w.kpack"));
    float y[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) y[k] = scene_height(k % SIDE, k / SIDE, 8) * 5;
    FILE *f = fopen(raw, "wb");
    assert_true(f && fwrite(y, sizeof y, 1, f) == 1 && !fclose(f));
    ran r = run_karst("import", world, raw, "--spacing", "4");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = run_karst("bake", world, "-o", pack);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    return 0;
}

// Exports with JSON; returns its triangles, after looking at the rest.
static double triangles_of(const char *from, const char *to, const char *error, const char *refit) {
    ran r = run_karst("export", from, temp_path(to), "--json", "--method", "rqt", "--error", error, refit);
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out) && !*r.err);
    cJSON *o = cJSON_Parse(r.out);
    assert_string_equal(cJSON_GetObjectItem(o, "method")->valuestring, "rqt");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "refit")) == !refit);
    assert_true(number_in(o, "error_m") <= atof(error) && number_in(o, "error_m") > atof(error) / 2);
    assert_true(number_in(o, "seconds") > 0 && number_in(o, "vertices") > 3);
    double triangles = number_in(o, "triangles");
    cJSON_Delete(o);
    ran_free(&r);
    return triangles;
}

static void worlds_and_packs_become_few_triangles(void **state) {
    (void)state;
    static const char *const to[] = {"m.obj", "m.ply", "m.glb"};
    for (int k = 0; k < 3; ++k) {
        const char *from = k == 1 ? pack : world;
        double with = triangles_of(from, to[k], "3", NULL), without = triangles_of(from, to[k], "3", "--no-refit");
        assert_true(with < 0.8 * without && without < 2 * (SIDE - 1) * (SIDE - 1));
        assert_true(triangles_of(from, to[k], "12", NULL) < with);
    }
}

static void people_are_told(void **state) {
    (void)state;
    ran r = run_karst("export", world, temp_path("m.obj"), "--method", "rqt", "--error", "3");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, " triangles\n"));
    assert_non_null(strstr(r.out, "nowhere farther than 2.9"));
    ran_free(&r);
}

static void bad_options_are_one_line(void **state) {
    (void)state;
    static const char *const bad[][6] = {
        {"m.obj", "--method", "tin", "--error", "3"},
        {"m.obj", "--method", "rqt"},
        {"m.tif", "--method", "rqt", "--error", "3"},
        {"m.obj", "--error", "3"},
        {"m.obj", "--no-refit"},
        {"m.obj", "--method", "rqt", "--error", "-3"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        const char *words[10] = {"karst", "export", world};
        for (int w = 0; w < 6 && bad[k][w]; ++w) words[3 + w] = w ? bad[k][w] : temp_path(bad[k][w]);
        ran r = run_words(words);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
}

static int clean(void **state) {
    (void)state;
    temp_remove();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_and_packs_become_few_triangles),
        cmocka_unit_test(people_are_told),
        cmocka_unit_test(bad_options_are_one_line),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, make, clean);
}
