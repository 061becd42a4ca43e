// SPDX-License-Identifier: MIT
// Viewer: what keys do, and the way of one frame: move, choose detail, draw, write figures, show.
#include "viewer.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "picture.h"
#include "viewpoint.h"

enum {
    SLOTS = 2048,       // chunks resident: a 4K window at half a pixel wants about 1500
    STALL_FRAMES = 20,  // nothing came for so long: the slots are full, and nothing will
    STILL_FRAMES = 20,
    FIRST_ZONES = 16,  // of patches, there before the first frame
};
static const double loads_a_s = 2000;       // a tenth of a core, so that arriving ground does not stutter
static const double zones_a_s = 60;         // they are read beside; what is left takes this thread a millisecond
static const double turn_gain = 1.4;        // a drag across the window's height turns by so many fields of view
static const double lapse_hours_a_s = 0.2;  // a day in two minutes
static const double message_s = 4;
static const float latitude_rad = 0.785f;  // the place and day of karst render
static const int day_of_year = 105;

static void __attribute__((format(printf, 2, 3))) tell(viewer *v, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->message, sizeof v->message, format, arguments);
    va_end(arguments);
    v->message_until_s = v->now_s + message_s;
    v->still = 0;
}

// Open only to write the first complete frame: nobody watches it arrive.
static bool one_picture(const viewer *v) {
    return v->options->screenshot && !(v->options->seconds > 0);
}

// ---- open and close --------------------------------------------------------------------------------

static karst_gl_look look_now(const viewer *v) {
    karst_gl_look look = karst_gl_look_default();
    karst_gl_look_sun(&look, v->hour, latitude_rad, day_of_year);
    look.contour_m = v->contour_m;
    look.water_m = v->options->water_m;
    look.overlays = v->overlays;
    look.error_px = v->budget.ground.error_px;
    look.meshes = v->army.meshes;
    look.zones = v->patches.drawn;
    return look;
}

// About forty lines over the whole relief, a round number of metres apart.
static float contour_of(const karst_ground *ground) {
    karst_box b = karst_ground_bounds(ground);
    double wanted = fmax(b.max.y - b.min.y, 1e-3) / 40, ten = pow(10, floor(log10(wanted)));
    return (float)(ten * (wanted < 1.5 * ten ? 1 : wanted < 3.5 * ten ? 2 : wanted < 7.5 * ten ? 5 : 10));
}

// Patches that come and go; one that is damaged is told, and the rest is shown.
static karst_status bring(viewer *v, karst_pos eye, int most) {
    karst_status status = patches_bring(&v->patches, eye, one_picture(v) ? INT_MAX : most, &v->report);
    if (status != KARST_ERROR_FORMAT && status != KARST_ERROR_LIMIT) return status;
    tell(v, "%s", v->report.message);
    fprintf(stderr, "karst-view: %s: %s\n", v->options->pack, v->report.message);
    v->report = (karst_report){0};
    return KARST_OK;
}

static karst_status first_camera(viewer *v, camera *out) {
    const options *o = v->options;
    karst_gl_look look = look_now(v);
    karst_pos eye, at;
    if (v->patches.no_field)
        patches_viewpoint(&v->patches, &eye, &at);
    else
        viewpoint_find(v->pack, &look, o->fov_rad, (double)o->width / o->height, &eye, &at);
    karst_box b = karst_ground_bounds(v->ground);
    if (o->has_eye) at = (karst_pos){0.5 * (b.min.x + b.max.x), 0.5 * (b.min.y + b.max.y), 0.5 * (b.min.z + b.max.z)};
    camera c = camera_at(o->has_eye ? o->eye : eye, o->has_look ? o->look : at);
    karst_status status = bring(v, c.eye, FIRST_ZONES);
    if (status) return status;
    camera_surface(&c, v->ground);
    if (o->walk && camera_walk(&c, v->ground)) {
        c.eye.y -= c.over_ground_m - CAMERA_EYE_M;
        if (!o->has_look) c.pitch_rad = 0;
    }
    *out = c;
    return KARST_OK;
}

// Units round the middle of the first picture.
static karst_status muster(viewer *v) {
    const options *o = v->options;
    karst_view view = camera_view(&v->camera, o->fov_rad, o->width, o->height);
    const army_place place = {.ground = v->ground,
                              .eye = v->camera.eye,
                              .middle = army_middle(v->ground, &view, v->camera.eye, !o->has_look),
                              .water_m = o->water_m};
    return army_open(&v->army, o->army, o->army_whats, o->army_count, v->gl, &place, &v->report);
}

