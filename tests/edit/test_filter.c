// SPDX-License-Identifier: MIT
// Filters on fields: bands and threads leave no trace, old ground is read and never new, layers take the difference.
#include "karst/filter.h"

#include "edit/stack.h"
#include "op/filter.h"

enum { W = 410, H = 301, COUNT = W * H };

static const karst_rect all = {0, 0, W, H};

typedef struct planes {
    float y[COUNT], x[COUNT], z[COUNT];
} planes;

static karst_field *make_field(const planes *from, bool displaced) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){W, H, 2, {-3e5, 120, 5e4}};
    karst_field *field = NULL;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    if (!from) return field;
    assert_int_equal(karst_field_write(field, all, from->y, displaced ? from->x : NULL, displaced ? from->z : NULL, W),
                     KARST_OK);
    return field;
}

static void random_planes(prop *p, planes *out) {
    uint64_t seed = prop_u64(p);
    for (int k = 0; k < COUNT; ++k) {
        out->y[k] = (float)(30 * sin(k % W * 0.05) + 20 * cos(k / W * 0.07) + 4 * kst_random01(seed, (uint64_t)k * 3));
        out->x[k] = (float)(kst_random01(seed, (uint64_t)k * 3 + 1) - 0.5);
        out->z[k] = (float)(kst_random01(seed, (uint64_t)k * 3 + 2) - 0.5);
    }
}

static void read_planes(karst_field *field, planes *out) {
    assert_int_equal(karst_field_read(field, all, out->y, out->x, out->z, W), KARST_OK);
}

// Displaced only in a few vertices near one corner: most bands do not see them, some see them beside theirs.
static void displace_a_corner(planes *out) {
    for (int k = 0; k < COUNT; ++k)
        if (k % W < 300 || k / W > 70) out->x[k] = out->z[k] = 0;
}

static karst_filter_def some_def(karst_filter_kind kind, prop *p) {
    karst_filter_def d = karst_filter_def_default(kind);
    d.noise.wavelength_m = 60;
    d.along_normal = prop_chance(p, 0.5);
    d.radius_m = prop_real(p, 3, 120);
    d.low_m = 105;
    d.high_m = 140;
    d.to_low_m = 0;
    d.to_high_m = 50;
    return d;
}

// The whole at once, from arrays.
static void filter_at_once(const karst_filter_def *d, const planes *from, bool displaced, planes *out) {
    static kst_filter_plan plan;
    kst_filter_plan_make(d, 2, &plan);
    const kst_samples s = {.shape = {W, H, 2, {-3e5, 120, 5e4}},
                           .rect = all,
                           .y = from->y,
                           .x = displaced ? from->x : NULL,
                           .z = displaced ? from->z : NULL,
                           .stride = W};
    bool changed, sideways = displaced || kst_filter_writes_sideways(d);
    memset(out, 0, sizeof *out);
    kst_planes to = {out->y, sideways ? out->x : NULL, sideways ? out->z : NULL, W};
    assert_int_equal(kst_filter_tile(&plan, &s, NULL, all, &to, &changed), KARST_OK);
}

