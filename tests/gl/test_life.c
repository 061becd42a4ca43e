// SPDX-License-Identifier: MIT
// Contexts and renderers by the public calls alone: made, used, freed, made again.
#include "karst/bake.h"
#include "karst/gl.h"
#include "scenes/scenes.h"
#include "support/prop.h"

enum { WIDTH = 96, HEIGHT = 64, BYTES = 3 * WIDTH * HEIGHT };

static karst_pack *bake_a_pack(void) {
    karst_field *field;
    karst_pack *pack;
    const char *path = temp_path("life.kpack");
    assert_int_equal(scene_rough_field(129, 129, 2, 4, false, false, (karst_pos){0, 0, 0}, &field), KARST_OK);
    assert_int_equal(karst_bake_field(field, path, NULL, NULL, NULL, NULL), KARST_OK);
    karst_field_destroy(field);
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    return pack;
}

static void draw(karst_pack *pack, uint8_t *rgb) {
    karst_gl_def def = karst_gl_def_default();
    karst_gl *gl;
    karst_scene *scene;
    assert_int_equal(karst_gl_create(pack, &def, &gl), KARST_OK);
    assert_int_equal(karst_scene_create(pack, NULL, &scene), KARST_OK);
    karst_box box = karst_pack_info_of(pack).bounds;
    karst_view view = karst_view_perspective((karst_pos){128, box.max.y + 60, 300}, (karst_pos){128, box.min.y, 100},
                                             (karst_vec3){0, 1, 0}, 1.0f, WIDTH, HEIGHT);
    karst_budget budget = karst_budget_default();
    karst_frame frame;
    karst_gl_look look = karst_gl_look_default();
    assert_int_equal(karst_scene_settle(scene, &view, 1, &budget, &frame), KARST_OK);
    assert_int_equal(karst_gl_render(gl, &frame, &view, 0, &look, 1, rgb), KARST_OK);
    karst_gl_destroy(gl);
    karst_scene_destroy(scene);
}

static void a_new_context_draws_the_same_picture(void **state) {
    (void)state;
    karst_pack *pack = bake_a_pack();
    static uint8_t first[BYTES], again[BYTES];
    for (int turn = 0; turn < 2; ++turn) {
        karst_report report = {0};
        karst_gl_context *context;
        if (karst_gl_context_create(&report, &context)) {
            print_message("skipped: %s\n", report.message);
            karst_pack_close(pack);
            skip();
        }
        assert_true(karst_gl_device()[0]);
        memset(again, turn, BYTES);
        draw(pack, turn ? again : first);
        karst_gl_context_destroy(context);
    }
    assert_memory_equal(first, again, BYTES);
    bool drawn = false;  // the control: it is a picture, not one colour
    for (int i = 3; i < BYTES; ++i) drawn |= first[i] != first[i - 3];
    assert_true(drawn);
    karst_pack_close(pack);
    karst_gl_destroy(NULL);
    karst_gl_context_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_new_context_draws_the_same_picture)};
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
