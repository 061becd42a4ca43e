// SPDX-License-Identifier: MIT
// Brushes on nets: what lies outside stays, what was smooth stays smooth, and the ground stays closed.
#include "edit/net_sculpt.h"

#include "edit/net_smooth.h"
#include "edit/net_strokes.h"
#include "support/net.h"

static double distance(const karst_net *net, const int32_t at[3], karst_pos c) {
    double step = ldexp(1, net->step_log2);
    double x = net->origin.x + at[0] * step - c.x, y = net->origin.y + at[1] * step - c.y,
           z = net->origin.z + at[2] * step - c.z;
    return sqrt(x * x + y * y + z * z);
}

static bool is_in(const karst_net_sculptor *s, const karst_net *was, int32_t corner, karst_pos centre, double radius) {
    karst_net_sculptor then = *s;
    then.net = (karst_net *)was;
    for (int k = 0; k < kst_star_size(s, corner); ++k)
        if (distance(was, kst_star_point(&then, corner, k).at, centre) < radius) return true;
    return false;
}

static void what_has_nothing_in_the_sphere_keeps_every_bit(void **state) {
    (void)state;
    karst_net *net = net_of(24);
    karst_net_sculptor *s;
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    int moved = 0, beside = 0, stars_out = 0;
    for (prop p = prop_begin("net_outside", 120); prop_next(&p);) {
        karst_net *was = net_copy(net);
        karst_brush_def d = any_brush(&p, 40);
        if (d.kind == KARST_BRUSH_GRAB || d.kind == KARST_BRUSH_PULL) d.kind = KARST_BRUSH_RAISE;
        karst_stroke_point at = any_point(&p, net);
        karst_touched touched;
        karst_status status = draw(s, &d, at, 1, 0, &touched);
        prop_check(&p, !status || status == KARST_ERROR_LIMIT);
        for (int32_t k = 0; k < net->corner_count; ++k) {
            if (net->corners[k].edge != KARST_NET_NONE) continue;
            bool star_in = is_in(s, was, k, at.position, d.radius_m);
            bool corner_in = distance(was, was->corners[k].at, at.position) < d.radius_m;
            bool corner_stays = !memcmp(net->corners[k].at, was->corners[k].at, sizeof was->corners[k].at);
            prop_check(&p, corner_in || corner_stays);
            moved += !corner_stays;
            karst_net_sculptor then = *s;
            then.net = was;
            for (int i = 0; i < kst_star_size(s, k); ++i) {
                const int32_t *a = kst_star_point(s, k, i).at, *b = kst_star_point(&then, k, i).at;
                bool stays = !memcmp(a, b, 3 * sizeof *a);
                prop_check(&p, star_in || stays);
                // Control: without the star's rule, points out of the sphere do move.
                beside += !stays && distance(was, b, at.position) >= d.radius_m;
            }
            stars_out += !star_in;
        }
        karst_net_destroy(was);
    }
    assert_true(moved > 20 && beside > 20 && stars_out > 1000);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
}

// How much more the worst edge folds that was smooth before, where spans meet and between [degrees].
static void folds(const karst_net *was, const karst_net *now, double *ends, double *between) {
    karst_net_links l;
    assert_int_equal(karst_net_links_make(was, &l), KARST_OK);
    *ends = *between = 0;
    int count = 0;
    for (int32_t k = 0; k < was->edge_count; ++k) {
        double before = edge_angle(was, &l, k, false);
        if (before > 0.5) continue;
        ++count;
        double e = edge_angle(now, &l, k, true) - edge_angle(was, &l, k, true),
               b = edge_angle(now, &l, k, false) - before;
        if (e > *ends) *ends = e;
        if (b > *between) *between = b;
    }
    assert_true(count > 500);
    karst_net_links_free(&l);
}

