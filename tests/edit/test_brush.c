// SPDX-License-Identifier: MIT
// Brushes against an oracle that looks at every vertex of the field and knows no strips, chunks or bounds.
#include "edit/ground.h"
#include "karst/stamp.h"
#include "karst/transform.h"

// ---- the oracle ----------------------------------------------------------------------------------------

static karst_pos minus(karst_pos a, karst_pos b) {
    return (karst_pos){a.x - b.x, a.y - b.y, a.z - b.z};
}
static double dot(karst_pos a, karst_pos b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static karst_pos unit(karst_pos a) {
    double n = sqrt(dot(a, a));
    return n > 0 ? (karst_pos){a.x / n, a.y / n, a.z / n} : (karst_pos){0, 1, 0};
}

static karst_pos normal_at(const vertices *v, int i, int j) {
    int a = i > 0 ? i - 1 : i, b = i + 1 < v->shape.columns ? i + 1 : i;
    int c = j > 0 ? j - 1 : j, d = j + 1 < v->shape.rows ? j + 1 : j;
    karst_pos across = minus(vertex_at(v, b, j), vertex_at(v, a, j)),
              along = minus(vertex_at(v, i, d), vertex_at(v, i, c));
    return (karst_pos){along.y * across.z - along.z * across.y, along.z * across.x - along.x * across.z,
                       along.x * across.y - along.y * across.x};
}

static double weight(const karst_brush_def *def, const karst_dab *dab, karst_pos p) {
    karst_pos d = minus(p, dab->centre);
    return (double)karst_brush_weight(def, sqrt(dot(d, d)) / def->radius_m);
}

static karst_pos mean_displacement(const vertices *v, int i, int j, int half) {
    double sum[3] = {0}, n = 0;
    for (int b = j - half; b <= j + half; ++b)
        for (int a = i - half; a <= i + half; ++a) {
            if (a < 0 || b < 0 || a >= v->shape.columns || b >= v->shape.rows) continue;
            size_t k = (size_t)b * (size_t)v->shape.columns + (size_t)a;
            sum[0] += (double)v->x[k], sum[1] += (double)v->y[k], sum[2] += (double)v->z[k];
            ++n;
        }
    return (karst_pos){sum[0] / n, sum[1] / n, sum[2] / n};
}

// Where a vertex goes, from the definitions in brush.h.
static karst_pos oracle_delta(const vertices *v, const karst_brush_def *def, const karst_dab *dab, int i, int j,
                              karst_pos mean, karst_pos out) {
    size_t k = (size_t)j * (size_t)v->shape.columns + (size_t)i;
    karst_pos p = vertex_at(v, i, j), q = minus(p, dab->centre), d = {0, 0, 0};
    double s = def->strength;
    switch (def->kind) {
        case KARST_BRUSH_RAISE:
        case KARST_BRUSH_LOWER:
            d = def->along == KARST_ALONG_VERTEX ? unit(normal_at(v, i, j)) : out;
            if (def->kind == KARST_BRUSH_LOWER) s = -s;
            break;
        case KARST_BRUSH_SMOOTH:
        case KARST_BRUSH_SHARPEN:
            d = minus(mean_displacement(v, i, j, (int)fmax(1, floor(def->detail_m / v->shape.spacing_m + 0.5))),
                      (karst_pos){(double)v->x[k], (double)v->y[k], (double)v->z[k]});
            if (def->kind == KARST_BRUSH_SHARPEN) s = -s;
            break;
        case KARST_BRUSH_FLATTEN: {
            double off = -dot(minus(p, mean), out);
            d = (karst_pos){out.x * off, out.y * off, out.z * off};
            break;
        }
        case KARST_BRUSH_PINCH: {
            double up = dot(q, out);
            d = (karst_pos){out.x * up - q.x, out.y * up - q.y, out.z * up - q.z};
            break;
        }
        default:
            d = (karst_pos){(double)dab->motion.x, (double)dab->motion.y, (double)dab->motion.z};
    }
    return (karst_pos){d.x * s, d.y * s, d.z * s};
}

static void footprint(const vertices *v, const karst_brush_def *def, const karst_dab *dab, karst_pos *mean,
                      karst_pos *normal) {
    double sum = 0, m[3] = {0}, n[3] = {0};
    for (int j = 0; j < v->shape.rows; ++j)
        for (int i = 0; i < v->shape.columns; ++i) {
            karst_pos p = vertex_at(v, i, j), a = normal_at(v, i, j);
            double w = weight(def, dab, p);
            sum += w;
            m[0] += w * p.x, m[1] += w * p.y, m[2] += w * p.z;
            n[0] += w * a.x, n[1] += w * a.y, n[2] += w * a.z;
        }
    *mean = sum > 0 ? (karst_pos){m[0] / sum, m[1] / sum, m[2] / sum} : (karst_pos){0, 0, 0};
    *normal = unit((karst_pos){n[0], n[1], n[2]});
}

// ---- random cases --------------------------------------------------------------------------------------

static const karst_brush_kind kinds[] = {KARST_BRUSH_RAISE,   KARST_BRUSH_LOWER,   KARST_BRUSH_SMOOTH,
                                         KARST_BRUSH_SHARPEN, KARST_BRUSH_FLATTEN, KARST_BRUSH_PINCH,
                                         KARST_BRUSH_PULL};

static karst_field *random_field(prop *p) {
    karst_field *field = NULL;
    karst_pos origin = {prop_real(p, -500, 500), 0, prop_real(p, -500, 500)};
    assert_int_equal(scene_rough_field(prop_int(p, 3, 140), prop_int(p, 3, 140), prop_real(p, 0.5, 4), prop_u64(p),
                                       prop_chance(p, 0.7), false, origin, &field),
                     KARST_OK);
    return field;
}

static karst_brush_def random_brush(prop *p, double spacing_m) {
    karst_brush_def d = karst_brush_def_default();
    d.kind = kinds[prop_int(p, 0, 6)];
    d.along = (karst_brush_along)prop_int(p, 0, KARST_ALONG_COUNT - 1);
    d.falloff = (karst_falloff)prop_int(p, 0, KARST_FALLOFF_COUNT - 1);
    for (int k = 0; k < 4; ++k) d.curve[k] = (float)prop_real(p, 0, 1);
    d.radius_m = spacing_m * prop_real(p, 0.7, 40);
    d.strength = prop_real(p, 0.05, 1);
    d.detail_m = prop_real(p, 0, 4) * spacing_m;
    return d;
}

static karst_dab random_dab(prop *p, const vertices *v) {
    karst_pos at = vertex_at(v, prop_int(p, 0, v->shape.columns - 1), prop_int(p, 0, v->shape.rows - 1));
    at.x += prop_real(p, -3, 3), at.y += prop_real(p, -3, 3), at.z += prop_real(p, -3, 3);
    return (karst_dab){.centre = at,
                       .view = {(float)prop_real(p, -1, 1), -1, (float)prop_real(p, -1, 1)},
                       .motion = {(float)prop_real(p, -4, 4), (float)prop_real(p, -4, 4), (float)prop_real(p, -4, 4)},
                       .pressure = 1};
}

static karst_field *random_mask(prop *p, const vertices *v) {
    karst_field_def def = karst_field_def_default();
    def.shape = v->shape;
    karst_field *mask = NULL;
    assert_int_equal(karst_field_create(&def, &mask), KARST_OK);
    size_t n = vertex_count(v);
    float *values = malloc(n * sizeof *values);
    for (size_t k = 0; k < n; ++k) values[k] = prop_chance(p, 0.3) ? 0 : (float)prop_real(p, -0.2, 1.2);
    assert_int_equal(karst_field_write(mask, (karst_rect){0, 0, v->shape.columns, v->shape.rows}, values, NULL, NULL,
                                       v->shape.columns),
                     KARST_OK);
    free(values);
    return mask;
}

// ---- tests ---------------------------------------------------------------------------------------------

static void a_dab_is_what_the_oracle_says_and_nothing_outside_changes(void **state) {
    (void)state;
    uint64_t changed = 0, kept = 0, masked = 0;
    for (prop p = prop_begin("brush_oracle", 240); prop_next(&p);) {
        karst_field *field = random_field(&p);
        vertices before = vertices_of(field);
        karst_brush_def def = random_brush(&p, before.shape.spacing_m);
        karst_dab dab = random_dab(&p, &before);
        karst_field *mask = prop_chance(&p, 0.4) ? random_mask(&p, &before) : NULL;
        karst_canvas canvas = {.shown = field, .target = field, .mask = mask};
        karst_touched touched = {0};
        assert_int_equal(karst_brush_check(&def, NULL), KARST_OK);
        assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, &touched), KARST_OK);
        vertices after = vertices_of(field), m = mask ? vertices_of(mask) : (vertices){0};
        karst_pos mean, normal, out = {0, 1, 0};
        footprint(&before, &def, &dab, &mean, &normal);
        if (def.along == KARST_ALONG_NORMAL) out = normal;
        if (def.along == KARST_ALONG_VIEW)
            out = unit((karst_pos){-(double)dab.view.x, -(double)dab.view.y, -(double)dab.view.z});
        uint64_t samples = 0;
        for (int j = 0; j < before.shape.rows; ++j)
            for (int i = 0; i < before.shape.columns; ++i) {
                size_t k = (size_t)j * (size_t)before.shape.columns + (size_t)i;
                double w = weight(&def, &dab, vertex_at(&before, i, j));
                if (mask) w *= fmin(fmax((double)m.y[k], 0), 1);
                masked += mask && m.y[k] <= 0;
                bool same = same_bits(&before, &after, k);
                samples += !same;
                if (w <= 0) {
                    prop_check(&p, same);
                    ++kept;
                    continue;
                }
                ++changed;
                karst_pos d = oracle_delta(&before, &def, &dab, i, j, mean, out), got = vertex_at(&after, i, j),
                          was = vertex_at(&before, i, j);
                double tolerance = 2e-4;
                prop_near(&p, got.x, was.x + w * d.x, tolerance);
                prop_near(&p, got.y, was.y + w * d.y, tolerance);
                prop_near(&p, got.z, was.z + w * d.z, tolerance);
                if (!same)
                    prop_check(
                        &p, i >= touched.rect.x0 && i < touched.rect.x1 && j >= touched.rect.z0 && j < touched.rect.z1);
            }
        prop_check(&p, samples == touched.samples);
        prop_check(&p, borders_are_equal(field));
        vertices_free(&before);
        vertices_free(&after);
        if (mask) vertices_free(&m);
        karst_field_destroy(mask);
        karst_field_destroy(field);
    }
    assert_true(changed > 1000 && kept > 1000 && masked > 100);
}

