// SPDX-License-Identifier: MIT
// Exhibit: keys, mouse and the way of one frame.
//
// The slider goes by the logarithm of vertices, so that each step of it takes away the same share of what is left.
#include "exhibit.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/core.h"
#include "exhibit_words.h"
#include "mesh_read.h"
#include "picture.h"

enum { STILL_FRAMES = 20 };
static const double way_s = 6;          // from one end of the slider to the other
static const double pause_s = 0.8;      // there
static const double settle_s = 0.25;    // until a level that stopped moving is itself
static const double on_the_way = 0.03;  // share of the vertices that are on their way while the level moves
static const double message_s = 4;

static void tell(exhibit *x, const char *text) {
    snprintf(x->message, sizeof x->message, "%s", text);
    x->message_until_s = x->now_s + message_s;
    x->still = 0;
}

// ---- open and close --------------------------------------------------------------------------------

static bool show_progress(void *context, const char *step, double share) {
    if (isatty(2)) fprintf(stderr, "\rkarst-view: %s: %s %3.0f %% ", (const char *)context, step, 100 * share);
    return true;
}

static karst_status read_mesh(exhibit *x, const options *o) {
    const karst_progress progress = {show_progress, (void *)(uintptr_t)o->pack};
    karst_status status = mesh_read(o->pack, &progress, &x->report, &x->mrm);
    if (isatty(2)) fputs("\r\033[K", stderr);
    if (status && !x->report.message[0]) kst_fail(&x->report, status, "%s: %s", o->pack, karst_status_text(status));
    return status;
}

// All vertices in a picture of this aspect, with some room for the words.
static orbit first_orbit(const exhibit *x, float aspect) {
    const karst_model *m = karst_mrm_model(x->mrm);
    karst_box b = karst_model_bounds(m);
    double a = b.max.x - b.min.x, h = b.max.y - b.min.y, c = b.max.z - b.min.z;
    karst_vec3 centre = {(float)(0.5 * (b.min.x + b.max.x) - m->origin.x),
                         (float)(0.5 * (b.min.y + b.max.y) - m->origin.y),
                         (float)(0.5 * (b.min.z + b.max.z) - m->origin.z)};
    orbit o = orbit_round(centre, (float)fmax(0.5 * sqrt(a * a + h * h + c * c), 1e-6));
    orbit_hold(&o, m->position, m->vertex_count, aspect, 0.82f);
    return o;
}

static double share_of(const exhibit *x, uint32_t triangles) {
    double v = karst_mrm_level_of_triangles(x->mrm, triangles).vertices, least = x->info.least_vertices;
    double all = x->info.vertices;
    return all > least ? log(v / least) / log(all / least) : 1;
}

karst_status exhibit_open(exhibit *x, const options *o) {
    *x = (exhibit){.options = o, .share = 1, .figures = !o->bare};
    karst_status status = read_mesh(x, o);
    if (status) return status;
    x->info = karst_mrm_describe(x->mrm);
    if (o->triangles) x->share = share_of(x, (uint32_t)o->triangles);
    status = window_open("Karst", o->width, o->height, o->screenshot != NULL, &x->report, &x->window);
    if (!status) status = stage_create(x->mrm, &x->report, &x->stage);
    if (!status) status = hud_create(&x->report, &x->hud);
    if (status) return status;
    x->orbit = x->start = first_orbit(x, 0.5f * (float)o->width / (float)o->height);
    if (!o->bare && !o->screenshot) tell(x, "space plays, the mouse turns, H shows the keys");
    return KARST_OK;
}

void exhibit_close(exhibit *x) {
    stage_destroy(x->stage);
    hud_destroy(x->hud);
    window_close(&x->window);
    karst_mrm_destroy(x->mrm);
    page_free(&x->page);
}

// ---- hands -----------------------------------------------------------------------------------------

static void set_share(exhibit *x, double share) {
    x->share = fmin(fmax(share, 0), 1);
    x->playing = 0;
}

static void play(exhibit *x) {
    x->playing = x->playing ? 0 : x->share > 0.001 ? -1 : 1;
    x->waits_s = 0;
    tell(x, x->playing ? "playing" : "stopped");
}

