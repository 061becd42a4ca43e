// SPDX-License-Identifier: MIT
// The viewer's camera over grounds that are formulas: never under the ground, never off it on foot, the same way at
// any frame rate.
#include "camera.h"
#include "support/prop.h"

// Ground by formula: layers from the top down at (x, z).
typedef struct formula {
    karst_ground ground;
    int (*levels)(double x, double z, karst_level *out);
    karst_box box;
} formula;

static karst_box formula_bounds(const karst_ground *ground) {
    return ((const formula *)ground)->box;
}

static karst_status formula_heights(const karst_ground *ground, double x, double z, karst_level *out, int capacity,
                                    int *count) {
    const formula *f = (const formula *)ground;
    karst_level all[4];
    *count = 0;
    if (x < f->box.min.x || x > f->box.max.x || z < f->box.min.z || z > f->box.max.z) return KARST_OK;
    *count = f->levels(x, z, all);
    for (int k = 0; k < *count && k < capacity; ++k) out[k] = all[k];
    return KARST_OK;
}

static const karst_ground_table formula_table = {
    .kind = "formula", .bounds = formula_bounds, .heights = formula_heights};

static formula formula_of(int (*levels)(double x, double z, karst_level *out), double low, double high) {
    return (formula){{&formula_table}, levels, {{-500, low, -500}, {500, high, 500}}};
}

static karst_level facing(double y, double slope_x, double slope_z, double up) {
    double l = sqrt(1 + slope_x * slope_x + slope_z * slope_z) * up;
    return (karst_level){.y = y, .normal = {(float)(-slope_x / l), (float)(1 / l), (float)(-slope_z / l)}};
}

static int flat(double x, double z, karst_level *out) {
    (void)x;
    (void)z;
    out[0] = facing(10, 0, 0, 1);
    return 1;
}

static int hills(double x, double z, karst_level *out) {
    out[0] = facing(30 * sin(x / 40) * cos(z / 30) + 2 * sin(x / 3),
                    0.75 * cos(x / 40) * cos(z / 30) + cos(x / 3) / 1.5, -sin(x / 40) * sin(z / 30), 1);
    return 1;
}

static int holed(double x, double z, karst_level *out) {
    return hypot(x, z) < 20 ? 0 : flat(x, z, out);
}

static int cliff(double x, double z, karst_level *out) {
    flat(x, z, out);
    if (x > 0) out[0].y += 40;
    return 1;
}

// A shelf over x > 0: its top at 30, its underside at 20, the plain at 10 goes on below it.
static int shelf(double x, double z, karst_level *out) {
    if (x <= 0) return flat(x, z, out);
    out[0] = facing(30, 0, 0, 1);
    out[1] = facing(20, 0, 0, -1);
    out[2] = facing(10, 0, 0, 1);
    return 3;
}

static double floor_at(const formula *f, karst_pos p) {
    karst_level l[4];
    int count;
    formula_heights(&f->ground, p.x, p.z, l, 4, &count);
    double best = -INFINITY;
    for (int k = 0; k < count; ++k)
        if (l[k].normal.y > 0 && l[k].y <= p.y) return l[k].y;
    return count ? l[0].y : best;
}

static void advance(camera *c, const formula *f, const camera_wish *wish, double seconds, double dt_s) {
    for (int k = 0, n = (int)(seconds / dt_s + 0.5); k < n; ++k) camera_move(c, &f->ground, wish, dt_s);
}