static karst_status dab_on(karst_field *field, const karst_brush_def *def, double x, double y, double z) {
    karst_canvas canvas = {.shown = field, .target = field};
    karst_dab dab = {.centre = {x, y, z}, .pressure = 1, .motion = {1, 2, 3}};
    return karst_brush_dab(&canvas, def, &dab, NULL, NULL, NULL);
}

// A step of 60 m: low ground for columns below 64, a plateau from there on.
static karst_field *cliff(void) {
    karst_field *field = flat_field(129, 129, 1);
    float row[129];
    for (int i = 0; i < 129; ++i) row[i] = i < 64 ? 0 : 60;
    for (int j = 0; j < 129; ++j)
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, 129, j + 1}, row, NULL, NULL, 129), KARST_OK);
    return field;
}

static void a_brush_at_the_foot_of_a_cliff_leaves_its_top_alone(void **state) {
    (void)state;
    karst_field *field = cliff();
    vertices before = vertices_of(field);
    karst_brush_def def = karst_brush_def_default();
    def.radius_m = 20;
    assert_int_equal(dab_on(field, &def, 60, 0, 64), KARST_OK);
    vertices after = vertices_of(field);
    int disc = 0;  // control: a disc in the plane would have taken these
    for (int j = 0; j < 129; ++j)
        for (int i = 64; i < 129; ++i) {
            assert_true(same_bits(&before, &after, (size_t)j * 129 + (size_t)i));
            disc += (i - 60) * (i - 60) + (j - 64) * (j - 64) < 400;
        }
    assert_true(disc > 300);
    assert_true(after.y[64 * 129 + 60] == 1 && after.y[64 * 129 + 50] > 0);
    vertices_free(&before);
    vertices_free(&after);
    karst_field_destroy(field);
}

