// SPDX-License-Identifier: MIT
// Droplet erosion: the same bytes, nothing lost, what is masked or hard is left alone, no spikes, no direction.
#include "op/drop.h"
#include "op/droplets.h"
#include "op/land_made.h"

static kst_droplets_result rain(const made *m, const karst_droplets_def *def, karst_jobs *jobs) {
    kst_droplets_result result;
    assert_int_equal(kst_droplets(&m->land, def, jobs, NULL, &result), KARST_OK);
    return result;
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
    (void)state;
    made m = make_land(400, 300, 1);
    make_mask(&m);
    make_hardness(&m);
    karst_droplets_def def = karst_droplets_def_default();
    uint64_t first = 0;
    for (int k = 0; k < 5; ++k) {
        karst_jobs *jobs = made_jobs((int[]){1, 2, 3, 5, 2}[k]);
        make_anew(&m);
        rain(&m, &def, jobs);
        if (!k) first = made_hash(&m);
        assert_true(made_hash(&m) == first);
        karst_jobs_destroy(jobs);
    }
    make_anew(&m);  // control: other drops, other bytes
    def.seed = 1;
    rain(&m, &def, NULL);
    assert_true(made_hash(&m) != first);
    unmake(&m);
}

static void closed_ground_keeps_its_mass(void **state) {
    (void)state;
    made m = make_land(300, 260, 2);
    karst_droplets_def def = karst_droplets_def_default();
    def.closed = true;
    for (int k = 0; k < 3; ++k) {
        if (k == 1) make_mask(&m);
        if (k == 2) make_hardness(&m);
        make_anew(&m);
        kst_droplets_result r = rain(&m, &def, NULL);
        made_change c = made_changes(&m);
        assert_true(c.absolute > 1000);
        assert_true(fabs(c.net) <= 1e-6 * c.absolute);
        assert_true(fabs(c.net + r.ledger.unplaced_m) <= 1e-8 * c.absolute);
        assert_true(fabs(r.ledger.eroded_m - r.ledger.deposited_m - r.ledger.unplaced_m) <= 1e-8 * c.absolute);
        assert_true(r.ledger.carried_m == 0);
        assert_true(fabs(r.ledger.eroded_m - c.worn) <= 1e-5 * c.worn);
        assert_true(fabs(r.ledger.deposited_m - c.laid) <= 1e-5 * c.laid);
    }
    m.land.mask = m.land.hardness = NULL;
    make_anew(&m);  // control: an open edge lets some out
    def.closed = false;
    kst_droplets_result r = rain(&m, &def, NULL);
    made_change c = made_changes(&m);
    assert_true(fabs(c.net) > 1e-4 * c.absolute);
    assert_true(fabs(c.net + r.ledger.carried_m + r.ledger.unplaced_m) <= 1e-8 * c.absolute);
    unmake(&m);
}

// Samples whose mask is 0 and whose bits changed, or that wear or deposit know of.
static int touched_outside(const made *m) {
    int touched = 0;
    for (size_t i = 0; i < m->count; ++i)
        if (m->mask[i] == 0)
            touched += memcmp(&m->land.height_m[i], &m->before[i], sizeof(float)) || m->land.wear_m[i] != 0 ||
                       m->land.deposit_m[i] != 0;
    return touched;
}

static void nothing_outside_the_mask_changes_a_bit(void **state) {
    (void)state;
    made m = make_land(300, 260, 3);
    make_mask(&m);
    for (size_t i = 0; i < m.count; ++i)
        if (m.mask[i] == 0 && i % 5 == 0) m.before[i] = -0.0f;  // whose sign adding nothing would take away
    karst_droplets_def def = karst_droplets_def_default();
    for (int closed = 0; closed < 2; ++closed) {
        def.closed = closed;
        make_anew(&m);
        rain(&m, &def, NULL);
        assert_int_equal(touched_outside(&m), 0);
        assert_true(made_changes(&m).absolute > 1000);
    }
    m.land.mask = NULL;  // control
    make_anew(&m);
    rain(&m, &def, NULL);
    assert_true(touched_outside(&m) > 1000);
    unmake(&m);
}

