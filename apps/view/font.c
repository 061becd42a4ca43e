// SPDX-License-Identifier: MIT
// Font: the letters, and how strokes become pixels.
//
// A letter is a list of strokes on a grid 4 wide: 0 is the top of capitals, 2 the top of small letters, 6 the base
// line, 8 the depth of g and y. A stroke is a list of points, two digits each, x then y; a single point is a dot. With
// ~ in front the points are the control polygon of a quadratic B-spline, closed if the last is the first. Ink is
// where the distance to the nearest stroke is small, so letters are smooth at any size.
#include "font.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const letters[FONT_COUNT] = {
    "",                              // space
    "2024 2626",                     // !
    "1012 3032",                     // "
    "1115 3135 0242 0444",           // #
    "~410103434505 2026",            // $
    "4006 ~0010120200 ~3444463634",  // %
    "~46012030413104063644",         // &
    "2022",                          // '
    "~30111536",                     // (
    "~10313516",                     // )
    "2125 0244 0442",                // *
    "0343 2125",                     // +
    "2617",                          // ,
    "0343",                          // -
    "2626",                          // .
    "4006",                          // /
    "~0040460600 2323",              // 0
    "112026 0646",                   // 1
    "~0100404306 0646",              // 2
    "~0100404313 ~1343460605",       // 3
    "36300444",                      // 4
    "400003 ~0342460605",            // 5
    "~40100004 ~0343460603",         // 6
    "004016",                        // 7
    "~0040430300 ~0343460603",       // 8
    "~0040430300 ~41444616",         // 9
    "2222 2626",                     // :
    "2222 2617",                     // ;
    "410345",                        // <
    "0242 0444",                     // =
    "014305",                        // >
    "~010040432324 2626",            // ?
    "~45160601004044343323143444",   // @
    "062046 1434",                   // A
    "0006 ~00404303 ~03434606",      // B
    "~414000064645",                 // C
    "0006 ~00304244364606",          // D
    "40000646 0333",                 // E
    "400006 0333",                   // F
    "~414000064644 4424",            // G
    "0006 4046 0343",                // H
    "1030 2026 1636",                // I
    "~4045460605",                   // J
    "0006 4004 1346",                // K
    "000646",                        // L
    "0600234046",                    // M
    "06004640",                      // N
    "~0040460600",                   // O
    "0006 ~00404303",                // P
    "~0040460600 2547",              // Q
    "0006 ~00404303 2346",           // R
    "~41400003434606 0605",          // S
    "0040 2026",                     // T
    "~000406464440",                 // U
    "002640",                        // V
    "0016233640",                    // W
    "0046 4006",                     // X
    "002340 2326",                   // Y
    "00400646",                      // Z
    "30101636",                      // [
    "0046",                          // backslash
    "10303616",                      // ]
    "022042",                        // ^
    "0747",                          // _
    "1021",                          // `
    "4246 ~0242460602",              // a
    "0006 ~0242460602",              // b
    "~434202064645",                 // c
    "4046 ~0242460602",              // d
    "0444 ~444202064645",            // e
    "~40101216 0232",                // f
    "~42474808 ~0242460602",         // g
    "0006 ~0402424446",              // h
    "122226 0646 2020",              // i
    "~32363808 1232 3030",           // j
    "0006 4204 1446",                // k
    "102026 0646",                   // l
    "0206 ~0402222426 ~2422424446",  // m
    "0206 ~0402424446",              // n
    "~0242460602",                   // o
    "0208 ~0242460602",              // p
    "4248 ~0242460602",              // q
    "0206 ~04024243",                // r
    "~43420204444606 0605",          // s
    "~10141646 0232",                // t
    "~020406464442 4246",            // u
    "022642",                        // v
    "0216233642",                    // w
    "0246 4206",                     // x
    "0226 4218",                     // y
    "02420646",                      // z
    "~3020222313 ~1323242636",       // {
    "2027",                          // |
    "~1020222333 ~3323242616",       // }
    "~03124433",                     // ~
};

enum { POINTS_MAX = 128, STROKES_MAX = 8 };

typedef struct stroke {
    float x[POINTS_MAX], y[POINTS_MAX];
    int count;
} stroke;

