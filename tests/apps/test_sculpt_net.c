// SPDX-License-Identifier: MIT
// karst sculpt on the net of a world: a step a stroke, undone by the history; nothing is there after a failure.
#include <time.h>

#include "answers.h"
#include "scenes/nets.h"

static void good(ran r) {
    if (r.code) print_error("%s%s", r.out, r.err);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

// A world with a net at `path`, beside its field when it has one already.
static void put_net(const char *path, bool there) {
    karst_report report = {0};
    karst_net *net = NULL;
    karst_project *p = NULL;
    int64_t id;
    if (scene_net(&(scene_net_def){.side = 16, .slot = 0, .tiles_log2 = 3}, &report, &net))
        fail_msg("%s", report.message);
    karst_status status =
        there ? karst_project_open(path, KARST_PROJECT_WRITE, &report, &p) : karst_project_create(path, &report, &p);
    if (!status) status = karst_project_begin(p, "net");
    if (!status) status = karst_project_add_net(p, NULL, net, &id);
    if (!status) status = karst_project_commit(p);
    if (status) fail_msg("%s", report.message);
    karst_project_close(p);
    karst_net_destroy(net);
}

// Height of the highest corner nearest to (x, z) [steps], and the hash of the world.
static int32_t height_near(const char *path, double x, double z, uint64_t *hash) {
    karst_report report = {0};
    karst_project *p = NULL;
    if (karst_project_open(path, KARST_PROJECT_READ, &report, &p)) fail_msg("%s", report.message);
    karst_net *net = net_of(p);
    assert_int_equal(karst_project_hash(p, hash), KARST_OK);
    double best = 1e30;
    int32_t y = 0;
    for (int32_t k = 0; k < net->corner_count; ++k) {
        const int32_t *at = net->corners[k].at;
        double dx = at[0] / 256.0 - x, dz = at[2] / 256.0 - z, d = dx * dx + dz * dz;
        if (d < best - 1 || (d < best + 1 && at[1] > y)) best = d, y = at[1];
    }
    karst_net_destroy(net);
    karst_project_close(p);
    return y;
}

static void strokes_change_the_net_and_undo_takes_them_back(void **state) {
    (void)state;
    const char *world = temp_path("n.karst");
    put_net(world, false);
    uint64_t before, one, two, now;
    int32_t low = height_near(world, 128, 128, &before);
    ran r = run_karst("sculpt", world, "--brush", "raise radius=40 strength=2", "--at", "128 128; 140 128", "--json");
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out);
    assert_string_equal(cJSON_GetObjectItem(o, "on")->valuestring, "net");
    assert_true(cJSON_GetObjectItem(o, "dabs")->valuedouble == 2 &&
                cJSON_GetObjectItem(o, "samples")->valuedouble > 50);
    cJSON_Delete(o);
    ran_free(&r);
    int32_t high = height_near(world, 128, 128, &one);
    assert_true(high > low + 256 && one != before);
    const char *strokes = temp_path("n.strokes");
    static const char text[] =
        "karst-strokes 1\nbrush smooth name=calm radius=50 strength=0.5\n100 100\n140 140\n"
        "brush restore name=back toward=begin radius=30 strength=1\n128 128\n";
    write_part(strokes, (const uint8_t *)text, 0, strlen(text));
    good(run_karst("sculpt", world, "--strokes", strokes, "--quiet"));
    height_near(world, 128, 128, &two);
    assert_true(two != one);
    r = run_karst("log", world);
    assert_non_null(strstr(r.out, "calm"));
    assert_non_null(strstr(r.out, "back"));
    ran_free(&r);
    good(run_karst("undo", world));
    good(run_karst("undo", world));
    assert_int_equal(height_near(world, 128, 128, &now), high);
    assert_true(now == one);
    good(run_karst("undo", world));
    assert_int_equal(height_near(world, 128, 128, &now), low);
    assert_true(now == before);
    for (int k = 0; k < 3; ++k) good(run_karst("redo", world));
    height_near(world, 128, 128, &now);
    assert_true(now == two);
}

static void beside_a_field_the_net_is_asked_for(void **state) {
    (void)state;
    const char *world = temp_path("b.karst");
    good(run_karst("new", world, "--size", "257x257", "--quiet"));
    put_net(world, true);
    uint64_t hash;
    int32_t y = height_near(world, 128, 128, &hash);
    good(run_karst("sculpt", world, "--brush", "raise radius=40 strength=2", "--at", "128 128", "--quiet"));
    assert_int_equal(height_near(world, 128, 128, &hash), y);  // the field took it
    good(run_karst("sculpt", world, "--net", "--brush", "raise radius=40 strength=2", "--at", "128 128", "--quiet"));
    assert_true(height_near(world, 128, 128, &hash) > y + 256);
}

static void is_refused(ran r, const char *why) {
    if (!strstr(r.err, why)) print_error("%s", r.err);
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, why));
    ran_free(&r);
}

static void what_is_wrong_is_one_line_and_changes_nothing(void **state) {
    (void)state;
    const char *world = temp_path("w.karst"), *none = temp_path("f.karst");
    put_net(world, false);
    good(run_karst("new", none, "--size", "65x65", "--quiet"));
    uint64_t before, after;
    height_near(world, 0, 0, &before);
    is_refused(run_karst("sculpt", world, "--brush", "raise radius=30 strength=400", "--at", "128 128"), "is the most");
    is_refused(run_karst("sculpt", world, "--brush", "restore radius=30 strength=1", "--at", "128 128"),
               "toward=begin");
    is_refused(run_karst("sculpt", world, "--mask", "m", "--brush", "raise", "--at", "128 128"), "a net has none");
    is_refused(run_karst("sculpt", none, "--net", "--brush", "raise", "--at", "32 32"), "no net of patches");
    // The second stroke fails: the first goes too.
    const char *strokes = temp_path("w.strokes");
    static const char text[] =
        "karst-strokes 1\nbrush raise name=one radius=50 strength=1\n128 128\n"
        "brush raise name=two radius=30 strength=400\n128 128\n";
    write_part(strokes, (const uint8_t *)text, 0, strlen(text));
    is_refused(run_karst("sculpt", world, "--strokes", strokes), "is the most");
    height_near(world, 0, 0, &after);
    assert_true(after == before);
}

static void a_stopped_stroke_leaves_the_world_as_it_was(void **state) {
    (void)state;
    const char *world = temp_path("s.karst"), *strokes = temp_path("s.strokes");
    put_net(world, false);
    uint64_t before, after;
    height_near(world, 0, 0, &before);
    char *text = malloc(400000);
    int size = sprintf(text,
                       "karst-strokes 1\nbrush raise name=one radius=30 strength=1\n128 128\n"
                       "brush raise name=two radius=20 strength=0.0001 spacing=0.01\n");
    for (int k = 0; k < 20000; ++k) size += sprintf(text + size, "%d %d\n", k % 2 ? 20 : 230, 60 + k % 100);
    write_part(strokes, (const uint8_t *)text, 0, (size_t)size);
    free(text);
    assert_int_equal(stop_after_step(world, strokes, "one"), 1);
    height_near(world, 0, 0, &after);
    assert_true(after == before);
    ran r = run_karst("log", world);
    assert_non_null(strstr(r.out, "one"));  // control: it had been made
    ran_free(&r);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_change_the_net_and_undo_takes_them_back),
        cmocka_unit_test(beside_a_field_the_net_is_asked_for),
        cmocka_unit_test(what_is_wrong_is_one_line_and_changes_nothing),
        cmocka_unit_test(a_stopped_stroke_leaves_the_world_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
