// SPDX-License-Identifier: MIT
// Rays and heights of a field against its declared triangles, every one of them, in long double.
#include "karst/field.h"
#include "karst/surface.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/soup.h"
#include "surface/ray.h"

// ---- helpers ---------------------------------------------------------------------------------------

static karst_field *rough(int columns, int rows, double spacing, uint64_t seed, bool displaced, bool holes,
                          karst_pos origin) {
    karst_field *field;
    assert_int_equal(scene_rough_field(columns, rows, spacing, seed, displaced, holes, origin, &field), KARST_OK);
    return field;
}

static karst_pos inside(prop *p, karst_box b, double out) {
    double x = out * (b.max.x - b.min.x), y = out * (b.max.y - b.min.y) + 1, z = out * (b.max.z - b.min.z);
    return (karst_pos){prop_real(p, b.min.x - x, b.max.x + x), prop_real(p, b.min.y - y, b.max.y + y),
                       prop_real(p, b.min.z - z, b.max.z + z)};
}

static karst_pos minus(karst_pos a, karst_pos b) {
    return (karst_pos){a.x - b.x, a.y - b.y, a.z - b.z};
}

// ---- properties ------------------------------------------------------------------------------------

// The scene's overhangs are gentle: pull its vertices sideways further, so that sheets lie over one another.
static void fold(karst_field *field, float factor) {
    karst_field_shape shape = karst_field_shape_of(field);
    size_t count = (size_t)shape.columns * (size_t)shape.rows;
    float *v = malloc(3 * count * sizeof *v);
    karst_rect all = {0, 0, shape.columns, shape.rows};
    assert_int_equal(karst_field_read(field, all, v, v + count, v + 2 * count, shape.columns), KARST_OK);
    for (size_t k = count; k < 3 * count; ++k) v[k] *= factor;
    assert_int_equal(karst_field_write(field, all, v, v + count, v + 2 * count, shape.columns), KARST_OK);
    free(v);
}

typedef struct place {
    int columns, rows;
    double spacing;
    bool displaced, holes;
    karst_pos origin;
} place;

static const place places[] = {
    {33, 33, 1, false, false, {0, 0, 0}},
    {70, 40, 30, false, true, {-1000.3, 200, 77.7}},
    {97, 131, 0.25, true, true, {1000000.1, 3000, -999999.7}},
    {66, 129, 2, true, false, {0, 0, 0}},
    {65, 65, 5, false, false, {1e6, 0, 1e6}},
};
enum { PLACES = sizeof places / sizeof *places };

static karst_field *field_at(const place *w, uint64_t seed) {
    karst_field *field = rough(w->columns, w->rows, w->spacing, seed, w->displaced, w->holes, w->origin);
    if (w->displaced) fold(field, 3);
    return field;
}

static void rays_meet_what_every_triangle_says(void **state) {
    (void)state;
    for (int n = 0; n < PLACES; ++n) {
        karst_field *field = field_at(&places[n], (uint64_t)n + 5);
        const karst_ground *ground = karst_field_ground(field);
        soup s = soup_of(ground);
        karst_box box = karst_ground_bounds(ground);
        int hits = 0;
        for (prop p = prop_begin("ray", 500); prop_next(&p);) {
            karst_pos from = inside(&p, box, prop_chance(&p, 0.5) ? 0.05 : 3), to = inside(&p, box, 0);
            karst_ray ray = karst_ray_make(from, minus(to, from));
            if (prop_chance(&p, 0.2)) ray.direction.y = 0;
            if (prop_chance(&p, 0.1)) ray.direction.x = 0;
            if (prop_chance(&p, 0.1)) ray.direction.z = 0;
            if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) ray.direction.y = 1;
            if (prop_chance(&p, 0.3)) ray.t_min = prop_real(&p, -1, 0.5);
            if (prop_chance(&p, 0.3)) ray.t_max = prop_real(&p, ray.t_min, 1.5);
            karst_hit hit = soup_hit(ground, ray);
            soup_verdict v = soup_cast(&s, &ray, 1e-7L);
            double length = sqrt(ray.direction.x * ray.direction.x + ray.direction.y * ray.direction.y +
                                 ray.direction.z * ray.direction.z);
            prop_check(&p, !v.sure || hit.hit);
            prop_check(&p, !hit.hit || v.perhaps);
            prop_check(&p, soup_blocked(ground, ray) == hit.hit);
            if (!hit.hit) continue;
            ++hits;
            prop_check(&p, hit.t * length <= (double)(v.sure ? v.sure_t : INFINITY) * length + 1e-4);
            prop_check(&p, hit.t * length >= (double)v.perhaps_t * length - 1e-4);
            prop_near(&p, hit.position.y, ray.origin.y + hit.t * ray.direction.y, 1e-9);
        }
        assert_true(hits > test_count(100));
        soup_free(&s);
        karst_field_destroy(field);
    }
}

