// SPDX-License-Identifier: MIT
// Rivers, settling and levels: what a slow solver says, nothing lost, all ways fall after settling.
#include "op/beds.h"
#include "op/land_made.h"
#include "op/rivers.h"
#include "op/settle.h"

static const kst_team alone = {.stage = "test"};

// A level of rough ground, maybe masked and hard, open for work.
static kst_level any_level(prop *p, bool masked) {
    kst_level l;
    assert_int_equal(kst_level_create(prop_int(p, 2, 60), prop_int(p, 2, 60), 10, &l), KARST_OK);
    uint64_t seed = prop_u64(p);
    for (int y = 0; y < l.inner_height; ++y)
        for (int x = 0; x < l.inner_width; ++x) {
            size_t i = kst_level_inner(&l) + (size_t)y * (size_t)l.width + (size_t)x;
            l.start_m[i] = 2 * scene_height(x, y, seed);
            l.take[i] = masked && prop_chance(p, 0.3) ? 0 : masked ? (float)prop_real(p, 0, 1) : 1;
            l.yield[i] = l.take[i] * (masked && prop_chance(p, 0.3) ? 0 : 1);
        }
    kst_level_frame(&l, -1000, 1000);
    assert_int_equal(kst_level_open(&l, &alone), KARST_OK);
    kst_level_fix_ring(&l);
    return l;
}

static kst_route route_of(const kst_level *l, kst_route_way way) {
    kst_route r;
    assert_int_equal(kst_route_create(l->width, l->height, &r), KARST_OK);
    assert_int_equal(kst_route_find(&r, l->height_m, way, &alone), KARST_OK);
    return r;
}

static double volume(const kst_level *l, const float *h) {
    double sum;
    assert_int_equal(kst_level_volume(l, h, &alone, &sum), KARST_OK);
    return sum;
}

static void rivers_lose_nothing_and_keep_masked_and_hard_ground(void **state) {
    (void)state;
    for (prop p = prop_begin("rivers_mass", 40); prop_next(&p);) {
        kst_level l = any_level(&p, prop_chance(&p, 0.5));
        kst_route r = route_of(&l, (kst_route_way){.seed = p.draw});
        kst_rivers_step step = {.cut = (float)prop_real(&p, 0, 2),
                                .creep = (float)prop_real(&p, 0, 0.2),
                                .talus = (float)prop_real(&p, 0.2, 2),
                                .fan = (float)prop_real(&p, 0, 1),
                                .half_cells = prop_chance(&p, 0.5) ? 1e30f : 10,
                                .min_fall_m = 0.01f};
        double carried = 0, moved = 0;
        prop_check(&p, kst_rivers_cut(&l, &r, &step, &alone, &carried) == KARST_OK);
        double change = volume(&l, l.height_m) - volume(&l, l.start_m);
        for (size_t i = 0; i < kst_level_cells(&l); ++i) {
            double d = (double)l.height_m[i] - l.start_m[i];
            moved += fabs(d);
            prop_check(&p, isfinite(l.height_m[i]) && l.rock_m[i] <= l.height_m[i] && l.rock_m[i] <= l.start_m[i]);
            if (l.take[i] == 0) prop_check(&p, !memcmp(&l.height_m[i], &l.start_m[i], sizeof(float)));
            if (l.yield[i] == 0) prop_check(&p, d >= 0);
        }
        prop_near(&p, change, -carried, 1e-6 * moved);
        kst_route_free(&r);
        kst_level_free(&l);
    }
}

