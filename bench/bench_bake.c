// SPDX-License-Identifier: MIT
// Bake: from an elevation file to a pack, on two threads.
#include "karst/bake.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "karst/geo.h"
#include "scenes/scenes.h"

enum { SIDE = 1201, QUICK_SIDE = 200, THREADS = 2 };

// A world in a folder of its own, made from the file or, where there is none, from code.
typedef struct world {
    char folder[200], path[256], pack[256];
    const char *dem;
    int side;
    karst_jobs *jobs;
} world;

typedef struct measured {
    double wall_s, cpu_s;
} measured;

static karst_status fill(karst_project *project, const world *w, karst_report *report) {
    if (w->dem) return karst_geo_import(project, w->dem, NULL, w->jobs, NULL, report, NULL, NULL);
    karst_field *from = NULL, *to = NULL;
    int64_t id = 0;
    size_t count = (size_t)w->side * (size_t)w->side;
    float *y = malloc(count * sizeof *y);
    karst_rect all = {0, 0, w->side, w->side};
    karst_status status = y ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = scene_rough_field(w->side, w->side, 30, 7, false, false, (karst_pos){0, 0, 0}, &from);
    if (!status) status = karst_field_read(from, all, y, NULL, NULL, w->side);
    if (!status) status = karst_project_begin(project, "bench");
    karst_field_shape shape = {w->side, w->side, 30, {0, 0, 0}};
    if (!status) status = karst_project_add_field(project, "ground", &shape, &id);
    if (!status) status = karst_project_field(project, id, 0, &to);
    if (!status) status = karst_field_write(to, all, y, NULL, NULL, w->side);
    if (!status) status = karst_field_flush(to);
    if (!status) status = karst_project_commit(project);
    karst_field_destroy(to);
    karst_field_destroy(from);
    free(y);
    return status;
}

static karst_status bake(const world *w, karst_report *report, karst_bake_info *info) {
    karst_project *project;
    karst_bake_def def = karst_bake_def_default();
    def.jobs = w->jobs;
    karst_status status = karst_project_open(w->path, KARST_PROJECT_READ, report, &project);
    if (status) return status;
    status = karst_bake(project, w->pack, &def, NULL, report, info);
    karst_project_close(project);
    return status;
}

static karst_status import_and_bake(const world *w, karst_report *report, karst_bake_info *info) {
    karst_project *project;
    karst_status status = karst_project_create(w->path, report, &project);
    if (status) return status;
    status = fill(project, w, report);
    karst_project_close(project);
    return status ? status : bake(w, report, info);
}

static void clear(const world *w) {
    static const char *const endings[] = {"", "-wal", "-shm", "-lock"};
    char path[300];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        snprintf(path, sizeof path, "%s%s", w->path, endings[i]);
        unlink(path);
    }
    unlink(w->pack);
}

typedef karst_status job(const world *w, karst_report *report, karst_bake_info *info);

static karst_status measure(const bench *b, const world *w, job *run, bool anew, measured *out, karst_bake_info *info) {
    double wall[8], cpu[8];
    int runs = bench_runs(b);
    for (int i = 0; i < runs; ++i) {
        if (anew) clear(w);
        double wall_s = bench_wall_s(), cpu_s = bench_cpu_s();
        karst_status status = run(w, b->report, info);
        if (status) return status;
        wall[i] = bench_wall_s() - wall_s;
        cpu[i] = bench_cpu_s() - cpu_s;
    }
    *out = (measured){bench_median(wall, runs), bench_median(cpu, runs)};
    return KARST_OK;
}

static karst_status run_all(bench *b, const world *w) {
    measured first, again;
    karst_bake_info info;
    karst_status status = measure(b, w, import_and_bake, true, &first, &info);
    if (status) return status;
    uint64_t hash = info.hash;
    status = measure(b, w, bake, false, &again, &info);
    if (status) return status;
    int runs = bench_runs(b);
    bench_row row = {.unit = "s", .runs = runs, .hash = hash};
    const char *from = w->dem ? "N44W072.hgt imported and baked" : "made by code, KARST_TEST_DATA not set";
    row.what = "bake_1201_s", row.value = first.wall_s;
    bench_add_note(b, &row, "wall, %d threads; %s, maps included", THREADS, from);
    row.what = "bake_1201_cpu_s", row.value = first.cpu_s;
    bench_add_note(b, &row, "CPU of all threads");
    row.what = "bake_1201_again_s", row.value = again.wall_s;
    bench_add_note(b, &row, "wall, unchanged world");
    row.unit = "bytes", row.what = "bake_1201_bytes", row.value = (double)info.file_bytes;
    bench_add(b, &row);
    return KARST_OK;
}

karst_status bench_bake(bench *b) {
    const char *temporary = getenv("TMPDIR");
    world w = {.dem = b->quick ? NULL : bench_data("N44W072.hgt"), .side = b->quick ? QUICK_SIDE : SIDE};
    snprintf(w.folder, sizeof w.folder, "%s/karst-bench-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(w.folder)) {
        snprintf(b->report->message, sizeof b->report->message, "%s: cannot make a folder there", w.folder);
        return b->report->status = KARST_ERROR_FILE;
    }
    snprintf(w.path, sizeof w.path, "%s/w.karst", w.folder);
    snprintf(w.pack, sizeof w.pack, "%s/w.kpack", w.folder);
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = THREADS;
    karst_status status = karst_jobs_create(&def, &w.jobs);
    if (!status) status = run_all(b, &w);
    karst_jobs_destroy(w.jobs);
    clear(&w);
    rmdir(w.folder);
    return status;
}
