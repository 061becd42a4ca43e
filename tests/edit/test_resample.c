// SPDX-License-Identifier: MIT
// Resample: samples that both fields have stay, a plane stays a plane, means stay, holes and opacity stay in place.
#include "karst/resample.h"
#include "scenes/scenes.h"
#include "support/prop.h"

static karst_field *make_field(int columns, int rows, double spacing, karst_pos origin) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, spacing, origin};
    karst_field *field = NULL;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

typedef struct plane3 {
    float *y, *x, *z;
    int columns, rows;
} plane3;

static plane3 read_all(karst_field *field) {
    karst_field_shape s = karst_field_shape_of(field);
    size_t count = (size_t)s.columns * (size_t)s.rows;
    plane3 p = {malloc(4 * count), malloc(4 * count), malloc(4 * count), s.columns, s.rows};
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, s.columns, s.rows}, p.y, p.x, p.z, s.columns),
                     KARST_OK);
    return p;
}

static void free_all(plane3 *p) {
    free(p->y);
    free(p->x);
    free(p->z);
}

static void samples_that_both_have_stay(void **state) {
    (void)state;
    for (prop p = prop_begin("resample_common", 24); prop_next(&p);) {
        int columns = prop_int(&p, 2, 150), rows = prop_int(&p, 2, 150), finer = prop_int(&p, 1, 4);
        int i0 = prop_int(&p, 0, columns - 2), j0 = prop_int(&p, 0, rows - 2);
        karst_field *a;
        assert_int_equal(scene_rough_field(columns, rows, 2, prop_u64(&p), true, false, (karst_pos){10, 5, -7}, &a),
                         KARST_OK);
        karst_pos origin = {10 + 2 * i0, 5, -7 + 2 * j0};
        int w = (columns - i0 - 1) * finer + 1, h = (rows - j0 - 1) * finer + 1;
        karst_field *b = make_field(w, h, 2.0 / finer, origin);
        assert_int_equal(karst_field_resample(a, b, NULL), KARST_OK);
        plane3 before = read_all(a), after = read_all(b);
        bool between = false;  // the control: where finer, other samples are not just copies
        for (int j = 0; j < h; ++j)
            for (int i = 0; i < w; ++i) {
                size_t to = (size_t)j * (size_t)w + (size_t)i,
                       from = (size_t)(j0 + j / finer) * (size_t)columns + (size_t)(i0 + i / finer);
                if (i % finer == 0 && j % finer == 0)
                    prop_check(&p, after.y[to] == before.y[from] && after.x[to] == before.x[from] &&
                                       after.z[to] == before.z[from]);
                else
                    between |= after.y[to] != before.y[from];
            }
        prop_check(&p, between == (finer > 1));
        free_all(&before);
        free_all(&after);
        karst_field_destroy(a);
        karst_field_destroy(b);
    }
}

// A slope stays a slope inside, whichever way it is resampled, and is lifted by the difference of the origins.
static void a_slope_stays_a_slope(void **state) {
    (void)state;
    for (prop p = prop_begin("resample_slope", 24); prop_next(&p);) {
        int side = prop_int(&p, 20, 120);
        double a = prop_real(&p, -2, 2), b = prop_real(&p, -2, 2), lift = prop_real(&p, -50, 50);
        double spacing = prop_real(&p, 0.3, 4);
        karst_field *source = make_field(side, side, 1, (karst_pos){0, lift, 0});
        for (int j = 0; j < side; ++j)
            for (int i = 0; i < side; ++i) {
                float y = (float)(a * i + b * j);
                karst_field_write(source, (karst_rect){i, j, i + 1, j + 1}, &y, NULL, NULL, 1);
            }
        int count = (int)((side - 1) / spacing) + 1;
        if (count < 2) count = 2;
        karst_field *target = make_field(count, count, spacing, (karst_pos){0, 0, 0});
        assert_int_equal(karst_field_resample(source, target, NULL), KARST_OK);
        plane3 got = read_all(target);
        double rim = 2 * fmax(1, spacing);
        for (int j = 0; j < count; ++j)
            for (int i = 0; i < count; ++i) {
                double x = i * spacing, z = j * spacing;
                if (x < rim || z < rim || x > side - 1 - rim || z > side - 1 - rim) continue;
                prop_near(&p, got.y[j * count + i], a * x + b * z + lift, 1e-3);
            }
        free_all(&got);
        karst_field_destroy(source);
        karst_field_destroy(target);
    }
}

static void holes_and_opacity_stay_in_place(void **state) {
    (void)state;
    karst_field *source = make_field(65, 65, 4, (karst_pos){0, 0, 0});
    uint8_t hole = 1, faded[4] = {0, 0, 0, 0};
    assert_int_equal(karst_field_write_holes(source, (karst_rect){10, 20, 11, 21}, &hole, 1), KARST_OK);
    assert_int_equal(karst_field_write_opacity(source, (karst_rect){4, 4, 6, 6}, faded, 2), KARST_OK);
    karst_field *target = make_field(257, 257, 1, (karst_pos){0, 0, 0});
    assert_int_equal(karst_field_resample(source, target, NULL), KARST_OK);
    static uint8_t holes[256 * 256], opacity[129 * 129];
    assert_int_equal(karst_field_read_holes(target, (karst_rect){0, 0, 256, 256}, holes, 256), KARST_OK);
    assert_int_equal(karst_field_read_opacity(target, (karst_rect){0, 0, 129, 129}, opacity, 129), KARST_OK);
    for (int j = 0; j < 256; ++j)
        for (int i = 0; i < 256; ++i) assert_int_equal(holes[j * 256 + i], i / 4 == 10 && j / 4 == 20);
    assert_int_equal(opacity[18 * 129 + 18], 0);  // vertex (36, 36): between samples 4 and 5 of the source
    assert_int_equal(opacity[14 * 129 + 18], 128);
    assert_int_equal(opacity[60 * 129 + 60], 255);
    karst_field_destroy(source);
    karst_field_destroy(target);
}

static bool refuse(void *context, const char *stage, double share) {
    (void)stage;
    (void)share;
    return ++*(int *)context < 2;
}

static void it_can_be_stopped(void **state) {
    (void)state;
    int calls = 0;
    karst_progress progress = {refuse, &calls};
    karst_field *source = make_field(300, 300, 1, (karst_pos){0, 0, 0}),
                *target = make_field(600, 600, 0.5, (karst_pos){0, 0, 0});
    assert_int_equal(karst_field_resample(source, target, &progress), KARST_ERROR_CANCELLED);
    assert_int_equal(calls, 2);
    karst_field_destroy(source);
    karst_field_destroy(target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_that_both_have_stay),
        cmocka_unit_test(a_slope_stays_a_slope),
        cmocka_unit_test(holes_and_opacity_stay_in_place),
        cmocka_unit_test(it_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
