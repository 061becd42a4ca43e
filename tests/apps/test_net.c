// SPDX-License-Identifier: MIT
// Programs on worlds and packs that hold a net of patches: alone, and beside a field.
#include "answers.h"
#include "scenes/nets.h"

static void net_into(const char *world) {
    karst_report report = {0};
    karst_net *net = NULL;
    karst_project *p;
    int64_t id;
    assert_int_equal(scene_net(&(scene_net_def){.side = 16, .slot = 5, .tiles_log2 = 3}, &report, &net), KARST_OK);
    if (karst_project_open(world, KARST_PROJECT_WRITE, &report, &p)) fail_msg("%s", report.message);
    assert_int_equal(karst_project_begin(p, "net"), KARST_OK);
    assert_int_equal(karst_project_add_net(p, "rock", net, &id), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_close(p);
    karst_net_destroy(net);
}

static cJSON *answer_of(ran *r) {
    if (r->code) fail_msg("%s", r->err);
    cJSON *o = cJSON_Parse(r->out);
    assert_non_null(o);
    ran_free(r);
    return o;
}

// What a check says of its row "zones" or "net": how much it tried; all must hold.
static double tried_by(const char *file, const char *name) {
    ran r = run_karst("check", file, "--json");
    cJSON *o = answer_of(&r);
    const cJSON *row;
    double tried = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(o, "checks")) {
        assert_true(number_in(row, "failed") == 0);
        if (!strcmp(cJSON_GetObjectItem(row, "name")->valuestring, name)) tried = number_in(row, "tried");
    }
    cJSON_Delete(o);
    return tried;
}

static void expect(const char *world, const char *pack, double field) {
    ran r = run_karst("info", world, "--json");
    cJSON *o = answer_of(&r);
    const cJSON *grounds = cJSON_GetObjectItem(o, "grounds"), *net = cJSON_GetArrayItem(grounds, (int)field);
    assert_int_equal(cJSON_GetArraySize(grounds), (int)field + 1);
    assert_string_equal(cJSON_GetObjectItem(net, "kind")->valuestring, "patch");
    assert_string_equal(cJSON_GetObjectItem(net, "name")->valuestring, "rock");
    if (field) assert_string_equal(cJSON_GetObjectItem(cJSON_GetArrayItem(grounds, 0), "kind")->valuestring, "field");
    double patches = number_in(net, "patches"), zones = number_in(net, "zones");
    assert_true(patches > 256 && zones == 4);
    double low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = cJSON_GetArrayItem(cJSON_GetObjectItem(net, "bounds_min"), k)->valuedouble;
        high[k] = cJSON_GetArrayItem(cJSON_GetObjectItem(net, "bounds_max"), k)->valuedouble;
    }
    cJSON_Delete(o);
    assert_true(tried_by(world, "net") == 1);

    r = run_karst("bake", world, "-o", pack, "--json", "--map-side", "32");
    o = answer_of(&r);
    assert_true(number_in(o, "zones") == zones);
    cJSON_Delete(o);
    r = run_karst("info", pack, "--json");
    o = answer_of(&r);
    assert_true(number_in(o, "zones") == zones && number_in(o, "patches") == patches && number_in(o, "version") == 4);
    for (int k = 0; k < 3; ++k) {  // a pack allows a metre of displacement, and a step or two
        assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "net_min"), k)->valuedouble >= low[k] - 1.1);
        assert_true(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "net_max"), k)->valuedouble <= high[k] + 1.1);
        assert_true(high[k] - low[k] > 1 && high[k] - low[k] < 1000);
    }
    cJSON_Delete(o);
    assert_true(tried_by(pack, "zones") == zones + 1);
    for (int outside = 0; outside < 2; ++outside) {  // patches answer, beside a field or alone
        r = run_karst("query", "height", pack, outside ? "-900" : "20", "20");
        assert_int_equal(r.code, 0);
        assert_int_equal(!strncmp(r.out, "none", 4), outside);
        ran_free(&r);
    }
}

static void a_net_is_told_checked_and_baked(void **state) {
    (void)state;
    const char *world = temp_path("net.karst"), *pack = temp_path("net.kpack");
    karst_report report;
    karst_project *p;
    if (karst_project_create(world, &report, &p)) fail_msg("%s", report.message);
    karst_project_close(p);
    net_into(world);
    expect(world, pack, 0);
    world = temp_path("both.karst");
    ran r = run_karst("new", world, "--size", "65x65", "--spacing", "2");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    net_into(world);
    expect(world, pack, 1);
    r = run_karst("undo", world);  // the net was the last step
    assert_int_equal(r.code, 0);
    ran_free(&r);
    assert_true(tried_by(world, "net") == 0);
}

// Lines of an answer, and how many of them say that nothing is there.
static int lines_of(ran *r, int *none) {
    int lines = 0;
    *none = 0;
    if (r->code) fail_msg("%s", r->err);
    for (char *line = r->out; *line; ++lines) {
        char *end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        *none += strstr(line, "none") != NULL;
        line = end + 1;
    }
    ran_free(r);
    return lines;
}

