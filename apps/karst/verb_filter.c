// SPDX-License-Identifier: MIT
// karst filter: one change to all of the ground, or to what a mask or an area selects; one undoable step.
#include <math.h>
#include <stdlib.h>

#include "karst/filter.h"

#include "edit.h"
#include "noise_options.h"
#include "part.h"

static const char *const kind_names[KARST_FILTER_KIND_COUNT] = {"noise",   "terrace", "blur",
                                                                "sharpen", "clamp",   "remap"};

enum { NOISE = 1 << KARST_FILTER_NOISE, TERRACE = 1 << KARST_FILTER_TERRACE, REMAP = 1 << KARST_FILTER_REMAP };
enum { BLURS = 1 << KARST_FILTER_BLUR | 1 << KARST_FILTER_SHARPEN };

// Which kinds an option goes with; those that are not here go with all.
static const struct {
    const char *name;
    int kinds;
} belongs[] = {
    {"--noise", NOISE},
    {"--height", NOISE},
    {"--normal", NOISE},
    {"--step", TERRACE},
    {"--offset", TERRACE},
    {"--sharpness", TERRACE},
    {"--wander", TERRACE},
    {"--radius", BLURS},
    {"--low", 1 << KARST_FILTER_CLAMP},
    {"--high", 1 << KARST_FILTER_CLAMP},
    {"--from", REMAP},
    {"--to", REMAP},
    {"--bend", REMAP},
};

static int find_kind(args *a) {
    for (int k = 0; k < KARST_FILTER_KIND_COUNT; ++k)
        if (!strcmp(a->positional[1], kind_names[k])) return k;
    say_usage(a, "filter: %s: one of noise, terrace, blur, sharpen, clamp, remap", a->positional[1]);
    return -1;
}

static bool option_belongs(args *a, const char *name, int kinds, int kind) {
    if (!arg_flag(a, name) || kinds >> kind & 1) return true;
    char with[64] = "";
    for (int k = 0; k < KARST_FILTER_KIND_COUNT; ++k)
        if (kinds >> k & 1)
            snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s", *with ? " and " : "", kind_names[k]);
    say_usage(a, "filter: %s goes with %s", name, with);
    return false;
}

static bool options_belong(args *a, int kind) {
    for (size_t k = 0; k < sizeof belongs / sizeof *belongs; ++k)
        if (!option_belongs(a, belongs[k].name, belongs[k].kinds, kind)) return false;
    for (int k = 0; noise_option_names[k]; ++k)
        if (!option_belongs(a, noise_option_names[k], NOISE | TERRACE, kind)) return false;
    return true;
}

// The def that the options ask for; the spacing decides how many octaves there are. False: one line was said.
static bool read_def(args *a, karst_filter_kind kind, double spacing_m, karst_filter_def *d) {
    bool bad = false;
    *d = karst_filter_def_default(kind);
    d->amount = arg_real(a, "--amount", 1, 0, 10, &bad);
    if (kind == KARST_FILTER_NOISE || kind == KARST_FILTER_TERRACE) noise_from_options(a, spacing_m, &d->noise, &bad);
    const char *word = arg_text(a, "--noise", "fbm");
    if (!noise_kind_of(word, &d->noise.kind)) {
        say_usage(a, "filter: --noise %s: one of gradient, fbm, billow, ridged", word);
        return false;
    }
    if (kind == KARST_FILTER_NOISE) d->noise.amplitude_m = arg_real(a, "--height", 10, -1e6, 1e6, &bad);
    if (kind == KARST_FILTER_TERRACE) d->noise.amplitude_m = arg_real(a, "--wander", 0, 0, 1e6, &bad);
    d->along_normal = arg_flag(a, "--normal");
    d->step_m = arg_real(a, "--step", d->step_m, 1e-3, 1e6, &bad);
    d->offset_m = arg_real(a, "--offset", 0, -1e6, 1e6, &bad);
    d->sharpness = arg_real(a, "--sharpness", d->sharpness, 0, 1, &bad);
    d->radius_m = arg_real(a, "--radius", 5 * spacing_m, 0, 1e9, &bad);
    d->bend = arg_real(a, "--bend", 0.5, 0.001, 0.999, &bad);
    if (kind == KARST_FILTER_CLAMP) {
        d->low_m = arg_real(a, "--low", -1e6, -1e6, 1e6, &bad);
        d->high_m = arg_real(a, "--high", 1e6, -1e6, 1e6, &bad);
        if (!bad && !arg_flag(a, "--low") && !arg_flag(a, "--high"))
            return !say_usage(a, "filter: clamp takes --low or --high, or both");
        if (!bad && d->low_m > d->high_m)
            return !say_usage(a, "filter: --low %g is above --high %g", d->low_m, d->high_m);
    }
    if (kind == KARST_FILTER_REMAP) {
        arg_range(a, "--from", &d->low_m, &d->high_m, NULL, &bad);
        if (!arg_range(a, "--to", &d->to_low_m, &d->to_high_m, NULL, &bad) && !bad)
            return !say_usage(a, "filter: remap takes --to A..B");
        if (!bad && !(isfinite(d->to_low_m) && isfinite(d->to_high_m)))
            return !say_usage(a, "filter: --to %s: both ends are needed", arg_text(a, "--to", ""));
    }
    return !bad;
}

