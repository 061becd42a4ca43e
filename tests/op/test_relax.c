// SPDX-License-Identifier: MIT
// Relaxation: stretch falls, the surface stays, by a check that knows nothing of how it was done; same bytes
// everywhere.
#include "op/relax.h"

#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/surfaces.h"

typedef struct land {
    int side, count;
    float *at[3], *old[3];  // y, x, z
    kst_relax_ground ground;
} land;

static void take(karst_field *field, land *l) {
    karst_field_shape shape = karst_field_shape_of(field);
    *l = (land){.side = shape.columns, .count = shape.columns * shape.columns};
    for (int k = 0; k < 3; ++k) {
        l->at[k] = malloc(sizeof(float) * (size_t)l->count);
        l->old[k] = malloc(sizeof(float) * (size_t)l->count);
    }
    const karst_rect all = {0, 0, l->side, l->side};
    assert_int_equal(karst_field_read(field, all, l->at[0], l->at[1], l->at[2], l->side), KARST_OK);
    for (int k = 0; k < 3; ++k) memcpy(l->old[k], l->at[k], sizeof(float) * (size_t)l->count);
    l->ground = (kst_relax_ground){.columns = l->side,
                                   .rows = l->side,
                                   .cell_m = shape.spacing_m,
                                   .y = l->at[0],
                                   .x = l->at[1],
                                   .z = l->at[2],
                                   .border_left = true,
                                   .border_right = true,
                                   .border_top = true,
                                   .border_bottom = true};
    karst_field_destroy(field);
}

static void make_overhang(int side, uint64_t seed, land *l) {
    karst_field *field;
    assert_int_equal(scene_overhang_field(side, side, 2, seed, &field), KARST_OK);
    take(field, l);
}

static void let_go(land *l) {
    for (int k = 0; k < 3; ++k) free(l->at[k]), free(l->old[k]);
}

static uint64_t hash_of(const land *l) {
    uint64_t hash = 0;
    for (int k = 0; k < 3; ++k) hash = kst_hash(l->at[k], sizeof(float) * (size_t)l->count, hash);
    return hash;
}

static bool is_as_before(const land *l, int k) {
    return !memcmp(&l->at[0][k], &l->old[0][k], 4) && !memcmp(&l->at[1][k], &l->old[1][k], 4) &&
           !memcmp(&l->at[2][k], &l->old[2][k], 4);
}

static void stretch_of(const land *l, double *worst, double *mean) {
    double sum = 0, most = 0;
    int count = 0;
    for (int k = 0; k < l->count; ++k) {
        double edge[2];
        kst_relax_edges(&l->ground, k % l->side, k / l->side, &edge[0], &edge[1]);
        for (int e = 0; e < 2; ++e)
            if (edge[e] >= 0) sum += sqrt(edge[e]), most = fmax(most, edge[e]), ++count;
    }
    *worst = sqrt(most);
    *mean = sum / count;
}

static double apart(const land *l, bool from_new, double reach_m) {
    const surface_grid now = {l->side, l->side, l->ground.cell_m, l->at[0], l->at[1], l->at[2]};
    const surface_grid before = {l->side, l->side, l->ground.cell_m, l->old[0], l->old[1], l->old[2]};
    return from_new ? surface_apart(&now, &before, reach_m) : surface_apart(&before, &now, reach_m);
}

// Relaxed as a user would; the distance is half a spacing.
static void check_bars(land *l, double above) {
    double worst[2], mean[2], distance_m = 0.5 * l->ground.cell_m;
    stretch_of(l, &worst[0], &mean[0]);
    kst_relax_result r;
    assert_int_equal(kst_relax(&l->ground, distance_m, above, 16, NULL, NULL, NULL, &r), KARST_OK);
    stretch_of(l, &worst[1], &mean[1]);
    print_message("worst %.3f -> %.3f, mean %.4f -> %.4f, %.4f m, %d moved\n", worst[0], worst[1], mean[0], mean[1],
                  r.largest_m, (int)r.moved);
    assert_true(worst[1] <= 0.5 * worst[0]);
    assert_true(mean[1] <= mean[0]);
    assert_true(r.moved > 100 && r.largest_m > 0.1 * distance_m && r.largest_m <= distance_m);
    double ways[2] = {apart(l, false, 3 * distance_m), apart(l, true, 3 * distance_m)};
    print_message("samples: old to new %.4f m, new to old %.4f m\n", ways[0], ways[1]);
    for (int k = 0; k < 2; ++k) assert_true(ways[k] <= r.largest_m && ways[k] > 0.1 * distance_m);
}