static void a_net_in_place_of_the_field_is_baked_and_asked(void **state) {
    (void)state;
    const char *world = temp_path("place.karst"), *pack = temp_path("place.kpack");
    static const char *const words[][16] = {
        {"karst", "new", "", "--size", "85x70", "--spacing", "2", "--origin", "100,5,-40"},
        {"karst", "filter", "", "noise", "--wavelength", "60", "--height", "6", "--octaves", "2"},
        {"karst", "patch", "", "fit", "--area", "130,-39,240,72", "--replace", "--slot", "9"},
        {"karst", "sculpt", "", "--net", "--brush", "raise radius=12 strength=3", "--at", "180 0 20"},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; ++k) {
        const char *with[16];
        memcpy(with, words[k], sizeof with);
        with[2] = world;
        ran r = run_words(with);
        if (r.code) fail_msg("%s", r.err);
        ran_free(&r);
    }
    ran r = run_karst("bake", world, "-o", pack, "--map-side", "32");
    if (r.code) fail_msg("%s", r.err);
    ran_free(&r);
    assert_true(tried_by(pack, "seams") > 50);
    r = run_karst("info", pack, "--json");
    cJSON *o = answer_of(&r);
    assert_true(number_in(o, "seam_corners") == 10 && number_in(o, "holes") == 6 * 256);
    cJSON_Delete(o);
    // Rays and heights at each vertex of the ring from (132, -8) to (228, 56), and half way to the next.
    const char *rays = temp_path("rays.csv"), *points = temp_path("points.csv");
    FILE *f = fopen(rays, "w"), *g = fopen(points, "w");
    int count = 0;
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i <= (k < 2 ? 96 : 64); ++i, ++count) {
            int x = k < 2 ? 132 + i : k == 2 ? 132 : 228, z = k == 0 ? -8 : k == 1 ? 56 : -8 + i;
            fprintf(f, "%d,100,%d,0,-1,0\n", x, z);
            fprintf(g, "%d,%d\n", x, z);
        }
    assert_true(!fclose(f) && !fclose(g));
    int none;
    r = run_karst("query", "ray", pack, "--rays", rays);
    assert_true(lines_of(&r, &none) == count && none == 0);
    r = run_karst("query", "height", pack, "--points", points);
    assert_true(lines_of(&r, &none) == count && none == 0);
}

static void verbs_of_fields_ask_for_one(void **state) {
    (void)state;
    const char *world = temp_path("named.karst");
    ran r = run_karst("new", world, "--net", "sample", "--name", "cliffs");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = run_karst("info", world);
    assert_true(!r.code && strstr(r.out, "ground 1\n") && strstr(r.out, "cliffs") && strstr(r.out, "sample"));
    ran_free(&r);
    static const char *const verbs[][3] = {
        {"layer"}, {"mask", "list"}, {"resize", "--spacing", "3"}, {"filter", "noise"}};
    uint64_t before = world_hash(world);
    for (size_t k = 0; k < sizeof verbs / sizeof *verbs; ++k) {
        const char *words[8] = {"karst", verbs[k][0], world, verbs[k][1], verbs[k][2]};
        if (!verbs[k][1]) words[3] = NULL;
        r = run_words(words);
        if (r.code != 1 || !strstr(r.err, "has no field yet")) fail_msg("%s: %s", verbs[k][0], r.err);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    assert_true(world_hash(world) == before);
    r = run_karst("patch", world, "fit");
    assert_true(r.code == 1 && strstr(r.err, "has no field to fit"));
    ran_free(&r);
}

static void patches_are_fitted_undone_and_removed(void **state) {
    (void)state;
    const char *world = temp_path("fit.karst");
    ran r = run_karst("new", world, "--size", "129x97", "--spacing", "2");
    if (r.code) fail_msg("%s", r.err);
    ran_free(&r);
    r = run_karst("filter", world, "noise", "--wavelength", "100", "--height", "20", "--octaves", "2");
    if (r.code) fail_msg("%s", r.err);
    ran_free(&r);
    uint64_t none = world_hash(world);
    r = run_karst("patch", world, "fit", "--tolerance", "0.5", "--json");
    cJSON *o = answer_of(&r);
    assert_true(number_in(o, "patches") > 40 && number_in(o, "worst_m") <= 0.5 && number_in(o, "over") == 0);
    cJSON_Delete(o);
    assert_true(world_hash(world) != none && tried_by(world, "net") == 1);
    r = run_karst("patch", world, "fit", "--tolerance", "0.5", "--area", "0,0,128,64", "--json");
    o = answer_of(&r);
    assert_true(number_in(o, "zones") == 1);
    cJSON_Delete(o);
    r = run_karst("undo", world, "2");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    assert_true(world_hash(world) == none);
    r = run_karst("redo", world);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    r = run_karst("patch", world, "remove");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    assert_true(world_hash(world) == none);
    static const char *const bad[][3] = {
        {NULL}, {"fit", "--tolerance", "0"}, {"remove", "--tolerance", "1"}, {"fit", "--steps"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        r = run_karst("patch", world, bad[k][0], bad[k][1], bad[k][2]);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    r = run_karst("patch", world, "fit", "--steps", "100");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    assert_true(world_hash(world) == none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_net_is_told_checked_and_baked),
        cmocka_unit_test(a_net_in_place_of_the_field_is_baked_and_asked),
        cmocka_unit_test(verbs_of_fields_ask_for_one),
        cmocka_unit_test(patches_are_fitted_undone_and_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
