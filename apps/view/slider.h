// SPDX-License-Identifier: MIT
// Slider: a share 0..1 that the mouse sets, on a page.
#pragma once
#include <SDL.h>

#include "page.h"

// Start from zeros.
typedef struct slider {
    float x, width, top, bottom;  // of the track, and of what takes the mouse [pixels]; width 0: not shown
    bool held;
} slider;

// Room that it takes on a page, from line to line.
float slider_height(const page *p);
// Put it on a panel of this width at (x, y) under a line of text.
void slider_place(slider *s, page *p, float x, float y, float width, float share, const char *text);
// It is not on the page.
void slider_hide(slider *s);
// Take an event in. scale: pixels a window unit. @return whether it was the slider's; *share may then be another
bool slider_event(slider *s, const SDL_Event *event, double scale, double *share);
