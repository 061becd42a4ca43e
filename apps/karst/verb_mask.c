// SPDX-License-Identifier: MIT
// karst mask: the masks of a world, computed from its ground and from each other; each change one undoable step.
#include <math.h>
#include <stdlib.h>

#include "karst/geo.h"
#include "karst/mask.h"
#include "karst/sheet.h"

#include "edit.h"
#include "noise_options.h"
#include "part.h"

enum { QUESTIONS = KARST_MASK_KIND_COUNT };

// One call of the verb.
typedef struct call {
    args *a;
    karst_project *project;
    karst_project_ground ground;
    const char *name;  // NULL: list
    karst_mask_def def[QUESTIONS];
    karst_mask_selection asked;
    bool selects;  // any question, or --all
    double grow_m, feather_m;
    karst_rect area;
    karst_sheet sheet;
    karst_field *mask, *from;
    karst_project_canvas *canvas;
    bool created;
} call;

// ---- what is asked ---------------------------------------------------------------------------------

static karst_mask_def *add_question(call *c, karst_mask_kind kind) {
    karst_mask_def *d = &c->def[c->asked.count++];
    *d = karst_mask_def_default(kind);
    return d;
}

static void read_range(call *c, const char *name, karst_mask_kind kind, bool *bad) {
    if (!arg_flag(c->a, name)) return;
    karst_mask_def *d = add_question(c, kind);
    d->radius_m = 10 * c->ground.shape.spacing_m;
    arg_range(c->a, name, &d->low, &d->high, &d->soft, bad);
    if (kind == KARST_MASK_RELIEF) d->radius_m = arg_real(c->a, "--radius", d->radius_m, 0, 1e9, bad);
}

// "X,Y,Z,ANGLE" or "X,Y,Z,ANGLE~SOFT"
static void read_facing(call *c, bool *bad) {
    const char *text = arg_text(c->a, "--facing", NULL);
    if (!text) return;
    karst_mask_def *d = add_question(c, KARST_MASK_FACING);
    double x, y, z, angle, soft = d->soft;
    char rest = 0;
    int n = sscanf(text, "%lf,%lf,%lf,%lf~%lf%c", &x, &y, &z, &angle, &soft, &rest);
    bool good = n == 5 || (n == 4 && !strchr(text, '~'));
    if (!good || !(angle >= 0 && angle <= 180) || !(soft >= 0)) {
        *bad = true;
        say_usage(c->a, "mask: --facing %s: not X,Y,Z,ANGLE or X,Y,Z,ANGLE~SOFT, an angle of 0..180", text);
        return;
    }
    d->direction = (karst_pos){x, y, z};
    d->high = angle;
    d->soft = soft;
}

static void read_noise(call *c, bool *bad) {
    const char *kind = arg_text(c->a, "--noise", NULL);
    for (int k = 0; noise_option_names[k] && !kind; ++k)
        if (arg_flag(c->a, noise_option_names[k])) {
            *bad = true;
            say_usage(c->a, "mask: %s goes with --noise KIND", noise_option_names[k]);
            return;
        }
    if (!kind) return;
    karst_mask_def *d = add_question(c, KARST_MASK_NOISE);
    noise_from_options(c->a, c->ground.shape.spacing_m, &d->noise, bad);
    arg_range(c->a, "--range", &d->low, &d->high, &d->soft, bad);
    if (noise_kind_of(kind, &d->noise.kind)) return;
    *bad = true;
    say_usage(c->a, "mask: --noise %s: one of gradient, fbm, billow, ridged", kind);
}

static void read_from(call *c, bool *bad) {
    bool given = arg_flag(c->a, "--from"), ranged = arg_flag(c->a, "--from-range");
    if (ranged && !given) {
        *bad = true;
        say_usage(c->a, "mask: --from-range goes with --from");
    }
    if (!given) return;
    karst_mask_def *d = add_question(c, KARST_MASK_FROM);
    if (ranged) d->soft = 0;
    arg_range(c->a, "--from-range", &d->low, &d->high, &d->soft, bad);
}

