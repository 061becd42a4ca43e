// SPDX-License-Identifier: MIT
// Rays and heights of zones of curved patches against their finest triangles, every one of them.
#include "karst/zoneground.h"
#include "scenes/nets.h"
#include "support/prop.h"
#include "support/soup.h"
#include "surface/zone_ground.h"
#include "surface/zone_record.h"

// ---- one ground for most of the tests --------------------------------------------------------------

typedef struct world {
    karst_net *net;
    scene_zones zones;
    karst_zone_ground *zone_ground;
    const karst_ground *ground;
} world;

static const karst_pos near_origin = {0, 0, 0}, far_origin = {1000000.3, -17.2, -999999.9};

static world world_of(int slot, karst_pos origin) {
    world w = {0};
    scene_net_def def = {.side = 16, .slot = (uint8_t)slot, .tiles_log2 = 3, .noise_set = 2};
    assert_int_equal(scene_net(&def, NULL, &w.net), KARST_OK);
    assert_int_equal(scene_zones_cut(w.net, NULL, &w.zones), KARST_OK);
    assert_int_equal(karst_zone_ground_create(origin, NULL, &w.zone_ground), KARST_OK);
    assert_int_equal(
        karst_zone_ground_add(w.zone_ground, (const karst_zone *const *)w.zones.zones, (uint32_t)w.zones.count, NULL),
        KARST_OK);
    w.ground = karst_zone_ground_of(w.zone_ground);
    return w;
}

static void world_free(world *w) {
    karst_zone_ground_destroy(w->zone_ground);
    scene_zones_free(&w->zones);
    karst_net_destroy(w->net);
}

