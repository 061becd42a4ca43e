// SPDX-License-Identifier: MIT
// The program `karst-view`: fly and walk over a pack, or see one mesh.
#include <stdio.h>

#include "exhibit.h"
#include "mesh_read.h"
#include "viewer.h"

static const double fastest_frame_s = 0.004;  // without vsync the loop keeps this pace

static int say(int result, const char *message) {
    fputs("karst-view: ", stderr);
    for (const char *c = message; *c; ++c)  // one line, whatever a file name holds
        fputc((unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c, stderr);
    fputc('\n', stderr);
    return result;
}

static double clock_s(void) {
    return (double)SDL_GetPerformanceCounter() / (double)SDL_GetPerformanceFrequency();
}

// What the loop shows: a ground, or a mesh alone.
typedef struct show {
    void *self;
    const window *window;
    const bool *done;
    bool (*event)(void *self, const SDL_Event *event);
    karst_status (*frame)(void *self, double dt_s, bool last);
    bool (*resting)(void *self);
} show;

static bool ground_event(void *v, const SDL_Event *event) {
    return viewer_event(v, event);
}
static karst_status ground_frame(void *v, double dt_s, bool last) {
    return viewer_frame(v, dt_s, last);
}
static bool ground_resting(void *v) {
    return viewer_resting(v);
}

static bool mesh_event(void *x, const SDL_Event *event) {
    return exhibit_event(x, event);
}
static karst_status mesh_frame(void *x, double dt_s, bool last) {
    return exhibit_frame(x, dt_s, last);
}
static bool mesh_resting(void *x) {
    return exhibit_resting(x);
}

static karst_status loop(const show *s, double seconds) {
    double first_s = clock_s(), before_s = first_s;
    for (bool last = false; !last && !*s->done;) {
        // Hidden, nothing is drawn; at rest, now and then: events end the waiting.
        int wait_ms = window_hidden(s->window) ? 250 : s->resting(s->self) ? 100 : 0;
        SDL_Event event;
        if (wait_ms) SDL_WaitEventTimeout(NULL, wait_ms);
        while (SDL_PollEvent(&event))
            if (!s->event(s->self, &event)) last = true;
        double now_s = clock_s();
        if (!wait_ms && now_s - before_s < fastest_frame_s) {
            SDL_Delay((Uint32)(1e3 * (fastest_frame_s - (now_s - before_s)) + 0.5));
            now_s = clock_s();
        }
        if (seconds > 0 && now_s - first_s >= seconds) last = true;
        if (window_hidden(s->window) && !last) {
            before_s = now_s;
            continue;
        }
        karst_status status = s->frame(s->self, now_s - before_s, last);
        if (status) return status;
        before_s = now_s;
    }
    return KARST_OK;
}

static int show_ground(const options *o) {
    static viewer v;
    const show s = {&v, &v.window, &v.done, ground_event, ground_frame, ground_resting};
    karst_status status = viewer_open(&v, o);
    if (!status && v.patches.seam && (v.method != KARST_METHOD_GRID || o->zone_method != KARST_ZONE_METHOD_CORNER))
        fprintf(stderr, "karst-view: %s: methods grid and corner are taken: " PATCHES_SEAM_WHY "\n", o->pack);
    if (!status) status = loop(&s, o->seconds);
    if (!status && o->json) words_json(&v.words, stdout);
    int result = status ? say(VIEW_COULD_NOT, v.report.message) : VIEW_DONE;
    viewer_close(&v);
    return result;
}

static int show_mesh(const options *o) {
    static exhibit x;
    const show s = {&x, &x.window, &x.done, mesh_event, mesh_frame, mesh_resting};
    karst_status status = exhibit_open(&x, o);
    if (!status) status = loop(&s, o->seconds);
    if (!status && o->json) exhibit_json(&x, stdout);
    int result = status ? say(VIEW_COULD_NOT, x.report.message) : VIEW_DONE;
    exhibit_close(&x);
    return result;
}

int main(int argc, char **argv) {
    options o;
    karst_report report = {0};
    int result = options_parse(argc - 1, argv + 1, &o, &report);
    if (result) return say(result, report.message);
    if (o.help) options_help();
    if (o.version && !o.help) printf("karst-view %s\n", karst_version_text());
    if (o.help || o.version) return VIEW_DONE;
    return mesh_is(o.pack) ? show_mesh(&o) : show_ground(&o);
}
