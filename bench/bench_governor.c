// SPDX-License-Identifier: MIT
// bench governor: what dividing a frame's budget costs, and how far its largest error is from the least possible.
//
// Ten thousand instances of four models stand in a field of 2 km; the eye flies over it at 30 m/s, 60 frames a second.
// Distances are taken anew each frame, as a game does, outside the clock. The curves are those of real orders of the
// models' vertices. The ground draws triangles ~ px^-1.2. What is drawn follows the levels by geomorphs.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "core/core.h"
#include "karst/geomorph.h"
#include "karst/governor.h"
#include "karst/mrmbuild.h"
#include "karst/view.h"
#include "scenes/models.h"

enum { INSTANCES = 10000, FRAMES = 120, MODELS = 4, SMALL = 4, SMALL_LEVELS = 6 };

static const double field_m = 2000, speed_m = 30.0 / 60;
static const float most_px = 0.75f, most_share = 0.125f;  // of a geomorph, in a frame

typedef struct flight {
    karst_mrm *mrm[MODELS];
    karst_geomorph *geomorph[MODELS];
    karst_governor *governor;
    karst_morph *morphs;
    karst_drawable *drawables;
    karst_pos *places;
    float *scales;  // frames * instances: pixels a metre
    karst_governed_ground ground;
    int frames;
    int64_t most_triangles;
    uint64_t hash;
    int64_t probes, changed, moving;
    double pop_px, jump_px;    // farthest motion of a vertex in a frame: with geomorphs, and without
    double asked_px, late_px;  // largest error of levels, and of the coarser ends of what is drawn
    karst_governor_figures last;
} flight;

static karst_status make_models(bench *b, karst_mrm **mrm) {
    int depth = b->quick ? 2 : 5;
    for (int k = 0; k < MODELS; ++k) {
        karst_model *model = NULL;
        karst_status status = k == 0   ? scene_model_tank(&model)
                              : k == 1 ? scene_model_facets(depth, &model)
                              : k == 2 ? scene_model_tile(b->quick ? 8 : 48, 0, 0, 3, &model)
                                       : scene_model_cube(b->quick ? 4 : 24, &model);
        if (!status) status = karst_mrm_build(model, NULL, NULL, b->report, &mrm[k]);
        karst_model_destroy(model);
        if (status) return status;
    }
    return KARST_OK;
}

static karst_status make_flight(bench *b, flight *f) {
    f->frames = b->quick ? 4 : FRAMES;
    f->drawables = malloc(sizeof *f->drawables * INSTANCES);
    f->places = malloc(sizeof *f->places * INSTANCES);
    f->scales = malloc(sizeof *f->scales * INSTANCES * (size_t)f->frames);
    f->morphs = malloc(sizeof *f->morphs * INSTANCES);
    if (!f->drawables || !f->places || !f->scales || !f->morphs) return KARST_ERROR_MEMORY;
    karst_status status = make_models(b, f->mrm);
    for (int k = 0; k < MODELS && !status; ++k) status = karst_geomorph_create(f->mrm[k], NULL, &f->geomorph[k]);
    if (!status) status = karst_governor_create(NULL, &f->governor);
    if (status) return status;
    karst_view view = karst_view_perspective((karst_pos){0, 0, 0}, (karst_pos){0, 0, 1}, (karst_vec3){0, 1, 0},
                                             1.0471976f, 1920, 1080);
    double slope = karst_view_error_slope(&view, 1);
    for (int i = 0; i < INSTANCES; ++i) {
        int count;
        const karst_mrm_level *levels = karst_mrm_curve(f->mrm[i % MODELS], &count);
        f->drawables[i] = (karst_drawable){.levels = levels, .level_count = count, .weight = i % 500 ? 1 : 4};
        f->places[i] = (karst_pos){field_m * kst_random01(1, (uint64_t)i), 0, field_m * kst_random01(2, (uint64_t)i)};
        for (int n = 0; n < f->frames; ++n) {
            double dx = f->places[i].x - field_m / 2, dz = f->places[i].z - field_m / 2 - speed_m * n;
            f->scales[(size_t)n * INSTANCES + (size_t)i] = (float)(1 / (slope * sqrt(dx * dx + dz * dz + 25)));
        }
    }
    f->most_triangles = 1500000;
    return KARST_OK;
}

