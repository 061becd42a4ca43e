// SPDX-License-Identifier: MIT
// The whole erosion: land that drains, the same bytes, nothing lost, masks and hardness obeyed, any size and unit.
#include "karst/erode.h"
#include "op/land_made.h"

typedef struct terrain {
    karst_erosion_ground g;
    float *before, *mask, *hardness;
    size_t count;
    karst_erosion_result result;
} terrain;

// Noise without drainage, 500 m high: about a third of it lies in hollows.
static terrain make_wide(int width, int height, float cell_m, double wide, uint64_t seed) {
    size_t count = (size_t)width * (size_t)height;
    terrain t = {.before = made_floats(count), .count = count};
    t.g = (karst_erosion_ground){.width = width,
                                 .height = height,
                                 .cell_m = cell_m,
                                 .height_m = made_floats(count),
                                 .wear_m = made_floats(count),
                                 .deposit_m = made_floats(count)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            t.before[(size_t)y * (size_t)width + (size_t)x] =
                (float)(3 * scene_height(0.1 * cell_m * x / wide, 0.1 * cell_m * y / wide, seed));
    memcpy(t.g.height_m, t.before, count * sizeof(float));
    return t;
}

static terrain make(int width, int height, float cell_m, uint64_t seed) {
    return make_wide(width, height, cell_m, 1, seed);
}

static void unmake_terrain(terrain *t) {
    free(t->before);
    free(t->mask);
    free(t->hardness);
    free(t->g.height_m);
    free(t->g.wear_m);
    free(t->g.deposit_m);
}

static void run(terrain *t, const karst_erosion_def *def, karst_jobs *jobs) {
    memcpy(t->g.height_m, t->before, t->count * sizeof(float));
    assert_int_equal(karst_erode(&t->g, def, jobs, NULL, &t->result), KARST_OK);
}

static uint64_t hash_of(const terrain *t) {
    uint64_t hash = kst_hash(t->g.height_m, t->count * sizeof(float), 0);
    hash = kst_hash(t->g.wear_m, t->count * sizeof(float), hash);
    return kst_hash(t->g.deposit_m, t->count * sizeof(float), hash);
}

static void disc_mask(terrain *t) {
    t->g.mask = t->mask = made_floats(t->count);
    for (size_t i = 0; i < t->count; ++i) {
        double x = (double)(i % (size_t)t->g.width) / t->g.width - 0.5, y = (double)i / (double)t->count - 0.5;
        double in = (0.35 - hypot(x, y)) / 0.08;
        t->mask[i] = (float)fmin(fmax(in, 0), 1);
    }
}

static void hard_bands(terrain *t) {
    t->g.hardness = t->hardness = made_floats(t->count);
    for (size_t i = 0; i < t->count; ++i) t->hardness[i] = (float)(i / (size_t)t->g.width / 12 % 4) / 3;
}

static karst_pits pits_of(const terrain *t) {
    karst_pits pits;
    assert_int_equal(karst_pits_find(t->g.width, t->g.height, t->g.height_m, NULL, NULL, &pits), KARST_OK);
    return pits;
}

static void eroded_land_drains(void **state) {
    (void)state;
    const karst_erosion_def def = karst_erosion_def_default();
    for (prop p = prop_begin("erode_drains", 3); prop_next(&p);) {
        terrain t = make(130, 120, 20, prop_u64(&p));
        karst_pits before = pits_of(&t);
        prop_check(&p, before.share > 0.1 && before.fill_share > 1e-3);  // control
        run(&t, &def, NULL);
        karst_pits after = pits_of(&t);
        prop_check(&p, after.share <= 0.02 && after.fill_share <= 1e-4);
        unmake_terrain(&t);
    }
}

static void check_threads(terrain *t, const karst_erosion_def *def) {
    run(t, def, NULL);
    uint64_t one = hash_of(t);
    for (int workers = 2; workers <= 5; workers += workers) {
        karst_jobs *jobs = made_jobs(workers == 4 ? 5 : workers);
        run(t, def, jobs);
        assert_true(hash_of(t) == one);
        karst_jobs_destroy(jobs);
    }
}

// A ridge too steep for the grid, drawn out to twice its width: what slides lies between the samples as they stand.
static void slopes_are_those_between_the_samples_as_they_stand(void **state) {
    (void)state;
    enum { SIDE = 70 };
    karst_erosion_def def = karst_erosion_def_default();
    def.rivers.years = 0;
    def.droplets.drops = 0;
    def.thermal.passes = 5;
    def.thermal.talus = 0.8f;
    def.thermal.creep = 0;
    terrain t = make(SIDE, SIDE, 10, 1);
    float *aside_x = made_floats(SIDE * SIDE), *aside_z = made_floats(SIDE * SIDE);
    for (int k = 0; k < SIDE * SIDE; ++k) {
        t.before[k] = -10 * 1.2f * (float)abs(k % SIDE - SIDE / 2);
        aside_x[k] = aside_z[k] = 0;
    }
    run(&t, &def, NULL);
    assert_true(t.result.worn_m3 > 0);  // control: as a grid it is too steep
    uint64_t grid = hash_of(&t);
    t.g.aside_x_m = aside_x;
    t.g.aside_z_m = aside_z;
    run(&t, &def, NULL);
    assert_true(hash_of(&t) == grid && t.result.folded == 0);  // on their places after all
    for (int k = 0; k < SIDE * SIDE; ++k) aside_x[k] = 10 * (float)(k % SIDE);
    run(&t, &def, NULL);
    for (int j = 0; j < SIDE; ++j)  // the rim feels the frame, which is a grid
        for (int i = 8; i < SIDE - 8; ++i) {
            size_t k = (size_t)(j * SIDE + i);
            assert_memory_equal(&t.g.height_m[k], &t.before[k], sizeof(float));
        }
    free(aside_x);
    free(aside_z);
    unmake_terrain(&t);
}

// Rivers alone have their bytes written down; rain and slides have theirs in their own tests.
static void the_same_bytes_come_on_any_number_of_threads(void **state) {
    (void)state;
    const uint64_t golden[2] = {0x5baa47db9d6382c7, 0x4fd4e26dfe12991d};
    for (int k = 0; k < 2; ++k) {
        terrain t = make(130, 128, 20, 5);
        if (k) disc_mask(&t);
        if (k) hard_bands(&t);
        karst_erosion_def def = karst_erosion_def_default();
        check_threads(&t, &def);
        def.droplets.drops = 0;
        def.thermal.passes = 0;
        run(&t, &def, NULL);
        uint64_t rivers = hash_of(&t);
        if (rivers != golden[k]) print_message("case %d: 0x%016llx\n", k, (unsigned long long)rivers);
        assert_true(rivers == golden[k]);
        def.seed = 2;  // control
        run(&t, &def, NULL);
        assert_true(hash_of(&t) != rivers);
        unmake_terrain(&t);
    }
}

static void the_account_is_whole_and_masks_and_hardness_are_obeyed(void **state) {
    (void)state;
    int worn_soft = 0;
    for (prop p = prop_begin("erode_obeys", 4); prop_next(&p);) {
        terrain t = make(prop_int(&p, 60, 100), prop_int(&p, 60, 100), 20, prop_u64(&p));
        if (prop_chance(&p, 0.7)) disc_mask(&t);
        if (prop_chance(&p, 0.7)) hard_bands(&t);
        karst_erosion_def def = karst_erosion_def_preset((karst_erosion_preset)prop_int(&p, 0, 2));
        run(&t, &def, NULL);
        prop_check(&p, t.result.account_error <= 1e-6);
        double net = 0, moved = 0;
        for (size_t i = 0; i < t.count; ++i) {
            double d = (double)t.g.height_m[i] - t.before[i];
            net += d;
            moved += fabs(d);
            prop_check(&p, isfinite(t.g.height_m[i]));
            prop_check(&p, t.g.wear_m[i] >= 0 && t.g.deposit_m[i] >= 0);
            prop_near(&p, d, (double)t.g.deposit_m[i] - t.g.wear_m[i], 1e-3);
            if (t.mask && t.mask[i] == 0)
                prop_check(&p,
                           !memcmp(&t.g.height_m[i], &t.before[i], 4) && t.g.wear_m[i] == 0 && t.g.deposit_m[i] == 0);
            if (t.hardness && t.hardness[i] == 1) prop_check(&p, d >= 0 && t.g.wear_m[i] == 0);
            worn_soft += t.g.wear_m[i] > 1;
        }
        prop_near(&p, -net * 400, t.result.carried_m3, 1e-6 * moved * 400);
        unmake_terrain(&t);
    }
    assert_true(worn_soft > 1000);  // control
}

static double mean_wear(terrain *t, const karst_erosion_def *def, float hardness) {
    for (size_t i = 0; i < t->count; ++i) t->hardness[i] = i / (size_t)t->g.width / 30 % 2 ? hardness : 0;
    run(t, def, NULL);
    double sum = 0, count = 0;
    for (size_t i = 0; i < t->count; ++i)
        if (i / (size_t)t->g.width / 30 % 2) sum += t->g.wear_m[i], ++count;
    return sum / count;
}

// Bands of one hardness between soft ones: the harder they are the less they lose, and hard ones stand out.
static void harder_bands_lose_less(void **state) {
    (void)state;
    const karst_erosion_def def = karst_erosion_def_default();
    terrain t = make(90, 90, 30, 11);
    t.g.hardness = t.hardness = made_floats(t.count);
    double last = INFINITY, soft = 0;
    for (int k = 0; k <= 4; ++k) {
        double wear = mean_wear(&t, &def, (float)k / 4);
        if (!k) soft = wear;
        assert_true(wear < last);
        last = wear;
    }
    assert_true(last == 0 && soft > 5);
    unmake_terrain(&t);
}

// The same land in other units is the same land: exactly when the unit is a power of two, since floats scale so.
static void units_do_not_matter(void **state) {
    (void)state;
    karst_erosion_def def = karst_erosion_def_default(), scaled = def;
    const float unit = 0x1p-11f;  // 0..2,048 m become 0..1
    scaled.rivers.coarse_m *= unit;
    scaled.rivers.lake_m *= unit;
    scaled.rivers.river_m2 *= unit * unit;
    scaled.rivers.creep_m2_per_yr *= unit * unit;
    scaled.droplets.reach_m *= unit;
    scaled.droplets.step_m *= unit;
    terrain a = make(100, 100, 30, 3), b = make(100, 100, 30, 3);
    for (size_t i = 0; i < b.count; ++i) b.before[i] *= unit;
    b.g.cell_m *= unit;
    run(&a, &def, NULL);
    run(&b, &scaled, NULL);
    for (size_t i = 0; i < a.count; ++i) assert_true(a.g.height_m[i] * unit == b.g.height_m[i]);
    run(&b, &def, NULL);  // control: lengths left in the old unit
    int other = 0;
    for (size_t i = 0; i < a.count; ++i) other += a.g.height_m[i] * unit != b.g.height_m[i];
    assert_true(other > 1000);
    unmake_terrain(&a);
    unmake_terrain(&b);
}

// The change on coarse samples against that on samples half as far apart.
static void finer_samples_make_the_same_land(void **state) {
    (void)state;
    if (getenv("KARST_TEST_QUICK")) skip();
    const karst_erosion_def def = karst_erosion_def_default();
    enum { SIDE = 144 };
    terrain fine = make_wide(2 * SIDE, 2 * SIDE, 10, 4, 8), coarse = make_wide(SIDE, SIDE, 20, 4, 8);
    terrain other = make_wide(SIDE, SIDE, 20, 4, 9);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const float *f = fine.before + (size_t)(i / SIDE) * 4 * SIDE + (size_t)(i % SIDE) * 2;
        coarse.before[i] = 0.25f * (f[0] + f[1] + f[2 * SIDE] + f[2 * SIDE + 1]);
    }
    run(&fine, &def, NULL);
    run(&coarse, &def, NULL);
    run(&other, &def, NULL);
    for (int control = 0; control < 2; ++control) {
        const terrain *c = control ? &other : &coarse;
        double x = 0, y = 0, xx = 0, yy = 0, xy = 0, n = SIDE * SIDE;
        for (int i = 0; i < SIDE * SIDE; ++i) {
            size_t k = (size_t)(i / SIDE) * 4 * SIDE + (size_t)(i % SIDE) * 2;
            double p = (double)c->g.height_m[i] - c->before[i], q = 0;
            for (int j = 0; j < 4; ++j) {
                size_t m = k + (size_t)(j / 2) * 2 * SIDE + (size_t)(j % 2);
                q += 0.25 * ((double)fine.g.height_m[m] - fine.before[m]);
            }
            x += p, y += q, xx += p * p, yy += q * q, xy += p * q;
        }
        double correlation = (xy - x * y / n) / sqrt((xx - x * x / n) * (yy - y * y / n));
        assert_true(control ? correlation < 0.5 : correlation >= 0.95);
    }
    unmake_terrain(&fine);
    unmake_terrain(&coarse);
    unmake_terrain(&other);
}

