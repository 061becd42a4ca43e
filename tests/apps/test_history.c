// SPDX-License-Identifier: MIT
// karst undo, redo, log, layer and check of a world: what they do, what they tell, and programs killed in the middle.
#include <signal.h>
#include <sys/wait.h>

#include "apps/answers.h"

#define done(...)                            \
    do {                                     \
        ran r_ = run_karst(__VA_ARGS__);     \
        if (r_.code) fail_msg("%s", r_.err); \
        ran_free(&r_);                       \
    } while (0)

// The verb refuses with this code and one line that holds words.
static void expect_refusal(ran r, int code, const char *words) {
    if (r.code != code || !is_one_line(r.err) || !strstr(r.err, words)) fail_msg("%d %s", r.code, r.err);
    ran_free(&r);
}

static const char *make_world(const char *name) {
    const char *world = temp_path(name);
    done("new", world, "--size", "201x201", "--spacing", "2");
    return world;
}

static void dab(const char *world, const char *at, const char *layer) {
    if (layer)
        done("sculpt", world, "--brush", "raise radius=40 strength=20", "--at", at, "--layer", layer);
    else
        done("sculpt", world, "--brush", "raise radius=40 strength=20", "--at", at);
}

static cJSON *json_of(ran r) {
    assert_int_equal(r.code, 0);
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    ran_free(&r);
    return o;
}

static void steps_go_back_and_forth(void **state) {
    (void)state;
    const char *world = make_world("steps.karst");
    uint64_t hash[4] = {0, world_hash(world)};
    static const char *const places[] = {"100 100", "220 180"};
    for (int k = 0; k < 2; ++k) {
        dab(world, places[k], NULL);
        hash[2 + k] = world_hash(world);
    }
    assert_true(hash[1] != hash[2] && hash[2] != hash[3]);
    done("undo", world);
    assert_true(world_hash(world) == hash[2]);
    done("redo", world);
    assert_true(world_hash(world) == hash[3]);
    ran r = run_karst("undo", world, "2");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "(step 3, "));
    assert_non_null(strstr(r.out, "(step 2, "));
    assert_non_null(strstr(r.out, "the world stands after: new"));
    ran_free(&r);
    assert_true(world_hash(world) == hash[1]);
    expect_refusal(run_karst("undo", world, "2"), 1, "only 1 to undo");
    expect_refusal(run_karst("redo", world, "3"), 1, "only 2 to redo");
    assert_true(world_hash(world) == hash[1]);
    dab(world, "300 300", NULL);  // a branch: step 4
    expect_refusal(run_karst("redo", world), 1, "nothing to redo");
    done("undo", world, "--to", "3");
    assert_true(world_hash(world) == hash[3]);
    expect_refusal(run_karst("undo", world, "--to", "9"), 1, "has no step 9");
    expect_refusal(run_karst("undo", world, "0"), 2, "not a number of steps");
    expect_refusal(run_karst("undo", world, "1", "--to", "1"), 2, "not both");

    cJSON *o = json_of(run_karst("log", world, "--json"));
    const cJSON *steps = cJSON_GetObjectItem(o, "steps");
    assert_int_equal(cJSON_GetArraySize(steps), 4);
    assert_true(number_in(o, "current") == 3 && number_in(o, "limit_bytes") == 0);
    double bytes = 0;
    for (int k = 0; k < 4; ++k) {
        const cJSON *s = cJSON_GetArrayItem(steps, k);
        assert_true(number_in(s, "id") == k + 1);
        assert_true(cJSON_IsTrue(cJSON_GetObjectItem(s, "done")) == (k < 3));
        bytes += number_in(s, "bytes");
    }
    assert_true(number_in(cJSON_GetArrayItem(steps, 3), "parent") == 1 && bytes == number_in(o, "bytes"));
    cJSON_Delete(o);
    r = run_karst("log", world);
    assert_non_null(strstr(r.out, "*     3"));
    assert_non_null(strstr(r.out, "-     4"));
    ran_free(&r);
    o = json_of(run_karst("log", world, "--limit", "0.000001", "--json"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "steps")), 0);
    cJSON_Delete(o);
    assert_true(world_hash(world) == hash[3]);
    expect_refusal(run_karst("undo", world), 1, "nothing to undo");
    done("check", world);
}

static void layers_are_added_set_and_removed(void **state) {
    (void)state;
    const char *world = make_world("layers.karst");
    dab(world, "100 100", NULL);
    uint64_t base = world_hash(world);
    done("layer", world, "add", "dunes");
    dab(world, "200 200", "dunes");
    uint64_t full = world_hash(world);
    assert_true(full != base);
    done("layer", world, "off", "dunes");
    assert_true(world_hash(world) == base);
    expect_refusal(
        run_karst("sculpt", world, "--brush", "raise radius=9 strength=1", "--at", "9 9", "--layer", "dunes"), 1,
        "dunes is off");
    done("layer", world, "on", "dunes");
    assert_true(world_hash(world) == full);
    done("layer", world, "set", "dunes", "--strength", "0.5", "--rename", "sand");
    assert_true(world_hash(world) != full);
    done("layer", world, "add", "rivers", "--order", "1");
    cJSON *o = json_of(run_karst("layer", world, "--json"));
    const cJSON *rows = cJSON_GetObjectItem(o, "layers");
    assert_int_equal(cJSON_GetArraySize(rows), 2);
    const cJSON *sand = cJSON_GetArrayItem(rows, 1);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(sand, "name")), "sand");
    assert_true(number_in(sand, "strength") == 0.5 && cJSON_IsNull(cJSON_GetObjectItem(sand, "mask")));
    cJSON_Delete(o);
    o = json_of(run_karst("info", world, "--json"));
    const cJSON *names = cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(o, "grounds"), 0), "layers");
    assert_int_equal(cJSON_GetArraySize(names), 2);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetArrayItem(names, 1)), "sand");
    assert_true(number_in(o, "steps") == 8 && number_in(o, "history_bytes") > 0);
    cJSON_Delete(o);
    expect_refusal(run_karst("layer", world, "off", "dunes"), 1, "there are: rivers, sand");
    expect_refusal(run_karst("layer", world, "set", "sand", "--mask", "cliffs"), 1, "has no mask cliffs");
    expect_refusal(run_karst("layer", world, "add", "sand"), 1, "already");
    expect_refusal(run_karst("layer", world, "squash", "sand"), 2, "one of list, add");
    expect_refusal(run_karst("layer", world, "on"), 2, "on NAME");
    expect_refusal(run_karst("layer", world, "off", "sand", "--strength", "2"), 2, "goes with add and set");
    done("layer", world, "remove", "sand");
    assert_true(world_hash(world) == base);  // nothing of it is left in the base
    done("undo", world);
    uint64_t half = world_hash(world);
    assert_true(half != base);
    done("layer", world, "merge", "sand");
    done("layer", world, "remove", "rivers");
    assert_true(world_hash(world) != base);
    done("undo", world, "2");
    assert_true(world_hash(world) == half);
    done("check", world);
}

