// SPDX-License-Identifier: MIT
// Quads of an OBJ file: lines v and f, what only looks concern left out, anything else refused by its line. Assimp, the
// reader of models, makes triangles of them.
#include "geo/quads.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "core/turns.h"

enum { LINE_MOST = 1024, PLACES_MOST = 1 << 23, QUADS_MOST = 1 << 22, FIRST_ROOM = 256 };

karst_quads_def karst_quads_def_default(void) {
    return (karst_quads_def){.unit_m = 1, .cookie = KST_COOKIE};
}

void karst_quads_destroy(karst_quads *quads) {
    if (!quads) return;
    kst_free(NULL, quads->places, (size_t)quads->place_room * sizeof *quads->places);
    kst_free(NULL, quads->quads, (size_t)quads->quad_room * sizeof *quads->quads);
    kst_free(NULL, quads, sizeof *quads);
}

// Room for one more of `size` bytes.
static bool grow(void **array, int32_t *room, int32_t count, size_t size) {
    if (count < *room) return true;
    int32_t more = *room ? 2 * *room : FIRST_ROOM;
    void *bigger = kst_alloc_array(NULL, (size_t)more, size);
    if (!bigger) return false;
    if (count) memcpy(bigger, *array, (size_t)count * size);
    kst_free(NULL, *array, (size_t)*room * size);
    *array = bigger, *room = more;
    return true;
}

// ---- one line --------------------------------------------------------------------------------------------

typedef struct parser {
    karst_quads *quads;
    const karst_quads_def *def;
    const char *name;
    size_t line;
    karst_report *report;
} parser;

static karst_status bad(parser *p, const char *what) {
    return kst_fail(p->report, KARST_ERROR_FORMAT, "%s:%zu: %s", p->name, p->line, what);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static karst_status take_place(parser *p, const char *at) {
    double v[3];
    for (int axis = 0; axis < 3; ++axis) {
        char *end;
        v[axis] = strtod(at, &end) * p->def->unit_m;
        if (end == at || !isfinite(v[axis]) || fabs(v[axis]) > 1e9)
            return bad(p, "v needs three numbers, places within 1e9 m");
        at = end;
    }
    karst_quads *q = p->quads;
    void *array = q->places;
    if (q->place_count >= PLACES_MOST) return bad(p, "more than 2^23 vertices; cut the mesh into parts");
    if (!grow(&array, &q->place_room, q->place_count, sizeof *q->places)) return KARST_ERROR_MEMORY;
    q->places = array;
    q->places[q->place_count++] =
        p->def->up == KARST_MODEL_UP_Z ? (karst_pos){v[0], v[2], -v[1]} : (karst_pos){v[0], v[1], v[2]};
    return KARST_OK;
}

// The vertex that a word names, and past what is said of its texture and normal.
static bool take_index(const parser *p, const char **at, int32_t *out) {
    char *end;
    long long n = strtoll(*at, &end, 10);
    if (end == *at || n == 0 || n > p->quads->place_count || n < -(long long)p->quads->place_count) return false;
    end += *end == '/' ? strspn(end, "/0123456789-") : 0;
    if (*end && !is_blank(*end)) return false;
    *at = end;
    *out = (int32_t)(n > 0 ? n - 1 : p->quads->place_count + n);
    return true;
}

static karst_status take_quad(parser *p, const char *at) {
    int32_t v[4];
    int count = 0;
    for (at += strspn(at, " \t"); *at; at += strspn(at, " \t"), ++count) {
        int32_t index;
        if (!take_index(p, &at, &index))
            return bad(p, "a face names a vertex that is not there before it (numbers begin at 1)");
        if (count < 4) v[count] = index;
    }
    if (count != 4) {
        char text[120];
        snprintf(text, sizeof text, "a face of %d corners; patches are made of quads: subdivide the mesh once", count);
        return bad(p, text);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < i; ++j)
            if (v[i] == v[j]) return bad(p, "a face has a vertex twice; a patch has four corners");
    karst_quads *q = p->quads;
    void *array = q->quads;
    if (q->quad_count >= QUADS_MOST) return bad(p, "more than 2^22 faces; cut the mesh into parts");
    if (!grow(&array, &q->quad_room, q->quad_count, sizeof *q->quads)) return KARST_ERROR_MEMORY;
    q->quads = array;
    int32_t *quad = q->quads[q->quad_count++];  // faces go round the other way
    quad[0] = v[0], quad[1] = v[3], quad[2] = v[2], quad[3] = v[1];
    return KARST_OK;
}

static karst_status take_line(parser *p, char *line) {
    static const char *const looks[] = {"#", "vt", "vn", "g", "o", "s", "usemtl", "mtllib"};
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t");
    if (!length || *line == '#') return KARST_OK;
    if (length == 1 && *line == 'v') return take_place(p, line + 1);
    if (length == 1 && *line == 'f') return take_quad(p, line + 1);
    for (size_t k = 0; k < sizeof looks / sizeof *looks; ++k)
        if (strlen(looks[k]) == length && !memcmp(looks[k], line, length)) return KARST_OK;
    return bad(p, "neither v nor f nor one of vt, vn, g, o, s, usemtl, mtllib: export a plain mesh of quads");
}

// ---- which way they face ---------------------------------------------------------------------------------

typedef struct border {
    int32_t low, high, quad;
    bool back;
} border;

static int by_ends(const void *a, const void *b) {
    const border *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->quad > y->quad) - (x->quad < y->quad);
}

