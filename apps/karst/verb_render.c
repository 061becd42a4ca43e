// SPDX-License-Identifier: MIT
// karst render: one picture of a pack.
#include <math.h>
#include <time.h>

#include "karst/geo.h"
#include "picture.h"
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
    if (!karst_ground_height(karst_scene_ground(p->scene), point->x, point->z, &y))
        return say_error(a, "%s %g,%g,%g: there is no ground at that place to stand on", name, point->x, point->y,
                         point->z);
    point->y += y;
    return EXIT_DONE;
}

// A picture from inside the ground is what was asked for, but seldom what was meant.
static void warn_if_buried(args *a, const picture *p, karst_pos eye) {
    karst_level level[16];
    int count = 0;
    if (karst_ground_heights(karst_scene_ground(p->scene), eye.x, eye.z, level, 16, &count) || !count) return;
    if (count > 16) count = 16;
    if (level[count - 1].y <= eye.y) return;  // there is ground below
    fprintf(stderr, "karst render: the eye is %.4g m under the ground; --stand counts its height from there\n",
            level[count - 1].y - eye.y);
    cJSON_AddNumberToObject(a->out, "eye_under_ground_m", level[count - 1].y - eye.y);
}

static int choose_view(args *a, const picture *p, karst_view *view, karst_pos *at) {
    bool bad = false;
    double e[3], l[3];
    bool has_eye = arg_triple(a, "--eye", e, &bad), has_look = arg_triple(a, "--look", l, &bad);
    if (bad) return EXIT_USAGE;
    if (has_eye != has_look) return say_usage(a, "give both --eye and --look, or neither");
    karst_pos eye;
    if (has_eye) {
        eye = (karst_pos){e[0], e[1], e[2]};
        *at = (karst_pos){l[0], l[1], l[2]};
        int result = arg_flag(a, "--stand") ? stand(a, p, &eye, "--eye") : EXIT_DONE;
        if (!result && arg_flag(a, "--stand")) result = stand(a, p, at, "--look");
        if (result) return result;
        warn_if_buried(a, p, eye);
    } else {
        viewpoint_find(p->pack, &p->look, p->fov_rad, (double)p->width / p->height, &eye, at);
    }
    *view = karst_view_perspective(eye, *at, (karst_vec3){0, 1, 0}, p->fov_rad, p->width, p->height);
    return EXIT_DONE;
}

static int draw(args *a, picture *p, const char *output) {
    karst_view view;
    karst_pos at;
    int result = choose_view(a, p, &view, &at);
    if (result) return result;
    p->budget.full_detail = arg_flag(a, "--full-detail");
    karst_frame frame;
    double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    karst_status status = picture_draw(p, &view, &frame);
    wall = clock_s(CLOCK_MONOTONIC) - wall;
    cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    if (status) {
        kst_fail(&a->report, status, "the picture could not be drawn: %s", karst_status_text(status));
        return could_not(a, status);
    }
    status = karst_geo_write_png(output, p->width, p->height, p->rgb, &a->report);
    if (status) return could_not(a, status);
    double error = frame.figures.worst_error_px;
    picture_tell(a, p);
    say(a, "%s: %d x %d, %lld triangles in %d draws, error at most %.3g px, %.0f ms of processor time, on %s\n", output,
        p->width, p->height, (long long)frame.figures.triangles, frame.figures.draws, error, cpu * 1e3,
        karst_gl_device());
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
    PICTURE_OPTIONS,
    {0},
};

const verb verb_render = {
    .name = "render",
    .usage = "PACK -o PICTURE.png [options]",
    .summary = "Draw a picture of a pack.",
    .example =
        "karst render island.kpack -o island.png\n"
        "karst render island.kpack -o shore.png --eye 4150,5,7900 --look 5000,10,7400 --stand --water 390",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
