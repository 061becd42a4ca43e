// SPDX-License-Identifier: MIT
// karst mrm: build, info, export, and what it says when it cannot.
#include "apps/answers.h"

static cJSON *answered(ran r) {
    if (r.code) fail_msg("%s", r.err);
    assert_true(is_one_line(r.out));
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    ran_free(&r);
    return o;
}

static void refused(ran r, int code, const char *word) {
    assert_int_equal(r.code, code);
    assert_true(is_one_line(r.err));
    assert_non_null(strstr(r.err, word));
    ran_free(&r);
}

static void a_tank_is_built_told_and_exported(void **state) {
    (void)state;
    const char *file = temp_path("tank.kmrm");
    cJSON *built = answered(run_karst("mrm", "build", "--made", "tank", "-o", file, "--json"));
    cJSON *told = answered(run_karst("mrm", "info", file, "--json"));
    cJSON *same = answered(run_karst("info", file, "--json"));
    assert_true(cJSON_Compare(told, same, true));
    cJSON_Delete(same);
    assert_true(number_in(built, "triangles") == 1200 && number_in(told, "triangles") == 1200);
    assert_true(number_in(built, "record_bytes") == number_in(told, "record_bytes"));
    const cJSON *curve = cJSON_GetObjectItem(told, "curve");
    assert_true(cJSON_GetArraySize(curve) > 30);
    assert_true(number_in(cJSON_GetArrayItem(curve, 0), "error_m") == 0);
    cJSON_Delete(built);
    cJSON_Delete(told);

    cJSON *levels =
        answered(run_karst("mrm", "export", file, "--triangles", "800,500,300", "-o", temp_path("tank.glb"), "--json"));
    const cJSON *rows = cJSON_GetObjectItem(levels, "levels"), *row;
    assert_int_equal(cJSON_GetArraySize(rows), 3);
    static const int asked[] = {800, 500, 300};
    int k = 0;
    cJSON_ArrayForEach(row, rows) {
        double got = number_in(row, "triangles");
        assert_true(got <= asked[k] && got >= asked[k] - 2);
        cJSON *model = answered(run_karst("model", cJSON_GetObjectItem(row, "file")->valuestring, "--json"));
        assert_true(number_in(model, "triangles") == got);  // what a reader of others finds
        cJSON_Delete(model);
        ++k;
    }
    cJSON_Delete(levels);
    levels = answered(run_karst("mrm", "export", file, "--error", "0.3", "-o", temp_path("far.obj"), "--json"));
    row = cJSON_GetArrayItem(cJSON_GetObjectItem(levels, "levels"), 0);
    assert_true(number_in(row, "error_m") <= 0.3 && number_in(row, "triangles") < 1000);
    cJSON_Delete(levels);
}

static void options_reach_the_order(void **state) {
    (void)state;
    cJSON *plain = answered(run_karst("mrm", "build", "--made", "cube", "-o", temp_path("a.kmrm"), "--json"));
    cJSON *past =
        answered(run_karst("mrm", "build", "--made", "cube", "--past-right", "-o", temp_path("b.kmrm"), "--json"));
    cJSON *kept = answered(run_karst("mrm", "build", "--made", "grid", "--keep-borders", "--keep", "1000,1001", "-o",
                                     temp_path("c.kmrm"), "--json"));
    assert_true(number_in(plain, "least_triangles") == 12 &&
                cJSON_IsTrue(cJSON_GetObjectItem(plain, "is_least_right")));
    assert_true(number_in(past, "least_triangles") < 12);
    assert_true(number_in(kept, "least_vertices") >= 4 * 64);
    cJSON *tank = answered(run_karst("mrm", "build", "--made", "tank", "-o", temp_path("d.kmrm"), "--json"));
    cJSON *fitted =
        answered(run_karst("mrm", "build", "--made", "tank", "--fit-normals", "-o", temp_path("e.kmrm"), "--json"));
    assert_true(number_in(fitted, "vertices") > number_in(tank, "vertices"));
    assert_true(number_in(fitted, "triangles") == number_in(tank, "triangles"));
    cJSON_Delete(tank);
    cJSON_Delete(fitted);
    cJSON_Delete(plain);
    cJSON_Delete(past);
    cJSON_Delete(kept);
}

static void what_cannot_be_is_one_line(void **state) {
    (void)state;
    refused(run_karst("mrm", "build", "--made", "tank"), 2, "-o");
    refused(run_karst("mrm", "fold", "x"), 2, "fold");
    refused(run_karst("mrm", "info"), 2, "which file");
    refused(run_karst("mrm", "info", temp_path("none.kmrm")), 1, "none.kmrm");
    refused(run_karst("mrm", "build", "--made", "tank", "--keep", "5,x", "-o", temp_path("k.kmrm")), 2, "5,x");
    refused(run_karst("mrm", "build", "--made", "tank", "--keep", "99999", "-o", temp_path("k.kmrm")), 1, "99999");
    refused(run_karst("mrm", "export", temp_path("none.kmrm"), "-o", temp_path("x.glb")), 2, "--triangles");
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tank_is_built_told_and_exported),
        cmocka_unit_test(options_reach_the_order),
        cmocka_unit_test(what_cannot_be_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
