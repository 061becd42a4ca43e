// SPDX-License-Identifier: MIT
// Strokes of any kind, anywhere on a net.
#pragma once
#include "edit/net_sculpt.h"
#include "support/prop.h"

// A brush of any kind that makes sense on a net, with a strength that no stroke of a few dabs makes absurd.
static inline karst_brush_def any_brush(prop *p, double most_radius) {
    static const karst_brush_kind kinds[] = {KARST_BRUSH_RAISE,   KARST_BRUSH_LOWER, KARST_BRUSH_SMOOTH,
                                             KARST_BRUSH_SHARPEN, KARST_BRUSH_PINCH, KARST_BRUSH_FLATTEN,
                                             KARST_BRUSH_GRAB,    KARST_BRUSH_NOISE, KARST_BRUSH_PULL};
    karst_brush_def d = karst_brush_def_default();
    d.kind = kinds[prop_int(p, 0, 8)];
    d.along = (karst_brush_along)prop_int(p, 0, KARST_ALONG_COUNT - 1);
    d.falloff = (karst_falloff)prop_int(p, 0, KARST_FALLOFF_CUSTOM);
    d.radius_m = prop_real(p, 2, most_radius);
    d.detail_m = 12;
    bool share = d.kind == KARST_BRUSH_SMOOTH || d.kind == KARST_BRUSH_SHARPEN || d.kind == KARST_BRUSH_PINCH ||
                 d.kind == KARST_BRUSH_FLATTEN;
    d.strength = share ? prop_real(p, 0.05, 0.3) : prop_real(p, 0.1, 0.04 * d.radius_m);
    if (d.kind == KARST_BRUSH_GRAB || d.kind == KARST_BRUSH_PULL) d.strength = 0.3;
    d.seed = prop_u64(p);
    return d;
}

static inline karst_stroke_point any_point(prop *p, const karst_net *net) {
    const int32_t *at = net->corners[prop_int(p, 0, net->corner_count - 1)].at;
    double step = ldexp(1, net->step_log2);
    karst_stroke_point q = karst_stroke_point_at(0, 0);
    q.kind = KARST_POINT_SPACE;
    q.position = (karst_pos){net->origin.x + at[0] * step + prop_real(p, -8, 8), net->origin.y + at[1] * step,
                             net->origin.z + at[2] * step + prop_real(p, -8, 8)};
    return q;
}

// A stroke of `count` points in a line of `length` metres; what it came to.
static inline karst_status draw(karst_net_sculptor *s, const karst_brush_def *d, karst_stroke_point p, int count,
                                double length, karst_touched *touched) {
    karst_stroke *stroke;
    karst_status status = karst_net_stroke_create(s, d, NULL, NULL, &stroke);
    if (status) return status;
    for (int k = 0; k < count && !status; ++k) {
        status = karst_stroke_add(stroke, &p);
        p.position.x += length / count, p.position.y += 0.3 * length / count;
    }
    if (!status) status = karst_stroke_end(stroke, touched);
    karst_stroke_destroy(stroke);
    return status;
}