static bool act_on_key(exhibit *x, const SDL_KeyboardEvent *key) {
    if (key->keysym.mod & (KMOD_ALT | KMOD_GUI)) return true;
    switch (key->keysym.sym) {  // what may repeat
        case SDLK_LEFT:
        case SDLK_MINUS:
            set_share(x, x->share - 0.01);
            return true;
        case SDLK_RIGHT:
        case SDLK_PLUS:
        case SDLK_EQUALS:
            set_share(x, x->share + 0.01);
            return true;
        case SDLK_DOWN:
        case SDLK_PAGEDOWN:
            set_share(x, x->share - 0.1);
            return true;
        case SDLK_UP:
        case SDLK_PAGEUP:
            set_share(x, x->share + 0.1);
            return true;
        default:
            break;
    }
    if (key->repeat) return true;
    switch (key->keysym.sym) {
        case SDLK_ESCAPE:
            return false;
        case SDLK_SPACE:
            play(x);
            break;
        case SDLK_HOME:
            x->orbit = x->start;
            tell(x, "back at the start");
            break;
        case SDLK_w:
            x->layout = (exhibit_layout)((x->layout + 1) % EXHIBIT_LAYOUTS);
            break;
        case SDLK_h:
        case SDLK_F1:
            x->help = !x->help;
            break;
        case SDLK_i:
            x->figures = !x->figures;
            break;
        case SDLK_p:
        case SDLK_F12:
            x->picture_wanted = true;
            break;
        default:
            break;
    }
    return true;
}

// A drag across the window's height is half a turn.
static void drag(exhibit *x, const SDL_MouseMotionEvent *motion) {
    int width, height;
    SDL_GetWindowSize(x->window.handle, &width, &height);
    float turn = 3.1415927f / (float)(height > 0 ? height : 1);
    if (x->buttons & SDL_BUTTON_LMASK)
        orbit_turn(&x->orbit, -turn * (float)motion->xrel, turn * (float)motion->yrel);
    else if (x->buttons)
        orbit_shift(&x->orbit, (float)motion->xrel, (float)motion->yrel, height);
}

bool exhibit_event(exhibit *x, const SDL_Event *event) {
    x->still = 0;
    double share = x->share;
    if (slider_event(&x->slider, event, window_scale(&x->window), &share)) {
        if (event->type != SDL_MOUSEBUTTONUP) set_share(x, share);
        return true;
    }
    switch (event->type) {
        case SDL_QUIT:
            return false;
        case SDL_KEYDOWN:
            return act_on_key(x, &event->key);
        case SDL_MOUSEBUTTONDOWN:
            x->buttons |= SDL_BUTTON(event->button.button);
            return true;
        case SDL_MOUSEBUTTONUP:
            x->buttons &= ~(unsigned)SDL_BUTTON(event->button.button);
            return true;
        case SDL_MOUSEMOTION:
            drag(x, &event->motion);
            return true;
        case SDL_MOUSEWHEEL:
            orbit_zoom(&x->orbit, event->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -event->wheel.preciseY
                                                                                   : event->wheel.preciseY);
            return true;
        case SDL_WINDOWEVENT:
            if (event->window.event == SDL_WINDOWEVENT_FOCUS_LOST) x->buttons = 0;
            return true;
        default:
            return true;
    }
}

// ---- a frame ---------------------------------------------------------------------------------------

static void move(exhibit *x, double dt_s) {
    if (!x->playing) return;
    if (x->waits_s > 0) {
        x->waits_s -= dt_s;
        return;
    }
    x->share += x->playing * dt_s / way_s;
    if (x->share > 0 && x->share < 1) return;
    x->share = x->share <= 0 ? 0 : 1;
    x->playing = -x->playing;
    x->waits_s = pause_s;
}

// The mesh where the slider is: while that moves some vertices are on their way, and when it stops they arrive.
static karst_status slide(exhibit *x, double dt_s) {
    double least = x->info.least_vertices, all = x->info.vertices;
    double vertices = x->share >= 1 ? all : least * pow(all / least, x->share);
    uint32_t whole = karst_mrm_level_of_vertices(x->mrm, (uint32_t)fmax(floor(vertices + 1e-6), least)).vertices;
    uint32_t before = stage_instance(x->stage)->vertices;
    bool first = !x->frames, moves = x->playing || (whole != x->level.vertices && !first);
    x->moving = moves ? 1 : fmax(x->moving - dt_s / settle_s, 0);
    double wanted = x->moving > 0 ? vertices : whole;
    karst_status status = stage_slide(x->stage, fmax(wanted, least), (uint32_t)(x->moving * on_the_way * vertices));
    uint32_t now = stage_instance(x->stage)->vertices;
    x->records = first ? 0 : now > before ? now - before : before - now;
    x->level = karst_mrm_level_of_vertices(x->mrm, whole);
    return status;
}

