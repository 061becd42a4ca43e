// SPDX-License-Identifier: MIT
// karst log: the steps of a world, where it stands, and what they take of the file.
#include <stdlib.h>
#include <time.h>

#include "history.h"

static void size_text(char out[16], uint64_t bytes) {
    const char *unit = "B";
    double n = (double)bytes;
    if (n >= 1e3) n /= 1e3, unit = "kB";
    if (n >= 1e3) n /= 1e3, unit = "MB";
    if (n >= 1e3) n /= 1e3, unit = "GB";
    snprintf(out, 16, *unit == 'B' || n >= 100 ? "%.0f %s" : "%.1f %s", n, unit);
}

static void tell_step(const args *a, const karst_history_step *s, int64_t before) {
    char when[32] = "", size[16], after[32] = "";
    time_t t = (time_t)s->time_s;
    struct tm local;
    if (localtime_r(&t, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S", &local);
    size_text(size, s->bytes);
    if (s->parent != before) snprintf(after, sizeof after, "  (after %lld)", (long long)s->parent);
    say(a, "%s %5lld  %s  %8s  %10llu  %s%s%s\n",
        s->current ? "*"
        : s->done  ? " "
                   : "-",
        (long long)s->id, when, size, (unsigned long long)s->samples, s->name,
        s->done   ? ""
        : s->next ? "  undone, next to redo"
                  : "  undone",
        after);
}

static void tell(args *a, const karst_history_step *steps, int count, uint64_t limit) {
    uint64_t bytes = 0;
    int64_t current = 0;
    cJSON *rows = cJSON_AddArrayToObject(a->out, "steps");
    if (count) say(a, "   step  when                     size    vertices  name\n");
    for (int i = 0; i < count; ++i) {
        const karst_history_step *s = &steps[i];
        bytes += s->bytes;
        if (s->current) current = s->id;
        tell_step(a, s, i ? steps[i - 1].id : 0);
        cJSON_AddItemToArray(rows, history_json(s));
    }
    if (count && !current) say(a, "* the world stands before its first step\n");
    char size[16], most[16];
    size_text(size, bytes);
    size_text(most, limit);
    say(a, "%d steps, %s%s%s%s\n", count, size, limit ? " of at most " : "", limit ? most : "",
        count ? ": * is where the world stands, - is undone" : "");
    cJSON_AddNumberToObject(a->out, "current", (double)current);
    cJSON_AddNumberToObject(a->out, "bytes", (double)bytes);
    cJSON_AddNumberToObject(a->out, "limit_bytes", (double)limit);
}

static int run(args *a) {
    bool bad = false;
    double limit_mb = arg_real(a, "--limit", -1, 0, 1e9, &bad);
    if (bad) return EXIT_USAGE;
    bool set = limit_mb >= 0;
    karst_project *project;
    karst_status status =
        karst_project_open(a->positional[0], set ? KARST_PROJECT_WRITE : KARST_PROJECT_READ, &a->report, &project);
    if (status) return could_not(a, status);
    uint64_t limit = 0;
    if (set) status = karst_project_set_history_limit(project, (uint64_t)(limit_mb * 1e6));
    if (!status) status = karst_project_history_limit(project, &limit);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    karst_history_step *steps = NULL;
    int count = 0;
    if (!status) status = history_list(a, project, &steps, &count);
    karst_project_close(project);
    if (status) return could_not(a, status);
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    tell(a, steps, count, limit);
    free(steps);
    return EXIT_DONE;
}

static const option options[] = {
    {"--limit", "MB", "most that the history may take from now on, the oldest steps go first; 0: no limit [MB]"},
    {0},
};

const verb verb_log = {
    .name = "log",
    .usage = "WORLD [options]",
    .summary = "The steps of a world: what was done, when, how much of the file it takes, and where the world stands.",
    .example = "karst log island.karst\nkarst log island.karst --limit 500",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