// Lowest and highest of what is shown in rect [world m].
static karst_status measure(args *a, karst_field *field, karst_rect rect, double *low, double *high) {
    enum { ROWS = KARST_CHUNK_CELLS };
    int width = rect.x1 - rect.x0;
    float *y = malloc((size_t)width * ROWS * sizeof *y), least = INFINITY, most = -INFINITY;
    karst_status status = y ? KARST_OK : KARST_ERROR_MEMORY;
    for (int32_t z = rect.z0; z < rect.z1 && !status; z += ROWS) {
        karst_rect band = {rect.x0, z, rect.x1, z + ROWS < rect.z1 ? z + ROWS : rect.z1};
        status = kst_progress_step(&a->progress, "measure", (double)(z - rect.z0) / (rect.z1 - rect.z0));
        if (!status) status = karst_field_read(field, band, y, NULL, NULL, width);
        for (size_t k = 0; k < (size_t)width * (size_t)(band.z1 - band.z0) && !status; ++k) {
            least = fminf(least, y[k]);
            most = fmaxf(most, y[k]);
        }
    }
    free(y);
    double up = karst_field_shape_of(field).origin.y;
    *low = up + (double)least;
    *high = up + (double)most;
    return status;
}

// Where --from leaves an end open, remap begins or ends with the ground itself.
static karst_status close_range(args *a, const edit *e, karst_rect rect, karst_filter_def *d) {
    bool given = arg_flag(a, "--from"), low_open = !given || isinf(d->low_m), high_open = !given || isinf(d->high_m);
    double low, high;
    if (d->kind != KARST_FILTER_REMAP || (!low_open && !high_open)) return KARST_OK;
    karst_status status = measure(a, e->canvas.shown, rect, &low, &high);
    if (status) return status;
    if (low_open) d->low_m = low;
    if (high_open) d->high_m = high;
    if (d->low_m < d->high_m) return KARST_OK;
    return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "filter: heights %g..%g: a range of no height cannot be remapped",
                    d->low_m, d->high_m);
}

static void answer(args *a, karst_rect rect, const karst_filter_info *info) {
    int64_t vertices = (int64_t)(rect.x1 - rect.x0) * (rect.z1 - rect.z0);
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    cJSON_AddStringToObject(a->out, "filter", a->positional[1]);
    cJSON_AddNumberToObject(a->out, "vertices", (double)vertices);
    cJSON_AddNumberToObject(a->out, "changed", (double)info->changed);
    cJSON_AddNumberToObject(a->out, "most_m", (double)info->most_m);
    say(a, "%s: filter %s: %lld of %lld vertices changed, by %.4g m at most\n", a->positional[0], a->positional[1],
        (long long)info->changed, (long long)vertices, (double)info->most_m);
}

static int run(args *a) {
    int kind = find_kind(a);
    if (kind < 0 || !options_belong(a, kind)) return EXIT_USAGE;
    karst_filter_def d;
    karst_rect rect;
    if (!read_def(a, (karst_filter_kind)kind, 1, &d)) return EXIT_USAGE;  // before the world is opened
    edit e;
    char step[64];
    snprintf(step, sizeof step, "filter %s", kind_names[kind]);
    karst_status status = edit_begin(a, a->positional[0], step, &e);
    if (status) return could_not(a, status);
    const karst_field_shape *shape = &e.ground.shape;
    if (!read_def(a, (karst_filter_kind)kind, shape->spacing_m, &d) || !arg_area(a, shape, 1, &rect)) {
        edit_end(a, &e, KARST_ERROR_ARGUMENT);
        return EXIT_USAGE;
    }
    karst_filter_info info = {0};
    status = close_range(a, &e, rect, &d);
    if (!status) status = karst_filter_check(&d, shape->spacing_m, &a->report);
    if (!status) status = karst_filter_apply(&e.canvas, rect, &d, a->jobs, &a->progress, &info);
    status = edit_end(a, &e, status);
    if (status) return could_not(a, status);
    answer(a, rect, &info);
    return EXIT_DONE;
}

static const option options[] = {
    {"--amount", "A", "share of the change that is made, 0..10; above 1 it goes on beyond (1)"},
    PART_OPTION,
    EDIT_OPTIONS,
    {"--noise", "KIND", "noise: gradient, fbm, billow or ridged (fbm)"},
    {"--height", "M", "noise: no value is higher; most are below a third of it [m] (10)"},
    {"--normal", NULL, "noise: along the normal of the surface, in place of upward"},
    NOISE_OPTIONS,
    {"--step", "M", "terrace: height of a step [m] (20)"},
    {"--sharpness", "S", "terrace: 0 leaves the ground alone, 1 has level treads and upright risers (0.8)"},
    {"--offset", "M", "terrace: height of one of the levels [world m] (0)"},
    {"--wander", "M", "terrace: how far levels rise and fall with the noise above [m] (0)"},
    {"--radius", "M", "blur, sharpen: how far the ground round a vertex counts [m] (five spacings)"},
    {"--low", "M", "clamp: no height below this [world m]"},
    {"--high", "M", "clamp: no height above this [world m]"},
    {"--from", "A..B", "remap: heights that become --to [world m]; an open end is the ground's (lowest..highest)"},
    {"--to", "A..B", "remap: what they become [world m]; heights beyond go on in the same measure"},
    {"--bend", "B", "remap: where the middle of --from goes in --to, 0.001..0.999 (0.5, straight)"},
    {0},
};

const verb verb_filter = {
    .name = "filter",
    .usage = "WORLD noise|terrace|blur|sharpen|clamp|remap [options]",
    .summary =
        "Change all of the ground, or what a mask or an area selects: noise, terraces, blur, sharpen, clamp and remap "
        "of "
        "heights. One step, undone by karst undo.",
    .example =
        "karst filter island.karst noise --noise ridged --wavelength 800 --height 120 --warp 150\n"
        "karst filter island.karst terrace --step 15 --wander 6 --mask steep --layer strata\n"
        "karst filter island.karst blur --radius 30 --area 0,0,500,500",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