// The same dab on each point by itself, by its own place: what stars are there against.
static void raise_points_alone(karst_net *net, const karst_brush_def *d, karst_pos centre) {
    double steps = d->strength / ldexp(1, net->step_log2);
    karst_net_links l;
    int32_t *all = malloc((size_t)net->patch_count * sizeof *all);
    assert_int_equal(karst_net_links_make(net, &l), KARST_OK);
    for (int32_t k = 0; k < net->corner_count; ++k) {
        int32_t *at = net->corners[k].at;
        if (net->corners[k].edge == KARST_NET_NONE)
            at[1] += (int32_t)(steps * (double)karst_brush_weight(d, distance(net, at, centre) / d->radius_m));
    }
    for (int32_t k = 0; k < 2 * net->edge_count; ++k) {
        int32_t *at = net->edges[k / 2].handle[k & 1];
        at[1] += (int32_t)(steps * (double)karst_brush_weight(d, distance(net, at, centre) / d->radius_m));
    }
    for (int32_t k = 0; k < 4 * net->patch_count; ++k) {
        int32_t *at = net->patches[k / 4].inner[k & 3];
        at[1] += (int32_t)(steps * (double)karst_brush_weight(d, distance(net, at, centre) / d->radius_m));
        all[k / 4] = k / 4;
    }
    assert_int_equal(karst_net_moved(net, &l, all, net->patch_count, NULL), KARST_OK);
    karst_net_links_free(&l);
    free(all);
}

static void smooth_joins_stay_smooth(void **state) {
    (void)state;
    karst_net *start = net_of(40);
    for (prop p = prop_begin("net_smooth", 12); prop_next(&p);) {
        karst_net *net = net_copy(start);
        karst_net_sculptor *s;
        assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
        for (int k = 0; k < 10; ++k) {
            karst_brush_def d = any_brush(&p, 40);
            if (d.kind == KARST_BRUSH_SHARPEN) d.kind = KARST_BRUSH_SMOOTH;  // folds are what it is for
            d.strength *= 0.5;
            karst_touched touched;
            karst_status status = draw(s, &d, any_point(&p, net), 5, 10, &touched);
            prop_check(&p, !status || status == KARST_ERROR_LIMIT);
        }
        double ends, between;
        folds(start, net, &ends, &between);
        prop_check(&p, ends < 0.5);
        prop_check(&p, between < 1);
        karst_net_sculptor_destroy(s);
        karst_net_destroy(net);
    }
    // Control: points that go by their own place alone.
    karst_net *net = net_copy(start);
    karst_brush_def d = karst_brush_def_default();
    d.radius_m = 20, d.strength = 4;
    double ends, between, step = ldexp(1, net->step_log2);
    const int32_t *at = net->corners[net->corner_count / 3].at;
    raise_points_alone(
        net, &d, (karst_pos){net->origin.x + at[0] * step, net->origin.y + at[1] * step, net->origin.z + at[2] * step});
    folds(start, net, &ends, &between);
    assert_true(ends > 3);
    karst_net_destroy(net), karst_net_destroy(start);
}

// ---- symmetry ---------------------------------------------------------------------------------------------

// Ground that is its own image across x = 0, as patches of 16 m.
static karst_net *mirrored_net(int side) {
    karst_pos *places = malloc((size_t)((side + 1) * (side + 1)) * sizeof *places);
    int32_t(*quads)[4] = malloc((size_t)(side * side) * sizeof *quads);
    for (int j = 0; j <= side; ++j)
        for (int i = 0; i <= side; ++i) {
            double x = 16.0 * (i - side / 2), z = 16.0 * j;
            places[j * (side + 1) + i] = (karst_pos){x, 0.02 * (x * x) / 16 + 3 * sin(z * 0.05), z};
        }
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            int32_t v = j * (side + 1) + i, q[4] = {v, v + 1, v + side + 2, v + side + 1};
            memcpy(quads[j * side + i], q, sizeof q);
        }
    karst_net_cage cage = {.places = places,
                           .place_count = (side + 1) * (side + 1),
                           .quads = (const int32_t(*)[4])quads,
                           .quad_count = side * side};
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    if (karst_net_from_cage(net, &cage, &report)) fail_msg("%s", report.message);
    free(places), free(quads);
    return net;
}

// The most that ways of corners differ from those of their images [steps].
static int unlike_images(const karst_net *was, const karst_net *now, int side) {
    int most = 0;
    for (int j = 0; j <= side; ++j)
        for (int i = 0; i <= side; ++i) {
            int a = j * (side + 1) + i, b = j * (side + 1) + side - i;
            for (int axis = 0; axis < 3; ++axis) {
                int one = now->corners[a].at[axis] - was->corners[a].at[axis],
                    two = now->corners[b].at[axis] - was->corners[b].at[axis];
                int off = abs(axis == 0 ? one + two : one - two);
                if (off > most) most = off;
            }
        }
    return most;
}

