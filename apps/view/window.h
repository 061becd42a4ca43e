// SPDX-License-Identifier: MIT
// Window: one window with an OpenGL 4.5 core context, current on this thread.
#pragma once
#include <SDL.h>

#include "karst/base.h"

typedef struct window {
    SDL_Window *handle;
    SDL_GLContext context;
} window;

// unseen: where there is no display, a window in memory will do.
// @return KARST_ERROR_UNSUPPORTED: no display, or no such context on it; the report says what to do
karst_status window_open(const char *title, int width, int height, bool unseen, karst_report *report, window *out);
void window_close(window *w);

// Size of the picture [pixels], which on some displays is not that of the window.
void window_pixels(const window *w, int *width, int *height);

// Pixels of the picture per window unit.
double window_scale(const window *w);

// Nothing of it can be seen.
bool window_hidden(const window *w);
