// SPDX-License-Identifier: MIT
// The canvas: what is not changed keeps its bits; a layer takes the difference.
#include "edit/stack.h"
#include "karst/canvas.h"

enum { SIDE = 97 };

static karst_field *make_field(void) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){SIDE, SIDE, 1, {0, 0, 0}};
    karst_field *field = NULL;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

static void random_field(prop *p, karst_field *field) {
    static float y[SIDE * SIDE];
    for (int k = 0; k < SIDE * SIDE; ++k) y[k] = (float)prop_real(p, -100, 100);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, SIDE, SIDE}, y, NULL, NULL, SIDE), KARST_OK);
}

static void a_layer_takes_the_difference_and_no_other_bit_changes(void **state) {
    (void)state;
    static float before[SIDE * SIDE], layer[SIDE * SIDE], shown[SIDE * SIDE], after[SIDE * SIDE], base[SIDE * SIDE];
    const karst_rect all = {0, 0, SIDE, SIDE};
    for (prop p = prop_begin("canvas_layer", 40); prop_next(&p);) {
        stack s = {make_field(), make_field(), make_field()};
        random_field(&p, s.base);
        random_field(&p, s.layer);
        assert_int_equal(add_up(&s, all), KARST_OK);
        karst_canvas c = {.shown = s.shown, .target = s.layer, .changed = add_up, .context = &s};
        karst_field_read(s.base, all, base, NULL, NULL, SIDE);
        karst_field_read(s.layer, all, before, NULL, NULL, SIDE);
        karst_field_read(s.shown, all, shown, NULL, NULL, SIDE);
        float wanted[SIDE * SIDE];
        memcpy(wanted, shown, sizeof wanted);
        int touched = prop_int(&p, 0, SIDE * SIDE - 1);
        wanted[touched] += (float)prop_real(&p, 1, 50);
        assert_int_equal(karst_canvas_write(&c, all, wanted, NULL, NULL, SIDE), KARST_OK);
        karst_field_read(s.layer, all, layer, NULL, NULL, SIDE);
        karst_field_read(s.shown, all, after, NULL, NULL, SIDE);
        for (int k = 0; k < SIDE * SIDE; ++k) {
            if (k == touched) continue;
            prop_check(&p, !memcmp(&layer[k], &before[k], 4) && !memcmp(&after[k], &shown[k], 4));
        }
        prop_check(&p, layer[touched] != before[touched]);
        prop_near(&p, after[touched], wanted[touched], 1e-4);
        karst_field_read(s.base, all, after, NULL, NULL, SIDE);
        prop_check(&p, !memcmp(after, base, sizeof base));
        karst_field_destroy(s.base);
        karst_field_destroy(s.layer);
        karst_field_destroy(s.shown);
    }
}

static void a_mask_is_between_nothing_and_all(void **state) {
    (void)state;
    karst_field *ground = make_field(), *mask = make_field();
    float held[4] = {-3, 0.25f, 1, 7}, read[4];
    const karst_rect four = {62, 5, 66, 6};
    assert_int_equal(karst_field_write(mask, four, held, NULL, NULL, 4), KARST_OK);
    karst_canvas c = {.shown = ground, .target = ground, .mask = mask};
    assert_int_equal(karst_canvas_read_mask(&c, four, read, 4), KARST_OK);
    assert_true(read[0] == 0 && read[1] == 0.25f && read[2] == 1 && read[3] == 1);
    c.mask = NULL;
    assert_int_equal(karst_canvas_read_mask(&c, four, read, 4), KARST_OK);
    for (int i = 0; i < 4; ++i) assert_true(read[i] == 1);
    karst_field_destroy(ground);
    karst_field_destroy(mask);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_takes_the_difference_and_no_other_bit_changes),
        cmocka_unit_test(a_mask_is_between_nothing_and_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
