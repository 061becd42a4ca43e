// SPDX-License-Identifier: MIT
// Huge: the verbs on a field larger than memory should hold, each in a process of its own, whose peak of resident
// memory the system counts (mapped pages of files too).
//
// KARST_HUGE_SIDE: vertices along a side (16385). KARST_HUGE_DISPLACED=1: vertices leave their places sideways too.
// KARST_HUGE_FOLDER: where the files go, and stay; else a folder of its own under TMPDIR or /var/tmp, removed at the
// end.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "core/core.h"
#include "karst/project.h"
#include "scenes/scenes.h"

enum { SIDE = 16385, QUICK_SIDE = 300, STRIP = 64, PATH_BYTES = 512 };
static const double spacing_m = 2;
static const uint64_t seed = 7;
static const float calm =
    0.2f;  // of the scene's displacement, which folds over itself everywhere: no ground of a world

typedef struct huge {
    bench *b;
    int side;
    bool displaced, own;  // own: the folder is removed at the end
    char folder[PATH_BYTES - 32], raw[PATH_BYTES], world[PATH_BYTES], pack[PATH_BYTES], out[PATH_BYTES],
        picture[PATH_BYTES];
} huge;

static karst_status cannot(const huge *h, const char *what, const char *path) {
    return kst_fail(h->b->report, KARST_ERROR_FILE, "%s: cannot %s: %s", path, what, strerror(errno));
}

// ---- the ground ------------------------------------------------------------------------------------

typedef struct strip {
    const huge *h;
    int row;
    float *y, *x, *z;  // x, z NULL unless displaced
} strip;

static void make_rows(int begin, int end, int worker, void *context) {
    (void)worker;
    strip *s = context;
    size_t side = (size_t)s->h->side;
    for (int r = begin; r < end; ++r) {
        size_t at = (size_t)r * side;
        scene_rough_row(s->row + r, s->h->side, spacing_m, seed, s->y + at, s->x ? s->x + at : NULL,
                        s->z ? s->z + at : NULL, NULL);
        for (size_t i = at; s->x && i < at + side; ++i) s->x[i] *= calm, s->z[i] *= calm;
    }
}

typedef karst_status take_fn(const strip *s, int rows, void *context);

static karst_status make_ground(const huge *h, take_fn *take, void *context) {
    size_t n = (size_t)h->side * STRIP;
    float *memory = malloc(3 * n * sizeof *memory);
    if (!memory) return kst_fail(h->b->report, KARST_ERROR_MEMORY, "huge: out of memory");
    strip s = {h, 0, memory, h->displaced ? memory + n : NULL, h->displaced ? memory + 2 * n : NULL};
    karst_status status = KARST_OK;
    for (; s.row < h->side && !status; s.row += STRIP) {
        int rows = h->side - s.row < STRIP ? h->side - s.row : STRIP;
        karst_jobs_for(h->b->jobs, rows, 4, make_rows, &s);
        status = take(&s, rows, context);
    }
    free(memory);
    return status;
}

static karst_status take_raw(const strip *s, int rows, void *context) {
    size_t n = (size_t)rows * (size_t)s->h->side;
    return fwrite(s->y, sizeof *s->y, n, context) == n ? KARST_OK : cannot(s->h, "write", s->h->raw);
}

static karst_status take_field(const strip *s, int rows, void *context) {
    karst_rect rect = {0, s->row, s->h->side, s->row + rows};
    return karst_field_write(context, rect, s->y, s->x, s->z, s->h->side);
}

static karst_status make_raw(const huge *h) {
    FILE *f = fopen(h->raw, "wb");
    if (!f) return cannot(h, "write", h->raw);
    karst_status status = make_ground(h, take_raw, f);
    if (fclose(f) && !status) status = cannot(h, "write", h->raw);
    return status;
}

// No file that karst import reads holds sideways displacement, so such a world is written directly.
static karst_status make_world(const huge *h) {
    karst_project *project = NULL;
    karst_field *field = NULL;
    int64_t id = 0;
    karst_field_shape shape = {h->side, h->side, spacing_m, {0, 0, 0}};
    karst_status status = karst_project_create(h->world, h->b->report, &project);
    if (status) return status;
    status = karst_project_begin(project, "bench");
    if (!status) status = karst_project_add_field(project, "ground", &shape, &id);
    if (!status) status = karst_project_field(project, id, (size_t)64 << 20, &field);
    if (!status) status = make_ground(h, take_field, field);
    if (!status) status = karst_field_flush(field);
    if (!status) status = karst_project_commit(project);
    if (status) kst_fail(h->b->report, status, "%s: %s", h->world, karst_project_message(project));
    karst_field_destroy(field);
    karst_project_close(project);
    return status;
}

// ---- the verbs -------------------------------------------------------------------------------------