static bool draws_in_software(void) {
    const char *device = karst_gl_device();
    return strstr(device, "llvmpipe") || strstr(device, "softpipe") || strstr(device, "SwiftShader");
}

karst_status viewer_open(viewer *v, const options *o) {
    *v = (viewer){.options = o, .hour = o->hour, .method = o->method, .figures = !o->bare};
    karst_pack_def pack_def = karst_pack_def_default();
    pack_def.report = &v->report;
    pack_def.partial = o->partial;
    karst_status status = karst_pack_open(o->pack, &pack_def, &v->pack);
    if (status)
        return v->report.message[0] ? status
                                    : kst_fail(&v->report, status, "%s: %s", o->pack, karst_status_text(status));

    karst_jobs_def jobs_def = karst_jobs_def_default();
    jobs_def.worker_count = o->threads;
    status = karst_jobs_create(&jobs_def, &v->jobs);
    karst_scene_def scene_def = karst_scene_def_default();
    scene_def.slot_count = SLOTS;
    scene_def.jobs = v->jobs;
    if (!status) status = karst_scene_create(v->pack, &scene_def, &v->scene);
    if (status) return kst_fail(&v->report, status, "%s: %s", o->pack, karst_status_text(status));
    status = patches_open(&v->patches, v->pack, v->scene, o->shown, v->jobs, &v->report);
    if (status) return status;
    v->patches.edge_px = o->edge_px;
    v->patches.reach_m = (double)o->zone_reach_m;
    v->patches.budget.method = o->zone_method;
    v->ground = v->patches.ground;
    bool governed = o->triangles || o->target_ms > 0, asked = !governed || o->error_told;
    status = budget_open(&v->budget, o->triangles, o->target_ms, asked ? o->error_px : 0, o->army_triangles);
    if (status) return kst_fail(&v->report, status, "no memory for a budget");
    if (one_picture(v)) v->budget.ground.most_step = 0;  // nobody sees it slide

    status = window_open("Karst", o->width, o->height, o->screenshot != NULL, &v->report, &v->window);
    if (status) return status;
    karst_gl_def gl_def = karst_gl_def_default();
    gl_def.jobs = v->jobs;
    gl_def.report = &v->report;
    if (draws_in_software()) gl_def.samples = 1;  // smooth edges there cost more than they give
    status = karst_gl_create(v->pack, &gl_def, &v->gl);
    if (status && !v->report.message[0])
        kst_fail(&v->report, status, "the renderer cannot start: %s", karst_status_text(status));
    if (!status) status = hud_create(&v->report, &v->hud);
    if (status) return status;

    v->contour_m = contour_of(v->ground);
    status = first_camera(v, &v->start);
    if (status) return status;
    v->camera = v->start;
    v->patches.beside = !one_picture(v);
    if (o->army_whats) status = muster(v);
    if (status) return status;
    v->army.at_once = one_picture(v);
    if (o->walk && !v->camera.walking)
        tell(v, "no ground to stand on: flying");
    else if (!o->bare && !one_picture(v))
        tell(v, "H shows the keys");
    return KARST_OK;
}

void viewer_close(viewer *v) {
    hud_destroy(v->hud);
    army_close(&v->army);
    budget_close(&v->budget);
    patches_close(&v->patches);
    karst_gl_destroy(v->gl);
    window_close(&v->window);
    karst_scene_destroy(v->scene);
    karst_pack_close(v->pack);
    karst_jobs_destroy(v->jobs);
    page_free(&v->page);
}

// ---- keys ------------------------------------------------------------------------------------------

static void toggle_overlay(viewer *v, karst_gl_overlay bit, const char *name) {
    v->overlays ^= (unsigned)bit;
    tell(v, "%s %s", name, v->overlays & (unsigned)bit ? "on" : "off");
}