// One river: an inclined plane, where each cell must end where the implicit step puts it.
static void a_river_cuts_what_a_slow_solver_says(void **state) {
    (void)state;
    for (prop p = prop_begin("rivers_oracle", 20); prop_next(&p);) {
        kst_level l = any_level(&p, false);
        kst_route r = route_of(&l, (kst_route_way){.steepest = true});
        kst_rivers_step step = {.cut = (float)prop_real(&p, 0.01, 2), .talus = 100, .half_cells = 1};
        size_t cells = kst_level_cells(&l);
        double *want = malloc(cells * sizeof *want);
        for (size_t i = 0; i < cells; ++i) want[i] = NAN;
        for (size_t i = 0; i < cells; ++i) {  // each cell follows its way down to what is known, and comes back
            static int32_t way[1 << 16];
            int count = 0;
            int32_t at = (int32_t)i;
            for (; isnan(want[at]) && !kst_route_is_outlet(&r, at); at = kst_route_receiver(&r, at)) way[count++] = at;
            if (isnan(want[at])) want[at] = l.height_m[at];
            while (count--) {
                int32_t cell = way[count], below = kst_route_receiver(&r, cell);
                bool corner = abs(below - cell) != 1 && abs(below - cell) != l.width;
                double f = step.cut * sqrt((double)r.area[cell]) / (corner ? sqrt(2) : 1) * l.yield[cell];
                double h = l.height_m[cell];
                want[cell] = h > want[below] ? (h + f * want[below]) / (1 + f) : h;
            }
        }
        double carried = 0;
        prop_check(&p, kst_rivers_cut(&l, &r, &step, &alone, &carried) == KARST_OK);
        double worst = 0, other = 0;
        for (size_t i = 0; i < cells; ++i) {
            if (l.height_m[i] > want[i]) continue;  // filled a lake
            worst = fmax(worst, want[i] - l.height_m[i]);
            other = fmax(other, fabs(l.start_m[i] - want[i]));
        }
        prop_check(&p, worst < 2e-3);
        prop_check(&p, other > 1);  // control: the ground before is far from that
        free(want);
        kst_route_free(&r);
        kst_level_free(&l);
    }
}

// How many cells do not fall to where their steepest route leads.
static int stuck(const kst_level *l) {
    kst_route r = route_of(l, (kst_route_way){.steepest = true});
    int count = 0;
    for (size_t i = 0; i < kst_level_cells(l); ++i)
        count +=
            !kst_route_is_outlet(&r, (int32_t)i) && l->height_m[i] <= l->height_m[kst_route_receiver(&r, (int32_t)i)];
    kst_route_free(&r);
    return count;
}

static void all_ways_fall_after_settling_whatever_the_share_of_cutting(void **state) {
    (void)state;
    int before = 0;
    for (prop p = prop_begin("settle_falls", 40); prop_next(&p);) {
        kst_level l = any_level(&p, false);
        before += stuck(&l);
        kst_route r;
        assert_int_equal(kst_route_create(l.width, l.height, &r), KARST_OK);
        kst_settling how = {(float)prop_real(&p, 0, 1), 0.001f, INFINITY, 1e9};
        if (prop_chance(&p, 0.3)) how.budget_m = 0;
        double change, at_first = volume(&l, l.height_m);
        float deepest;
        prop_check(&p, kst_settle(&l, &r, &how, &alone, &change, &deepest) == KARST_OK);
        if (how.budget_m > 0) prop_check(&p, stuck(&l) == 0);
        prop_near(&p, volume(&l, l.height_m) - at_first, change, 1e-6 * (1 + fabs(at_first)));
        if (how.budget_m == 0) prop_check(&p, change <= 1e-3);  // no sediment from nowhere
        kst_route_free(&r);
        kst_level_free(&l);
    }
    assert_true(before > 100);  // control
}

