// SPDX-License-Identifier: MIT
// bench methods: the same cameras for every method of choosing detail: what it costs, and how far the picture is from
// the one with all triangles.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "core/core.h"
#include "karst/bake.h"
#include "karst/gl.h"

enum { SIDE = 1025, SIDE_QUICK = 513, CAMERAS = 200, WIDTH = 640, HEIGHT = 360, SAMPLES = 4, OVER = 8 };

static const double spacing_m = 30;

typedef struct race {
    karst_jobs *jobs;
    karst_pack *pack;
    karst_scene *scene;
    karst_gl_context *context;
    karst_gl *gl;
    karst_view views[CAMERAS];
    int cameras, side;
    uint8_t *full, *picture;
} race;

typedef struct figures {
    double triangles, draws, cpu_s, wall_s[CAMERAS];  // sums; wall_s: of a picture drawn and read back
    double over;                                      // sum of the shares of pixels off by more than OVER
    int most;                                         // largest difference
    uint64_t hash;
} figures;

// ---- the ground and the cameras ------------------------------------------------------------------------------------

static karst_status bake_ground(bench *b, int side, const char *path, bool *real) {
    float *height = malloc(sizeof *height * (size_t)side * (size_t)side);
    if (!height) return KARST_ERROR_MEMORY;
    *real = bench_heights(side, height);
    karst_field *field = NULL;
    karst_field_def field_def = karst_field_def_default();
    field_def.shape = (karst_field_shape){side, side, spacing_m, {0, 0, 0}};
    karst_bake_def def = karst_bake_def_default();
    def.jobs = b->jobs;
    karst_status status = karst_field_create(&field_def, &field);
    if (!status) status = karst_field_write(field, (karst_rect){0, 0, side, side}, height, NULL, NULL, side);
    if (!status) status = karst_bake_field(field, path, &def, NULL, b->report, NULL);
    karst_field_destroy(field);
    free(height);
    return status;
}

// Walkers, low flights and high ones, looking level or down.
static karst_view camera(const race *r, int k) {
    double u[5], size = (r->side - 1) * spacing_m, y = 0;
    for (int c = 0; c < 5; ++c) u[c] = kst_random01(61, (uint64_t)(k * 5 + c));
    karst_pos eye = {size * (0.05 + 0.9 * u[0]), 0, size * (0.05 + 0.9 * u[1])};
    (void)karst_scene_height(r->scene, eye.x, eye.z, &y);
    eye.y = y + 2 + 1500 * u[2] * u[2] * u[2];
    double turn = 6.283185307 * u[3], down = -0.05 + 0.5 * u[4];
    karst_pos look = {eye.x + cos(turn), eye.y - down, eye.z + sin(turn)};
    return karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, 0.9f, WIDTH, HEIGHT);
}

static karst_status make_race(bench *b, race *r, bool *real) {
    char path[] = "/tmp/karst-bench-XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0) return kst_fail(b->report, KARST_ERROR_FILE, "%s: cannot make a temporary file", path);
    close(fd);
    r->jobs = b->jobs;
    r->side = b->quick ? SIDE_QUICK : SIDE;
    const char *fewer = getenv("KARST_BENCH_CAMERAS");  // a software rasteriser needs seconds for a picture
    r->cameras = b->quick ? 2 : fewer ? atoi(fewer) : CAMERAS;
    if (r->cameras < 1 || r->cameras > CAMERAS) r->cameras = CAMERAS;
    karst_scene_def scene_def = karst_scene_def_default();
    scene_def.jobs = b->jobs;
    karst_gl_def gl_def = karst_gl_def_default();
    gl_def.jobs = b->jobs;
    gl_def.report = b->report;
    karst_status status = bake_ground(b, r->side, path, real);
    if (!status) status = karst_pack_open(path, NULL, &r->pack);
    unlink(path);
    if (!status) status = karst_scene_create(r->pack, &scene_def, &r->scene);
    if (!status) status = karst_gl_context_create(b->report, &r->context);
    if (!status) status = karst_gl_create(r->pack, &gl_def, &r->gl);
    r->full = malloc(3 * WIDTH * HEIGHT);
    r->picture = malloc(3 * WIDTH * HEIGHT);
    if (!status && (!r->full || !r->picture)) status = KARST_ERROR_MEMORY;
    for (int k = 0; k < r->cameras && !status; ++k) r->views[k] = camera(r, k);
    return status;
}

static void free_race(race *r) {
    karst_gl_destroy(r->gl);
    karst_gl_context_destroy(r->context);
    karst_scene_destroy(r->scene);
    karst_pack_close(r->pack);
    free(r->full);
    free(r->picture);
}

// ---- what is measured ----------------------------------------------------------------------------------------------

