// SPDX-License-Identifier: MIT
// Sampling a field: vertices exactly, places on the ground that queries see, normals of slopes and folds; and chunk
// bounds that hold it.
#include "karst/field.h"
#include "scenes/scenes.h"
#include "support/prop.h"

static const karst_pos origin = {1e6 + 0.25, -40, 3};

static karst_field *rough(bool displaced) {
    karst_field *field;
    assert_int_equal(scene_rough_field(131, 97, 2, 9, displaced, false, origin, &field), KARST_OK);
    return field;
}

static void vertices_are_exact(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *field = rough(displaced);
        for (prop p = prop_begin("sample_vertex", 300); prop_next(&p);) {
            int i = prop_int(&p, 0, 130), j = prop_int(&p, 0, 96);
            float y, x, z;
            karst_pos at;
            karst_vec3 n;
            prop_check(&p, !karst_field_read(field, (karst_rect){i, j, i + 1, j + 1}, &y, &x, &z, 1));
            prop_check(&p, !karst_field_sample(field, i, j, &at, &n));
            prop_check(&p, at.x == origin.x + (i * 2.0 + (double)x) && at.y == origin.y + (double)y &&
                               at.z == origin.z + (j * 2.0 + (double)z));
        }
        karst_field_destroy(field);
    }
}

// Distance in height from a place to the nearest of all the ground above and below it.
static double off_the_ground(const karst_ground *ground, karst_pos at) {
    karst_level level[32];
    int count;
    double best = INFINITY;
    assert_int_equal(karst_ground_heights(ground, at.x, at.z, level, 32, &count), KARST_OK);
    for (int k = 0; k < count && k < 32; ++k) best = fmin(best, fabs(level[k].y - at.y));
    return best;
}

static void samples_lie_on_the_ground_of_queries(void **state) {
    (void)state;
    for (int displaced = 0; displaced < 2; ++displaced) {
        karst_field *field = rough(displaced);
        const karst_ground *ground = karst_field_ground(field);
        int off = 0;
        for (prop p = prop_begin("sample_ground", 2000); prop_next(&p);) {
            double u = prop_real(&p, 0, 130), v = prop_real(&p, 0, 96);
            karst_pos at;
            karst_vec3 n;
            prop_check(&p, !karst_field_sample(field, u, v, &at, &n));
            prop_near(&p, n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-5);
            // x and z are rounded to 1e-10 m out here, and some ground stands steep.
            prop_check(&p, off_the_ground(ground, at) < 1e-6);
            at.y += 0.01;  // the control
            off += off_the_ground(ground, at) > 1e-6;
            bool inside = false;
            for (uint32_t c = 0; c < karst_ground_chunk_count(ground) && !inside; ++c) {
                karst_box b = karst_ground_chunk_bounds(ground, c);
                inside = at.x >= b.min.x && at.x <= b.max.x && at.z >= b.min.z && at.z <= b.max.z &&
                         at.y - 0.01 >= b.min.y - 1e-6 && at.y - 0.01 <= b.max.y + 1e-6;
            }
            prop_check(&p, inside);
        }
        assert_true(off > test_count(2000) * 9 / 10);
        karst_field_destroy(field);
    }
}

static void a_slope_has_its_normal_everywhere(void **state) {
    (void)state;
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){70, 70, 0.5, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    for (int j = 0; j < 70; ++j) {
        float y[70];
        for (int i = 0; i < 70; ++i) y[i] = 0.5f * (float)i - 0.25f * (float)j;  // 1 in x, -0.5 in z
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, 70, j + 1}, y, NULL, NULL, 70), KARST_OK);
    }
    const double length = sqrt(1 + 1 + 0.25);
    for (prop p = prop_begin("sample_slope", 500); prop_next(&p);) {
        karst_pos at;
        karst_vec3 n;
        prop_check(&p, !karst_field_sample(field, prop_real(&p, 0, 69), prop_real(&p, 0, 69), &at, &n));
        prop_near(&p, n.x, -1 / length, 1e-6);
        prop_near(&p, n.y, 1 / length, 1e-6);
        prop_near(&p, n.z, 0.5 / length, 1e-6);
    }
    karst_field_destroy(field);
}

// The smooth normal goes on over edges and diagonals, where that of the triangles jumps.
static void normals_do_not_jump(void **state) {
    (void)state;
    karst_field *field = rough(true);
    double worst = 0, control = 0;
    for (prop p = prop_begin("sample_smooth", 1000); prop_next(&p);) {
        double i = prop_int(&p, 1, 129), v = prop_real(&p, 0.01, 95.99);
        karst_pos at;
        karst_vec3 a, b, c;
        prop_check(&p, !karst_field_sample(field, i - 1e-7, v, &at, &a));
        prop_check(&p, !karst_field_sample(field, i + 1e-7, v, &at, &b));
        prop_check(&p, !karst_field_sample(field, i + 1e-7 - 1, v, &at, &c));
        worst = fmax(worst, fabs((double)(a.x - b.x)) + fabs((double)(a.y - b.y)) + fabs((double)(a.z - b.z)));
        control = fmax(control, fabs((double)(c.x - b.x)));
    }
    assert_true(worst < 1e-4);
    assert_true(control > 0.1);
    karst_field_destroy(field);
}

static void outside_is_refused(void **state) {
    (void)state;
    karst_field *field = rough(false);
    karst_pos at = {7, 7, 7};
    karst_vec3 n;
    const double bad[][2] = {{-1e-9, 0}, {130.0001, 0}, {0, 96.0001}, {0, -1}, {(double)NAN, 0}, {0, (double)INFINITY}};
    for (int k = 0; k < 6; ++k)
        assert_int_equal(karst_field_sample(field, bad[k][0], bad[k][1], &at, &n), KARST_ERROR_ARGUMENT);
    assert_true(at.x == 7);
    assert_int_equal(karst_field_sample(field, 130, 96, &at, &n), KARST_OK);
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_exact),
        cmocka_unit_test(samples_lie_on_the_ground_of_queries),
        cmocka_unit_test(a_slope_has_its_normal_everywhere),
        cmocka_unit_test(normals_do_not_jump),
        cmocka_unit_test(outside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