static void a_radius_of_ten_kilometres_is_legal(void **state) {
    (void)state;
    karst_field *field = flat_field(1025, 700, 1);
    karst_brush_def def = karst_brush_def_default();
    def.radius_m = 10000;
    def.falloff = KARST_FALLOFF_LINEAR;
    karst_canvas canvas = {.shown = field, .target = field};
    karst_dab dab = {.centre = {100, 0, 200}, .pressure = 1};
    karst_touched touched = {0};
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, &touched), KARST_OK);
    assert_true(touched.samples == 1025 * 700 && touched.dabs == 1);
    vertices after = vertices_of(field);
    for (int j = 0; j < 700; j += 13)
        for (int i = 0; i < 1025; i += 17)
            assert_true(fabs((double)after.y[j * 1025 + i] - (1 - hypot(i - 100, j - 200) / 10000)) < 1e-6);
    vertices_free(&after);
    karst_field_destroy(field);
}

// A store that counts, and has a displaced chunk at (0, 0) alone.
typedef struct counting {
    int saves[16][16];
} counting;
static karst_status load(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    (void)context, (void)x, (void)z, (void)out;
    *found = false;
    return KARST_OK;
}
static karst_status save(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    (void)chunk;
    ++((counting *)context)->saves[z][x];
    return KARST_OK;
}