static karst_pos minus(karst_pos a, karst_pos b) {
    return (karst_pos){a.x - b.x, a.y - b.y, a.z - b.z};
}
static karst_pos between(karst_pos a, karst_pos b, double share) {
    return (karst_pos){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
}
static double length_of(karst_pos p) {
    return sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
}
static karst_pos inside(prop *p, karst_box b, double out) {
    double x = out * (b.max.x - b.min.x), y = out * (b.max.y - b.min.y), z = out * (b.max.z - b.min.z);
    return (karst_pos){prop_real(p, b.min.x - x, b.max.x + x), prop_real(p, b.min.y - y, b.max.y + y),
                       prop_real(p, b.min.z - z, b.max.z + z)};
}

// ---- rays ------------------------------------------------------------------------------------------

// True when the ground's answer may be that of its triangles.
static bool agrees(const karst_ground *ground, const soup *s, const karst_ray *ray, karst_hit *out) {
    karst_hit hit = soup_hit(ground, *ray);
    soup_verdict v = soup_cast(s, ray, 1e-7L);
    double length = length_of(ray->direction);
    *out = hit;
    if ((v.sure && !hit.hit) || (hit.hit && !v.perhaps) || soup_blocked(ground, *ray) != hit.hit) return false;
    return !hit.hit || (hit.t * length <= (double)(v.sure ? v.sure_t : INFINITY) * length + 1e-4 &&
                        hit.t * length >= (double)v.perhaps_t * length - 1e-4);
}

static karst_ray any_ray(prop *p, karst_box box) {
    karst_pos from = inside(p, box, prop_chance(p, 0.6) ? 0 : 3), to = inside(p, box, 0);
    karst_ray ray = karst_ray_make(from, minus(to, from));
    if (prop_chance(p, 0.2)) ray.direction.y = 0;
    if (prop_chance(p, 0.1)) ray.direction.x = 0;
    if (prop_chance(p, 0.1)) ray.direction.z = 0;
    if (length_of(ray.direction) == 0) ray.direction.y = 1;
    if (prop_chance(p, 0.3)) ray.t_min = prop_real(p, -1, 0.5);
    if (prop_chance(p, 0.3)) ray.t_max = prop_real(p, ray.t_min, 1.5);
    return ray;
}

static void rays_meet_what_every_triangle_says(void **state) {
    (void)state;
    for (int far = 0; far < 2; ++far) {
        world w = world_of(15, far ? far_origin : near_origin);
        soup s = soup_of(w.ground);
        int hits = 0;
        for (prop p = prop_begin("zone ray", 300); prop_next(&p);) {
            karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
            karst_hit hit;
            prop_check(&p, agrees(w.ground, &s, &ray, &hit));
            if (!hit.hit) continue;
            ++hits;
            // The place names the triangle that was hit.
            const karst_zone *zone = w.zones.zones[hit.place.chunk];
            prop_check(&p, hit.place.column >= 0 && (uint32_t)hit.place.column < zone->patch_count);
            bool found = false;
            for (int k = 0; k < s.count && !found; ++k)
                if (!memcmp(&s.triangle[k].place, &hit.place, sizeof hit.place)) {
                    long double t, margin;
                    found = soup_meets(&s.triangle[k], &ray, &t, &margin) ? margin > -1e-6L : true;
                }
            prop_check(&p, found);
        }
        assert_true(hits > test_count(100));
        // Control: curves bent after their boxes were made. The triangles are new, the boxes are not.
        for (uint32_t k = 0; k < w.zones.zones[0]->record->curve_count; ++k)
            w.zones.zones[0]->record->curves[k].c[1].y += 2000;
        for (uint32_t k = 0; k < w.zones.zones[0]->patch_count; ++k)
            for (int i = 5; i < 11; ++i) w.zones.zones[0]->record->patches[k].c[i].y += 4000;
        soup bent = soup_of(w.ground);
        int wrong = 0;
        for (prop p = prop_begin("stale boxes", 200); prop_next(&p);) {
            karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
            karst_hit hit;
            wrong += !agrees(w.ground, &bent, &ray, &hit);
        }
        assert_true(wrong > test_count(20));
        soup_free(&bent);
        soup_free(&s);
        world_free(&w);
    }
}

// Corners that lie inside edges, where small patches meet a large one; and vertices on edges that two zones share.
typedef struct targets {
    karst_pos *at;
    int count;
} targets;

static karst_pos world_place(const world *w, const karst_zone *zone, karst_fine v) {
    karst_zone_ground *g = w->zone_ground;
    double m = ldexp(1, zone->step_log2) / KARST_NET_FINE;
    return (karst_pos){g->origin.x + ((double)zone->bias.x + v.x) * m, g->origin.y + ((double)zone->bias.y + v.y) * m,
                       g->origin.z + ((double)zone->bias.z + v.z) * m};
}

static targets t_corners(const world *w) {
    targets t = {malloc(100000 * sizeof *t.at), 0};
    for (int z = 0; z < w->zones.count; ++z) {
        const karst_zone *zone = w->zones.zones[z];
        for (uint32_t k = 0; k < zone->span_count; ++k)
            if (zone->spans[k].to != 0 && zone->spans[k].to != 8)
                t.at[t.count++] = world_place(w, zone, zone->corners[zone->spans[k].corner[1]].at);
    }
    return t;
}

static int by_place(const void *a, const void *b) {
    const karst_pos *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return p->z < q->z ? -1 : p->z > q->z;
}

// Vertices on the sides of pieces of one zone that are on those of another too.
static targets zone_borders(const world *w) {
    enum { ROOM = 400000 };
    targets one = {malloc(ROOM * sizeof *one.at), 0}, both = {malloc(ROOM * sizeof *both.at), 0};
    karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v);
    for (int z = 0; z < 2; ++z) {
        const karst_zone *zone = w->zones.zones[z];
        for (uint32_t p = 0; p < zone->piece_count; ++p) {
            int f = KARST_TILE_CELLS << zone->pieces[p].tiles_log2, width = f + 1;
            karst_zone_fine(zone, p, v);
            for (int side = 0; side < 4; ++side)
                for (int i = 0; i <= f; ++i) {
                    int at = side == 0 ? i : side == 1 ? i * width + f : side == 2 ? f * width + i : i * width;
                    karst_pos place = world_place(w, zone, v[at]);
                    if (!z)
                        one.at[one.count++] = place;
                    else if (bsearch(&place, one.at, (size_t)one.count, sizeof place, by_place))
                        both.at[both.count++] = place;
                }
        }
        if (!z) qsort(one.at, (size_t)one.count, sizeof *one.at, by_place);
    }
    free(v);
    free(one.at);
    return both;
}

