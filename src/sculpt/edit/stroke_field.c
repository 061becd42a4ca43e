// SPDX-License-Identifier: MIT
// Strokes on the field of a canvas.
#include "edit/brush.h"
#include "edit/pen.h"

// ---- a grab is made anew at every event, from what was there before --------------------------------------------

// Above this many vertices it is made once, when the stroke ends.
static const size_t grab_most = (size_t)4 << 20;

// What the target held before the stroke, where the dab may change it.
typedef struct kept {
    karst_rect rect;
    float *y, *x, *z;
    size_t count;
} kept;

static void kept_free(kept *b) {
    kst_free(NULL, b->y, 3 * b->count * sizeof *b->y);
    *b = (kept){0};
}

static karst_status kept_make(const karst_canvas *canvas, karst_rect r, kept *out) {
    kept b = {.rect = r, .count = (size_t)(r.x1 - r.x0) * (size_t)(r.z1 - r.z0)};
    if (!b.count || b.count > grab_most) return KARST_OK;
    b.y = kst_alloc_array(NULL, 3 * b.count, sizeof *b.y);
    if (!b.y) return KARST_ERROR_MEMORY;
    b.x = b.y + b.count, b.z = b.x + b.count;
    karst_status status = karst_field_read(canvas->target, r, b.y, b.x, b.z, r.x1 - r.x0);
    if (status)
        kept_free(&b);
    else
        *out = b;
    return status;
}

static karst_status kept_restore(const karst_canvas *canvas, const kept *b) {
    if (!b->count) return KARST_OK;
    karst_status status = karst_field_write(canvas->target, b->rect, b->y, b->x, b->z, b->rect.x1 - b->rect.x0);
    if (!status && canvas->changed && canvas->target != canvas->shown)
        status = canvas->changed(canvas->context, b->rect);
    return status;
}

// ---- the pen ------------------------------------------------------------------------------------------------

typedef struct field_pen {
    const karst_canvas *canvas;
    karst_jobs *jobs;
    const karst_progress *progress;
    kst_work work;
    kept grabbed;
} field_pen;

static karst_status top(void *context, double x, double z, double *y, bool *found) {
    const field_pen *p = context;
    return karst_field_top(p->canvas->shown, x, z, y, found);
}

static karst_status cast(void *context, const karst_ray *ray, karst_pos *at, bool *found) {
    const field_pen *p = context;
    karst_hit hit;
    karst_status status = karst_ground_cast(karst_field_ground(p->canvas->shown), ray, &hit);
    if (status) return status;
    *found = hit.hit;
    *at = hit.position;
    return KARST_OK;
}

static karst_status dab(void *context, const karst_brush_def *def, const karst_dab *at, karst_touched *out) {
    field_pen *p = context;
    return kst_brush_dab(p->canvas, def, at, p->jobs, p->progress, &p->work, out);
}

static karst_status keep(void *context, const karst_brush_def *def, const karst_dab *at, bool *done) {
    field_pen *p = context;
    karst_rect rect;
    kept_free(&p->grabbed);
    karst_status status = kst_brush_rect(p->canvas, def, at, &rect);
    if (!status) status = kept_make(p->canvas, rect, &p->grabbed);
    *done = p->grabbed.count > 0;
    return status;
}

static karst_status put_back(void *context) {
    field_pen *p = context;
    return kept_restore(p->canvas, &p->grabbed);
}

static void destroy(void *context) {
    field_pen *p = context;
    kept_free(&p->grabbed);
    kst_work_free(&p->work);
    kst_free(NULL, p, sizeof *p);
}

karst_status karst_stroke_create(const karst_canvas *canvas, const karst_brush_def *def, karst_jobs *jobs,
                                 const karst_progress *progress, karst_stroke **out) {
    field_pen *p = kst_alloc_zero(NULL, sizeof *p);
    if (!p) return KARST_ERROR_MEMORY;
    p->canvas = canvas, p->jobs = jobs, p->progress = progress;
    kst_pen pen = {p, top, cast, dab, keep, put_back, destroy};
    karst_status status = kst_stroke_create(&pen, def, progress, out);
    if (status) destroy(p);
    return status;
}
