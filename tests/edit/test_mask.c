// SPDX-License-Identifier: MIT
// Masks in fields: several questions at once, every way to meet what is held, soft and grown borders, threads.
#include "karst/mask.h"

#include "support/prop.h"

enum { W = 330, H = 203, COUNT = W * H };

static const karst_rect all = {0, 0, W, H};
static float a[COUNT], b[COUNT], c[COUNT];

static karst_field *make_field(int columns) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, H, 2, {0, 0, 0}};
    karst_field *field = NULL;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

static karst_field *make_ground(uint64_t seed) {
    static float y[COUNT];
    for (int k = 0; k < COUNT; ++k)
        y[k] = (float)(60 * sin(k % W * 0.05) + 40 * cos(k / W * 0.06) + 3 * kst_random01(seed, (uint64_t)k));
    karst_field *field = make_field(W);
    assert_int_equal(karst_field_write(field, all, y, NULL, NULL, W), KARST_OK);
    return field;
}

static void read_mask(karst_field *mask, float *out) {
    assert_int_equal(karst_field_read(mask, all, out, NULL, NULL, W), KARST_OK);
}

static karst_mask_def slope_def(void) {
    karst_mask_def d = karst_mask_def_default(KARST_MASK_SLOPE);
    d.low = 35;
    return d;
}
static karst_mask_def height_def(void) {
    karst_mask_def d = karst_mask_def_default(KARST_MASK_HEIGHT);
    d.low = 0;
    d.soft = 20;
    return d;
}

static karst_status pick(karst_field *ground, karst_field *mask, karst_rect rect, const karst_mask_def *defs, int count,
                         karst_mask_mode mode, karst_jobs *jobs, const karst_progress *progress) {
    const karst_mask_selection s = {.defs = defs, .count = count, .mode = mode};
    return karst_mask_select(ground, mask, rect, &s, jobs, progress);
}

