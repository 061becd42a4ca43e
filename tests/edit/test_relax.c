// SPDX-License-Identifier: MIT
// Relaxation on a canvas: holes, masks, the rim of an area and layers.
#include "karst/relax.h"

#include "scenes/scenes.h"
#include "support/prop.h"

enum { SIDE = 49, COUNT = SIDE * SIDE };
static const karst_rect all = {0, 0, SIDE, SIDE};

typedef struct samples {
    float y[COUNT], x[COUNT], z[COUNT];
} samples;

static void read_all(karst_field *field, samples *s) {
    assert_int_equal(karst_field_read(field, all, s->y, s->x, s->z, SIDE), KARST_OK);
}

static bool same(const samples *a, const samples *b, int k) {
    return !memcmp(&a->y[k], &b->y[k], 4) && !memcmp(&a->x[k], &b->x[k], 4) && !memcmp(&a->z[k], &b->z[k], 4);
}

static karst_field *overhang(void) {
    karst_field *field = NULL;
    assert_int_equal(scene_overhang_field(SIDE, SIDE, 2, 4, &field), KARST_OK);
    return field;
}

static karst_relax_def quick(void) {
    karst_relax_def d = karst_relax_def_default();
    d.sweeps = 8;
    return d;
}

static void holes_masks_and_the_rim_of_an_area_stay(void **state) {
    (void)state;
    karst_field *field = overhang(), *mask = NULL;
    karst_field_def def = karst_field_def_default();
    def.shape = karst_field_shape_of(field);
    assert_int_equal(karst_field_create(&def, &mask), KARST_OK);
    float share[COUNT];
    uint8_t hole[COUNT];
    for (int k = 0; k < COUNT; ++k) {
        share[k] = kst_random(1, (uint64_t)k) % 10 == 0 ? 0 : 1;
        hole[k] = kst_random(2, (uint64_t)(k % SIDE / 4 + k / SIDE / 4 * SIDE)) % 12 == 0;
    }
    const karst_rect cells = {0, 0, SIDE - 1, SIDE - 1}, rect = {3, 0, 44, 40};
    assert_int_equal(karst_field_write(mask, all, share, NULL, NULL, SIDE), KARST_OK);
    assert_int_equal(karst_field_write_holes(field, cells, hole, SIDE), KARST_OK);
    static samples before, after;
    read_all(field, &before);
    const karst_canvas canvas = {.shown = field, .target = field, .mask = mask};
    karst_relax_def d = quick();
    karst_relax_info info;
    assert_int_equal(karst_relax_apply(&canvas, rect, &d, NULL, NULL, &info), KARST_OK);
    read_all(field, &after);
    int moved = 0, top = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            int k = j * SIDE + i;
            bool stays = share[k] == 0 || i <= rect.x0 || i >= rect.x1 - 1 || j >= rect.z1 - 1;
            for (int n = j - 1; n <= j; ++n)
                for (int m = i - 1; m <= i; ++m)
                    if (m >= 0 && n >= 0 && m < SIDE - 1 && n < SIDE - 1 && hole[n * SIDE + m]) stays = true;
            if (stays) assert_true(same(&before, &after, k));
            moved += !same(&before, &after, k);
            if (j == 0) top += !same(&before, &after, k);
        }
    assert_true(moved > 20 && moved <= info.moved && info.largest_m <= 1 && info.worst_after <= info.worst_before);
    assert_true(top > 0);             // the border of the field is no rim: vertices slide along it
    for (int i = 0; i < SIDE; ++i) {  // and stay on its line
        int32_t on = 0;
        for (int m = 0; m + 1 < SIDE; ++m) {
            double ax = 2 * m + (double)before.x[m], bx = 2 * (m + 1) + (double)before.x[m + 1],
                   az = (double)before.z[m], bz = (double)before.z[m + 1], ay = (double)before.y[m],
                   by = (double)before.y[m + 1];
            double px = 2 * i + (double)after.x[i], pz = (double)after.z[i], py = (double)after.y[i];
            double dx = bx - ax, dy = by - ay, dz = bz - az;
            double t = ((px - ax) * dx + (py - ay) * dy + (pz - az) * dz) / (dx * dx + dy * dy + dz * dz);
            t = fmin(fmax(t, 0), 1);
            on += fabs(ax + t * dx - px) + fabs(ay + t * dy - py) + fabs(az + t * dz - pz) < 1e-4;
        }
        assert_true(on > 0);
    }
    karst_field_destroy(field);
    karst_field_destroy(mask);
}

static void a_low_mask_lets_only_the_most_stretched_move(void **state) {
    (void)state;
    int64_t moved[3];
    const float shares[3] = {1, 0.2f, 0.02f};
    for (int n = 0; n < 3; ++n) {
        karst_field *field = overhang(), *mask = NULL;
        karst_field_def def = karst_field_def_default();
        def.shape = karst_field_shape_of(field);
        assert_int_equal(karst_field_create(&def, &mask), KARST_OK);
        float share[COUNT];
        for (int k = 0; k < COUNT; ++k) share[k] = shares[n];
        assert_int_equal(karst_field_write(mask, all, share, NULL, NULL, SIDE), KARST_OK);
        const karst_canvas canvas = {.shown = field, .target = field, .mask = mask};
        karst_relax_def d = quick();
        karst_relax_info info;
        assert_int_equal(karst_relax_apply(&canvas, all, &d, NULL, NULL, &info), KARST_OK);
        moved[n] = info.moved;
        karst_field_destroy(field);
        karst_field_destroy(mask);
    }
    assert_true(moved[0] > moved[1] && moved[1] > 0 && moved[2] == 0);  // above 1.5, 3.5 and 26 spacings
}

static void nonsense_is_refused(void **state) {
    (void)state;
    karst_field *field = overhang();
    const karst_canvas canvas = {.shown = field, .target = field};
    const karst_rect bad[] = {{0, 0, SIDE + 1, SIDE}, {-1, 0, 5, 5}, {3, 3, 4, 9}, {5, 5, 2, 9}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        assert_int_equal(karst_relax_apply(&canvas, bad[k], NULL, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    karst_relax_def d[4] = {quick(), quick(), quick(), quick()};
    d[0].above = 1;
    d[1].sweeps = 0;
    d[2].distance_m = -1;
    d[3].distance_m = NAN;
    for (int k = 0; k < 4; ++k) {
        karst_report report = {0};
        assert_int_equal(karst_relax_check(&d[k], &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, "must be"));
        assert_int_equal(karst_relax_apply(&canvas, all, &d[k], NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    }
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes_masks_and_the_rim_of_an_area_stay),
        cmocka_unit_test(a_low_mask_lets_only_the_most_stretched_move),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
