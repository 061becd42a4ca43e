// SPDX-License-Identifier: MIT
// karst sculpt and karst transform: what a stroke file makes is there for queries, and nothing is there after a
// failure.
#include <cjson/cJSON.h>
#include <time.h>

#include "support/prop.h"
#include "support/run.h"

static const char *write_text(const char *name, const char *text) {
    const char *path = temp_path(name);
    write_part(path, (const uint8_t *)text, 0, strlen(text));
    return path;
}

static const char overhang[] =
    "karst-strokes 1\n"
    "brush raise name=hill radius=30 strength=25 spacing=0.2\n40 64\n90 64\n"
    "brush pull name=lip radius=14 strength=1 spacing=0.05\n64 20 50\n64 26 10\n";

static void good(ran r) {
    if (r.code) print_error("%s%s", r.out, r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

static double number(const ran *r, const char *name) {
    cJSON *o = cJSON_Parse(r->out), *n = cJSON_GetObjectItem(o, name);
    double value = cJSON_IsNumber(n) ? n->valuedouble : -1;
    cJSON_Delete(o);
    return value;
}

// The most answers of `query height --all` along a line of z, and where.
static int most_heights(const char *pack, double *at, double heights[8]) {
    int most = 0;
    for (int z = 10; z < 60; z += 4) {
        char text[16];
        snprintf(text, sizeof text, "%d", z);
        ran r = run_karst("query", "height", pack, "64", text, "--all", "--json");
        assert_int_equal(r.code, 0);
        cJSON *o = cJSON_Parse(r.out), *all = cJSON_GetObjectItem(o, "heights");
        if (cJSON_GetArraySize(all) > most) {
            most = cJSON_GetArraySize(all);
            *at = z;
            for (int k = 0; k < most && k < 8; ++k) heights[k] = cJSON_GetArrayItem(all, k)->valuedouble;
        }
        cJSON_Delete(o);
        ran_free(&r);
    }
    return most;
}

static void a_stroke_file_makes_an_overhang_that_answers_from_below(void **state) {
    (void)state;
    const char *world = temp_path("w.karst"), *pack = temp_path("w.kpack"),
               *strokes = write_text("a.strokes", overhang);
    good(run_karst("new", world, "--size", "129x129", "--quiet"));
    ran r = run_karst("sculpt", world, "--strokes", strokes, "--json");
    assert_int_equal(r.code, 0);
    assert_true(number(&r, "points") == 4 && number(&r, "dabs") > 40 && number(&r, "samples") > 1000);
    assert_true(number(&r, "ms_per_point") > 0);
    ran_free(&r);
    good(run_karst("bake", world, "-o", pack, "--quiet"));
    double z = 0, heights[8];
    assert_int_equal(most_heights(pack, &z, heights), 3);
    assert_true(heights[0] > heights[1] && heights[1] > heights[2] + 1);
    // From between the lowest ground and the underside, straight up.
    char origin[64];
    snprintf(origin, sizeof origin, "64,%.6f,%g", (heights[1] + heights[2]) / 2, z);
    r = run_karst("query", "ray", pack, origin, "0,1,0", "--json");
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out), *hit = cJSON_GetObjectItem(o, "hit");
    assert_true(fabs(cJSON_GetObjectItem(hit, "y")->valuedouble - heights[1]) < 1e-3);
    assert_true(cJSON_GetObjectItem(hit, "ny")->valuedouble < 0);  // it looks down
    cJSON_Delete(o);
    ran_free(&r);
    good(run_karst("check", pack, "--quiet"));
}

static void one_dab_on_the_command_line_and_a_record_of_it(void **state) {
    (void)state;
    const char *one = temp_path("one.karst"), *two = temp_path("two.karst"), *record = temp_path("r.strokes");
    good(run_karst("new", one, "--size", "65x65", "--quiet"));
    good(run_karst("new", two, "--size", "65x65", "--quiet"));
    good(run_karst("sculpt", one, "--brush", "raise radius=9 strength=3", "--at", "30 30; 40 40", "--record", record,
                   "--quiet"));
    good(run_karst("sculpt", two, "--strokes", record, "--quiet"));
    ran a = run_karst("info", one, "--json"), b = run_karst("info", two, "--json");
    char *x = strstr(a.out, "\"hash\""), *y = strstr(b.out, "\"hash\"");
    assert_true(x && y && !strncmp(x, y, 24));
    ran_free(&a), ran_free(&b);
}

static void what_is_wrong_is_one_line_and_changes_nothing(void **state) {
    (void)state;
    const char *world = temp_path("k.karst");
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    size_t size, after;
    uint8_t *before = read_bytes(world, &size);
    const char *bad = write_text("bad.strokes", "karst-strokes 1\nbrush raise radius=5\n30 30\nbrush lift\n");
    const char *stamp =
        write_text("stamp.strokes", "karst-strokes 1\nbrush raise\n3 3\nbrush stamp stamp=no.exr\n3 3\n");
    const char *restore = write_text("restore.strokes", "karst-strokes 1\nbrush raise\n3 3\nbrush restore\n3 3\n");
    const char *const files[] = {bad, stamp, restore};
    const char *const says[] = {"bad.strokes:4: ", "no.exr", "--layer"};
    for (int k = 0; k < 3; ++k) {
        ran r = run_karst("sculpt", world, "--strokes", files[k]);
        assert_int_equal(r.code, 1);
        assert_true(is_one_line(r.err));
        assert_non_null(strstr(r.err, says[k]));
        ran_free(&r);
        uint8_t *now = read_bytes(world, &after);
        assert_true(after == size && !memcmp(before, now, size));
        free(now);
    }
    free(before);
    ran r = run_karst("sculpt", world);
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err));
    ran_free(&r);
}

