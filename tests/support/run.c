// SPDX-License-Identifier: MIT
// Run a built program and look at what it said.
#include "support/run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/prop.h"

static char *read_all(FILE *file) {
    size_t size = 0, room = 4096;
    char *text = malloc(room);
    rewind(file);
    for (;;) {
        size += fread(text + size, 1, room - size - 1, file);
        if (size + 1 < room) break;
        text = realloc(text, room *= 2);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

static void find_program(const char *name, char program[1024]) {
    const char *folder = getenv("KARST_BIN");
    assert_non_null(folder);
    snprintf(program, 1024, "%s/%s", folder, name);
}

ran run_words(const char *const *words) {
    char program[1024];
    find_program(words[0], program);
    FILE *out = tmpfile(), *err = tmpfile();
    assert_true(out && err);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(fileno(out), 1);
        dup2(fileno(err), 2);
        alarm(120);  // a program that hangs is ended by SIGALRM
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int how = 0;
    waitpid(child, &how, 0);
    return (ran){.code = WIFEXITED(how) ? WEXITSTATUS(how) : -1,
                 .signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0,
                 .out = read_all(out),
                 .err = read_all(err)};
}

int end_words(const char *const *words, double after_s, int signal_number) {
    char program[1024];
    find_program(words[0], program);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(126);
        execv(program, (char *const *)(uintptr_t)words);
        _exit(127);
    }
    usleep((useconds_t)(after_s * 1e6));
    kill(child, signal_number);
    int how = 0;
    waitpid(child, &how, 0);
    return how;
}

int stop_words(const char *const *words) {
    for (double after_s = 0.1; after_s < 60; after_s *= 2) {
        int how = end_words(words, after_s, SIGINT);
        if (WIFEXITED(how)) return WEXITSTATUS(how);
    }
    fail_msg("%s %s never listened to SIGINT", words[0], words[1]);
    return -1;
}

int stop_after_step(const char *world, const char *strokes, const char *step) {
    char program[1024];
    find_program("karst", program);
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        execl(program, "karst", "sculpt", world, "--strokes", strokes, "--quiet", (char *)NULL);
        _exit(127);
    }
    for (int k = 0; k < 1000; ++k) {
        usleep(10000);
        ran r = run_karst("log", world);
        bool kept = strstr(r.out, step) != NULL;
        ran_free(&r);
        if (kept) break;
    }
    kill(child, SIGINT);
    int how = 0;
    waitpid(child, &how, 0);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

void ran_free(ran *r) {
    free(r->out);
    free(r->err);
    *r = (ran){0};
}

bool is_one_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end && end > text && !end[1];
}