// Round the overlays that colour the ground, and none.
static void next_colours(viewer *v) {
    static const karst_gl_overlay turn[] = {KARST_GL_OVERLAY_NONE,      KARST_GL_OVERLAY_LEVEL,
                                            KARST_GL_OVERLAY_ERROR,     KARST_GL_OVERLAY_METHOD,
                                            KARST_GL_OVERLAY_RESIDENCY, KARST_GL_OVERLAY_BANDS};
    enum { TURNS = sizeof turn / sizeof *turn };
    int k = 0;
    for (int t = 1; t < TURNS; ++t)
        if (v->overlays & (unsigned)turn[t]) k = t;
    v->overlays = (v->overlays & ~(unsigned)turn[k]) | (unsigned)turn[(k + 1) % TURNS];
    tell(v, "colours: %s", karst_gl_overlay_name(v->overlays));
}

static void toggle_walk(viewer *v) {
    if (v->camera.walking) {
        camera_fly(&v->camera);
        tell(v, "flying");
    } else if (camera_walk(&v->camera, v->ground)) {
        tell(v, "on foot");
    } else {
        tell(v, "no ground to stand on");
    }
}

static void set_hour(viewer *v, double hour) {
    v->hour = (float)(hour - 24 * floor(hour / 24));
}

// Of the ground; with one budget the finest that it may get.
static void set_error(viewer *v, float factor) {
    karst_governed_ground *g = &v->budget.ground;
    float *px = v->budget.is_one ? &g->least_px : &g->error_px;
    *px = fminf(fmaxf(factor * *px, 0.0625f), 64);
    tell(v, v->budget.is_one ? "no finer than %g px" : "error on screen at most %g px", (double)*px);
}

// Of patches: the threshold is that of triangles with this longest edge.
static void set_edge(viewer *v, float factor) {
    float *px = &v->patches.edge_px;
    if (!v->patches.count) {
        tell(v, "there are no patches");
        return;
    }
    *px = fminf(fmaxf(factor * *px, 0.5f), 1000);
    tell(v, "edges of patches at most %g px", (double)*px);
}

static void next_method(viewer *v) {
    if (!v->patches.seam) v->method = (karst_method)((v->method + 1) % KARST_METHOD_COUNT);
    tell(v, v->patches.seam ? "a field that meets patches goes by method grid" : "method %s",
         karst_method_name(v->method));
}

static void next_zone_method(viewer *v) {
    karst_zone_method *method = &v->patches.budget.method;
    if (!v->patches.count || v->patches.seam) {
        tell(v, v->patches.seam ? "patches that meet the field go by method corner" : "there are no patches");
        return;
    }
    *method = (karst_zone_method)((*method + 1) % KARST_ZONE_METHOD_COUNT);
    tell(v, "method of patches %s", karst_zone_method_name(*method));
}

static int64_t scaled(int64_t triangles, double factor) {
    double n = (double)triangles * factor;
    return n < 1000 ? 1000 : n > BUDGET_TRIANGLES_MAX ? BUDGET_TRIANGLES_MAX : (int64_t)n;
}

// Time where that is given, else triangles.
static void set_budget(viewer *v, double factor) {
    budget *b = &v->budget;
    if (b->is_one && b->target_ms > 0) {
        b->target_ms = fminf(fmaxf(b->target_ms * (float)factor, 0.5f), 1000);
        tell(v, "budget: %.3g ms a frame", (double)b->target_ms);
    } else if (b->is_one) {
        b->triangles = scaled(b->triangles, factor);
        tell(v, "budget: %lld triangles", (long long)b->triangles);
    } else if (v->army.count) {
        b->army_triangles = scaled(b->army_triangles, factor);
        tell(v, "army: at most %lld triangles", (long long)b->army_triangles);
    } else {
        tell(v, "no budget: start with --triangles 500000 or --ms 16");
    }
}

// What the slider goes over, by its logarithm: milliseconds, or triangles of all or of the army.
static bool has_budget(const viewer *v) {
    return v->budget.is_one || v->army.count;
}

static void budget_span(const viewer *v, double *least, double *most) {
    bool time = v->budget.is_one && v->budget.target_ms > 0;
    int64_t full = 0;
    for (int k = 0; k < v->army.count; ++k) {
        const karst_drawable *d = &v->army.drawables[k];
        full += d->levels[d->level_count - 1].triangles;
    }
    *least = time ? 1 : 1000;
    *most = time ? 100 : v->budget.is_one ? 2e7 : fmax((double)full, 2000);
}

static double budget_share(const viewer *v) {
    const budget *b = &v->budget;
    double least, most,
        now = b->is_one && b->target_ms > 0 ? (double)b->target_ms
              : b->is_one                   ? (double)b->triangles
                                            : (double)b->army_triangles;
    budget_span(v, &least, &most);
    return fmin(fmax(log(now / least) / log(most / least), 0), 1);
}