static void harder_ground_wears_less_and_the_hardest_not_at_all(void **state) {
    (void)state;
    made m = make_land(300, 260, 4);
    m.hardness = made_floats(m.count);
    m.land.hardness = m.hardness;
    karst_droplets_def def = karst_droplets_def_default();
    double worn = INFINITY;
    for (int k = 0; k <= 4; ++k) {
        for (size_t i = 0; i < m.count; ++i) m.hardness[i] = 0.25f * (float)k;
        make_anew(&m);
        rain(&m, &def, NULL);
        double w = made_changes(&m).worn;
        assert_true(w < worn);
        worn = w;
    }
    assert_true(made_changes(&m).changed == 0);
    free(m.hardness);
    make_hardness(&m);
    make_anew(&m);
    rain(&m, &def, NULL);
    int lowered[2] = {0, 0};
    for (size_t i = 0; i < m.count; ++i) lowered[m.hardness[i] == 1] += m.land.height_m[i] < m.before[i];
    assert_int_equal(lowered[1], 0);
    assert_true(lowered[0] > 10000);  // control: softer ground is lowered
    unmake(&m);
}

static void the_unit_of_heights_does_not_matter(void **state) {
    (void)state;
    made m = make_land(200, 180, 5);
    karst_droplets_def def = karst_droplets_def_default();
    rain(&m, &def, NULL);
    float *metres = made_floats(m.count);
    double most = 0, off[2] = {0, 0};
    for (size_t i = 0; i < m.count; ++i) {
        metres[i] = m.land.height_m[i] - m.before[i];
        most = fmax(most, fabs(metres[i]));
    }
    const float small = 1.0f / 2048;  // exact, so that drops go the same ways
    for (size_t i = 0; i < m.count; ++i) m.before[i] *= small;
    for (int k = 0; k < 2; ++k) {  // 1: control, the cell stays as it was
        m.land.cell_m = k ? 10 : 10 * small;
        make_anew(&m);
        rain(&m, &def, NULL);
        for (size_t i = 0; i < m.count; ++i)
            off[k] = fmax(off[k], fabs((m.land.height_m[i] - m.before[i]) / small - metres[i]));
    }
    assert_true(off[0] <= 1e-4 * most);
    assert_true(off[1] > 0.1 * most);
    free(metres);
    unmake(&m);
}

// Samples that rose and stand higher than all their neighbours, by more than this.
static int spikes(const made *m, float by_m) {
    int w = m->land.width, count = 0;
    for (int y = 1; y + 1 < m->land.height; ++y)
        for (int x = 1; x + 1 < w; ++x) {
            float highest = -INFINITY, here = m->land.height_m[y * w + x];
            for (int k = 0; k < 9; ++k)
                if (k != 4) highest = fmaxf(highest, m->land.height_m[(y + k / 3 - 1) * w + x + k % 3 - 1]);
            count += here > m->before[y * w + x] && here > highest + by_m;
        }
    return count;
}

static void a_closed_bowl_fills_without_spikes(void **state) {
    (void)state;
    made m = make_land(140, 140, 6);
    for (int y = 0; y < 140; ++y)
        for (int x = 0; x < 140; ++x) {
            double r2 = (x - 70.0) * (x - 70.0) + (y - 70.0) * (y - 70.0);
            m.before[y * 140 + x] = (float)(0.05 * r2 + 0.05 * kst_random01(9, (uint64_t)(y * 140 + x)));
        }
    make_anew(&m);
    karst_droplets_def def = karst_droplets_def_default();
    def.closed = true;
    def.drops = 6;
    float highest = 0;
    for (size_t i = 0; i < m.count; ++i) highest = fmaxf(highest, m.before[i]);
    rain(&m, &def, NULL);
    assert_int_equal(spikes(&m, 0.5f), 0);
    for (size_t i = 0; i < m.count; ++i) assert_true(m.land.height_m[i] <= highest);
    double floor = 0;
    for (int k = 0; k < 25; ++k) floor += m.land.height_m[(68 + k / 5) * 140 + 68 + k % 5] / 25;
    assert_true(floor > 3);               // it did fill
    m.land.height_m[60 * 140 + 60] += 2;  // control
    assert_int_equal(spikes(&m, 0.5f), 1);
    unmake(&m);
}

