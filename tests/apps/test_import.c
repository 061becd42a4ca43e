// SPDX-License-Identifier: MIT
// The verbs new, import and export, run as people run them, starved of memory, and killed.
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "apps/answers.h"
#include "scenes/scenes.h"

enum { COLUMNS = 300, ROWS = 220 };

static void write_raw(const char *path, uint64_t seed) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (int k = 0; k < COLUMNS * ROWS; ++k) {
        int y = (int)(500 + scene_height(k % COLUMNS, k / COLUMNS, seed));
        fputc(y & 255, f);
        fputc(y >> 8, f);
    }
    fclose(f);
}

static bool is_there(const char *path) {
    return access(path, F_OK) == 0;
}

// Number of files in the test's folder whose name begins so.
static int files_like(const char *start) {
    int n = 0;
    DIR *d = opendir(temp_folder());
    for (struct dirent *e; (e = readdir(d));) n += !strncmp(e->d_name, start, strlen(start));
    closedir(d);
    return n;
}

static void new_makes_a_world_and_never_over_another(void **state) {
    (void)state;
    const char *world = temp_path("new.karst");
    ran r = run_karst("new", world, "--size", "70x40", "--spacing", "2.5", "--json");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out) && strstr(r.out, "\"columns\":70") && strstr(r.out, "\"spacing_m\":2.5"));
    ran_free(&r);
    uint64_t hash = world_hash(world);
    r = run_karst("new", world);
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "exists already"));
    ran_free(&r);
    assert_true(world_hash(world) == hash);
    r = run_karst("new", temp_path("b.karst"), "--size", "1x9");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    assert_int_equal(files_like("b.karst"), 0);
}

static void import_answers_in_words_and_in_json(void **state) {
    (void)state;
    const char *world = temp_path("i.karst"), *raw = temp_path("a.r16"), *out = temp_path("out.r16");
    write_raw(raw, 1);
    ran r = run_karst("import", world, raw, "--json");
    assert_int_equal(r.code, 1);  // not square
    assert_true(is_one_line(r.err) && strstr(r.err, "a.r16") && strstr(r.err, "--size"));
    ran_free(&r);
    assert_int_equal(files_like("i.karst"), 0);  // and no world was begun
    r = run_karst("import", world, raw, "--size", "300x220", "--spacing", "3", "--json");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out));
    cJSON *o = cJSON_Parse(r.out);
    assert_non_null(o);
    static const struct {
        const char *key;
        double value;
    } want[] = {{"columns", COLUMNS}, {"rows", ROWS}, {"spacing_m", 3}, {"holes", 0}, {"step_m", 1}};
    for (size_t k = 0; k < 5; ++k) assert_true(cJSON_GetObjectItem(o, want[k].key)->valuedouble == want[k].value);
    assert_true(cJSON_GetObjectItem(o, "min_m")->valuedouble < cJSON_GetObjectItem(o, "max_m")->valuedouble);
    assert_true(cJSON_IsArray(cJSON_GetObjectItem(o, "warnings")));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(o, "warnings")), 0);
    cJSON_Delete(o);
    ran_free(&r);
    assert_int_equal(files_like("i.karst"), 1);
    r = run_karst("import", world, raw, "--size", "300x220");
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "--replace"));
    ran_free(&r);
    r = run_karst("import", world, raw, "--size", "300by220");
    assert_int_equal(r.code, 2);
    ran_free(&r);
    r = run_karst("import", world, raw, "--type", "u17");
    assert_int_equal(r.code, 2);
    assert_non_null(strstr(r.err, "u16"));
    ran_free(&r);
    r = run_karst("export", world, out, "--json");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "--size 300x220 --spacing 3"));
    ran_free(&r);
    kst_map a, b;
    assert_int_equal(kst_file_map(raw, NULL, &a), KARST_OK);
    assert_int_equal(kst_file_map(out, NULL, &b), KARST_OK);
    assert_true(a.size == b.size && !memcmp(a.bytes, b.bytes, a.size));
    kst_file_unmap(&a);
    kst_file_unmap(&b);
    r = run_karst("export", world, temp_path("out.stl"));
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, ".obj"));
    ran_free(&r);
    r = run_karst("export", temp_path("none.karst"), out);
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err));
    ran_free(&r);
}

