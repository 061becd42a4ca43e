// SPDX-License-Identifier: MIT
// Method tess: a picture that the hardware tessellates is the picture drawn by index lists.
#include "stage.h"

enum { W = 320, H = 180, SIDE = 257 };

typedef struct difference {
    long pixels, over;  // over: by more than 2 of 255
    int most;
} difference;

static void compare(const uint8_t *a, const uint8_t *b, difference *d) {
    for (int k = 0; k < W * H; ++k) {
        int most = 0;
        for (int c = 0; c < 3; ++c) {
            int off = abs(a[3 * k + c] - b[3 * k + c]);
            if (off > most) most = off;
        }
        ++d->pixels;
        d->over += most > 2;
        if (most > d->most) d->most = most;
    }
}

// Frames of random cameras drawn both ways. full: reference triangles, 256 patches of 16 x 16 in one draw.
static difference compare_ways(bool displaced, bool holes, bool full, int cameras, const char *defines, long *most) {
    static uint8_t lattices[3 * W * H], hardware[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, displaced, holes), defines);
    karst_gl_look look = karst_gl_look_default();
    difference d = {0};
    for (prop p = prop_begin("tess_pictures", cameras); prop_next(&p);) {
        double x = prop_real(&p, 0, 512), z = prop_real(&p, 0, 512), y;
        if (!karst_scene_height(s.scene, x, z, &y)) y = 0;
        karst_pos eye = {x, y + pow(2, prop_real(&p, 2, 9)), z}, at = {256, 0, 256};
        if (full) eye = (karst_pos){256, 700, 260};  // all of it
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        karst_budget budget = karst_budget_default();
        budget.error_px = (float)pow(2, prop_real(&p, 0, 5));
        budget.full_detail = full;
        karst_frame frame;
        draw_still(&s, &view, &budget, &look, &frame, lattices);
        if (frame.patch_count * 289L > *most) *most = frame.patch_count * 289L;
        frame.method = KARST_METHOD_TESS;
        assert_int_equal(karst_gl_render(s.gl, &frame, &view, 0, &look, 1, hardware), KARST_OK);
        compare(lattices, hardware, &d);
    }
    stage_clear(&s);
    return d;
}

static void both_ways_give_one_picture(void **state) {
    (void)state;
    need_context();
    for (int rich = 0; rich < 2; ++rich) {
        long most = 0;
        difference d = compare_ways(rich, rich, false, 3, "", &most);
        print_message("%s: %ld pixels, %ld differ by more than 2, most %d\n", rich ? "overhangs and holes" : "heights",
                      d.pixels, d.over, d.most);
        // The triangles begin at other corners, so a pixel in a million may round to another texel.
        assert_true(d.over * 100000 <= d.pixels && d.most <= 16);
    }
}

// A draw of more than 65,536 vertices is garbled by a software rasteriser when its patches are not instances.
static void a_large_draw_is_whole(void **state) {
    (void)state;
    need_context();
    long most = 0;
    difference d = compare_ways(false, false, true, 1, "", &most);
    print_message("full detail: up to %ld vertices in a draw, most %d of 255 off\n", most, d.most);
    assert_true(most > 65536);
    assert_true(d.most <= 2);
}

// Control: with other diagonals the pictures differ.
static void other_diagonals_show(void **state) {
    (void)state;
    need_context();
    long most = 0;
    difference d = compare_ways(false, false, false, 2, "#define KARST_HALF_LEFT\n", &most);
    print_message("control: %ld pixels differ, most %d\n", d.over, d.most);
    assert_true(d.over > 100);
}

static void a_driver_without_tessellation_is_told_in_one_line(void **state) {
    (void)state;
    need_context();
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(65, 2, false, false), "#define KARST_NO_TESSELLATION\n");
    karst_report report = {0};
    s.gl->def.report = &report;
    karst_gl_look look = karst_gl_look_default();
    karst_view view =
        karst_view_perspective((karst_pos){64, 200, 64}, (karst_pos){60, 0, 60}, (karst_vec3){0, 1, 0}, 0.9f, W, H);
    karst_frame frame;
    draw_still(&s, &view, NULL, &look, &frame, rgb);  // by lattices all is well
    frame.method = KARST_METHOD_TESS;
    assert_int_equal(karst_gl_render(s.gl, &frame, &view, 0, &look, 1, rgb), KARST_ERROR_UNSUPPORTED);
    print_message("%s\n", report.message);
    assert_non_null(strstr(report.message, "method grid"));
    assert_null(strchr(report.message, '\n'));
    stage_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_give_one_picture),
        cmocka_unit_test(a_large_draw_is_whole),
        cmocka_unit_test(other_diagonals_show),
        cmocka_unit_test(a_driver_without_tessellation_is_told_in_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