static void bands_equal_the_whole_at_once(void **state) {
    (void)state;
    static planes from, want, got;
    int n = 0;
    for (prop p = prop_begin("filter_bands", 16); prop_next(&p); ++n) {
        bool displaced = prop_chance(&p, 0.5);
        random_planes(&p, &from);
        karst_filter_def d = some_def((karst_filter_kind)(n % KARST_FILTER_KIND_COUNT), &p);
        karst_field *field = make_field(&from, displaced);
        karst_canvas canvas = {.shown = field, .target = field};
        karst_filter_info info;
        assert_int_equal(karst_filter_apply(&canvas, all, &d, NULL, NULL, &info), KARST_OK);
        read_planes(field, &got);
        filter_at_once(&d, &from, displaced, &want);
        int64_t changed = 0;
        float most = 0;
        for (int k = 0; k < COUNT; ++k) {
            changed += got.y[k] != from.y[k] ||
                       (displaced ? got.x[k] != from.x[k] || got.z[k] != from.z[k] : got.x[k] != 0 || got.z[k] != 0);
            most = fmaxf(most, fabsf(got.y[k] - from.y[k]));
        }
        prop_check(&p, info.changed == changed && info.most_m == most && changed > 0);
        prop_check(&p, !memcmp(got.y, want.y, sizeof got.y));
        prop_check(&p, !memcmp(got.x, want.x, sizeof got.x) && !memcmp(got.z, want.z, sizeof got.z));
        // Control: a second time, from what is now there, is another result (but for a clamp).
        assert_int_equal(karst_filter_apply(&canvas, all, &d, NULL, NULL, NULL), KARST_OK);
        read_planes(field, &got);
        prop_check(&p, (d.kind == KARST_FILTER_CLAMP) == !memcmp(got.y, want.y, sizeof got.y));
        karst_field_destroy(field);
    }
}

static void a_part_changes_as_the_whole_would_and_nothing_else(void **state) {
    (void)state;
    static planes from, want, got;
    int n = 0;
    for (prop p = prop_begin("filter_area", 12); prop_next(&p); ++n) {
        random_planes(&p, &from);
        karst_filter_def d = some_def((karst_filter_kind)(n % KARST_FILTER_KIND_COUNT), &p);
        karst_field *field = make_field(&from, true);
        karst_canvas canvas = {.shown = field, .target = field};
        int x0 = prop_int(&p, 0, W - 2), z0 = prop_int(&p, 0, H - 2);
        karst_rect some = {x0, z0, prop_int(&p, x0 + 1, W), prop_int(&p, z0 + 1, H)};
        assert_int_equal(karst_filter_apply(&canvas, some, &d, NULL, NULL, NULL), KARST_OK);
        read_planes(field, &got);
        filter_at_once(&d, &from, true, &want);
        for (int k = 0; k < COUNT; ++k) {
            int i = k % W, j = k / W;
            bool inside = i >= some.x0 && i < some.x1 && j >= some.z0 && j < some.z1;
            prop_check(&p, !memcmp(&got.y[k], inside ? &want.y[k] : &from.y[k], 4));
            prop_check(&p, !memcmp(&got.x[k], inside ? &want.x[k] : &from.x[k], 4));
        }
        karst_field_destroy(field);
    }
}

static void what_lies_beside_does_not_matter(void **state) {
    (void)state;
    static planes from, whole, part;
    int n = 0;
    for (prop p = prop_begin("filter_beside", 12); prop_next(&p); ++n) {
        random_planes(&p, &from);
        displace_a_corner(&from);
        karst_filter_def d = some_def((karst_filter_kind)(n % KARST_FILTER_KIND_COUNT), &p);
        if (d.kind == KARST_FILTER_TERRACE) d.noise.amplitude_m = 8;
        d.along_normal = false;
        const karst_rect some = {20, 30, 290, 200};
        for (int once = 0; once < 2; ++once) {
            karst_field *field = make_field(&from, true);
            karst_canvas canvas = {.shown = field, .target = field};
            assert_int_equal(karst_filter_apply(&canvas, once ? all : some, &d, NULL, NULL, NULL), KARST_OK);
            read_planes(field, once ? &whole : &part);
            karst_field_destroy(field);
        }
        for (int j = some.z0; j < some.z1; ++j)
            prop_check(&p, !memcmp(whole.y + j * W + some.x0, part.y + j * W + some.x0,
                                   (size_t)(some.x1 - some.x0) * sizeof(float)));
    }
}