static void the_worst_edge_of_an_overhang_is_halved_and_its_surface_stays(void **state) {
    (void)state;
    land l;
    make_overhang(65, 4, &l);
    check_bars(&l, 1.5);
    // The check sees a vertex that leaves the surface, from either side.
    int k = 32 * l.side + 32;
    l.at[0][k] += 2;
    assert_true(apart(&l, true, 3) > 1);
    let_go(&l);
}

static void the_worst_edge_of_a_mushroom_is_halved_and_its_surface_stays(void **state) {
    (void)state;
    if (test_count(8) < 8) skip();  // half a minute under a sanitizer
    karst_field *field;
    land l;
    assert_int_equal(scene_mushroom_field(97, 1, &field), KARST_OK);
    take(field, &l);
    check_bars(&l, 2);
    let_go(&l);
}

// A steep step in a heightfield: what a vertex at its foot finds there is a rim too sharp to slide over.
static void make_wall(int side, double height_m, land *l) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, 1, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    take(field, l);
    for (int k = 0; k < l->count; ++k) l->at[0][k] = l->old[0][k] = k % side >= side / 2 ? (float)height_m : 0;
}

static void vertices_climb_over_the_rim_of_a_wall(void **state) {
    (void)state;
    land l;
    make_wall(33, 6, &l);
    kst_relax_result r;
    double worst, mean;
    assert_int_equal(kst_relax(&l.ground, 0.25, 1.5, 24, NULL, NULL, NULL, &r), KARST_OK);
    stretch_of(&l, &worst, &mean);
    assert_true(worst < 2.2 && r.largest_m <= 0.25);
    assert_true(apart(&l, true, 1) <= r.largest_m && apart(&l, false, 1) <= r.largest_m);
    let_go(&l);
}

static void ground_that_is_not_stretched_keeps_every_bit(void **state) {
    (void)state;
    land l;
    make_wall(65, 1, &l);  // edges of sqrt(2)
    for (int k = 0; k < l.count; ++k) l.at[2][k] = l.old[2][k] = -0.0f;
    kst_relax_result r;
    assert_int_equal(kst_relax(&l.ground, 0.5, 1.5, 24, NULL, NULL, NULL, &r), KARST_OK);
    assert_true(r.moved == 0 && r.changed.x1 == 0);
    for (int k = 0; k < l.count; ++k) assert_true(is_as_before(&l, k));
    // The same ground moves when less is allowed.
    assert_int_equal(kst_relax(&l.ground, 0.5, 1.2, 24, NULL, NULL, NULL, &r), KARST_OK);
    assert_true(r.moved > 0);
    let_go(&l);
}

// Which vertices must stay.
typedef struct pins {
    int side;
    const uint8_t *pinned;
} pins;

static karst_status pin(void *context, karst_rect rect, float *mask) {
    const pins *p = context;
    for (int j = rect.z0; j < rect.z1; ++j)
        for (int i = rect.x0; i < rect.x1; ++i) *mask++ = p->pinned[j * p->side + i] ? 0 : 1;
    return KARST_OK;
}