// The ground's hash, as karst info tells it.
static void ground_hash(const char *world, char out[32]) {
    ran r = run_karst("info", world, "--json");
    const char *at = strstr(r.out, "\"hash\"");
    assert_non_null(at);
    snprintf(out, 32, "%.30s", at);
    ran_free(&r);
}

static void undo_goes_stroke_by_stroke(void **state) {
    (void)state;
    const char *world = temp_path("u.karst"), *strokes = write_text("u.strokes", overhang);
    char flat[32], made[32], hash[32];
    good(run_karst("new", world, "--size", "129x129", "--quiet"));
    ground_hash(world, flat);
    good(run_karst("sculpt", world, "--strokes", strokes, "--quiet"));
    ground_hash(world, made);
    ran r = run_karst("log", world);
    assert_non_null(strstr(r.out, "hill"));
    assert_non_null(strstr(r.out, "lip"));
    ran_free(&r);
    good(run_karst("undo", world, "--quiet"));
    ground_hash(world, hash);
    assert_true(strcmp(hash, made) && strcmp(hash, flat));
    good(run_karst("undo", world, "--quiet"));
    ground_hash(world, hash);
    assert_string_equal(hash, flat);
}

static void a_stamp_goes_from_one_world_to_another(void **state) {
    (void)state;
    const char *one = temp_path("from.karst"), *two = temp_path("to.karst"), *stamp = temp_path("hill.exr");
    good(run_karst("new", one, "--size", "65x65", "--quiet"));
    good(run_karst("new", two, "--size", "65x65", "--quiet"));
    good(run_karst("sculpt", one, "--brush", "raise radius=12 strength=9 along=normal", "--at", "32 32", "--quiet"));
    good(run_karst("export", one, stamp, "--stamp", "32,32,20.5", "--soft", "0", "--quiet"));
    good(run_karst("sculpt", two, "--stamp", stamp, "--brush", "stamp radius=20.5", "--at", "32 32", "--quiet"));
    char tif[2][256];
    for (int k = 0; k < 2; ++k) {
        snprintf(tif[k], sizeof tif[k], "%s", temp_path(k ? "two.r32" : "one.r32"));
        good(run_karst("export", k ? two : one, tif[k], "--quiet"));
    }
    size_t size, other;
    float *a = (float *)read_bytes(tif[0], &size), *b = (float *)read_bytes(tif[1], &other);
    assert_true(size == other && size == 65 * 65 * 4);
    float worst = 0, highest = 0;
    for (int k = 0; k < 65 * 65; ++k) worst = fmaxf(worst, fabsf(a[k] - b[k])), highest = fmaxf(highest, a[k]);
    assert_true(highest == 9 && worst < 1e-4f);
    free(a);
    free(b);
    ran r = run_karst("export", one, temp_path("x.jpg"), "--stamp", "32,32,20");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err));
    ran_free(&r);
}

