// SPDX-License-Identifier: MIT
// Run a built program and look at what it said.
#include "support/run.h"

#include <fcntl.h>
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

ran run_words(const char *const *words) {
    const char *folder = getenv("KARST_BIN");
    assert_non_null(folder);
    char program[1024];
    snprintf(program, sizeof program, "%s/%s", folder, words[0]);
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

void ran_free(ran *r) {
    free(r->out);
    free(r->err);
    *r = (ran){0};
}

bool is_one_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end && end > text && !end[1];
}
