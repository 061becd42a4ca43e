// SPDX-License-Identifier: MIT
// Masks on arrays: questions answered right on ground whose answers are known, sets that behave like sets, growing
// against a slow oracle.
#include "op/mask.h"

#include "support/prop.h"

enum { W = 53, H = 41, COUNT = W * H };

static float y[COUNT], x[COUNT], z[COUNT];
static const karst_rect all = {0, 0, W, H};

static kst_samples samples(double spacing_m, bool displaced) {
    return (kst_samples){.shape = {W, H, spacing_m, {1000, 50, -2000}},
                         .rect = all,
                         .y = y,
                         .x = displaced ? x : NULL,
                         .z = displaced ? z : NULL,
                         .stride = W};
}

static void ask(const karst_mask_def *d, const kst_samples *s, const float *from, karst_rect tile, float *out) {
    static kst_mask_plan plan;
    assert_int_equal(karst_mask_check(d, s->shape.spacing_m, NULL), KARST_OK);
    kst_mask_plan_make(d, s->shape.spacing_m, &plan);
    for (int k = 0; k < COUNT; ++k) out[k] = 1;
    int at = tile.z0 * W + tile.x0;
    assert_int_equal(kst_mask_tile(&plan, s, tile, from ? from + at : NULL, out + at, W), KARST_OK);
}

// A plane that rises at `degrees` toward the compass angle (0: +x, 90: +z).
static void make_plane(double degrees, double toward, double spacing_m) {
    double rise = tan(degrees / 57.29577951308232), a = toward / 57.29577951308232;
    for (int k = 0; k < COUNT; ++k) y[k] = (float)(spacing_m * rise * (cos(a) * (k % W) + sin(a) * ((double)(k / W))));
}

static void slopes_of_planes_are_their_angles(void **state) {
    (void)state;
    static float out[COUNT];
    for (prop p = prop_begin("mask_slope", 60); prop_next(&p);) {
        double spacing_m = prop_real(&p, 0.5, 30), degrees = prop_real(&p, 0, 80);
        make_plane(degrees, prop_real(&p, 0, 360), spacing_m);
        kst_samples s = samples(spacing_m, false);
        karst_mask_def d = karst_mask_def_default(KARST_MASK_SLOPE);
        d.low = degrees - 0.1;
        d.high = degrees + 0.1;
        d.soft = 0;
        ask(&d, &s, NULL, all, out);
        for (int k = 0; k < COUNT; ++k) prop_check(&p, out[k] == 1);
        d.low = degrees + 2;  // control, and the soft edge: a fifth of the way out
        d.high = 180;
        d.soft = 10;
        ask(&d, &s, NULL, all, out);
        for (int k = 0; k < COUNT; ++k) prop_near(&p, out[k], 0.8, 0.02);
        d.soft = 0;
        ask(&d, &s, NULL, all, out);
        for (int k = 0; k < COUNT; ++k) prop_check(&p, out[k] == 0);
    }
}

static void a_slope_faces_down_its_fall(void **state) {
    (void)state;
    static float out[COUNT];
    for (prop p = prop_begin("mask_facing", 60); prop_next(&p);) {
        double toward = prop_real(&p, 0, 360), a = toward / 57.29577951308232, degrees = prop_real(&p, 10, 80);
        make_plane(degrees, toward, 2);
        kst_samples s = samples(2, false);
        karst_mask_def d = karst_mask_def_default(KARST_MASK_FACING);
        // The normal leans away from the rise: that far from the horizontal.
        d.direction = (karst_pos){-5 * cos(a), 0, -5 * sin(a)};
        d.low = 90 - degrees - 0.2;
        d.high = 90 - degrees + 0.2;
        d.soft = 0;
        ask(&d, &s, NULL, all, out);
        for (int k = 0; k < COUNT; ++k) prop_check(&p, out[k] == 1);
        d.direction = (karst_pos){5 * cos(a), 0, 5 * sin(a)};  // control: the other way
        ask(&d, &s, NULL, all, out);
        for (int k = 0; k < COUNT; ++k) prop_check(&p, out[k] == 0);
    }
}

