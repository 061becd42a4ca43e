// SPDX-License-Identifier: MIT
// The program `karst`: finds the verb, runs it, prints what it answers.
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

#define VERB_ROW(name) &verb_##name,
static const verb *const all_verbs[] = {VERB_LIST(VERB_ROW)};
enum { VERB_COUNT = sizeof all_verbs / sizeof *all_verbs };

// ---- progress --------------------------------------------------------------------------------------

static volatile sig_atomic_t stop_asked;
static bool bar_allowed, bar_drawn;

static void ask_to_stop(int signal_number) {
    (void)signal_number;
    stop_asked = 1;
}

void bar_clear(void) {
    if (bar_drawn) fputs("\r\033[K", stderr);
    bar_drawn = false;
}

static bool step(void *context, const char *stage, double share) {
    static double drawn_s;
    (void)context;
    if (!bar_allowed) return !stop_asked;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now_s = (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
    if (now_s - drawn_s < 0.05) return !stop_asked;
    drawn_s = now_s;
    char bar[31];
    int full = (int)(share * 30 + 0.5);
    for (int i = 0; i < 30; ++i) bar[i] = i < full ? '#' : '.';
    bar[30] = 0;
    fprintf(stderr, "\r\033[K%-10s [%s] %3.0f%%", stage, bar, share * 100);
    bar_drawn = true;
    return !stop_asked;
}

// ---- running a verb --------------------------------------------------------------------------------

static void print_json(const args *a) {
    cJSON *error = NULL;
    if (a->error_kind) {
        error = cJSON_CreateObject();
        cJSON_AddStringToObject(error, "error", a->error);
        cJSON_AddStringToObject(error, "status", a->error_kind);
    }
    char *text = cJSON_PrintUnformatted(error ? error : a->out);
    if (text) puts(text);
    cJSON_free(text);
    cJSON_Delete(error);
}

static int run_verb(const verb *v, int count, char **words) {
    args *a = calloc(1, sizeof *a);
    if (!a || !(a->out = cJSON_CreateObject())) {
        free(a);
        fputs("karst: out of memory\n", stderr);
        return EXIT_COULD_NOT;
    }
    a->verb = v;
    a->progress.step = step;
    int result = args_parse(a, count, words);
    if (!result) {
        bar_allowed = !a->quiet && isatty(STDERR_FILENO);
        karst_jobs_def def = karst_jobs_def_default();
        def.worker_count = a->threads;
        karst_status status = karst_jobs_create(&def, &a->jobs);
        result = status ? could_not(a, status) : v->run(a);
    }
    bar_clear();
    if (a->json) print_json(a);
    karst_jobs_destroy(a->jobs);
    if (fflush(stdout) || ferror(stdout)) {
        fputs("karst: standard output: cannot write\n", stderr);
        if (!result) result = EXIT_COULD_NOT;
    }
    cJSON_Delete(a->out);
    free(a);
    return result;
}

static bool has_word(int count, char **words, const char *word) {
    for (int i = 0; i < count && strcmp(words[i], "--"); ++i)
        if (!strcmp(words[i], word)) return true;
    return false;
}

int main(int argc, char **argv) {
    const verb *verbs[VERB_COUNT + 1] = {0};
    int verb_count = 0;
    for (int i = 0; i < VERB_COUNT; ++i)
        if (all_verbs[i]) verbs[verb_count++] = all_verbs[i];

    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};  // the second one kills
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        fputs("karst: which verb? see karst --help\n", stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(name, "--version")) {
        printf(has_word(argc - 2, argv + 2, "--json") ? "{\"version\":\"%s\"}\n" : "karst %s\n", karst_version_text());
        return EXIT_DONE;
    }
    bool help = !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
    if (help && argc == 2) {
        help_program(verbs);
        return EXIT_DONE;
    }
    if (help) name = argv[2];
    nearest best = {0};
    for (int i = 0; i < verb_count; ++i) {
        if (!strcmp(verbs[i]->name, name)) {
            if (!help && !has_word(argc - 2, argv + 2, "--help")) return run_verb(verbs[i], argc - 2, argv + 2);
            help_verb(verbs[i]);
            return EXIT_DONE;
        }
        nearest_try(&best, name, verbs[i]->name);
    }
    args unknown = {0};
    say_usage(&unknown, "unknown verb %s%s%s; see karst --help", name, best.word ? ", did you mean " : "",
              best.word ? best.word : "");
    return EXIT_USAGE;
}