// Rays aimed at the very vertices, mid-edges and places on edges, from all sides.
static void no_ray_slips_through_a_vertex_or_an_edge(void **state) {
    (void)state;
    for (int n = 0; n < PLACES; ++n) {
        karst_field *field = field_at(&places[n], (uint64_t)n + 50);
        const karst_ground *ground = karst_field_ground(field);
        soup s = soup_of(ground);
        karst_box box = karst_ground_bounds(ground);
        int beside = 0;
        for (prop p = prop_begin("edges", 2000); prop_next(&p);) {
            const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
            int k = prop_int(&p, 0, 2);
            karst_pos a = t->corner[k], b = t->corner[(k + 1) % 3];
            double share = prop_chance(&p, 0.4) ? 0 : prop_chance(&p, 0.4) ? 0.5 : prop_real(&p, 0, 1);
            karst_pos target = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
            karst_pos from = inside(&p, box, 2);
            if (prop_chance(&p, 0.3)) from.x = target.x;
            if (prop_chance(&p, 0.3)) from.z = target.z;
            if (prop_chance(&p, 0.2)) from.y = target.y;
            karst_ray ray = karst_ray_make(from, minus(target, from));
            if (ray.direction.x == 0 && ray.direction.y == 0 && ray.direction.z == 0) continue;
            karst_hit hit = soup_hit(ground, ray);
            if (hit.hit && hit.t <= 1 + 1e-4) continue;
            ++beside;
            prop_check(&p, !soup_closed_round(&s, &ray, 1e-5 * places[n].spacing));
        }
        assert_true(beside < 400);
        soup_free(&s);
        karst_field_destroy(field);
    }
}

static void ray_and_height_agree_on_every_vertex_and_mid_edge(void **state) {
    (void)state;
    for (int turn = 0; turn < 6; ++turn) {
        karst_pos origin = turn & 1 ? (karst_pos){1000000.3, -17.2, -999999.9} : (karst_pos){0, 0, 0};
        bool displaced = turn >= 4;
        karst_field *field = rough(33, 33, turn & 2 ? 0.3 : 30, 3, displaced, false, origin);
        const karst_ground *ground = karst_field_ground(field);
        soup s = soup_of(ground);
        for (int n = 0; n < s.count; ++n)
            for (int k = 0; k < 6; ++k) {
                karst_pos a = s.triangle[n].corner[k / 2], b = s.triangle[n].corner[(k / 2 + k % 2) % 3];
                double x = 0.5 * (a.x + b.x), z = 0.5 * (a.z + b.z), y = 0.5 * (a.y + b.y), top = NAN;
                karst_hit hit = soup_hit(ground, soup_down(x, z));
                bool there = karst_ground_height(ground, x, z, &top);
                // A middle of the outline of a displaced field may round to outside.
                if (displaced && !there && !hit.hit) continue;
                assert_true(there && hit.hit);
                assert_true(fabs(hit.position.y - top) < 1e-6);
                if (!displaced) assert_true(fabs(y - top) < 1e-6);
                if (displaced) assert_true(top > y - 1e-6);
            }
        soup_free(&s);
        karst_field_destroy(field);
    }
}

static void ray_and_height_agree_at_100_000_random_places(void **state) {
    (void)state;
    for (int turn = 0; turn < 2; ++turn) {
        karst_field *field = rough(400, 300, 7, 9, turn == 1, true, (karst_pos){-500, 20, 1e6});
        const karst_ground *ground = karst_field_ground(field);
        int ground_met = 0, holes = 0;
        for (prop p = prop_begin("vertical", turn ? 20000 : 100000); prop_next(&p);) {
            double x = -500 + prop_real(&p, -20, 7 * 399 + 20), z = 1e6 + prop_real(&p, -20, 7 * 299 + 20), y = NAN;
            karst_hit hit = soup_hit(ground, soup_down(x, z));
            bool there = karst_ground_height(ground, x, z, &y);
            prop_check(&p, there == hit.hit);
            if (there) prop_near(&p, y, hit.position.y, 1e-4);
            *(there ? &ground_met : &holes) += 1;
            if (there) {  // and the place is where it says
                karst_level level;
                int count;
                prop_check(&p, karst_ground_heights(ground, x, z, &level, 1, &count) == KARST_OK && count >= 1);
                if (!turn)
                    prop_check(&p, level.place.column == (int)floor((x + 500) / 7) &&
                                       level.place.triangle == hit.place.triangle &&
                                       level.place.chunk == hit.place.chunk);
                prop_near(&p, level.normal.y, hit.normal.y, 1e-5);
            }
        }
        assert_true(ground_met > test_count(10000) && holes > test_count(500));
        karst_field_destroy(field);
    }
}

