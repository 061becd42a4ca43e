// SPDX-License-Identifier: MIT
// Transparent ground is left out of the picture, pixel by pixel, as much as it is transparent.
#include "stage.h"

enum { W = 160, H = 120, SIDE = 129 };

// Share of the pixels of a picture straight down onto ground of one opacity that show what is behind it.
static double share_left_out(int opacity, bool displaced) {
    static uint8_t rgb[3 * W * H];
    karst_field *field = rough_field(SIDE, 2, displaced, false);
    enum { HALF = (SIDE + 1) / 2 };
    uint8_t *all = malloc(HALF * HALF);
    memset(all, opacity, HALF * HALF);
    assert_int_equal(karst_field_write_opacity(field, (karst_rect){0, 0, HALF, HALF}, all, HALF), KARST_OK);
    free(all);
    stage s = stage_make(field, "");
    karst_gl_look look = look_on_red();
    look.flat_shading = true;
    karst_pos eye = {128, 400, 128}, at = {128, 0, 128.01};
    karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 0, -1}, 0.4f, W, H);
    karst_budget budget = karst_budget_default();
    karst_frame frame;
    draw_still(&s, &view, &budget, &look, &frame, rgb);
    long red = 0;
    for (int k = 0; k < W * H; ++k) red += is_red(rgb + 3 * k);
    stage_clear(&s);
    return (double)red / (W * H);
}

static void as_many_pixels_are_left_out_as_ground_is_transparent(void **state) {
    (void)state;
    need_context();
    for (int displaced = 0; displaced < 2; ++displaced) {
        assert_true(share_left_out(255, displaced) == 0);
        double half = share_left_out(128, displaced), quarter = share_left_out(192, displaced);
        assert_true(fabs(half - 0.5) < 0.04 && fabs(quarter - 0.25) < 0.04);
        assert_true(share_left_out(0, displaced) == 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_pixels_are_left_out_as_ground_is_transparent)};
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