static void ground_that_hangs_over_is_steeper_than_upright(void **state) {
    (void)state;
    static float out[COUNT];
    for (int k = 0; k < COUNT; ++k) {  // rising with x, and pushed back more than the columns go on
        y[k] = (float)(k % W);
        x[k] = -1.5f * (float)(k % W);
        z[k] = 0;
    }
    kst_samples s = samples(1, true);
    karst_mask_def d = karst_mask_def_default(KARST_MASK_SLOPE);
    d.low = 90;
    d.high = 180;
    d.soft = 0;
    ask(&d, &s, NULL, all, out);
    for (int k = 0; k < COUNT; ++k) assert_true(out[k] == 1);
    s.x = s.z = NULL;  // control: as a height map it is a slope of 45 degrees
    ask(&d, &s, NULL, all, out);
    for (int k = 0; k < COUNT; ++k) assert_true(out[k] == 0);
}

static void heights_count_in_the_world(void **state) {
    (void)state;
    static float out[COUNT];
    for (int k = 0; k < COUNT; ++k) y[k] = (float)k;
    kst_samples s = samples(1, false);
    karst_mask_def d = karst_mask_def_default(KARST_MASK_HEIGHT);
    d.low = 150;
    d.high = 250;
    d.soft = 40;
    ask(&d, &s, NULL, all, out);
    for (int k = 0; k < COUNT; ++k) {
        double h = 50 + k, want = h < 150 ? 1 - (150 - h) / 40 : h > 250 ? 1 - (h - 250) / 40 : 1;
        assert_true(fabs((double)out[k] - (want > 0 ? want : 0)) < 1e-6);
    }
    d.invert = true;
    static float other[COUNT];
    ask(&d, &s, NULL, all, other);
    for (int k = 0; k < COUNT; ++k) assert_true(fabsf(out[k] + other[k] - 1) < 1e-6f);
}

static void relief_tells_spurs_from_gullies(void **state) {
    (void)state;
    static float out[COUNT];
    for (int k = 0; k < COUNT; ++k) y[k] = (float)(900 + 10 * sin((k % W) * 0.4) + 3.0 * ((double)(k / W)));
    kst_samples s = samples(2, false);
    karst_mask_def d = karst_mask_def_default(KARST_MASK_RELIEF);
    d.radius_m = 30;
    d.low = d.soft = 0;
    ask(&d, &s, NULL, all, out);
    for (int j = 16; j < H - 16; ++j)
        for (int i = 16; i < W - 16; ++i) {
            double wave = sin(i * 0.4);
            if (fabs(wave) > 0.3) assert_true((out[j * W + i] == 1) == (wave > 0));
        }
}

static void noise_selects_about_half_above_0(void **state) {
    (void)state;
    static float out[COUNT], again[COUNT];
    kst_samples s = samples(97, false);
    karst_mask_def d = karst_mask_def_default(KARST_MASK_NOISE);
    d.soft = 0;
    ask(&d, &s, NULL, all, out);
    int count = 0;
    for (int k = 0; k < COUNT; ++k) count += out[k] == 1;
    assert_true(count > COUNT * 2 / 5 && count < COUNT * 3 / 5);
    d.noise.amplitude_m = 1e-9;  // is not read
    ask(&d, &s, NULL, all, again);
    assert_memory_equal(out, again, sizeof out);
    d.noise.seed = 99;  // control
    ask(&d, &s, NULL, all, again);
    assert_true(memcmp(out, again, sizeof out) != 0);
}