// Choosing alone, all chunks resident: CPU of all threads.
static karst_status choose(race *r, karst_method method, double *cpu_s) {
    karst_budget budget = karst_budget_default();
    budget.method = method;
    double start = bench_cpu_s();
    for (int k = 0; k < r->cameras; ++k) {
        karst_frame frame;
        karst_status status = karst_scene_settle(r->scene, &r->views[k], 1, &budget, &frame);
        if (status) return status;
    }
    *cpu_s = bench_cpu_s() - start;
    return KARST_OK;
}

static karst_status draw(race *r, int k, karst_method method, bool full, karst_frame *frame, uint8_t *rgb) {
    karst_budget budget = karst_budget_default();
    budget.method = method;
    budget.full_detail = full;
    karst_gl_look look = karst_gl_look_default();
    karst_status status = karst_scene_settle(r->scene, &r->views[k], 1, &budget, frame);
    return status ? status : karst_gl_render(r->gl, frame, &r->views[k], 0, &look, SAMPLES, rgb);
}

static void compare(const race *r, figures *f) {
    int over = 0;
    for (int k = 0; k < WIDTH * HEIGHT; ++k) {
        int most = 0;
        for (int c = 0; c < 3; ++c) {
            int off = abs(r->full[3 * k + c] - r->picture[3 * k + c]);
            if (off > most) most = off;
        }
        over += most > OVER;
        if (most > f->most) f->most = most;
    }
    f->over += (double)over / (WIDTH * HEIGHT);
}

static karst_status draw_all(race *r, figures f[KARST_METHOD_COUNT], double *full_triangles) {
    for (int k = 0; k < r->cameras; ++k) {
        karst_frame frame;
        karst_status status = draw(r, k, KARST_METHOD_GRID, true, &frame, r->full);
        if (status) return status;
        *full_triangles += (double)frame.figures.triangles;
        for (int m = 0; m < KARST_METHOD_COUNT; ++m) {
            double start = bench_wall_s();
            status = draw(r, k, (karst_method)m, false, &frame, r->picture);
            if (status) return status;
            f[m].wall_s[k] = bench_wall_s() - start;
            f[m].triangles += (double)frame.figures.triangles;
            f[m].draws += frame.figures.draws;
            f[m].hash = kst_hash(&frame.figures.triangles, sizeof frame.figures.triangles, f[m].hash);
            compare(r, &f[m]);
        }
    }
    return KARST_OK;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

static void add(bench *b, const char *what, karst_method method, const char *unit, double value, int runs,
                uint64_t hash, const char *note) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", what, karst_method_name(method));
    bench_add(b, &(bench_row){.what = name, .unit = unit, .value = value, .runs = runs, .hash = hash, .note = note});
}

static void add_rows(bench *b, race *r, karst_method method, figures *f, double full_triangles, bool real) {
    char note[160];
    double frames = r->cameras;
    snprintf(note, sizeof note, "all of them: %.4g; %d cameras, %d x %d, %s ground", full_triangles / frames,
             r->cameras, WIDTH, HEIGHT, real ? "real" : "made");
    add(b, "triangles", method, "a frame at 1 px", f->triangles / frames, 1, f->hash, note);
    add(b, "draws", method, "a frame", f->draws / frames, 1, 0, NULL);
    add(b, "cpu_ms", method, "ms CPU a frame to choose", f->cpu_s * 1e3 / frames, bench_runs(b), 0, NULL);
    snprintf(note, sizeof note, "with choosing and reading back, on %s", karst_gl_device());
    add(b, "draw_ms", method, "ms wall a frame, median", bench_median(f->wall_s, r->cameras) * 1e3, 1, 0, note);
    snprintf(note, sizeof note, "largest difference %d of 255", f->most);
    add(b, "picture_diff", method, "share of pixels over 8/255", f->over / frames, 1, 0, note);
}

karst_status bench_methods(bench *b) {
    race r = {0};
    bool real = false;
    figures *f = calloc(KARST_METHOD_COUNT, sizeof *f);
    if (!f) return KARST_ERROR_MEMORY;
    double full_triangles = 0;
    karst_status status = make_race(b, &r, &real);
    if (!status) status = draw_all(&r, f, &full_triangles);  // this also makes all chunks resident
    double runs[KARST_METHOD_COUNT][7];
    for (int k = 0; k < bench_runs(b) && !status; ++k)
        for (int m = 0; m < KARST_METHOD_COUNT && !status; ++m) status = choose(&r, (karst_method)m, &runs[m][k]);
    for (int m = 0; m < KARST_METHOD_COUNT && !status; ++m) {
        f[m].cpu_s = bench_median(runs[m], bench_runs(b));
        add_rows(b, &r, (karst_method)m, &f[m], full_triangles, real);
    }
    free_race(&r);
    free(f);
    return status;
}