// One round of corner cutting (Chaikin): its limit is the quadratic B-spline of the polygon.
static void cut_corners(stroke *s) {
    stroke out = {.count = 0};
    bool closed = s->x[0] == s->x[s->count - 1] && s->y[0] == s->y[s->count - 1];
    if (2 * s->count + 1 > POINTS_MAX || s->count < 3) return;
    if (!closed) {
        out.x[0] = s->x[0];
        out.y[0] = s->y[0];
        out.count = 1;
    }
    for (int k = 0; k + 1 < s->count; ++k)
        for (int part = 1; part <= 3; part += 2) {
            if (!closed && ((k == 0 && part == 1) || (k + 2 == s->count && part == 3))) continue;
            float t = (float)part * 0.25f;
            out.x[out.count] = s->x[k] + t * (s->x[k + 1] - s->x[k]);
            out.y[out.count++] = s->y[k] + t * (s->y[k + 1] - s->y[k]);
        }
    out.x[out.count] = closed ? out.x[0] : s->x[s->count - 1];
    out.y[out.count] = closed ? out.y[0] : s->y[s->count - 1];
    ++out.count;
    *s = out;
}

static int strokes_of(const char *text, stroke out[STROKES_MAX]) {
    int count = 0;
    while (*text && count < STROKES_MAX) {
        bool smooth = *text == '~';
        if (smooth) ++text;
        stroke *s = &out[count++];
        s->count = 0;
        for (; *text && *text != ' '; text += 2, ++s->count) {
            s->x[s->count] = (float)(text[0] - '0');
            s->y[s->count] = (float)(text[1] - '0');
        }
        if (*text) ++text;
        for (int round = 0; smooth && round < 4; ++round) cut_corners(s);
    }
    return count;
}

static float distance_to(const stroke *s, float x, float y) {
    float best = INFINITY;
    if (s->count == 1) return hypotf(x - s->x[0], y - s->y[0]) - 0.25f;  // a dot is wider than a line
    for (int k = 0; k + 1 < s->count; ++k) {
        int next = k + 1;
        float ax = x - s->x[k], ay = y - s->y[k], bx = s->x[next] - s->x[k], by = s->y[next] - s->y[k];
        float along = bx * bx + by * by, t = along > 0 ? (ax * bx + ay * by) / along : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        best = fminf(best, hypotf(ax - t * bx, ay - t * by));
    }
    return best;
}

static uint8_t coverage(float inside_px) {
    float c = inside_px + 0.5f;
    return (uint8_t)(255 * (c < 0 ? 0 : c > 1 ? 1 : c) + 0.5f);
}

font font_make(int line_px) {
    const float unit = (float)line_px / 10;  // a line is 10 grid units
    const float pen_px = fmaxf(0.42f * unit, 0.62f), halo_px = pen_px + fmaxf(0.75f * unit, 1.2f);
    font f = {.line = line_px, .advance = (int)(5.6f * unit + 0.5f), .margin = (int)ceilf(halo_px) + 1};
    f.cell_width = f.advance + 2 * f.margin;
    f.cell_height = f.line + 2 * f.margin;
    f.width = FONT_COLUMNS * f.cell_width;
    f.height = (FONT_COUNT + FONT_COLUMNS) / FONT_COLUMNS * f.cell_height;
    f.pixels = calloc((size_t)f.width * (size_t)f.height, 2);
    if (!f.pixels) return f;
    for (int letter = 0; letter <= FONT_COUNT; ++letter) {
        uint8_t *cell = f.pixels + 2 * ((size_t)(letter / FONT_COLUMNS * f.cell_height) * (size_t)f.width +
                                        (size_t)(letter % FONT_COLUMNS * f.cell_width));
        stroke strokes[STROKES_MAX];
        int count = letter < FONT_COUNT ? strokes_of(letters[letter], strokes) : 0;
        for (int j = 0; j < f.cell_height; ++j)
            for (int i = 0; i < f.cell_width; ++i) {
                uint8_t *pixel = cell + 2 * ((size_t)j * (size_t)f.width + (size_t)i);
                if (letter == FONT_COUNT) {
                    pixel[0] = pixel[1] = 255;
                    continue;
                }
                // Grid (0, 0) lies 0.8 units right of and 0.9 below the box's corner.
                float x = ((float)(i - f.margin) + 0.5f) / unit - 0.8f,
                      y = ((float)(j - f.margin) + 0.5f) / unit - 0.9f;
                float distance = INFINITY;
                for (int k = 0; k < count; ++k) distance = fminf(distance, distance_to(&strokes[k], x, y));
                pixel[0] = coverage(pen_px - distance * unit);
                float halo = (halo_px - distance * unit) / (halo_px - pen_px);
                pixel[1] = (uint8_t)(255 * (halo < 0 ? 0 : halo > 1 ? 1 : halo) + 0.5f);
            }
    }
    return f;
}

void font_free(font *f) {
    free(f->pixels);
    *f = (font){0};
}