static int descending(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? 1 : -1;
}

static void every_sheet_of_an_overhang_is_found(void **state) {
    (void)state;
    karst_field *field = rough(97, 97, 1, 4, true, true, (karst_pos){5, 5, 5});
    fold(field, 4);
    const karst_ground *ground = karst_field_ground(field);
    soup s = soup_of(ground);
    int most = 0, several = 0;
    for (prop p = prop_begin("sheets", 1000); prop_next(&p);) {
        double x = prop_real(&p, 0, 105), z = prop_real(&p, 0, 105), want[64];
        karst_ray ray = soup_down(x, z);
        int n = 0, count = -1;
        bool close = false;
        for (int k = 0; k < s.count; ++k) {
            long double t, margin;
            if (!soup_meets(&s.triangle[k], &ray, &t, &margin)) continue;
            close |= fabsl(margin) < 1e-9L;
            if (margin >= 0) want[n++] = (double)(ray.origin.y - t);
        }
        if (close) continue;
        qsort(want, (size_t)n, sizeof *want, descending);
        karst_level level[64];
        prop_check(&p, karst_ground_heights(ground, x, z, level, 64, &count) == KARST_OK);
        prop_check(&p, count == n);
        for (int k = 0; k < n; ++k) prop_near(&p, level[k].y, want[k], 1e-6);
        if (n > 1) {  // less room than answers: the highest, and how many there are
            karst_level first;
            prop_check(&p, karst_ground_heights(ground, x, z, &first, 1, &count) == KARST_OK && count == n);
            prop_near(&p, first.y, want[0], 1e-6);
            ++several;
        }
        if (n > most) most = n;
    }
    assert_true(most >= 3 && several > test_count(50));
    // A vertex is one answer for each sheet, however many triangles share it.
    for (int k = 0; k < s.count; k += 7) {
        karst_level level[64];
        int count;
        assert_int_equal(
            karst_ground_heights(ground, s.triangle[k].corner[0].x, s.triangle[k].corner[0].z, level, 64, &count),
            KARST_OK);
        assert_true(count >= 1);
        for (int i = 1; i < count; ++i) assert_true(level[i - 1].y - level[i].y > 1e-7);
    }
    soup_free(&s);
    karst_field_destroy(field);
}

// Control: with the other diagonal, or with each triangle's edges rounded for itself, the same tests must fail.
static void a_wrong_diagonal_is_found(void **state) {
    (void)state;
    karst_field *field = rough(33, 33, 1, 2, false, false, (karst_pos){0, 0, 0});
    const karst_ground *ground = karst_field_ground(field);
    float y[33 * 33];
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, 33, 33}, y, NULL, NULL, 33), KARST_OK);
    int wrong = 0;
    for (int j = 0; j < 32; ++j)
        for (int i = 0; i < 32; ++i) {
            double top = 0, a = y[j * 33 + i], b = y[j * 33 + i + 1], c = y[(j + 1) * 33 + i],
                   d = y[(j + 1) * 33 + i + 1];
            assert_true(karst_ground_height(ground, i + 0.5, j + 0.5, &top));
            assert_true(fabs(top - ((i + j) & 1 ? 0.5 * (b + c) : 0.5 * (a + d))) < 1e-9);
            wrong += fabs(top - ((i + j) & 1 ? 0.5 * (a + d) : 0.5 * (b + c))) > 1e-4;
        }
    assert_true(wrong > 900);
    karst_field_destroy(field);
}