// Where the wear of many rains on a cone lies, beside its tip; and its scatter over the rains.
static void cone_wear(double tip, double middle[2], double scatter[2], int rains) {
    made m = make_land(129, 129, 7);
    for (int y = 0; y < 129; ++y)
        for (int x = 0; x < 129; ++x) m.before[y * 129 + x] = (float)(600 - 5 * hypot(x - tip, y - tip));
    karst_droplets_def def = karst_droplets_def_default();
    double sum[2] = {0, 0}, squares[2] = {0, 0};
    for (int k = 0; k < rains; ++k) {
        def.seed = (uint32_t)k;
        make_anew(&m);
        rain(&m, &def, NULL);
        double worn = 0, at[2] = {0, 0};
        for (int y = 24; y <= 104; ++y)  // the same to all sides
            for (int x = 24; x <= 104; ++x) {
                double w = m.land.wear_m[y * 129 + x];
                worn += w;
                at[0] += w * (x - 64);
                at[1] += w * (y - 64);
            }
        for (int c = 0; c < 2; ++c) {
            sum[c] += at[c] / worn;
            squares[c] += at[c] / worn * (at[c] / worn);
        }
    }
    for (int c = 0; c < 2; ++c) {
        middle[c] = sum[c] / rains;
        scatter[c] = sqrt(fmax(squares[c] / rains - middle[c] * middle[c], 0) / rains);
    }
    unmake(&m);
}

static void a_cone_wears_alike_on_all_sides(void **state) {
    (void)state;
    double middle[2], scatter[2];
    cone_wear(64, middle, scatter, 24);
    for (int c = 0; c < 2; ++c) {
        assert_true(scatter[c] < 0.25);
        assert_true(fabs(middle[c]) < 4 * scatter[c] + 0.01);
    }
    cone_wear(72, middle, scatter, 12);  // control: a cone that stands elsewhere
    assert_true(fabs(middle[0]) > 4 * scatter[0] + 0.01 && fabs(middle[1]) > 4 * scatter[1] + 0.01);
}

static double correlation(const double *a, const double *b, int count) {
    double sa = 0, sb = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < count; ++i) {
        sa += a[i];
        sb += b[i];
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
    }
    return (ab - sa * sb / count) / sqrt((aa - sa * sa / count) * (bb - sb * sb / count));
}

static void finer_cells_wear_alike(void **state) {
    (void)state;
    enum { SIDE = 160 };
    made fine = make_land(2 * SIDE, 2 * SIDE, 13), coarse = make_land(SIDE, SIDE, 13);
    fine.land.cell_m = 5;
    for (int k = 0; k < SIDE * SIDE; ++k) {
        const float *a = fine.before + k / SIDE * 4 * SIDE + k % SIDE * 2;
        coarse.before[k] = 0.25f * (a[0] + a[1] + a[2 * SIDE] + a[2 * SIDE + 1]);
    }
    make_anew(&coarse);
    karst_droplets_def def = karst_droplets_def_default();
    def.reach_m = 300;
    rain(&coarse, &def, NULL);
    def.drops *= 1.4f;
    rain(&fine, &def, NULL);
    static double change[2][SIDE * SIDE], turned[SIDE * SIDE];
    double mean[2] = {0, 0};
    for (int k = 0; k < SIDE * SIDE; ++k) {
        for (int n = 0; n < 4; ++n) {
            int i = k / SIDE * 4 * SIDE + k % SIDE * 2 + n % 2 + n / 2 * 2 * SIDE;
            change[0][k] += 0.25 * ((double)fine.land.height_m[i] - fine.before[i]);
        }
        change[1][k] = (double)coarse.land.height_m[k] - coarse.before[k];
        turned[k % SIDE * SIDE + k / SIDE] = change[0][k];
        for (int c = 0; c < 2; ++c) mean[c] += fabs(change[c][k]) / (SIDE * SIDE);
    }
    double alike = correlation(change[0], change[1], SIDE * SIDE);
    print_message("changes at 5 m and 10 m correlate by %.3f; mean sizes %.2f m, %.2f m\n", alike, mean[0], mean[1]);
    assert_true(alike > 0.85);
    assert_true(fabs(mean[0] / mean[1] - 1) < 0.2);
    assert_true(correlation(turned, change[1], SIDE * SIDE) < 0.5);  // control: of another land
    unmake(&fine);
    unmake(&coarse);
}