static void read_mode(call *c, bool *bad) {
    static const char *const names[KARST_MASK_MODE_COUNT] = {"set", "add", "subtract", "intersect"};
    const char *text = arg_text(c->a, "--mode", "set");
    int found = -1;
    for (int k = 0; k < KARST_MASK_MODE_COUNT; ++k)
        if (!strcmp(text, names[k])) found = k;
    if (found < 0) say_usage(c->a, "mask: --mode %s: one of set, add, subtract, intersect", text);
    if (found >= 0 && arg_flag(c->a, "--mode") && !c->selects) {
        say_usage(c->a, "mask: --mode goes with what is selected: --slope, --height and so on, or --all");
        found = -1;
    }
    *bad |= found < 0;
    c->asked.mode = found < 0 ? KARST_MASK_SET : (karst_mask_mode)found;
}

// A length that may be left out, in metres.
static double read_length(call *c, const char *name, bool *bad) {
    return arg_real(c->a, name, 0, 0, 1e9, bad);
}

// All options; false after one line was said.
static bool read_options(call *c) {
    args *a = c->a;
    bool bad = false;
    c->asked = (karst_mask_selection){.defs = c->def};
    read_range(c, "--slope", KARST_MASK_SLOPE, &bad);
    read_range(c, "--height", KARST_MASK_HEIGHT, &bad);
    read_range(c, "--relief", KARST_MASK_RELIEF, &bad);
    read_facing(c, &bad);
    read_noise(c, &bad);
    read_from(c, &bad);
    if (!bad && arg_flag(a, "--radius") && !arg_flag(a, "--relief"))
        bad = say_usage(a, "mask: --radius goes with --relief");
    if (!bad && arg_flag(a, "--range") && !arg_flag(a, "--noise"))
        bad = say_usage(a, "mask: --range goes with --noise");
    c->selects = c->asked.count || arg_flag(a, "--all");
    if (!bad) read_mode(c, &bad);
    c->grow_m = read_length(c, "--grow", &bad);
    double shrink_m = read_length(c, "--shrink", &bad);
    c->feather_m = read_length(c, "--feather", &bad);
    if (!bad && shrink_m > 0 && c->grow_m > 0) bad = say_usage(a, "mask: --grow or --shrink, not both");
    if (shrink_m > 0) c->grow_m = -shrink_m;
    return !bad;
}

static bool changes(const call *c) {
    return c->selects || c->grow_m != 0 || c->feather_m > 0 || arg_flag(c->a, "--invert");
}

// ---- the world -------------------------------------------------------------------------------------

static karst_status open_world(call *c, karst_project_mode mode) {
    const char *path = c->a->positional[0];
    karst_status status = karst_project_open(path, mode, &c->a->report, &c->project);
    return status ? status : edit_find_field(c->a, c->project, path, &c->ground);
}

static void close_fields(call *c) {
    karst_field_destroy(c->mask);
    karst_field_destroy(c->from);
    karst_project_canvas_close(c->canvas);
    c->mask = c->from = NULL;
    c->canvas = NULL;
}

static karst_status all_sheets(const call *c, karst_sheet **out, int *count) {
    int capacity = 0;
    karst_status status = karst_project_sheets(c->project, c->ground.id, NULL, 0, &capacity);
    karst_sheet *sheets = calloc((size_t)capacity + 1, sizeof *sheets);
    if (!sheets) return kst_fail(&c->a->report, KARST_ERROR_MEMORY, "out of memory");
    if (!status) status = karst_project_sheets(c->project, c->ground.id, sheets, capacity, count);
    if (status)
        free(sheets);
    else
        *out = sheets;
    return status;
}

// Find the mask by its name; where it is to be made anew, add it.
static karst_status find_or_add(call *c) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = all_sheets(c, &sheets, &count);
    if (status) return status;
    bool there = false;
    for (int k = 0; k < count; ++k) there |= sheets[k].kind == KARST_SHEET_MASK && !strcmp(sheets[k].name, c->name);
    free(sheets);
    c->created = !there && c->selects && (c->asked.mode == KARST_MASK_SET || c->asked.mode == KARST_MASK_ADD);
    if (c->created) {
        int64_t id;
        status = karst_project_add_sheet(c->project, c->ground.id, KARST_SHEET_MASK, c->name, &id);
        if (status) return status;
    }
    return karst_project_find_sheet(c->project, c->ground.id, KARST_SHEET_MASK, c->name, &c->sheet);
}