static bool meets_by_weights(const karst_triangle *t,
                             const karst_ray *ray) {  // floats, each triangle from its own corner
    float e1[3] = {(float)(t->corner[1].x - t->corner[0].x), (float)(t->corner[1].y - t->corner[0].y),
                   (float)(t->corner[1].z - t->corner[0].z)};
    float e2[3] = {(float)(t->corner[2].x - t->corner[0].x), (float)(t->corner[2].y - t->corner[0].y),
                   (float)(t->corner[2].z - t->corner[0].z)};
    float d[3] = {(float)ray->direction.x, (float)ray->direction.y, (float)ray->direction.z};
    float s[3] = {(float)(ray->origin.x - t->corner[0].x), (float)(ray->origin.y - t->corner[0].y),
                  (float)(ray->origin.z - t->corner[0].z)};
    float p[3] = {d[1] * e2[2] - d[2] * e2[1], d[2] * e2[0] - d[0] * e2[2], d[0] * e2[1] - d[1] * e2[0]};
    float det = e1[0] * p[0] + e1[1] * p[1] + e1[2] * p[2];
    float q[3] = {s[1] * e1[2] - s[2] * e1[1], s[2] * e1[0] - s[0] * e1[2], s[0] * e1[1] - s[1] * e1[0]};
    float u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) / det, v = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    return u >= 0 && v >= 0 && u + v <= 1;
}

static void edges_that_are_not_shared_let_rays_through(void **state) {
    (void)state;
    karst_field *field = rough(33, 33, 1, 2, false, false, (karst_pos){0, 0, 0});
    const karst_ground *ground = karst_field_ground(field);
    soup s = soup_of(ground);
    int slipped = 0;
    for (prop p = prop_begin("control", 3000); prop_next(&p);) {
        const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
        if (t->place.column < 2 || t->place.column > 29 || t->place.row < 2 || t->place.row > 29) continue;
        double share = prop_real(&p, 0, 1);
        karst_pos a = t->corner[0], b = t->corner[1],
                  target = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y), a.z + share * (b.z - a.z)};
        karst_pos from = {target.x + prop_real(&p, -40, 40), target.y + 200, target.z + prop_real(&p, -40, 40)};
        karst_ray ray = karst_ray_make(from, minus(target, from));
        prop_check(&p, soup_hit(ground, ray).hit);
        bool met = false;
        for (int k = 0; k < s.count && !met; ++k) met = meets_by_weights(&s.triangle[k], &ray);
        slipped += !met;
    }
    assert_true(slipped > 0);
    soup_free(&s);
    karst_field_destroy(field);
}

static void a_hole_lets_rays_through_and_its_rim_is_ground(void **state) {
    (void)state;
    karst_field *field = rough(9, 9, 2, 1, false, false, (karst_pos){0.1, 0, 0.7});
    uint8_t hole = 1;
    assert_int_equal(karst_field_write_holes(field, (karst_rect){3, 4, 4, 5}, &hole, 1), KARST_OK);
    const karst_ground *ground = karst_field_ground(field);
    double y;
    assert_false(soup_hit(ground, soup_down(0.1 + 7, 0.7 + 9)).hit);
    assert_false(karst_ground_height(ground, 0.1 + 7, 0.7 + 9, &y));
    for (int k = 0; k < 8; ++k) {
        static const double rim[8][2] = {{3, 4}, {3.5, 4}, {4, 4}, {4, 4.5}, {4, 5}, {3.5, 5}, {3, 5}, {3, 4.5}};
        double x = 0.1 + 2 * rim[k][0], z = 0.7 + 2 * rim[k][1];
        assert_true(soup_hit(ground, soup_down(x, z)).hit);
        assert_true(karst_ground_height(ground, x, z, &y));
    }
    karst_field_destroy(field);
}

static void rays_inside_a_flat_plane_meet_it(void **state) {
    (void)state;
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = 130;
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    const karst_ground *ground = karst_field_ground(field);
    karst_hit hit = soup_hit(ground, karst_ray_make((karst_pos){-5, 0, 60.3}, (karst_pos){1, 0, 0.001}));
    assert_true(hit.hit && fabs(hit.t - 5) < 1e-9);
    hit = soup_hit(ground, karst_ray_make((karst_pos){50.5, 0, 60.3}, (karst_pos){-2, 0, 1}));
    assert_true(hit.hit && hit.t == 0);
    assert_false(soup_hit(ground, karst_ray_make((karst_pos){-5, 1e-9, 60.3}, (karst_pos){1, 0, 0})).hit);
    assert_false(soup_hit(ground, karst_ray_make((karst_pos){-5, 0, 60.3}, (karst_pos){-1, 0, 0})).hit);
    // A closed range of t, from both sides.
    karst_ray up = {.origin = {3, -2, 3}, .direction = {0, 1, 0}, .t_min = 2, .t_max = 2};
    assert_true(soup_hit(ground, up).hit);
    up.t_min = 2.0000001;
    up.t_max = 9;
    assert_false(soup_hit(ground, up).hit);
    karst_field_destroy(field);
}

