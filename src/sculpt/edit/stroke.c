// SPDX-License-Identifier: MIT
// Strokes: the path of a pen made into dabs.
//
// Dab k lies k * spacing * radius along the path, wherever the events lie. A dab is made before the next is placed, so
// one on the ground stands on what those before it left.
#include "karst/stroke.h"

#include "edit/pen.h"
#include "edit/vec.h"

// A point that has found its place.
typedef struct met {
    karst_stroke_point point;
    karst_pos place;
} met;

struct karst_stroke {
    kst_pen pen;
    karst_brush_def def;
    const karst_progress *progress;
    karst_touched touched;
    bool down, begun;  // the pen is on ground; a dab was made
    met last;          // where it is
    double walked;     // length of the path so far, without what was drawn in the air [m]
    uint64_t number;   // of the next dab
    karst_dab before;  // the dab before
    double before_s;   // and its time
    met first;         // for grab
    bool kept;         // what the grab may change, so that it is made at every event
};

karst_stroke_point karst_stroke_point_at(double x, double z) {
    return (karst_stroke_point){.position = {x, 0, z}, .view = {0, -1, 0}, .pressure = 1};
}

karst_status kst_stroke_create(const kst_pen *pen, const karst_brush_def *def, const karst_progress *progress,
                               karst_stroke **out) {
    KARST_ASSERT(def->cookie == KST_COOKIE && !karst_brush_check(def, NULL));
    karst_stroke *s = kst_alloc_zero(NULL, sizeof *s);
    if (!s) return KARST_ERROR_MEMORY;
    s->pen = *pen;
    s->def = *def;
    s->progress = progress;
    *out = s;
    return KARST_OK;
}

void karst_stroke_destroy(karst_stroke *stroke) {
    if (!stroke) return;
    if (stroke->pen.destroy) stroke->pen.destroy(stroke->pen.context);
    kst_free(NULL, stroke, sizeof *stroke);
}

// ---- places ----------------------------------------------------------------------------------------

static karst_status meet(const karst_stroke *s, const karst_stroke_point *p, met *out, bool *found) {
    *out = (met){*p, p->position};
    *found = true;
    if (p->kind == KARST_POINT_SPACE) return KARST_OK;
    if (p->kind == KARST_POINT_GROUND)
        return s->pen.top(s->pen.context, p->position.x, p->position.z, &out->place.y, found);
    karst_ray ray = karst_ray_make(p->position, kst_wide(p->view));
    return s->pen.cast(s->pen.context, &ray, &out->place, found);
}

static double between(double a, double b, double share) {
    return a + (b - a) * share;
}

static met part_way(const met *a, const met *b, double share) {
    const karst_stroke_point *p = &a->point, *q = &b->point;
    met m = *b;
    m.point.time_s = between(p->time_s, q->time_s, share);
    m.point.pressure = (float)between((double)p->pressure, (double)q->pressure, share);
    m.point.tilt_x = (float)between((double)p->tilt_x, (double)q->tilt_x, share);
    m.point.tilt_z = (float)between((double)p->tilt_z, (double)q->tilt_z, share);
    karst_pos view = kst_sum(kst_times(kst_unit(kst_wide(p->view), (karst_pos){0, -1, 0}), 1 - share),
                             kst_times(kst_unit(kst_wide(q->view), (karst_pos){0, -1, 0}), share));
    m.point.view = (karst_vec3){(float)view.x, (float)view.y, (float)view.z};
    m.place = (karst_pos){between(a->place.x, b->place.x, share), between(a->place.y, b->place.y, share),
                          between(a->place.z, b->place.z, share)};
    return m;
}

// ---- dabs ------------------------------------------------------------------------------------------

static karst_dab dab_at(const met *m) {
    const karst_stroke_point *p = &m->point;
    return (karst_dab){
        .centre = m->place, .view = p->view, .pressure = p->pressure, .tilt_x = p->tilt_x, .tilt_z = p->tilt_z};
}

static karst_vec3 narrow(karst_pos v) {
    return (karst_vec3){(float)v.x, (float)v.y, (float)v.z};
}

