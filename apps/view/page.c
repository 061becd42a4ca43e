// SPDX-License-Identifier: MIT
// Page: rectangles for letters.
#include "page.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t shade = 0x000000B0, panel_shade = 0x0A0E14A0;

static int line_for(int width, int height, int columns, int lines) {
    int line = (height + 23) / 46;  // 16 at 720, 23 at 1080, 47 at 2160
    if (line < 14) line = 14;
    int fit = height / lines, fit_wide = (int)((float)width / ((float)columns * 0.56f));
    if (line > fit) line = fit;
    if (line > fit_wide) line = fit_wide;
    return line < 8 ? 8 : line > 200 ? 200 : line;
}

bool page_begin(page *p, int width, int height, int columns, int lines) {
    p->width = width;
    p->height = height;
    p->count = 0;
    int line = line_for(width, height, columns, lines);
    if (p->font.pixels && p->font.line == line) return true;
    font_free(&p->font);
    p->font = font_make(line);
    ++p->edition;
    return p->font.pixels != NULL;
}

void page_free(page *p) {
    font_free(&p->font);
    free(p->quads);
    *p = (page){0};
}

static void add(page *p, page_quad q) {
    if (p->count == p->room) {
        int room = p->room ? 2 * p->room : 512;
        page_quad *grown = realloc(p->quads, (size_t)room * sizeof *grown);
        if (!grown) return;  // less text
        p->quads = grown;
        p->room = room;
    }
    p->quads[p->count++] = q;
}

static void add_cell(page *p, int cell, float x, float y, uint32_t ink) {
    const font *f = &p->font;
    float u = (float)(cell % FONT_COLUMNS * f->cell_width), v = (float)(cell / FONT_COLUMNS * f->cell_height);
    x -= (float)f->margin;
    y -= (float)f->margin;
    add(p, (page_quad){x, y, x + (float)f->cell_width, y + (float)f->cell_height, u, v, u + (float)f->cell_width,
                       v + (float)f->cell_height, ink, shade});
}

static void add_solid(page *p, float x, float y, float width, float height, uint32_t colour) {
    const font *f = &p->font;  // the middle of the solid cell
    float u = (float)(FONT_COUNT % FONT_COLUMNS * f->cell_width) + 0.5f * (float)f->cell_width,
          v = (float)(FONT_COUNT / FONT_COLUMNS * f->cell_height) + 0.5f * (float)f->cell_height;
    add(p, (page_quad){x, y, x + width, y + height, u, v, u, v, 0, colour});
}

void page_panel(page *p, float x, float y, float width, float height) {
    add_solid(p, x, y, width, height, panel_shade);
}

void page_swatch(page *p, float x, float y, float width, float height, const float rgb[3]) {
    uint32_t colour = 0;
    for (int c = 0; c < 3; ++c) colour = colour << 8 | (uint32_t)(rgb[c] * 255 + 0.5f);
    add_solid(p, x, y, width, height, colour << 8 | 0xFF);
}

float page_text(page *p, float x, float y, uint32_t ink, const char *text) {
    float start = x;
    for (const unsigned char *c = (const unsigned char *)text; *c; ++c) {
        if ((*c & 0xC0) == 0x80) continue;  // one '?' for a character of several bytes
        int letter = *c >= FONT_FIRST && *c <= FONT_LAST ? *c : '?';
        if (letter != ' ') add_cell(p, letter - FONT_FIRST, x, y, ink);
        x += (float)p->font.advance;
    }
    return x - start;
}

float page_items(page *p, float x, float y, const char *const *items, int count) {
    const int gap = 3;  // letters
    float pad = 0.4f * (float)p->font.line;
    int most = (int)(((float)p->width - 2 * x - 2 * pad) / (float)p->font.advance);
    // Where each item goes, then the panel, then the letters over it.
    int column = 0, row = 0, widest = 0, columns[64], rows[64];
    if (count > 64) count = 64;
    for (int k = 0; k < count; ++k) {
        int length = (int)strlen(items[k]);
        if (column && column + gap + length > most) {
            column = 0;
            ++row;
        }
        if (column) column += gap;
        columns[k] = column;
        rows[k] = row;
        column += length;
        if (column > widest) widest = column;
    }
    float height = (float)((row + 1) * p->font.line) + 2 * pad;
    page_panel(p, x, y, (float)(widest * p->font.advance) + 2 * pad, height);
    for (int k = 0; k < count; ++k)
        page_text(p, x + pad + (float)(columns[k] * p->font.advance), y + pad + (float)(rows[k] * p->font.line),
                  (uint32_t)PAGE_WHITE, items[k]);
    return y + height;
}

void page_cross(page *p, float x, float y) {
    add_cell(p, '+' - FONT_FIRST, (float)(int)(x - 0.28f * (float)p->font.line),
             (float)(int)(y - 0.39f * (float)p->font.line), (uint32_t)PAGE_WHITE);
}