static void far_borders_are_ground(void **state) {
    (void)state;
    for (prop p = prop_begin("borders", 200); prop_next(&p);) {
        int columns = prop_int(&p, 2, 140), rows = prop_int(&p, 2, 140);
        double spacing = prop_real(&p, 0.1, 40);
        karst_pos origin = {prop_real(&p, -1e6, 1e6), prop_real(&p, -1e3, 1e3), prop_real(&p, -1e6, 1e6)};
        karst_field *field = rough(columns, rows, spacing, 8, false, false, origin);
        const karst_ground *ground = karst_field_ground(field);
        for (int k = 0; k < 20; ++k) {
            int i = prop_chance(&p, 0.5) ? columns - 1 : prop_chance(&p, 0.5) ? 0 : prop_int(&p, 0, columns - 1);
            int j = prop_chance(&p, 0.5) ? rows - 1 : prop_int(&p, 0, rows - 1);
            double x = origin.x + i * spacing, z = origin.z + j * spacing, y = NAN;
            float sample;
            assert_int_equal(karst_field_read(field, (karst_rect){i, j, i + 1, j + 1}, &sample, NULL, NULL, 1),
                             KARST_OK);
            prop_check(&p, karst_ground_height(ground, x, z, &y));
            prop_near(&p, y, origin.y + sample, 1e-9);
            karst_hit hit = soup_hit(ground, soup_down(x, z));
            prop_check(&p, hit.hit);
            prop_near(&p, hit.position.y, y, 1e-6);
            if (i == columns - 1)
                prop_check(&p, !karst_ground_height(ground, x + spacing * 1e-3, z, &y) &&
                                   !soup_hit(ground, soup_down(x + spacing * 1e-3, z)).hit);
        }
        karst_field_destroy(field);
    }
}

// ---- a baked ground made by hand -------------------------------------------------------------------

typedef struct baked {
    kst_field_ground ground;
    karst_vertex *vertex;  // chunk by chunk
    uint64_t *hole;
    kst_chunk_view *view;
    kst_chunk_tree **tree;
} baked;

static karst_status baked_pin(kst_field_ground *g, int32_t x, int32_t z, const kst_chunk_view **view,
                              const kst_chunk_tree **tree, void **pin) {
    baked *b = (baked *)g;
    *view = &b->view[z * g->chunks_x + x];
    if (tree) *tree = b->tree[z * g->chunks_x + x];
    *pin = NULL;
    return KARST_OK;
}

static void baked_release(kst_field_ground *g, void *pin) {
    (void)g;
    (void)pin;
}

static bool baked_bounds(kst_field_ground *g, int32_t x, int32_t z, float out[6]) {
    double min[3], max[3];
    bool any = kst_view_bounds(&((baked *)g)->view[z * g->chunks_x + x], min, max);
    for (int a = 0; a < 3 && any; ++a) {
        out[a] = kst_float_below(min[a]);
        out[a + 3] = kst_float_above(max[a]);
    }
    return any;
}

static size_t baked_memory(const kst_field_ground *g) {
    (void)g;
    return 0;
}

