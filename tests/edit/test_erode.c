// SPDX-License-Identifier: MIT
// Erosion of a canvas: only the rect changes, holes, masks and folded ground stay, sheets tell what happened.
#include "karst/erode.h"
#include "scenes/scenes.h"
#include "support/prop.h"

enum { SIDE = 130 };
static const karst_rect all = {0, 0, SIDE, SIDE};

static karst_field *empty(void) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SIDE, SIDE, 10, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

static karst_field *rough(bool displaced, bool holes) {
    karst_field *field;
    assert_int_equal(scene_rough_field(SIDE, SIDE, 10, 3, displaced, holes, (karst_pos){0, 0, 0}, &field), KARST_OK);
    return field;
}

typedef struct samples {
    float y[SIDE * SIDE], x[SIDE * SIDE], z[SIDE * SIDE];
} samples;

static void take(karst_field *field, samples *s) {
    assert_int_equal(karst_field_read(field, all, s->y, s->x, s->z, SIDE), KARST_OK);
}

static void only_the_rect_changes_and_fades_at_its_border(void **state) {
    (void)state;
    static samples before, after;
    karst_field *field = rough(false, false);
    take(field, &before);
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_rect rect = {20, 30, 110, SIDE};
    const karst_erosion_def def = karst_erosion_def_default();
    karst_canvas_erosion done;
    assert_int_equal(karst_canvas_erode(&canvas, rect, &def, NULL, NULL, NULL, &done), KARST_OK);
    take(field, &after);
    double inside = 0, border = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int k = j * SIDE + i;
            if (i < rect.x0 || i >= rect.x1 || j < rect.z0) {
                assert_memory_equal(&before.y[k], &after.y[k], sizeof(float));
                continue;
            }
            double d = fabs((double)after.y[k] - before.y[k]);
            if (i == rect.x0 || i == rect.x1 - 1 || j == rect.z0) border = fmax(border, d);
            inside = fmax(inside, d);
        }
    assert_true(inside > 5 && border < 0.1 * inside);
    assert_true(done.result.worn_m3 > 0 && done.masked == 0);
    karst_field_destroy(field);
}

static void holes_and_folded_ground_stay_and_nothing_moves_sideways(void **state) {
    (void)state;
    static samples before, after;
    static uint8_t hole[SIDE * SIDE];
    karst_field *field = rough(true, true);
    take(field, &before);
    assert_int_equal(karst_field_read_holes(field, (karst_rect){0, 0, SIDE - 1, SIDE - 1}, hole, SIDE), KARST_OK);
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_erosion_def def = karst_erosion_def_default();
    karst_canvas_erosion done;
    assert_int_equal(karst_canvas_erode(&canvas, all, &def, NULL, NULL, NULL, &done), KARST_OK);
    take(field, &after);
    assert_memory_equal(before.x, after.x, sizeof before.x);
    assert_memory_equal(before.z, after.z, sizeof before.z);
    int changed = 0, kept = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int k = j * SIDE + i;
            bool same = !memcmp(&before.y[k], &after.y[k], sizeof(float));
            changed += !same;
            if (i == SIDE - 1 || j == SIDE - 1) continue;
            if (hole[k]) {
                assert_true(same);
                ++kept;
            }
        }
    assert_true(kept > 50 && changed > 1000 && done.masked >= kept);
    karst_field_destroy(field);
}

static void an_overhang_is_left_alone(void **state) {
    (void)state;
    static samples before, after;
    karst_field *field = empty();
    static samples s;
    for (int k = 0; k < SIDE * SIDE; ++k) s.y[k] = scene_height(k % SIDE, k / SIDE, 4), s.x[k] = s.z[k] = 0;
    int folded = 60 * SIDE + 60;
    s.x[folded] = 25;  // beyond its neighbour
    assert_int_equal(karst_field_write(field, all, s.y, s.x, s.z, SIDE), KARST_OK);
    take(field, &before);
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_erosion_def def = karst_erosion_def_default();
    karst_canvas_erosion done;
    assert_int_equal(karst_canvas_erode(&canvas, all, &def, NULL, NULL, NULL, &done), KARST_OK);
    take(field, &after);
    assert_memory_equal(&before.y[folded], &after.y[folded], sizeof(float));
    assert_memory_equal(&before.y[folded + 1], &after.y[folded + 1], sizeof(float));
    assert_true(done.masked == 0 && done.result.folded >= 4 && done.result.folded < 20);
    karst_field_destroy(field);
}

static void sheets_tell_where_it_wore_and_silted(void **state) {
    (void)state;
    static samples before, after, wear, silt;
    karst_field *field = rough(false, false), *hard = empty(), *worn = empty(), *laid = empty();
    static float h[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) h[k] = k % SIDE < 40 ? 1 : 0;
    assert_int_equal(karst_field_write(hard, all, h, NULL, NULL, SIDE), KARST_OK);
    take(field, &before);
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_erosion_def def = karst_erosion_def_default();
    const karst_erosion_sheets sheets = {hard, worn, laid};
    karst_canvas_erosion done;
    assert_int_equal(karst_canvas_erode(&canvas, all, &def, &sheets, NULL, NULL, &done), KARST_OK);
    take(field, &after);
    take(worn, &wear);
    take(laid, &silt);
    int full = 0;
    for (int k = 0; k < SIDE * SIDE; ++k) {
        assert_true(wear.y[k] >= 0 && wear.y[k] <= 1 && silt.y[k] >= 0 && silt.y[k] <= 1);
        double lower = (double)before.y[k] - after.y[k];
        if (k % SIDE < 40) assert_true(wear.y[k] == 0 && lower <= 0);
        if (wear.y[k] < 1 && silt.y[k] < 1)
            assert_true(fabs(lower - (wear.y[k] * done.wear_full_m - silt.y[k] * done.deposit_full_m)) < 1e-2);
        full += wear.y[k] == 1;
    }
    assert_true(full > 100 && full < SIDE * SIDE / 10);
    karst_field_destroy(field);
    karst_field_destroy(hard);
    karst_field_destroy(worn);
    karst_field_destroy(laid);
}

static bool say_no(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    return --*(int *)context > 0;
}

static void a_cancelled_one_changes_nothing(void **state) {
    (void)state;
    static samples before, after;
    karst_field *field = rough(false, false), *worn = empty();
    take(field, &before);
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_erosion_def def = karst_erosion_def_default();
    const karst_erosion_sheets sheets = {.wear = worn};
    int steps = 500;
    const karst_progress progress = {say_no, &steps};
    assert_int_equal(karst_canvas_erode(&canvas, all, &def, &sheets, NULL, &progress, NULL), KARST_ERROR_CANCELLED);
    take(field, &after);
    assert_memory_equal(&before, &after, sizeof before);
    take(worn, &after);
    for (int k = 0; k < SIDE * SIDE; ++k) assert_true(after.y[k] == 0);
    karst_field_destroy(field);
    karst_field_destroy(worn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_rect_changes_and_fades_at_its_border),
        cmocka_unit_test(holes_and_folded_ground_stay_and_nothing_moves_sideways),
        cmocka_unit_test(an_overhang_is_left_alone),
        cmocka_unit_test(sheets_tell_where_it_wore_and_silted),
        cmocka_unit_test(a_cancelled_one_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
