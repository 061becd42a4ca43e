// SPDX-License-Identifier: MIT
// karst bake: a world becomes a pack.
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "app.h"
#include "karst/bake.h"

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// "island.karst" -> "island.kpack"; another ending is kept and added to. malloc'ed.
static char *default_output(const char *world) {
    static const char ending[] = ".karst";
    size_t length = strlen(world), cut = sizeof ending - 1;
    if (length > cut && !strcmp(world + length - cut, ending)) length -= cut;
    char *path = malloc(length + sizeof ".kpack");
    if (path) {
        memcpy(path, world, length);
        memcpy(path + length, ".kpack", sizeof ".kpack");
    }
    return path;
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static karst_status bake(args *a, const char *world, const char *output, const karst_bake_def *def,
                         karst_bake_info *info) {
    karst_project *project;
    karst_status status = karst_project_open(world, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = karst_bake(project, output, def, &a->progress, &a->report, info);
    karst_project_close(project);
    return status;
}

static void answer(args *a, const char *output, const karst_bake_info *info, double seconds) {
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, info->hash);
    say(a,
        "%s: %.2f MB, %d levels, %" PRId64 " chunks, largest error %.3g m, hash %s, %.2f s (%d steps run, %d reused)\n",
        output, (double)info->file_bytes * 1e-6, info->level_count, info->chunk_count, info->largest_error_m, hash,
        seconds, info->steps_run, info->steps_reused);
    cJSON_AddStringToObject(a->out, "pack", output);
    cJSON_AddNumberToObject(a->out, "bytes", (double)info->file_bytes);
    cJSON_AddNumberToObject(a->out, "levels", info->level_count);
    cJSON_AddNumberToObject(a->out, "chunks", (double)info->chunk_count);
    cJSON_AddNumberToObject(a->out, "zones", info->zone_count);
    cJSON_AddNumberToObject(a->out, "largest_error_m", info->largest_error_m);
    cJSON_AddStringToObject(a->out, "hash", hash);
    cJSON_AddNumberToObject(a->out, "scratch_bytes", (double)info->scratch_bytes);
    cJSON_AddNumberToObject(a->out, "steps_run", info->steps_run);
    cJSON_AddNumberToObject(a->out, "steps_reused", info->steps_reused);
    cJSON_AddNumberToObject(a->out, "seconds", seconds);
    if (info->zone_count) say(a, "zones of patches: %d\n", info->zone_count);
    const karst_bake_relaxed *r = &info->relaxed;
    if (r->regions)
        say(a, "relaxed first: worst stretch %.3g -> %.3g, %" PRId64 " vertices moved, surface within %.3g m\n",
            r->worst_before, r->worst_after, r->moved, r->largest_m);
    cJSON *relaxed = cJSON_AddObjectToObject(a->out, "relaxed");
    cJSON_AddNumberToObject(relaxed, "regions", r->regions);
    cJSON_AddNumberToObject(relaxed, "moved", (double)r->moved);
    cJSON_AddNumberToObject(relaxed, "worst_before", r->worst_before);
    cJSON_AddNumberToObject(relaxed, "worst_after", r->worst_after);
    cJSON_AddNumberToObject(relaxed, "largest_m", r->largest_m);
}

static int run(args *a) {
    const char *world = a->positional[0];
    bool bad = false;
    karst_bake_def def = karst_bake_def_default();
    def.error_m = (float)arg_real(a, "--error", 0.01, 1e-5, 100, &bad);
    def.map_side = (int32_t)arg_int(a, "--map-side", def.map_side, 2, 16384, &bad);
    def.memory_bytes = (uint64_t)(arg_real(a, "--memory", 1024, 0.01, 1 << 20, &bad) * 1048576);
    def.relax_above = (float)arg_real(a, "--relax-above", 3, 2, 1000, &bad);
    def.relax_distance_m = (float)arg_real(a, "--relax-distance", 0, 0, 1e6, &bad);
    if (arg_flag(a, "--no-relax")) def.relax_above = 0;
    def.jobs = a->jobs;
    if (bad) return EXIT_USAGE;
    char *made = default_output(world);
    if (!made) return could_not(a, KARST_ERROR_MEMORY);
    const char *output = arg_text(a, "-o", made);
    int result = EXIT_DONE;
    karst_bake_info info;
    double start = now_s();
    if (same_file(world, output)) {
        result = say_usage(a, "%s: is the world itself: give the pack another name with -o", output);
    } else {
        karst_status status = bake(a, world, output, &def, &info);
        result = status ? could_not(a, status) : EXIT_DONE;
    }
    if (!result) answer(a, output, &info, now_s() - start);
    free(made);
    return result;
}

static const option options[] = {
    {"-o", "PACK", "where the pack goes (the world's name with .kpack)"},
    {"--error", "M", "every baked vertex is within this distance of the author's [m], 0.00001..100 (0.01)"},
    {"--map-side", "N", "most samples along a side of the look maps, 2..16384 (2048)"},
    {"--memory", "MB", "memory for what grows with the field; the rest waits in a file beside the pack (1024)"},
    {"--relax-above", "S", "relax displaced chunks with an edge longer than this many spacings, 2..1000 (3)"},
    {"--relax-distance", "M", "how far relaxing may move the surface [m]; 0: half the spacing (0)"},
    {"--no-relax", NULL, "leave every vertex where the author put it"},
    {0},
};

const verb verb_bake = {
    .name = "bake",
    .usage = "WORLD [options]",
    .summary = "Make the pack that a game loads from a world.",
    .example = "karst bake island.karst -o island.kpack --error 0.05",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
