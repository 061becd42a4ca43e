// SPDX-License-Identifier: MIT
// karst check: proves a pack and says what was tried.
#include "app.h"
#include "karst/pack.h"

static void add_row(cJSON *rows, const karst_check *c) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", c->name);
    cJSON_AddNumberToObject(row, "tried", (double)c->tried);
    cJSON_AddNumberToObject(row, "failed", (double)c->failed);
    if (c->failed) cJSON_AddStringToObject(row, "first", c->first);
    cJSON_AddItemToArray(rows, row);
}

static int run(args *a) {
    const char *path = a->positional[0];
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(path, &def, &pack);
    if (status) return could_not(a, status);
    karst_check checks[KARST_CHECK_MAX];
    int count = 0;
    status = karst_pack_check(pack, a->jobs, &a->progress, checks, &count);
    karst_pack_close(pack);
    if (status) return could_not(a, status);

    const karst_check *bad = NULL;
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < count; ++i) {
        const karst_check *c = &checks[i];
        if (c->failed && !bad) bad = c;
        say(a, "%-10s %12llu tried %8llu failed%s%s\n", c->name, (unsigned long long)c->tried,
            (unsigned long long)c->failed, c->failed ? ": " : "", c->first);
        add_row(rows, c);
    }
    cJSON_AddStringToObject(a->out, "pack", path);
    cJSON_AddBoolToObject(a->out, "ok", !bad);
    cJSON_AddItemToObject(a->out, "checks", rows);
    if (!bad) return EXIT_DONE;
    fprintf(stderr, "karst: %s: %s: %s; bake it again\n", path, bad->name, bad->first);
    return EXIT_COULD_NOT;
}

const verb verb_check = {
    .name = "check",
    .usage = "PACK",
    .summary = "Prove a pack: checksums, borders, bounds, errors, holes, coverage, ground.",
    .example = "karst check island.kpack --json",
    .least = 1,
    .most = 1,
    .run = run,
};