static void flying_never_goes_under_the_ground(void **state) {
    (void)state;
    formula f = formula_of(hills, -32, 32);
    double lowest = INFINITY;
    for (prop p = prop_begin("fly", 60); prop_next(&p);) {
        karst_pos eye = {prop_real(&p, -300, 300), prop_real(&p, -40, 60), prop_real(&p, -300, 300)};
        camera c = camera_at(eye, (karst_pos){prop_real(&p, -300, 300), prop_real(&p, -90, 30), 0});
        camera_surface(&c, &f.ground);
        for (int k = 0; k < 200; ++k) {
            camera_wish wish = {.forward = prop_real(&p, -0.2, 1),
                                .right = prop_real(&p, -1, 1),
                                .up = prop_real(&p, -1, 0.3),
                                .hurry = prop_chance(&p, 0.3)};
            camera_move(&c, &f.ground, &wish, prop_real(&p, 0.001, 0.1));
            if (fabs(c.eye.x) > 500 || fabs(c.eye.z) > 500) break;
            lowest = fmin(lowest, c.eye.y - floor_at(&f, c.eye));
            prop_check(&p, c.eye.y - floor_at(&f, c.eye) > 0.3);
        }
    }
    assert_true(lowest < 1.5);  // control: the ground was met
}

static void the_way_is_the_same_at_any_frame_rate(void **state) {
    (void)state;
    formula f = formula_of(flat, 10, 10);
    const camera_wish right = {.right = 1}, rest = {0};
    karst_pos end[2];
    for (int rate = 0; rate < 2; ++rate) {
        double dt = rate ? 1 / 30.0 : 1 / 240.0;
        camera c = camera_at((karst_pos){0, 40, 0}, (karst_pos){0, 40, -1});
        advance(&c, &f, &right, 2, dt);
        advance(&c, &f, &rest, 2, dt);
        assert_true(c.velocity.x == 0);  // at rest, exactly
        end[rate] = c.eye;
    }
    assert_true(end[0].x > 20);
    assert_true(fabs(end[0].x - end[1].x) < 0.01);
    assert_true(fabs(end[0].y - end[1].y) < 1e-9);
}

static void speed_grows_with_the_height(void **state) {
    (void)state;
    formula f = formula_of(flat, 10, 10);
    const camera_wish go = {.right = 1};
    camera low = camera_at((karst_pos){0, 15, 0}, (karst_pos){0, 15, -1}), high = low;
    high.eye.y = 500;
    advance(&low, &f, &go, 1, 0.01);
    advance(&high, &f, &go, 1, 0.01);
    assert_true(high.speed_m_s > 10 * low.speed_m_s);
    double before = low.speed_m_s;
    const camera_wish wheel = {.faster = 4};
    camera_move(&low, &f.ground, &wheel, 0.01);
    advance(&low, &f, &go, 1, 0.01);
    assert_true(low.speed_m_s > 2 * before);
}

static void on_foot_the_eye_is_170_cm_over_the_ground(void **state) {
    (void)state;
    formula f = formula_of(hills, -32, 32);
    for (prop p = prop_begin("walk", 40); prop_next(&p);) {
        camera c = camera_at((karst_pos){prop_real(&p, -300, 300), 90, prop_real(&p, -300, 300)}, (karst_pos){0, 0, 0});
        assert_true(camera_walk(&c, &f.ground));
        const camera_wish rest = {0};
        advance(&c, &f, &rest, 3, 0.02);
        prop_near(&p, c.eye.y - floor_at(&f, c.eye), CAMERA_EYE_M, 1e-3);
        karst_pos before = c.eye;
        double way = 0, jerk = 0;
        for (int k = 0; k < 200; ++k) {
            camera_wish wish = {.forward = 1, .turn_right_rad = prop_real(&p, -0.05, 0.05), .hurry = k > 100};
            camera_move(&c, &f.ground, &wish, 0.016);
            prop_near(&p, c.eye.y - floor_at(&f, c.eye), CAMERA_EYE_M, 0.3);
            way += hypot(c.eye.x - before.x, c.eye.z - before.z);
            jerk = fmax(jerk, fabs(c.eye.y - before.y));
            before = c.eye;
        }
        prop_check(&p, way < 2.5 * 5 * 3.2 + 1);  // no leap
        prop_check(&p, jerk < 0.5);
        advance(&c, &f, &rest, 1, 0.02);
        prop_near(&p, c.eye.y - floor_at(&f, c.eye), CAMERA_EYE_M, 1e-3);
    }
}