static void threads_leave_no_trace(void **state) {
    (void)state;
    static planes from, got;
    for (int kind = 0; kind < KARST_FILTER_KIND_COUNT; ++kind) {
        prop p = prop_begin("filter_threads", 1);
        prop_next(&p);
        random_planes(&p, &from);
        uint64_t want = 0;
        for (int workers = 1; workers <= 5; workers += workers) {
            karst_jobs_def jd = karst_jobs_def_default();
            jd.worker_count = workers == 4 ? 5 : workers;
            karst_jobs *jobs = NULL;
            assert_int_equal(karst_jobs_create(&jd, &jobs), KARST_OK);
            karst_field *field = make_field(&from, true), *mask = make_field(&from, false);
            karst_canvas canvas = {.shown = field, .target = field, .mask = mask};
            prop q = p;
            karst_filter_def d = some_def((karst_filter_kind)kind, &q);
            assert_int_equal(karst_filter_apply(&canvas, all, &d, jobs, NULL, NULL), KARST_OK);
            read_planes(field, &got);
            uint64_t hash = kst_hash(&got, sizeof got, 0);
            assert_true(workers == 1 || hash == want);
            want = hash;
            karst_field_destroy(field);
            karst_field_destroy(mask);
            karst_jobs_destroy(jobs);
        }
        assert_true(want != kst_hash(&from, sizeof from, 0));  // control: something was done
    }
}

// ---- masks and layers ------------------------------------------------------------------------------

// A store that counts what it is given.
typedef struct shelf {
    int saved;
} shelf;
static karst_status load_none(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    (void)context, (void)x, (void)z, (void)out;
    *found = false;
    return KARST_OK;
}
static karst_status count_save(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    (void)x, (void)z, (void)chunk;
    ++((shelf *)context)->saved;
    return KARST_OK;
}

static void chunks_that_the_mask_leaves_out_are_not_written(void **state) {
    (void)state;
    for (int masked = 0; masked < 2; ++masked) {
        shelf s = {0};
        const karst_field_store store = {.load = load_none, .save = count_save, .context = &s};
        karst_field_def def = karst_field_def_default();
        def.shape = (karst_field_shape){1025, 513, 1, {0, 0, 0}};
        def.store = &store;
        karst_field *field = NULL, *mask = NULL;
        assert_int_equal(karst_field_create(&def, &field), KARST_OK);
        def.store = NULL;
        assert_int_equal(karst_field_create(&def, &mask), KARST_OK);
        float one = 0.5f;
        karst_field_write(mask, (karst_rect){300, 200, 301, 201}, &one, NULL, NULL, 1);
        karst_canvas canvas = {.shown = field, .target = field, .mask = masked ? mask : NULL};
        karst_filter_def d = karst_filter_def_default(KARST_FILTER_NOISE);
        assert_int_equal(karst_filter_apply(&canvas, (karst_rect){0, 0, 1025, 513}, &d, NULL, NULL, NULL), KARST_OK);
        assert_int_equal(karst_field_flush(field), KARST_OK);
        if (masked)
            assert_true(s.saved >= 1 && s.saved <= 10);  // one band of one tile, and borders that are shared
        else
            assert_true(s.saved == 16 * 8);  // control
        karst_field_destroy(field);
        karst_field_destroy(mask);
    }
}

static void a_layer_takes_the_difference_and_the_base_stays(void **state) {
    (void)state;
    static planes from, want, got;
    prop p = prop_begin("filter_layer", 1);
    prop_next(&p);
    random_planes(&p, &from);
    stack s = {make_field(&from, false), make_field(NULL, false), make_field(&from, false)};
    karst_canvas canvas = {.shown = s.shown, .target = s.layer, .changed = add_up, .context = &s};
    karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
    d.radius_m = 25;
    assert_int_equal(karst_filter_apply(&canvas, all, &d, NULL, NULL, NULL), KARST_OK);
    filter_at_once(&d, &from, false, &want);
    read_planes(s.base, &got);
    assert_memory_equal(got.y, from.y, sizeof got.y);
    read_planes(s.shown, &got);
    for (int k = 0; k < COUNT; ++k) assert_true(fabsf(got.y[k] - want.y[k]) < 1e-4f);
    read_planes(s.layer, &got);
    assert_true(got.y[1000] != 0);
    karst_field_destroy(s.base);
    karst_field_destroy(s.layer);
    karst_field_destroy(s.shown);
}