static karst_status make_dab(karst_stroke *s, const met *at) {
    karst_dab dab = dab_at(at), here = dab;
    dab.number = s->number;
    if (s->begun) {
        dab.motion = narrow(kst_difference(at->place, s->before.centre));
        dab.seconds = fmax(0, at->point.time_s - s->before_s);
        if (s->def.kind == KARST_BRUSH_PULL) dab.centre = s->before.centre;  // what is there comes along
    } else if (s->def.follow) {
        dab.motion = (karst_vec3){1, 0, 0};
    }
    s->before = here;
    s->before_s = at->point.time_s;
    s->begun = true;
    karst_status status = kst_progress_step(s->progress, "sculpt", 0);
    if (status) return status;
    return s->pen.dab(s->pen.context, &s->def, &dab, &s->touched);
}

// The dabs of the line from where the pen is to a point.
static karst_status draw_line(karst_stroke *s, const met *to) {
    const met from = s->last;
    bool ground = from.point.kind == KARST_POINT_GROUND || to->point.kind == KARST_POINT_GROUND;
    karst_pos way = kst_difference(to->place, from.place);
    if (ground) way.y = 0;
    double length = sqrt(kst_dot(way, way)), step = s->def.spacing * s->def.radius_m;
    karst_status status = KARST_OK;
    if (length == 0 && s->def.per_second && to->point.time_s > s->before_s) return make_dab(s, to);
    for (double at; !status && (at = (double)(s->number + 1) * step) <= s->walked + length;) {
        ++s->number;
        met m = part_way(&from, to, length > 0 ? (at - s->walked) / length : 1);
        bool found = true;
        if (ground) status = s->pen.top(s->pen.context, m.place.x, m.place.z, &m.place.y, &found);
        if (!status && found) status = make_dab(s, &m);
        if (!status && !found) status = kst_progress_step(s->progress, "sculpt", 0);
    }
    s->walked += length;
    return status;
}

// From the first point to where the pen is, on the ground as it was.
static karst_status make_grab(karst_stroke *s) {
    karst_dab dab = dab_at(&s->first);
    dab.motion = narrow(kst_difference(s->last.place, s->first.place));
    dab.seconds = 1;
    s->touched = (karst_touched){0};
    return s->pen.dab(s->pen.context, &s->def, &dab, &s->touched);
}

static karst_status add_grab(karst_stroke *s, const karst_stroke_point *point) {
    met at;
    bool found;
    karst_status status = s->kept ? s->pen.put_back(s->pen.context) : KARST_OK;
    if (!status) status = meet(s, point, &at, &found);
    if (status) return status;
    if (found && !s->begun) {
        karst_dab dab = dab_at(&at);
        s->first = at;
        dab.seconds = 1;
        status = s->pen.keep(s->pen.context, &s->def, &dab, &s->kept);
        s->begun = !status;
    }
    if (found) s->last = at;
    return status || !s->kept ? status : make_grab(s);
}

karst_status karst_stroke_add(karst_stroke *stroke, const karst_stroke_point *point) {
    if (stroke->def.kind == KARST_BRUSH_GRAB) return add_grab(stroke, point);
    met at;
    bool found, down = stroke->down;
    karst_status status = meet(stroke, point, &at, &found);
    if (status) return status;
    stroke->down = found;
    if (!found) return KARST_OK;
    if (down) {
        status = draw_line(stroke, &at);
    } else {
        if (stroke->begun) stroke->walked = (double)++stroke->number * (stroke->def.spacing * stroke->def.radius_m);
        status = make_dab(stroke, &at);
    }
    stroke->last = at;
    return status;
}

karst_status karst_stroke_end(karst_stroke *stroke, karst_touched *out) {
    karst_status status = KARST_OK;
    if (stroke->def.kind == KARST_BRUSH_GRAB && stroke->begun && !stroke->kept) status = make_grab(stroke);
    stroke->begun = stroke->down = stroke->kept = false;
    if (out) *out = stroke->touched;
    return status;
}