static void another_mask_comes_as_it_is(void **state) {
    (void)state;
    static float from[COUNT], out[COUNT];
    for (int k = 0; k < COUNT; ++k) from[k] = (float)k / (COUNT - 1);
    kst_samples s = samples(1, false);
    karst_mask_def d = karst_mask_def_default(KARST_MASK_FROM);
    d.from = (karst_field *)&s;  // not read here
    ask(&d, &s, from, all, out);
    for (int k = 0; k < COUNT; ++k) assert_true(fabsf(out[k] - from[k]) < 1e-6f);
    d.low = 0.5;
    d.soft = 0;
    ask(&d, &s, from, all, out);
    for (int k = 0; k < COUNT; ++k) assert_true(out[k] == (from[k] >= 0.5f ? 1 : 0));
}

static void parts_equal_the_whole(void **state) {
    (void)state;
    static float whole[COUNT], part[COUNT];
    for (prop p = prop_begin("mask_parts", 200); prop_next(&p);) {
        for (int k = 0; k < COUNT; ++k) {
            y[k] = (float)prop_real(&p, 0, 20);
            x[k] = (float)prop_real(&p, -1, 1);
            z[k] = (float)prop_real(&p, -1, 1);
        }
        kst_samples s = samples(prop_real(&p, 1, 10), prop_chance(&p, 0.5));
        karst_mask_def d = karst_mask_def_default((karst_mask_kind)prop_int(&p, 0, KARST_MASK_NOISE));
        d.soft = prop_real(&p, 0, 30);
        d.radius_m = s.shape.spacing_m * prop_real(&p, 1.5, 20);
        ask(&d, &s, NULL, all, whole);
        int x0 = prop_int(&p, 0, W - 1), z0 = prop_int(&p, 0, H - 1);
        karst_rect some = {x0, z0, prop_int(&p, x0 + 1, W), prop_int(&p, z0 + 1, H)};
        ask(&d, &s, NULL, some, part);
        for (int32_t j = some.z0; j < some.z1; ++j)
            prop_check(&p, !memcmp(whole + j * W + x0, part + j * W + x0, (size_t)(some.x1 - x0) * sizeof(float)));
    }
}

// ---- sets ------------------------------------------------------------------------------------------

static void masks_meet_like_sets(void **state) {
    (void)state;
    for (prop p = prop_begin("mask_sets", 2000); prop_next(&p);) {
        float a = (float)prop_int(&p, 0, 16) / 16, b = (float)prop_int(&p, 0, 16) / 16;
        float either = kst_mask_meet(KARST_MASK_ADD, a, b), both = kst_mask_meet(KARST_MASK_INTERSECT, a, b);
        prop_check(&p, kst_mask_meet(KARST_MASK_SET, a, b) == b);
        prop_check(&p,
                   either == kst_mask_meet(KARST_MASK_ADD, b, a) && both == kst_mask_meet(KARST_MASK_INTERSECT, b, a));
        prop_check(&p, kst_mask_meet(KARST_MASK_ADD, a, a) == a && kst_mask_meet(KARST_MASK_INTERSECT, a, a) == a);
        prop_check(&p, 1 - either == kst_mask_meet(KARST_MASK_INTERSECT, 1 - a, 1 - b));  // De Morgan
        float less = kst_mask_meet(KARST_MASK_SUBTRACT, a, b);
        prop_check(&p, less == kst_mask_meet(KARST_MASK_INTERSECT, a, 1 - b));
        prop_check(&p, kst_mask_meet(KARST_MASK_SUBTRACT, less, b) == less);
        prop_check(&p, kst_mask_meet(KARST_MASK_SUBTRACT, a, 1) == 0 && kst_mask_meet(KARST_MASK_SUBTRACT, a, 0) == a);
        prop_check(&p, either >= both && less <= a);
    }
}

static float slow_extreme(double radius, bool smallest, int i, int j) {
    float best = smallest ? 2 : -2;
    for (int v = 0; v < H; ++v)
        for (int u = 0; u < W; ++u) {
            if ((double)(u - i) * (u - i) + (double)(v - j) * (v - j) > radius * radius) continue;
            best = smallest ? fminf(best, y[v * W + u]) : fmaxf(best, y[v * W + u]);
        }
    return best;
}

