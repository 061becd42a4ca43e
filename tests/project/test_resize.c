// SPDX-License-Identifier: MIT
// Resize: the ground, its layers and its masks in another shape, as one step that can be undone.
#include "karst/history.h"
#include "karst/sheet.h"
#include "scenes/scenes.h"
#include "support/prop.h"

enum { SIDE = 100 };
static const karst_field_shape shape = {SIDE, SIDE, 2, {10, 3, -20}};

typedef struct heights {
    float y[SIDE * SIDE];
} heights;

static void fill(karst_project *p, int64_t sheet, int64_t ground, uint64_t seed, bool mask) {
    karst_field *field;
    static heights h;
    if (sheet)
        assert_int_equal(karst_project_sheet_field(p, sheet, 0, &field), KARST_OK);
    else
        assert_int_equal(karst_project_field(p, ground, 0, &field), KARST_OK);
    for (int k = 0; k < SIDE * SIDE; ++k)
        h.y[k] = mask ? (float)(k % SIDE) / SIDE : scene_height(k % SIDE, (double)k / SIDE, seed);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, SIDE, SIDE}, h.y, NULL, NULL, SIDE), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    karst_field_destroy(field);
}

static float shown(karst_project *p, int64_t ground, int column, int row) {
    karst_field *field;
    float y;
    assert_int_equal(karst_project_field(p, ground, 0, &field), KARST_OK);
    assert_int_equal(karst_field_read(field, (karst_rect){column, row, column + 1, row + 1}, &y, NULL, NULL, 1),
                     KARST_OK);
    karst_field_destroy(field);
    return y;
}

static karst_project *make_world(const char *path, int64_t *ground) {
    karst_project *p;
    int64_t layer, mask;
    assert_int_equal(karst_project_create(path, NULL, &p), KARST_OK);
    assert_int_equal(karst_project_begin(p, "make"), KARST_OK);
    assert_int_equal(karst_project_add_field(p, "g", &shape, ground), KARST_OK);
    fill(p, 0, *ground, 1, false);
    assert_int_equal(karst_project_add_sheet(p, *ground, KARST_SHEET_MASK, "m", &mask), KARST_OK);
    fill(p, mask, 0, 2, true);
    assert_int_equal(karst_project_add_sheet(p, *ground, KARST_SHEET_LAYER, "l", &layer), KARST_OK);
    fill(p, layer, 0, 3, false);
    karst_sheet sheet;
    assert_int_equal(karst_project_find_sheet(p, *ground, KARST_SHEET_LAYER, "l", &sheet), KARST_OK);
    sheet.mask = mask;
    assert_int_equal(karst_project_set_sheet(p, &sheet), KARST_OK);
    assert_int_equal(karst_project_set_extra(p, *ground, "e", "bytes", 5), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    return p;
}

static uint64_t hash_of(karst_project *p) {
    uint64_t hash;
    assert_int_equal(karst_project_hash(p, &hash), KARST_OK);
    return hash;
}

static void what_lies_at_a_place_stays_there(void **state) {
    (void)state;
    int64_t ground;
    karst_project *p = make_world(temp_path("finer.karst"), &ground);
    float before[20];
    for (int k = 0; k < 20; ++k) before[k] = shown(p, ground, 10 + 3 * k, 80 - 2 * k);
    uint64_t hash = hash_of(p);
    karst_field_shape finer = {121, 81, 1, {20, 99, 0}};  // a part, at half the spacing
    assert_int_equal(karst_project_begin(p, "resize"), KARST_OK);
    assert_int_equal(karst_project_resize(p, ground, &finer, NULL), KARST_OK);
    assert_int_equal(karst_project_commit(p), KARST_OK);
    karst_project_ground g;
    assert_int_equal(karst_project_find_ground(p, KARST_PROJECT_FIELD, &g), KARST_OK);
    assert_true(g.shape.columns == 121 && g.shape.rows == 81 && g.shape.spacing_m == 1);
    assert_true(g.shape.origin.x == 20 && g.shape.origin.y == 3 && g.shape.origin.z == 0);
    void *extra;
    size_t size;
    assert_int_equal(karst_project_get_extra(p, ground, "e", &extra, &size), KARST_OK);
    assert_true(size == 0);
    int inside = 0;
    for (int k = 0; k < 20; ++k) {
        int column = 2 * (10 + 3 * k) - 10, row = 2 * (80 - 2 * k) - 20;
        if (column >= 121 || row >= 81 || row < 0) continue;
        assert_float_equal(shown(p, ground, column, row), before[k], 0);
        ++inside;
    }
    assert_true(inside > 3);
    assert_true(hash_of(p) != hash);
    uint64_t resized = hash_of(p);
    assert_int_equal(karst_project_undo(p, NULL, NULL), KARST_OK);
    assert_true(hash_of(p) == hash);
    assert_float_equal(shown(p, ground, 10, 80), before[0], 0);
    assert_int_equal(karst_project_get_extra(p, ground, "e", &extra, &size), KARST_OK);
    assert_true(size == 5);
    free(extra);
    assert_int_equal(karst_project_redo(p, NULL, NULL), KARST_OK);
    assert_true(hash_of(p) == resized);
    karst_project_close(p);
}

static bool stop_late(void *context, const char *stage, double share) {
    (void)context;
    (void)stage;
    return share < 0.7;
}

static void a_resize_that_stops_changes_nothing(void **state) {
    (void)state;
    int64_t ground;
    karst_project *p = make_world(temp_path("stopped.karst"), &ground);
    uint64_t hash = hash_of(p);
    karst_field_shape finer = {400, 400, 0.5, {10, 3, -20}}, wrong = {1, 400, 0.5, {0, 0, 0}};
    karst_progress progress = {stop_late, NULL};
    assert_int_equal(karst_project_resize(p, ground, &finer, NULL), KARST_ERROR_ARGUMENT);  // no step
    assert_int_equal(karst_project_begin(p, "resize"), KARST_OK);
    assert_int_equal(karst_project_resize(p, ground, &wrong, NULL), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_project_resize(p, ground, &finer, &progress), KARST_ERROR_CANCELLED);
    assert_true(hash_of(p) != hash);  // the control: it was under way
    karst_project_rollback(p);
    assert_true(hash_of(p) == hash);
    karst_project_close(p);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_at_a_place_stays_there),
        cmocka_unit_test(a_resize_that_stops_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