static karst_status draw(exhibit *x) {
    karst_status status = stage_begin(x->stage, x->width, x->height);
    if (status) return status;
    int middle = x->width / 2;
    if (x->layout == EXHIBIT_BESIDE) {
        stage_draw(x->stage, 0, middle, &x->orbit, STAGE_LIT);
        stage_draw(x->stage, middle, x->width, &x->orbit, STAGE_WIRES);
    } else {
        stage_draw(x->stage, 0, x->width, &x->orbit, x->layout == EXHIBIT_LIT ? STAGE_LIT : STAGE_BOTH);
    }
    stage_end(x->stage);
    return KARST_OK;
}

static karst_status write_picture(exhibit *x, const char *path) {
    size_t bytes = 3 * (size_t)x->width * (size_t)x->height;
    uint8_t *rgb = kst_alloc(NULL, bytes);
    if (!rgb) return kst_fail(&x->report, KARST_ERROR_MEMORY, "%s: no memory for the picture", path);
    hud_read(x->width, x->height, rgb);
    karst_status status = picture_write(path, x->width, x->height, rgb, &x->report);
    kst_free(NULL, rgb, bytes);
    return status;
}

static void write_wanted_picture(exhibit *x) {
    char name[32], text[96];
    x->picture_wanted = false;
    if (!picture_free_name(name)) {
        tell(x, "no name is left for a picture in this folder");
        return;
    }
    snprintf(text, sizeof text, "written: %s", name);
    tell(x, write_picture(x, name) ? x->report.message : text);
}

// Once there is something to see; whoever waits for it may wait for the name.
static void name_window(const exhibit *x) {
    char title[256];
    const char *slash = strrchr(x->options->pack, '/');
    snprintf(title, sizeof title, "%s - Karst", slash ? slash + 1 : x->options->pack);
    SDL_SetWindowTitle(x->window.handle, title);
}

karst_status exhibit_frame(exhibit *x, double dt_s, bool last) {
    uint64_t begin = SDL_GetPerformanceCounter();
    x->now_s += dt_s;
    if (dt_s > 0) x->frames_per_s += (1 / dt_s - x->frames_per_s) * (x->frames_per_s > 0 ? 1 - exp(-dt_s / 0.5) : 1);
    window_pixels(&x->window, &x->width, &x->height);
    if (x->width < 2) x->width = 2;
    if (x->height < 2) x->height = 2;
    move(x, fmin(dt_s, 0.25));
    karst_status status = slide(x, fmin(dt_s, 0.25));
    if (!status) status = draw(x);
    if (status) return kst_fail(&x->report, status, "the mesh cannot be drawn: %s", karst_status_text(status));
    graph_add(&x->triangles, (float)x->level.triangles);
    graph_add(&x->error, x->level.error_m * orbit_pixels_per_m(&x->orbit, x->height));
    ++x->frames;
    ++x->still;
    if (x->playing || x->moving > 0) x->still = 0;
    if (!exhibit_place(x)) x->page.count = 0;
    hud_draw(x->hud, &x->page);
    double ms = 1e3 * (double)(SDL_GetPerformanceCounter() - begin) / (double)SDL_GetPerformanceFrequency();
    x->cpu_ms += (ms - x->cpu_ms) * (x->cpu_ms > 0 ? 1 - exp(-dt_s / 0.5) : 1);
    if (x->picture_wanted) write_wanted_picture(x);
    if (x->options->screenshot && (last || !(x->options->seconds > 0))) {
        status = write_picture(x, x->options->screenshot);
        x->done = true;
    }
    SDL_GL_SwapWindow(x->window.handle);
    if (x->frames == 1) name_window(x);
    return status;
}

bool exhibit_resting(const exhibit *x) {
    return x->still > STILL_FRAMES && x->now_s > x->message_until_s;
}