static void no_ray_slips_through_a_vertex_an_edge_or_a_bind(void **state) {
    (void)state;
    for (int far = 0; far < 2; ++far) {
        world w = world_of(far ? 15 : 7, far ? far_origin : near_origin);
        soup s = soup_of(w.ground);
        karst_box box = karst_ground_bounds(w.ground);
        targets corners = t_corners(&w), borders = zone_borders(&w);
        assert_true(corners.count > 50 && borders.count > 500);
        int closed[3] = {0}, met[3] = {0};
        for (prop p = prop_begin("zone edges", 1200); prop_next(&p);) {
            int kind = prop_int(&p, 0, 2);
            karst_pos target;
            if (kind == 0) {
                const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
                int k = prop_int(&p, 0, 2);
                double share = prop_chance(&p, 0.4) ? 0 : prop_chance(&p, 0.4) ? 0.5 : prop_real(&p, 0, 1);
                target = between(t->corner[k], t->corner[(k + 1) % 3], share);
            } else {
                const targets *t = kind == 1 ? &corners : &borders;
                target = t->at[prop_int(&p, 0, t->count - 1)];
            }
            karst_pos from = inside(&p, box, 2);
            if (prop_chance(&p, 0.3)) from.x = target.x;
            if (prop_chance(&p, 0.3)) from.z = target.z;
            if (prop_chance(&p, 0.2)) from.y = target.y;
            karst_ray ray = karst_ray_make(from, minus(target, from));
            if (length_of(ray.direction) == 0) continue;
            karst_hit hit = soup_hit(w.ground, ray);
            if (hit.hit && hit.t <= 1 + 1e-4) {
                ++met[kind];
                continue;
            }
            ++closed[kind];
            prop_check(&p, !soup_closed_round(&s, &ray, 1e-5));
        }
        for (int kind = 0; kind < 3; ++kind) assert_true(met[kind] > 10 * closed[kind] && met[kind] > test_count(240));
        free(corners.at);
        free(borders.at);
        soup_free(&s);
        world_free(&w);
    }
}

static bool meets_by_weights(const karst_triangle *t, const karst_ray *ray) {  // floats, from its own corner
    karst_pos a = minus(t->corner[1], t->corner[0]), b = minus(t->corner[2], t->corner[0]);
    karst_pos c = minus(ray->origin, t->corner[0]);
    float e1[3] = {(float)a.x, (float)a.y, (float)a.z}, e2[3] = {(float)b.x, (float)b.y, (float)b.z};
    float d[3] = {(float)ray->direction.x, (float)ray->direction.y, (float)ray->direction.z};
    float s[3] = {(float)c.x, (float)c.y, (float)c.z};
    float p[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2], d[0] * e2[1] - d[1] * e2[0]};
    float det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
    float q[3] = {s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2], s[0] * e1[1] - s[1] * e1[0]};
    float u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det, v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    return u >= 0 && v >= 0 && u + v <= 1;
}

// Control: rays straight down at places of edges all hit; with triangles rounded each for itself some slip.
static void edges_that_are_not_shared_let_rays_through(void **state) {
    (void)state;
    world w = world_of(15, near_origin);
    soup s = soup_of(w.ground);
    int slipped = 0, tried = 0;
    for (prop p = prop_begin("zone control", 1500); prop_next(&p);) {
        const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
        karst_pos target = between(t->corner[0], t->corner[1], prop_real(&p, 0, 1));
        if (target.x < 20 || target.x > 230 || target.z < 20 || target.z > 230) continue;
        karst_pos from = {target.x + prop_real(&p, -40, 40), target.y + 300, target.z + prop_real(&p, -40, 40)};
        karst_ray ray = karst_ray_make(from, minus(target, from));
        prop_check(&p, soup_hit(w.ground, ray).hit);
        bool met = false;
        for (int k = 0; k < s.count && !met; ++k) {
            if (k % 32 == 0 && !soup_near(&s, k / 32, &ray)) {
                k += 31;
                continue;
            }
            met = meets_by_weights(&s.triangle[k], &ray);
        }
        slipped += !met;
        ++tried;
    }
    assert_true(tried > test_count(500) && (slipped > 0 || test_count(8) == 1));
    soup_free(&s);
    world_free(&w);
}

// ---- heights ---------------------------------------------------------------------------------------

static int descending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return (p < q) - (p > q);
}

// Heights of all triangles at (x, z), from the top down; -1 when one is too close to an edge to say. other: with the
// other diagonal in every cell.
static int all_heights(const soup *s, double x, double z, double *out) {
    karst_ray ray = soup_down(x, z);
    int n = 0;
    for (int k = 0; k < s->count; ++k) {
        long double t, margin;
        if (k % 32 == 0 && !soup_near(s, k / 32, &ray)) {
            k += 31;
            continue;
        }
        if (!soup_meets(&s->triangle[k], &ray, &t, &margin)) continue;
        if (fabsl(margin) < 1e-8L) return -1;
        if (margin >= 0) out[n++] = (double)(ray.origin.y - t);
    }
    qsort(out, (size_t)n, sizeof *out, descending);
    return n;
}