static void mirrored_strokes_make_mirrored_ground(void **state) {
    (void)state;
    enum { SIDE = 12 };
    karst_net *start = mirrored_net(SIDE);
    int control = 0;
    for (prop p = prop_begin("net_mirror", 60); prop_next(&p);) {
        karst_brush_def d = any_brush(&p, 50);
        if (d.kind == KARST_BRUSH_NOISE) d.along = KARST_ALONG_VERTICAL;
        karst_stroke_point at = any_point(&p, start);
        for (int mirror = 0; mirror < 2; ++mirror) {
            karst_net *net = net_copy(start);
            karst_net_sculptor *s;
            karst_touched touched;
            d.mirror_x = mirror;
            assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
            prop_check(&p, draw(s, &d, at, 3, 6, &touched) == KARST_OK);
            int off = unlike_images(start, net, SIDE);
            if (mirror)
                prop_check(&p, off <= 2);
            else
                control += off > 10;
            karst_net_sculptor_destroy(s);
            karst_net_destroy(net);
        }
    }
    assert_true(control > test_count(60) / 3);
    karst_net_destroy(start);
}

// ---- order ----------------------------------------------------------------------------------------------------

static int32_t *shuffled(prop *p, int32_t count) {
    int32_t *to = malloc(((size_t)count + 1) * sizeof *to);
    for (int32_t k = 0; k < count; ++k) to[k] = k;
    for (int32_t k = count - 1; k > 0; --k) {
        int32_t other = prop_int(p, 0, k), swap = to[k];
        to[k] = to[other], to[other] = swap;
    }
    return to;
}

// The same net with element k numbered to[k].
static karst_net *renumbered(const karst_net *net, const int32_t *corner, const int32_t *edge, const int32_t *patch) {
    karst_net *out = net_copy(net);
    for (int32_t k = 0; k < net->corner_count; ++k) {
        karst_net_corner *c = &out->corners[corner[k]];
        *c = net->corners[k];
        if (c->edge != KARST_NET_NONE) c->edge = edge[c->edge];
    }
    for (int32_t k = 0; k < net->edge_count; ++k) {
        karst_net_edge *e = &out->edges[edge[k]];
        *e = net->edges[k];
        for (int end = 0; end < 2; ++end) e->corner[end] = corner[e->corner[end]];
    }
    for (int32_t k = 0; k < net->patch_count; ++k) {
        karst_net_patch *q = &out->patches[patch[k]];
        *q = net->patches[k];
        for (int side = 0; side < 4; ++side) q->side[side].edge = edge[q->side[side].edge];
    }
    assert_int_equal(karst_net_finish(out, NULL), KARST_OK);
    return out;
}

static void how_elements_are_numbered_does_not_matter(void **state) {
    (void)state;
    karst_net *start = net_of(16);
    int unlike_start = 0;
    for (prop p = prop_begin("net_order", 12); prop_next(&p);) {
        int32_t *corner = shuffled(&p, start->corner_count), *edge = shuffled(&p, start->edge_count),
                *patch = shuffled(&p, start->patch_count);
        karst_net *a = net_copy(start), *b = renumbered(start, corner, edge, patch);
        for (int32_t k = 0; k < a->corner_count; ++k)  // the sum of normals may end in another bit
            memcpy(b->corners[corner[k]].facing, a->corners[k].facing, sizeof a->corners[k].facing),
                a->corners[k].kept = b->corners[corner[k]].kept = true;
        karst_net_sculptor *one, *two;
        assert_int_equal(karst_net_sculptor_create(a, NULL, &one), KARST_OK);
        assert_int_equal(karst_net_sculptor_create(b, NULL, &two), KARST_OK);
        for (int k = 0; k < 8; ++k) {
            karst_brush_def d = any_brush(&p, 40);
            karst_stroke_point at = any_point(&p, a);
            karst_touched x, y;
            prop_check(&p, draw(one, &d, at, 3, 6, &x) == draw(two, &d, at, 3, 6, &y));
        }
        karst_net *back = renumbered(a, corner, edge, patch);
        prop_check(&p, net_same(back, b));
        unlike_start += !net_same(a, start);
        karst_net_destroy(back), karst_net_destroy(a), karst_net_destroy(b);
        karst_net_sculptor_destroy(one), karst_net_sculptor_destroy(two);
        free(corner), free(edge), free(patch);
    }
    assert_true(unlike_start > 0);
    karst_net_destroy(start);
}

