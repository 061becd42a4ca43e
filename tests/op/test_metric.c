// SPDX-License-Identifier: MIT
// Erosion on ground off the grid: a bent sheet erodes like a flat one, overhangs are left out, nothing is lost.
#include "op/droplets.h"
#include "op/land_made.h"
#include "op/metric.h"
#include "op/thermal.h"

// A land, its samples in space, and the metric that is measured of them.
typedef struct warped {
    made m;
    float *x, *y, *z, *run_i, *run_j, *area, *mask;
    karst_vec3 *up;
    kst_metric metric;
} warped;

static warped warp(int width, int height, uint64_t seed) {
    warped w = {.m = make_land(width, height, seed)};
    float **arrays[] = {&w.x, &w.y, &w.z, &w.run_i, &w.run_j, &w.area, &w.mask};
    for (int k = 0; k < 7; ++k) *arrays[k] = made_floats(w.m.count);
    w.up = calloc(w.m.count, sizeof *w.up);
    assert_non_null(w.up);
    w.metric = (kst_metric){w.run_i, w.run_j, w.area};
    return w;
}
static void unwarp(warped *w) {
    unmake(&w->m);
    float *arrays[] = {w->x, w->y, w->z, w->run_i, w->run_j, w->area, w->mask};
    for (int k = 0; k < 7; ++k) free(arrays[k]);
    free(w->up);
}

// Bend the sheet round a cylinder of this radius, gravity toward its axis.
static void bend(warped *w, double radius_m) {
    const kst_land *l = &w->m.land;
    for (int j = 0; j < l->height; ++j)
        for (int i = 0; i < l->width; ++i) {
            int k = j * l->width + i;
            double turn = (i - 0.5 * l->width) * l->cell_m / radius_m, from = radius_m + w->m.before[k];
            w->x[k] = (float)(from * sin(turn));
            w->y[k] = (float)(from * cos(turn) - radius_m);
            w->z[k] = (float)j * l->cell_m;
            w->up[k] = (karst_vec3){(float)sin(turn), (float)cos(turn), 0};
        }
}
static void measure(warped *w, bool own_up) {
    kst_warp p = {w->m.land.width, w->m.land.height, w->m.land.cell_m, w->x, w->y, w->z, own_up ? w->up : NULL};
    kst_metric_measure(&p, w->run_i, w->run_j, w->area, w->mask);
}

// The mean change along up over many rains, and of slides.
static void erode(warped *w, const kst_metric *metric, float *rained, float *slid) {
    karst_droplets_def drops = karst_droplets_def_default();
    drops.drops = 0.1f;
    const int rains = 48;
    w->m.land.metric = metric;
    memset(rained, 0, w->m.count * sizeof(float));
    for (int k = 0; k < rains; ++k) {
        drops.seed = (uint32_t)k;
        make_anew(&w->m);
        assert_int_equal(kst_droplets(&w->m.land, &drops, NULL, NULL, NULL), KARST_OK);
        for (size_t i = 0; i < w->m.count; ++i) rained[i] += (w->m.land.height_m[i] - w->m.before[i]) / (float)rains;
    }
    karst_thermal_def slides = karst_thermal_def_default();
    slides.talus = 0.3f;
    make_anew(&w->m);
    assert_int_equal(kst_thermal(&w->m.land, &slides, NULL, NULL, NULL), KARST_OK);
    for (size_t i = 0; i < w->m.count; ++i) slid[i] = w->m.land.height_m[i] - w->m.before[i];
}

static double off(const float *a, const float *b, size_t count) {
    double difference = 0, all = 0;
    for (size_t i = 0; i < count; ++i) {
        difference += fabs((double)a[i] - b[i]);
        all += fabs(a[i]);
    }
    return difference / all;
}

static void a_bent_sheet_erodes_like_a_flat_one(void **state) {
    (void)state;
    warped w = warp(170, 150, 3);
    double mean = 0;
    for (size_t i = 0; i < w.m.count; ++i) mean += w.m.before[i] / (double)w.m.count;
    for (size_t i = 0; i < w.m.count; ++i) w.m.before[i] -= (float)mean;
    float *flat[2], *bent[2];
    for (int k = 0; k < 2; ++k) {
        flat[k] = made_floats(w.m.count);
        bent[k] = made_floats(w.m.count);
    }
    erode(&w, NULL, flat[0], flat[1]);
    // One drop on its way amplifies the least difference, so single rains differ by a tenth whatever the bend: the mean
    // of many is what the ground is like.
    bend(&w, 10000);
    measure(&w, true);
    erode(&w, &w.metric, bent[0], bent[1]);
    for (size_t i = 0; i < w.m.count; ++i) assert_true(w.mask[i] == 1);
    for (int k = 0; k < 2; ++k)
        print_message("%s: off by %.4f\n", k ? "slides" : "drops", off(flat[k], bent[k], w.m.count));
    assert_true(off(flat[0], bent[0], w.m.count) < 0.05);
    assert_true(off(flat[1], bent[1], w.m.count) < 0.05);
    bend(&w, 1500);  // control: heights are no longer small beside the bend
    measure(&w, true);
    erode(&w, &w.metric, bent[0], bent[1]);
    for (int k = 0; k < 2; ++k)
        print_message("%s: off by %.4f\n", k ? "slides" : "drops", off(flat[k], bent[k], w.m.count));
    assert_true(off(flat[0], bent[0], w.m.count) > 0.05);
    for (int k = 0; k < 2; ++k) {
        free(flat[k]);
        free(bent[k]);
    }
    unwarp(&w);
}