static void growing_takes_the_extreme_within_a_disc(void **state) {
    (void)state;
    static float out[COUNT];
    for (prop p = prop_begin("mask_grow", 60); prop_next(&p);) {
        for (int k = 0; k < COUNT; ++k) y[k] = prop_chance(&p, 0.1) ? (float)prop_real(&p, 0, 1) : 0;
        if (prop_chance(&p, 0.5))
            for (int k = 0; k < COUNT; ++k) y[k] = 1 - y[k];
        double radius = prop_chance(&p, 0.5) ? prop_real(&p, 1, 30) : prop_int(&p, 1, 30);
        bool smallest = prop_chance(&p, 0.5);
        kst_samples s = samples(1, false);
        int x0 = prop_int(&p, 0, W - 1), z0 = prop_int(&p, 0, H - 1);
        karst_rect tile = {x0, z0, prop_int(&p, x0 + 1, W), prop_int(&p, z0 + 1, H)};
        float *at = out + z0 * W + x0;
        assert_int_equal(kst_mask_extreme(radius, smallest, &s, y, tile, at, W), KARST_OK);
        int off = 0;
        for (int k = 0; k < 60; ++k) {
            int i = prop_int(&p, x0, tile.x1 - 1), j = prop_int(&p, z0, tile.z1 - 1);
            float want = slow_extreme(radius, smallest, i, j);
            prop_check(&p, !memcmp(&out[j * W + i], &want, 4));
            off += slow_extreme(radius, !smallest, i, j) != want;
        }
        prop_check(&p, off > 0 || radius < 3);  // control
    }
}

static void numbers_out_of_range_are_named(void **state) {
    (void)state;
    static const struct {
        karst_mask_kind kind;
        size_t at;
        double value;
        const char *word;
    } bad[] = {
        {KARST_MASK_SLOPE, offsetof(karst_mask_def, low), 95, "begins above"},
        {KARST_MASK_HEIGHT, offsetof(karst_mask_def, high), NAN, "begins above"},
        {KARST_MASK_HEIGHT, offsetof(karst_mask_def, soft), -1, "soft"},
        {KARST_MASK_FACING, offsetof(karst_mask_def, direction.z), 0, "direction"},
        {KARST_MASK_RELIEF, offsetof(karst_mask_def, radius_m), 1, "radius"},
        {KARST_MASK_NOISE, offsetof(karst_mask_def, noise.wavelength_m), 0, "wavelength"},
    };
    karst_report report;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        karst_mask_def d = karst_mask_def_default(bad[k].kind);
        assert_int_equal(karst_mask_check(&d, 2, &report), KARST_OK);
        memcpy((char *)&d + bad[k].at, &bad[k].value, sizeof(double));
        assert_int_equal(karst_mask_check(&d, 2, &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, bad[k].word));
    }
    karst_mask_def d = karst_mask_def_default(KARST_MASK_FROM);
    assert_int_equal(karst_mask_check(&d, 2, &report), KARST_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_of_planes_are_their_angles),
        cmocka_unit_test(a_slope_faces_down_its_fall),
        cmocka_unit_test(ground_that_hangs_over_is_steeper_than_upright),
        cmocka_unit_test(heights_count_in_the_world),
        cmocka_unit_test(relief_tells_spurs_from_gullies),
        cmocka_unit_test(noise_selects_about_half_above_0),
        cmocka_unit_test(another_mask_comes_as_it_is),
        cmocka_unit_test(parts_equal_the_whole),
        cmocka_unit_test(masks_meet_like_sets),
        cmocka_unit_test(growing_takes_the_extreme_within_a_disc),
        cmocka_unit_test(numbers_out_of_range_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