static void deep_lakes_stay_where_they_are_allowed(void **state) {
    (void)state;
    for (prop p = prop_begin("settle_lakes", 10); prop_next(&p);) {
        kst_level l = any_level(&p, false);
        size_t middle = kst_level_inner(&l);
        for (int y = 4; y < l.height - 4; ++y)  // a bowl 40 m deep
            for (int x = 4; x < l.width - 4; ++x)
                l.height_m[(size_t)y * (size_t)l.width + (size_t)x] =
                    200 - 40 * fmaxf(0, 1 - (float)hypot(x - 0.5 * l.width, y - 0.5 * l.height) / 20);
        kst_route r;
        assert_int_equal(kst_route_create(l.width, l.height, &r), KARST_OK);
        kst_settling how = {0, 0.001f, 10, 1e9};
        double change;
        float deepest;
        middle = (size_t)(l.height / 2) * (size_t)l.width + (size_t)(l.width / 2);
        float was = l.height_m[middle];
        assert_int_equal(kst_settle(&l, &r, &how, &alone, &change, &deepest), KARST_OK);
        prop_check(&p, l.height_m[middle] == was);
        how.max_lake_m = 100;  // control
        assert_int_equal(kst_settle(&l, &r, &how, &alone, &change, &deepest), KARST_OK);
        prop_check(&p, l.height_m[middle] > was + 5);
        kst_route_free(&r);
        kst_level_free(&l);
    }
}

static void beds_only_lower_and_keep_masked_ground(void **state) {
    (void)state;
    int changed = 0;
    for (prop p = prop_begin("beds", 20); prop_next(&p);) {
        kst_level l = any_level(&p, true);
        kst_route r = route_of(&l, (kst_route_way){.steepest = true});
        const kst_beds beds = {0.02f, 0.5f};
        double carried = 0, before = volume(&l, l.height_m);
        prop_check(&p, kst_beds_carve(&l, &r, &beds, &alone, &carried) == KARST_OK);
        prop_near(&p, before - volume(&l, l.height_m), carried, 1e-3);
        for (size_t i = 0; i < kst_level_cells(&l); ++i) {
            prop_check(&p, l.height_m[i] <= l.start_m[i]);
            if (l.yield[i] == 0) prop_check(&p, !memcmp(&l.height_m[i], &l.start_m[i], sizeof(float)));
            changed += l.height_m[i] < l.start_m[i];
        }
        kst_route_free(&r);
        kst_level_free(&l);
    }
    assert_true(changed > 100);
}

// A change that is smooth arrives whole; the detail of the finer ground stays; masked cells keep their bits.
static void a_finer_level_takes_the_change_and_keeps_its_detail(void **state) {
    (void)state;
    for (prop p = prop_begin("level_up", 20); prop_next(&p);) {
        kst_level fine = any_level(&p, prop_chance(&p, 0.5)), coarse;
        int w = (fine.inner_width + 1) / 2, h = (fine.inner_height + 1) / 2;
        assert_int_equal(kst_level_create(w, h, 20, &coarse), KARST_OK);
        assert_int_equal(kst_level_down(&fine, &coarse, &alone), KARST_OK);
        kst_level_frame(&coarse, -1000, 1000);
        assert_int_equal(kst_level_open(&coarse, &alone), KARST_OK);
        float lower = (float)prop_real(&p, 1, 50);
        for (size_t i = 0; i < kst_level_cells(&coarse); ++i) {
            coarse.height_m[i] = coarse.start_m[i] - lower;
            coarse.rock_m[i] = coarse.height_m[i];
        }
        prop_check(&p, kst_level_up(&coarse, &fine, &alone) == KARST_OK);
        for (size_t i = 0; i < kst_level_cells(&fine); ++i) {
            double d = (double)fine.height_m[i] - fine.start_m[i];
            prop_check(&p, d <= 0 && d >= -1.0001 * lower);
            if (fine.yield[i] == 0) prop_check(&p, !memcmp(&fine.height_m[i], &fine.start_m[i], sizeof(float)));
            if (fine.yield[i] == 1) prop_near(&p, d, -lower, 1e-3);
        }
        kst_level_free(&fine);
        kst_level_free(&coarse);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rivers_lose_nothing_and_keep_masked_and_hard_ground),
        cmocka_unit_test(a_river_cuts_what_a_slow_solver_says),
        cmocka_unit_test(all_ways_fall_after_settling_whatever_the_share_of_cutting),
        cmocka_unit_test(deep_lakes_stay_where_they_are_allowed),
        cmocka_unit_test(beds_only_lower_and_keep_masked_ground),
        cmocka_unit_test(a_finer_level_takes_the_change_and_keeps_its_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
