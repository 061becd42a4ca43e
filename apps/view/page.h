// SPDX-License-Identifier: MIT
// Page: text and panels placed on the picture, as rectangles. No drawing here.
#pragma once
#include <stdbool.h>

#include "font.h"

// A rectangle in pixels from the top left, its part of the font's picture [pixels], and colours 0xRRGGBBAA: of ink,
// and of the halo behind it.
typedef struct page_quad {
    float x0, y0, x1, y1, u0, v0, u1, v1;
    uint32_t ink, halo;
} page_quad;

typedef struct page {
    font font;
    int width, height;  // of the picture
    page_quad *quads;
    int count, room;
    unsigned edition;  // of the font: another number, another picture
} page;

enum { PAGE_WHITE = (int)0xFFFFFFFF, PAGE_WARM = (int)0xFFD27FFF };

// Clear, for a picture of this size; letters grow with its height. columns, lines: what must fit at the least.
// False when there is no memory; nothing is shown then.
bool page_begin(page *p, int width, int height, int columns, int lines);
void page_free(page *p);

// A dark panel.
void page_panel(page *p, float x, float y, float width, float height);

// A rectangle of one colour, sRGB 0..1.
void page_swatch(page *p, float x, float y, float width, float height, const float rgb[3]);

// One line of text at the top left of its box; what is not in the font shows as '?'. Returns the width.
float page_text(page *p, float x, float y, uint32_t ink, const char *text);

// Items in lines as wide as the page allows, on a panel. Returns the y below it.
float page_items(page *p, float x, float y, const char *const *items, int count);

// A small cross at the middle of (x, y).
void page_cross(page *p, float x, float y);
