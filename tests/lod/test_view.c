// SPDX-License-Identifier: MIT
// Views: projection, matrix and ray are one truth; an error slope holds in every corner of the screen.
#include "karst/view.h"
#include "support/prop.h"

static karst_view any_view(prop *p) {
    karst_pos eye = {prop_real(p, -1e6, 1e6), prop_real(p, -1e3, 1e4), prop_real(p, -1e6, 1e6)};
    karst_pos look = {eye.x + prop_real(p, -10, 10), eye.y + prop_real(p, -10, 10), eye.z + prop_real(p, -10, 10)};
    if (prop_chance(p, 0.05)) look = (karst_pos){eye.x, eye.y - 1, eye.z};
    return karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, (float)prop_real(p, 0.1, 2.5), prop_int(p, 1, 4000),
                                  prop_int(p, 1, 3000));
}

static void a_ray_through_a_pixel_projects_back_to_it(void **state) {
    (void)state;
    for (prop p = prop_begin("view_round_trip", 2000); prop_next(&p);) {
        karst_view v = any_view(&p);
        double px = prop_real(&p, 0, v.width), py = prop_real(&p, 0, v.height), x, y, depth;
        karst_pos o, d;
        karst_view_ray(&v, px, py, &o, &d);
        prop_near(&p, d.x * d.x + d.y * d.y + d.z * d.z, 1, 1e-12);
        double t = prop_real(&p, 1, 1000);
        karst_pos ahead = {o.x + t * d.x, o.y + t * d.y, o.z + t * d.z};
        karst_pos behind = {o.x - t * d.x, o.y - t * d.y, o.z - t * d.z};
        prop_check(&p, karst_view_project(&v, ahead, &x, &y, &depth));
        prop_near(&p, x, px, 0.02);
        prop_near(&p, y, py, 0.02);
        prop_check(&p, !karst_view_project(&v, behind, &x, &y, &depth));
    }
}

static void the_matrix_says_what_project_says(void **state) {
    (void)state;
    for (prop p = prop_begin("view_matrix", 2000); prop_next(&p);) {
        karst_view v = any_view(&p);
        karst_pos origin = {v.eye.x + prop_real(&p, -50, 50), v.eye.y + prop_real(&p, -50, 50), v.eye.z};
        float m[16], q[3], clip[4];
        karst_view_matrix(&v, origin, 0.5f, m);
        for (int k = 0; k < 3; ++k) q[k] = (float)prop_real(&p, -100, 100);
        for (int r = 0; r < 4; ++r) clip[r] = m[r] * q[0] + m[4 + r] * q[1] + m[8 + r] * q[2] + m[12 + r];
        double x, y, depth;
        karst_pos at = {origin.x + q[0], origin.y + q[1], origin.z + q[2]};
        if (!karst_view_project(&v, at, &x, &y, &depth) || depth < 1) continue;
        prop_near(&p, clip[3], depth, 1e-3);
        prop_near(&p, clip[2] / clip[3], 0.5 / depth, 1e-3 / depth);
        prop_near(&p, (clip[0] / clip[3] + 1) * 0.5 * v.width, x, 1e-3 * v.width * (1 + fabs(x / v.width)));
        prop_near(&p, (1 - clip[1] / clip[3]) * 0.5 * v.height, y, 1e-3 * v.height * (1 + fabs(y / v.height)));
    }
}

// An offset of slope * distance covers at most the pixels asked for, anywhere; the usual formula, without the factor
// for the corners, does not.
static void an_error_slope_holds_in_the_corners(void **state) {
    (void)state;
    double worst = 0, worst_plain = 0;
    for (prop p = prop_begin("view_slope", 20000); prop_next(&p);) {
        karst_view v = karst_view_perspective((karst_pos){0, 0, 0}, (karst_pos){0, 0, -1}, (karst_vec3){0, 1, 0},
                                              1.0471976f, 1920, 1080);
        karst_pos o, d;
        karst_view_ray(&v, prop_chance(&p, 0.5) ? 1920 : prop_real(&p, 0, 1920), prop_real(&p, 0, 1080), &o, &d);
        double slope = karst_view_error_slope(&v, 1), e[3], l = 0, x[2], y[2], depth;
        for (int k = 0; k < 3; ++k) {
            e[k] = prop_real(&p, -1, 1);
            l += e[k] * e[k];
        }
        for (int k = 0; k < 3; ++k) e[k] *= slope / sqrt(l);
        karst_view_project(&v, d, &x[0], &y[0], &depth);
        karst_view_project(&v, (karst_pos){d.x + e[0], d.y + e[1], d.z + e[2]}, &x[1], &y[1], &depth);
        double moved = hypot(x[1] - x[0], y[1] - y[0]);
        worst = fmax(worst, moved);
        worst_plain = fmax(worst_plain, moved * (1 + v.tan_x * v.tan_x + v.tan_y * v.tan_y));
    }
    assert_true(worst <= 1.002);     // curvature of the projection over one pixel
    assert_true(worst > 0.9);        // and not by a wide margin
    assert_true(worst_plain > 1.5);  // control
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ray_through_a_pixel_projects_back_to_it),
                                       cmocka_unit_test(the_matrix_says_what_project_says),
                                       cmocka_unit_test(an_error_slope_holds_in_the_corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
