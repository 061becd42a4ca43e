// SPDX-License-Identifier: MIT
// Numbers in and out: lines of a file, digits for people.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "table.h"

enum { LINE_MOST = 1024 };

// Fifteen digits are enough for most, and never need an exponent where a coordinate has none.
const char *number_text(double v, char out[NUMBER_BYTES]) {
    int digits = 15;
    do snprintf(out, NUMBER_BYTES, "%.*g", digits, v);
    while (strtod(out, NULL) != v && ++digits < 18);
    return out;
}

double float_number(float v) {
    char text[NUMBER_BYTES];
    int digits = 6;
    do snprintf(text, sizeof text, "%.*g", digits, (double)v);
    while (strtof(text, NULL) != v && ++digits < 10);
    return strtod(text, NULL);
}

static bool parse_word(const char *text, const table_words *words, double *out) {
    text += strspn(text, " \t");
    size_t length = strcspn(text, " \t");
    if (text[length + strspn(text + length, " \t")]) return false;
    for (int k = 0; k < words->count; ++k)
        if (strlen(words->name(k)) == length && !memcmp(words->name(k), text, length)) {
            *out = k;
            return true;
        }
    return false;
}

// Numbers between commas, spaces allowed round them, and nothing else on the line but a word, if there are words.
static bool parse_line(const char *line, size_t width, const table_words *words, double *out) {
    for (size_t k = 0; k < width; ++k) {
        char *end;
        out[k] = strtod(line, &end);
        if (end == line || !isfinite(out[k])) return false;
        end += strspn(end, " \t");
        bool last = k + 1 == width;
        if (last && words) out[width] = -1;
        if (last && words && *end == ',') return parse_word(end + 1, words, &out[width]);
        if (*end != (last ? 0 : ',')) return false;
        line = end + 1;
    }
    return true;
}

static bool grow(table *t, size_t *room) {
    if (t->rows < *room) return true;
    size_t more = *room ? 2 * *room : 1024, bytes;
    if (!kst_size_mul(more, t->width * sizeof(double), &bytes)) return false;
    double *larger = realloc(t->number, bytes);
    if (!larger) return false;
    t->number = larger;
    *room = more;
    return true;
}

bool table_read(args *a, const char *path, size_t width, table *out) {
    return table_read_words(a, path, width, NULL, out);
}

bool table_read_words(args *a, const char *path, size_t width, const table_words *words, table *out) {
    bool standard = !strcmp(path, "-");
    FILE *file = standard ? stdin : fopen(path, "r");
    if (!file) {
        say_error(a, "%s: cannot open: %s", path, strerror(errno));
        return false;
    }
    table t = {.width = width + (words != NULL)};
    size_t room = 0, number = 0;
    char line[LINE_MOST];
    bool good = true;
    while (good && fgets(line, sizeof line, file)) {
        ++number;
        size_t length = strlen(line);
        bool whole = length + 1 < sizeof line || line[length - 1] == '\n';
        while (length && (line[length - 1] == '\n' || line[length - 1] == '\r')) line[--length] = 0;
        if (line[0] == '#' && whole) continue;
        if (!grow(&t, &room)) {
            say_error(a, "%s:%zu: out of memory", path, number);
            good = false;
        } else if (!whole || !parse_line(line, width, words, t.number + t.rows++ * t.width)) {
            say_error(a, "%s:%zu: not %zu finite numbers between commas%s%s: %.60s", path, number, width,
                      words ? ", then at most a " : "", words ? words->what : "", line);
            good = false;
        }
    }
    if (good && ferror(file)) {
        say_error(a, "%s: cannot read: %s", path, strerror(errno));
        good = false;
    }
    if (!standard) fclose(file);
    if (good)
        *out = t;
    else
        free(t.number);
    return good;
}

void table_free(table *t) {
    free(t->number);
    *t = (table){0};
}
