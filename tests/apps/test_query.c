// SPDX-License-Identifier: MIT
// karst check, info and query on a baked pack: figures, formats, and what is said of bad input.
#include <unistd.h>

#include "apps/answers.h"
#include "karst/bake.h"
#include "karst/pack.h"
#include "karst/sweep.h"
#include "scenes/scenes.h"

static char pack_path[512];
static const karst_ground *ground;
static karst_pack *pack;

static int bake(void **state) {
    (void)state;
    snprintf(pack_path, sizeof pack_path, "%s", temp_path("query.kpack"));
    karst_field *field;
    assert_int_equal(scene_rough_field(160, 130, 2, 3, true, true, (karst_pos){-100, 0, -50}, &field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    karst_bake_info info;
    assert_int_equal(karst_bake_field(field, pack_path, &def, NULL, &report, &info), KARST_OK);
    karst_field_destroy(field);
    assert_int_equal(karst_pack_open(pack_path, NULL, &pack), KARST_OK);
    ground = karst_pack_ground(pack);
    return 0;
}

static int clean(void **state) {
    (void)state;
    karst_pack_close(pack);
    temp_remove();
    return 0;
}

static void spill(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_true(f && fputs(text, f) >= 0 && !fclose(f));
}

static cJSON *json_of(const ran *r) {
    assert_int_equal(r->code, 0);
    assert_true(is_one_line(r->out));
    cJSON *object = cJSON_Parse(r->out);
    assert_non_null(object);
    return object;
}
static void one_height_is_the_top_and_all_are_sorted(void **state) {
    (void)state;
    int several = 0, nothing = 0;
    for (prop p = prop_begin("query_height", 10); prop_next(&p);) {
        char x[32], z[32];
        // The first place lies beyond the border.
        snprintf(x, sizeof x, "%.3f", prop_real(&p, -105, 225) + (p.at ? 0 : 1000));
        snprintf(z, sizeof z, "%.3f", prop_real(&p, -55, 215));
        karst_level level[16];
        int count;
        assert_int_equal(karst_ground_heights(ground, atof(x), atof(z), level, 16, &count), KARST_OK);
        ran one = run_karst("query", "height", pack_path, x, z),
            all = run_karst("query", "height", pack_path, x, z, "--all");
        prop_check(&p, one.code == 0 && all.code == 0 && !*one.err && !*all.err);
        if (count) {
            prop_near(&p, atof(one.out), level[0].y, 1e-9);
            prop_check(&p, !strncmp(all.out, one.out, strlen(one.out)));
        } else {
            prop_check(&p, !strcmp(one.out, "none\n") && !strcmp(all.out, "none\n"));
        }
        int lines = 0;
        const char *at = all.out;
        for (char *end; count && (end = strchr(at, '\n')); at = end + 1, ++lines)
            prop_near(&p, atof(at), level[lines].y, 1e-9);
        prop_check(&p, lines == count);
        several += count > 1;
        nothing += count == 0;
        ran_free(&one);
        ran_free(&all);
    }
    assert_true(nothing > 0);
    (void)several;
}

static void many_points_answer_as_one_does(void **state) {
    (void)state;
    const char *in = temp_path("points.csv");
    FILE *f = fopen(in, "w");
    double at[500][2];
    prop p = prop_begin("query_points", 1);
    for (int i = 0; i < 500; ++i) {
        at[i][0] = prop_real(&p, -105, 225);
        at[i][1] = prop_real(&p, -55, 215);
        fprintf(f, i % 3 ? "%.17g,%.17g\n" : " %.17g , %.17g\r\n", at[i][0], at[i][1]);
    }
    fclose(f);
    ran r = run_karst("query", "height", pack_path, "--points", in, "--threads", "2");
    assert_int_equal(r.code, 0);
    char *line = r.out;
    int none = 0;
    for (int i = 0; i < 500; ++i) {
        double x, z, y, want;
        bool there = karst_ground_height(ground, at[i][0], at[i][1], &want);
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        if (there) {
            assert_int_equal(sscanf(line, "%lf,%lf,%lf", &x, &z, &y), 3);
            assert_true(x == at[i][0] && z == at[i][1] && y == want);
        } else {
            assert_non_null(strstr(line, ",none"));
            ++none;
        }
        line = end + 1;
    }
    assert_int_equal(*line, 0);
    assert_true(none > 10 && none < 400);
    ran_free(&r);
    r = run_karst("query", "height", pack_path, "--points", in, "--json");
    cJSON *object = json_of(&r);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "heights")), 500);
    cJSON_Delete(object);
    ran_free(&r);
}

