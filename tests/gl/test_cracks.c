// SPDX-License-Identifier: MIT
// Closed ground on red: a red pixel would be a crack.
#include "stage.h"

enum { W = 320, H = 180, SIDE = 513 };

// A camera that looks down on rough ground so that every ray meets it.
static karst_view camera_over(prop *p, const stage *s, double extent) {
    for (;;) {
        double x = prop_real(p, 0.3, 0.7) * extent, z = prop_real(p, 0.3, 0.7) * extent, y;
        assert_true(karst_scene_height(s->scene, x, z, &y));
        y += pow(2, prop_real(p, 1, 8));
        double turn = prop_real(p, 0, 6.2831853), down = prop_real(p, 0.5, 1.5);
        karst_pos eye = {x, y, z};
        karst_pos at = {x + cos(turn) * cos(down), y - sin(down), z + sin(turn) * cos(down)};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        bool full = true;
        for (int k = 0; k <= 8 && full; ++k)
            full = pixel_hits(s, &view, W * k / 8.0 - 0.5, -0.5) && pixel_hits(s, &view, W * k / 8.0 - 0.5, H - 0.5);
        if (full) return view;
    }
}

// KARST_TEST_CAMERAS asks for any number.
static int cameras(int few) {
    const char *asked = getenv("KARST_TEST_CAMERAS");
    return asked ? atoi(asked) : few;
}

// Red pixels over `count` cameras.
static long red_pixels(karst_method method, int count, bool displaced, const char *defines, int *frames_with_red) {
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, displaced, false), defines);
    karst_gl_look look = look_on_red();
    long red = 0;
    *frames_with_red = 0;
    for (prop p = prop_begin("cracks", count); prop_next(&p);) {
        karst_view view = camera_over(&p, &s, 2.0 * (SIDE - 1));
        karst_budget budget = karst_budget_default();
        budget.method = method;
        budget.error_px = (float)pow(2, prop_real(&p, 0, 6));
        karst_frame frame;
        draw_still(&s, &view, &budget, &look, &frame, rgb);
        long here = 0;
        for (int k = 0; k < W * H; ++k) here += is_red(rgb + 3 * k);
        red += here;
        *frames_with_red += here > 0;
    }
    stage_clear(&s);
    return red;
}

static void no_red_shows_through_closed_ground(void **state) {
    (void)state;
    need_context();
    for (int k = 0; k < KARST_METHOD_COUNT; ++k)
        for (int displaced = 0; displaced < 2; ++displaced) {
            karst_method method = (karst_method)k;
            int frames, count = cameras(80);
            long red = red_pixels(method, count, displaced, "#define KARST_PLAIN\n", &frames);
            print_message("%s, %s: %ld red pixels in %d of %d frames\n", karst_method_name(method),
                          displaced ? "displaced" : "heights", red, frames, test_count(count));
            assert_int_equal(red, 0);
        }
}

// Control: a patch that takes its own level on its edges must leak.
static void unmatched_edges_show_red(void **state) {
    (void)state;
    need_context();
    for (int k = 0; k < KARST_METHOD_COUNT; ++k) {
        int frames;
        long red =
            red_pixels((karst_method)k, 20, false, "#define KARST_PLAIN\n#define KARST_PATCH_OWNS_EDGE\n", &frames);
        print_message("control, %s: %ld red pixels in %d of %d frames\n", karst_method_name((karst_method)k), red,
                      frames, test_count(20));
        assert_true(frames > 0 && (frames > test_count(2) || test_count(20) < 20));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_red_shows_through_closed_ground),
        cmocka_unit_test(unmatched_edges_show_red),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