static void ground_that_stays_on_the_grid_erodes_to_the_same_bytes(void **state) {
    (void)state;
    warped w = warp(200, 180, 4);
    made *m = &w.m;
    make_mask(m);
    make_hardness(m);
    for (int k = 0; k < 200 * 180; ++k) {
        w.x[k] = 10 * (float)(k % 200);
        w.y[k] = m->before[k];
        w.z[k] = 10 * (float)(k / 200);
    }
    measure(&w, false);
    karst_droplets_def drops = karst_droplets_def_default();
    karst_thermal_def slides = karst_thermal_def_default();
    slides.talus = 0.3f;
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        m->land.metric = k ? &w.metric : NULL;
        if (k == 2) w.run_i[90 * 200 + 100] = 1.01f;  // control
        make_anew(m);
        assert_int_equal(kst_droplets(&m->land, &drops, NULL, NULL, NULL), KARST_OK);
        hash[k] = made_hash(m);
        make_anew(m);
        assert_int_equal(kst_thermal(&m->land, &slides, NULL, NULL, NULL), KARST_OK);
        hash[k] = kst_hash_u64(hash[k], made_hash(m));
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[0] != hash[2]);
    unwarp(&w);
}

// Ground whose samples are pushed sideways by up to `push` cells, in waves.
static void push(warped *w, double by) {
    const kst_land *l = &w->m.land;
    for (int j = 0; j < l->height; ++j)
        for (int i = 0; i < l->width; ++i) {
            int k = j * l->width + i;
            w->x[k] = (float)(10 * (i + by * sin(i * 0.35) * cos(j * 0.2)));
            w->z[k] = (float)(10 * (j + by * cos(i * 0.25) * sin(j * 0.3)));
            w->y[k] = w->m.before[k];
        }
}

static void pushed_ground_keeps_its_mass_and_its_overhangs(void **state) {
    (void)state;
    warped w = warp(220, 190, 5);
    made *m = &w.m;
    m->land.metric = &w.metric;
    karst_droplets_def drops = karst_droplets_def_default();
    karst_thermal_def slides = karst_thermal_def_default();
    slides.talus = 0.3f;
    drops.closed = slides.closed = true;
    for (int over = 0; over < 2; ++over) {
        push(&w, over ? 5 : 1.5);
        measure(&w, false);
        int left_out = 0;
        for (size_t i = 0; i < m->count; ++i) left_out += w.mask[i] == 0;
        assert_true(over ? left_out > 1000 : left_out == 0);
        m->land.mask = w.mask;
        for (int op = 0; op < 2; ++op) {
            make_anew(m);
            kst_ledger ledger;
            kst_droplets_result result;
            if (op)
                assert_int_equal(kst_thermal(&m->land, &slides, NULL, NULL, &ledger), KARST_OK);
            else
                assert_int_equal(kst_droplets(&m->land, &drops, NULL, NULL, &result), KARST_OK);
            if (!op) ledger = result.ledger;
            double net = 0, all = 0, plain = 0;
            for (size_t i = 0; i < m->count; ++i) {
                double d = (double)m->land.height_m[i] - m->before[i];
                assert_true(isfinite(d));
                assert_true(w.mask[i] > 0 || !memcmp(&m->land.height_m[i], &m->before[i], sizeof(float)));
                net += d * w.area[i];
                plain += d;
                all += fabs(d) * w.area[i];
            }
            assert_true(all > 1000);
            assert_true(fabs(net) <= 1e-6 * all);
            assert_true(fabs(net + ledger.unplaced_m) <= 1e-7 * all);
            assert_true(fabs(plain) > 1e-5 * all);  // control: the areas count
        }
    }
    unwarp(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bent_sheet_erodes_like_a_flat_one),
        cmocka_unit_test(ground_that_stays_on_the_grid_erodes_to_the_same_bytes),
        cmocka_unit_test(pushed_ground_keeps_its_mass_and_its_overhangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