static void pinned_vertices_and_sides_keep_every_bit(void **state) {
    (void)state;
    enum { SIDE = 49 };
    for (prop p = prop_begin("relax_pins", 3); prop_next(&p);) {
        land l;
        uint8_t pinned[SIDE * SIDE];
        make_overhang(SIDE, prop_u64(&p) % 1000, &l);
        uint64_t seed = prop_u64(&p);
        for (int k = 0; k < l.count; ++k) pinned[k] = kst_random(seed, (uint64_t)k) % 9 == 0;
        pins held = {SIDE, pinned};
        l.ground.mask = pin;
        l.ground.context = &held;
        bool slides = prop_chance(&p, 0.5);
        l.ground.border_left = l.ground.border_top = slides;
        l.ground.column = prop_int(&p, 0, 1) * 2, l.ground.row = 2;
        kst_relax_result r;
        assert_int_equal(kst_relax(&l.ground, 1, 1.5, 8, NULL, NULL, NULL, &r), KARST_OK);
        int moved = 0;
        for (int k = 0; k < l.count; ++k) {
            int i = k % SIDE, j = k / SIDE;
            bool corner = (i == 0 || i == SIDE - 1) && (j == 0 || j == SIDE - 1);
            if (pinned[k] || corner || (!slides && (i == 0 || j == 0))) prop_check(&p, is_as_before(&l, k));
            moved += !is_as_before(&l, k);
        }
        prop_check(&p, moved <= r.moved && (r.moved == 0 || moved > 0));
        prop_check(&p, r.largest_m <= 1 && apart(&l, true, 3) <= r.largest_m + 1e-5);
        let_go(&l);
    }
}

static void the_bytes_do_not_depend_on_the_workers(void **state) {
    (void)state;
    const int workers[3] = {1, 2, 8};
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        karst_jobs_def def = karst_jobs_def_default();
        karst_jobs *jobs;
        def.worker_count = workers[k];
        assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
        land l;
        karst_field *field;
        assert_int_equal(scene_mushroom_field(65, 1, &field), KARST_OK);  // made without the C library's functions
        take(field, &l);
        kst_relax_result r;
        assert_int_equal(kst_relax(&l.ground, 0.5, 1.8, 3, NULL, jobs, NULL, &r), KARST_OK);
        hash[k] = hash_of(&l);
        let_go(&l);
        karst_jobs_destroy(jobs);
    }
    print_message("hash %016llx\n", (unsigned long long)hash[0]);
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    assert_true(hash[0] == 0xf09474ec790bce58u);  // gcc and clang, -O1 to -O3
}

typedef struct stopper {
    int calls, at;
} stopper;

static bool stop_later(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    stopper *s = context;
    return ++s->calls < s->at;
}

static void a_cancelled_relaxation_changes_nothing(void **state) {
    (void)state;
    const int at[3] = {1, 5, 60};
    for (int k = 0; k < 3; ++k) {
        land l;
        make_overhang(49, 4, &l);
        stopper s = {0, at[k]};
        karst_progress progress = {stop_later, &s};
        kst_relax_result r;
        assert_int_equal(kst_relax(&l.ground, 1, 1.5, 8, NULL, NULL, &progress, &r), KARST_ERROR_CANCELLED);
        for (int n = 0; n < l.count; ++n) assert_true(is_as_before(&l, n));
        let_go(&l);
    }
}

static void relaxed_ground_has_little_left_to_relax(void **state) {
    (void)state;
    land l;
    make_overhang(49, 8, &l);
    kst_relax_result first, second;
    double worst[2], mean;
    assert_int_equal(kst_relax(&l.ground, 1, 2, 24, NULL, NULL, NULL, &first), KARST_OK);
    stretch_of(&l, &worst[0], &mean);
    assert_int_equal(kst_relax(&l.ground, 1, 2, 24, NULL, NULL, NULL, &second), KARST_OK);
    stretch_of(&l, &worst[1], &mean);
    assert_true(first.moved > 0 && second.moved < first.moved / 2 && worst[1] <= 1.05 * worst[0]);
    let_go(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worst_edge_of_an_overhang_is_halved_and_its_surface_stays),
        cmocka_unit_test(the_worst_edge_of_a_mushroom_is_halved_and_its_surface_stays),
        cmocka_unit_test(vertices_climb_over_the_rim_of_a_wall),
        cmocka_unit_test(ground_that_is_not_stretched_keeps_every_bit),
        cmocka_unit_test(pinned_vertices_and_sides_keep_every_bit),
        cmocka_unit_test(the_bytes_do_not_depend_on_the_workers),
        cmocka_unit_test(a_cancelled_relaxation_changes_nothing),
        cmocka_unit_test(relaxed_ground_has_little_left_to_relax),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