// The field quantised: heights to 1/64 m (after being raised by 2^25 steps when far: then floats cannot hold them),
// sideways to a sixth of a cell.
static baked *bake(karst_field *field, bool far) {
    baked *b = calloc(1, sizeof *b);
    kst_field_ground *g = &b->ground;
    const kst_field_ground *from = (const kst_field_ground *)karst_field_ground(field);
    karst_box all = karst_ground_bounds(karst_field_ground(field));
    *g = (kst_field_ground){.base.table = &kst_field_ground_table,
                            .shape = karst_field_shape_of(field),
                            .displaced = from->displaced,
                            .reach_m = from->reach_m + from->shape.spacing_m,
                            .all = all,
                            .pin = baked_pin,
                            .release = baked_release,
                            .bounds = baked_bounds,
                            .memory = baked_memory};
    karst_field_chunk_grid(field, &g->chunks_x, &g->chunks_z);
    int count = g->chunks_x * g->chunks_z, raise = far ? 1 << 25 : 0;
    b->vertex = malloc(sizeof *b->vertex * KARST_CHUNK_VERTICES * (size_t)count);
    b->hole = malloc(sizeof *b->hole * KARST_CHUNK_CELLS * (size_t)count);
    b->view = calloc((size_t)count, sizeof *b->view);
    b->tree = calloc((size_t)count, sizeof *b->tree);
    karst_field_chunk *chunk = malloc(sizeof *chunk);
    double step_xz = g->shape.spacing_m / 6;
    for (int c = 0; c < count; ++c) {
        assert_int_equal(karst_field_read_chunk(field, c % g->chunks_x, c / g->chunks_x, chunk), KARST_OK);
        karst_vertex *v = b->vertex + (size_t)c * KARST_CHUNK_VERTICES;
        for (int k = 0; k < KARST_CHUNK_VERTICES; ++k)
            v[k] = (karst_vertex){(int32_t)lround(chunk->y[k] * 64.0) + raise, (int16_t)lround(chunk->x[k] / step_xz),
                                  (int16_t)lround(chunk->z[k] / step_xz)};
        memcpy(b->hole + (size_t)c * KARST_CHUNK_CELLS, chunk->hole, sizeof chunk->hole);
        b->view[c] = (kst_chunk_view){.shape = g->shape,
                                      .column = c % g->chunks_x * KARST_CHUNK_CELLS,
                                      .row = c / g->chunks_x * KARST_CHUNK_CELLS,
                                      .baked = v,
                                      .cell_steps = 6,
                                      .step_y_m = 1.0 / 64,
                                      .step_xz_m = step_xz,
                                      .hole = b->hole + (size_t)c * KARST_CHUNK_CELLS};
        b->tree[c] = kst_alloc(NULL, kst_tree_bytes());
        kst_tree_build(b->tree[c], &b->view[c]);
    }
    free(chunk);
    double lift = raise / 64.0, slack = g->shape.spacing_m;
    g->all = (karst_box){{all.min.x - slack, all.min.y - 1 + lift, all.min.z - slack},
                         {all.max.x + slack, all.max.y + 1 + lift, all.max.z + slack}};
    return b;
}

static void baked_free(baked *b) {
    for (int c = 0; c < b->ground.chunks_x * b->ground.chunks_z; ++c) kst_free(NULL, b->tree[c], kst_tree_bytes());
    kst_field_ground_clear(&b->ground);
    free(b->vertex);
    free(b->hole);
    free(b->view);
    free(b->tree);
    free(b);
}

static void baked_ground_is_met_like_its_triangles(void **state) {
    (void)state;
    for (int n = 0; n < 2 * PLACES; ++n) {
        const place *w = &places[n / 2];
        karst_field *field = field_at(w, (uint64_t)n + 80);
        baked *b = bake(field, n & 1);
        const karst_ground *ground = &b->ground.base;
        soup s = soup_of(ground);
        karst_box box = karst_ground_bounds(ground);
        int hits = 0;
        for (prop p = prop_begin("baked", 80); prop_next(&p);) {
            const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
            karst_pos from = inside(&p, box, 1), to = prop_chance(&p, 0.5) ? inside(&p, box, 0) : t->corner[0];
            karst_ray ray = karst_ray_make(from, minus(to, from));
            karst_hit hit = soup_hit(ground, ray);
            soup_verdict v = soup_cast(&s, &ray, 1e-7L);
            double length = sqrt(ray.direction.x * ray.direction.x + ray.direction.y * ray.direction.y +
                                 ray.direction.z * ray.direction.z);
            prop_check(&p, !v.sure || hit.hit);
            prop_check(&p, !hit.hit || v.perhaps);
            if (!hit.hit) continue;
            ++hits;
            prop_check(&p, hit.t * length <= (double)(v.sure ? v.sure_t : INFINITY) * length + 1e-4);
            prop_check(&p, hit.t * length >= (double)v.perhaps_t * length - 1e-4);
            double y = NAN;  // and the height over the place is no lower
            prop_check(&p, karst_ground_height(ground, hit.position.x, hit.position.z, &y) || w->displaced ||
                               w->holes || !v.sure);
            if (!isnan(y) && v.sure) prop_check(&p, y >= hit.position.y - 1e-3 * w->spacing);
        }
        assert_true(hits > test_count(25));
        soup_free(&s);
        baked_free(b);
        karst_field_destroy(field);
    }
}

