// SPDX-License-Identifier: MIT
// The command line's frame: help, options, exit codes, one line for a failure, one object for --json.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/prop.h"
#include "support/run.h"

static void wrong_usage_is_one_line_and_exit_2(void **state) {
    (void)state;
    const char *w = temp_path("w.karst");
    struct {
        const char *words[8], *names;  // names: what the line must name
    } wrong[] = {
        {{"karst"}, "--help"},
        {{"karst", "nwe"}, "did you mean new"},
        {{"karst", "new"}, "WORLD"},
        {{"karst", "new", w, "too-many"}, "too-many"},
        {{"karst", "new", w, "--sise", "3x3"}, "did you mean --size"},
        {{"karst", "new", w, "--size"}, "--size WxH"},
        {{"karst", "new", w, "--size", "--json"}, "--size WxH"},
        {{"karst", "new", w, "--size", "3"}, "--size 3"},
        {{"karst", "new", w, "--size=3x3x3"}, "3x3x3"},
        {{"karst", "new", w, "--size=1x3"}, "2.."},
        {{"karst", "new", w, "--size=99999999999999999999x3"}, "--size"},
        {{"karst", "new", w, "--spacing", "nan"}, "nan"},
        {{"karst", "new", w, "--spacing", "1e999"}, "1e999"},
        {{"karst", "new", w, "--spacing", " 1"}, "--spacing"},
        {{"karst", "new", w, "--spacing", "1m"}, "1m"},
        {{"karst", "new", w, "--origin", "1,2"}, "X,Y,Z"},
        {{"karst", "new", w, "--threads", "0"}, "1..256"},
        {{"karst", "new", w, "--threads", "257"}, "1..256"},
        {{"karst", "new", w, "--json=yes"}, "--json"},
        {{"karst", "new", w, "-x"}, "-x"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        ran r = run_words(wrong[i].words);
        if (r.code != 2 || !is_one_line(r.err) || !strstr(r.err, wrong[i].names))
            print_error("case %zu: exit %d: %s", i, r.code, r.err);
        assert_int_equal(r.code, 2);
        assert_true(is_one_line(r.err));
        assert_non_null(strstr(r.err, wrong[i].names));
        assert_true(access(w, F_OK));  // and nothing was done
        ran_free(&r);
    }
}

static void json_is_one_object_whatever_happens(void **state) {
    (void)state;
    const char *w = temp_path("w.karst");
    ran r = run_karst("new", w, "--size", "3x5", "--json");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out));
    assert_true(r.out[0] == '{' && strstr(r.out, "\"columns\":3") && strstr(r.out, "\"rows\":5"));
    assert_string_equal(r.err, "");
    ran_free(&r);

    r = run_karst("new", w, "--json");  // it is there already
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.out) && is_one_line(r.err));
    assert_true(strstr(r.out, "{\"error\":\"") == r.out && strstr(r.out, "\"status\":\"file error\"}"));
    assert_non_null(strstr(r.err, w));
    ran_free(&r);

    r = run_karst("new", w, "--size", "1x1", "--json");
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.out) && strstr(r.out, "\"status\":\"wrong usage\"}"));
    ran_free(&r);

    r = run_karst("--version", "--json");
    assert_int_equal(r.code, 0);
    assert_true(is_one_line(r.out) && strstr(r.out, karst_version_text()));
    ran_free(&r);
}

static void values_may_be_negative_joined_and_given_twice(void **state) {
    (void)state;
    const char *w = temp_path("v.karst");
    ran r = run_karst("new", "--size=9x9", "--origin", "-1,-2.5,3", "--size", "4x7", "--json", "--", w);
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "\"columns\":4"));
    ran_free(&r);
    r = run_karst("new", temp_path("q.karst"), "--quiet");
    assert_int_equal(r.code, 0);
    assert_string_equal(r.out, "");
    assert_string_equal(r.err, "");
    ran_free(&r);
}

// Each verb that the program lists has help with an example, and exit 0.
static void every_verb_has_help_and_an_example(void **state) {
    (void)state;
    ran all = run_karst("--help");
    assert_int_equal(all.code, 0);
    int verbs = 0;
    const char *line = strstr(all.out, "Verbs:\n");
    assert_non_null(line);
    for (line += 7; line[0] == ' '; line = strchr(line, '\n') + 1) {
        char name[32];
        if (line[2] == ' ') continue;  // a summary's second line
        assert_int_equal(sscanf(line, "%31s", name), 1);
        ran r = run_karst(name, "--help"), again = run_karst("help", name);
        assert_int_equal(r.code, 0);
        assert_string_equal(r.err, "");
        assert_string_equal(r.out, again.out);
        char usage[64], example[64];
        snprintf(usage, sizeof usage, "Usage: karst %s ", name);
        snprintf(example, sizeof example, "Example:\n  karst %s ", name);
        assert_true(strstr(r.out, usage) == r.out);
        assert_non_null(strstr(r.out, example));
        ran_free(&r);
        ran_free(&again);
        ++verbs;
    }
    assert_true(verbs >= 1);
    ran_free(&all);
}

static void output_that_cannot_be_written_is_exit_1(void **state) {
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        char program[1024];
        snprintf(program, sizeof program, "%s/karst", getenv("KARST_BIN"));
        dup2(open("/dev/full", O_WRONLY), 1);
        dup2(open("/dev/null", O_WRONLY), 2);
        execl(program, "karst", "new", temp_path("f.karst"), "--json", (char *)NULL);
        _exit(127);
    }
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(wrong_usage_is_one_line_and_exit_2, temp_teardown),
        cmocka_unit_test_teardown(json_is_one_object_whatever_happens, temp_teardown),
        cmocka_unit_test_teardown(values_may_be_negative_joined_and_given_twice, temp_teardown),
        cmocka_unit_test_teardown(every_verb_has_help_and_an_example, temp_teardown),
        cmocka_unit_test_teardown(output_that_cannot_be_written_is_exit_1, temp_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
