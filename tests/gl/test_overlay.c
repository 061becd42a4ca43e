// SPDX-License-Identifier: MIT
// Overlays: their words, their legends, and that their colours tell the truth.
#include "stage.h"

enum { W = 320, H = 180, SIDE = 257 };

static const karst_gl_overlay colours[] = {KARST_GL_OVERLAY_LEVEL, KARST_GL_OVERLAY_ERROR, KARST_GL_OVERLAY_METHOD,
                                           KARST_GL_OVERLAY_RESIDENCY, KARST_GL_OVERLAY_BANDS};
enum { COLOURS = sizeof colours / sizeof *colours };

static void every_overlay_has_a_name_that_finds_it(void **state) {
    (void)state;
    char all[128] = "";
    for (int k = 0; k < COLOURS; ++k) {
        const char *name = karst_gl_overlay_name((unsigned)colours[k] | KARST_GL_OVERLAY_WIREFRAME);
        karst_gl_overlay found = KARST_GL_OVERLAY_NONE;
        assert_true(karst_gl_overlay_find(name, &found) && found == colours[k]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", name);
    }
    assert_string_equal(all, KARST_GL_OVERLAY_NAMES);
    assert_string_equal(karst_gl_overlay_name(KARST_GL_OVERLAY_CONTOUR), "none");
    karst_gl_overlay same = KARST_GL_OVERLAY_ERROR;
    assert_false(karst_gl_overlay_find("no such", &same));
    assert_int_equal(same, KARST_GL_OVERLAY_ERROR);
    assert_true(karst_gl_overlay_find("none", &same) && same == KARST_GL_OVERLAY_NONE);
}

static karst_view some_view(const stage *s) {
    double y;
    assert_true(karst_scene_height(s->scene, 150, 150, &y));
    return karst_view_perspective((karst_pos){150, y + 40, 150}, (karst_pos){250, y - 10, 270}, (karst_vec3){0, 1, 0},
                                  0.9f, W, H);
}

static void a_legend_names_what_is_shown(void **state) {
    (void)state;
    need_context();
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, false, false), "");
    karst_view view = some_view(&s);
    karst_frame frame;
    karst_gl_look look = karst_gl_look_default();
    draw_still(&s, &view, NULL, &look, &frame, rgb);
    karst_gl_key keys[KARST_GL_KEYS_MAX];
    assert_int_equal(karst_gl_overlay_keys(s.gl, &look, keys), 0);
    static const int counts[COLOURS] = {8, 6, 5, 5, 4};
    for (int k = 0; k < COLOURS; ++k) {
        look.overlays = (unsigned)colours[k] | KARST_GL_OVERLAY_WIREFRAME;
        look.error_px = 3;
        assert_int_equal(karst_gl_overlay_keys(s.gl, &look, keys), counts[k]);
        for (int i = 0; i < counts[k]; ++i) {
            assert_true(keys[i].text[0] && strlen(keys[i].text) < sizeof keys[i].text);
            for (int c = 0; c < 3; ++c) assert_true(keys[i].rgb[c] >= 0 && keys[i].rgb[c] <= 1);
            for (int j = 0; j < i; ++j) assert_true(strcmp(keys[i].text, keys[j].text) != 0);
        }
        if (colours[k] == KARST_GL_OVERLAY_ERROR) assert_string_equal(keys[5].text, "more than 3 px");
        if (colours[k] == KARST_GL_OVERLAY_METHOD) assert_string_equal(keys[1].text, "patch of 8 x 8 cells");
    }
    stage_clear(&s);
}