static void drag_budget(viewer *v, double share) {
    budget *b = &v->budget;
    double least, most;
    budget_span(v, &least, &most);
    double now = least * pow(most / least, share);
    if (b->is_one && b->target_ms > 0)
        b->target_ms = (float)now;
    else
        *(b->is_one ? &b->triangles : &b->army_triangles) = (int64_t)(now + 0.5);
}

static bool act(viewer *v, action a) {
    switch (a) {
        case ACTION_NONE:
            return true;
        case ACTION_QUIT:
            return false;
        case ACTION_WALK:
            toggle_walk(v);
            break;
        case ACTION_WIREFRAME:
            toggle_overlay(v, KARST_GL_OVERLAY_WIREFRAME, "wireframe");
            break;
        case ACTION_CONTOUR:
            toggle_overlay(v, KARST_GL_OVERLAY_CONTOUR, "contour lines");
            break;
        case ACTION_OVERLAY:
            next_colours(v);
            break;
        case ACTION_METHOD:
            if (v->patches.no_field) {
                next_zone_method(v);
                break;
            }
            next_method(v);
            break;
        case ACTION_ZONE_METHOD:
            next_zone_method(v);
            break;
        case ACTION_FREEZE:
            v->frozen = !v->frozen;
            v->frozen_view = v->view;
            tell(v, v->frozen ? "detail stays as seen from here" : "detail follows the eye");
            break;
        case ACTION_EARLIER:
            set_hour(v, (double)v->hour - 0.25);
            break;
        case ACTION_LATER:
            set_hour(v, (double)v->hour + 0.25);
            break;
        case ACTION_LAPSE:
            v->lapse = !v->lapse;
            tell(v, v->lapse ? "time lapse" : "time stands");
            break;
        case ACTION_FINER:
            if (v->patches.no_field)
                set_edge(v, 0.5f);
            else
                set_error(v, 0.5f);
            break;
        case ACTION_COARSER:
            if (v->patches.no_field)
                set_edge(v, 2);
            else
                set_error(v, 2);
            break;
        case ACTION_SHORTER:
            set_edge(v, 0.5f);
            break;
        case ACTION_LONGER:
            set_edge(v, 2);
            break;
        case ACTION_FEWER:
            set_budget(v, 0.8);
            break;
        case ACTION_MORE:
            set_budget(v, 1.25);
            break;
        case ACTION_HELP:
            v->help = !v->help;
            break;
        case ACTION_FIGURES:
            v->figures = !v->figures;
            break;
        case ACTION_PICTURE:
            v->picture_wanted = true;
            break;
        case ACTION_HOME:
            v->contour_m = contour_of(v->ground);
            v->camera = v->start;
            tell(v, "back at the start");
            break;
    }
    v->still = 0;
    return true;
}

bool viewer_event(viewer *v, const SDL_Event *event) {
    v->still = 0;
    double share = 0;
    if (slider_event(&v->slider, event, window_scale(&v->window), &share)) {
        if (event->type != SDL_MOUSEBUTTONUP) drag_budget(v, share);
        return true;
    }
    return act(v, input_event(&v->input, event));
}

// ---- a frame ---------------------------------------------------------------------------------------

static double length_of(karst_pos p) {
    return sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
}

// What lies under the cursor, or in the middle while the mouse turns the head. Asked again only when either moved.
static void cast_cursor(viewer *v) {
    double x = 0.5 * v->view.width, y = 0.5 * v->view.height, scale = window_scale(&v->window);
    if (!input_looking(&v->input) && v->input.mouse_inside) {
        x = (v->input.mouse_x + 0.5) * scale;
        y = (v->input.mouse_y + 0.5) * scale;
    }
    karst_pos eye, way;
    karst_view_ray(&v->view, x, y, &eye, &way);
    bool same = !memcmp(&eye, &v->cast_eye, sizeof eye) && !memcmp(&way, &v->cast_way, sizeof way);
    if (same && v->cast_zones == v->patches.here) return;
    v->cast_eye = eye;
    v->cast_way = way;
    v->cast_zones = v->patches.here;
    karst_ray ray = karst_ray_make(eye, way);
    if (karst_ground_cast(v->ground, &ray, &v->under_cursor)) v->under_cursor = (karst_hit){0};
}