static bool same_heights(const karst_ground *ground, double x, double z, const double *want, int n) {
    karst_level level[64];
    int count = -1;
    if (karst_ground_heights(ground, x, z, level, 64, &count) || count != n) return false;
    for (int k = 0; k < n; ++k)
        if (fabs(level[k].y - want[k]) > 1e-6) return false;
    double y;
    return karst_ground_height(ground, x, z, &y) == (n > 0) && (!n || y == level[0].y);
}

// The two triangles of each cell: those of a fan in the order of a ground of zones.
static void other_diagonals(soup *s) {
    static const int pair[4][2] = {{0, 7}, {1, 2}, {3, 4}, {5, 6}};
    for (int n = 0; n < s->count / 2; ++n) {
        karst_triangle *a = &s->triangle[n / 4 * 8 + pair[n % 4][0]], *b = &s->triangle[n / 4 * 8 + pair[n % 4][1]];
        assert_true(a->place.row == b->place.row && a->place.triangle != b->place.triangle);
        karst_pos shared[3], own[2] = {a->corner[0], b->corner[0]};
        int count = 0;
        for (int c = 0; c < 3; ++c) {
            bool in_a = false, in_b = false;
            for (int d = 0; d < 3; ++d) {
                in_b |= !by_place(&a->corner[c], &b->corner[d]);
                in_a |= !by_place(&b->corner[c], &a->corner[d]);
            }
            if (in_b)
                shared[count++] = a->corner[c];
            else
                own[0] = a->corner[c];
            if (!in_a) own[1] = b->corner[c];
        }
        assert_int_equal(count, 2);
        for (int k = 0; k < 2; ++k) {
            karst_triangle *t = k ? b : a;
            t->corner[0] = own[0], t->corner[1] = own[1], t->corner[2] = shared[k];
        }
    }
}

static void every_layer_of_ground_is_found(void **state) {
    (void)state;
    for (int far = 0; far < 2; ++far) {
        world w = world_of(15, far ? far_origin : near_origin);
        soup s = soup_of(w.ground);
        karst_box box = karst_ground_bounds(w.ground);
        int most = 0, several = 0;
        for (prop p = prop_begin("layers", 800); prop_next(&p);) {
            karst_pos at = inside(&p, box, 0.02);
            double want[64];
            int n = all_heights(&s, at.x, at.z, want);
            if (n < 0) continue;
            prop_check(&p, same_heights(w.ground, at.x, at.z, want, n));
            most = n > most ? n : most;
            several += n > 2;
        }
        assert_true(several > test_count(25) && most >= 4);
        // Control: the other diagonal of each cell is another ground.
        other_diagonals(&s);
        int wrong = 0;
        for (prop p = prop_begin("other diagonal", 300); prop_next(&p);) {
            karst_pos at = inside(&p, box, 0.02);
            double want[64];
            int n = all_heights(&s, at.x, at.z, want);
            wrong += n >= 0 && !same_heights(w.ground, at.x, at.z, want, n);
        }
        assert_true(wrong > test_count(100));
        soup_free(&s);
        world_free(&w);
    }
}

static void ray_and_height_agree_on_every_vertex_and_mid_edge(void **state) {
    (void)state;
    for (int far = 0; far < 2; ++far) {
        world w = world_of(11, far ? far_origin : near_origin);
        soup s = soup_of(w.ground);
        for (prop p = prop_begin("vertex height", 10000); prop_next(&p);) {
            const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
            int k = prop_int(&p, 0, 2);
            karst_pos at = between(t->corner[k], t->corner[(k + 1) % 3], prop_chance(&p, 0.5) ? 0 : 0.5);
            double top = NAN;
            karst_hit hit = soup_hit(w.ground, soup_down(at.x, at.z));
            bool there = karst_ground_height(w.ground, at.x, at.z, &top);
            prop_check(&p, there == hit.hit);
            if (!there) continue;  // a middle of an outline may round to outside
            prop_near(&p, hit.position.y, top, 1e-6);
            karst_level level[64];
            int count;
            prop_check(&p, !karst_ground_heights(w.ground, at.x, at.z, level, 64, &count) && count >= 1);
            bool found = false;
            for (int i = 0; i < count && i < 64; ++i) {
                found |= fabs(level[i].y - at.y) < 1e-6;
                if (i) prop_check(&p, level[i - 1].y - level[i].y > 1e-7);
            }
            if (!by_place(&at, &t->corner[k])) prop_check(&p, found);
        }
        soup_free(&s);
        world_free(&w);
    }
}

// ---- a walk ----------------------------------------------------------------------------------------

