// SPDX-License-Identifier: MIT
// Recorded strokes in: text, line by line. docs/sculpting.md has the format. The text is hostile until checked.
#include <stdlib.h>

#include "core/core.h"
#include "edit/stroke_words.h"
#include "edit/vec.h"

enum { LINE_MAX_BYTES = 2000, NUMBER_MAX_BYTES = 40, POINTS_MAX = 1 << 26, STROKES_MAX = 1 << 20 };
static const double far_m = 1e9;

typedef struct reader {
    const char *at, *end;  // of the text
    const char *name;
    karst_report *report;
    size_t line;
    const char *word, *line_end;  // of the line
    karst_recordings all;
    size_t strokes_room, points_room;
    karst_recording brush;  // what the next stroke begins as
    bool has_brush, headed;
    karst_stroke_point sticky;  // what a point does not say is as in the point before
} reader;

static karst_status wrong(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static karst_status wrong(reader *r, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return kst_fail(r->report, KARST_ERROR_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

// ---- words -----------------------------------------------------------------------------------------

typedef struct text {
    const char *at;
    int size;
} text;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of the line: up to a blank, but quotes keep blanks. Size 0: none is left.
static text next_word(reader *r) {
    while (r->word < r->line_end && is_blank(*r->word)) ++r->word;
    text w = {r->word, 0};
    bool quoted = false;
    while (r->word < r->line_end && (quoted || !is_blank(*r->word))) {
        if (*r->word == '"') quoted = !quoted;
        ++r->word;
    }
    w.size = (int)(r->word - w.at);
    return w;
}

static bool is(text w, const char *word) {
    return (size_t)w.size == strlen(word) && !memcmp(w.at, word, (size_t)w.size);
}

// A plain decimal number, all of the text.
static bool number_of(text w, double *out) {
    char copy[NUMBER_MAX_BYTES + 1];
    if (w.size < 1 || w.size > NUMBER_MAX_BYTES) return false;
    for (int k = 0; k < w.size; ++k)
        if (!strchr("0123456789+-.eE", w.at[k]) || !w.at[k]) return false;
    memcpy(copy, w.at, (size_t)w.size);
    copy[w.size] = 0;
    char *end;
    *out = strtod(copy, &end);
    return !*end && end != copy && isfinite(*out);
}

// Exactly count numbers between commas.
static bool numbers_of(text w, int count, double *out) {
    for (int k = 0; k < count; ++k) {
        const char *comma = w.size ? memchr(w.at, ',', (size_t)w.size) : NULL;
        if ((k + 1 < count) != (comma != NULL)) return false;
        text one = {w.at, comma ? (int)(comma - w.at) : w.size};
        if (!number_of(one, &out[k])) return false;
        w.at += one.size + 1;
        w.size -= one.size + 1;
    }
    return true;
}

static bool whole_of(text w, double most, double *out) {
    return number_of(w, out) && *out >= 0 && *out <= most && *out == floor(*out);
}

static int choice_of(text w, const char *const *choices) {
    for (int k = 0; choices[k]; ++k)
        if (is(w, choices[k])) return k;
    return -1;
}

// "key=value" into both, quotes round the value removed.
static bool split(text w, text *key, text *value) {
    const char *equals = w.size ? memchr(w.at, '=', (size_t)w.size) : NULL;
    if (!equals || equals == w.at) return false;
    *key = (text){w.at, (int)(equals - w.at)};
    *value = (text){equals + 1, (int)(w.at + w.size - equals - 1)};
    if (value->size >= 2 && value->at[0] == '"' && value->at[value->size - 1] == '"') ++value->at, value->size -= 2;
    return value->size == 0 || !memchr(value->at, '"', (size_t)value->size);
}

// ---- brush lines -----------------------------------------------------------------------------------

static karst_status set_text(reader *r, const kst_word *word, char *to, text value) {
    if ((size_t)value.size >= word->room) return wrong(r, "%s: longer than %zu bytes", word->name, word->room - 1);
    for (int k = 0; k < value.size; ++k)
        if ((unsigned char)value.at[k] < 0x20 || value.at[k] == 0x7f) return wrong(r, "%s: no plain text", word->name);
    memset(to, 0, word->room);
    memcpy(to, value.at, (size_t)value.size);
    return KARST_OK;
}

static karst_status set_word(reader *r, karst_recording *to, const kst_word *word, text value) {
    void *place = (char *)to + word->offset;
    double n[4];
    int choice;
    switch (word->kind) {
        case KST_WORD_NAME:
            return set_text(r, word, place, value);
        case KST_WORD_REAL:
            if (!number_of(value, place)) break;
            return KARST_OK;
        case KST_WORD_CHOICE:
        case KST_WORD_FLAG:
            choice = choice_of(value, word->choices);
            if (choice < 0) break;
            if (word->kind == KST_WORD_FLAG)
                *(bool *)place = choice;
            else
                memcpy(place, &choice, sizeof choice);
            return KARST_OK;
        case KST_WORD_COUNT:
            if (!whole_of(value, 1e6, n)) break;
            *(int *)place = (int)n[0];
            return KARST_OK;
        case KST_WORD_SEED:
            if (!whole_of(value, 0x1p53, n)) break;
            *(uint64_t *)place = (uint64_t)n[0];
            return KARST_OK;
        case KST_WORD_CURVE:
            if (!numbers_of(value, 4, n)) break;
            for (int k = 0; k < 4; ++k) ((float *)place)[k] = (float)n[k];
            return KARST_OK;
        default:
            if (!numbers_of(value, 2, n)) break;
            *(karst_pos *)place = (karst_pos){n[0], 0, n[1]};
            return KARST_OK;
    }
    if (!word->choices) return wrong(r, "%s=%.*s: not what %s takes", word->name, value.size, value.at, word->name);
    char all[128] = "";
    for (int k = 0; word->choices[k]; ++k)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", word->choices[k]);
    return wrong(r, "%s=%.*s: there are %s", word->name, value.size, value.at, all);
}

static karst_status read_keys(reader *r, karst_recording *to) {
    for (text w; (w = next_word(r)).size;) {
        text key, value;
        if (!split(w, &key, &value)) return wrong(r, "%.*s: not key=value", w.size, w.at);
        const kst_word *word = kst_brush_words;
        while (word->name && !is(key, word->name)) ++word;
        if (!word->name) return wrong(r, "%.*s: a brush has no such key", key.size, key.at);
        karst_status status = set_word(r, to, word, value);
        if (status) return status;
    }
    karst_report why;
    karst_status status = karst_brush_check(&to->brush, &why);
    if (status) return wrong(r, "%s", why.message);
    if ((to->brush.kind == KARST_BRUSH_STAMP) != (to->stamp[0] != 0))
        return wrong(r, to->stamp[0] ? "stamp=: for brush stamp alone" : "brush stamp: which? say stamp=FILE");
    if (to->toward_begin) to->brush.toward = KARST_TOWARD_REFERENCE;
    return KARST_OK;
}

static karst_status grow(void **array, size_t count, size_t *room, size_t bytes_each) {
    if (count < *room) return KARST_OK;
    size_t more = *room ? 2 * *room : 16;
    void *larger = realloc(*array, more * bytes_each);
    if (!larger) return KARST_ERROR_MEMORY;
    *array = larger;
    *room = more;
    return KARST_OK;
}

static karst_status begin_stroke(reader *r, bool same) {
    if (same && !r->has_brush) return wrong(r, "stroke: before any brush line");
    if (!same) {
        text kind = next_word(r);
        int k = choice_of(kind, kst_brush_kinds);
        if (k < 0) return wrong(r, "brush %.*s: there is no such brush", kind.size, kind.at);
        r->brush = (karst_recording){.axes = "rgb", .brush = karst_brush_def_default()};
        r->brush.brush.kind = (karst_brush_kind)k;
        if (k == KARST_BRUSH_STAMP) r->brush.brush.falloff = KARST_FALLOFF_FLAT, r->brush.brush.spacing = 2;
        r->has_brush = true;
    }
    karst_status status = read_keys(r, &r->brush);
    if (status) return status;
    if (r->all.count == STROKES_MAX) return kst_fail(r->report, KARST_ERROR_LIMIT, "%s: too many strokes", r->name);
    void *strokes = r->all.strokes;
    status = grow(&strokes, r->all.count, &r->strokes_room, sizeof *r->all.strokes);
    r->all.strokes = strokes;
    if (status) return status;
    r->all.strokes[r->all.count++] = r->brush;
    r->points_room = 0;
    r->sticky = karst_stroke_point_at(0, 0);
    return KARST_OK;
}

// ---- point lines -----------------------------------------------------------------------------------

static karst_status point_key(reader *r, karst_stroke_point *p, text key, text value) {
    double n[3];
    bool good = false;
    if (is(key, "time")) {
        good = number_of(value, n) && n[0] >= p->time_s && n[0] <= far_m;
        p->time_s = n[0];
    } else if (is(key, "pressure")) {
        good = number_of(value, n) && n[0] >= 0 && n[0] <= 1;
        p->pressure = (float)n[0];
    } else if (is(key, "tilt")) {
        good = numbers_of(value, 2, n) && fabs(n[0]) <= 1 && fabs(n[1]) <= 1;
        p->tilt_x = (float)n[0], p->tilt_z = (float)n[1];
    } else if (is(key, "view")) {
        good = numbers_of(value, 3, n) && fabs(n[0]) <= far_m && fabs(n[1]) <= far_m && fabs(n[2]) <= far_m;
        p->view = (karst_vec3){(float)n[0], (float)n[1], (float)n[2]};
    } else {
        return wrong(r, "%.*s: a point has no such key", key.size, key.at);
    }
    return good
               ? KARST_OK
               : wrong(r,
                       "%.*s=%.*s: out of range (time never runs back; pressure 0..1; tilt and view are x,z and x,y,z)",
                       key.size, key.at, value.size, value.at);
}

static karst_status read_point(reader *r) {
    if (!r->all.count) return wrong(r, "a point before any brush line");
    karst_stroke_point p = r->sticky;
    double n[6];
    int count = 0;
    bool ray = false;
    for (text w; (w = next_word(r)).size;) {
        text key, value;
        if (!count && !ray && is(w, "ray")) {
            ray = true;
        } else if (split(w, &key, &value)) {
            karst_status status = point_key(r, &p, key, value);
            if (status) return status;
        } else if (count == (ray ? 6 : 3) || !number_of(w, &n[count]) || fabs(n[count]) > far_m) {
            return wrong(r, "%.*s: not a point: x z, x y z, or ray and six numbers, up to 1e9 m", w.size, w.at);
        } else {
            ++count;
        }
    }
    if (ray ? count != 6 : count != 2 && count != 3) return wrong(r, "not a point: x z, x y z, or ray and six numbers");
    p.kind = ray ? KARST_POINT_RAY : count == 3 ? KARST_POINT_SPACE : KARST_POINT_GROUND;
    p.position = ray || count == 3 ? (karst_pos){n[0], n[1], n[2]} : (karst_pos){n[0], 0, n[1]};
    r->sticky = p;
    if (ray) {
        p.view = (karst_vec3){(float)n[3], (float)n[4], (float)n[5]};
        if (p.view.x == 0 && p.view.y == 0 && p.view.z == 0) return wrong(r, "ray: the direction is 0 0 0");
    }
    karst_recording *to = &r->all.strokes[r->all.count - 1];
    if (to->count == POINTS_MAX) return kst_fail(r->report, KARST_ERROR_LIMIT, "%s: too many points", r->name);
    void *points = to->points;
    karst_status status = grow(&points, to->count, &r->points_room, sizeof p);
    to->points = points;
    if (!status) to->points[to->count++] = p;
    return status;
}

// ---- lines -----------------------------------------------------------------------------------------

static karst_status read_line(reader *r) {
    text first = next_word(r);
    if (!first.size) return KARST_OK;
    if (!r->headed) {
        text version = next_word(r);
        if (!is(first, "karst-strokes") || !is(version, "1"))
            return wrong(r, "not a stroke file: the first line is \"karst-strokes 1\"");
        r->headed = true;
        return KARST_OK;
    }
    if (is(first, "brush")) return begin_stroke(r, false);
    if (is(first, "stroke")) return begin_stroke(r, true);
    r->word = first.at;
    return read_point(r);
}

static karst_status read_all(reader *r) {
    karst_status status = KARST_OK;
    while (r->at < r->end && !status) {
        const char *end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        if (!end) end = r->end;
        ++r->line;
        if (end - r->at > LINE_MAX_BYTES) return wrong(r, "longer than %d bytes", LINE_MAX_BYTES);
        r->word = r->at;
        r->line_end = r->at;
        for (bool quoted = false; r->line_end < end && (quoted || *r->line_end != '#'); ++r->line_end)
            if (*r->line_end == '"') quoted = !quoted;
        status = read_line(r);
        r->at = end + 1;
    }
    if (!status && !r->headed) status = wrong(r, "not a stroke file: the first line is \"karst-strokes 1\"");
    return status;
}

karst_status karst_recordings_parse(const char *bytes, size_t size, const char *name, karst_report *report,
                                    karst_recordings *out) {
    reader r = {.at = bytes, .end = bytes + size, .name = name, .report = report};
    karst_status status = read_all(&r);
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "%s: out of memory", name);
    if (status)
        karst_recordings_free(&r.all);
    else
        *out = r.all;
    return status;
}

karst_status karst_recordings_read(const char *path, karst_report *report, karst_recordings *out) {
    kst_map map;
    karst_status status = kst_file_map(path, report, &map);
    if (status) return status;
    status = karst_recordings_parse(map.size ? (const char *)map.bytes : "", map.size, path, report, out);
    kst_file_unmap(&map);
    return status;
}

void karst_recordings_free(karst_recordings *recordings) {
    for (size_t k = 0; k < recordings->count; ++k) free(recordings->strokes[k].points);
    free(recordings->strokes);
    *recordings = (karst_recordings){0};
}
