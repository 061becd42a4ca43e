// SPDX-License-Identifier: MIT
// Slides: as a slow oracle says, the same bytes, nothing lost, what is masked or hard is left alone, slopes come to
// rest.
#include "op/land_made.h"
#include "op/thermal.h"

static kst_ledger slide(const made *m, const karst_thermal_def *def, karst_jobs *jobs) {
    kst_ledger ledger;
    assert_int_equal(kst_thermal(&m->land, def, jobs, NULL, &ledger), KARST_OK);
    return ledger;
}

static void make_talus(made *m, prop *p) {
    m->land.talus = m->talus = made_floats(m->count);
    for (size_t i = 0; i < m->count; ++i) m->talus[i] = (float)prop_real(p, 0.2, 1.2);
}

// Any land with any of what may lie on it, steep enough to slide.
static made any_land(prop *p) {
    made m = make_land(prop_int(p, 2, 70), prop_int(p, 2, 70), prop_u64(p));
    if (prop_chance(p, 0.5)) make_mask(&m);
    if (prop_chance(p, 0.5)) make_hardness(&m);
    if (prop_chance(p, 0.5)) make_talus(&m, p);
    for (size_t i = 0; i < m.count; ++i) m.before[i] *= 3;
    make_anew(&m);
    return m;
}

// ---- the oracle: one pass, pair by pair, in double ---------------------------------------------------

static double beyond(const made *m, int x, int y) {  // the height at a place, on beyond the edge
    int w = m->land.width, h = m->land.height;
    int ix = x < 0 ? 1 : x >= w ? w - 2 : x, iy = y < 0 ? 1 : y >= h ? h - 2 : y;
    int ex = x < 0 ? 0 : x >= w ? w - 1 : x, ey = y < 0 ? 0 : y >= h ? h - 1 : y;
    const float *a = m->before;
    double across = ix == ex ? 0 : 1, down = iy == ey ? 0 : 1;
    // Point by point: first along the rows, then from row to row.
    double at_edge = across ? 2.0 * a[ey * w + ex] - a[ey * w + ix] : a[ey * w + ex];
    double inside = across ? 2.0 * a[iy * w + ex] - a[iy * w + ix] : a[iy * w + ex];
    return down ? 2 * at_edge - inside : at_edge;
}

static size_t mirrored(const made *m, int x, int y) {
    int w = m->land.width, h = m->land.height;
    x = x < 0 ? 1 : x >= w ? w - 2 : x;
    y = y < 0 ? 1 : y >= h ? h - 2 : y;
    return (size_t)y * (size_t)w + (size_t)x;
}

static void slow_pass(const made *m, const karst_thermal_def *def, double *change) {
    int w = m->land.width, h = m->land.height;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            size_t i = (size_t)y * (size_t)w + (size_t)x;
            change[i] = 0;
            for (int k = 0; k < 9; ++k) {
                int nx = x + k % 3 - 1, ny = y + k / 3 - 1;
                bool out = nx < 0 || ny < 0 || nx >= w || ny >= h, diagonal = nx != x && ny != y;
                if (k == 4 || (out && def->closed)) continue;
                size_t n = mirrored(m, nx, ny);
                double rise = beyond(m, nx, ny) - m->before[i];
                size_t high = rise > 0 ? n : i, low = rise > 0 ? i : n;
                double talus = m->land.talus ? (double)m->land.talus[high] : (double)def->talus;
                double excess = fmax(0, fabs(rise) - talus * m->land.cell_m * (diagonal ? sqrt(2) : 1));
                double gives = kst_land_gives(&m->land, high), takes = kst_land_takes(&m->land, low);
                double amount =
                    def->rate * excess / 8 / (diagonal ? sqrt(2) : 1) + def->creep * fabs(rise) / (diagonal ? 36 : 9);
                change[i] += (rise > 0 ? amount : -amount) * gives * takes;
            }
        }
}