// ---- whole ----------------------------------------------------------------------------------------------------

static void zones_are_closed_after_any_stroke(void **state) {
    (void)state;
    karst_net *net = net_of(24);
    karst_net_sculptor *s;
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    size_t closed, open;
    for (prop p = prop_begin("net_closed", 8); prop_next(&p);) {
        for (int k = 0; k < 6; ++k) {
            karst_brush_def d = any_brush(&p, 40);
            karst_touched touched;
            karst_status status = draw(s, &d, any_point(&p, net), 4, 8, &touched);
            prop_check(&p, !status || status == KARST_ERROR_LIMIT);
        }
        karst_net *whole = net_copy(net);
        prop_check(&p, whole && net_same(whole, net));
        scene_zones zones;
        prop_check(&p, !scene_zones_cut(net, NULL, &zones));
        prop_check(&p, cracks_of(&zones, &closed, &open) == 0 && closed > 50000);
        scene_zones_free(&zones);
        karst_net_destroy(whole);
    }
    // Control: a zone of before among those of after.
    scene_zones old, new;
    assert_int_equal(scene_zones_cut(net, NULL, &old), KARST_OK);
    karst_brush_def d = karst_brush_def_default();
    karst_touched touched;
    d.radius_m = 40, d.strength = 2;
    assert_int_equal(draw(s, &d, karst_stroke_point_at(160, 160), 1, 0, &touched), KARST_OK);
    assert_int_equal(scene_zones_cut(net, NULL, &new), KARST_OK);
    assert_int_equal(cracks_of(&new, &closed, &open), 0);
    karst_zone *mine = new.zones[0];
    assert_int_equal(old.zones[0]->zone_x, mine->zone_x);
    new.zones[0] = old.zones[0];
    assert_true(cracks_of(&new, &closed, &open) > 0);
    new.zones[0] = mine;
    scene_zones_free(&old), scene_zones_free(&new);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
}

static void a_grab_of_many_events_is_one_from_first_to_last(void **state) {
    (void)state;
    karst_net *start = net_of(16);
    int changed = 0;
    for (prop p = prop_begin("net_grab", 20); prop_next(&p);) {
        karst_brush_def d = any_brush(&p, 50);
        d.kind = KARST_BRUSH_GRAB;
        d.strength = 1;
        karst_stroke_point from = any_point(&p, start), to = from;
        karst_net *nets[2] = {net_copy(start), net_copy(start)};
        for (int way = 0; way < 2; ++way) {
            karst_net_sculptor *s;
            karst_stroke *stroke;
            karst_touched touched;
            assert_int_equal(karst_net_sculptor_create(nets[way], NULL, &s), KARST_OK);
            assert_int_equal(karst_net_stroke_create(s, &d, NULL, NULL, &stroke), KARST_OK);
            for (int k = 0; k <= 10; k += way ? 10 : 1) {
                to.position = (karst_pos){from.position.x + 0.3 * k, from.position.y + 0.5 * k, from.position.z};
                prop_check(&p, !karst_stroke_add(stroke, &to));
            }
            prop_check(&p, !karst_stroke_end(stroke, &touched));
            karst_stroke_destroy(stroke);
            karst_net_sculptor_destroy(s);
        }
        prop_check(&p, net_same(nets[0], nets[1]));
        changed += !net_same(nets[0], start);
        karst_net_destroy(nets[0]), karst_net_destroy(nets[1]);
    }
    assert_true(changed > 0);
    karst_net_destroy(start);
}

static void what_changed_is_told_once(void **state) {
    (void)state;
    karst_net *net = net_of(24);
    karst_net_sculptor *s;
    bool *told = calloc((size_t)net->patch_count, sizeof *told);
    int changed = 0, same = 0;
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    for (prop p = prop_begin("net_changed", 20); prop_next(&p);) {
        karst_net *was = net_copy(net);
        karst_brush_def d = any_brush(&p, 40);
        karst_touched touched;
        karst_status status = draw(s, &d, any_point(&p, net), 3, 6, &touched);
        prop_check(&p, !status || status == KARST_ERROR_LIMIT);
        const int32_t *list;
        memset(told, 0, (size_t)net->patch_count * sizeof *told);
        for (int32_t k = karst_net_sculptor_changed(s, &list); k > 0; --k) told[list[k - 1]] = true;
        for (int32_t k = 0; k < net->patch_count; ++k) {
            int32_t a[16][3], b[16][3];
            karst_net_patch_at(net, k, a), karst_net_patch_at(was, k, b);
            bool stays = !memcmp(a, b, sizeof a);
            prop_check(&p, stays || told[k]);
            changed += !stays, same += !told[k];
        }
        prop_check(&p, karst_net_sculptor_changed(s, &list) == 0);
        karst_net_destroy(was);
    }
    assert_true(changed > test_count(50) && same > test_count(1000));
    free(told);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
}

