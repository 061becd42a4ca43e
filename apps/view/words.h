// SPDX-License-Identifier: MIT
// Words: what the viewer says on the picture: figures, help, a passing message.
#pragma once
#include <stdio.h>

#include "budget.h"
#include "camera.h"
#include "graph.h"
#include "karst/gl.h"
#include "page.h"
#include "patches.h"
#include "slider.h"

typedef struct words {
    double frames_per_s, cpu_ms;
    bool resting;  // the picture stands still, so its rate says nothing
    const karst_frame *frame;
    const camera *camera;
    karst_hit under_cursor;  // t in metres
    float hour;
    const budget *budget;
    unsigned overlays;         // karst_gl_overlay
    const karst_gl_key *keys;  // their legend
    int key_count;
    const patches *patches;   // NULL: none
    const army *army;         // NULL: none
    slider *slider;           // of the budget; NULL: none
    double share;             // where it stands
    const graph *time_graph;  // milliseconds of frames
    // Of the army, or of one budget and the ground's part of it.
    const graph *triangle_graph, *ground_graph, *error_graph;
    bool frozen, lapse;
    const char *device;
    bool figures, help, cross;  // which of them are shown
    const char *message;        // NULL or ""
    int frames;                 // drawn so far
} words;

// Put them on a page for a picture of this size. False when there is no memory.
bool words_place(const words *w, page *p, int width, int height);

// The figures as one JSON object on one line.
void words_json(const words *w, FILE *out);