// Run a verb and add rows NAME_mb, NAME_s and NAME_cpu_s.
static karst_status run_verb(const huge *h, const char *name, const char *const *words) {
    double start = bench_wall_s();
    fflush(NULL);
    pid_t child = fork();  // not vfork: the peak of this program would count as the verb's
    if (child < 0) return cannot(h, "run", name);
    if (!child) {
        if (!freopen("/dev/null", "w", stdout)) _exit(127);
        execv("/proc/self/exe", (char *const *)(uintptr_t)words);
        _exit(127);
    }
    int code;
    struct rusage use;
    while (wait4(child, &code, 0, &use) < 0)
        if (errno != EINTR) return cannot(h, "wait for", name);
    double wall_s = bench_wall_s() - start;
    if (!WIFEXITED(code) || WEXITSTATUS(code))
        return kst_fail(h->b->report, KARST_ERROR_FILE, "karst %s failed, see above", words[1]);
    double cpu_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                   1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    char what[64];
    snprintf(what, sizeof what, "%s_mb", name);
    bench_add(h->b,
              &(bench_row){.what = what, .unit = "MB resident", .value = (double)use.ru_maxrss * 1.024e-3, .runs = 1});
    snprintf(what, sizeof what, "%s_s", name);
    bench_add(h->b, &(bench_row){.what = what, .unit = "s wall", .value = wall_s, .runs = 1});
    snprintf(what, sizeof what, "%s_cpu_s", name);
    bench_add(h->b, &(bench_row){.what = what, .unit = "s CPU", .value = cpu_s, .runs = 1});
    return KARST_OK;
}

static void add_file(const huge *h, const char *name, const char *path) {
    struct stat st;
    if (stat(path, &st)) return;
    char what[64];
    snprintf(what, sizeof what, "%s_bits", name);
    bench_add(h->b, &(bench_row){.what = what,
                                 .unit = "bits a sample",
                                 .value = 8.0 * (double)st.st_size / ((double)h->side * h->side),
                                 .runs = 1});
}

static karst_status run_verbs(const huge *h) {
    const char *import[] = {"karst", "import", h->world, h->raw, "--spacing", "2", "--quiet", NULL};
    const char *bake[] = {"karst", "bake", h->world, "-o", h->pack, "--quiet", NULL};
    const char *check[] = {"karst", "check", h->pack, "--quiet", NULL};
    const char *export[] = {"karst", "export", h->world, h->out, "--quiet", NULL};
    karst_status status = h->displaced ? make_world(h) : make_raw(h);
    if (!status && !h->displaced) status = run_verb(h, "import", import);
    if (!status) status = run_verb(h, "bake", bake);
    if (!status) status = run_verb(h, "check", check);
    if (!status) status = run_verb(h, "export", export);
    if (status) return status;
    add_file(h, "world", h->world);
    add_file(h, "pack", h->pack);
    return KARST_OK;
}

// ---- all -------------------------------------------------------------------------------------------

static void name_files(huge *h) {
    snprintf(h->raw, sizeof h->raw, "%s/huge.r32", h->folder);
    snprintf(h->world, sizeof h->world, "%s/huge.karst", h->folder);
    snprintf(h->pack, sizeof h->pack, "%s/huge.kpack", h->folder);
    snprintf(h->out, sizeof h->out, "%s/back.r32", h->folder);
}

static void remove_files(const huge *h) {
    char path[PATH_BYTES + 8];
    static const char *const endings[] = {"", "-wal", "-shm", "-lock"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
        snprintf(path, sizeof path, "%s%s", h->world, endings[i]);
        unlink(path);
    }
    unlink(h->raw);
    unlink(h->pack);
    unlink(h->out);
}

karst_status bench_huge(bench *b) {
    const char *side = getenv("KARST_HUGE_SIDE"), *folder = getenv("KARST_HUGE_FOLDER"), *place = getenv("TMPDIR");
    huge h = {.b = b, .side = b->quick ? QUICK_SIDE : SIDE, .own = !folder};
    const char *displaced = getenv("KARST_HUGE_DISPLACED");
    h.displaced = displaced && displaced[0];
    if (side) h.side = atoi(side);
    if (h.side < 2 || h.side > 65536)
        return kst_fail(b->report, KARST_ERROR_ARGUMENT, "KARST_HUGE_SIDE %s: must be 2 to 65536", side);
    snprintf(h.folder, sizeof h.folder, "%s/karst-huge-XXXXXX", place ? place : "/var/tmp");
    if (folder)
        snprintf(h.folder, sizeof h.folder, "%s", folder);
    else if (!mkdtemp(h.folder))
        return cannot(&h, "make", h.folder);
    name_files(&h);
    remove_files(&h);
    karst_status status = run_verbs(&h);
    if (h.own) {
        remove_files(&h);
        rmdir(h.folder);
    }
    return status;
}