static void weak_dabs_add_up_within_a_stroke(void **state) {
    (void)state;
    karst_net *net = mirrored_net(8);
    int32_t corner = 4 * 9 + 4, before = net->corners[corner].at[1];
    karst_net_sculptor *s;
    karst_touched touched;
    karst_brush_def d = karst_brush_def_default();
    d.radius_m = 30, d.strength = 0.001, d.spacing = 0.005;  // a quarter of a step each
    karst_stroke_point p = karst_stroke_point_at(0, 0);
    p.kind = KARST_POINT_SPACE;
    p.position = (karst_pos){0, before / 256.0, 64};
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    assert_int_equal(draw(s, &d, p, 1, 0, &touched), KARST_OK);
    assert_int_equal(net->corners[corner].at[1], before);  // the control: one alone moves nothing
    assert_int_equal(draw(s, &d, p, 40, 6, &touched), KARST_OK);
    assert_true(touched.dabs >= 38);
    assert_true(net->corners[corner].at[1] >= before + 8);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
}

static void a_stamp_presses_its_heights(void **state) {
    (void)state;
    karst_net *net = mirrored_net(8), *was = net_copy(net);
    karst_stamp *stamp;
    assert_int_equal(karst_stamp_create(8, 8, 1, &stamp), KARST_OK);
    for (int k = 0; k < 64; ++k) stamp->samples[k] = k % 8 < 4 ? 1.0f : 0.0f;  // the left half
    karst_net_sculptor *s;
    karst_touched touched;
    karst_brush_def d = karst_brush_def_default();
    d.kind = KARST_BRUSH_STAMP, d.stamp = stamp, d.falloff = KARST_FALLOFF_FLAT, d.radius_m = 60, d.strength = 2;
    karst_stroke_point at = karst_stroke_point_at(0, 64);
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    assert_int_equal(draw(s, &d, at, 1, 0, &touched), KARST_OK);
    int left = 4 * 9 + 2, right = 4 * 9 + 6;
    assert_int_equal(net->corners[left].at[1], was->corners[left].at[1] + 2 * 256);
    assert_int_equal(net->corners[right].at[1], was->corners[right].at[1]);
    karst_net_sculptor_destroy(s);
    karst_net *other = mirrored_net(4);
    assert_int_equal(karst_net_sculptor_create(net, other, &s), KARST_ERROR_ARGUMENT);
    karst_stamp_destroy(stamp);
    karst_net_destroy(net), karst_net_destroy(was), karst_net_destroy(other);
}

static void restore_brings_back_what_was(void **state) {
    (void)state;
    karst_net *net = net_of(16), *begin = net_copy(net);
    karst_net_sculptor *s;
    karst_touched touched;
    assert_int_equal(karst_net_sculptor_create(net, begin, &s), KARST_OK);
    karst_brush_def d = karst_brush_def_default();
    karst_stroke_point p = karst_stroke_point_at(0, 0);
    p.kind = KARST_POINT_SPACE;
    p.position = (karst_pos){128, 0, 128};
    d.radius_m = 60, d.strength = 3;
    assert_int_equal(draw(s, &d, p, 3, 20, &touched), KARST_OK);
    assert_false(net_same(net, begin));
    d.kind = KARST_BRUSH_RESTORE, d.toward = KARST_TOWARD_REFERENCE, d.falloff = KARST_FALLOFF_FLAT;
    d.radius_m = 2000, d.strength = 1;
    assert_int_equal(draw(s, &d, p, 1, 0, &touched), KARST_OK);
    for (int32_t k = 0; k < net->corner_count; ++k)
        if (net->corners[k].edge == KARST_NET_NONE)
            assert_memory_equal(net->corners[k].at, begin->corners[k].at, sizeof net->corners[k].at);
    d.toward = KARST_TOWARD_BASE;
    karst_stroke *stroke;
    assert_int_equal(karst_net_stroke_create(s, &d, NULL, NULL, &stroke), KARST_ERROR_ARGUMENT);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net), karst_net_destroy(begin);
}