static void the_far_side_is_never_written(void **state) {
    (void)state;
    counting c = {0};
    karst_field_store store = {.load = load, .save = save, .context = &c};
    karst_field_def fd = karst_field_def_default();
    fd.shape.columns = fd.shape.rows = 16 * 64 + 1;
    fd.store = &store;
    karst_field *field;
    assert_int_equal(karst_field_create(&fd, &field), KARST_OK);
    karst_brush_def def = karst_brush_def_default();
    def.radius_m = 30;
    assert_int_equal(dab_on(field, &def, 4.5 * 64, 0, 7.5 * 64), KARST_OK);  // inside chunk (4, 7)
    assert_int_equal(karst_field_flush(field), KARST_OK);
    int saves = 0;
    for (int z = 0; z < 16; ++z)
        for (int x = 0; x < 16; ++x) saves += c.saves[z][x];
    assert_true(saves == 1 && c.saves[7][4] == 1);
    def.radius_m = 33;  // touches the four beside it, and no corner
    assert_int_equal(dab_on(field, &def, 4.5 * 64, 0, 7.5 * 64), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    assert_true(c.saves[7][3] == 1 && c.saves[7][5] == 1 && c.saves[6][4] == 1 && c.saves[8][4] == 1);
    assert_true(c.saves[6][3] == 0 && c.saves[8][5] == 0);
    karst_field_destroy(field);
}

static void the_bytes_are_the_same_for_any_number_of_workers(void **state) {
    (void)state;
    for (prop p = prop_begin("brush_workers", 12); prop_next(&p);) {
        uint64_t seed = prop_u64(&p), hash[3];
        karst_brush_def def = random_brush(&p, 1);
        def.radius_m = 300;
        def.kind = kinds[p.at % 7];
        def.mirror_x = p.at & 1;
        def.middle = (karst_pos){230, 0, 0};
        const int workers[3] = {1, 2, 5};
        for (int w = 0; w < 3; ++w) {
            karst_field *field;
            assert_int_equal(scene_rough_field(430, 410, 1, seed, true, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
            karst_jobs_def jd = karst_jobs_def_default();
            jd.worker_count = workers[w];
            karst_jobs *jobs;
            assert_int_equal(karst_jobs_create(&jd, &jobs), KARST_OK);
            karst_canvas canvas = {.shown = field, .target = field};
            karst_dab dab = {.centre = {200, 0, 210}, .pressure = 1, .motion = {1, 2, 3}};
            assert_int_equal(karst_brush_dab(&canvas, &def, &dab, jobs, NULL, NULL), KARST_OK);
            vertices v = vertices_of(field);
            hash[w] = kst_hash(v.y, 3 * vertex_count(&v) * sizeof(float), 0);
            vertices_free(&v);
            karst_jobs_destroy(jobs);
            karst_field_destroy(field);
        }
        prop_check(&p, hash[0] == hash[1] && hash[0] == hash[2]);
    }
}

static double asymmetry(const vertices *v, int turn) {  // 0: mirrored in x; 1: a quarter turn
    double worst = 0;
    int n = v->shape.columns;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            int a = turn ? n - 1 - j : n - 1 - i, b = turn ? i : j;
            worst = fmax(worst, fabs((double)v->y[j * n + i] - (double)v->y[b * n + a]));
        }
    return worst;
}

static void symmetry_draws_the_same_on_all_sides(void **state) {
    (void)state;
    for (prop p = prop_begin("brush_symmetry", 40); prop_next(&p);) {
        bool turn = p.at & 1;
        karst_brush_def def = random_brush(&p, 1);
        def.along = KARST_ALONG_NORMAL;
        def.kind = prop_chance(&p, 0.5) ? KARST_BRUSH_RAISE : KARST_BRUSH_NOISE;
        def.detail_m = 5;
        def.middle = (karst_pos){50, 0, 50};
        def.radial = turn ? 4 : 1;
        def.mirror_x = !turn;
        for (int control = 0; control < 2; ++control) {
            if (control) def.radial = 1, def.mirror_x = false;
            karst_field *field = flat_field(101, 101, 1);
            double x = prop_real(&p, 20, 46), z = prop_real(&p, 20, 60);
            assert_int_equal(dab_on(field, &def, x, 0, z), KARST_OK);
            assert_int_equal(dab_on(field, &def, x + 3, 0.2, z + 1), KARST_OK);
            vertices v = vertices_of(field);
            if (control)
                prop_check(&p, asymmetry(&v, turn) > 1e-3);
            else
                prop_check(&p, asymmetry(&v, turn) < 2e-5);
            vertices_free(&v);
            karst_field_destroy(field);
        }
    }
}

static void a_dab_on_its_own_mirror_is_one_dab(void **state) {
    (void)state;
    karst_field *one = flat_field(65, 65, 1), *two = flat_field(65, 65, 1);
    karst_brush_def def = karst_brush_def_default();
    def.middle = (karst_pos){32, 0, 32};
    assert_int_equal(dab_on(one, &def, 32, 0, 30), KARST_OK);
    def.mirror_x = true;
    assert_int_equal(dab_on(two, &def, 32, 0, 30), KARST_OK);
    vertices a = vertices_of(one), b = vertices_of(two);
    assert_true(all_same(&a, &b));
    vertices_free(&a);
    vertices_free(&b);
    karst_field_destroy(one);
    karst_field_destroy(two);
}

static void pressure_governs_size_and_force(void **state) {
    (void)state;
    for (prop p = prop_begin("brush_pressure", 20); prop_next(&p);) {
        double pressure = 0.25 + 0.25 * prop_int(&p, 0, 2);
        karst_brush_def pen = karst_brush_def_default(), hand = pen;
        pen.radius_m = 20;
        pen.pressure_size = 1;
        hand.radius_m = 20 * pressure;
        hand.strength = pressure;
        karst_field *one = flat_field(65, 65, 1), *two = flat_field(65, 65, 1);
        karst_canvas c1 = {.shown = one, .target = one}, c2 = {.shown = two, .target = two};
        karst_dab dab = {.centre = {prop_real(&p, 10, 50), 0, 30}, .pressure = (float)pressure};
        assert_int_equal(karst_brush_dab(&c1, &pen, &dab, NULL, NULL, NULL), KARST_OK);
        dab.pressure = 1;
        assert_int_equal(karst_brush_dab(&c2, &hand, &dab, NULL, NULL, NULL), KARST_OK);
        vertices a = vertices_of(one), b = vertices_of(two);
        prop_check(&p, all_same(&a, &b));
        dab.pressure = 0;  // no size, no dab
        assert_int_equal(karst_brush_dab(&c1, &pen, &dab, NULL, NULL, NULL), KARST_OK);
        vertices c = vertices_of(one);
        prop_check(&p, all_same(&a, &c));
        vertices_free(&a), vertices_free(&b), vertices_free(&c);
        karst_field_destroy(one);
        karst_field_destroy(two);
    }
}

static void the_pen_s_tilt_turns_the_way_out(void **state) {
    (void)state;
    karst_field *field = flat_field(65, 65, 1);
    karst_canvas canvas = {.shown = field, .target = field};
    karst_brush_def def = karst_brush_def_default();
    def.tilt = 1;
    karst_dab dab = {.centre = {32, 0, 32}, .pressure = 1, .tilt_x = 1};
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL), KARST_OK);
    vertices v = vertices_of(field);
    int k = 32 * 65 + 32;
    assert_true(fabs((double)v.x[k] - sqrt(0.5)) < 1e-6 && fabs((double)v.y[k] - sqrt(0.5)) < 1e-6 && v.z[k] == 0);
    vertices_free(&v);
    karst_field_destroy(field);
}