static void move(viewer *v, double dt_s) {
    if (v->grabbed != input_looking(&v->input)) {  // after all events: grabbing throws waiting motion away
        v->grabbed = !v->grabbed;
        SDL_SetRelativeMouseMode(v->grabbed ? SDL_TRUE : SDL_FALSE);
    }
    int width, height;
    SDL_GetWindowSize(v->window.handle, &width, &height);
    double turn = turn_gain * (double)v->options->fov_rad / (height > 0 ? height : 1);
    camera_wish wish = input_wish(&v->input, SDL_GetKeyboardState(NULL), turn);
    camera_move(&v->camera, v->ground, &wish, dt_s);
    if (v->lapse) set_hour(v, (double)v->hour + lapse_hours_a_s * dt_s);
    window_pixels(&v->window, &width, &height);
    karst_view view = camera_view(&v->camera, v->options->fov_rad, width > 0 ? width : 1, height > 0 ? height : 1);
    bool same = !memcmp(&view, &v->view, sizeof view) && !v->lapse;
    v->still = same ? v->still + 1 : 0;
    v->view = view;
}

static void place_words(viewer *v) {
    karst_gl_look look = look_now(v);
    v->key_count = karst_gl_overlay_keys(v->gl, &look, v->keys);
    bool telling = v->now_s < v->message_until_s;
    v->words = (words){.frames_per_s = v->frames_per_s,
                       .cpu_ms = v->cpu_ms,
                       .resting = viewer_resting(v),
                       .frame = &v->frame,
                       .camera = &v->camera,
                       .under_cursor = v->under_cursor,
                       .hour = v->hour,
                       .budget = &v->budget,
                       .overlays = v->overlays,
                       .keys = v->keys,
                       .key_count = v->key_count,
                       .patches = v->patches.count ? &v->patches : NULL,
                       .army = v->army.count ? &v->army : NULL,
                       .triangle_graph = &v->triangle_graph,
                       .ground_graph = &v->ground_graph,
                       .error_graph = &v->error_graph,
                       .time_graph = &v->time_graph,
                       .slider = has_budget(v) ? &v->slider : NULL,
                       .share = has_budget(v) ? budget_share(v) : 0,
                       .frozen = v->frozen,
                       .lapse = v->lapse,
                       .device = karst_gl_device(),
                       .figures = v->figures,
                       .help = v->help,
                       .cross = v->figures && (input_looking(&v->input) || !v->input.mouse_inside),
                       .message = telling ? v->message : NULL,
                       .frames = ++v->frames};
    if (!words_place(&v->words, &v->page, v->view.width, v->view.height)) v->page.count = 0;
}

static karst_status write_picture(viewer *v, const char *path) {
    int width = v->view.width, height = v->view.height;
    size_t bytes = 3 * (size_t)width * (size_t)height;
    uint8_t *rgb = kst_alloc(NULL, bytes);
    if (!rgb) return kst_fail(&v->report, KARST_ERROR_MEMORY, "%s: no memory for the picture", path);
    hud_read(width, height, rgb);
    karst_status status = picture_write(path, width, height, rgb, &v->report);
    kst_free(NULL, rgb, bytes);
    return status;
}

static void write_wanted_picture(viewer *v) {
    char name[32];
    v->picture_wanted = false;
    if (!picture_free_name(name))
        tell(v, "no name is left for a picture in this folder");
    else if (write_picture(v, name))
        tell(v, "%s", v->report.message);
    else
        tell(v, "written: %s", name);
}

static bool settled(const viewer *v) {
    return (!v->frame.figures.chunks_awaited || v->stalled > STALL_FRAMES) && !v->patches.awaited && v->budget.is_still;
}

// Once there is something to see; whoever waits for it may wait for the name.
static void name_window(const viewer *v) {
    char title[256];
    const char *slash = strrchr(v->options->pack, '/');
    snprintf(title, sizeof title, "%s - Karst", slash ? slash + 1 : v->options->pack);
    SDL_SetWindowTitle(v->window.handle, title);
}

static karst_status choose_patches(viewer *v, const karst_view *view, double dt_s) {
    karst_status status = bring(v, v->camera.eye, (int)fmax(1, zones_a_s * fmin(dt_s, 0.1)));
    if (!status) status = patches_show(&v->patches, v->gl, view);
    if (status && !v->report.message[0])
        kst_fail(&v->report, status, "the patches cannot be shown: %s; try a smaller --zone-reach",
                 karst_status_text(status));
    if (v->patches.no_field) patches_hide_field(&v->frame);
    return status;
}