static void rays_meet_what_the_ground_says(void **state) {
    (void)state;
    const char *in = temp_path("rays.csv");
    FILE *f = fopen(in, "w");
    karst_ray ray[200];
    prop p = prop_begin("query_rays", 1);
    for (int i = 0; i < 200; ++i) {
        double n[6] = {prop_real(&p, -100, 220), 150, prop_real(&p, -50, 210),
                       prop_real(&p, -0.3, 0.3), -1,  prop_real(&p, -0.3, 0.3)};
        if (i % 10 == 0) n[4] = 1;
        fprintf(f, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", n[0], n[1], n[2], n[3], n[4], n[5]);
        ray[i] = karst_ray_make((karst_pos){n[0], n[1], n[2]}, (karst_pos){n[3], n[4], n[5]});
    }
    fclose(f);
    ran r = run_karst("query", "ray", pack_path, "--rays", in);
    assert_int_equal(r.code, 0);
    char *line = r.out;
    int hits = 0;
    for (int i = 0; i < 200; ++i) {
        karst_hit hit;
        assert_int_equal(karst_ground_cast(ground, &ray[i], &hit), KARST_OK);
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        double n[7];
        int got = sscanf(line, "%lf,%lf,%lf,%lf,%lf,%lf,%lf", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]);
        if (hit.hit) {
            assert_int_equal(got, 7);
            assert_true(n[0] == hit.t && n[1] == hit.position.x && n[2] == hit.position.y && n[3] == hit.position.z);
            assert_true((float)n[4] == hit.normal.x && (float)n[5] == hit.normal.y && (float)n[6] == hit.normal.z);
            ++hits;
        } else {
            assert_string_equal(line, "none");
        }
        line = end + 1;
    }
    assert_true(hits > 100 && hits < 200);
    ran_free(&r);

    r = run_karst("query", "ray", pack_path, "-20,300,30", "0,-2,0");
    double n[7];
    assert_int_equal(sscanf(r.out, "%lf %lf %lf %lf %lf %lf %lf\n", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6]),
                     7);
    assert_true(fabs(300 - 2 * n[0] - n[2]) < 1e-9 && n[1] == -20 && n[3] == 30);  // t counts in the direction's length
    ran_free(&r);
    r = run_karst("query", "ray", pack_path, "-20,300,30", "0,1,0");
    assert_string_equal(r.out, "none\n");
    ran_free(&r);
    r = run_karst("query", "ray", pack_path, "-20,300,30", "0,-1,0", "--json");
    cJSON *object = json_of(&r);
    assert_true(fabs(number_in(cJSON_GetObjectItem(object, "hit"), "y") - n[2]) < 1e-9);
    cJSON_Delete(object);
    ran_free(&r);
}

static void bad_input_is_one_line_that_names_its_place(void **state) {
    (void)state;
    const char *bad = temp_path("bad.csv");
    static const struct {
        const char *text, *verb, *flag, *names;
    } file[] = {
        {"1,2\nx,3\n", "height", "--points", "bad.csv:2:"},
        {"1,2\n\n3,4\n", "height", "--points", "bad.csv:2:"},
        {"1,2,3\n", "height", "--points", "bad.csv:1:"},
        {"1,2\n1\n", "height", "--points", "bad.csv:2:"},
        {"nan,2\n", "height", "--points", "bad.csv:1:"},
        {"1,2\n1,inf\n", "height", "--points", "bad.csv:2:"},
        {"0,0,0,0,-1\n", "ray", "--rays", "bad.csv:1:"},
        {"0,0,0,0,-1,0\n0,0,0,0,0,0\n", "ray", "--rays", "bad.csv:2:"},
        {"0,0,0,0,-1,0;\n", "ray", "--rays", "bad.csv:1:"},
    };
    for (size_t i = 0; i < sizeof file / sizeof *file; ++i) {
        spill(bad, file[i].text);
        ran r = run_karst("query", file[i].verb, pack_path, file[i].flag, bad);
        assert_int_equal(r.code, 1);
        assert_true(is_one_line(r.err) && !*r.out);
        assert_non_null(strstr(r.err, file[i].names));
        ran_free(&r);
    }
    spill(bad, "");
    ran r = run_karst("query", "height", pack_path, "--points", bad);
    assert_true(r.code == 0 && !*r.out);
    ran_free(&r);
    const char *const usage[][7] = {
        {"karst", "query", "depth", pack_path},
        {"karst", "query", "height", pack_path, "1"},
        {"karst", "query", "height", pack_path, "1", "two"},
        {"karst", "query", "height", pack_path, "1", "nan"},
        {"karst", "query", "ray", pack_path, "0,0,0", "0,0,0"},
        {"karst", "query", "ray", pack_path, "0,0", "0,0,1"},
        {"karst", "query", "ray", pack_path, "--points", bad},
        {"karst", "query", "height", pack_path, "--rays", bad},
    };
    for (size_t i = 0; i < sizeof usage / sizeof *usage; ++i) {
        r = run_words(usage[i]);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    r = run_karst("query", "height", temp_path("absent.kpack"), "0", "0");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "absent.kpack"));
    ran_free(&r);
}