static void free_flight(flight *f) {
    for (int k = 0; k < MODELS; ++k) karst_geomorph_destroy(f->geomorph[k]);
    for (int k = 0; k < MODELS; ++k) karst_mrm_destroy(f->mrm[k]);
    karst_governor_destroy(f->governor);
    free(f->morphs);
    free(f->drawables);
    free(f->places);
    free(f->scales);
}

static void begin_flight(flight *f) {
    karst_governor_reset(f->governor);
    for (int i = 0; i < INSTANCES; ++i) f->drawables[i].level = KARST_DRAWABLE_NEW;
    f->ground = karst_governed_ground_default();
    f->ground.triangles = 500000;
    f->ground.error_px = 1;
    f->hash = 0;
    f->probes = f->changed = f->moving = 0;
    f->pop_px = f->jump_px = f->asked_px = f->late_px = 0;
}

// How the eye goes: along, not at all, or each frame to where all distances are others.
typedef enum course { FLYING, STILL, LEAPING } course;

static const float *scales_at(const flight *f, course way, int frame, int instance) {
    int other = way == LEAPING ? (instance + frame * 3217) % INSTANCES : instance;
    return f->scales + (size_t)(way == FLYING ? frame : 0) * INSTANCES + other;
}

// What is drawn goes on; those that the first frame shows are at their levels.
static int follow_all(flight *f, bool first) {
    int moving = 0;
    for (int i = 0; i < INSTANCES; ++i) {
        const karst_drawable *d = &f->drawables[i];
        if (first) f->morphs[i] = (karst_morph){d->level, d->level, 1};
        moving += karst_geomorph_follow(f->geomorph[i % MODELS], &f->morphs[i], d->level, most_px / d->pixels_per_m,
                                        most_share);
    }
    return moving;
}

// How far the vertices moved on the screen since `before`, at most, and would have moved to the levels at once.
static void measure_pops(flight *f, const karst_morph *before, const int32_t *level) {
    for (int i = 0; i < INSTANCES; ++i) {
        const karst_drawable *d = &f->drawables[i];
        karst_geomorph *g = f->geomorph[i % MODELS];
        karst_morph a = before[i], b = f->morphs[i];
        double scale = (double)(d->pixels_per_m * d->weight);
        f->asked_px = fmax(f->asked_px, (double)d->levels[d->level].error_m * scale);
        f->late_px = fmax(f->late_px, (double)d->levels[b.coarse].error_m * scale);
        f->jump_px = fmax(f->jump_px, (double)(d->pixels_per_m * karst_geomorph_travel(g, level[i], d->level)));
        if (a.coarse == a.fine && b.coarse == b.fine && a.fine == b.fine) continue;
        if (a.coarse == a.fine) a = (karst_morph){b.coarse, b.fine, a.fine == b.fine};
        if (b.coarse == b.fine) b = (karst_morph){a.coarse, a.fine, b.fine == a.fine};
        KARST_ASSERT(a.coarse == b.coarse && a.fine == b.fine);
        float way_m = karst_geomorph_travel(g, a.coarse, a.fine) * fabsf(a.share - b.share);
        f->pop_px = fmax(f->pop_px, (double)(way_m * d->pixels_per_m));
    }
}

// The flight; CPU seconds of each frame in the update alone, and in geomorphs.
static void fly(flight *f, course way, double *seconds, double *morph_seconds) {
    static karst_morph before[INSTANCES];
    static int32_t level[INSTANCES];
    begin_flight(f);
    for (int n = 0; n < f->frames; ++n) {
        for (int i = 0; i < INSTANCES; ++i) {
            f->drawables[i].pixels_per_m = *scales_at(f, way, n, i);
            level[i] = f->drawables[i].level;
        }
        karst_governor_input in = {.most_triangles = f->most_triangles, .ground = &f->ground};
        double start = bench_cpu_s();
        karst_governor_update(f->governor, &in, f->drawables, INSTANCES, &f->last);
        seconds[n] = bench_cpu_s() - start;
        memcpy(before, f->morphs, sizeof before);
        start = bench_cpu_s();
        int moving = follow_all(f, !n);
        morph_seconds[n] = bench_cpu_s() - start;
        f->moving += moving;
        if (n) measure_pops(f, before, level);
        f->ground.triangles = (int64_t)(500000 * pow((double)f->ground.error_px, -1.2));
        if (n) f->probes += f->last.probes, f->changed += f->last.changed;
        for (int i = 0; i < INSTANCES; ++i)
            f->hash = (f->hash ^ (uint64_t)f->drawables[i].level) * UINT64_C(0x9E3779B97F4A7C15);
    }
}