static void a_world_and_its_pack_export_the_same_triangles(void **state) {
    (void)state;
    const char *world = temp_path("p.karst"), *pack = temp_path("p.kpack"), *raw = temp_path("a.r16");
    write_raw(raw, 1);
    ran r = run_karst("import", world, raw, "--size", "300x220", "--spacing", "1");
    ran_free(&r);
    r = run_karst("bake", world, "-o", pack, "--error", "0.01");
    if (r.code == 2) {  // built without bake
        ran_free(&r);
        skip();
    }
    assert_int_equal(r.code, 0);
    ran_free(&r);
    const char *files[2] = {temp_path("w.obj"), temp_path("p.obj")}, *from[2] = {world, pack};
    FILE *f[2];
    for (int k = 0; k < 2; ++k) {
        r = run_karst("export", from[k], files[k], "--json");
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.out, "\"triangles\":130962"));  // 2 * 299 * 219
        ran_free(&r);
        f[k] = fopen(files[k], "r");
    }
    char a[256], b[256];
    int lines = 0;
    while (fgets(a, sizeof a, f[0]) && fgets(b, sizeof b, f[1])) {
        double p[3], q[3];
        if (sscanf(a, "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) {
            assert_int_equal(sscanf(b, "v %lf %lf %lf", &q[0], &q[1], &q[2]), 3);
            for (int k = 0; k < 3; ++k) assert_true(fabs(p[k] - q[k]) <= 0.01);
            ++lines;
        } else {
            assert_string_equal(a, b);
        }
    }
    assert_int_equal(lines, COLUMNS * ROWS);
    fclose(f[0]);
    fclose(f[1]);
}

// Every awkward file in an address space of 1 GiB: done, or refused in one line, never killed.
static void no_file_takes_more_memory_than_its_ground(void **state) {
    (void)state;
    const char *folder = data_path("edge");
    if (!folder) skip();
    char edge[512];
    snprintf(edge, sizeof edge, "%s", folder);
    struct rlimit old, tight = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    getrlimit(RLIMIT_AS, &old);
    tight.rlim_max = old.rlim_max;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    tight = old;  // these map terabytes of their own
#endif
    setrlimit(RLIMIT_AS, &tight);
    DIR *d = opendir(edge);
    int done = 0, refused = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        char file[800];
        snprintf(file, sizeof file, "%s/%s", edge, e->d_name);
        ran r = run_karst("import", temp_path("m.karst"), file, "--json");
        if (r.code != 0 && (r.code != 1 || !is_one_line(r.err))) fail_msg("%s: %d %s", e->d_name, r.code, r.err);
        if (r.code == 0 && !is_one_line(r.out)) fail_msg("%s: %s", e->d_name, r.out);
        if (r.code == 1 && !strstr(r.err, e->d_name)) fail_msg("%s is not named: %s", e->d_name, r.err);
        assert_int_equal(is_there(temp_path("m.karst")), r.code == 0);
        done += r.code == 0;
        refused += r.code == 1;
        karst_project_discard_file(temp_path("m.karst"));
        ran_free(&r);
    }
    if (d) closedir(d);
    setrlimit(RLIMIT_AS, &old);
    assert_true(done > 25 && refused > 15);
}

// A file under each name that the library may have, or none of them.
static void break_gdal(bool broken) {
    for (int version = 20; version < 60; ++version) {
        char path[512];
        snprintf(path, sizeof path, "%s/libgdal.so.%d", temp_folder(), version);
        if (broken)
            write_part(path, (const uint8_t *)"broken", 0, 6);
        else
            remove(path);
    }
}

