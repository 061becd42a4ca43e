// SPDX-License-Identifier: MIT
// karst undo, redo: along the history of a world, and to any step of it.
#include "history.h"

#include <stdlib.h>
#include <time.h>

karst_status history_list(args *a, karst_project *project, karst_history_step **out, int *count) {
    int capacity = 0;
    karst_status status = karst_project_log(project, NULL, 0, &capacity);
    karst_history_step *steps = calloc((size_t)capacity + 1, sizeof *steps);
    if (!status && !steps) status = kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory");
    if (!status) status = karst_project_log(project, steps, capacity, count);
    if (status && !a->report.message[0]) kst_fail(&a->report, status, "%s", karst_project_message(project));
    if (status)
        free(steps);
    else
        *out = steps;
    return status;
}

cJSON *history_json(const karst_history_step *s) {
    cJSON *row = cJSON_CreateObject();
    char when[32] = "";
    time_t t = (time_t)s->time_s;
    struct tm utc;
    if (gmtime_r(&t, &utc)) strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    cJSON_AddNumberToObject(row, "id", (double)s->id);
    cJSON_AddNumberToObject(row, "parent", (double)s->parent);
    cJSON_AddStringToObject(row, "name", s->name);
    cJSON_AddStringToObject(row, "time", when);
    cJSON_AddNumberToObject(row, "bytes", (double)s->bytes);
    cJSON_AddNumberToObject(row, "vertices", (double)s->samples);
    cJSON_AddBoolToObject(row, "done", s->done);
    cJSON_AddBoolToObject(row, "current", s->current);
    cJSON_AddBoolToObject(row, "next", s->next);
    return row;
}

// ---- the way of a verb -------------------------------------------------------------------------------

// The step that the world stands at after `count` steps back or forward, and which are passed, in order.
typedef struct way {
    const karst_history_step **passed;
    int count;
    int64_t target;
} way;

static const karst_history_step *by_id(const karst_history_step *steps, int count, int64_t id) {
    for (int i = 0; i < count; ++i)
        if (steps[i].id == id) return &steps[i];
    return NULL;
}

static void go_back(const karst_history_step *steps, int count, int64_t most, way *w) {
    for (int i = count; i-- > 0 && w->count < most;) {
        if (!steps[i].done) continue;
        w->passed[w->count++] = &steps[i];
        w->target = steps[i].parent;
    }
}

static void go_forward(const karst_history_step *steps, int count, int64_t most, way *w) {
    for (int i = 0; i < count && w->count < most; ++i) {
        if (!steps[i].next) continue;
        w->passed[w->count++] = &steps[i];
        w->target = steps[i].id;
    }
}

// Back to the last step that both came after, then forward.
static void go_to(const karst_history_step *steps, int count, int64_t to, way *w) {
    int64_t meet = to;
    for (const karst_history_step *s = by_id(steps, count, to); s && !s->done; s = by_id(steps, count, s->parent))
        meet = s->parent;
    for (int i = count; i-- > 0;)
        if (steps[i].done && steps[i].id > meet) w->passed[w->count++] = &steps[i];
    int forward = w->count;
    for (const karst_history_step *s = by_id(steps, count, to); s && !s->done; s = by_id(steps, count, s->parent)) {
        memmove(&w->passed[forward + 1], &w->passed[forward], (size_t)(w->count - forward) * sizeof *w->passed);
        w->passed[forward] = s;
        ++w->count;
    }
    w->target = to;
}

static void tell(args *a, const way *w, const karst_history_step *steps, int count) {
    cJSON *rows = cJSON_AddArrayToObject(a->out, "steps");
    for (int i = 0; i < w->count; ++i) {
        const karst_history_step *s = w->passed[i];
        const char *how = s->done ? "undone" : "redone";
        say(a, "%s: %s (step %lld, %llu vertices)\n", how, s->name, (long long)s->id, (unsigned long long)s->samples);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "id", (double)s->id);
        cJSON_AddStringToObject(row, "name", s->name);
        cJSON_AddStringToObject(row, "was", how);
        cJSON_AddItemToArray(rows, row);
    }
    const karst_history_step *now = by_id(steps, count, w->target);
    if (!w->count) say(a, "already there\n");
    say(a, "the world stands %s%s\n", now ? "after: " : "before its first step", now ? now->name : "");
    cJSON_AddNumberToObject(a->out, "current", (double)w->target);
}

static karst_status travel(args *a, karst_project *project, bool back) {
    bool bad = false;
    int64_t number = a->positional_count > 1 ? strtoll(a->positional[1], NULL, 10) : 1;
    int64_t to = arg_int(a, "--to", -1, 0, INT64_MAX, &bad);
    karst_history_step *steps = NULL;
    int count = 0;
    karst_status status = history_list(a, project, &steps, &count);
    if (status) return status;
    way w = {calloc((size_t)count + 1, sizeof *w.passed), 0, 0};
    if (!w.passed) status = kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory");
    if (!status && to > 0 && !by_id(steps, count, to))
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: has no step %lld: karst log lists them",
                          a->positional[0], (long long)to);
    if (!status && to >= 0)
        go_to(steps, count, to, &w);
    else if (!status)
        back ? go_back(steps, count, number, &w) : go_forward(steps, count, number, &w);
    const char *word = back ? "undo" : "redo";
    if (!status && to < 0 && !w.count)
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: nothing to %s", a->positional[0], word);
    else if (!status && to < 0 && w.count < number)
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: only %d to %s", a->positional[0], w.count, word);
    if (!status) {
        status = karst_project_go(project, w.target, &a->progress);
        if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    }
    if (!status) tell(a, &w, steps, count);
    free(w.passed);
    free(steps);
    return status;
}

static int run(args *a, bool back) {
    if (a->positional_count > 1) {
        char *end;
        long long n = strtoll(a->positional[1], &end, 10);
        if (n < 1 || *end)
            return say_usage(a, "%s: %s: not a number of steps, 1 and up", a->verb->name, a->positional[1]);
        if (arg_text(a, "--to", NULL)) return say_usage(a, "%s: a number of steps or --to, not both", a->verb->name);
    }
    bool bad = false;
    arg_int(a, "--to", -1, 0, INT64_MAX, &bad);
    if (bad) return EXIT_USAGE;
    karst_project *project;
    karst_status status = karst_project_open(a->positional[0], KARST_PROJECT_WRITE, &a->report, &project);
    if (status) return could_not(a, status);
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    status = travel(a, project, back);
    karst_project_close(project);
    return status ? could_not(a, status) : EXIT_DONE;
}

static int run_undo(args *a) {
    return run(a, true);
}

static int run_redo(args *a) {
    return run(a, false);
}

static const option options[] = {
    {"--to", "STEP", "go to the world as it was right after this step of karst log, on any branch; 0: before all"},
    {0},
};

const verb verb_undo = {
    .name = "undo",
    .usage = "WORLD [N] [options]",
    .summary = "Take the last N steps back (1), whatever they did; they can be redone.",
    .example = "karst undo island.karst\nkarst undo island.karst --to 12",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run_undo,
};

const verb verb_redo = {
    .name = "redo",
    .usage = "WORLD [N] [options]",
    .summary = "Do N undone steps again (1).",
    .example = "karst redo island.karst 3",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run_redo,
};
