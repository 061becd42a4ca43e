// SPDX-License-Identifier: MIT
// karst model and karst info of models: files in and out, and what is said of bad ones.
#include "apps/answers.h"

static cJSON *json_of(ran r) {
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out) && !*r.err);
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    ran_free(&r);
    return o;
}

static void a_made_tank_is_written_and_told(void **state) {
    (void)state;
    static const char *const name[] = {"t.glb", "t.obj", "t.ply"};
    for (int k = 0; k < 3; ++k) {
        const char *path = temp_path(name[k]);
        cJSON *made = json_of(run_karst("model", "--made", "tank", "-o", path, "--json"));
        cJSON *read = json_of(run_karst("info", path, "--json"));
        assert_string_equal(cJSON_GetObjectItem(read, "kind")->valuestring, "model");
        assert_true(number_in(made, "triangles") == 1200 && number_in(read, "triangles") == 1200);
        assert_true(number_in(read, "wedges") <= number_in(made, "wedges"));
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(read, "joints")), k == 0 ? 3 : 0);
        assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(read, "materials")), k == 2 ? 1 : 5);
        cJSON_Delete(made);
        cJSON_Delete(read);
    }
}

static void options_change_what_is_read(void **state) {
    (void)state;
    const char *path = temp_path("c.obj");
    cJSON_Delete(json_of(run_karst("model", "--made", "cube", "-o", path, "--json")));
    cJSON *plain = json_of(run_karst("model", path, "--json"));
    cJSON *other = json_of(run_karst("model", path, "--json", "--unit", "0.5", "--crease", "100", "--merge", "0.1"));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(plain, "closed")) && number_in(plain, "area_m2") > 23.9);
    assert_true(number_in(other, "area_m2") < 6.1 && number_in(other, "merged_vertices") > 1000);
    cJSON_Delete(plain);
    cJSON_Delete(other);
}

// Bytes of a picture's file: more, the more there is to see.
static size_t picture_bytes(const char *size, const char *extra) {
    const char *path = temp_path("cube.png");
    cJSON *o = json_of(run_karst("model", "--made", "cube", "--picture", path, "--json", "--size", size, extra));
    assert_string_equal(cJSON_GetObjectItem(o, "picture")->valuestring, path);
    cJSON_Delete(o);
    size_t bytes;
    free(read_bytes(path, &bytes));
    return bytes;
}

static void a_picture_is_drawn(void **state) {
    (void)state;
    size_t plain = picture_bytes("320x200", NULL), lines = picture_bytes("320x200", "--wireframe");
    assert_true(plain > 500 && lines > 1.2 * (double)plain);
    ran r = run_karst("model", "--made", "cube", "--picture", temp_path("c.png"), "--size", "4x4");
    assert_int_equal(r.code, 2);
    ran_free(&r);
}

static void bad_use_and_bad_files_give_one_line(void **state) {
    (void)state;
    const char *path = temp_path("bad.obj");
    write_part(path, (const uint8_t *)"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 0, 34);
    const struct {
        ran r;
        int code;
        const char *word;
    } cases[] = {
        {run_karst("model"), 2, "made:tank"},
        {run_karst("model", "made:hause"), 2, "tank, truck"},
        {run_karst("model", "--made", "car"), 2, "oak, cube"},
        {run_karst("model", path, "--made", "tank"), 2, "one of them"},
        {run_karst("model", path, "--up", "x"), 2, "y or z"},
        {run_karst("model", path, "--crease", "200"), 2, "--crease"},
        {run_karst("model", path), 1, "finite"},
        {run_karst("info", path), 1, "finite"},
        {run_karst("model", temp_path("none.glb")), 1, "No such file"},
        {run_karst("model", "--made", "tank", "-o", temp_path("t.stl")), 1, ".glb, .obj or .ply"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        ran r = cases[k].r;
        assert_int_equal(r.code, cases[k].code);
        assert_true(is_one_line(r.err));
        if (!strstr(r.err, cases[k].word)) fail_msg("%s", r.err);
        ran_free(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_made_tank_is_written_and_told),
        cmocka_unit_test(options_change_what_is_read),
        cmocka_unit_test(a_picture_is_drawn),
        cmocka_unit_test(bad_use_and_bad_files_give_one_line),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