static bool stop(void *context, const char *stage, double share) {
    (void)context, (void)stage, (void)share;
    return false;
}

static void bad_numbers_and_failures_are_told(void **state) {
    (void)state;
    karst_brush_def def = karst_brush_def_default();
    karst_report report;
    assert_string_equal(karst_brush_text(KARST_BRUSH_STAMP), "stamp");
    def.radius_m = -1;
    assert_int_equal(karst_brush_check(&def, &report), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(report.message, "radius"));
    def = karst_brush_def_default();
    def.kind = KARST_BRUSH_SMOOTH;
    def.strength = 1.5;
    assert_int_equal(karst_brush_check(&def, &report), KARST_ERROR_ARGUMENT);
    def.strength = 0.5;
    karst_field *field = flat_field(65, 65, 1);
    vertices before = vertices_of(field);
    karst_canvas canvas = {.shown = field, .target = field};
    karst_dab dab = {.centre = {32, 0, 32}, .pressure = 1};
    karst_progress progress = {stop, NULL};
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, &progress, NULL), KARST_ERROR_CANCELLED);
    for (uint64_t n = 1; n <= 3; ++n) {
        kst_alloc_fail_after(n);
        karst_status status = karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_ERROR_MEMORY || status == KARST_OK);
    }
    def.kind = KARST_BRUSH_RESTORE;
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    def.toward = KARST_TOWARD_REFERENCE;
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    vertices after = vertices_of(field);
    assert_true(all_same(&before, &after));
    vertices_free(&before), vertices_free(&after);
    karst_field_destroy(field);
}

