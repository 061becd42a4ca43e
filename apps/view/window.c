// SPDX-License-Identifier: MIT
// Window: SDL's part of it.
#include "window.h"

#include <stdlib.h>

#include "core/core.h"

void window_close(window *w) {
    if (w->context) SDL_GL_DeleteContext(w->context);
#ifndef __SANITIZE_ADDRESS__  // drivers leak a little, and once unloaded no suppression knows them
    if (w->handle) SDL_DestroyWindow(w->handle);
    SDL_Quit();
#endif
    *w = (window){0};
}

static karst_status no_display(karst_report *report, const char *why) {
    return kst_fail(report, KARST_ERROR_UNSUPPORTED,
                    "no display (%s); karst render and karst flyover draw a pack into files", why);
}

// SDL would fall back on a window in memory, where a visitor sees nothing.
static bool display_named(void) {
#if defined(__linux__)
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") || getenv("SDL_VIDEODRIVER");
#else
    return true;
#endif
}

karst_status window_open(const char *title, int width, int height, bool unseen, karst_report *report, window *out) {
    window w = {0};
    if (!display_named()) {
        if (!unseen) return no_display(report, "neither DISPLAY nor WAYLAND_DISPLAY is set");
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
    }
    SDL_SetHint(SDL_HINT_VIDEO_X11_NET_WM_BYPASS_COMPOSITOR, "0");
    if (SDL_Init(SDL_INIT_VIDEO)) return no_display(report, SDL_GetError());
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 4);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 5);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);
    SDL_GL_SetAttribute(SDL_GL_DEPTH_SIZE, 0);  // the renderer has its own
    w.handle = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                                SDL_WINDOW_OPENGL | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (w.handle) w.context = SDL_GL_CreateContext(w.handle);
    if (!w.context) {
        kst_fail(report, KARST_ERROR_UNSUPPORTED,
                 "no window with OpenGL 4.5 core (%s); try LIBGL_ALWAYS_SOFTWARE=1, or karst render and karst flyover",
                 SDL_GetError());
        window_close(&w);
        return KARST_ERROR_UNSUPPORTED;
    }
    SDL_SetWindowMinimumSize(w.handle, 64, 64);
    SDL_GL_SetSwapInterval(1);  // where it cannot be had, the loop keeps its own pace
    *out = w;
    return KARST_OK;
}

void window_pixels(const window *w, int *width, int *height) {
    SDL_GL_GetDrawableSize(w->handle, width, height);
}

double window_scale(const window *w) {
    int pixels, height, units, other;
    SDL_GL_GetDrawableSize(w->handle, &pixels, &height);
    SDL_GetWindowSize(w->handle, &units, &other);
    return units > 0 ? (double)pixels / units : 1;
}

bool window_hidden(const window *w) {
    return SDL_GetWindowFlags(w->handle) & (SDL_WINDOW_MINIMIZED | SDL_WINDOW_HIDDEN);
}