static void feet_stay_at_a_rim_and_slide_along_it(void **state) {
    (void)state;
    formula f = formula_of(holed, 10, 10);
    for (prop p = prop_begin("rim", 40); prop_next(&p);) {
        camera c = camera_at((karst_pos){30, 11.7, prop_real(&p, -15, 15)}, (karst_pos){0, 11.7, 0});
        assert_true(camera_walk(&c, &f.ground));
        camera_wish go = {.forward = 1, .hurry = prop_chance(&p, 0.5)};
        for (int k = 0; k < 400; ++k) {
            camera_move(&c, &f.ground, &go, prop_real(&p, 0.002, 0.1));
            prop_check(&p, hypot(c.eye.x, c.eye.z) >= 20);
        }
        prop_check(&p, hypot(c.eye.x, c.eye.z) < 60);
        // Past the middle of the hole, feet go round it.
        camera round = camera_at((karst_pos){30, 11.7, 8}, (karst_pos){-1000, 11.7, 8});
        assert_true(camera_walk(&round, &f.ground));
        advance(&round, &f, &go, 60, 0.05);
        prop_check(&p, round.eye.x < -20);
    }
    // The outline is a rim as well.
    camera c = camera_at((karst_pos){490, 11.7, 0}, (karst_pos){1000, 11.7, 0});
    assert_true(camera_walk(&c, &f.ground));
    const camera_wish go = {.forward = 1};
    advance(&c, &f, &go, 20, 0.02);
    assert_true(c.eye.x > 499 && c.eye.x <= 500);
}

static void walking_begins_on_the_nearest_ground(void **state) {
    (void)state;
    formula f = formula_of(holed, 10, 10);
    camera c = camera_at((karst_pos){3, 50, 0}, (karst_pos){3, 50, -1});
    assert_true(camera_walk(&c, &f.ground));
    assert_true(hypot(c.eye.x, c.eye.z) >= 20 && hypot(c.eye.x, c.eye.z) < 28);
    camera outside = camera_at((karst_pos){900, 50, 0}, (karst_pos){0, 50, 0});
    assert_true(camera_walk(&outside, &f.ground));
    assert_true(outside.eye.x <= 500 && outside.eye.x > 490);
}

static int nothing(double x, double z, karst_level *out) {
    (void)x;
    (void)z;
    (void)out;
    return 0;
}

static void without_ground_nobody_walks(void **state) {
    (void)state;
    formula f = formula_of(nothing, 0, 0);
    camera c = camera_at((karst_pos){3, 50, 0}, (karst_pos){3, 50, -1}), before = c;
    assert_false(camera_walk(&c, &f.ground));
    assert_false(c.walking);
    assert_true(c.eye.x == before.eye.x && c.eye.y == before.eye.y);
    const camera_wish go = {.forward = 1};
    advance(&c, &f, &go, 1, 0.02);
    assert_true(isfinite(c.eye.x) && c.eye.z < 0);
}

static void a_cliff_stops_feet_and_lifts_wings(void **state) {
    (void)state;
    formula f = formula_of(cliff, 10, 50);
    const camera_wish go = {.forward = 1};
    camera feet = camera_at((karst_pos){-10, 11.7, 0}, (karst_pos){100, 11.7, 0}), wings = feet;
    assert_true(camera_walk(&feet, &f.ground));
    advance(&feet, &f, &go, 20, 0.02);
    assert_true(feet.eye.x <= 0 && feet.eye.x > -1);
    for (int k = 0; k < 1500; ++k) {
        camera_move(&wings, &f.ground, &go, 0.02);
        assert_true(wings.eye.y > floor_at(&f, wings.eye));
    }
    assert_true(wings.eye.x > 10 && wings.eye.y > 50);  // over it
    // And down again: feet come to the foot of it.
    feet.eye = (karst_pos){2, 51.7, 0};
    feet.yaw_rad = -1.5707963;
    advance(&feet, &f, &go, 4, 0.02);
    assert_true(feet.eye.x < 0);
    assert_true(fabs(feet.eye.y - 11.7) < 0.01);
}

