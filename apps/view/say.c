// SPDX-License-Identifier: MIT
// Say: text made of numbers.
#include "say.h"

#include <math.h>
#include <stdarg.h>

void say(items *s, const char *format, ...) {
    if (s->count == ITEMS_MAX) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->text[s->count], sizeof s->text[0], format, arguments);
    va_end(arguments);
    s->list[s->count] = s->text[s->count];
    ++s->count;
}

const char *grouped(int64_t n, char out[32]) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n), at = 0;
    for (int k = 0; k < length; ++k) {
        if (k && (length - k) % 3 == 0 && digits[k - 1] != '-') out[at++] = ' ';
        out[at++] = digits[k];
    }
    out[at] = 0;
    return out;
}

const char *metres(double m, char out[32]) {
    if (fabs(m) >= 99950)
        snprintf(out, 32, "%.0f km", m / 1000);
    else if (fabs(m) >= 9995)
        snprintf(out, 32, "%.1f km", m / 1000);
    else
        snprintf(out, 32, "%.*f m", fabs(m) < 9.995 ? 2 : fabs(m) < 99.95 ? 1 : 0, m);
    return out;
}

void help_place(page *p, const help_line *lines, int count, int key_columns, int columns) {
    float line = (float)p->font.line, letter = (float)p->font.advance;
    float width = (float)columns * letter, height = (float)(count + 3) * line;
    float x = (float)(int)(((float)p->width - width) / 2), y = (float)(int)(((float)p->height - height) / 2);
    page_panel(p, x, y, width, height);
    x += 1.5f * letter;
    y += line;
    page_text(p, (float)(int)x, y, (uint32_t)PAGE_WHITE, "Keys");
    for (int k = 0; k < count; ++k) {
        y += line;
        page_text(p, (float)(int)x, y, (uint32_t)PAGE_WARM, lines[k].keys);
        page_text(p, (float)(int)(x + (float)key_columns * letter), y, (uint32_t)PAGE_WHITE, lines[k].text);
    }
}

void put_number(FILE *out, const char *name, double value) {
    if (isfinite(value))
        fprintf(out, "\"%s\":%.9g,", name, value);
    else
        fprintf(out, "\"%s\":null,", name);
}

void put_bool(FILE *out, const char *name, bool value) {
    fprintf(out, "\"%s\":%s,", name, value ? "true" : "false");
}

void put_slider(FILE *out, const slider *s) {
    if (s && s->width > 0)
        fprintf(out, "\"slider\":[%.1f,%.1f,%.1f],", (double)s->x, (double)(s->x + s->width),
                0.5 * (double)(s->top + s->bottom));
    else
        fprintf(out, "\"slider\":null,");
}