static void transform_moves_what_a_sphere_holds(void **state) {
    (void)state;
    const char *world = temp_path("t.karst");
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    ran r = run_karst("transform", world, "--at", "32,32", "--radius", "10", "--falloff", "flat", "--move", "0,5,2",
                      "--json");
    assert_int_equal(r.code, 0);
    assert_true(number(&r, "samples") > 290 && number(&r, "samples") < 320);
    ran_free(&r);
    const char *const bad[][4] = {{"--turn", "30", NULL, NULL},
                                  {"--at", "3,3", NULL, NULL},
                                  {"--axis", "0,0,0", NULL, NULL},
                                  {"--falloff", "steep", NULL, NULL}};
    for (int k = 0; k < 4; ++k) {
        r = run_karst("transform", world, bad[k][0], bad[k][1]);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        ran_free(&r);
    }
    r = run_karst("transform", world, "--at", "300,300", "--radius", "5", "--move", "0,1,0");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "no ground"));
    ran_free(&r);
}

static float *heights_of(const char *world, size_t *count) {
    const char *file = temp_path("heights.r32");
    good(run_karst("export", world, file, "--quiet"));
    size_t size;
    float *y = (float *)read_bytes(file, &size);
    *count = size / 4;
    remove(file);
    return y;
}

// A mask keeps every bit where it is 0; a layer takes the strokes and the base does not; restore empties the layer.
static void masks_limit_and_layers_take_strokes(void **state) {
    (void)state;
    const char *world = temp_path("layers.karst");
    char base[32], hash[32];
    size_t count;
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    good(run_karst("sculpt", world, "--brush", "noise radius=99 detail=9 strength=7 falloff=flat", "--at", "32 32",
                   "--quiet"));
    ground_hash(world, base);
    float *before = heights_of(world, &count);
    good(run_karst("mask", world, "high", "--height", "1..90", "--quiet"));
    good(run_karst("sculpt", world, "--mask", "high", "--brush", "raise radius=99 strength=5", "--at", "32 32",
                   "--quiet"));
    float *after = heights_of(world, &count);
    int kept = 0, raised = 0;
    for (size_t k = 0; k < count; ++k) {
        bool same = !memcmp(&before[k], &after[k], 4);
        assert_true(same || before[k] >= 1);
        kept += same;
        raised += !same;
    }
    assert_true(kept > 500 && raised > 500);
    free(before), free(after);
    good(run_karst("undo", world, "--quiet"));
    good(run_karst("layer", world, "add", "work", "--quiet"));
    good(run_karst("sculpt", world, "--layer", "work", "--brush", "pull radius=20 strength=1", "--at",
                   "32 2 32; 40 9 40", "--quiet"));
    ground_hash(world, hash);
    assert_true(strcmp(hash, base));
    good(run_karst("layer", world, "off", "work", "--quiet"));
    ground_hash(world, hash);
    assert_string_equal(hash, base);
    good(run_karst("layer", world, "on", "work", "--quiet"));
    good(run_karst("sculpt", world, "--layer", "work", "--brush", "restore radius=99 strength=1 falloff=flat", "--at",
                   "32 32", "--quiet"));
    float *restored = heights_of(world, &count);
    good(run_karst("layer", world, "off", "work", "--quiet"));
    float *bare = heights_of(world, &count);
    for (size_t k = 0; k < count; ++k) assert_true(fabsf(restored[k] - bare[k]) < 1e-5f);
    free(restored), free(bare);
}