// Pixels whose colour is nearer to that of key i than to that of any other, by direction.
static long pixels_of_key(const uint8_t *rgb, const karst_gl_key *keys, int count, int i) {
    long found = 0;
    for (int k = 0; k < W * H; ++k) {
        double best = -2;
        int which = -1;
        double mean = (rgb[3 * k] + rgb[3 * k + 1] + rgb[3 * k + 2]) / 3.0;
        for (int j = 0; j < count; ++j) {
            const float *c = keys[j].rgb;
            double dot = 0, a = 0, b = 0, middle = (double)(c[0] + c[1] + c[2]) / 3;
            for (int n = 0; n < 3; ++n) {
                double p = rgb[3 * k + n] - mean, q = (double)c[n] - middle;
                dot += p * q;
                a += p * p;
                b += q * q;
            }
            double likeness = dot / sqrt(a * b + 1e-9);
            if (a < 400) continue;  // grey: sky or rock
            if (likeness > best) {
                best = likeness;
                which = j;
            }
        }
        found += which == i;
    }
    return found;
}

// With the error that was asked for as the most, no pixel has the colour of "more"; with a quarter of it many have.
static void the_error_shown_is_within_what_was_asked(void **state) {
    (void)state;
    need_context();
    static uint8_t rgb[3 * W * H];
    stage s = stage_make(rough_field(SIDE, 2, false, false), "");
    karst_view view = some_view(&s);
    karst_gl_look look = karst_gl_look_default();
    look.overlays = KARST_GL_OVERLAY_ERROR;
    look.sky = false;
    karst_gl_key keys[KARST_GL_KEYS_MAX];
    long more[2];
    for (int method = 0; method < KARST_METHOD_COUNT; ++method) {
        for (int k = 0; k < 2; ++k) {
            karst_budget budget = karst_budget_default();
            budget.method = (karst_method)method;
            budget.error_px = 8;
            look.error_px = k ? 2 : 8;
            karst_frame frame;
            draw_still(&s, &view, &budget, &look, &frame, rgb);
            more[k] = pixels_of_key(rgb, keys, karst_gl_overlay_keys(s.gl, &look, keys), 5);
        }
        print_message("%s: %ld pixels over the error asked, %ld over a quarter of it\n",
                      karst_method_name((karst_method)method), more[0], more[1]);
        assert_true(more[0] < 20 && more[1] > 1000);
    }
    stage_clear(&s);
}

static void chunks_that_are_awaited_are_red(void **state) {
    (void)state;
    need_context();
    static uint8_t rgb[3 * W * H];
    karst_gl_look look = karst_gl_look_default();
    look.overlays = KARST_GL_OVERLAY_RESIDENCY;
    stage s = stage_make(rough_field(SIDE, 2, false, false), "");
    karst_view view = some_view(&s);
    for (int method = 0; method < KARST_METHOD_COUNT; ++method) {
        karst_scene_destroy(s.scene);
        s.scene = NULL;
        assert_int_equal(karst_scene_create(s.pack, NULL, &s.scene), KARST_OK);
        karst_budget budget = karst_budget_default();
        budget.method = (karst_method)method;
        budget.load_limit = 6;
        karst_gl_key keys[KARST_GL_KEYS_MAX];
        karst_frame frame;
        assert_int_equal(karst_scene_update(s.scene, &view, 1, &budget, &frame), KARST_OK);
        int awaited = 0;
        for (int k = 0; k < frame.chunk_count; ++k) awaited += frame.chunks[k].awaited;
        assert_true(awaited > 0 && frame.figures.chunks_awaited > 0);
        assert_int_equal(karst_gl_render(s.gl, &frame, &view, 0, &look, 1, rgb), KARST_OK);
        long some = pixels_of_key(rgb, keys, karst_gl_overlay_keys(s.gl, &look, keys), 4);
        draw_still(&s, &view, &budget, &look, &frame, rgb);
        for (int k = 0; k < frame.chunk_count; ++k) assert_false(frame.chunks[k].awaited);
        long none = pixels_of_key(rgb, keys, karst_gl_overlay_keys(s.gl, &look, keys), 4);
        print_message("%s: %ld red pixels while chunks are awaited, %ld when all have come\n",
                      karst_method_name((karst_method)method), some, none);
        assert_true(some > 1000 && none < 200);
    }
    stage_clear(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_overlay_has_a_name_that_finds_it),
        cmocka_unit_test(a_legend_names_what_is_shown),
        cmocka_unit_test(the_error_shown_is_within_what_was_asked),
        cmocka_unit_test(chunks_that_are_awaited_are_red),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