static karst_status open_fields(call *c) {
    const char *from = arg_text(c->a, "--from", NULL);
    karst_sheet other;
    karst_status status = karst_project_sheet_field(c->project, c->sheet.id, 0, &c->mask);
    if (!status && c->selects) status = karst_project_canvas_open(c->project, c->ground.id, 0, 0, 0, &c->canvas);
    if (status || !from) return status;
    status = karst_project_find_sheet(c->project, c->ground.id, KARST_SHEET_MASK, from, &other);
    if (!status) status = karst_project_sheet_field(c->project, other.id, 0, &c->from);
    for (int k = 0; k < c->asked.count; ++k)
        if (c->def[k].kind == KARST_MASK_FROM) c->def[k].from = c->from;
    return status;
}

// ---- pictures --------------------------------------------------------------------------------------

enum { PICTURE_SIDE = 4096 };

// The mask in grey, a pixel for each vertex, or for the first of each step x step.
static karst_status write_picture(call *c, const char *path) {
    karst_field_shape shape = karst_field_shape_of(c->mask);
    int side = shape.columns > shape.rows ? shape.columns : shape.rows, step = (side + PICTURE_SIDE - 1) / PICTURE_SIDE;
    int width = (shape.columns + step - 1) / step, height = (shape.rows + step - 1) / step;
    float *row = malloc((size_t)shape.columns * sizeof *row);
    uint8_t *rgb = malloc((size_t)width * (size_t)height * 3);
    karst_status status = row && rgb ? KARST_OK : KARST_ERROR_MEMORY;
    for (int j = 0; j < height && !status; ++j) {
        status = karst_field_read(c->mask, (karst_rect){0, j * step, shape.columns, j * step + 1}, row, NULL, NULL,
                                  shape.columns);
        for (int i = 0; i < width && !status; ++i)
            memset(rgb + ((size_t)j * (size_t)width + (size_t)i) * 3,
                   (int)(fminf(fmaxf(row[i * step], 0), 1) * 255 + 0.5f), 3);
    }
    if (!status) status = karst_geo_write_png(path, width, height, rgb, &c->a->report);
    free(row);
    free(rgb);
    return status;
}

// ---- change, show and list -------------------------------------------------------------------------

// Questions first, then the border.
static karst_status change_mask(call *c) {
    args *a = c->a;
    bool invert = arg_flag(a, "--invert");
    karst_status status = KARST_OK;
    c->asked.invert = invert;
    for (int k = 0; k < c->asked.count && !status; ++k)
        status = karst_mask_check(&c->def[k], c->ground.shape.spacing_m, &a->report);
    if (status) return status;
    if (c->selects) {
        karst_field *ground = karst_project_canvas_get(c->canvas)->shown;
        status = karst_mask_select(ground, c->mask, c->area, &c->asked, a->jobs, &a->progress);
    } else if (invert) {
        status = karst_mask_invert(c->mask, c->area, a->jobs, &a->progress);
    }
    if (!status && c->grow_m != 0) {
        status = karst_mask_grow(c->mask, c->area, c->grow_m, a->jobs, &a->progress);
        if (status == KARST_ERROR_ARGUMENT)
            return kst_fail(&a->report, status, "mask: grows and shrinks by at most %g m here: %d spacings",
                            KARST_MASK_MAX_GROW * c->ground.shape.spacing_m, KARST_MASK_MAX_GROW);
    }
    if (!status && c->feather_m > 0) {
        status = karst_mask_feather(c->mask, c->area, c->feather_m, a->jobs, &a->progress);
        if (status == KARST_ERROR_ARGUMENT)
            return kst_fail(&a->report, status,
                            "mask: --feather %g: more than the spacing, %g m, and at most 1024 of it", c->feather_m,
                            c->ground.shape.spacing_m);
    }
    return status;
}

