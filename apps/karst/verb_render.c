// SPDX-License-Identifier: MIT
// karst render: one picture of a pack.
#include <math.h>
#include <time.h>

#include "budget.h"
#include "karst/geo.h"
#include "picture.h"
#include "scenes/made.h"
#include "viewpoint.h"

static double clock_s(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void add_position(cJSON *out, const char *name, karst_pos p) {
    cJSON *list = cJSON_AddArrayToObject(out, name);
    const double v[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) cJSON_AddItemToArray(list, cJSON_CreateNumber(v[k]));
}

// --stand: the y of a point counts from the ground below it.
static int stand(args *a, const picture *p, karst_pos *point, const char *name) {
    double y;
    if (!karst_ground_height(p->patches.ground, point->x, point->z, &y))
        return say_error(a, "%s %g,%g,%g: there is no ground at that place to stand on", name, point->x, point->y,
                         point->z);
    point->y += y;
    return EXIT_DONE;
}

// A picture from inside the ground is what was asked for, but seldom what was meant.
static void warn_if_buried(args *a, const picture *p, karst_pos eye) {
    karst_level level[16];
    int count = 0;
    if (karst_ground_heights(p->patches.ground, eye.x, eye.z, level, 16, &count) || !count) return;
    if (count > 16) count = 16;
    if (level[count - 1].y <= eye.y) return;  // there is ground below
    fprintf(stderr, "karst render: the eye is %.4g m under the ground; --stand counts its height from there\n",
            level[count - 1].y - eye.y);
    cJSON_AddNumberToObject(a->out, "eye_under_ground_m", level[count - 1].y - eye.y);
}

static int choose_view(args *a, picture *p, karst_view *view, karst_pos *at) {
    bool bad = false;
    double e[3], l[3];
    bool has_eye = arg_triple(a, "--eye", e, &bad), has_look = arg_triple(a, "--look", l, &bad);
    if (bad) return EXIT_USAGE;
    if (has_eye != has_look) return say_usage(a, "give both --eye and --look, or neither");
    karst_pos eye;
    if (has_eye) {
        eye = (karst_pos){e[0], e[1], e[2]};
        *at = (karst_pos){l[0], l[1], l[2]};
        karst_status status = picture_bring(p, eye);
        if (status) return could_not(a, status);
        int result = arg_flag(a, "--stand") ? stand(a, p, &eye, "--eye") : EXIT_DONE;
        if (!result && arg_flag(a, "--stand")) result = stand(a, p, at, "--look");
        if (result) return result;
        warn_if_buried(a, p, eye);
    } else {
        if (p->patches.no_field)
            patches_viewpoint(&p->patches, &eye, at);
        else
            viewpoint_find(p->pack, &p->look, p->fov_rad, (double)p->width / p->height, &eye, at);
    }
    *view = karst_view_perspective(eye, *at, (karst_vec3){0, 1, 0}, p->fov_rad, p->width, p->height);
    return EXIT_DONE;
}

// --army: units that stand round the middle of the picture.
static int muster(args *a, picture *p, const karst_view *view, karst_pos at, army *units) {
    bool bad = false;
    const char *what[ARMY_KINDS_MAX];
    int whats = arg_texts(a, "--army", what, ARMY_KINDS_MAX);
    int count = (int)arg_int(a, "--count", ARMY_COUNT, 1, ARMY_COUNT_MAX, &bad);
    if (bad) return EXIT_USAGE;
    if (whats > ARMY_KINDS_MAX) return say_usage(a, "--army: %d times at most", ARMY_KINDS_MAX);
    if (!whats && (arg_text(a, "--count", NULL) || arg_text(a, "--army-triangles", NULL)))
        return say_usage(a, "say of what: --army made:all, made:tank or a .kmrm file");
    if (!whats) return EXIT_DONE;
    const army_place place = {.ground = p->patches.ground,
                              .eye = view->eye,
                              .middle = army_middle(p->patches.ground, view, at, !arg_text(a, "--eye", NULL)),
                              .water_m = p->look.water_m};
    karst_status status = army_open(units, what, whats, count, p->gl, &place, &a->report);
    p->look.meshes = units->meshes;
    return status ? could_not(a, status) : EXIT_DONE;
}

// --triangles: of ground and army together; else each has its own option.
static int divide(args *a, picture *p, const karst_view *view, budget *b, army *units) {
    bool bad = false;
    int64_t triangles = arg_int(a, "--triangles", 0, 1, BUDGET_TRIANGLES_MAX, &bad);
    int64_t of_army = arg_int(a, "--army-triangles", ARMY_TRIANGLES, 1, ARMY_TRIANGLES_MAX, &bad);
    if (bad) return EXIT_USAGE;
    if (triangles && arg_text(a, "--army-triangles", NULL))
        return say_usage(a, "--triangles %lld: the army is in it; leave --army-triangles out", (long long)triangles);
    if (triangles && p->budget.full_detail)
        return say_usage(a, "--triangles %lld: --full-detail takes what it takes; one of them", (long long)triangles);
    bool asked = !triangles || arg_text(a, "--lod-error", NULL);
    karst_status status = budget_open(b, triangles, 0, asked ? p->budget.error_px : 0, of_army);
    if (!status) status = budget_settle(b, units, &p->patches, p->scene, view, &p->budget);
    p->budget.error_px = p->look.error_px = b->ground.error_px;
    return status ? could_not(a, status) : EXIT_DONE;
}

// Patches are no part of it.
static void tell_budget(args *a, const budget *b, const karst_frame *frame, const army *units, int64_t beside) {
    long long ground = (long long)frame->figures.triangles, of_army = (long long)units->triangles;
    double error = (double)b->figures.worst_error_px;
    char more[64] = "";
    if (beside) snprintf(more, sizeof more, "; beside it patches %lld by --edge", (long long)beside);
    say(a, "budget: %lld of %lld triangles, ground %lld, army %lld; error at most %.3g px%s%s\n", ground + of_army,
        (long long)b->triangles, ground, of_army, error, b->figures.is_over ? ", the coarsest there is is over it" : "",
        more);
    cJSON *o = cJSON_AddObjectToObject(a->out, "budget");
    cJSON_AddNumberToObject(o, "triangles", (double)b->triangles);
    cJSON_AddNumberToObject(o, "drawn", (double)(ground + of_army));
    cJSON_AddNumberToObject(o, "ground", (double)ground);
    cJSON_AddNumberToObject(o, "army", (double)of_army);
    cJSON_AddNumberToObject(o, "patches_beside", (double)beside);
    cJSON_AddNumberToObject(o, "max_error_px", error);
    cJSON_AddNumberToObject(o, "ground_error_px", (double)b->ground.error_px);
    cJSON_AddNumberToObject(o, "army_error_px", (double)units->error_px);
    cJSON_AddBoolToObject(o, "is_over", b->figures.is_over);
}

static void tell_army(args *a, const army *units) {
    karst_gl_mesh_figures f = karst_gl_meshes_figures(units->meshes);
    double error = (double)units->error_px;
    say(a, "army: %d units, %d seen with %lld triangles at %d levels, error at most %.3g px\n", units->count,
        f.instances, (long long)f.triangles, f.levels, error);
    cJSON *o = cJSON_AddObjectToObject(a->out, "army");
    cJSON_AddNumberToObject(o, "units", units->count);
    cJSON *kinds = cJSON_AddArrayToObject(o, "of_each");
    for (int k = 0; k < units->kind_count; ++k) {
        int count = 0;
        for (int i = 0; i < units->count; ++i) count += units->units[i].mesh == k;
        cJSON_AddItemToArray(kinds, cJSON_CreateNumber(count));
    }
    cJSON_AddNumberToObject(o, "seen", f.instances);
    cJSON_AddNumberToObject(o, "triangles", (double)f.triangles);
    cJSON_AddNumberToObject(o, "levels", f.levels);
    cJSON_AddNumberToObject(o, "draws", f.draws);
    cJSON_AddNumberToObject(o, "max_error_px", error);
}

// --true-error: how far the drawn patches are from their finest vertices, beside the sizes that chose them.
static void tell_error(args *a, const picture *p, const karst_view *view) {
    const patches *of = &p->patches;
    karst_zone_error e = karst_zone_frame_error(&of->frame, of->scene, view);
    say(a, "patches: at most %.3g m and %.3g px off their finest vertices\n", (double)e.metres, (double)e.pixels);
    cJSON *o = cJSON_GetObjectItem(a->out, "patches");
    cJSON_AddNumberToObject(o, "true_error_m", (double)e.metres);
    cJSON_AddNumberToObject(o, "true_error_px", (double)e.pixels);
    cJSON_AddNumberToObject(o, "metric", (double)e.metric);
}

static int draw_view(args *a, picture *p, const char *output, const karst_view *seen, karst_pos at, const army *units,
                     const budget *shares) {
    const karst_view view = *seen;
    karst_frame frame;
    double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    karst_status status = picture_draw(p, &view, &frame);
    wall = clock_s(CLOCK_MONOTONIC) - wall;
    cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (status) {
        if (!a->report.message[0])
            kst_fail(&a->report, status, "the picture could not be drawn: %s", karst_status_text(status));
        return could_not(a, status);
    }
    status = karst_geo_write_png(output, p->width, p->height, p->rgb, &a->report);
    if (status) return could_not(a, status);
    double error = frame.figures.worst_error_px;
    picture_tell(a, p);
    if (arg_flag(a, "--true-error") && p->patches.count && p->patches.frame.method == KARST_ZONE_METHOD_CORNER)
        tell_error(a, p, &view);
    karst_gl_zone_figures zones = {0};
    if (p->patches.count) zones = karst_gl_zones_figures(p->patches.drawn);
    say(a, "%s: %d x %d, %lld triangles in %d draws, error at most %.3g px, %.0f ms of processor time, on %s\n", output,
        p->width, p->height, (long long)(frame.figures.triangles + zones.triangles), frame.figures.draws + zones.draws,
        error, cpu * 1e3, karst_gl_device());
    if (units->count) tell_army(a, units);
    if (shares->is_one) tell_budget(a, shares, &frame, units, zones.triangles);
    cJSON_AddStringToObject(a->out, "picture", output);
    cJSON_AddNumberToObject(a->out, "width", p->width);
    cJSON_AddNumberToObject(a->out, "height", p->height);
    add_position(a->out, "eye", view.eye);
    add_position(a->out, "look", at);
    cJSON_AddStringToObject(a->out, "method", karst_method_name(frame.method));
    cJSON_AddNumberToObject(a->out, "triangles", (double)frame.figures.triangles);
    cJSON_AddNumberToObject(a->out, "draws", frame.figures.draws);
    cJSON_AddNumberToObject(a->out, "max_error_px", error);
    cJSON_AddNumberToObject(a->out, "cpu_ms", cpu * 1e3);
    cJSON_AddNumberToObject(a->out, "wall_ms", wall * 1e3);
    cJSON_AddNumberToObject(a->out, "chunks", frame.figures.chunks_drawn);
    cJSON_AddNumberToObject(a->out, "chunks_awaited", frame.figures.chunks_awaited);
    cJSON_AddStringToObject(a->out, "device", karst_gl_device());
    return EXIT_DONE;
}

static int draw(args *a, picture *p, const char *output) {
    karst_view view;
    karst_pos at;
    army units = {0};
    budget shares = {0};
    p->budget.full_detail = arg_flag(a, "--full-detail");
    int result = choose_view(a, p, &view, &at);
    if (!result) result = muster(a, p, &view, at, &units);
    if (!result) result = divide(a, p, &view, &shares, &units);
    if (!result) result = draw_view(a, p, output, &view, at, &units, &shares);
    budget_close(&shares);
    army_close(&units);
    return result;
}

static int run(args *a) {
    const char *output = arg_text(a, "-o", NULL);
    if (!output) return say_usage(a, "say where the picture goes: -o picture.png");
    picture p;
    int result = picture_open(&p, a, a->positional[0]);
    if (result) return result;
    result = draw(a, &p, output);
    picture_close(&p);
    return result;
}

static const option options[] = {
    {"-o", "FILE", "the picture, .png"},
    {"--eye", "X,Y,Z", "where to look from [world m] (a good place)"},
    {"--look", "X,Y,Z", "a point to look at [world m]"},
    {"--stand", NULL, "the Y of --eye and --look counts from the ground"},
    {"--full-detail", NULL, "the reference triangles everywhere"},
    {"--army", "FILE",
     "units on the ground: a .kmrm or model file, made:all or made: one of " SCENE_MADE_UNITS "; may be given again"},
    {"--count", "N", "how many of them, 1..100000 (200)"},
    {"--army-triangles", "N", "that all units together may have (60000)"},
    {"--triangles", "N",
     "of the field and units together: the largest error is as small as they allow; no ground finer than "
     "--lod-error (0.25); patches are not counted, --edge says how fine they are"},
    {"--true-error", NULL, "measure how far patches, method corner, are from their finest vertices, and tell"},
    PICTURE_OPTIONS,
    {0},
};

const verb verb_render = {
    .name = "render",
    .usage = "PACK -o PICTURE.png [options]",
    .summary = "Draw a picture of a pack.",
    .example =
        "karst render island.kpack -o island.png\n"
        "karst render island.kpack -o shore.png --eye 4150,5,7900 --look 5000,10,7400 --stand --water 390\n"
        "karst render island.kpack -o army.png --army made:tank --count 300\n"
        "karst render island.kpack -o frugal.png --army made:tank --triangles 100000",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