static bool is_same_hit(const karst_hit *a, const karst_hit *b) {  // bit for bit, but for what is between the members
    return a->hit == b->hit && !memcmp(&a->t, &b->t, sizeof a->t) &&
           !memcmp(&a->position, &b->position, sizeof a->position) &&
           !memcmp(&a->normal, &b->normal, sizeof a->normal) && !memcmp(&a->place, &b->place, sizeof a->place);
}

static void compare_widths(kst_field_ground *g, const char *name, int count) {
    karst_box box = karst_ground_bounds(&g->base);
    for (prop p = prop_begin(name, count); prop_next(&p);) {
        karst_pos from = inside(&p, box, 1), to = inside(&p, box, 0);
        karst_ray ray = karst_ray_make(from, minus(to, from));
        karst_hit plain_hit, wide;
        prop_check(&p, kst_cast_plain(g, &ray, false, &plain_hit) == KARST_OK);
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            prop_check(&p, kst_cast_avx2(g, &ray, false, &wide) == KARST_OK);
            prop_check(&p, is_same_hit(&plain_hit, &wide));
        }
        if (__builtin_cpu_supports("avx512bw")) {
            prop_check(&p, kst_cast_avx512(g, &ray, false, &wide) == KARST_OK);
            prop_check(&p, is_same_hit(&plain_hit, &wide));
        }
#else
        (void)wide;
#endif
    }
}

static void each_vector_width_gives_the_same_bits(void **state) {
    (void)state;
    for (int n = 0; n < PLACES; ++n) {
        karst_field *field = field_at(&places[n], (uint64_t)n + 5);
        compare_widths((kst_field_ground *)(uintptr_t)karst_field_ground(field), "width", 3000);
        for (int far = 0; far < 2; ++far) {
            baked *b = bake(field, far);
            compare_widths(&b->ground, "width baked", 1500);
            baked_free(b);
        }
        karst_field_destroy(field);
    }
}

static void rays_from_a_thousand_kilometres_are_exact(void **state) {
    (void)state;
    karst_field *field = rough(97, 97, 1, 3, true, false, (karst_pos){-3e5, 0, 2e5});
    const karst_ground *ground = karst_field_ground(field);
    soup s = soup_of(ground);
    karst_box box = karst_ground_bounds(ground);
    int hits = 0;
    for (prop p = prop_begin("far", 250); prop_next(&p);) {
        karst_pos to = inside(&p, box, 0), from = {to.x + prop_real(&p, -1e6, 1e6), to.y + prop_real(&p, 1e4, 5e5),
                                                   to.z + prop_real(&p, -1e6, 1e6)};
        karst_ray ray = karst_ray_make(from, minus(to, from));
        karst_hit hit = soup_hit(ground, ray);
        soup_verdict v = soup_cast(&s, &ray, 1e-6L);
        prop_check(&p, !v.sure || hit.hit);
        prop_check(&p, !hit.hit || v.perhaps);
        if (!hit.hit) continue;
        ++hits;
        double length = sqrt(ray.direction.x * ray.direction.x + ray.direction.y * ray.direction.y +
                             ray.direction.z * ray.direction.z);
        prop_check(&p, hit.t * length <= (double)(v.sure ? v.sure_t : INFINITY) * length + 1e-4);
        prop_check(&p, hit.t * length >= (double)v.perhaps_t * length - 1e-4);
    }
    assert_true(hits > test_count(100));
    soup_free(&s);
    karst_field_destroy(field);
}

