// SPDX-License-Identifier: MIT
// Spheres that move against every triangle of fields and of curved patches, and walk through a land.
#include "karst/sweep.h"

#include <pthread.h>

#include "karst/zoneground.h"
#include "scenes/nets.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/soup.h"
#include "surface/near.h"
#include "surface/sweep_touch.h"
#include "surface/zone_ground.h"
#include "surface/zone_record.h"

// Most that a sphere is ever in the ground [m], also 1,000 km from the origin.
static const double in_ground_m = 1e-7;

// ---- grounds ---------------------------------------------------------------------------------------

enum { ROUGH, OVERHANG, FAR_FIELD, NET, FAR_NET, SAMPLE, KINDS };

typedef struct world {
    karst_field *field;
    karst_net *net;
    scene_zones zones;
    karst_zone_ground *zone_ground;
    const karst_ground *ground;
    soup all;  // but of the sample
} world;

static world world_of(int kind) {
    world w = {0};
    const karst_pos far = {1000000.3, -17.2, -999999.9}, here = {-30, 5, 12};
    if (kind == OVERHANG) {
        assert_int_equal(scene_overhang_field(97, 97, 2, 5, &w.field), KARST_OK);
    } else if (kind < NET) {
        assert_int_equal(scene_rough_field(130, 97, 2, 9, true, true, kind == ROUGH ? here : far, &w.field), KARST_OK);
    } else {
        scene_net_def def = {.side = 16, .slot = 15, .tiles_log2 = 3, .noise_set = 2};
        karst_report report = {0};
        if (kind == SAMPLE ? scene_net_sample(6, &report, &w.net) : scene_net(&def, &report, &w.net))
            fail_msg("%s", report.message);
        assert_int_equal(scene_zones_cut(w.net, NULL, &w.zones), KARST_OK);
        assert_int_equal(karst_zone_ground_create(kind == FAR_NET ? far : w.net->origin, NULL, &w.zone_ground),
                         KARST_OK);
        assert_int_equal(karst_zone_ground_add(w.zone_ground, (const karst_zone *const *)w.zones.zones,
                                               (uint32_t)w.zones.count, NULL),
                         KARST_OK);
    }
    w.ground = w.field ? karst_field_ground(w.field) : karst_zone_ground_of(w.zone_ground);
    if (kind != SAMPLE) w.all = soup_of(w.ground);
    return w;
}

static void world_free(world *w) {
    soup_free(&w->all);
    karst_zone_ground_destroy(w->zone_ground);
    if (w->net) scene_zones_free(&w->zones);
    karst_net_destroy(w->net);
    karst_field_destroy(w->field);
}

