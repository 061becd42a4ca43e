// SPDX-License-Identifier: MIT
// Sweeps ask the ground for triangles near a box, and nothing else: so they work for every kind.
//
// A way is walked in pieces. A piece whose box holds too many triangles is halved, one that holds few makes the next
// longer. What a given-up piece found stays: it is a touch, and the first is no later.
#include "karst/sweep.h"

#include <math.h>

#include "core/core.h"
#include "surface/sweep_touch.h"

// Triangles that a piece may hold, unless the sphere itself is what makes its box large.
enum { PIECE_TRIANGLES = 192, PIECE_FEW = 48 };

static inline kst_v3 from_place(karst_pos p, karst_pos origin) {
    return (kst_v3){p.x - origin.x, p.y - origin.y, p.z - origin.z};
}

static inline void corners_of(const karst_triangle *triangle, karst_pos origin, kst_v3 out[3]) {
    for (int c = 0; c < 3; ++c) out[c] = from_place(triangle->corner[c], origin);
}

static karst_pos along(karst_pos p, double t, kst_v3 d) {
    return (karst_pos){p.x + t * d.x, p.y + t * d.y, p.z + t * d.z};
}

static karst_box box_round(karst_pos a, karst_pos b, double room) {
    return (karst_box){{fmin(a.x, b.x) - room, fmin(a.y, b.y) - room, fmin(a.z, b.z) - room},
                       {fmax(a.x, b.x) + room, fmax(a.y, b.y) + room, fmax(a.z, b.z) + room}};
}

static bool is_place(karst_pos p) {
    return fabs(p.x) < 1e100 && fabs(p.y) < 1e100 && fabs(p.z) < 1e100;
}

static double largest(karst_pos p) {
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
}

static kst_v3 face_of(const kst_v3 c[3]) {
    kst_v3 n = kst_v3_cross(kst_v3_sub(c[1], c[0]), kst_v3_sub(c[2], c[0]));
    double length = sqrt(kst_v3_dot(n, n));
    return length > 0 ? (kst_v3){n.x / length, n.y / length, n.z / length} : (kst_v3){0, 1, 0};
}

static karst_vec3 in_floats(kst_v3 v) {
    return (karst_vec3){(float)v.x, (float)v.y, (float)v.z};
}

// ---- sweep -----------------------------------------------------------------------------------------

typedef struct walk {
    karst_pos start;  // of the piece; places are relative to it
    double begin;     // t there
    double best;      // first touch found, from begin on; what is left of the way when there is none
    double depth;     // at begin
    bool hit;
    int count, limit;
    kst_mover mover;
    karst_triangle triangle;  // touched first
} walk;

static bool try_some(void *context, const karst_triangle *triangles, int count) {
    walk *w = context;
    w->count += count;
    for (int k = 0; k < count; ++k) {
        kst_v3 corner[3];
        corners_of(&triangles[k], w->start, corner);
        double t = w->best, depth;
        // The deepest counts where the sphere starts in several; a touch with no depth there counts less than any.
        if (w->hit && w->best == 0) t = 0x1p-1000;
        if (!kst_mover_touch(&w->mover, corner, &t, &depth)) continue;
        if (w->hit && !(t < w->best || (t == w->best && depth > w->depth))) continue;
        w->hit = true;
        w->best = t;
        w->depth = depth;
        w->triangle = triangles[k];
    }
    return w->count <= w->limit;
}

static void answer(const walk *w, karst_pos from, kst_v3 way, karst_sweep *out) {
    double t = fmin(1, w->begin + w->best);
    *out = (karst_sweep){.hit = true, .t = t, .depth_m = w->begin > 0 ? 0 : w->depth, .place = w->triangle.place};
    out->centre = along(from, t, way);
    kst_v3 corner[3], zero = {0, 0, 0};
    corners_of(&w->triangle, out->centre, corner);
    kst_v3 q = kst_nearest_on(corner, zero), face = face_of(corner), n;
    double distance = sqrt(kst_v3_dot(q, q));
    if (distance > 1e-9 * w->mover.radius) {
        n = (kst_v3){-q.x / distance, -q.y / distance, -q.z / distance};
    } else {  // the centre is on the triangle: out on the side it came from, or up
        double sign = kst_v3_dot(face, way) > 0 ? -1 : 1;
        n = (kst_v3){sign * face.x, sign * face.y, sign * face.z};
    }
    out->contact = along(out->centre, 1, q);
    out->normal = (karst_pos){n.x, n.y, n.z};
    out->face = in_floats(face);
}