static void a_dab_beyond_the_limits_is_not_made(void **state) {
    (void)state;
    karst_net *net = net_of(16), *was = net_copy(net);
    karst_net_sculptor *s;
    karst_touched touched;
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    karst_brush_def d = karst_brush_def_default();
    d.radius_m = 20;
    for (int k = 0; k < 2; ++k) {
        d.strength = k ? 1e6 : 400;
        karst_stroke_point p = karst_stroke_point_at(128, 128);
        assert_int_equal(draw(s, &d, p, 1, 0, &touched), KARST_ERROR_LIMIT);
        assert_true(net->finished && net_same(net, was));
    }
    d.strength = 1;
    assert_int_equal(draw(s, &d, karst_stroke_point_at(128, 128), 1, 0, &touched), KARST_OK);
    assert_false(net_same(net, was));
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net), karst_net_destroy(was);
}

// Places on patches, met from outside along their normals.
static void rays_meet_the_patches(void **state) {
    (void)state;
    karst_net *net = net_of(24);
    karst_net_sculptor *s;
    double step = ldexp(1, net->step_log2);
    int met = 0, top = 0;
    assert_int_equal(karst_net_sculptor_create(net, NULL, &s), KARST_OK);
    for (prop p = prop_begin("net_cast", 400); prop_next(&p);) {
        int32_t patch = prop_int(&p, 0, net->patch_count - 1);
        karst_pos n, hit, at = patch_place(net, patch, prop_real(&p, 0, 1), prop_real(&p, 0, 1), &n);
        at = kst_sum(net->origin, kst_times(at, step));
        karst_ray ray = karst_ray_make(kst_sum(at, kst_times(n, 0.5)), kst_times(n, -1));
        prop_check(&p, kst_net_cast(s, &ray, &hit));
        karst_pos off = kst_difference(hit, at);
        prop_check(&p, kst_dot(off, off) < 0.3 * 0.3);
        ++met;
        double y;
        prop_check(&p, kst_net_top(s, at.x, at.z, &y) && y > at.y - 0.3);
        top += fabs(y - at.y) < 0.3;
        ray = karst_ray_make((karst_pos){at.x, 1e4, at.z}, (karst_pos){0, 1, 0});
        prop_check(&p, !kst_net_cast(s, &ray, &hit));  // the control: away from it
    }
    assert_true(met > 0 && top * 2 > met);
    karst_net_sculptor_destroy(s);
    karst_net_destroy(net);
}

static void running_out_of_memory_leaves_the_net(void **state) {
    (void)state;
    karst_net *net = net_of(16), *was = net_copy(net);
    karst_brush_def d = karst_brush_def_default();
    d.radius_m = 30;
    for (uint64_t n = 1;; ++n) {
        karst_net_sculptor *s = NULL;
        karst_touched touched;
        kst_alloc_fail_after(n);
        karst_status status = karst_net_sculptor_create(net, NULL, &s);
        if (!status) status = draw(s, &d, karst_stroke_point_at(128, 128), 1, 0, &touched);
        kst_alloc_fail_after(0);
        karst_net_sculptor_destroy(s);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_true(net->finished && net_same(net, was));
    }
    assert_false(net_same(net, was));
    karst_net_destroy(net), karst_net_destroy(was);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_nothing_in_the_sphere_keeps_every_bit),
        cmocka_unit_test(smooth_joins_stay_smooth),
        cmocka_unit_test(mirrored_strokes_make_mirrored_ground),
        cmocka_unit_test(how_elements_are_numbered_does_not_matter),
        cmocka_unit_test(zones_are_closed_after_any_stroke),
        cmocka_unit_test(a_grab_of_many_events_is_one_from_first_to_last),
        cmocka_unit_test(what_changed_is_told_once),
        cmocka_unit_test(weak_dabs_add_up_within_a_stroke),
        cmocka_unit_test(a_stamp_presses_its_heights),
        cmocka_unit_test(restore_brings_back_what_was),
        cmocka_unit_test(a_dab_beyond_the_limits_is_not_made),
        cmocka_unit_test(rays_meet_the_patches),
        cmocka_unit_test(running_out_of_memory_leaves_the_net),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
