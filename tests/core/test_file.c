// SPDX-License-Identifier: MIT
// Files: mapping, and the promise that a target is the old file or the whole new one.
#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/prop.h"

static void put_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    fclose(f);
}

static bool file_is(const char *path, const void *bytes, size_t size) {
    kst_map map;
    if (kst_file_map(path, NULL, &map)) return false;
    bool same = map.size == size && (!size || !memcmp(map.bytes, bytes, size));
    kst_file_unmap(&map);
    return same;
}

static int files_in_folder(void) {
    int count = 0;
    DIR *d = opendir(temp_folder());
    for (struct dirent *e; d && (e = readdir(d));) count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void maps_hold_the_file(void **state) {
    (void)state;
    char *path = strdup(temp_path("map"));
    put_file(path, "karst");
    assert_true(file_is(path, "karst", 5));
    assert_false(file_is(path, "kursk", 5));
    put_file(path, "");
    assert_true(file_is(path, NULL, 0));
    free(path);
}

static void what_is_no_file_is_named(void **state) {
    (void)state;
    const char *fifo = temp_path("pipe");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    const char *paths[] = {temp_path("missing"), temp_folder(), fifo, "/dev/null"};
    for (int i = 0; i < 4; ++i) {
        kst_map map = {(const uint8_t *)"x", 77};
        karst_report report = {0};
        assert_int_equal(kst_file_map(paths[i], &report, &map), KARST_ERROR_FILE);
        assert_int_equal(report.status, KARST_ERROR_FILE);
        assert_non_null(strstr(report.message, paths[i]));
        assert_int_equal(map.size, 77);  // untouched
        assert_int_equal(kst_file_map(paths[i], NULL, &map), KARST_ERROR_FILE);
    }
}

static void commit_replaces_and_abandon_keeps(void **state) {
    (void)state;
    char *path = strdup(temp_path("target"));
    put_file(path, "old");
    kst_writer w;
    assert_int_equal(kst_writer_open(&w, path, NULL), KARST_OK);
    kst_writer_put(&w, "new bytes", 9);
    assert_true(file_is(path, "old", 3));
    kst_writer_abandon(&w);
    kst_writer_abandon(&w);
    assert_true(file_is(path, "old", 3));
    assert_int_equal(files_in_folder(), 1);

    assert_int_equal(kst_writer_open(&w, path, NULL), KARST_OK);
    kst_writer_put(&w, "____ bytes", 10);
    kst_writer_put(&w, NULL, 0);
    kst_writer_at(&w, 0, "some", 4);
    kst_writer_put(&w, "!", 1);
    assert_int_equal(w.offset, 11);
    assert_true(file_is(path, "old", 3));
    assert_int_equal(kst_writer_commit(&w, NULL), KARST_OK);
    kst_writer_abandon(&w);         // safe after commit
    kst_writer_put(&w, "late", 4);  // ignored
    assert_true(file_is(path, "some bytes!", 11));
    assert_int_equal(files_in_folder(), 1);
    free(path);
}

static void what_may_not_be_replaced_is_refused(void **state) {
    (void)state;
    const char *paths[] = {temp_path("no/such/folder"), temp_folder(), "/dev/null"};
    for (int i = 0; i < 3; ++i) {
        kst_writer w;
        karst_report report = {0};
        assert_int_equal(kst_writer_open(&w, paths[i], &report), KARST_ERROR_FILE);
        assert_non_null(strstr(report.message, paths[i]));
        kst_writer_put(&w, "x", 1);
        assert_int_not_equal(kst_writer_commit(&w, NULL), KARST_OK);
    }
    struct stat st;
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
}

// A killed writer, at any moment, leaves the old file, the whole new one, and at most one stray name beside it.
static void a_killed_writer_leaves_a_whole_file(void **state) {
    (void)state;
    char *path = strdup(temp_path("killed"));
    enum { SIZE = 1 << 20 };
    uint8_t *old_bytes = malloc(SIZE), *new_bytes = malloc(SIZE);
    memset(old_bytes, 'o', SIZE);
    memset(new_bytes, 'n', SIZE);
    int kept = 0, replaced = 0;
    for (prop p = prop_begin("killed_writer", 60); prop_next(&p);) {
        kst_writer w;
        prop_check(&p, !kst_writer_open(&w, path, NULL));
        kst_writer_put(&w, old_bytes, SIZE);
        prop_check(&p, !kst_writer_commit(&w, NULL));
        pid_t child = fork();
        if (!child) {
            kst_writer_open(&w, path, NULL);
            for (int i = 0; i < SIZE; i += 4096) kst_writer_put(&w, new_bytes + i, 4096);
            kst_writer_commit(&w, NULL);
            pause();
        }
        usleep((useconds_t)prop_int(&p, 0, 30000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        bool is_old = file_is(path, old_bytes, SIZE), is_new = file_is(path, new_bytes, SIZE);
        prop_check(&p, is_old != is_new);
        kept += is_old;
        replaced += is_new;
    }
    assert_true(kept > 0 || test_count(60) < 60);  // some kills came in time: the test tests something
    print_message("killed writers: %d kept, %d replaced\n", kept, replaced);
    free(old_bytes);
    free(new_bytes);
    free(path);
}

// The write that fails is the one of the disk: a limit on the size of files stands for a full disk.
static void a_full_disk_keeps_the_old_file(void **state) {
    (void)state;
    char *path = strdup(temp_path("full"));
    put_file(path, "old");
    pid_t child = fork();
    if (!child) {
        signal(SIGXFSZ, SIG_IGN);
        struct rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        static char block[200000];
        kst_writer w;
        karst_report report = {0};
        if (kst_writer_open(&w, path, NULL)) _exit(1);
        kst_writer_put(&w, block, sizeof block);
        kst_writer_put(&w, block, 1);
        karst_status status = kst_writer_commit(&w, &report);
        _exit(status == KARST_ERROR_FILE && strstr(report.message, "too large") ? 0 : 2);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    assert_true(file_is(path, "old", 3));
    assert_int_equal(files_in_folder(), 1);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(maps_hold_the_file, temp_teardown),
        cmocka_unit_test_teardown(what_is_no_file_is_named, temp_teardown),
        cmocka_unit_test_teardown(commit_replaces_and_abandon_keeps, temp_teardown),
        cmocka_unit_test_teardown(what_may_not_be_replaced_is_refused, temp_teardown),
        cmocka_unit_test_teardown(a_killed_writer_leaves_a_whole_file, temp_teardown),
        cmocka_unit_test_teardown(a_full_disk_keeps_the_old_file, temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
