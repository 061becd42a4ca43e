// SPDX-License-Identifier: MIT
// Graph: bars on whole pixels, so that they do not shimmer.
#include "graph.h"

#include <math.h>

void graph_add(graph *g, float value) {
    g->value[g->next] = value;
    g->next = (g->next + 1) % GRAPH_FRAMES;
    if (g->count < GRAPH_FRAMES) ++g->count;
}

float graph_most(const graph *g) {
    float most = 0;
    for (int k = 0; k < g->count; ++k) most = fmaxf(most, g->value[k]);
    return most;
}

static float bar_of(const page *p) {
    return (float)(p->font.line < 14 ? 1 : p->font.line < 24 ? 2 : p->font.line / 8);
}

static float bars_of(const page *p) {
    return (float)(3 * p->font.line);
}

float graph_width(const page *p) {
    return bar_of(p) * GRAPH_FRAMES + (float)p->font.line;
}

float graph_height(const page *p) {
    return bars_of(p) + 2 * (float)p->font.line;
}

void graph_over(const graph *g, page *p, float x, float y, float top, const float rgb[3]) {
    float line = (float)p->font.line, bar = bar_of(p), pad = (float)(p->font.line / 2);
    float base = y + 1.5f * line + bars_of(p), right = x + pad + bar * GRAPH_FRAMES;
    for (int k = 0; k < g->count; ++k) {
        float value = g->value[(g->next - 1 - k + 2 * GRAPH_FRAMES) % GRAPH_FRAMES];
        float height = floorf(bars_of(p) * fminf(value / top, 1) + 0.5f);
        if (height > 0) page_swatch(p, right - bar * (float)(k + 1), base - height, bar, height, rgb);
    }
}

void graph_place(const graph *g, page *p, float x, float y, float top, const float rgb[3], const char *text) {
    float line = (float)p->font.line, pad = (float)(p->font.line / 2);
    page_panel(p, x, y, graph_width(p), graph_height(p));
    page_text(p, x + pad, (float)(int)(y + 0.25f * line), (uint32_t)PAGE_WHITE, text);
    graph_over(g, p, x, y, top, rgb);
}
