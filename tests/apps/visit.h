// SPDX-License-Identifier: MIT
// A visit: karst-view with hands on it, on a display that display_open() opened.
#pragma once
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/display.h"
#include "support/prop.h"

// Open karst-view with these words, --json among them, wait for the window of that name, let hands do what `first`
// (where they begin) and the script say, leave with Escape; the figures it ended with, yours. Keys wait in line, so
// each is taken before Escape however slow frames are.
static inline cJSON *visit(const char *const *words, const char *window, const char *first, const char *const *script) {
    const char *figures = temp_path("figures.json");
    char program[1024], orders[256], text[4096] = "";
    snprintf(program, sizeof program, "%s/karst-view", getenv("KARST_BIN"));
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(open(figures, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
        alarm(120);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    snprintf(orders, sizeof orders, "search --sync --name '%s - Karst' windowfocus --sync %s", window, first);
    do_x(orders);
    for (; *script; ++script) do_x(*script);
    do_x("key Escape");
    int how;
    waitpid(child, &how, 0);
    assert_true(WIFEXITED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
    FILE *f = fopen(figures, "r");
    assert_non_null(f);
    assert_true(fread(text, 1, sizeof text - 1, f) > 0);
    fclose(f);
    cJSON *json = cJSON_Parse(text);
    assert_non_null(json);
    return json;
}