static void info_tells_what_is_inside(void **state) {
    (void)state;
    ran r = run_karst("info", pack_path, "--json");
    cJSON *object = json_of(&r);
    assert_string_equal(cJSON_GetObjectItem(object, "kind")->valuestring, "pack");
    assert_true(number_in(object, "columns") == 160 && number_in(object, "rows") == 130);
    assert_true(number_in(object, "spacing_m") == 2 && number_in(object, "error_m") == 0.01);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "levels")), karst_pack_info_of(pack).level_count);
    assert_true(number_in(object, "chunks") == 9 + 4 + 1);
    assert_true(number_in(object, "holes") == (double)karst_pack_info_of(pack).hole_count);
    assert_true(number_in(object, "bytes") == (double)karst_pack_info_of(pack).file_bytes);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(object, "maps")), karst_pack_map_count(pack));
    cJSON_Delete(object);
    ran_free(&r);
    r = run_karst("info", pack_path);
    assert_true(r.code == 0 && strstr(r.out, "spacing_m") && strstr(r.out, "maps"));
    ran_free(&r);

    const char *world = temp_path("info.karst");
    r = run_karst("new", world, "--size", "70x66", "--spacing", "0.5", "--origin", "-1,2,3");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = run_karst("info", world, "--json");
    object = json_of(&r);
    const cJSON *row = cJSON_GetArrayItem(cJSON_GetObjectItem(object, "grounds"), 0);
    assert_true(number_in(row, "columns") == 70 && number_in(row, "rows") == 66 && number_in(row, "spacing_m") == 0.5);
    assert_true(number_in(row, "chunks") == 4);
    cJSON_Delete(object);
    ran_free(&r);

    spill(temp_path("other"), "something else, longer than any magic");
    r = run_karst("info", temp_path("other"));
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "neither a world"));
    ran_free(&r);
}

static void check_says_ok_or_what_is_wrong(void **state) {
    (void)state;
    ran r = run_karst("check", pack_path, "--json", "--threads", "2");
    cJSON *object = json_of(&r), *row;
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(object, "ok")));
    cJSON *rows = cJSON_GetObjectItem(object, "checks");
    assert_int_equal(cJSON_GetArraySize(rows), 7);
    cJSON_ArrayForEach(row, rows) assert_true(number_in(row, "tried") > 0 && number_in(row, "failed") == 0);
    cJSON_Delete(object);
    ran_free(&r);

    const char *broken = temp_path("broken.kpack");
    FILE *from = fopen(pack_path, "rb"), *to = fopen(broken, "wb");
    for (int c, at = 0; (c = fgetc(from)) != EOF; ++at) fputc(at == 30000 ? c ^ 1 : c, to);
    fclose(from);
    fclose(to);
    r = run_karst("check", broken);
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "checksums") && strstr(r.out, "borders"));
    ran_free(&r);
    r = run_karst("check", broken, "--json");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.out));
    object = cJSON_Parse(r.out);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(object, "ok")));
    cJSON_Delete(object);
    ran_free(&r);
    assert_int_equal(truncate(broken, 3000), 0);
    r = run_karst("check", broken);
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "broken.kpack"));
    ran_free(&r);
}

static void a_sphere_stops_where_the_ground_says(void **state) {
    (void)state;
    char from[128], to[128];
    double top;
    assert_true(karst_ground_height(ground, 20, 10, &top));
    snprintf(from, sizeof from, "20,%.17g,10", top + 9);
    snprintf(to, sizeof to, "20,%.17g,10", top - 1);
    karst_sweep want;
    assert_int_equal(karst_ground_sweep(ground, (karst_pos){20, top + 9, 10}, (karst_pos){20, top - 1, 10}, 0.5, &want),
                     KARST_OK);
    assert_true(want.hit && want.t > 0);
    ran r = run_karst("query", "sphere", pack_path, "--from", from, "--to", to, "--radius", "0.5", "--json");
    cJSON *object = json_of(&r), *hit = cJSON_GetObjectItem(object, "hit");
    assert_true(cJSON_GetObjectItem(hit, "t")->valuedouble == want.t);
    assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(hit, "contact"), 1)->valuedouble == want.contact.y);
    cJSON_Delete(object);
    ran_free(&r);
    r = run_karst("query", "sphere", pack_path, "--from", from, "--to", from, "--radius", "0.01");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.out, "none\n");
    ran_free(&r);
    r = run_karst("query", "sphere", pack_path, "--from", from, "--radius", "0.5");
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err) && strstr(r.err, "--to"));
    ran_free(&r);
    r = run_karst("query", "sphere", pack_path, "--from", from, "--to", to, "--radius", "-1");
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err) && strstr(r.err, "--radius"));
    ran_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_height_is_the_top_and_all_are_sorted),
        cmocka_unit_test(many_points_answer_as_one_does),
        cmocka_unit_test(rays_meet_what_the_ground_says),
        cmocka_unit_test(a_sphere_stops_where_the_ground_says),
        cmocka_unit_test(bad_input_is_one_line_that_names_its_place),
        cmocka_unit_test(info_tells_what_is_inside),
        cmocka_unit_test(check_says_ok_or_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, bake, clean);
}