karst_status karst_ground_sweep(const karst_ground *ground, karst_pos from, karst_pos to, double radius_m,
                                karst_sweep *out) {
    if (!is_place(from) || !is_place(to) || !(radius_m > 0 && radius_m < 1e100)) return KARST_ERROR_ARGUMENT;
    kst_v3 way = from_place(to, from);
    double way2 = kst_v3_dot(way, way), length = sqrt(way2), size = largest(from) + largest(to) + radius_m;
    walk w = {.mover = {way, radius_m, way2, 0x1p-48 * size}};
    double room = radius_m + 4 * w.mover.rounding, step = 1;
    for (double begin = 0;;) {
        w.start = along(from, begin, way);
        w.begin = begin;
        w.hit = false;
        w.depth = 0;
        w.best = 1 - begin + 0x1p-50;  // a touch at the very end counts
        for (;; step *= 0.5) {
            double most = fmin(w.best, step);
            w.count = 0;
            w.limit = most * length > 2 * radius_m && step > 0x1p-40 ? PIECE_TRIANGLES : INT32_MAX;
            karst_box box = box_round(w.start, along(w.start, most, way), room);
            karst_status status = karst_ground_near(ground, box, try_some, &w);
            if (!status) break;
            if (status != KARST_ERROR_CANCELLED) return status;
        }
        if (w.hit && w.best <= step) {
            answer(&w, from, way, out);
            return KARST_OK;
        }
        if (begin + step >= 1) break;
        begin += step;
        if (w.count < PIECE_FEW) step *= 2;
    }
    *out = (karst_sweep){0};
    return KARST_OK;
}

// ---- nearest ---------------------------------------------------------------------------------------

typedef struct search {
    karst_pos centre;
    double best2;
    bool found;
    karst_triangle triangle;
} search;

static bool look_at_some(void *context, const karst_triangle *triangles, int count) {
    search *s = context;
    for (int k = 0; k < count; ++k) {
        kst_v3 corner[3];
        corners_of(&triangles[k], s->centre, corner);
        kst_v3 q = kst_nearest_on(corner, (kst_v3){0, 0, 0});
        double d2 = kst_v3_dot(q, q);
        if (!(d2 < s->best2)) continue;
        s->best2 = d2;
        s->found = true;
        s->triangle = triangles[k];
    }
    return true;
}

karst_status karst_ground_nearest(const karst_ground *ground, karst_pos centre, double within_m, karst_nearest *out) {
    if (!is_place(centre) || !(within_m > 0 && within_m < 1e100)) return KARST_ERROR_ARGUMENT;
    search s = {.centre = centre, .best2 = INFINITY};
    double rounding = 0x1p-48 * (largest(centre) + within_m);
    for (int k = 12; k >= 0; --k) {  // what a small box finds within itself is the nearest
        double reach = ldexp(within_m, -k);
        karst_status status = karst_ground_near(ground, box_round(centre, centre, reach + rounding), look_at_some, &s);
        if (status) return status;
        if (s.found && s.best2 <= reach * reach) break;
    }
    *out = (karst_nearest){0};
    if (!s.found || !(sqrt(s.best2) <= within_m)) return KARST_OK;
    kst_v3 corner[3];
    corners_of(&s.triangle, centre, corner);
    *out = (karst_nearest){.found = true,
                           .distance_m = sqrt(s.best2),
                           .position = along(centre, 1, kst_nearest_on(corner, (kst_v3){0, 0, 0})),
                           .face = in_floats(face_of(corner)),
                           .place = s.triangle.place};
    return KARST_OK;
}
