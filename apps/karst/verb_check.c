// SPDX-License-Identifier: MIT
// karst check: proves a pack or a world and says what was tried.
#include "app.h"
#include "karst/pack.h"
#include "karst/project.h"

static void add_row(cJSON *rows, const karst_check *c) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "name", c->name);
    cJSON_AddNumberToObject(row, "tried", (double)c->tried);
    cJSON_AddNumberToObject(row, "failed", (double)c->failed);
    if (c->failed) cJSON_AddStringToObject(row, "first", c->first);
    cJSON_AddItemToArray(rows, row);
}

static karst_status check_pack(args *a, const char *path, karst_check *checks, int *count) {
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(path, &def, &pack);
    if (status) return status;
    status = karst_pack_check(pack, a->jobs, &a->progress, checks, count);
    karst_pack_close(pack);
    return status;
}

static karst_status check_world(args *a, const char *path, karst_check *checks, int *count) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = karst_project_check(project, &a->progress, checks, count);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    karst_project_close(project);
    return status;
}

// A world is told by its first bytes; whatever else it is, a pack says why not.
static bool is_world(const char *path) {
    char magic[16] = {0};
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(magic, 1, sizeof magic, file) : 0;
    if (file) fclose(file);
    return got == sizeof magic && !memcmp(magic, "SQLite format 3", sizeof magic);
}

static int run(args *a) {
    const char *path = a->positional[0];
    bool world = is_world(path);
    karst_check checks[KARST_CHECK_MAX];
    int count = 0;
    karst_status status = world ? check_world(a, path, checks, &count) : check_pack(a, path, checks, &count);
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
    cJSON_AddStringToObject(a->out, world ? "world" : "pack", path);
    cJSON_AddBoolToObject(a->out, "ok", !bad);
    cJSON_AddItemToObject(a->out, "checks", rows);
    if (!bad) return EXIT_DONE;
    fprintf(stderr, "karst: %s: %s: %s; %s\n", path, bad->name, bad->first,
            world ? "restore the file from a copy" : "bake it again");
    return EXIT_COULD_NOT;
}

const verb verb_check = {
    .name = "check",
    .usage = "WORLD|PACK",
    .summary =
        "Prove a pack: checksums, borders, bounds, errors, holes, coverage, ground, zones, seams. Prove a world: its "
        "file, sheets, "
        "chunks, borders, and that every step of its history can be undone and redone.",
    .example = "karst check island.kpack --json\nkarst check island.karst",
    .least = 1,
    .most = 1,
    .run = run,
};