// How rough the outermost four samples are, beside the rest: mean difference from the middle of the neighbours.
static double rim_roughness(const made *m) {
    int w = m->land.width, h = m->land.height, count[2] = {0, 0};
    double sum[2] = {0, 0};
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            bool rim = x < 4 || y < 4 || x >= w - 4 || y >= h - 4;
            const float *z = m->land.height_m + y * w + x;
            if (x > 0 && x + 1 < w) {
                sum[rim] += fabs(z[0] - 0.5 * (z[-1] + z[1]));
                ++count[rim];
            }
            if (y > 0 && y + 1 < h) {
                sum[rim] += fabs(z[0] - 0.5 * (z[-w] + z[w]));
                ++count[rim];
            }
        }
    return sum[1] / count[1] / (sum[0] / count[0]);
}

static void the_rim_is_ground_like_any_other(void **state) {
    (void)state;
    made m = make_land(260, 260, 11);
    double before = rim_roughness(&m);
    karst_droplets_def def = karst_droplets_def_default();
    def.drops = 2;
    rain(&m, &def, NULL);
    assert_true(rim_roughness(&m) <= 1.15 * before);
    m.mask = made_floats(m.count);  // control: a rim that keeps its roughness while the rest is smoothed
    for (int y = 4; y < 256; ++y)
        for (int x = 4; x < 256; ++x) m.mask[y * 260 + x] = 1;
    m.land.mask = m.mask;
    make_anew(&m);
    rain(&m, &def, NULL);
    assert_true(rim_roughness(&m) > 1.15 * before);
    unmake(&m);
}

// The least that weights on a grid do to waves of any length and way, over what they do to a plain.
static double least_response(const float weight[KST_DROP_ROWS][KST_DROP_BOX], double u, double v) {
    double least = 1;
    for (int a = 0; a <= 24; ++a)
        for (int b = -24; b <= 24; ++b) {
            double sum = 0, kx = a * M_PI / 24, ky = b * M_PI / 24;
            for (int j = 0; j < KST_DROP_ROWS; ++j)
                for (int i = 0; i < KST_DROP_BOX; ++i)
                    sum += (double)weight[j][i] *
                           cos(kx * (i - KST_DROP_BEFORE - u) + ky * (j - KST_DROP_BEFORE + (v > 0.5) - v));
            least = fmin(least, sum);
        }
    return least;
}