// Detail for where the eye is: the budget first, then the ground with its error.
static karst_status choose(viewer *v, double dt_s) {
    const karst_view *view = v->frozen ? &v->frozen_view : &v->view;
    // At rest frames are few and devices slow down: what they take then tells nothing.
    karst_status status = budget_divide(&v->budget, &v->army, view, viewer_resting(v) ? 0 : v->frame_ms);
    if (status) return kst_fail(&v->report, status, "the army cannot be shown: %s", karst_status_text(status));
    if (!v->budget.is_still) v->still = 0;

    karst_budget how = karst_budget_default();
    how.method = v->method;
    how.skirt_m = v->options->skirt_m;
    how.error_px = v->budget.ground.error_px;
    how.load_limit = one_picture(v) ? INT32_MAX : (int32_t)(16 + loads_a_s * fmin(dt_s, 1));
    patches_aim(&v->patches, view, &how);
    status = karst_scene_update(v->scene, view, 1, &how, &v->frame);
    if (status)
        return kst_fail(&v->report, status, "%s: the ground cannot be read (%s); see karst check %s", v->options->pack,
                        karst_status_text(status), v->options->pack);
    budget_tell(&v->budget, &v->frame);
    if (v->frame.damage_count) {
        const karst_damage *d = v->frame.damages;
        tell(v, "damaged: the chunk at level %d, x %d, z %d; see karst check", d->level, d->x, d->z);
        fprintf(stderr, "karst-view: %s: the chunk at level %d, x %d, z %d is damaged: coarser ground is shown there\n",
                v->options->pack, d->level, d->x, d->z);
    }
    v->stalled = v->frame.upload_count || v->frame.figures.chunks_awaited != v->awaited ? 0 : v->stalled + 1;
    v->awaited = v->frame.figures.chunks_awaited;
    return v->patches.count ? choose_patches(v, view, dt_s) : KARST_OK;
}

// Into the graphs.
static void note(viewer *v) {
    const budget *b = &v->budget;
    if (!b->is_one && !v->army.count) return;
    int64_t ground = b->is_one ? v->frame.figures.triangles : 0;
    graph_add(&v->triangle_graph, (float)(ground + v->army.triangles));
    graph_add(&v->ground_graph, (float)ground);
    graph_add(&v->error_graph, b->figures.worst_error_px);
    graph_add(&v->time_graph, v->frame_ms > 0 ? v->frame_ms : (float)v->cpu_ms);
}

karst_status viewer_frame(viewer *v, double dt_s, bool last) {
    uint64_t begin = SDL_GetPerformanceCounter();
    v->now_s += dt_s;
    if (dt_s > 0) v->frames_per_s += (1 / dt_s - v->frames_per_s) * (v->frames_per_s > 0 ? 1 - exp(-dt_s / 0.5) : 1);
    move(v, fmin(dt_s, 0.25));  // a hitch is no leap

    v->frame_ms = hud_time_begin(v->hud);
    karst_status status = choose(v, dt_s);
    karst_gl_look look = look_now(v);
    if (!status) {
        status = karst_gl_draw(v->gl, &v->frame, &v->view, 0, &look, 0);
        if (status) kst_fail(&v->report, status, "the frame cannot be drawn: %s", karst_status_text(status));
    }
    if (status) return status;
    note(v);
    cast_cursor(v);
    place_words(v);
    hud_draw(v->hud, &v->page);
    double ms = 1e3 * (double)(SDL_GetPerformanceCounter() - begin) / (double)SDL_GetPerformanceFrequency();
    hud_time_end(v->hud, ms);
    v->cpu_ms += (ms - v->cpu_ms) * (v->cpu_ms > 0 ? 1 - exp(-dt_s / 0.5) : 1);

    const char *path = v->options->screenshot;
    if (v->picture_wanted) write_wanted_picture(v);
    if (path && (last || (one_picture(v) && settled(v)))) {
        status = write_picture(v, path);
        v->done = true;
    }
    SDL_GL_SwapWindow(v->window.handle);
    if (v->frames == 1) name_window(v);
    return status;
}

bool viewer_resting(const viewer *v) {
    return v->still > STILL_FRAMES && settled(v) && v->now_s > v->message_until_s && !length_of(v->camera.velocity);
}