static void restore_goes_back_to_the_reference(void **state) {
    (void)state;
    karst_field *field, *reference;
    assert_int_equal(scene_rough_field(100, 90, 1, 5, true, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
    assert_int_equal(scene_rough_field(100, 90, 1, 5, true, false, (karst_pos){0, 0, 0}, &reference), KARST_OK);
    karst_brush_def def = karst_brush_def_default();
    def.along = KARST_ALONG_NORMAL;
    karst_box bounds = karst_ground_bounds(karst_field_ground(field));
    double y = (bounds.min.y + bounds.max.y) / 2;
    def.radius_m = 200;
    assert_int_equal(dab_on(field, &def, 50, y, 45), KARST_OK);
    def.kind = KARST_BRUSH_RESTORE;
    def.falloff = KARST_FALLOFF_FLAT;
    def.toward = KARST_TOWARD_REFERENCE;
    def.reference = reference;
    assert_int_equal(dab_on(field, &def, 50, y, 45), KARST_OK);
    vertices a = vertices_of(field), b = vertices_of(reference);
    for (size_t k = 0; k < vertex_count(&a); ++k)
        assert_true(fabs((double)a.y[k] - (double)b.y[k]) < 1e-5 && fabs((double)a.x[k] - (double)b.x[k]) < 1e-5);
    vertices_free(&a), vertices_free(&b);
    karst_field_destroy(field);
    karst_field_destroy(reference);
}

static void a_mask_is_painted_where_the_sphere_is(void **state) {
    (void)state;
    uint64_t painted = 0, full = 0;
    for (prop p = prop_begin("brush_paint", 40); prop_next(&p);) {
        karst_field *field = random_field(&p);
        vertices ground = vertices_of(field);
        karst_field *sheet = random_mask(&p, &ground), *limit = prop_chance(&p, 0.5) ? random_mask(&p, &ground) : NULL;
        vertices before = vertices_of(sheet), m = limit ? vertices_of(limit) : (vertices){0};
        karst_brush_def def = random_brush(&p, ground.shape.spacing_m);
        def.kind = prop_chance(&p, 0.5) ? KARST_BRUSH_RAISE : KARST_BRUSH_LOWER;
        def.paint = sheet;
        karst_dab dab = random_dab(&p, &ground);
        karst_canvas canvas = {.shown = field, .target = field, .mask = limit};
        karst_touched touched = {0};
        assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, &touched), KARST_OK);
        vertices after = vertices_of(sheet), still = vertices_of(field);
        prop_check(&p, all_same(&ground, &still));
        double amount = def.kind == KARST_BRUSH_RAISE ? def.strength : -def.strength;
        uint64_t changed = 0;
        for (int j = 0; j < ground.shape.rows; ++j)
            for (int i = 0; i < ground.shape.columns; ++i) {
                size_t k = (size_t)j * (size_t)ground.shape.columns + (size_t)i;
                double w = weight(&def, &dab, vertex_at(&ground, i, j));
                if (limit) w *= fmin(fmax((double)m.y[k], 0), 1);
                changed += !same_bits(&before, &after, k);
                if (w <= 0) {
                    prop_check(&p, same_bits(&before, &after, k));
                    continue;
                }
                double wanted = fmin(fmax((double)before.y[k] + w * amount, 0), 1);
                prop_near(&p, after.y[k], wanted, 1e-6);
                full += after.y[k] == 1;
            }
        prop_check(&p, changed == touched.samples);
        painted += changed;
        vertices_free(&ground), vertices_free(&before), vertices_free(&after), vertices_free(&still);
        if (limit) vertices_free(&m);
        karst_field_destroy(field);
        karst_field_destroy(sheet);
        karst_field_destroy(limit);
    }
    assert_true(painted > 1000 && full > 10);
}