static karst_pos minus(karst_pos a, karst_pos b) {
    return (karst_pos){a.x - b.x, a.y - b.y, a.z - b.z};
}
static karst_pos along(karst_pos a, double t, karst_pos d) {
    return (karst_pos){a.x + t * d.x, a.y + t * d.y, a.z + t * d.z};
}
static double dot(karst_pos a, karst_pos b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static double length_of(karst_pos a) {
    return sqrt(dot(a, a));
}
// ---- the slow twin: distance to every triangle, in long double, by weights -------------------------

typedef struct v3 {
    long double x, y, z;
} v3;
static v3 sub3(karst_pos a, karst_pos b) {
    return (v3){(long double)a.x - b.x, (long double)a.y - b.y, (long double)a.z - b.z};
}
static long double dot3(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static long double from_edge2(v3 a, v3 b) {  // squared, from 0 to the edge
    v3 e = {b.x - a.x, b.y - a.y, b.z - a.z};
    long double l = dot3(e, e), u = l > 0 ? -dot3(a, e) / l : 0;
    u = u < 0 ? 0 : u > 1 ? 1 : u;
    v3 q = {a.x + u * e.x, a.y + u * e.y, a.z + u * e.z};
    return dot3(q, q);
}

static double distance_to(const karst_triangle *t, karst_pos p) {
    v3 a = sub3(t->corner[0], p), b = sub3(t->corner[1], p), c = sub3(t->corner[2], p);
    long double best = fminl(from_edge2(a, b), fminl(from_edge2(b, c), from_edge2(c, a)));
    v3 e = {b.x - a.x, b.y - a.y, b.z - a.z}, f = {c.x - a.x, c.y - a.y, c.z - a.z};
    long double ee = dot3(e, e), ef = dot3(e, f), ff = dot3(f, f), det = ee * ff - ef * ef;
    if (det > 1e-24L * ee * ff) {
        long double u = (-dot3(a, e) * ff + dot3(a, f) * ef) / det, v = (-dot3(a, f) * ee + dot3(a, e) * ef) / det;
        v3 q = {a.x + u * e.x + v * f.x, a.y + u * e.y + v * f.y, a.z + u * e.z + v * f.z};
        if (u >= 0 && v >= 0 && u + v <= 1) best = fminl(best, dot3(q, q));
    }
    return (double)sqrtl(best);
}

// Least distance to the triangles of the balls named.
static double distance(const soup *s, const int *ball, int balls, karst_pos p) {
    double best = INFINITY;
    for (int n = 0; n < balls; ++n) {
        const double *b = s->ball[ball[n]];
        if (length_of(minus((karst_pos){b[0], b[1], b[2]}, p)) - b[3] > best) continue;
        for (int k = 32 * ball[n]; k < 32 * ball[n] + 32 && k < s->count; ++k)
            best = fmin(best, distance_to(&s->triangle[k], p));
    }
    return best;
}

// Balls that come within reach of the way.
static int balls_near(const soup *s, karst_pos from, karst_pos to, double reach, int *out) {
    int count = 0;
    for (int k = 0; k < (s->count + 31) / 32; ++k) {
        const double *b = s->ball[k];
        karst_pos middle = {b[0], b[1], b[2]};
        v3 a = sub3(from, middle), e = sub3(to, middle);
        if ((double)sqrtl(from_edge2(a, e)) <= reach + b[3]) out[count++] = k;
    }
    return count;
}

// What is wrong with an answer; NULL: nothing. radius: that of the true sphere.
static const char *wrong_with(const soup *s, int *ball, karst_pos from, karst_pos to, double radius,
                              const karst_sweep *got) {
    karst_pos way = minus(to, from);
    double length = length_of(way), end = got->hit ? got->t : 1;
    double reach = 1.5 * radius + 0.1 * length;
    int balls = balls_near(s, from, to, reach, ball);
    double start = distance(s, ball, balls, from);
    if (!got->hit || got->t > 0) {
        // Steps that go no nearer to the ground than they may, at least a fiftieth of the radius.
        for (double t = 0; t < end;) {
            double d = distance(s, ball, balls, along(from, t, way));
            if (d < radius - in_ground_m) return "it was in the ground before";
            t += fmax(fmin(d, reach) - radius, 0.02 * radius) / length;
        }
        if (distance(s, ball, balls, along(from, end, way)) < radius - in_ground_m) return "it is in the ground";
    }
    if (!got->hit) return NULL;
    if (!(got->t >= 0 && got->t <= 1)) return "t";
    if (length_of(minus(got->centre, along(from, got->t, way))) > in_ground_m) return "its centre is not on the way";
    double d = distance(s, ball, balls, got->centre);
    if (fabs(d - (radius - got->depth_m)) > in_ground_m) return "it does not touch";
    if (got->depth_m > 0 && (got->t > 0 || fabs(start - radius + got->depth_m) > in_ground_m)) return "depth";
    if (fabs(length_of(minus(got->centre, got->contact)) - d) > in_ground_m) return "contact is not where it touches";
    if (fabs(length_of(got->normal) - 1) > 1e-12) return "normal is not of unit length";
    if (d > 1e-3 * radius && length_of(minus(along(got->contact, d, got->normal), got->centre)) > in_ground_m)
        return "normal does not lead to the centre";
    for (int n = 0; n < balls; ++n)
        for (int k = 32 * ball[n]; k < 32 * ball[n] + 32 && k < s->count; ++k)
            if (!memcmp(&s->triangle[k].place, &got->place, sizeof got->place))
                return distance_to(&s->triangle[k], got->contact) > in_ground_m ? "contact is not on its triangle"
                                                                                : NULL;
    return "no such triangle";
}

// ---- triangles near a box --------------------------------------------------------------------------

static bool box_touches(const karst_box *b, const karst_triangle *t) {
    const karst_pos *c = t->corner;
    return fmin(c[0].x, fmin(c[1].x, c[2].x)) <= b->max.x && fmax(c[0].x, fmax(c[1].x, c[2].x)) >= b->min.x &&
           fmin(c[0].y, fmin(c[1].y, c[2].y)) <= b->max.y && fmax(c[0].y, fmax(c[1].y, c[2].y)) >= b->min.y &&
           fmin(c[0].z, fmin(c[1].z, c[2].z)) <= b->max.z && fmax(c[0].z, fmax(c[1].z, c[2].z)) >= b->min.z;
}

static int by_place(const void *a, const void *b) {
    return memcmp(&((const karst_triangle *)a)->place, &((const karst_triangle *)b)->place, sizeof(karst_place));
}

// Near some triangle.
static karst_pos place_by(prop *p, const soup *s, double reach) {
    karst_pos off = {prop_real(p, -1, 1), prop_real(p, -1, 1), prop_real(p, -1, 1)};
    return along(s->triangle[prop_int(p, 0, s->count - 1)].corner[0], reach, off);
}

static karst_box any_box(prop *p, const soup *s) {
    double size = prop_chance(p, 0.1) ? 0 : prop_real(p, 0.01, 12);
    karst_pos at = place_by(p, s, 12);
    karst_box box = {at, at};
    if (prop_chance(p, 0.05)) return (karst_box){{-INFINITY, at.y, at.z}, {INFINITY, at.y + 1, at.z + 1}};
    box.max = along(at, size, (karst_pos){1, prop_real(p, 0, 3), prop_real(p, 0, 1)});
    return box;
}

// The ground hands over just the triangles of the soup whose bounds touch the box.
static bool near_is_right(const karst_ground *ground, const soup *all, karst_box box, int *count) {
    soup got = {0}, want = {0};
    assert_int_equal(karst_ground_near(ground, box, soup_take, &got), KARST_OK);
    for (int k = 0; k < all->count; ++k)
        if (box_touches(&box, &all->triangle[k])) soup_take(&want, &all->triangle[k], 1);
    *count = got.count;
    bool right = got.count == want.count;
    if (right && got.count) {
        qsort(got.triangle, (size_t)got.count, sizeof *got.triangle, by_place);
        qsort(want.triangle, (size_t)want.count, sizeof *want.triangle, by_place);
        for (int k = 0; k < got.count; ++k)  // fans may begin at another corner
            for (int c = 0; c < 3; ++c)
                right &= !by_place(&got.triangle[k], &want.triangle[k]) &&
                         distance_to(&want.triangle[k], got.triangle[k].corner[c]) == 0;
    }
    soup_free(&got);
    soup_free(&want);
    return right;
}

static bool stop_at_once(void *context, const karst_triangle *triangles, int count) {
    (void)triangles;
    (void)count;
    ++*(int *)context;
    return false;
}

static void no_triangle_near_a_box_is_missed(void **state) {
    (void)state;
    for (int kind = 0; kind < SAMPLE; ++kind) {
        world w = world_of(kind);
        int some = 0, count;
        for (prop p = prop_begin("near", 32); prop_next(&p);) {
            karst_box box = any_box(&p, &w.all);
            prop_check(&p, near_is_right(w.ground, &w.all, box, &count));
            some += count > 0;
            soup slow = {0};  // the same without a tree
            if (p.at % 8 == 0) {
                prop_check(&p, !kst_near_by_chunks(w.ground, box, soup_take, &slow) && slow.count == count);
                soup_free(&slow);
            }
        }
        assert_true(some >= test_count(4));
        int calls = 0;
        assert_int_equal(karst_ground_near(w.ground, karst_ground_bounds(w.ground), stop_at_once, &calls),
                         KARST_ERROR_CANCELLED);
        assert_int_equal(calls, 1);
        const karst_box none[2] = {{{1, 0, 0}, {0, 1, 1}}, {{NAN, -1e9, -1e9}, {1e9, 1e9, 1e9}}};
        for (int k = 0; k < 2; ++k)
            assert_true(!karst_ground_near(w.ground, none[k], stop_at_once, &calls) && calls == 1);
        if (kind == NET) {  // control: patches bent after their boxes were made
            for (uint32_t k = 0; k < w.zones.zones[0]->patch_count; ++k)
                for (int i = 5; i < 11; ++i) w.zones.zones[0]->record->patches[k].c[i].y += 4000;
            soup bent = soup_of(w.ground);
            int wrong = 0;
            for (prop p = prop_begin("near stale", 24); prop_next(&p);)
                wrong += !near_is_right(w.ground, &bent, any_box(&p, &w.all), &count);
            assert_true(wrong > 0);
            soup_free(&bent);
        }
        world_free(&w);
    }
}

// ---- sweeps ----------------------------------------------------------------------------------------

typedef struct move {
    karst_pos from, to;
    double radius;
} move;

static move any_move(prop *p, const soup *s) {
    move m = {.radius = exp(prop_real(p, log(0.05), log(4)))};
    karst_pos target = place_by(p, s, 0.5), off = {prop_real(p, -1, 1), prop_real(p, -1, 1), prop_real(p, -1, 1)};
    m.from = along(target, exp(prop_real(p, log(0.1), log(40))), off);
    m.to = along(m.from, prop_real(p, 0.5, 3), minus(target, m.from));
    if (prop_chance(p, 0.2)) m.to = place_by(p, s, 4);  // any length
    if (prop_chance(p, 0.2)) m.to.x = m.from.x, m.to.z = m.from.z;
    if (prop_chance(p, 0.05)) m.to = m.from;
    return m;
}

static void a_sweep_stops_where_every_triangle_says(void **state) {
    (void)state;
    int hits = 0, inside = 0, missed = 0, lies = 0;
    for (int kind = 0; kind < SAMPLE; ++kind) {
        world w = world_of(kind);
        int *ball = malloc((size_t)(w.all.count / 32 + 1) * sizeof *ball);
        for (prop p = prop_begin("sweep", kind < NET ? 120 : 80); prop_next(&p);) {
            move m = any_move(&p, &w.all);
            karst_sweep got = {0}, lie = {0};
            prop_check(&p, !karst_ground_sweep(w.ground, m.from, m.to, m.radius, &got));
            const char *wrong = wrong_with(&w.all, ball, m.from, m.to, m.radius, &got);
            if (wrong) print_message("kind %d: %s\n", kind, wrong);
            prop_check(&p, !wrong);
            hits += got.hit && got.t > 0, inside += got.hit && got.depth_m > 0, missed += !got.hit;
            if (p.at % 4) continue;
            // Control: a sphere that is smaller than it says.
            assert_int_equal(karst_ground_sweep(w.ground, m.from, m.to, 0.95 * m.radius, &lie), KARST_OK);
            lies += wrong_with(&w.all, ball, m.from, m.to, m.radius, &lie) != NULL;
        }
        free(ball);
        world_free(&w);
    }
    assert_true(hits > test_count(150) && inside > test_count(80) && missed > test_count(40) && lies > test_count(60));
}

static void the_nearest_ground_is_that_of_every_triangle(void **state) {
    (void)state;
    int found = 0, missed = 0;
    for (int kind = 0; kind < SAMPLE; kind += 2) {
        world w = world_of(kind);
        int *ball = malloc((size_t)(w.all.count / 32 + 1) * sizeof *ball);
        for (prop p = prop_begin("nearest", 120); prop_next(&p);) {
            karst_pos at = place_by(&p, &w.all, 20);
            double within = exp(prop_real(&p, log(1), log(100)));
            karst_nearest got;
            prop_check(&p, !karst_ground_nearest(w.ground, at, within, &got));
            double want = distance(&w.all, ball, balls_near(&w.all, at, at, within, ball), at);
            if (fabs(want - within) > 1e-6) prop_check(&p, got.found == (want < within));
            found += got.found, missed += !got.found;
            if (!got.found) continue;
            prop_near(&p, got.distance_m, want, 1e-8);
            prop_near(&p, length_of(minus(got.position, at)), want, 1e-8);
        }
        free(ball);
        world_free(&w);
    }
    assert_true(found > test_count(40) && missed >= test_count(8));
}

// Straight at vertices, edges and faces, and from where it touches already.
static void a_sphere_finds_vertices_and_edges_and_leaves_what_it_touches(void **state) {
    (void)state;
    world w = world_of(ROUGH);
    int *ball = malloc((size_t)(w.all.count / 32 + 1) * sizeof *ball);
    for (prop p = prop_begin("sweep aimed", 150); prop_next(&p);) {
        const karst_triangle *t = &w.all.triangle[prop_int(&p, 0, w.all.count - 1)];
        double u = prop_chance(&p, 0.4) ? 0 : prop_real(&p, 0, 1), radius = prop_real(&p, 0.1, 2);
        karst_pos target = along(t->corner[0], u, minus(t->corner[1], t->corner[0]));
        karst_pos from = along(target, 1, (karst_pos){prop_real(&p, -5, 5), 30, prop_real(&p, -5, 5)});
        karst_sweep got, again;
        prop_check(&p, !karst_ground_sweep(w.ground, from, target, radius, &got) && got.hit && got.t < 1);
        prop_check(&p, !wrong_with(&w.all, ball, from, target, radius, &got));
        if (got.depth_m > 0) continue;
        // Away from what it touches it is free; back into it, it is stopped where it is.
        karst_pos away = along(got.centre, 0.01, got.normal), back = along(got.centre, -0.01, got.normal);
        prop_check(&p, !karst_ground_sweep(w.ground, got.centre, away, radius, &again));
        if (again.hit) prop_check(&p, again.t > 0 || again.depth_m < 1e-9);
        prop_check(&p, !karst_ground_sweep(w.ground, got.centre, back, radius, &again) && again.hit);
        prop_check(&p, again.t < 1e-6 && again.depth_m < 1e-9);
    }
    free(ball);
    world_free(&w);
}

// ---- a walk ----------------------------------------------------------------------------------------

static const double skin_m = 1e-4;  // kept between a walker and what it slides along

typedef struct walker {
    const karst_ground *ground;
    const soup *near_by;
    int *ball;
    karst_pos at;
    double radius;
    int contacts;
} walker;

// Go as far as the ground lets one, and slide on along what is touched.
static void slide(walker *w, karst_pos way, int most) {
    for (int k = 0; k < most; ++k) {
        karst_sweep s;
        assert_int_equal(karst_ground_sweep(w->ground, w->at, along(w->at, 1, way), w->radius, &s), KARST_OK);
        if (!s.hit) {
            w->at = along(w->at, 1, way);
            return;
        }
        ++w->contacts;
        int balls = balls_near(w->near_by, s.contact, s.contact, 0.01, w->ball);
        assert_true(distance(w->near_by, w->ball, balls, s.contact) < in_ground_m);
        w->at = along(s.centre, s.depth_m + skin_m, s.normal);
        way = along((karst_pos){0, 0, 0}, 1 - s.t, way);
        double into = dot(way, s.normal);
        if (into < 0) way = along(way, -into, s.normal);
    }
}

// Toward each place in turn by steps of 0.4 m, down to the ground after each. Least distance to it, less the radius.
static double walk(walker *w, const karst_pos *places, int count, int *roofed) {
    double least = INFINITY;
    for (int k = 0; k < count; ++k)
        for (int step = 0; step < 200; ++step) {
            karst_pos way = {places[k].x - w->at.x, 0, places[k].z - w->at.z};
            double left = length_of(way);
            if (left < 0.5) break;
            assert_true(step < 199);
            slide(w, along((karst_pos){0, 0, 0}, fmin(1, 0.4 / left), way), 6);
            slide(w, (karst_pos){0, -0.4, 0}, 1);
            int balls = balls_near(w->near_by, w->at, w->at, 2 * w->radius, w->ball);
            least = fmin(least, distance(w->near_by, w->ball, balls, w->at) - w->radius);
            *roofed += soup_blocked(w->ground, karst_ray_make(w->at, (karst_pos){0, 1, 0}));
        }
    return least;
}

// The triangles near a box, found without a tree.
static soup corridor(const karst_ground *ground, karst_box box) {
    soup s = {0};
    assert_int_equal(kst_near_by_chunks(ground, box, soup_take, &s), KARST_OK);
    s.ball = malloc((size_t)(s.count / 32 + 1) * sizeof *s.ball);
    for (int k = 0; k < (s.count + 31) / 32; ++k) {
        karst_box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (int i = 32 * k; i < 32 * k + 32 && i < s.count; ++i)
            for (int c = 0; c < 3; ++c) {
                karst_pos p = s.triangle[i].corner[c];
                b.min = (karst_pos){fmin(b.min.x, p.x), fmin(b.min.y, p.y), fmin(b.min.z, p.z)};
                b.max = (karst_pos){fmax(b.max.x, p.x), fmax(b.max.y, p.y), fmax(b.max.z, p.z)};
            }
        karst_pos middle = along(b.min, 0.5, minus(b.max, b.min));
        s.ball[k][0] = middle.x, s.ball[k][1] = middle.y, s.ball[k][2] = middle.z;
        s.ball[k][3] = 0.51 * length_of(minus(b.max, b.min));
    }
    return s;
}

static void a_sphere_walks_through_the_tunnel_and_over_the_arch(void **state) {
    (void)state;
    world w = world_of(SAMPLE);
    soup s = corridor(w.ground, (karst_box){{265, -10, 180}, {305, 40, 370}});
    walker one = {w.ground, &s, malloc((size_t)(s.count / 32 + 1) * sizeof(int)), {280, 30, 190}, 1, 0};
    int roofed = 0;
    karst_pos through[10];
    for (int k = 0; k < 10; ++k) {
        double u = k / 9.0;
        through[k] = (karst_pos){280 + 7 * sin(3.14159265 * u), 0, 203 + 143 * u};
    }
    through[9].z += 8;  // out of it
    slide(&one, (karst_pos){0, -40, 0}, 1);
    double least = walk(&one, through, 10, &roofed);
    assert_true(least > -in_ground_m && roofed > 200 && one.contacts > 300);
    assert_true(one.at.z > 353 && !soup_blocked(w.ground, karst_ray_make(one.at, (karst_pos){0, 1, 0})));
    soup_free(&s);
    free(one.ball);

    s = corridor(w.ground, (karst_box){{350, -10, 70}, {435, 80, 110}});
    karst_pos top = {380, 90, 88}, over[1] = {{404, 0, 88}};
    karst_hit hit = soup_hit(w.ground, karst_ray_make(top, (karst_pos){0, -1, 0}));
    top.y = hit.position.y + 3;
    walker two = {w.ground, &s, malloc((size_t)(s.count / 32 + 1) * sizeof(int)), top, 1, 0};
    slide(&two, (karst_pos){0, -4, 0}, 1);
    roofed = 0;
    least = walk(&two, over, 1, &roofed);
    karst_level level[8];
    int count;
    assert_int_equal(karst_ground_heights(w.ground, two.at.x, two.at.z, level, 8, &count), KARST_OK);
    assert_true(least > -in_ground_m && roofed == 0 && two.contacts > 50);
    assert_true(count >= 3 && two.at.y > level[0].y && level[0].y - level[2].y > 15);
    soup_free(&s);
    free(two.ball);
    world_free(&w);
}

// ---- corners of the matter ---------------------------------------------------------------------------

static void triangles_without_area_are_edges_or_places(void **state) {
    (void)state;
    kst_mover m = {{0, -10, 0}, 1, 100, 1e-14};
    const kst_v3 line[3] = {{-4, -6, 0}, {4, -6, 0}, {1, -6, 0}}, dot_[3] = {{0.6, -6, 0}, {0.6, -6, 0}, {0.6, -6, 0}};
    const kst_v3 *const shape[2] = {line, dot_};
    const double want[2] = {0.5, 0.52};
    for (int k = 0; k < 2; ++k) {
        double t = 1, depth;
        assert_true(kst_mover_touch(&m, shape[k], &t, &depth) && depth == 0 && fabs(t - want[k]) < 1e-15);
        kst_v3 near = kst_nearest_on(shape[k], (kst_v3){9, 0, 0});
        assert_true(near.x == (k ? 0.6 : 4) && near.y == -6 && near.z == 0);
    }
    const kst_v3 aside[3] = {{-4, -6, 1.5}, {4, -6, 1.5}, {1, -6, 1.5}};
    double t = 1, depth;
    assert_false(kst_mover_touch(&m, aside, &t, &depth));
}

enum { THREADS = 4, THREAD_SWEEPS = 300 };

typedef struct answers {
    const world *w;
    karst_sweep sweep[THREAD_SWEEPS];
} answers;

static void *sweep_many(void *context) {
    answers *a = context;
    int k = 0;
    memset(a->sweep, 0, sizeof a->sweep);
    for (prop p = prop_begin("sweep threads", THREAD_SWEEPS); prop_next(&p) && k < THREAD_SWEEPS; ++k) {
        move m = any_move(&p, &a->w->all);
        if (karst_ground_sweep(a->w->ground, m.from, m.to, m.radius, &a->sweep[k])) return NULL;
    }
    return a;
}

static bool is_same_sweep(const karst_sweep *a, const karst_sweep *b) {
    return a->hit == b->hit && !memcmp(&a->t, &b->t, sizeof a->t) && !memcmp(&a->depth_m, &b->depth_m, sizeof a->t) &&
           !memcmp(&a->contact, &b->contact, sizeof a->contact) && !memcmp(&a->place, &b->place, sizeof a->place);
}

static void many_threads_get_the_same_answers(void **state) {
    (void)state;
    for (int kind = ROUGH; kind <= NET; kind += NET) {
        world w = world_of(kind);
        answers *a = calloc(THREADS, sizeof *a);
        pthread_t thread[THREADS];
        for (int k = 0; k < THREADS; ++k) {
            a[k].w = &w;
            assert_int_equal(pthread_create(&thread[k], NULL, sweep_many, &a[k]), 0);
        }
        for (int k = 0; k < THREADS; ++k) {
            void *good;
            assert_int_equal(pthread_join(thread[k], &good), 0);
            assert_non_null(good);
            for (int i = 0; i < THREAD_SWEEPS; ++i) assert_true(is_same_sweep(&a[k].sweep[i], &a[0].sweep[i]));
        }
        free(a);
        world_free(&w);
    }
}

static void nonsense_is_refused(void **state) {
    (void)state;
    world w = world_of(OVERHANG);
    karst_sweep s = {.t = 7};
    karst_nearest n = {.distance_m = 7};
    karst_pos good = {0, 0, 0}, bad = {0, NAN, 0}, huge = {1e200, 0, 0};
    assert_int_equal(karst_ground_sweep(w.ground, bad, good, 1, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_ground_sweep(w.ground, good, huge, 1, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_ground_sweep(w.ground, good, good, 0, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_ground_sweep(w.ground, good, good, NAN, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_ground_nearest(w.ground, bad, 1, &n), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_ground_nearest(w.ground, good, -1, &n), KARST_ERROR_ARGUMENT);
    assert_true(s.t == 7 && n.distance_m == 7);
    // From far outside, through all of it and out again.
    karst_box box = karst_ground_bounds(w.ground);
    karst_pos from = {96, box.max.y + 1e6, 96}, to = {96, box.min.y - 1e6, 96};
    assert_int_equal(karst_ground_sweep(w.ground, from, to, 0.3, &s), KARST_OK);
    assert_true(s.hit && s.t > 0.4 && s.t < 0.6);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_triangle_near_a_box_is_missed),
        cmocka_unit_test(a_sweep_stops_where_every_triangle_says),
        cmocka_unit_test(the_nearest_ground_is_that_of_every_triangle),
        cmocka_unit_test(a_sphere_finds_vertices_and_edges_and_leaves_what_it_touches),
        cmocka_unit_test(a_sphere_walks_through_the_tunnel_and_over_the_arch),
        cmocka_unit_test(triangles_without_area_are_edges_or_places),
        cmocka_unit_test(many_threads_get_the_same_answers),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
