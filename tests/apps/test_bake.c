// SPDX-License-Identifier: MIT
// The verb bake, run as people run it, and killed as they kill it.
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/answers.h"
#include "karst/pack.h"
#include "scenes/scenes.h"

enum { COLUMNS = 260, ROWS = 200 };

static void make_world(const char *path) {
    karst_field *from, *to;
    karst_project *project;
    int64_t id;
    assert_int_equal(scene_rough_field(COLUMNS, ROWS, 2, 5, false, false, (karst_pos){0, 0, 0}, &from), KARST_OK);
    karst_field_shape shape = karst_field_shape_of(from);
    assert_int_equal(karst_project_create(path, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_begin(project, "make"), KARST_OK);
    assert_int_equal(karst_project_add_field(project, "ground", &shape, &id), KARST_OK);
    assert_int_equal(karst_project_field(project, id, 0, &to), KARST_OK);
    float *y = malloc(sizeof(float) * COLUMNS * ROWS);
    karst_rect all = {0, 0, COLUMNS, ROWS};
    assert_int_equal(karst_field_read(from, all, y, NULL, NULL, COLUMNS), KARST_OK);
    assert_int_equal(karst_field_write(to, all, y, NULL, NULL, COLUMNS), KARST_OK);
    assert_int_equal(karst_field_flush(to), KARST_OK);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    free(y);
    karst_field_destroy(to);
    karst_field_destroy(from);
    karst_project_close(project);
}

static void bake_answers_in_words_and_in_json(void **state) {
    (void)state;
    const char *world = temp_path("w.karst"), *pack = temp_path("w.kpack"), *other = temp_path("other.kpack");
    make_world(world);
    ran r = run_karst("bake", world);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "w.kpack"));
    ran_free(&r);
    assert_int_equal(access(pack, R_OK), 0);
    r = run_karst("bake", world, "-o", other, "--error", "0.5", "--map-side", "32", "--json", "--threads", "2");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out) && r.out[0] == '{');
    static const char *const keys[] = {
        "\"bytes\":", "\"levels\":4", "\"chunks\":", "\"largest_error_m\":", "\"hash\":\"", "\"seconds\":"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) assert_non_null(strstr(r.out, keys[i]));
    ran_free(&r);
}

static void bake_says_why_not(void **state) {
    (void)state;
    const char *world = temp_path("w.karst");
    ran r = run_karst("bake", temp_path("none.karst"));
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err));
    ran_free(&r);
    r = run_karst("bake", world, "-o", world);  // would write over the world
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err));
    ran_free(&r);
    r = run_karst("bake", world, "--error", "-1");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    r = run_karst("bake", world, "-o", temp_path("no/folder.kpack"));
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err));
    ran_free(&r);
    r = run_karst("bake", world, "-o", temp_path("no/folder.kpack"), "--memory", "0.1");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "no/folder.kpack: needs a scratch file"));
    ran_free(&r);
}

// Scratch files that have a name.
static int scratch_files(void) {
    DIR *d = opendir(temp_folder());
    assert_non_null(d);
    int count = 0;
    for (struct dirent *e; (e = readdir(d));) count += strstr(e->d_name, ".scratch") != NULL;
    closedir(d);
    return count;
}

static void killed_anywhere_the_world_and_the_pack_are_whole(void **state) {
    (void)state;
    const char *world = temp_path("k.karst"), *pack = temp_path("k.kpack"), *whole = temp_path("whole.kpack");
    make_world(world);
    uint64_t hash = world_hash(world);
    ran r = run_karst("bake", world, "-o", whole);
    assert_int_equal(r.code, 0);
    ran_free(&r);
    int killed = 0;
    const char *count = getenv("KARST_KILLS");  // 60; more when asked for
    for (prop p = prop_begin("kill", count ? atoi(count) : 60); prop_next(&p);) {
        if (prop_chance(&p, 0.5)) {  // from the start, or from what the last one kept
            remove(world);
            make_world(world);
        }
        if (prop_chance(&p, 0.5)) remove(pack);
        const char *memory = prop_chance(&p, 0.5) ? "0.1" : "1024";  // with a scratch file, or without
        int how = end_karst(prop_real(&p, 0, 0.12), SIGKILL, "bake", world, "-o", pack, "--memory", memory);
        prop_check(&p, WIFSIGNALED(how) || WEXITSTATUS(how) == 0);
        killed += WIFSIGNALED(how);
        prop_check(&p, world_hash(world) == hash);
        if (!access(pack, F_OK)) prop_check(&p, same_bytes(pack, whole));
        prop_check(&p, scratch_files() == 0);
    }
    assert_true(killed > 0);
    r = run_karst("bake", world, "-o", pack);  // what was kept by the killed ones serves
    assert_int_equal(r.code, 0);
    ran_free(&r);
    assert_true(same_bytes(pack, whole));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bake_answers_in_words_and_in_json),
        cmocka_unit_test(bake_says_why_not),
        cmocka_unit_test(killed_anywhere_the_world_and_the_pack_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