// What is baked is what shows: a layer changes the pack, and its removal gives the base's back, byte for byte.
static void packs_follow_the_layers(void **state) {
    (void)state;
    const char *world = make_world("baked.karst");
    dab(world, "100 100", NULL);
    const char *packs[3] = {temp_path("base.kpack"), temp_path("layered.kpack"), temp_path("again.kpack")};
    done("bake", world, "-o", packs[0]);
    done("layer", world, "add", "dunes");
    dab(world, "200 200", "dunes");
    done("bake", world, "-o", packs[1]);
    done("layer", world, "remove", "dunes");
    done("bake", world, "-o", packs[2]);
    assert_false(same_bytes(packs[0], packs[1]));
    assert_true(same_bytes(packs[0], packs[2]));
}

static void check_tells_of_a_world(void **state) {
    (void)state;
    const char *world = make_world("check.karst");
    dab(world, "100 100", NULL);
    cJSON *o = json_of(run_karst("check", world, "--json"));
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(o, "ok")) && cJSON_GetObjectItem(o, "world"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "checks")), 7);
    cJSON_Delete(o);
    size_t size;
    uint8_t *bytes = read_bytes(world, &size);
    for (size_t k = size / 2; k < size; ++k) bytes[k] ^= 0x55;
    write_part(world, bytes, 0, size);
    free(bytes);
    ran r = run_karst("check", world);
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, world));
    ran_free(&r);
}

// ---- kills -------------------------------------------------------------------------------------------

// 12 kills; KARST_KILLS=300 for more.
static void killed_programs_leave_a_finished_step(void **state) {
    (void)state;
    const char *world = make_world("killed.karst");
    dab(world, "50 50", NULL);
    dab(world, "90 150", NULL);
    const char *count = getenv("KARST_KILLS");
    int wanted = count ? atoi(count) : test_count(12), killed = 0, changed = 0;
    double seconds[6] = {0.02, 0.02, 0.02, 0.02, 0.1, 0.1};  // a verb takes; follows the machine's load
    for (prop p = prop_begin("apps_history_kill", 20 * wanted); killed < wanted && prop_next(&p);) {
        char at[64];
        snprintf(at, sizeof at, "%d %d; %d %d", prop_int(&p, 50, 350), prop_int(&p, 50, 350), prop_int(&p, 50, 350),
                 prop_int(&p, 50, 350));
        const char *const sculpt[] = {"karst", "sculpt", world, "--brush", "raise radius=60 strength=9",
                                      "--at",  at,       NULL};
        const char *const undo[] = {"karst", "undo", world, NULL}, *const redo[] = {"karst", "redo", world, NULL};
        char seed[16];
        snprintf(seed, sizeof seed, "%d", prop_int(&p, 1, 1000));
        const char *const erode[] = {"karst", "erode", world, "--years", "0", "--drops", "0.5", "--seed", seed, NULL};
        int what = prop_int(&p, 0, 5);
        uint64_t before = world_hash(world);
        double after_s = prop_real(&p, prop_chance(&p, 0.3) ? 0 : 0.7, 1.1) * seconds[what];
        int how = end_words(what == 0 ? undo : what == 1 ? redo : what < 4 ? sculpt : erode, after_s, SIGKILL);
        killed += WIFSIGNALED(how);
        seconds[what] *= WIFSIGNALED(how) ? 1.05 : 0.85;
        ran r = run_karst("check", world);
        if (r.code) fail_msg("%s", r.err);
        ran_free(&r);
        uint64_t now = world_hash(world);
        changed += now != before && WIFSIGNALED(how);
        if (now == before) continue;
        done(what == 0 ? "redo" : "undo", world);  // a step is one, however it ended
        prop_check(&p, world_hash(world) == before);
        done(what == 0 ? "undo" : "redo", world);
        prop_check(&p, world_hash(world) == now);
    }
    if (count) print_message("%d killed, %d of them after their step was finished\n", killed, changed);
    assert_true(killed > 0 || getenv("KARST_PROP_CASE"));
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_go_back_and_forth),
        cmocka_unit_test(layers_are_added_set_and_removed),
        cmocka_unit_test(packs_follow_the_layers),
        cmocka_unit_test(check_tells_of_a_world),
        cmocka_unit_test(killed_programs_leave_a_finished_step),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