static void a_painted_mask_limits_the_next_stroke(void **state) {
    (void)state;
    const char *world = temp_path("paint.karst");
    size_t count;
    int raised = 0;
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    good(run_karst("mask", world, "path", "--all", "--invert", "--quiet"));
    good(run_karst("sculpt", world, "--paint", "path", "--brush", "raise radius=6 strength=1", "--at", "20 32; 44 32",
                   "--quiet"));
    good(run_karst("sculpt", world, "--mask", "path", "--brush", "raise radius=99 strength=5", "--at", "32 32",
                   "--quiet"));
    float *y = heights_of(world, &count);
    for (size_t k = 0; k < count; ++k) {
        double dx = fmax(fmax(20 - (double)(k % 65), (double)(k % 65) - 44), 0), dz = (double)(k / 65) - 32;
        assert_true(dx * dx + dz * dz < 36 || y[k] == 0);
        raised += y[k] > 0;
    }
    assert_true(raised > 300 && y[32 * 65 + 30] > 4);
    free(y);
    ran r = run_karst("sculpt", world, "--paint", "none", "--brush", "raise", "--at", "3 3");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "there are: path"));
    ran_free(&r);
    r = run_karst("sculpt", world, "--paint", "path", "--brush", "smooth strength=1", "--at", "3 3");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err));
    ran_free(&r);
}

// Restore goes back to the ground before the first stroke of the file.
static void restore_toward_the_beginning_undoes_a_place(void **state) {
    (void)state;
    const char *world = temp_path("begin.karst");
    size_t count;
    good(run_karst("new", world, "--size", "65x65", "--quiet"));
    good(run_karst("sculpt", world, "--brush", "noise radius=99 detail=9 strength=7 falloff=flat", "--at", "32 32",
                   "--quiet"));
    float *before = heights_of(world, &count);
    const char *strokes = write_text("begin.strokes",
                                     "karst-strokes 1\nbrush raise radius=30 strength=5\n32 32\n"
                                     "brush restore radius=12 strength=1 toward=begin falloff=flat\n40 32\n");
    good(run_karst("sculpt", world, "--strokes", strokes, "--quiet"));
    float *after = heights_of(world, &count);
    assert_true(fabsf(after[32 * 65 + 42] - before[32 * 65 + 42]) < 1e-5f);
    assert_true(after[32 * 65 + 20] > before[32 * 65 + 20] + 0.5f);
    free(before), free(after);
}

// Stopped in the second stroke: the first, which is a step of its own by then, is taken back too.
static void a_stopped_file_leaves_the_world_as_it_was(void **state) {
    (void)state;
    const char *world = temp_path("s.karst");
    char text[1 << 16];
    int used = snprintf(text, sizeof text,
                        "karst-strokes 1\nbrush raise name=one radius=9 strength=3\n30 30\n"
                        "brush smooth name=two radius=90 strength=0.5 detail=9 spacing=0.005\n");
    for (int k = 0; k < 2000; ++k)  // minutes of work, so that a busy machine does not end it first
        used += snprintf(text + used, sizeof text - (size_t)used, "%d %d\n", k % 2 * 128, 1 + k / 2 % 127);
    const char *strokes = write_text("s.strokes", text);
    char before[32], after[32];
    good(run_karst("new", world, "--size", "129x129", "--quiet"));
    ground_hash(world, before);
    assert_int_equal(stop_after_step(world, strokes, "one"), 1);
    ground_hash(world, after);
    assert_string_equal(after, before);
    ran r = run_karst("log", world);
    assert_non_null(strstr(r.out, "one"));  // control: it had been made
    ran_free(&r);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stroke_file_makes_an_overhang_that_answers_from_below),
        cmocka_unit_test(one_dab_on_the_command_line_and_a_record_of_it),
        cmocka_unit_test(undo_goes_stroke_by_stroke),
        cmocka_unit_test(a_stamp_goes_from_one_world_to_another),
        cmocka_unit_test(transform_moves_what_a_sphere_holds),
        cmocka_unit_test(masks_limit_and_layers_take_strokes),
        cmocka_unit_test(a_painted_mask_limits_the_next_stroke),
        cmocka_unit_test(restore_toward_the_beginning_undoes_a_place),
        cmocka_unit_test(a_stopped_file_leaves_the_world_as_it_was),
        cmocka_unit_test(what_is_wrong_is_one_line_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