// A point goes along a line and stands on what it sees below it; heights and the finest triangles say the same.
static void walk_line(const world *w, const soup *s, karst_pos from, karst_pos to, bool under_a_roof, int *steps,
                      int *crossed) {
    double before = NAN;
    karst_pos last = from;
    for (int k = 0; k <= 60; ++k) {
        karst_pos eye = between(from, to, k / 60.0);
        karst_ray below = karst_ray_make(eye, (karst_pos){0, -1, 0}), above = karst_ray_make(eye, (karst_pos){0, 1, 0});
        karst_hit floor_hit, roof_hit;
        assert_true(agrees(w->ground, s, &below, &floor_hit) && agrees(w->ground, s, &above, &roof_hit));
        assert_true(floor_hit.hit && roof_hit.hit == under_a_roof);
        // The layers round the eye are these two.
        karst_level level[16];
        int count, under = 0;
        assert_int_equal(karst_ground_heights(w->ground, eye.x, eye.z, level, 16, &count), KARST_OK);
        while (under < count && level[under].y > eye.y) ++under;
        assert_true(under < count && fabs(level[under].y - floor_hit.position.y) < 1e-6);
        assert_int_equal(under > 0, under_a_roof);
        if (under_a_roof) assert_true(fabs(level[under - 1].y - roof_hit.position.y) < 1e-6);
        // No step higher than the ground is steep, unless the eye went through ground itself.
        karst_ray back = karst_ray_make(eye, minus(last, eye));
        back.t_max = 1;
        bool through = k && soup_blocked(w->ground, back);
        *crossed += through;
        if (k && !through) assert_true(fabs(floor_hit.position.y - before) < 1.5);
        last = eye;
        before = floor_hit.position.y;
        ++*steps;
    }
}

static void a_walk_through_the_tunnel_and_over_the_arch(void **state) {
    (void)state;
    for (int rough = 0; rough < 2; ++rough) {
        world w = world_of(rough ? 6 : 0, near_origin);
        soup s = soup_of(w.ground);
        int steps = 0, crossed = 0;
        double side = 16, x = side * 9.4, z = side * 3.1, y = scene_net_hill(x + 40, z) - 12;
        for (int l = 0; l < 6; ++l) {  // rings of the tunnel
            karst_pos a = {x + 16 * l, y + l, z + 5 * sin(l)}, b = {x + 16 * (l + 1), y + l + 1, z + 5 * sin(l + 1)};
            walk_line(&w, &s, between(a, b, l ? 0 : 0.05), between(a, b, l < 5 ? 1 : 0.95), true, &steps, &crossed);
        }
        // Over the bridge, between the middles of the two pillars' tops.
        int pi = 16 / 3, gap = 6, pj = 8;
        double deck = scene_net_hill(16 * pi, 16 * pj) + 50;
        karst_pos a = {16 * (pi + 1) + 0.5, deck, 16 * pj + 8}, b = {16 * (pi + gap) - 0.5, deck, 16 * pj + 8};
        walk_line(&w, &s, a, b, false, &steps, &crossed);
        for (int k = 1; k < 50; ++k) {  // deck, vault and ground below each other
            karst_pos at = between(a, b, k / 50.0);
            karst_level level[8];
            int count;
            assert_int_equal(karst_ground_heights(w.ground, at.x, at.z, level, 8, &count), KARST_OK);
            assert_true(count == 3 && level[0].normal.y > 0 && level[1].normal.y < 0 && level[2].normal.y > 0);
        }
        assert_true(steps == 7 * 61 && crossed == 1);  // where the tunnel goes into the hill
        soup_free(&s);
        world_free(&w);
    }
}

// ---- the same whatever runs it ---------------------------------------------------------------------

static bool is_same_hit(const karst_hit *a, const karst_hit *b) {
    return a->hit == b->hit && !memcmp(&a->t, &b->t, sizeof a->t) &&
           !memcmp(&a->position, &b->position, sizeof a->position) &&
           !memcmp(&a->normal, &b->normal, sizeof a->normal) && !memcmp(&a->place, &b->place, sizeof a->place);
}