karst_status kst_quads_turn(karst_quads *q) {
    size_t room = 4 * (size_t)q->quad_count;
    border *borders = kst_alloc_array(NULL, room, sizeof *borders);
    uint8_t *turn = kst_alloc_zero(NULL, (size_t)q->quad_count);
    kst_turns turns;
    karst_status status = borders && turn ? kst_turns_create(&turns, q->quad_count, NULL) : KARST_ERROR_MEMORY;
    if (!status) {
        for (size_t k = 0; k < room; ++k) {
            int32_t a = q->quads[k / 4][k & 3], b = q->quads[k / 4][(k + 1) & 3];
            borders[k] = (border){a < b ? a : b, a < b ? b : a, (int32_t)(k / 4), a > b};
        }
        qsort(borders, room, sizeof *borders, by_ends);
        for (size_t k = 0, next; k < room; k = next) {
            for (next = k + 1;
                 next < room && borders[next].low == borders[k].low && borders[next].high == borders[k].high;)
                ++next;
            if (next == k + 2)
                kst_turns_link(&turns, borders[k].quad, borders[k + 1].quad, borders[k].back != borders[k + 1].back);
        }
        status = kst_turns_settle(&turns, turn);
        kst_turns_destroy(&turns);
    }
    for (int32_t k = 0; k < q->quad_count && !status; ++k)
        if (turn[k]) {
            int32_t *v = q->quads[k], passing = v[1];
            v[1] = v[3], v[3] = passing;
            ++q->turned;
        }
    kst_free(NULL, borders, room * sizeof *borders);
    kst_free(NULL, turn, (size_t)q->quad_count);
    return status;
}

// ---- the file --------------------------------------------------------------------------------------------

static karst_status take_lines(parser *p, const uint8_t *bytes, size_t size) {
    char line[LINE_MOST];
    for (size_t at = 0; at < size;) {
        const uint8_t *end = memchr(bytes + at, '\n', size - at);
        size_t length = end ? (size_t)(end - bytes) - at : size - at;
        if (!(p->line++ & 0xFFFF)) {
            karst_status status = kst_progress_step(p->def->progress, "read", (double)at / (double)size);
            if (status) return status;
        }
        if (length >= sizeof line) return bad(p, "a line of more than 1023 characters");
        memcpy(line, bytes + at, length);
        line[length] = 0;
        at += length + 1;
        if (memchr(line, 0, length)) return bad(p, "a zero byte; this is no text");
        if (length && line[length - 1] == '\r') line[--length] = 0;
        if (length && line[length - 1] == '\\') return bad(p, "goes on in the next line; write each face in one");
        karst_status status = take_line(p, line);
        if (status) return status;
    }
    return KARST_OK;
}

karst_status kst_quads_parse(const uint8_t *bytes, size_t size, const char *name, const karst_quads_def *def,
                             karst_report *report, karst_quads **out) {
    karst_quads_def usual = karst_quads_def_default();
    parser p = {.def = def ? def : &usual, .name = name, .report = report};
    KARST_ASSERT(p.def->cookie == KST_COOKIE);
    p.quads = kst_alloc_zero(NULL, sizeof *p.quads);
    karst_status status = p.quads ? take_lines(&p, bytes, size) : KARST_ERROR_MEMORY;
    if (!status && !p.quads->quad_count)
        status = kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: holds no face; patches are made of quads", name);
    if (!status) status = kst_quads_turn(p.quads);
    if (status == KARST_ERROR_MEMORY) kst_fail(report, status, "%s: out of memory", name);
    if (status)
        karst_quads_destroy(p.quads);
    else
        *out = p.quads;
    return status;
}

// What Assimp reads, in triangles.
static karst_status read_model(const char *path, const karst_quads_def *def, karst_report *report, karst_quads **out) {
    karst_quads_def d = def ? *def : karst_quads_def_default();
    karst_model_import_def import = karst_model_import_def_default();
    import.unit_m = d.unit_m > 1 || d.unit_m < 1 ? d.unit_m : 0;  // else what the file says
    import.up = d.up;
    import.raw = true;
    import.most_triangles = 2 * (uint64_t)QUADS_MOST;
    karst_model *model;
    karst_status status = karst_geo_import_model(path, &import, d.progress, report, NULL, &model);
    if (status) return status;
    status = kst_quads_of_model(model, path, report, out);
    karst_model_destroy(model);
    return status;
}

karst_status karst_geo_read_quads(const char *path, const karst_quads_def *def, karst_report *report,
                                  karst_quads **out) {
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".obj") != 0) return read_model(path, def, report, out);
    kst_map map;
    karst_status status = kst_file_map(path, report, &map);
    if (status) return status;
    status = kst_quads_parse(map.bytes, map.size, path, def, report, out);
    kst_file_unmap(&map);
    return status;
}
