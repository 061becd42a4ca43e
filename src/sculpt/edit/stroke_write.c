// SPDX-License-Identifier: MIT
// Recorded strokes out: every key of a brush, every number in as many digits as give it back.
#include <inttypes.h>

#include "core/core.h"
#include "edit/stroke_words.h"

static void put(kst_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(kst_writer *w, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kst_writer_put(w, text, (size_t)size);
}

static void put_word(kst_writer *w, const karst_recording *r, const kst_word *word) {
    const void *place = (const char *)r + word->offset;
    switch (word->kind) {
        case KST_WORD_NAME:
            if (*(const char *)place) put(w, " %s=\"%s\"", word->name, (const char *)place);
            break;
        case KST_WORD_REAL:
            put(w, " %s=%.17g", word->name, *(const double *)place);
            break;
        case KST_WORD_CHOICE:
            put(w, " %s=%s", word->name, word->choices[*(const int *)place]);
            break;
        case KST_WORD_FLAG:
            put(w, " %s=%s", word->name, word->choices[*(const bool *)place]);
            break;
        case KST_WORD_COUNT:
            put(w, " %s=%d", word->name, *(const int *)place);
            break;
        case KST_WORD_SEED:
            put(w, " %s=%" PRIu64, word->name, *(const uint64_t *)place);
            break;
        case KST_WORD_CURVE: {
            const float *c = place;
            put(w, " %s=%.9g,%.9g,%.9g,%.9g", word->name, (double)c[0], (double)c[1], (double)c[2], (double)c[3]);
            break;
        }
        default: {
            const karst_pos *p = place;
            put(w, " %s=%.17g,%.17g", word->name, p->x, p->z);
        }
    }
}

static void put_point(kst_writer *w, const karst_stroke_point *p) {
    karst_pos o = p->position;
    karst_vec3 v = p->view;
    if (p->kind == KARST_POINT_GROUND) put(w, "%.17g %.17g", o.x, o.z);
    if (p->kind == KARST_POINT_SPACE) put(w, "%.17g %.17g %.17g", o.x, o.y, o.z);
    if (p->kind == KARST_POINT_RAY)
        put(w, "ray %.17g %.17g %.17g %.9g %.9g %.9g", o.x, o.y, o.z, (double)v.x, (double)v.y, (double)v.z);
    else
        put(w, " view=%.9g,%.9g,%.9g", (double)v.x, (double)v.y, (double)v.z);
    put(w, " time=%.17g pressure=%.9g tilt=%.9g,%.9g\n", p->time_s, (double)p->pressure, (double)p->tilt_x,
        (double)p->tilt_z);
}

karst_status karst_recordings_write(const char *path, const karst_recordings *recordings, karst_report *report) {
    kst_writer w;
    karst_status status = kst_writer_open(&w, path, report);
    if (status) return status;
    put(&w, "karst-strokes 1\n");
    for (size_t k = 0; k < recordings->count; ++k) {
        const karst_recording *r = &recordings->strokes[k];
        put(&w, "\nbrush %s", kst_brush_kinds[r->brush.kind]);
        for (const kst_word *word = kst_brush_words; word->name; ++word)
            if (word->offset != offsetof(karst_recording, axes) || r->stamp[0]) put_word(&w, r, word);
        put(&w, "\n");
        for (size_t i = 0; i < r->count; ++i) put_point(&w, &r->points[i]);
    }
    return kst_writer_commit(&w, report);
}