static void a_pass_is_what_the_slow_oracle_says(void **state) {
    (void)state;
    double off_without_talus = 0;
    for (prop p = prop_begin("thermal_oracle", 150); prop_next(&p);) {
        made m = any_land(&p);
        karst_thermal_def def = karst_thermal_def_default();
        def.passes = 1;
        def.rate = (float)prop_real(&p, 0, 1);
        def.creep = prop_chance(&p, 0.5) ? (float)prop_real(&p, 0, 1) : 0;
        def.closed = prop_chance(&p, 0.5);
        double *change = calloc(m.count, sizeof *change), most = 0;
        assert_non_null(change);
        slow_pass(&m, &def, change);
        slide(&m, &def, NULL);
        for (size_t i = 0; i < m.count; ++i) most = fmax(most, fabs(m.before[i]));
        for (size_t i = 0; i < m.count; ++i) prop_near(&p, m.land.height_m[i] - m.before[i], change[i], 2e-6 * most);
        const float *talus = m.land.talus;  // control: without the materials the oracle says something else
        m.land.talus = NULL;
        slow_pass(&m, &def, change);
        for (size_t i = 0; talus && i < m.count; ++i)
            off_without_talus = fmax(off_without_talus, fabs(m.land.height_m[i] - m.before[i] - change[i]) / most);
        free(change);
        unmake(&m);
    }
    assert_true(off_without_talus > 1e-4);
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
    (void)state;
    made m = make_land(400, 300, 1);
    make_mask(&m);
    make_hardness(&m);
    karst_thermal_def def = karst_thermal_def_default();
    def.talus = 0.3f;
    uint64_t first = 0;
    for (int k = 0; k < 5; ++k) {
        karst_jobs *jobs = made_jobs((int[]){1, 2, 3, 5, 2}[k]);
        make_anew(&m);
        slide(&m, &def, jobs);
        if (!k) first = made_hash(&m);
        assert_true(made_hash(&m) == first);
        karst_jobs_destroy(jobs);
    }
    make_anew(&m);  // control
    def.passes = 9;
    slide(&m, &def, NULL);
    assert_true(made_hash(&m) != first);
    unmake(&m);
}

static void closed_ground_keeps_its_mass(void **state) {
    (void)state;
    made m = make_land(300, 260, 2);
    karst_thermal_def def = karst_thermal_def_default();
    def.talus = 0.3f;
    def.closed = true;
    for (int k = 0; k < 3; ++k) {
        if (k == 1) make_mask(&m);
        if (k == 2) make_hardness(&m);
        make_anew(&m);
        kst_ledger l = slide(&m, &def, NULL);
        made_change c = made_changes(&m);
        assert_true(c.absolute > 1000);
        assert_true(fabs(c.net) <= 1e-6 * c.absolute);
        assert_true(fabs(c.net + l.unplaced_m) <= 1e-8 * c.absolute);
        assert_true(l.carried_m == 0);
        assert_true(fabs(l.eroded_m - c.worn) <= 1e-5 * c.worn);
        assert_true(fabs(l.deposited_m - c.laid) <= 1e-5 * c.laid);
    }
    m.land.mask = m.land.hardness = NULL;
    make_anew(&m);  // control: an open edge lets some out
    def.closed = false;
    kst_ledger l = slide(&m, &def, NULL);
    made_change c = made_changes(&m);
    assert_true(fabs(c.net) > 1e-4 * c.absolute);
    assert_true(fabs(c.net + l.carried_m) <= 1e-8 * c.absolute);
    unmake(&m);
}