// ---- ends ------------------------------------------------------------------------------------------

typedef struct watch {
    int calls, stop_at;
    double last;
} watch;
static bool look(void *context, const char *stage, double share) {
    watch *w = context;
    assert_string_equal(stage, "filter");
    assert_true(share >= w->last && share <= 1);
    w->last = share;
    return ++w->calls != w->stop_at;
}

static void it_tells_how_far_it_is_and_stops_when_asked(void **state) {
    (void)state;
    static planes from, got;
    prop p = prop_begin("filter_stop", 1);
    prop_next(&p);
    random_planes(&p, &from);
    karst_filter_def d = karst_filter_def_default(KARST_FILTER_SHARPEN);
    for (int stop = 0; stop <= 4; ++stop) {
        karst_field *field = make_field(&from, false);
        karst_canvas canvas = {.shown = field, .target = field};
        watch w = {.stop_at = stop};
        const karst_progress progress = {look, &w};
        karst_status status = karst_filter_apply(&canvas, all, &d, NULL, &progress, NULL);
        assert_int_equal(status, stop ? KARST_ERROR_CANCELLED : KARST_OK);
        assert_true(stop ? w.calls == stop : w.calls >= 5);
        read_planes(field, &got);
        if (stop == 1) assert_memory_equal(got.y, from.y, sizeof got.y);
        karst_field_destroy(field);
    }
}

static void it_ends_cleanly_without_memory(void **state) {
    (void)state;
    static planes from;
    prop p = prop_begin("filter_memory", 1);
    prop_next(&p);
    random_planes(&p, &from);
    karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
    karst_field *field = make_field(&from, false);
    karst_canvas canvas = {.shown = field, .target = field};
    kst_alloc_fail_after(0);
    assert_int_equal(karst_filter_apply(&canvas, all, &d, NULL, NULL, NULL), KARST_OK);
    uint64_t count = kst_alloc_fail_after(0);
    assert_true(count >= 3);
    for (uint64_t n = 1; n <= count; n += n < 4 ? 1 : 3) {
        kst_alloc_fail_after(n);
        karst_status status = karst_filter_apply(&canvas, all, &d, NULL, NULL, NULL);
        kst_alloc_fail_after(0);
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
    karst_field_destroy(field);
}

static void a_bad_number_changes_nothing(void **state) {
    (void)state;
    static planes from, got;
    prop p = prop_begin("filter_bad", 1);
    prop_next(&p);
    random_planes(&p, &from);
    karst_field *field = make_field(&from, false);
    karst_canvas canvas = {.shown = field, .target = field};
    karst_filter_def d = karst_filter_def_default(KARST_FILTER_BLUR);
    d.radius_m = 1;
    assert_int_equal(karst_filter_apply(&canvas, all, &d, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    read_planes(field, &got);
    assert_memory_equal(got.y, from.y, sizeof got.y);
    d.radius_m = 3;
    assert_int_equal(karst_filter_apply(&canvas, (karst_rect){5, 5, 5, 9}, &d, NULL, NULL, NULL),
                     KARST_OK);  // nothing to do
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_equal_the_whole_at_once),
        cmocka_unit_test(a_part_changes_as_the_whole_would_and_nothing_else),
        cmocka_unit_test(what_lies_beside_does_not_matter),
        cmocka_unit_test(threads_leave_no_trace),
        cmocka_unit_test(chunks_that_the_mask_leaves_out_are_not_written),
        cmocka_unit_test(a_layer_takes_the_difference_and_the_base_stays),
        cmocka_unit_test(it_tells_how_far_it_is_and_stops_when_asked),
        cmocka_unit_test(it_ends_cleanly_without_memory),
        cmocka_unit_test(a_bad_number_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
