// SPDX-License-Identifier: MIT
// The program `karst-view`: fly and walk over a pack.
#include <stdio.h>

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

static karst_status loop(viewer *v) {
    const double seconds = v->options->seconds;
    double first_s = clock_s(), before_s = first_s;
    for (bool last = false; !last && !v->done;) {
        // Hidden, nothing is drawn; at rest, now and then: events end the waiting.
        int wait_ms = window_hidden(&v->window) ? 250 : viewer_resting(v) ? 100 : 0;
        SDL_Event event;
        if (wait_ms) SDL_WaitEventTimeout(NULL, wait_ms);
        while (SDL_PollEvent(&event))
            if (!viewer_event(v, &event)) last = true;
        double now_s = clock_s();
        if (!wait_ms && now_s - before_s < fastest_frame_s) {
            SDL_Delay((Uint32)(1e3 * (fastest_frame_s - (now_s - before_s)) + 0.5));
            now_s = clock_s();
        }
        if (seconds > 0 && now_s - first_s >= seconds) last = true;
        if (window_hidden(&v->window) && !last) {
            before_s = now_s;
            continue;
        }
        karst_status status = viewer_frame(v, now_s - before_s, last);
        if (status) return status;
        before_s = now_s;
    }
    return KARST_OK;
}

int main(int argc, char **argv) {
    options o;
    karst_report report = {0};
    int result = options_parse(argc - 1, argv + 1, &o, &report);
    if (result) return say(result, report.message);
    if (o.help) options_help();
    if (o.version && !o.help) printf("karst-view %s\n", karst_version_text());
    if (o.help || o.version) return VIEW_DONE;

    static viewer v;
    karst_status status = viewer_open(&v, &o);
    if (!status) status = loop(&v);
    if (!status && o.json) words_json(&v.words, stdout);
    if (status) result = say(VIEW_COULD_NOT, v.report.message);
    viewer_close(&v);
    return result;
}