static void each_vector_width_gives_the_same_bits(void **state) {
    (void)state;
    for (int far = 0; far < 2; ++far) {
        world w = world_of(15, far ? far_origin : near_origin);
        karst_zone_ground *g = w.zone_ground;
        for (prop p = prop_begin("zone width", 3000); prop_next(&p);) {
            karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
            karst_hit plain, wide;
            prop_check(&p, kst_zone_cast_plain(g, &ray, false, &plain) == KARST_OK);
#if defined(__x86_64__)
            if (__builtin_cpu_supports("avx2")) {
                prop_check(&p, kst_zone_cast_avx2(g, &ray, false, &wide) == KARST_OK && is_same_hit(&plain, &wide));
            }
            if (__builtin_cpu_supports("avx512bw")) {
                prop_check(&p, kst_zone_cast_avx512(g, &ray, false, &wide) == KARST_OK && is_same_hit(&plain, &wide));
            }
#else
            (void)wide;
#endif
        }
        world_free(&w);
    }
}

enum { THREAD_RAYS = 4000 };

typedef struct crowd {
    const karst_ground *ground;
    double t[THREAD_RAYS];
} crowd;

static void cast_some(int begin, int end, int worker, void *context) {
    (void)worker;
    crowd *c = context;
    for (int k = begin; k < end; ++k) {
        uint64_t n = (uint64_t)k;
        karst_pos from = {256 * kst_random01(1, n), 90, 256 * kst_random01(2, n)};
        karst_ray ray = karst_ray_make(from, (karst_pos){kst_random01(3, n) - 0.5, -0.6, kst_random01(4, n) - 0.5});
        karst_hit hit;
        double y = 0;
        c->t[k] = karst_ground_cast(c->ground, &ray, &hit) ? -1 : hit.t;
        if (karst_ground_height(c->ground, ray.origin.x, ray.origin.z, &y)) c->t[k] += y;
    }
}

static void many_threads_get_the_same_answers(void **state) {
    (void)state;
    static crowd one, many;
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 4;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    world w = world_of(15, near_origin);
    one.ground = many.ground = w.ground;
    karst_jobs_for(jobs, THREAD_RAYS, 16, cast_some, &many);  // banks are made in the crowd
    karst_jobs_for(NULL, THREAD_RAYS, 16, cast_some, &one);
    assert_memory_equal(one.t, many.t, sizeof one.t);
    // And without tiles from earlier queries, since no bank is free.
    for (int k = 0; k < KST_BANKS; ++k) w.zone_ground->door[k].busy = true;
    karst_jobs_for(NULL, THREAD_RAYS, 16, cast_some, &many);
    assert_memory_equal(one.t, many.t, sizeof one.t);
    world_free(&w);
    karst_jobs_destroy(jobs);
}

// ---- zones come and go -----------------------------------------------------------------------------

// Boxes of all zones, made by many threads while others ask the ground that some of the zones are in.
typedef struct beside {
    const karst_zone_ground *ground;
    const world *w;
    karst_zone_boxes *boxes[64];
    float t[64];
} beside;

static void make_beside(int begin, int end, int worker, void *context) {
    (void)worker;
    beside *b = context;
    for (int k = begin; k < end; ++k) {
        if (karst_zone_boxes_make(b->ground, b->w->zones.zones[k], &b->boxes[k])) return;
        karst_hit hit = soup_hit(karst_zone_ground_of(b->ground), soup_down(10 + 7 * k, 20 + 5 * k));
        b->t[k] = hit.hit ? (float)hit.t : -1;
    }
}

static void boxes_made_beside_a_ground_give_the_same_answers(void **state) {
    (void)state;
    static beside many, again;
    world w = world_of(15, near_origin);
    int count = w.zones.count;
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 4;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    karst_zone_ground *other;
    assert_int_equal(karst_zone_ground_create(near_origin, NULL, &other), KARST_OK);
    uint32_t chunks[64];
    assert_int_equal(karst_zone_ground_add(other, (const karst_zone *const *)w.zones.zones, 1, chunks), KARST_OK);
    many = again = (beside){.ground = other, .w = &w};
    assert_true(count >= 4 && count <= 64);
    karst_jobs_for(jobs, count, 1, make_beside, &many);
    karst_jobs_for(NULL, count, 1, make_beside, &again);
    for (int k = 0; k < count; ++k) assert_true(many.boxes[k] && again.boxes[k] && many.t[k] == again.t[k]);
    // All but the first, in two goes; what nobody takes is freed.
    assert_int_equal(karst_zone_ground_take(other, many.boxes + 1, 1, chunks + 1), KARST_OK);
    assert_int_equal(karst_zone_ground_take(other, many.boxes + 2, (uint32_t)count - 2, chunks + 2), KARST_OK);
    karst_zone_boxes_destroy(many.boxes[0]);
    for (int k = 0; k < count; ++k) karst_zone_boxes_destroy(again.boxes[k]), assert_int_equal(chunks[k], k);
    const karst_ground *b = karst_zone_ground_of(other);
    assert_memory_equal(&w.zone_ground->all, &other->all, sizeof other->all);
    int hits = 0, missed = 0;
    for (prop p = prop_begin("beside", 1000); prop_next(&p);) {
        karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
        karst_hit one = soup_hit(w.ground, ray), two = soup_hit(b, ray);
        prop_check(&p, is_same_hit(&one, &two));
        hits += one.hit;
    }
    assert_int_equal(karst_zone_ground_remove(other, 2), KARST_OK);  // control: it does matter which are there
    for (prop p = prop_begin("beside", 1000); prop_next(&p);) {
        karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
        karst_hit one = soup_hit(w.ground, ray), two = soup_hit(b, ray);
        missed += !is_same_hit(&one, &two);
    }
    assert_true(hits > 20 && missed > 0);
    karst_zone_ground_destroy(other);
    karst_jobs_destroy(jobs);
    world_free(&w);
}

