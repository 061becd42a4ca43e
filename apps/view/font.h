// SPDX-License-Identifier: MIT
// Font: letters as strokes, drawn into a picture at the very size at which they are shown.
#pragma once
#include <stdint.h>

enum { FONT_FIRST = 32, FONT_LAST = 126, FONT_COUNT = FONT_LAST - FONT_FIRST + 1, FONT_COLUMNS = 16 };

// A picture of all letters on a grid of FONT_COLUMNS columns, in the order of their codes. The cell behind the last
// letter is solid. Two bytes a pixel: ink, and the halo round it (which covers the ink too).
typedef struct font {
    int advance, line;  // from letter to letter, from line to line [pixels]
    int cell_width, cell_height;
    int margin;         // of a cell round the box advance x line
    int width, height;  // of the picture
    uint8_t *pixels;
} font;

// Draw all letters for lines of line_px pixels (8..200). pixels is NULL when there is no memory; free with font_free.
font font_make(int line_px);
void font_free(font *f);