// So long that floats over all of it are too coarse for a chunk.
static void a_very_long_field_is_as_exact_at_its_end(void **state) {
    (void)state;
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){300001, 70, 0.5, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    enum { FROM = 299900, COLUMNS = 101 };
    float y[70 * COLUMNS];
    for (int k = 0; k < 70 * COLUMNS; ++k) y[k] = 0.1f * scene_height(k % COLUMNS, k / COLUMNS, 6);
    assert_int_equal(karst_field_write(field, (karst_rect){FROM, 0, FROM + COLUMNS, 70}, y, NULL, NULL, COLUMNS),
                     KARST_OK);
    const karst_ground *ground = karst_field_ground(field);
    soup s = {0};
    int32_t nx, nz;
    karst_field_chunk_grid(field, &nx, &nz);
    for (int32_t z = 0; z < nz; ++z)
        for (int32_t x = nx - 4; x < nx; ++x)
            assert_int_equal(karst_ground_triangles(ground, (uint32_t)(z * nx + x), soup_take, &s), KARST_OK);
    int hits = 0;
    for (prop p = prop_begin("long", 500); prop_next(&p);) {
        const karst_triangle *t = &s.triangle[prop_int(&p, 0, s.count - 1)];
        karst_pos to = t->corner[prop_int(&p, 0, 2)];
        karst_pos from = {to.x + prop_real(&p, -40, 90), to.y + prop_real(&p, 1, 60), to.z + prop_real(&p, -60, 60)};
        if (from.x < 0.5 * (FROM - 60)) continue;
        karst_ray ray = karst_ray_make(from, minus(to, from));
        karst_hit hit = soup_hit(ground, ray);
        soup_verdict v = soup_cast(&s, &ray, 1e-9L);
        double length = sqrt(ray.direction.x * ray.direction.x + ray.direction.y * ray.direction.y +
                             ray.direction.z * ray.direction.z);
        prop_check(&p, !v.sure || hit.hit);
        if (!hit.hit) continue;
        ++hits;
        prop_check(&p, hit.t * length <= (double)(v.sure ? v.sure_t : INFINITY) * length + 1e-4);
        prop_check(&p, hit.t * length >= (double)v.perhaps_t * length - 1e-4);
    }
    assert_true(hits > test_count(300));
    soup_free(&s);
    karst_field_destroy(field);
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
        karst_ray ray =
            karst_ray_make((karst_pos){300 * kst_random01(1, (uint64_t)k), 90, 300 * kst_random01(2, (uint64_t)k)},
                           (karst_pos){kst_random01(3, (uint64_t)k) - 0.5, -0.6, kst_random01(4, (uint64_t)k) - 0.5});
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
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *a = rough(301, 301, 1, 3, displaced, true, (karst_pos){0, 0, 0});
        karst_field *b = rough(301, 301, 1, 3, displaced, true, (karst_pos){0, 0, 0});
        one.ground = karst_field_ground(a);
        many.ground = karst_field_ground(b);
        karst_jobs_for(NULL, THREAD_RAYS, 16, cast_some, &one);
        karst_jobs_for(jobs, THREAD_RAYS, 16, cast_some, &many);  // all of its structures are made in the crowd
        assert_memory_equal(one.t, many.t, sizeof one.t);
        karst_field_destroy(a);
        karst_field_destroy(b);
    }
    karst_jobs_destroy(jobs);
}

static void nonsense_rays_are_refused(void **state) {
    (void)state;
    karst_field *field = rough(9, 9, 2, 1, false, false, (karst_pos){0, 0, 0});
    const karst_ground *ground = karst_field_ground(field);
    karst_hit hit;
    bool any;
    karst_ray ray = karst_ray_make((karst_pos){0, 0, 0}, (karst_pos){0, 0, 0});
    assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_ERROR_ARGUMENT);
    ray.direction.x = NAN;
    assert_int_equal(karst_ground_blocked(ground, &ray, &any), KARST_ERROR_ARGUMENT);
    ray = karst_ray_make((karst_pos){INFINITY, 0, 0}, (karst_pos){1, 0, 0});
    assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_ERROR_ARGUMENT);
    double y;
    assert_false(karst_ground_height(ground, NAN, 1, &y));
    assert_false(karst_ground_height(ground, 1e300, 1, &y));
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_meet_what_every_triangle_says),
        cmocka_unit_test(no_ray_slips_through_a_vertex_or_an_edge),
        cmocka_unit_test(ray_and_height_agree_on_every_vertex_and_mid_edge),
        cmocka_unit_test(ray_and_height_agree_at_100_000_random_places),
        cmocka_unit_test(every_sheet_of_an_overhang_is_found),
        cmocka_unit_test(a_wrong_diagonal_is_found),
        cmocka_unit_test(edges_that_are_not_shared_let_rays_through),
        cmocka_unit_test(a_hole_lets_rays_through_and_its_rim_is_ground),
        cmocka_unit_test(rays_inside_a_flat_plane_meet_it),
        cmocka_unit_test(far_borders_are_ground),
        cmocka_unit_test(baked_ground_is_met_like_its_triangles),
        cmocka_unit_test(each_vector_width_gives_the_same_bits),
        cmocka_unit_test(rays_from_a_thousand_kilometres_are_exact),
        cmocka_unit_test(a_very_long_field_is_as_exact_at_its_end),
        cmocka_unit_test(many_threads_get_the_same_answers),
        cmocka_unit_test(nonsense_rays_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