static void the_brush_grows_no_ripples(void **state) {
    (void)state;
    kst_drop_brush brush;
    kst_drop_brush_make(&brush);
    double worst[2] = {1, 1};
    for (int k = 0; k < KST_DROP_PLACES * KST_DROP_PLACES; ++k) {
        double u = (k % KST_DROP_PLACES + 0.5) / KST_DROP_PLACES, v = (k / KST_DROP_PLACES + 0.5) / KST_DROP_PLACES;
        float cone[KST_DROP_ROWS][KST_DROP_BOX], sum = 0, all = 0;
        for (int j = 0; j < KST_DROP_ROWS; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) {
                double x = i - KST_DROP_BEFORE - u, y = j - KST_DROP_BEFORE + (v > 0.5) - v;
                cone[j][i] = (float)fmax(0, 3.2 - hypot(x, y));
                sum += cone[j][i];
                all += brush.weight[k][j][i];
            }
        for (int j = 0; j < KST_DROP_ROWS; ++j)
            for (int i = 0; i < KST_DROP_BOX; ++i) cone[j][i] /= sum;
        assert_true(fabsf(all - 1) < 1e-5f);
        worst[0] = fmin(worst[0], least_response(brush.weight[k], u, v));
        worst[1] = fmin(worst[1], least_response(cone, u, v));
    }
    print_message("least response of the brush %.4f, of a cone %.4f\n", worst[0], worst[1]);
    assert_true(worst[0] > -0.004);
    assert_true(worst[1] < -0.01);  // control: a plain cone grows them
}

static void flats_steps_and_the_least_land_stay_finite(void **state) {
    (void)state;
    karst_droplets_def def = karst_droplets_def_default();
    made m = make_land(150, 131, 8);
    for (size_t i = 0; i < m.count; ++i) m.before[i] = 1000;
    make_anew(&m);
    rain(&m, &def, NULL);
    assert_int_equal(made_changes(&m).changed, 0);  // level ground stays
    for (size_t i = 0; i < m.count; ++i) m.before[i] = 20 * (float)(i % 150 / 10);
    make_anew(&m);
    rain(&m, &def, NULL);
    made_change c = made_changes(&m);
    assert_int_equal(c.not_finite, 0);
    assert_true(c.changed > 1000);  // control: the flat test would see a change
    unmake(&m);
    for (prop p = prop_begin("droplets_little_land", 40); prop_next(&p);) {
        made s = make_land(prop_int(&p, 2, 40), prop_int(&p, 2, 40), prop_u64(&p));
        def.seed = (uint32_t)prop_u64(&p);
        def.closed = prop_chance(&p, 0.5);
        def.reach_m = (float)prop_real(&p, 0, 3000);
        def.step_m = (float)prop_real(&p, 2, 20);
        def.inertia = (float)prop_real(&p, 0, 0.99);
        def.capacity = (float)prop_real(&p, 0, 20);
        def.erode = (float)prop_real(&p, 0, 1);
        def.deposit = (float)prop_real(&p, 0, 1);
        float steep = (float)prop_real(&p, 0, 100);
        for (size_t i = 0; i < s.count; ++i) s.before[i] *= steep;
        make_anew(&s);
        rain(&s, &def, NULL);
        prop_check(&p, made_changes(&s).not_finite == 0);
        unmake(&s);
    }
}

static karst_status erode(kst_land *land, const void *def, karst_jobs *jobs, const karst_progress *progress) {
    return kst_droplets(land, def, jobs, progress, NULL);
}

static void a_cancelled_rain_stops_at_once(void **state) {
    (void)state;
    karst_droplets_def def = karst_droplets_def_default();
    def.drops = 40;
    made_check_stop(erode, &def);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    karst_droplets_def def = karst_droplets_def_default();
    made_check_no_memory(erode, &def, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(closed_ground_keeps_its_mass),
        cmocka_unit_test(nothing_outside_the_mask_changes_a_bit),
        cmocka_unit_test(harder_ground_wears_less_and_the_hardest_not_at_all),
        cmocka_unit_test(the_unit_of_heights_does_not_matter),
        cmocka_unit_test(finer_cells_wear_alike),
        cmocka_unit_test(a_closed_bowl_fills_without_spikes),
        cmocka_unit_test(a_cone_wears_alike_on_all_sides),
        cmocka_unit_test(the_rim_is_ground_like_any_other),
        cmocka_unit_test(the_brush_grows_no_ripples),
        cmocka_unit_test(flats_steps_and_the_least_land_stay_finite),
        cmocka_unit_test(a_cancelled_rain_stops_at_once),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
