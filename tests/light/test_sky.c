// SPDX-License-Identifier: MIT
// Sky visibility against what is known: flat ground, valleys, and rays under an overhang.
#include "light/sky.h"

#include "support/prop.h"

enum { ACROSS = 61, STRIDE = ACROSS + 2 * KST_SKY_REACH };

// A profile pulled along z: all rows are alike, so one is enough.
typedef struct profile {
    float y[STRIDE], x[STRIDE], z[STRIDE];
} profile;

static void look(const profile *p, bool displaced, float share[ACROSS]) {
    static kst_sky sky;
    float scratch[2 * ACROSS];
    kst_sky_make(&sky, 1);
    kst_sky_rows row = {p->y + KST_SKY_REACH, displaced ? p->x + KST_SKY_REACH : NULL,
                        displaced ? p->z + KST_SKY_REACH : NULL, 0};
    kst_sky_look(&sky, &row, ACROSS, scratch, share);
}

static void flat_ground_sees_all(void **state) {
    (void)state;
    static profile p;
    float share[ACROSS];
    for (int displaced = 0; displaced < 2; ++displaced) {
        look(&p, displaced, share);
        for (int i = 0; i < ACROSS; ++i) assert_true(fabsf(share[i] - 1) < 1e-6f);
    }
}

// Between two slopes of 45 degrees: the mean of 1 / (1 + cos^2) over all azimuths, 1 / sqrt 2.
static void valley_sees_what_its_slopes_leave(void **state) {
    (void)state;
    static profile p;
    float share[ACROSS];
    for (int i = 0; i < STRIDE; ++i) p.y[i] = (float)abs(i - KST_SKY_REACH - 30);
    for (int displaced = 0; displaced < 2; ++displaced) {
        look(&p, displaced, share);
        assert_true(fabsf(share[30] - 0.7071f) < 0.05f);
        assert_true(share[10] > 0.75f && share[10] < 0.9f);  // on a slope: more, but not all
    }
}

// A place on both ways that find the horizon: nothing displaced, so they agree.
static void both_ways_agree_at_rest(void **state) {
    (void)state;
    static profile p;
    float a[ACROSS], b[ACROSS];
    for (prop q = prop_begin("sky_at_rest", 50); prop_next(&q);) {
        for (int i = 0; i < STRIDE; ++i) p.y[i] = (float)prop_real(&q, -3, 3);
        look(&p, false, a);
        look(&p, true, b);
        for (int i = 0; i < ACROSS; ++i) prop_near(&q, a[i], b[i], 1e-5);
    }
}

// ---- an overhang: the profile folds back over itself -------------------------------------------------

// Share of cos-weighted light that reaches sample i past the profile, by rays in all directions.
static double ray_share(const profile *p, int i) {
    enum { TURNS = 180, RISES = 60 };
    int at = KST_SKY_REACH + i;
    double open = 0;
    for (int t = 0; t < TURNS; ++t)
        for (int e = 0; e < RISES; ++e) {
            double turn = 6.283185307 * (t + 0.5) / TURNS, sine = sqrt((e + 0.5) / RISES);
            double u = cos(turn) * sqrt(1 - sine * sine), px = at + (double)p->x[at], py = (double)p->y[at] + 1e-3;
            bool blocked = false;
            for (int k = 0; k + 1 < STRIDE && !blocked; ++k) {  // (px, py) + s (u, sine) on the segment k, k + 1
                if (k == at || k + 1 == at) continue;
                double ax = k + (double)p->x[k] - px, ay = (double)p->y[k] - py;
                double bx = k + 1 + (double)p->x[k + 1] - px, by = (double)p->y[k + 1] - py;
                double ca = u * ay - sine * ax, cb = u * by - sine * bx;
                if ((ca > 0) == (cb > 0)) continue;
                double w = ca / (ca - cb), hx = ax + w * (bx - ax), hy = ay + w * (by - ay);
                blocked = hx * u + hy * sine > 0;
            }
            open += !blocked;
        }
    return open / (TURNS * RISES);
}

// Ground up to a foot at 30, an underside that leans back over it to the edge of a roof, and the plateau above.
static void fold(profile *p, float edge, float height) {
    memset(p, 0, sizeof *p);
    for (int i = 0; i < STRIDE; ++i) {
        int k = i - KST_SKY_REACH;
        float at = (float)k;
        if (k >= 20 && k <= 40) at = 30 + (edge - 30) * (float)(k - 20) / 20;
        if (k > 40) at = fmaxf(at, edge + 2 * (float)(k - 40));
        if (k > 40 && edge + 2 * (float)(k - 40) < (float)k) at = edge + 2 * (float)(k - 40);
        p->x[i] = at - (float)k;
        p->y[i] = k < 20 ? 0 : k > 40 ? height : height * (float)(k - 20) / 20;
    }
}

// What leans toward a place darkens it, more the nearer it is, though never more than rays say.
static void what_leans_over_is_seen(void **state) {
    (void)state;
    static profile p;
    float share[ACROSS], blind[ACROSS];
    fold(&p, 10, 8);
    look(&p, false, blind);
    look(&p, true, share);
    double nearer = 0;
    for (int i = 2; i < 20; ++i) {
        double want = ray_share(&p, i);
        nearer += fabs((double)blind[i] - want) - fabs((double)share[i] - want);
        assert_true((double)share[i] > want - 0.05 && share[i] < blind[i] - 0.03f);
    }
    print_message("nearer to the rays than without places by %.2f\n", nearer / 18);
    assert_true(nearer / 18 > 0.1 && share[19] < share[5] - 0.2f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_ground_sees_all),
        cmocka_unit_test(valley_sees_what_its_slopes_leave),
        cmocka_unit_test(both_ways_agree_at_rest),
        cmocka_unit_test(what_leans_over_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