// ---- transform -----------------------------------------------------------------------------------------

static void transform_carries_masked_vertices_and_a_turn_stays_a_turn(void **state) {
    (void)state;
    for (prop p = prop_begin("transform", 40); prop_next(&p);) {
        karst_field *field = random_field(&p);
        vertices before = vertices_of(field);
        karst_field *mask = random_mask(&p, &before);
        vertices m = vertices_of(mask);
        karst_canvas canvas = {.shown = field, .target = field, .mask = mask};
        karst_transform_def def = karst_transform_def_default();
        def.pivot = vertex_at(&before, 1, 2);
        def.axis = (karst_pos){prop_real(&p, -1, 1), 1, prop_real(&p, -1, 1)};
        def.turn = prop_real(&p, -1, 1);
        bool turns_alone = prop_chance(&p, 0.5);
        if (!turns_alone) def.scale = (karst_pos){2, 0.5, 1}, def.turn = 0, def.move_m = (karst_pos){3, -4, 5};
        if (prop_chance(&p, 0.5)) def.radius_m = 30, def.centre = vertex_at(&before, 0, 0);
        assert_int_equal(karst_transform(&canvas, &def, NULL, NULL, NULL), KARST_OK);
        vertices after = vertices_of(field);
        for (int j = 0; j < before.shape.rows; ++j)
            for (int i = 0; i < before.shape.columns; ++i) {
                size_t k = (size_t)j * (size_t)before.shape.columns + (size_t)i;
                karst_pos was = vertex_at(&before, i, j), is = vertex_at(&after, i, j), d = minus(was, def.centre);
                double w = fmin(fmax((double)m.y[k], 0), 1);
                if (def.radius_m > 0) {
                    double s = 1 - sqrt(dot(d, d)) / def.radius_m;
                    w *= s > 0 ? s * s * (3 - 2 * s) : 0;
                }
                if (w <= 0) {
                    prop_check(&p, same_bits(&before, &after, k));
                } else if (turns_alone) {
                    karst_pos a = minus(was, def.pivot), b = minus(is, def.pivot), axis = unit(def.axis);
                    prop_near(&p, sqrt(dot(a, a)), sqrt(dot(b, b)), 1e-3);
                    prop_near(&p, dot(a, axis), dot(b, axis), 1e-3);
                    double up = dot(a, axis), flat = dot(a, a) - up * up;
                    prop_near(&p, dot(a, b) - up * up, flat * cos(w * def.turn * 2 * M_PI), 1e-3 * (1 + flat));
                } else {
                    karst_pos a = minus(was, def.pivot);
                    prop_near(&p, is.x, was.x + w * (a.x + 3), 1e-3);
                    prop_near(&p, is.y, was.y + w * (-0.5 * a.y - 4), 1e-3);
                    prop_near(&p, is.z, was.z + w * 5, 1e-3);
                }
            }
        prop_check(&p, borders_are_equal(field));
        vertices_free(&before), vertices_free(&after), vertices_free(&m);
        karst_field_destroy(field);
        karst_field_destroy(mask);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dab_is_what_the_oracle_says_and_nothing_outside_changes),
        cmocka_unit_test(a_brush_at_the_foot_of_a_cliff_leaves_its_top_alone),
        cmocka_unit_test(a_radius_of_ten_kilometres_is_legal),
        cmocka_unit_test(the_far_side_is_never_written),
        cmocka_unit_test(the_bytes_are_the_same_for_any_number_of_workers),
        cmocka_unit_test(symmetry_draws_the_same_on_all_sides),
        cmocka_unit_test(a_dab_on_its_own_mirror_is_one_dab),
        cmocka_unit_test(pressure_governs_size_and_force),
        cmocka_unit_test(the_pen_s_tilt_turns_the_way_out),
        cmocka_unit_test(bad_numbers_and_failures_are_told),
        cmocka_unit_test(restore_goes_back_to_the_reference),
        cmocka_unit_test(a_mask_is_painted_where_the_sphere_is),
        cmocka_unit_test(transform_carries_masked_vertices_and_a_turn_stays_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