// GDAL is loaded when a file needs it. Where it is broken, a verb that needs none works; one that does says so.
static void without_gdal_only_its_files_are_refused(void **state) {
    (void)state;
    const char *world = temp_path("no_gdal.karst"), *tif = temp_path("flat.tif"), *again = temp_path("again.karst");
    ran r = run_karst("new", world, "--size", "9x9", "--quiet");
    ran_free(&r);
    r = run_karst("export", world, tif, "--quiet");
    assert_int_equal(r.code, 0);
    ran_free(&r);
    break_gdal(true);
    setenv("LD_LIBRARY_PATH", temp_folder(), 1);
    ran info = run_karst("info", world), import = run_karst("import", again, tif);
    unsetenv("LD_LIBRARY_PATH");
    break_gdal(false);
    if (info.code == 127) skip();  // built so that the program itself asks for it
    assert_int_equal(info.code, 0);
    assert_int_equal(import.code, 1);
    assert_true(is_one_line(import.err) && strstr(import.err, "no GDAL: ") && strstr(import.err, "install it"));
    assert_false(is_there(again));
    ran_free(&info);
    ran_free(&import);
    r = run_karst("import", again, tif, "--quiet");  // the control
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

// ---- kill --------------------------------------------------------------------------------------------

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void copy_file(const char *from, const char *to) {
    kst_map map;
    assert_int_equal(kst_file_map(from, NULL, &map), KARST_OK);
    FILE *f = fopen(to, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(map.bytes, 1, map.size, f), map.size);
    fclose(f);
    kst_file_unmap(&map);
}

#define IMPORT_OVER "--size", "300x220", "--spacing", "1", "--replace"

static void import_over(const char *world, const char *raw) {
    ran r = run_karst("import", world, raw, IMPORT_OVER);
    assert_int_equal(r.code, 0);
    ran_free(&r);
}

// 40 kills; KARST_KILLS=200 for more.
static void killed_anywhere_the_world_is_whole(void **state) {
    (void)state;
    const char *count = getenv("KARST_KILLS");
    const char *raw[2] = {temp_path("r0.r16"), temp_path("r1.r16")}, *world = temp_path("k.karst"),
               *kept_world = temp_path("kept.karst");  // no more of these: their storage takes turns
    uint64_t hash[2];
    double seconds = 0;  // an import takes; follows the machine's load
    for (int k = 0; k < 2; ++k) {
        write_raw(raw[k], (uint64_t)k);
        double begun = now_s();
        import_over(world, raw[k]);
        seconds = now_s() - begun;
        hash[k] = world_hash(world);
    }
    assert_true(hash[0] != hash[1]);
    copy_file(world, kept_world);
    int killed = 0, absent = 0, made = 0, replaced = 0, kept = 0;
    int wanted = count ? atoi(count) : 40;
    for (prop p = prop_begin("import_kill", 4 * wanted); killed < wanted && prop_next(&p);) {
        bool fresh = prop_chance(&p, 0.5);
        if (fresh)
            karst_project_discard_file(world);
        else if (!is_there(world))
            copy_file(kept_world, world);
        uint64_t before = fresh ? 0 : world_hash(world);
        int k = before == hash[0];  // the other one
        double after_s = prop_real(&p, prop_chance(&p, 0.5) ? 0 : 0.7, 1.1) * seconds;
        int how =
            end_karst(after_s, SIGKILL, "import", world, raw[k], "--size", "300x220", "--spacing", "1", "--replace");
        prop_check(&p, WIFSIGNALED(how) || WEXITSTATUS(how) == 0);
        killed += WIFSIGNALED(how);
        seconds *= WIFSIGNALED(how) ? 1.03 : 0.85;
        if (!is_there(world)) {
            prop_check(&p, before == 0 && WIFSIGNALED(how));
            ++absent;
            continue;
        }
        uint64_t now = world_hash(world);
        prop_check(&p, now == hash[k] || (now == before && before));
        made += !before;
        replaced += before && now == hash[k];
        kept += before && now == before;
    }
    print_message("%d killed: %d before a world, %d after; of replacements %d done, %d not begun\n", killed, absent,
                  made, replaced, kept);
    assert_true(killed > 0 || getenv("KARST_PROP_CASE"));
    // What the killed ones left goes with the next import of a new world.
    karst_project_discard_file(world);
    import_over(world, raw[0]);
    assert_true(world_hash(world) == hash[0]);
    assert_int_equal(files_like("k.karst"), 1);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_makes_a_world_and_never_over_another),
        cmocka_unit_test(import_answers_in_words_and_in_json),
        cmocka_unit_test(a_world_and_its_pack_export_the_same_triangles),
        cmocka_unit_test(no_file_takes_more_memory_than_its_ground),
        cmocka_unit_test(without_gdal_only_its_files_are_refused),
        cmocka_unit_test(killed_anywhere_the_world_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
