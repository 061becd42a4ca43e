// SPDX-License-Identifier: MIT
// karst transform: moves, turns and scales the masked part of the ground.
#include <math.h>

#include "edit.h"
#include "karst/transform.h"

static const char *const falloffs[] = {"smooth", "linear", "sharp", "flat"};

// "X,Z": on the ground when it is open; "X,Y,Z": in space. False on nonsense.
static bool parse_place(args *a, const char *name, karst_pos *out, bool *on_ground) {
    const char *text = arg_text(a, name, NULL);
    double n[3];
    char three[128];
    *on_ground = false;
    if (parse_triple(text, n)) return *out = (karst_pos){n[0], n[1], n[2]}, true;
    snprintf(three, sizeof three, "%.100s,0", text);
    *on_ground = true;
    if (!parse_triple(three, n)) return say_usage(a, "%s %s: not X,Z or X,Y,Z [m]", name, text), false;
    *out = (karst_pos){n[0], 0, n[1]};
    return true;
}

typedef struct places {
    bool sphere, pivot, sphere_on_ground, pivot_on_ground;
} places;

static bool parse(args *a, karst_transform_def *def, places *p) {
    bool bad = false;
    double move[3] = {0, 0, 0}, axis[3] = {0, 1, 0}, scale[3] = {1, 1, 1};
    arg_triple(a, "--move", move, &bad);
    arg_triple(a, "--axis", axis, &bad);
    arg_triple(a, "--scale", scale, &bad);
    def->turn = arg_real(a, "--turn", 0, -1e6, 1e6, &bad) / 360;
    def->radius_m = arg_real(a, "--radius", 0, 0, 1e7, &bad);
    if (bad) return false;
    def->move_m = (karst_pos){move[0], move[1], move[2]};
    def->axis = (karst_pos){axis[0], axis[1], axis[2]};
    def->scale = (karst_pos){scale[0], scale[1], scale[2]};
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0) return say_usage(a, "--axis 0,0,0 points nowhere"), false;
    for (int k = 0; k < 3; ++k)
        if (!(scale[k] > 0 && scale[k] <= 1e6)) return say_usage(a, "--scale: above 0, up to 1e6"), false;
    const char *falloff = arg_text(a, "--falloff", "smooth");
    int k = 0;
    while (k < 4 && strcmp(falloffs[k], falloff)) ++k;
    if (k == 4) return say_usage(a, "--falloff %s: there are smooth, linear, sharp and flat", falloff), false;
    def->falloff = (karst_falloff)k;
    p->sphere = arg_text(a, "--at", NULL) != NULL;
    p->pivot = arg_text(a, "--pivot", NULL) != NULL;
    if (p->sphere != (def->radius_m > 0)) return say_usage(a, "--at and --radius go together"), false;
    if (p->sphere && !parse_place(a, "--at", &def->centre, &p->sphere_on_ground)) return false;
    if (p->pivot && !parse_place(a, "--pivot", &def->pivot, &p->pivot_on_ground)) return false;
    bool turns = def->turn != 0 || scale[0] != 1 || scale[1] != 1 || scale[2] != 1;
    if (turns && !p->pivot && !p->sphere) return say_usage(a, "--turn and --scale want --pivot X,Y,Z"), false;
    return true;
}

static karst_status put_on_ground(args *a, const edit *e, karst_pos *place) {
    bool found;
    karst_status status = karst_field_top(e->canvas.shown, place->x, place->z, &place->y, &found);
    if (!status && !found)
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%g,%g: no ground there", place->x, place->z);
    return status;
}

static int run(args *a) {
    karst_transform_def def = karst_transform_def_default();
    places p = {0};
    if (!parse(a, &def, &p)) return EXIT_USAGE;
    edit e;
    karst_touched touched = {0};
    karst_status status = edit_begin(a, a->positional[0], "transform", &e);
    if (status) return could_not(a, status);
    if (p.sphere_on_ground) status = put_on_ground(a, &e, &def.centre);
    if (!status && p.pivot_on_ground) status = put_on_ground(a, &e, &def.pivot);
    if (!p.pivot) def.pivot = def.centre;
    if (!status) status = karst_transform(&e.canvas, &def, a->jobs, &a->progress, &touched);
    if (status == KARST_ERROR_ARGUMENT && !a->report.message[0])
        kst_fail(&a->report, status, "%s: would carry ground out of the range of numbers", a->positional[0]);
    status = edit_end(a, &e, status);
    if (status) return could_not(a, status);
    say(a, "%s: %llu vertices moved\n", a->positional[0], (unsigned long long)touched.samples);
    cJSON_AddNumberToObject(a->out, "samples", (double)touched.samples);
    return EXIT_DONE;
}

static const option options[] = {
    {"--move", "X,Y,Z", "how far [m] (0,0,0)"},
    {"--turn", "DEG", "turn about the pivot, counter-clockwise seen against the axis [degrees] (0)"},
    {"--axis", "X,Y,Z", "of the turn (0,1,0)"},
    {"--scale", "X,Y,Z", "about the pivot (1,1,1)"},
    {"--pivot", "X,Y,Z", "X,Z: on the ground there [m] (the middle of the sphere)"},
    {"--at", "X,Y,Z", "middle of a sphere that limits it; X,Z: on the ground there [m] (no sphere)"},
    {"--radius", "M", "of that sphere [m]"},
    {"--falloff", "NAME", "from its middle to its skin: smooth, linear, sharp, flat (smooth)"},
    EDIT_OPTIONS,
    {0},
};

const verb verb_transform = {
    .name = "transform",
    .usage = "WORLD --move X,Y,Z [options]",
    .summary =
        "Move, turn and scale the ground where a mask, a sphere or both say so; weights between 0 and 1 go their "
        "share, so a soft border bends.",
    .example =
        "karst transform island.karst --mask stack --move 0,12,0\n"
        "karst transform island.karst --at 320,410 --radius 60 --turn 35 --axis 1,0,0",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
