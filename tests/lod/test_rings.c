// SPDX-License-Identifier: MIT
// Rings: the radii keep the promise, leave room for the borders, and move steadily with the eye.
#include "lod/rings.h"

#include "support/prop.h"

// Ground of random roughness, and an eye somewhere over or under it.
static kst_ring_ground any_ground(prop *p) {
    kst_ring_ground g = {.level_count = prop_int(p, 1, 14), .columns = 1 << 20, .rows = 1 << 20};
    g.spacing_m = exp(prop_real(p, -3, 4));
    g.low_m = prop_real(p, -100, 100);
    g.high_m = g.low_m + exp(prop_real(p, -2, 8));
    g.beside_m = prop_chance(p, 0.5) ? 0 : prop_real(p, 0, 30);
    double error = g.spacing_m * exp(prop_real(p, -9, 3));
    for (int level = 1; level < g.level_count; ++level, error *= exp(prop_real(p, 0, 1.4)))
        g.error[level] = prop_chance(p, 0.05) ? g.error[level - 1] : fmax(error, g.error[level - 1]);
    return g;
}

static kst_eye any_eye(prop *p, const kst_ring_ground *g) {
    double high = prop_chance(p, 0.5) ? prop_real(p, g->low_m, g->high_m)
                                      : g->high_m + (prop_chance(p, 0.9) ? 1 : -1) * exp(prop_real(p, 0, 12));
    return (kst_eye){(float)prop_real(p, 0, 1e5), (float)high, (float)prop_real(p, 0, 1e5),
                     (float)exp(prop_real(p, -9, -2))};
}

static double side_of(const kst_ring_ground *g, int level) {
    return g->spacing_m * ldexp(16, level);
}

// The level of a place, absolute, as whatever ring the place lies in has it.
static double level_at(const kst_ring_ground *g, const kst_ring_eye *e, double c) {
    int level = 0;
    while (level + 1 < g->level_count && c >= e->split[level + 1]) ++level;
    return level + kst_ring_level(g, e, level, e->x + c, e->z);
}

static double error_at(const kst_ring_ground *g, double level) {
    int low = (int)level;
    return low + 1 < g->level_count ? g->error[low] + (level - low) * (g->error[low + 1] - g->error[low])
                                    : g->error[low];
}

// Whatever is drawn of a corner's patches may be a patch's side and the sideways move nearer, but no nearer in height.
static void the_error_is_never_over_the_allowed(void **state) {
    (void)state;
    double most = 0;
    for (prop p = prop_begin("rings_promise", 4000); prop_next(&p);) {
        kst_ring_ground g = any_ground(&p);
        kst_eye eye = any_eye(&p, &g);
        kst_ring_eye e = kst_ring_eye_of(&g, &eye, false);
        double far = 4 * side_of(&g, g.level_count + 1);
        for (int k = 0; k < 60; ++k) {
            double c = far * exp(-prop_real(&p, 0, 12)), level = level_at(&g, &e, c);
            double across = fmax(c - side_of(&g, (int)level) - g.beside_m, 0);
            double allowed = e.slope * hypot(across, e.below_m), error = error_at(&g, level);
            prop_check(&p, error <= allowed * (1 + 1e-12));
            if (allowed > 0) most = fmax(most, error / allowed);
        }
    }
    print_message("rings: at most %.3f of the allowed error\n", most);
    assert_true(most > 0.97);  // and none of it is given away
}

// On the plateau the level is a whole number, to the bit, as seen from both rings that meet there.
static void borders_lie_on_plateaus(void **state) {
    (void)state;
    for (prop p = prop_begin("rings_plateau", 4000); prop_next(&p);) {
        kst_ring_ground g = any_ground(&p);
        kst_eye eye = any_eye(&p, &g);
        kst_ring_eye e = kst_ring_eye_of(&g, &eye, prop_chance(&p, 0.1));
        if (prop_chance(&p, 0.5))  // a chunk is missing
            kst_ring_limit(&g, &e, prop_int(&p, 0, g.level_count - 1),
                           prop_chance(&p, 0.5) ? 0 : prop_real(&p, 0, 1e4));
        for (int level = 1; level < g.level_count; ++level) {
            prop_check(&p, e.split[level] >= e.hold[level - 1]);
            prop_check(&p, e.hold[level] - e.split[level] >= side_of(&g, level) || e.hold[level] > 1e14);
            double c = e.split[level] + prop_real(&p, 0, 1) * side_of(&g, level);
            if (c < 0 || c > 1e14) continue;
            prop_check(&p, kst_ring_level(&g, &e, level - 1, e.x + c, e.z) == 1 || e.x + c - e.x != c);
            prop_check(&p, kst_ring_level(&g, &e, level, e.x, e.z - c) == 0 || e.z - (e.z - c) != c);
        }
        prop_check(&p, kst_ring_level(&g, &e, g.level_count - 1, e.x + 1e9, e.z) == 0);
    }
}

// High above, what is not needed is not there; and on the way up radii shrink by no more than 3.8 times the climb.
static void an_eye_that_rises_draws_the_rings_together_steadily(void **state) {
    (void)state;
    for (prop p = prop_begin("rings_rise", 2000); prop_next(&p);) {
        kst_ring_ground g = any_ground(&p);
        kst_eye eye = any_eye(&p, &g);
        for (int level = 0; level < g.level_count; ++level) g.error[level] = fmax(g.error[level], 0.01 * level);
        double step = exp(prop_real(&p, -5, 3));
        kst_eye up = eye;
        up.y += (float)step;
        double climb = fabs((double)up.y - (double)eye.y);  // as rounded
        kst_ring_eye a = kst_ring_eye_of(&g, &eye, false), b = kst_ring_eye_of(&g, &up, false);
        for (int level = 1; level < g.level_count; ++level)
            prop_check(&p, fabs(a.split[level] - b.split[level]) <= 3.8 * climb + 1e-6 * fabs(a.split[level]));
        up.y = (float)(g.high_m + 2 * g.error[g.level_count - 1] / (double)eye.slope + 10 * side_of(&g, g.level_count));
        kst_ring_eye top = kst_ring_eye_of(&g, &up, false);
        for (int level = 0; level < g.level_count; ++level) prop_check(&p, top.split[level] <= 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_never_over_the_allowed),
        cmocka_unit_test(borders_lie_on_plateaus),
        cmocka_unit_test(an_eye_that_rises_draws_the_rings_together_steadily),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
