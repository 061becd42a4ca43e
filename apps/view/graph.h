// SPDX-License-Identifier: MIT
// Graph: one number over the last frames, as bars.
#pragma once
#include "page.h"

enum { GRAPH_FRAMES = 120 };

// Start from zeros.
typedef struct graph {
    float value[GRAPH_FRAMES];  // a ring
    int next, count;
} graph;

// The number of one more frame, >= 0.
void graph_add(graph *g, float value);
// The largest that is kept, 0 without any.
float graph_most(const graph *g);
// Room that it takes on a page.
float graph_width(const page *p);
float graph_height(const page *p);
// Bars of a second graph over those of one that was placed there.
void graph_over(const graph *g, page *p, float x, float y, float top, const float rgb[3]);
// Put it on a panel at (x, y), newest frame at the right, under a line of text. top: what the whole height stands for,
// > 0.
void graph_place(const graph *g, page *p, float x, float y, float top, const float rgb[3], const char *text);