static void all_questions_must_be_answered(void **state) {
    (void)state;
    karst_field *ground = make_ground(1), *mask = make_field(W);
    const karst_mask_def both[2] = {slope_def(), height_def()};
    assert_int_equal(pick(ground, mask, all, both, 1, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(mask, a);
    assert_int_equal(pick(ground, mask, all, both + 1, 1, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(mask, b);
    assert_int_equal(pick(ground, mask, all, both, 2, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    int differ = 0;
    for (int k = 0; k < COUNT; ++k) {
        assert_true(c[k] == fminf(a[k], b[k]));
        differ += a[k] != b[k];
    }
    assert_true(differ > COUNT / 4);
    assert_int_equal(pick(ground, mask, all, NULL, 0, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    for (int k = 0; k < COUNT; ++k) assert_true(c[k] == 1);
    const karst_mask_selection neither = {.defs = both, .count = 2, .invert = true};
    assert_int_equal(karst_mask_select(ground, mask, all, &neither, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    for (int k = 0; k < COUNT; ++k) assert_true(c[k] == 1 - fminf(a[k], b[k]));
    karst_field_destroy(ground);
    karst_field_destroy(mask);
}

static void modes_meet_what_is_held(void **state) {
    (void)state;
    karst_field *ground = make_ground(1), *mask = make_field(W);
    const karst_mask_def slope = slope_def(), height = height_def();
    pick(ground, mask, all, &height, 1, KARST_MASK_SET, NULL, NULL);
    read_mask(mask, b);
    pick(ground, mask, all, &slope, 1, KARST_MASK_SET, NULL, NULL);
    read_mask(mask, a);
    for (int mode = KARST_MASK_SET; mode < KARST_MASK_MODE_COUNT; ++mode) {
        pick(ground, mask, all, &slope, 1, KARST_MASK_SET, NULL, NULL);
        assert_int_equal(pick(ground, mask, all, &height, 1, (karst_mask_mode)mode, NULL, NULL), KARST_OK);
        read_mask(mask, c);
        for (int k = 0; k < COUNT; ++k) {
            const float want[] = {b[k], fmaxf(a[k], b[k]), fminf(a[k], 1 - b[k]), fminf(a[k], b[k])};
            assert_true(c[k] == want[mode]);
        }
    }
    karst_field_destroy(ground);
    karst_field_destroy(mask);
}

static void only_the_area_changes(void **state) {
    (void)state;
    karst_field *ground = make_ground(1), *mask = make_field(W);
    const karst_mask_def slope = slope_def();
    pick(ground, mask, all, &slope, 1, KARST_MASK_SET, NULL, NULL);
    read_mask(mask, a);
    const karst_rect some = {50, 60, 300, 130};
    karst_mask_invert(mask, all, NULL, NULL);
    assert_int_equal(pick(ground, mask, some, &slope, 1, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    for (int k = 0; k < COUNT; ++k) {
        bool inside = k % W >= 50 && k % W < 300 && k / W >= 60 && k / W < 130;
        assert_true(c[k] == (inside ? a[k] : 1 - a[k]));
    }
    karst_field_destroy(ground);
    karst_field_destroy(mask);
}

static void another_mask_is_a_question_too(void **state) {
    (void)state;
    karst_field *ground = make_ground(1), *mask = make_field(W), *wear = make_field(W), *narrow = make_field(W - 1);
    const karst_mask_def slope = slope_def();
    pick(ground, wear, all, &slope, 1, KARST_MASK_SET, NULL, NULL);
    karst_mask_def from[2] = {karst_mask_def_default(KARST_MASK_FROM), karst_mask_def_default(KARST_MASK_FROM)};
    from[0].from = from[1].from = wear;
    assert_int_equal(pick(ground, mask, all, from, 1, KARST_MASK_SET, NULL, NULL), KARST_OK);
    read_mask(wear, a);
    read_mask(mask, c);
    for (int k = 0; k < COUNT; ++k) assert_true(fabsf(c[k] - a[k]) < 1e-6f);
    assert_int_equal(pick(ground, mask, all, from, 2, KARST_MASK_SET, NULL, NULL), KARST_ERROR_LIMIT);
    from[0].from = narrow;
    assert_int_equal(pick(ground, mask, all, from, 1, KARST_MASK_SET, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_int_equal(pick(ground, narrow, all, &slope, 1, KARST_MASK_SET, NULL, NULL), KARST_ERROR_ARGUMENT);
    karst_field_destroy(ground);
    karst_field_destroy(mask);
    karst_field_destroy(wear);
    karst_field_destroy(narrow);
}

static double share_of(karst_field *mask) {
    double share;
    assert_int_equal(karst_mask_share(mask, &share, NULL), KARST_OK);
    return share;
}

static void a_square_feathers_grows_and_shrinks(void **state) {
    (void)state;
    karst_field *mask = make_field(W);
    for (int k = 0; k < COUNT; ++k) a[k] = k % W >= 100 && k % W < 160 && k / W >= 50 && k / W < 110 ? 1 : 0;
    karst_field_write(mask, all, a, NULL, NULL, W);
    assert_true(fabs(share_of(mask) - 3600.0 / COUNT) < 1e-9);
    assert_int_equal(karst_mask_grow(mask, all, 20.5, NULL, NULL), KARST_OK);  // ten vertices of 2 m
    read_mask(mask, c);
    assert_true(c[80 * W + 90] == 1 && c[80 * W + 89] == 0 && c[40 * W + 130] == 1 && c[39 * W + 130] == 0);
    assert_true(c[41 * W + 91] == 0);  // corners grow round
    assert_int_equal(karst_mask_grow(mask, all, -20.5, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    assert_memory_equal(c, a, sizeof a);
    assert_int_equal(karst_mask_feather(mask, all, 20, NULL, NULL), KARST_OK);
    read_mask(mask, c);
    for (int k = 0; k < COUNT; ++k) assert_true(c[k] >= 0 && c[k] <= 1);
    assert_true(c[80 * W + 130] == 1 && c[80 * W + 30] == 0);
    assert_true(c[80 * W + 100] > 0.5f && c[80 * W + 99] < 0.5f && c[80 * W + 99] > 0.3f);
    assert_true(fabs(share_of(mask) - 3600.0 / COUNT) < 1e-6);
    assert_int_equal(karst_mask_invert(mask, all, NULL, NULL), KARST_OK);
    assert_true(fabs(share_of(mask) - (1 - 3600.0 / COUNT)) < 1e-6);
    assert_int_equal(karst_mask_feather(mask, all, 1, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_mask_grow(mask, all, NAN, NULL, NULL), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_mask_grow(mask, all, 2000, NULL, NULL), KARST_ERROR_ARGUMENT);
    karst_field_destroy(mask);
}

static void threads_leave_no_trace(void **state) {
    (void)state;
    uint64_t want = 0;
    for (int workers = 1; workers <= 5; workers += 2) {
        karst_jobs_def jd = karst_jobs_def_default();
        jd.worker_count = workers;
        karst_jobs *jobs = NULL;
        assert_int_equal(karst_jobs_create(&jd, &jobs), KARST_OK);
        karst_field *ground = make_ground(4), *mask = make_field(W);
        karst_mask_def d[4] = {slope_def(), height_def(), karst_mask_def_default(KARST_MASK_RELIEF),
                               karst_mask_def_default(KARST_MASK_NOISE)};
        d[2].low = -5;
        pick(ground, mask, all, d, 4, KARST_MASK_SET, jobs, NULL);
        karst_mask_grow(mask, all, 7, jobs, NULL);
        karst_mask_feather(mask, all, 30, jobs, NULL);
        read_mask(mask, c);
        uint64_t hash = kst_hash(c, sizeof c, 0);
        assert_true(share_of(mask) > 0.02 && share_of(mask) < 0.9);
        assert_true(workers == 1 || hash == want);
        want = hash;
        karst_field_destroy(ground);
        karst_field_destroy(mask);
        karst_jobs_destroy(jobs);
    }
}

static bool never(void *context, const char *stage, double share) {
    (void)context, (void)stage, (void)share;
    return false;
}

static void it_stops_when_asked(void **state) {
    (void)state;
    const karst_progress progress = {never, NULL};
    karst_field *ground = make_ground(1), *mask = make_field(W);
    const karst_mask_def slope = slope_def();
    double share = 7;
    assert_int_equal(pick(ground, mask, all, &slope, 1, KARST_MASK_SET, NULL, &progress), KARST_ERROR_CANCELLED);
    assert_int_equal(karst_mask_invert(mask, all, NULL, &progress), KARST_ERROR_CANCELLED);
    assert_int_equal(karst_mask_share(mask, &share, &progress), KARST_ERROR_CANCELLED);
    assert_true(share == 7 && share_of(mask) == 0);
    karst_field_destroy(ground);
    karst_field_destroy(mask);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_questions_must_be_answered),
        cmocka_unit_test(modes_meet_what_is_held),
        cmocka_unit_test(only_the_area_changes),
        cmocka_unit_test(another_mask_is_a_question_too),
        cmocka_unit_test(a_square_feathers_grows_and_shrinks),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(it_stops_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