// Each frame's median over the runs. @return the slowest but for the first
static double median_frames(bench *b, int frames, double run[16][FRAMES], double time[FRAMES]) {
    double slowest = 0;
    for (int n = 0; n < frames; ++n) {
        double of_runs[16];
        for (int k = 0; k < bench_runs(b); ++k) of_runs[k] = run[k][n];
        time[n] = bench_median(of_runs, bench_runs(b));
        if (n) slowest = fmax(slowest, time[n]);
    }
    return slowest;
}

// A row of the median of all frames but the first, whose time is returned [s]; and one of geomorphs.
static double flight_row(bench *b, flight *f, course way, const char *what, const char *unit, const char *morph_what,
                         const char *morph_unit) {
    double run[16][FRAMES], morph_run[16][FRAMES], time[FRAMES], morph_time[FRAMES];
    for (int k = 0; k < bench_runs(b); ++k) fly(f, way, run[k], morph_run[k]);
    double slowest = median_frames(b, f->frames, run, time);
    double morph_slowest = median_frames(b, f->frames, morph_run, morph_time);
    bench_add_note(b,
                   &(bench_row){.what = what,
                                .unit = unit,
                                .value = bench_median(time + 1, f->frames - 1) * 1e6,
                                .runs = bench_runs(b),
                                .hash = f->hash},
                   "slowest %.0f; %.1f passes, %.0f levels changed a frame; %.2f px, %.2f million triangles",
                   slowest * 1e6, (double)f->probes / (f->frames - 1), (double)f->changed / (f->frames - 1),
                   (double)f->last.worst_error_px, (double)f->last.triangles * 1e-6);
    bench_add_note(b,
                   &(bench_row){.what = morph_what,
                                .unit = morph_unit,
                                .value = bench_median(morph_time + 1, f->frames - 1) * 1e6,
                                .runs = bench_runs(b)},
                   "slowest %.0f; %.0f instances on their way a frame", morph_slowest * 1e6,
                   (double)f->moving / f->frames);
    return time[0];
}

static karst_status flight_rows(bench *b) {
    flight f = {0};
    karst_status status = make_flight(b, &f);
    if (!status) {
        double first = flight_row(b, &f, FLYING, "frame_us_10k", "us CPU a frame in flight, 10,000 instances, a field",
                                  "morph_us_10k", "us CPU a frame in flight, geomorphs of 10,000 instances");
        bench_add_note(b,
                       &(bench_row){.what = "pop_px",
                                    .unit = "px, farthest motion of a vertex in a frame for a level",
                                    .value = f.pop_px,
                                    .runs = 1},
                       "without geomorphs %.1f; largest error %.2f px, of ends that are left %.2f", f.jump_px,
                       f.asked_px, f.late_px);
        bench_add(b, &(bench_row){.what = "frame_us_10k_first",
                                  .unit = "us CPU, nothing known",
                                  .value = first * 1e6,
                                  .runs = bench_runs(b)});
        flight_row(b, &f, STILL, "frame_us_10k_still", "us CPU a frame at rest", "morph_us_10k_still",
                   "us CPU a frame at rest, geomorphs");
        flight_row(b, &f, LEAPING, "frame_us_10k_leap", "us CPU a frame, all distances others than before",
                   "morph_us_10k_leap", "us CPU a frame, geomorphs when all distances are others");
    }
    free_flight(&f);
    return status;
}

// ---- small cases against all choices ---------------------------------------------------------------

typedef struct small_case {
    karst_mrm_level levels[SMALL][SMALL_LEVELS];
    karst_drawable drawables[SMALL];
    karst_governed_ground ground;
    karst_governor_input input;
} small_case;

static double draw(uint64_t seed, uint64_t *at, double low, double high) {
    return low + (high - low) * kst_random01(seed, ++*at);
}

