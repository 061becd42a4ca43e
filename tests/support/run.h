// SPDX-License-Identifier: MIT
// Run a built program and look at what it said. Needs KARST_BIN, which ctest sets.
#pragma once
#include <stdbool.h>

typedef struct ran {
    int code;         // exit code, or -1 when a signal ended it
    int signal;       // that signal, else 0
    char *out, *err;  // all of standard output and error, terminated
} ran;

// Words end with NULL; the first is the program's name in KARST_BIN.
ran run_words(const char *const *words);
#define run_karst(...) run_words((const char *const[]){"karst", __VA_ARGS__, NULL})
void ran_free(ran *r);
// Run silently and send it a signal after a while; what waitpid() said of its end.
int end_words(const char *const *words, double after_s, int signal_number);
#define end_karst(after_s, signal_number, ...) \
    end_words((const char *const[]){"karst", __VA_ARGS__, NULL}, after_s, signal_number)

// Run silently and ask it to stop in the middle of its work, which takes more than 0.1 s: with SIGINT, later each time
// until it listens by then. Its exit code.
int stop_words(const char *const *words);
#define stop_karst(...) stop_words((const char *const[]){"karst", __VA_ARGS__, NULL})

// Run karst sculpt with a file of strokes, wait until the log has the step, and stop it with SIGINT: the strokes that
// follow take minutes. Its exit code.
int stop_after_step(const char *world, const char *strokes, const char *step);

// Whether the text is exactly one line, ended.
bool is_one_line(const char *text);