static karst_status tell(call *c) {
    double share = 0;
    const char *path = arg_text(c->a, "--image", NULL);
    karst_status status = karst_mask_share(c->mask, &share, &c->a->progress);
    if (!status && path) status = write_picture(c, path);
    if (status) return status;
    cJSON_AddStringToObject(c->a->out, "mask", c->name);
    cJSON_AddNumberToObject(c->a->out, "share", share);
    cJSON_AddBoolToObject(c->a->out, "created", c->created);
    if (path) cJSON_AddStringToObject(c->a->out, "image", path);
    say(c->a, "%s: selects %.2f %% of the ground%s\n", c->name, share * 100, c->created ? " (new)" : "");
    return KARST_OK;
}

static karst_status remove_mask(call *c) {
    karst_status status = karst_project_find_sheet(c->project, c->ground.id, KARST_SHEET_MASK, c->name, &c->sheet);
    if (!status) status = karst_project_remove_sheet(c->project, c->sheet.id);
    if (status) return status;
    cJSON_AddStringToObject(c->a->out, "removed", c->name);
    say(c->a, "%s: removed\n", c->name);
    return KARST_OK;
}

static karst_status make(call *c) {
    karst_status status = find_or_add(c);
    if (!status) status = open_fields(c);
    if (!status) status = change_mask(c);
    if (!status) status = tell(c);
    if (!status) status = karst_field_flush(c->mask);
    return status;
}

static karst_status step(call *c, karst_status (*act)(call *c)) {
    char name[160];
    snprintf(name, sizeof name, "mask %s", c->name);
    karst_status status = karst_project_begin(c->project, name);
    if (!status) status = act(c);
    if (status && !c->a->report.message[0]) kst_fail(&c->a->report, status, "%s", karst_project_message(c->project));
    close_fields(c);
    if (!status) status = karst_project_commit(c->project);
    if (status) karst_project_rollback(c->project);
    return status;
}

static karst_status show(call *c) {
    karst_status status = find_or_add(c);
    if (!status) status = open_fields(c);
    if (!status) status = tell(c);
    return status;
}

static void list_mask(call *c, const karst_sheet *mask, const karst_sheet *sheets, int count, double share,
                      cJSON *rows) {
    cJSON *row = cJSON_CreateObject(), *layers = cJSON_CreateArray();
    cJSON_AddStringToObject(row, "name", mask->name);
    cJSON_AddNumberToObject(row, "share", share);
    say(c->a, "%6.2f %%  %s", share * 100, mask->name);
    for (int k = 0; k < count; ++k) {
        if (sheets[k].kind != KARST_SHEET_LAYER || sheets[k].mask != mask->id) continue;
        cJSON_AddItemToArray(layers, cJSON_CreateString(sheets[k].name));
        say(c->a, "%s%s", cJSON_GetArraySize(layers) == 1 ? "  limits layer " : ", ", sheets[k].name);
    }
    say(c->a, "\n");
    cJSON_AddItemToObject(row, "layers", layers);
    cJSON_AddItemToArray(rows, row);
}

static karst_status list(call *c) {
    karst_sheet *sheets = NULL;
    int count = 0, masks = 0;
    karst_status status = all_sheets(c, &sheets, &count);
    if (status) return status;
    cJSON *rows = cJSON_AddArrayToObject(c->a->out, "masks");
    for (int k = 0; k < count && !status; ++k) {
        if (sheets[k].kind != KARST_SHEET_MASK) continue;
        double share = 0;
        status = karst_project_sheet_field(c->project, sheets[k].id, 0, &c->mask);
        if (!status) status = karst_mask_share(c->mask, &share, &c->a->progress);
        if (!status) list_mask(c, &sheets[k], sheets, count, share, rows);
        close_fields(c);
        ++masks;
    }
    if (!masks) say(c->a, "no masks: every edit may change all of the ground\n");
    free(sheets);
    return status;
}

