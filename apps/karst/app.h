// SPDX-License-Identifier: MIT
// The command line: what its verbs share.
#pragma once
#include <cjson/cJSON.h>

#include "core/core.h"
#include "karst/jobs.h"

// Exit codes: 0 done, 1 could not, 2 wrong usage.
enum { EXIT_DONE = 0, EXIT_COULD_NOT = 1, EXIT_USAGE = 2 };

// One option: "--size" "WxH" "what it does [unit] (default)". value NULL: a flag. The table ends with name NULL.
// --help, --json, --threads and --quiet are known to every verb. "-5" and "-1,2,3" are values, not options;
// given twice, the last one counts.
typedef struct option {
    const char *name, *value, *text;
} option;

typedef struct args args;

typedef struct verb {
    const char *name;
    const char *usage;    // after the verb: "WORLD DEM [options]"
    const char *summary;  // one line
    const char *example;  // whole command lines
    const option *options;
    int least, most;  // positional arguments
    int (*run)(args *a);
} verb;

enum { ARGS_MAX = 256 };

struct args {
    const verb *verb;
    const char *positional[ARGS_MAX];
    int positional_count;
    struct {
        const char *name, *value;
    } given[ARGS_MAX];
    int given_count;
    bool json, quiet;
    int threads;  // 0: one a processor
    karst_jobs *jobs;
    karst_progress progress;  // bar on standard error when it is a terminal; stops on Ctrl-C
    karst_report report;
    cJSON *out;                      // object printed at the end when json
    char error[KARST_REPORT_BYTES];  // of the frame: the first line that said why not, and its kind
    const char *error_kind;
};

const char *arg_text(const args *a, const char *name, const char *otherwise);
// All values of an option that may be given several times, the first `most` of them. @return how many were given
int arg_texts(const args *a, const char *name, const char **out, int most);
bool arg_flag(const args *a, const char *name);
// These print one line and set *bad on nonsense. Pairs are "AxB", triples "X,Y,Z".
double arg_real(args *a, const char *name, double otherwise, double least, double most, bool *bad);
int64_t arg_int(args *a, const char *name, int64_t otherwise, int64_t least, int64_t most, bool *bad);
bool arg_pair(args *a, const char *name, int least, int most, int *first, int *second, bool *bad);
bool arg_triple(args *a, const char *name, double out[3], bool *bad);
bool parse_triple(const char *text, double out[3]);
bool parse_numbers(const char *text, int count, double *out);  // finite, between commas; count up to 8
bool parse_real(const char *text, double *out);

// One line on standard error; returns EXIT_COULD_NOT or EXIT_USAGE. With --json the program then prints
// {"error": ..., "status": ...} in place of a->out.
int could_not(args *a, karst_status status);  // prints a->report
int say_error(args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
int say_usage(args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
// One line on standard error of something that does not stop the work.
void say_note(args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
// For people, on standard output, unless --json or --quiet.
void say(const args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

// All verbs in the order of the help, one a line. Each is defined by its verb_NAME.c (bench: by bench/). One whose file
// is not in the build is NULL: without OpenGL there is no render, without bench/ no bench.
// clang-format off
#define VERB_LIST(f) \
    f(new) \
    f(import) \
    f(export) \
    f(info) \
    f(log) \
    f(undo) \
    f(redo) \
    f(resize) \
    f(filter) \
    f(erode) \
    f(sculpt) \
    f(transform) \
    f(relax) \
    f(mask) \
    f(layer) \
    f(patch) \
    f(bake) \
    f(check) \
    f(query) \
    f(render) \
    f(flyover) \
    f(model) \
    f(mrm) \
    f(bench)
// clang-format on
#define VERB_DECLARE(name) extern const verb verb_##name __attribute__((weak));
VERB_LIST(VERB_DECLARE)