static void any_size_and_any_flat_ground_comes_through(void **state) {
    (void)state;
    const karst_erosion_def def = karst_erosion_def_default();
    for (prop p = prop_begin("erode_sizes", 8); prop_next(&p);) {
        bool long_one = prop_chance(&p, 0.3);
        terrain t = make(prop_int(&p, 2, long_one ? 200 : 40), prop_int(&p, 2, long_one ? 6 : 40),
                         (float)prop_real(&p, 0.5, 200), prop_u64(&p));
        int kind = prop_int(&p, 0, 2);
        for (size_t i = 0; i < t.count; ++i)
            t.before[i] = kind == 1 ? floorf(t.before[i] / 40) * 40 : kind == 2 ? -3000 : t.before[i];
        run(&t, &def, NULL);
        for (size_t i = 0; i < t.count; ++i) prop_check(&p, isfinite(t.g.height_m[i]));
        if (kind == 2)  // level ground: nothing to erode, and no sediment from nowhere
            for (size_t i = 0; i < t.count; ++i) prop_check(&p, fabs(t.g.height_m[i] + 3000) < 0.1);
        unmake_terrain(&t);
    }
}

static void what_is_not_finite_is_refused(void **state) {
    (void)state;
    const karst_erosion_def def = karst_erosion_def_default();
    terrain t = make(20, 20, 10, 1);
    t.g.height_m[77] = NAN;
    assert_int_equal(karst_erode(&t.g, &def, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    t.g.height_m[77] = 1;
    t.g.mask = t.mask = made_floats(t.count);
    t.mask[3] = INFINITY;
    assert_int_equal(karst_erode(&t.g, &def, NULL, NULL, NULL), KARST_ERROR_ARGUMENT);
    t.mask[3] = 1;
    assert_int_equal(karst_erode(&t.g, &def, NULL, NULL, NULL), KARST_OK);
    unmake_terrain(&t);
}

static void it_stops_at_once_and_changes_nothing(void **state) {
    (void)state;
    const karst_erosion_def def = karst_erosion_def_default();
    terrain t = make(200, 200, 10, 1);
    karst_jobs *jobs = made_jobs(2);
    for (int k = 0; k < 6; ++k) {
        made_stop stop = {.steps_left = k * 120};
        const karst_progress progress = {made_stops, &stop};
        assert_int_equal(karst_erode(&t.g, &def, jobs, &progress, NULL), KARST_ERROR_CANCELLED);
        assert_true(made_cpu_s() - stop.asked_s < 2 * (getenv("KARST_TEST_QUICK") ? 2 : 0.1));  // two workers
        assert_memory_equal(t.g.height_m, t.before, t.count * sizeof(float));
    }
    karst_jobs_destroy(jobs);
    unmake_terrain(&t);
}

static void no_memory_is_told_and_changes_nothing(void **state) {
    (void)state;
    karst_erosion_def def = karst_erosion_def_default();
    terrain t = make(40, 36, 20, 1);
    int failures = 0;
    for (uint64_t n = 1; n < 4000; n = n < 30 ? n + 1 : n + n / 2) {
        kst_alloc_fail_after(n);
        karst_status status = karst_erode(&t.g, &def, NULL, NULL, NULL);
        kst_alloc_fail_after(0);
        if (!status) break;
        assert_int_equal(status, KARST_ERROR_MEMORY);
        assert_memory_equal(t.g.height_m, t.before, t.count * sizeof(float));
        ++failures;
    }
    assert_true(failures > 20);
    unmake_terrain(&t);
}

static void presets_have_names_and_make_other_land(void **state) {
    (void)state;
    terrain t = make(64, 64, 20, 4);
    uint64_t hash[KARST_EROSION_PRESET_COUNT];
    for (int k = 0; k < KARST_EROSION_PRESET_COUNT; ++k) {
        karst_erosion_def def = karst_erosion_def_preset((karst_erosion_preset)k);
        assert_true(def.rivers.cookie == karst_rivers_def_default().cookie);
        run(&t, &def, NULL);
        hash[k] = hash_of(&t);
        for (int j = 0; j < k; ++j) assert_true(hash[j] != hash[k]);
        assert_string_not_equal(karst_erosion_preset_name((karst_erosion_preset)k), "unknown");
    }
    assert_string_equal(karst_erosion_preset_name(KARST_EROSION_PRESET_COUNT), "unknown");
    unmake_terrain(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eroded_land_drains),
        cmocka_unit_test(slopes_are_those_between_the_samples_as_they_stand),
        cmocka_unit_test(the_same_bytes_come_on_any_number_of_threads),
        cmocka_unit_test(the_account_is_whole_and_masks_and_hardness_are_obeyed),
        cmocka_unit_test(harder_bands_lose_less),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(finer_samples_make_the_same_land),
        cmocka_unit_test(any_size_and_any_flat_ground_comes_through),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(it_stops_at_once_and_changes_nothing),
        cmocka_unit_test(no_memory_is_told_and_changes_nothing),
        cmocka_unit_test(presets_have_names_and_make_other_land),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