// ---- the verb --------------------------------------------------------------------------------------

// The one line that there is no room for options here.
static bool any_option(args *a, const char *but) {
    for (const option *o = a->verb->options; o->name; ++o)
        if (arg_flag(a, o->name) && strcmp(o->name, but) != 0) {
            say_usage(a, "mask: %s%s", o->name, *but ? ": --remove stands alone" : " needs the NAME of a mask");
            return true;
        }
    return false;
}

static int run(args *a) {
    call c = {.a = a, .name = a->positional_count > 1 ? a->positional[1] : NULL};
    bool remove = arg_flag(a, "--remove");
    c.ground.shape.spacing_m = 1;  // for a first look at the options, before the world is opened
    if ((!c.name || remove) && any_option(a, c.name ? "--remove" : "")) return EXIT_USAGE;
    if (!read_options(&c)) return EXIT_USAGE;
    bool writes = remove || changes(&c);
    karst_status status = open_world(&c, writes ? KARST_PROJECT_WRITE : KARST_PROJECT_READ);
    bool usage = !status && (!read_options(&c) || !arg_area(a, &c.ground.shape, 1, &c.area));
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    if (!status && !usage) {
        if (!c.name)
            status = list(&c);
        else if (writes)
            status = step(&c, remove ? remove_mask : make);
        else
            status = show(&c);
    }
    if (status && !a->report.message[0]) {
        const char *line = c.project ? karst_project_message(c.project) : "";
        kst_fail(&a->report, status, "%s", *line ? line : karst_status_text(status));
    }
    close_fields(&c);
    karst_project_close(c.project);
    if (usage) return EXIT_USAGE;
    return status ? could_not(a, status) : EXIT_DONE;
}

static const option options[] = {
    {"--slope", "A..B[~S]",
     "ground this steep [degrees], 90 upright, above it hangs over; falls to 0 over S beyond (S 5)"},
    {"--height", "A..B[~S]", "ground this high [world m]; an end may be open: 300.. (S 0)"},
    {"--facing", "X,Y,Z,A[~S]", "ground whose normal is within A degrees of a direction; -z is north (S 15)"},
    {"--relief", "A..B[~S]", "ground this far above the mean round it [m]: 1.. spurs, ..-1 gullies (S 0.5)"},
    {"--radius", "M", "--relief: how far round it [m] (ten spacings)"},
    {"--noise", "KIND", "noise: gradient, fbm, billow or ridged, where it is in --range"},
    {"--range", "A..B[~S]", "--noise: -1..1, most between -0.4 and 0.4 (0.. S 0.1)"},
    NOISE_OPTIONS,
    {"--from", "OTHER", "another mask of the world, such as an erosion's wear"},
    {"--from-range", "A..B[~S]", "--from: values of it that select, 0..1 (each as it is)"},
    {"--all", NULL, "every vertex"},
    {"--invert", NULL, "what is not selected; without any of the above: turn the mask round"},
    {"--mode", "MODE", "how what is selected meets the mask: set, add, subtract or intersect (set)"},
    PART_OPTION,
    {"--grow", "M", "then let it grow [m]"},
    {"--shrink", "M", "or shrink [m]"},
    {"--feather", "M", "then blur it, so that its border is soft [m]"},
    {"--remove", NULL, "remove the mask"},
    {"--image", "FILE.png", "write the mask as a picture: white is selected"},
    {0},
};

const verb verb_mask = {
    .name = "mask",
    .usage = "WORLD [NAME] [options]",
    .summary =
        "Masks: selections of ground, computed from slope, height, direction, relief, noise or another mask. Several "
        "at once select what answers all. Without options: how much is selected. Verbs that edit take --mask NAME.",
    .example =
        "karst mask island.karst cliffs --slope 40..90 --feather 10\n"
        "karst mask island.karst cliffs --height ..20~5 --mode subtract\n"
        "karst mask island.karst moss --facing 0,0,-1,60 --slope 0..50 --noise fbm --wavelength 120 --image moss.png\n"
        "karst mask island.karst",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run,
};