static void zones_come_and_go_in_any_order(void **state) {
    (void)state;
    world w = world_of(9, near_origin);
    karst_zone_ground *other;
    const karst_zone *const *zones = (const karst_zone *const *)w.zones.zones;
    uint32_t count = (uint32_t)w.zones.count, chunk;
    assert_int_equal(karst_zone_ground_create(near_origin, NULL, &other), KARST_OK);
    const karst_ground *b = karst_zone_ground_of(other);
    karst_hit hit = soup_hit(b, soup_down(50, 50));
    assert_false(hit.hit);
    assert_int_equal(karst_ground_chunk_count(b), 0);
    for (uint32_t k = count; k-- > 0;) {
        assert_int_equal(karst_zone_ground_add(other, &zones[k], 1, &chunk), KARST_OK);
        assert_int_equal(chunk, count - 1 - k);
    }
    for (prop p = prop_begin("come", 1000); prop_next(&p);) {
        karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
        karst_hit one = soup_hit(w.ground, ray), two = soup_hit(b, ray);
        prop_check(&p, one.hit == two.hit && one.t == two.t);
    }
    // One goes: what is left is what a ground without it has. Tiles of it that were kept are not taken for others.
    assert_int_equal(karst_zone_ground_remove(other, 1), KARST_OK);
    karst_box gone = karst_ground_chunk_bounds(b, 1);
    assert_true(gone.min.x > gone.max.x);
    soup s = soup_of(b);
    int missed = 0;
    for (prop p = prop_begin("go", 300); prop_next(&p);) {
        karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
        prop_check(&p, agrees(b, &s, &ray, &hit));
        missed += hit.hit != soup_hit(w.ground, ray).hit;
    }
    assert_true(missed > 0);
    soup_free(&s);
    // It comes back under the same number.
    assert_int_equal(karst_zone_ground_add(other, &zones[count - 2], 1, &chunk), KARST_OK);
    assert_int_equal(chunk, 1);
    assert_int_equal(karst_ground_chunk_count(b), count);
    for (prop p = prop_begin("come back", 1000); prop_next(&p);) {
        karst_ray ray = any_ray(&p, karst_ground_bounds(w.ground));
        karst_hit one = soup_hit(w.ground, ray), two = soup_hit(b, ray);
        prop_check(&p, one.hit == two.hit && one.t == two.t);
    }
    for (uint32_t k = 0; k < count; ++k) assert_int_equal(karst_zone_ground_remove(other, k), KARST_OK);
    assert_false(soup_hit(b, soup_down(50, 50)).hit);
    karst_zone_ground_destroy(other);
    world_free(&w);
}

