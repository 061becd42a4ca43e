// SPDX-License-Identifier: MIT
// What a world knows of displaced vertices without loading a chunk holds after reopening, undo, and under layers.
#include "karst/history.h"
#include "karst/project.h"
#include "karst/sheet.h"
#include "support/prop.h"

enum { SIDE = 64 * 6 + 1 };

static int64_t make_world(const char *path) {
    karst_project *p;
    int64_t ground;
    const karst_field_shape shape = {SIDE, SIDE, 1, {0, 0, 0}};
    assert_int_equal(karst_project_create(path, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_begin(p, "new"), KARST_OK);
    assert_int_equal(karst_project_add_field(p, "g", &shape, &ground), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_close(p);
    return ground;
}

// Put vertex (i, j) of the base or a layer at a displacement, as a step.
static void displace(const char *path, int64_t ground, int64_t layer, int i, int j, float x, float z) {
    karst_project *p;
    karst_project_canvas *c;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_WRITE, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_canvas_open(p, ground, layer, 0, 0, &c), KARST_OK);
    assert_int_equal(karst_project_begin(p, "move"), KARST_OK);
    float y = 1;
    const karst_rect one = {i, j, i + 1, j + 1};
    assert_int_equal(karst_canvas_write(karst_project_canvas_get(c), one, &y, &x, &z, 1), KARST_OK);
    assert_int_equal(karst_project_canvas_flush(c), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_canvas_close(c);
    karst_project_close(p);
}

static bool finds(const char *path, int64_t ground, double x, double z, int i, int j) {
    karst_project *p;
    karst_field *field;
    karst_rect r;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_READ, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_field(p, ground, 0, &field), KARST_OK);
    assert_int_equal(karst_field_find(field, (karst_box){{x - 1, 0, z - 1}, {x + 1, 0, z + 1}}, &r), KARST_OK);
    karst_field_destroy(field);
    karst_project_close(p);
    return i >= r.x0 && i < r.x1 && j >= r.z0 && j < r.z1;
}

static void a_far_vertex_is_found_after_reopening_undo_and_redo(void **state) {
    (void)state;
    const char *path = temp_path("reach.karst");
    int64_t ground = make_world(path);
    assert_false(finds(path, ground, 130, 130, 30, 40));  // control: flat ground reaches nowhere
    displace(path, ground, 0, 30, 40, 100, 90);
    assert_true(finds(path, ground, 130, 130, 30, 40));
    displace(path, ground, 0, 30, 40, 5, 5);
    assert_true(finds(path, ground, 35, 45, 30, 40));
    karst_project *p;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_WRITE, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_undo(p, NULL, NULL), KARST_OK);
    karst_project_close(p);
    assert_true(finds(path, ground, 130, 130, 30, 40));
}

static void layers_reach_as_far_as_all_of_them_together(void **state) {
    (void)state;
    const char *path = temp_path("layers.karst");
    int64_t ground = make_world(path), layer;
    karst_project *p;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_WRITE, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_begin(p, "layer"), KARST_OK);
    assert_int_equal(karst_project_add_sheet(p, ground, KARST_SHEET_LAYER, "l", &layer), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_close(p);
    displace(path, ground, 0, 30, 40, 60, 0);
    displace(path, ground, layer, 30, 40, 150, 0);  // shown: the layer holds 90
    assert_true(finds(path, ground, 180, 40, 30, 40));
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_far_vertex_is_found_after_reopening_undo_and_redo),
        cmocka_unit_test(layers_reach_as_far_as_all_of_them_together),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