static void there_is_room_under_a_shelf(void **state) {
    (void)state;
    formula f = formula_of(shelf, 10, 30);
    const camera_wish go = {.forward = 1}, up = {.up = 1};
    camera feet = camera_at((karst_pos){-10, 11.7, 0}, (karst_pos){100, 11.7, 0}), wings = feet;
    wings.eye.y = 14;
    assert_true(camera_walk(&feet, &f.ground));
    advance(&feet, &f, &go, 10, 0.02);
    assert_true(feet.eye.x > 5 && fabs(feet.eye.y - 11.7) < 0.01);
    advance(&wings, &f, &go, 3, 0.02);
    assert_true(wings.eye.x > 5);
    advance(&wings, &f, &up, 10, 0.02);
    assert_true(wings.eye.y < 20 && wings.eye.y > 18);  // its underside is a ceiling
}

static int wedge_gentle(double x, double z, karst_level *out) {
    (void)z;
    out[0] = facing(0.5 * x, 0.5, 0, 1);
    return 1;
}

static int wedge_steep(double x, double z, karst_level *out) {
    (void)z;
    out[0] = facing(2.2 * x, 2.2, 0, 1);
    return 1;
}

static void too_steep_a_slope_is_not_climbed(void **state) {
    (void)state;
    const camera_wish go = {.forward = 1}, across = {.right = 1}, back = {.forward = -1};
    for (int steep = 0; steep < 2; ++steep) {
        formula f = formula_of(steep ? wedge_steep : wedge_gentle, -1200, 1200);
        camera c = camera_at((karst_pos){0, 60, 0}, (karst_pos){1, 60, 0});
        assert_true(camera_walk(&c, &f.ground));
        advance(&c, &f, &go, 5, 0.02);
        assert_true(steep ? c.eye.x < 1 : c.eye.x > 8);  // the gentle one is the control
        advance(&c, &f, &across, 5, 0.02);
        assert_true(c.eye.z > 8);
        double x = c.eye.x;
        advance(&c, &f, &back, 5, 0.02);
        assert_true(c.eye.x < x - 3);
    }
}

static void looking_turns_right_and_never_over(void **state) {
    (void)state;
    formula f = formula_of(flat, 10, 10);
    camera c = camera_at((karst_pos){0, 50, 0}, (karst_pos){0, 50, -10});
    const camera_wish east = {.turn_right_rad = 1.5707963267948966}, up = {.turn_up_rad = 100};
    karst_view v = camera_view(&c, 1, 100, 100);
    assert_true(v.back.z > 0.999f);
    camera_move(&c, &f.ground, &east, 0.01);
    v = camera_view(&c, 1, 100, 100);
    assert_true(v.back.x < -0.999f);
    camera_move(&c, &f.ground, &up, 0.01);
    v = camera_view(&c, 1, 100, 100);
    assert_true(v.back.y < -0.99f && v.up.y > 0);
    camera_fly(&c);
    assert_false(c.walking);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flying_never_goes_under_the_ground),
                                       cmocka_unit_test(the_way_is_the_same_at_any_frame_rate),
                                       cmocka_unit_test(speed_grows_with_the_height),
                                       cmocka_unit_test(on_foot_the_eye_is_170_cm_over_the_ground),
                                       cmocka_unit_test(feet_stay_at_a_rim_and_slide_along_it),
                                       cmocka_unit_test(walking_begins_on_the_nearest_ground),
                                       cmocka_unit_test(without_ground_nobody_walks),
                                       cmocka_unit_test(a_cliff_stops_feet_and_lifts_wings),
                                       cmocka_unit_test(there_is_room_under_a_shelf),
                                       cmocka_unit_test(too_steep_a_slope_is_not_climbed),
                                       cmocka_unit_test(looking_turns_right_and_never_over)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