static void bounds_hold_every_triangle_and_little_else(void **state) {
    (void)state;
    world w = world_of(15, far_origin);
    karst_box all = karst_ground_bounds(w.ground);
    assert_string_equal(w.ground->table->kind, "patch");
    double area = 0;
    for (uint32_t c = 0; c < karst_ground_chunk_count(w.ground); ++c) {
        soup s = {0};
        assert_int_equal(karst_ground_triangles(w.ground, c, soup_take, &s), KARST_OK);
        karst_box b = karst_ground_chunk_bounds(w.ground, c), real = {s.triangle[0].corner[0], s.triangle[0].corner[0]};
        for (int k = 0; k < 3 * s.count; ++k) {
            karst_pos p = s.triangle[k / 3].corner[k % 3];
            real.min = (karst_pos){fmin(real.min.x, p.x), fmin(real.min.y, p.y), fmin(real.min.z, p.z)};
            real.max = (karst_pos){fmax(real.max.x, p.x), fmax(real.max.y, p.y), fmax(real.max.z, p.z)};
        }
        assert_memory_equal(&b, &real, sizeof b);
        assert_true(all.min.x <= b.min.x && all.max.x >= b.max.x && all.min.y <= b.min.y && all.max.y >= b.max.y);
        // Seen from above most of it faces up: s to t turns clockwise there.
        for (int k = 0; k < s.count; ++k) {
            const karst_pos *p = s.triangle[k].corner;
            area += 0.5 * ((p[1].z - p[0].z) * (p[2].x - p[0].x) - (p[1].x - p[0].x) * (p[2].z - p[0].z));
        }
        soup_free(&s);
    }
    assert_true(area > 256 * 256 - 2000);
    // Little memory: less than a byte a triangle for boxes.
    size_t boxes = 0, tiles = 0;
    for (uint32_t k = 0; k < w.zone_ground->slot_count; ++k) {
        boxes += kst_box_tree_bytes(&w.zone_ground->slot[k].tree);
        tiles += w.zone_ground->slot[k].tree.item_count;
    }
    assert_true(boxes < 16 * tiles && boxes < karst_ground_memory(w.ground));
    world_free(&w);
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    world w = world_of(3, near_origin);
    const karst_zone *const *zones = (const karst_zone *const *)w.zones.zones;
    for (uint64_t n = 1;; ++n) {
        kst_alloc_fail_after(n);
        karst_zone_ground *g = NULL;
        karst_zone_boxes *boxes = NULL;
        karst_status status = karst_zone_ground_create(near_origin, NULL, &g);
        if (!status) status = karst_zone_boxes_make(g, zones[0], &boxes);
        if (!status) status = karst_zone_ground_take(g, &boxes, 1, NULL);
        if (!status) boxes = NULL;
        if (!status) status = karst_zone_ground_remove(g, 0);
        if (!status) status = karst_zone_ground_add(g, zones, 2, NULL);
        if (!status) {
            double y;  // without memory for a bank it is slower, no more
            karst_hit hit = soup_hit(karst_zone_ground_of(g), soup_down(50, 50));
            assert_true(hit.hit && karst_ground_height(karst_zone_ground_of(g), 50, 50, &y));
            assert_int_equal(karst_ground_chunk_count(karst_zone_ground_of(g)), 2);
            status = karst_zone_ground_remove(g, 0);
            if (status) assert_true(soup_hit(karst_zone_ground_of(g), soup_down(50, 50)).hit);
        } else if (boxes) {
            assert_int_equal(karst_ground_chunk_count(karst_zone_ground_of(g)), 0);
        }
        kst_alloc_fail_after(0);
        karst_zone_boxes_destroy(boxes);
        karst_zone_ground_destroy(g);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    world_free(&w);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    world w = world_of(0, near_origin);
    karst_hit hit;
    bool any;
    double y;
    karst_ray ray = karst_ray_make((karst_pos){0, 0, 0}, (karst_pos){0, 0, 0});
    assert_int_equal(karst_ground_cast(w.ground, &ray, &hit), KARST_ERROR_ARGUMENT);
    ray.direction.x = NAN;
    assert_int_equal(karst_ground_blocked(w.ground, &ray, &any), KARST_ERROR_ARGUMENT);
    ray = karst_ray_make((karst_pos){INFINITY, 0, 0}, (karst_pos){1, 0, 0});
    assert_int_equal(karst_ground_cast(w.ground, &ray, &hit), KARST_ERROR_ARGUMENT);
    assert_false(karst_ground_height(w.ground, NAN, 1, &y));
    assert_false(karst_ground_height(w.ground, 1e300, 1, &y));
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_what_every_triangle_says),
        cmocka_unit_test(no_ray_slips_through_a_vertex_an_edge_or_a_bind),
        cmocka_unit_test(edges_that_are_not_shared_let_rays_through),
        cmocka_unit_test(every_layer_of_ground_is_found),
        cmocka_unit_test(ray_and_height_agree_on_every_vertex_and_mid_edge),
        cmocka_unit_test(a_walk_through_the_tunnel_and_over_the_arch),
        cmocka_unit_test(each_vector_width_gives_the_same_bits),
        cmocka_unit_test(many_threads_get_the_same_answers),
        cmocka_unit_test(boxes_made_beside_a_ground_give_the_same_answers),
        cmocka_unit_test(zones_come_and_go_in_any_order),
        cmocka_unit_test(bounds_hold_every_triangle_and_little_else),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
