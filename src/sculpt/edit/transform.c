// SPDX-License-Identifier: MIT
// Transform: every weighted vertex goes its share of a scaling, a turn and a move.
#include "karst/transform.h"

#include "edit/vec.h"
#include "edit/walk.h"

karst_transform_def karst_transform_def_default(void) {
    return (karst_transform_def){.scale = {1, 1, 1}, .axis = {0, 1, 0}, .cookie = KST_COOKIE};
}

typedef struct run {
    const karst_transform_def *def;
    karst_brush_def sphere;  // for its weights
    karst_pos axis, origin;
} run;

static double weight_at(const run *r, karst_pos world) {
    if (!(r->def->radius_m > 0)) return 1;
    karst_pos p = kst_difference(world, r->def->centre);
    return (double)karst_brush_weight(&r->sphere, sqrt(kst_dot(p, p)) / r->def->radius_m);
}

static karst_pos carried(const run *r, karst_pos p, double w) {
    const karst_transform_def *d = r->def;
    karst_pos q = kst_difference(p, d->pivot);
    q = (karst_pos){q.x * (1 + w * (d->scale.x - 1)), q.y * (1 + w * (d->scale.y - 1)),
                    q.z * (1 + w * (d->scale.z - 1))};
    if (d->turn != 0) {
        double sine, cosine;
        kst_turn(w * d->turn, &sine, &cosine);
        q = kst_turned(q, r->axis, sine, cosine);
    }
    return kst_sum(kst_difference(q, kst_difference(p, d->pivot)), kst_times(d->move_m, w));
}

static void change_row(const kst_strip *s, int32_t row, int32_t x0, int32_t x1, int worker, void *context) {
    const run *r = context;
    (void)worker;
    size_t from = kst_old_at(s, x0, row), to = kst_new_at(s, x0, row);
    double spacing = s->shape.spacing_m;
    for (int32_t i = x0; i < x1; ++i, ++from, ++to) {
        double w = s->mask ? (double)s->mask[to] : 1;
        if (!(w > 0)) continue;
        karst_pos p = {r->origin.x + (i * spacing + (double)s->x[from]), r->origin.y + (double)s->y[from],
                       r->origin.z + (row * spacing + (double)s->z[from])};
        w *= weight_at(r, p);
        if (!(w > 0)) continue;
        karst_pos by = carried(r, p, w);
        s->new_x[to] = (float)((double)s->x[from] + by.x);
        s->new_y[to] = (float)((double)s->y[from] + by.y);
        s->new_z[to] = (float)((double)s->z[from] + by.z);
    }
}

karst_status karst_transform(const karst_canvas *canvas, const karst_transform_def *def, karst_jobs *jobs,
                             const karst_progress *progress, karst_touched *out) {
    KARST_ASSERT(def->cookie == KST_COOKIE && def->scale.x > 0 && def->scale.y > 0 && def->scale.z > 0);
    KARST_ASSERT(kst_dot(def->axis, def->axis) > 0 && (unsigned)def->falloff < KARST_FALLOFF_COUNT);
    karst_field_shape shape = karst_field_shape_of(canvas->shown);
    run r = {def, karst_brush_def_default(), kst_unit(def->axis, (karst_pos){0, 1, 0}), shape.origin};
    r.sphere.falloff = def->falloff;
    kst_work work = {0};
    karst_touched mine = {0};
    kst_walk walk = {.canvas = canvas,
                     .jobs = jobs,
                     .progress = progress,
                     .work = &work,
                     .rect = {0, 0, shape.columns, shape.rows},
                     .row = change_row,
                     .context = &r};
    karst_status status = KARST_OK;
    if (def->radius_m > 0) {
        karst_pos c = def->centre;
        double m = def->radius_m;
        status = karst_field_find(canvas->shown, (karst_box){{c.x - m, c.y - m, c.z - m}, {c.x + m, c.y + m, c.z + m}},
                                  &walk.rect);
    }
    if (!status) status = kst_walk_run(&walk, NULL, out ? out : &mine);
    kst_work_free(&work);
    return status;
}