static void masked_ground_keeps_its_bits_and_the_hardest_is_not_lowered(void **state) {
    (void)state;
    made m = make_land(300, 260, 3);
    make_mask(&m);
    make_hardness(&m);
    for (size_t i = 0; i < m.count; ++i)
        if (m.mask[i] == 0 && i % 5 == 0) m.before[i] = -0.0f;
    make_anew(&m);
    karst_thermal_def def = karst_thermal_def_default();
    def.talus = 0.3f;
    slide(&m, &def, NULL);
    int touched = 0, lowered[2] = {0, 0};
    for (size_t i = 0; i < m.count; ++i) {
        lowered[m.hardness[i] == 1] += m.land.height_m[i] < m.before[i];
        if (m.mask[i] == 0)
            touched += memcmp(&m.land.height_m[i], &m.before[i], sizeof(float)) || m.land.wear_m[i] != 0 ||
                       m.land.deposit_m[i] != 0;
    }
    assert_int_equal(touched, 0);
    assert_int_equal(lowered[1], 0);
    assert_true(lowered[0] > 1000);  // control
    double worn = INFINITY;
    m.land.mask = NULL;
    for (int k = 0; k <= 4; ++k) {
        for (size_t i = 0; i < m.count; ++i) m.hardness[i] = 0.25f * (float)k;
        make_anew(&m);
        slide(&m, &def, NULL);
        double w = made_changes(&m).worn;
        assert_true(w < worn);
        worn = w;
    }
    assert_int_equal(made_changes(&m).changed, 0);
    unmake(&m);
}

static void a_heap_comes_to_rest_at_its_talus(void **state) {
    (void)state;
    made m = make_land(129, 129, 4);
    for (int y = 0; y < 129; ++y)
        for (int x = 0; x < 129; ++x) m.before[y * 129 + x] = hypot(x - 64, y - 64) < 12 ? 300 : 0;
    make_anew(&m);
    karst_thermal_def def = karst_thermal_def_default();
    def.talus = 0.5f;
    def.passes = 1500;
    slide(&m, &def, NULL);
    double steepest = 0, was = 0, along[2] = {0, 0};
    for (int y = 0; y < 129; ++y)
        for (int x = 0; x < 128; ++x) {
            steepest = fmax(steepest, fabs(m.land.height_m[y * 129 + x + 1] - m.land.height_m[y * 129 + x]) / 10.0);
            was = fmax(was, fabs(m.before[y * 129 + x + 1] - m.before[y * 129 + x]) / 10.0);
        }
    assert_true(steepest < 0.53);
    assert_true(was > 1);  // control
    // Round: as far along the diagonal as along the row.
    for (int k = 0; k < 64; ++k) {
        along[0] += m.land.height_m[64 * 129 + 64 + k] > 1;
        along[1] += m.land.height_m[(64 + k) * 129 + 64 + k] > 1;
    }
    assert_true(fabs(along[0] / (along[1] * sqrt(2)) - 1) < 0.1);
    // And the same in all eight ways, to the rounding of sums taken in another order.
    double off = 0;
    for (int y = 0; y < 129; ++y)
        for (int x = 0; x < 129; ++x) {
            float h = m.land.height_m[y * 129 + x];
            off = fmax(off, fabs(h - m.land.height_m[x * 129 + y]));
            off = fmax(off, fabs(h - m.land.height_m[(128 - y) * 129 + x]));
        }
    assert_true(off < 1e-2);
    unmake(&m);
}

static karst_status erode(kst_land *land, const void *def, karst_jobs *jobs, const karst_progress *progress) {
    return kst_thermal(land, def, jobs, progress, NULL);
}

static void a_cancelled_slide_stops_at_once(void **state) {
    (void)state;
    karst_thermal_def def = karst_thermal_def_default();
    def.passes = 100000;
    made_check_stop(erode, &def);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    karst_thermal_def def = karst_thermal_def_default();
    def.talus = 0.3f;
    made_check_no_memory(erode, &def, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_what_the_slow_oracle_says),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(closed_ground_keeps_its_mass),
        cmocka_unit_test(masked_ground_keeps_its_bits_and_the_hardest_is_not_lowered),
        cmocka_unit_test(a_heap_comes_to_rest_at_its_talus),
        cmocka_unit_test(a_cancelled_slide_stops_at_once),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