static void make_small(small_case *c, uint64_t seed, uint64_t *at) {
    *c = (small_case){.ground = karst_governed_ground_default()};
    for (int i = 0; i < SMALL; ++i) {
        double triangles = draw(seed, at, 5, 40), error = draw(seed, at, 1, 20);
        for (int k = 0; k < SMALL_LEVELS; ++k) {
            c->levels[i][k] = (karst_mrm_level){.triangles = (uint32_t)triangles, .error_m = (float)error};
            triangles += draw(seed, at, 0, 200);
            error *= draw(seed, at, 0.2, 1);
        }
        c->drawables[i] = (karst_drawable){.levels = c->levels[i],
                                           .level_count = SMALL_LEVELS,
                                           .pixels_per_m = (float)draw(seed, at, 0.1, 5),
                                           .weight = (float)draw(seed, at, 0.5, 4),
                                           .level = KARST_DRAWABLE_NEW};
    }
    c->ground.most_step = 0;
    c->ground.triangles = (int64_t)draw(seed, at, 10, 400);
    c->ground.error_px = (float)draw(seed, at, 0.5, 8);
    c->input = (karst_governor_input){.most_triangles = (int64_t)draw(seed, at, 400, 3000), .ground = &c->ground};
}

// The least largest error of all choices of levels, the ground taking what is left: as karst/governor.h says; -1 when
// none fits.
static double least_error(const small_case *c) {
    double best = -1, at = (double)c->ground.error_px, n = (double)c->ground.triangles,
           most = (double)c->ground.most_px, power = 2 << c->ground.steepness;
    int choices = 1;
    for (int i = 0; i < SMALL; ++i) choices *= SMALL_LEVELS;
    for (int choice = 0; choice < choices; ++choice) {
        double left = (double)c->input.most_triangles, worst = 0;
        for (int i = 0, rest = choice; i < SMALL; ++i, rest /= SMALL_LEVELS) {
            const karst_drawable *d = &c->drawables[i];
            left -= d->levels[rest % SMALL_LEVELS].triangles;
            worst = fmax(worst, (double)(d->levels[rest % SMALL_LEVELS].error_m * d->pixels_per_m * d->weight));
        }
        if (left < ceil(n * pow(at / most, power))) continue;
        double px = fmin(fmax(at * pow(n / left, 1 / power), (double)c->ground.least_px), most);
        worst = fmax(worst, px * (double)c->ground.weight);
        if (best < 0 || worst < best) best = worst;
    }
    return best;
}

// Worst of 400 cases of eight frames each, whose distances and budgets drift.
static karst_status small_row(bench *b, const char *what, const char *unit, float slack) {
    karst_governor_def def = karst_governor_def_default();
    def.slack = slack;
    karst_governor *g;
    karst_status status = karst_governor_create(&def, &g);
    if (status) return status;
    int cases = b->quick ? 5 : 400, apart = 0;
    double worst = 1;
    uint64_t hash = 0, at = 0;
    for (int k = 0; k < cases; ++k) {
        small_case c;
        make_small(&c, 5, &at);
        for (int frame = 0; frame < 8; ++frame) {
            double best = least_error(&c);
            karst_governor_figures f;
            karst_governor_update(g, &c.input, c.drawables, SMALL, &f);
            hash = kst_hash(&f.worst_error_px, sizeof f.worst_error_px, hash);
            apart += f.is_over != (best < 0);
            if (best > 0 && !f.is_over) worst = fmax(worst, (double)f.worst_error_px / best);
            for (int i = 0; i < SMALL; ++i) c.drawables[i].pixels_per_m *= (float)draw(5, &at, 0.95, 1.05);
            c.input.most_triangles = (int64_t)((double)c.input.most_triangles * draw(5, &at, 0.98, 1.02));
            c.ground.triangles = (int64_t)((double)c.ground.triangles * draw(5, &at, 0.95, 1.05)) + 1;
        }
    }
    karst_governor_destroy(g);
    bench_add_note(b, &(bench_row){.what = what, .unit = unit, .value = worst, .runs = 1, .hash = hash},
                   "%d frames; %d where only one of both finds that nothing fits", 8 * cases, apart);
    return KARST_OK;
}

karst_status bench_governor(bench *b) {
    karst_status status = flight_rows(b);
    if (!status)
        status = small_row(b, "worst_error_over_optimum", "ratio to exhaustive search, small cases, default slack",
                           karst_governor_def_default().slack);
    if (!status) status = small_row(b, "worst_error_over_optimum_slack_0", "the same without hysteresis", 0);
    return status;
}
