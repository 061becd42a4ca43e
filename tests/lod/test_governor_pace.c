// SPDX-License-Identifier: MIT
// Governor: the budget follows the measured frame time, and neither swings nor trusts a spike.
#include "karst/governor.h"
#include "support/prop.h"

enum { MESHES = 50, CURVE = 64 };

// Meshes that all want more than they can get, and ground.
typedef struct greedy {
    karst_governor *governor;
    karst_mrm_level levels[CURVE];
    karst_drawable drawables[MESHES];
    karst_governed_ground ground;
    karst_governor_input input;
    double ground_power;  // its triangles go with error_px^-power
} greedy;

static void begin(greedy *g, float target_ms, int latency) {
    memset(g, 0, sizeof *g);
    karst_governor_def def = karst_governor_def_default();
    def.most_drawables = MESHES;
    def.latency_frames = latency;
    assert_int_equal(karst_governor_create(&def, &g->governor), KARST_OK);
    for (int k = 0; k < CURVE; ++k) {
        double share = exp((k - CURVE + 1) * 0.1);
        g->levels[k] = (karst_mrm_level){0, 0, (uint32_t)(100000 * share), (float)(1 / share)};
    }
    for (int i = 0; i < MESHES; ++i)
        g->drawables[i] = (karst_drawable){.levels = g->levels,
                                           .level_count = CURVE,
                                           .pixels_per_m = (float)(0.5 + kst_random01(3, (uint64_t)i)),
                                           .weight = 1,
                                           .level = KARST_DRAWABLE_NEW};
    g->ground_power = 1;
    g->ground = karst_governed_ground_default();
    g->ground.triangles = 4000000, g->ground.error_px = 1, g->ground.least_px = 0.001f, g->ground.most_px = 10000;
    g->input = (karst_governor_input){
        .most_triangles = 100000000, .target_ms = target_ms, .frame_ms = 0, .ground = &g->ground};
}

// One frame that is told to have taken so long; returns its budget.
static int64_t frame_of(greedy *g, double told_ms, int64_t *drawn) {
    g->input.frame_ms = (float)told_ms;
    karst_governor_figures f;
    karst_governor_update(g->governor, &g->input, g->drawables, MESHES, &f);
    g->ground.triangles = (int64_t)(4000000 * pow((double)g->ground.error_px, -g->ground_power));
    *drawn = g->ground.triangles;
    for (int i = 0; i < MESHES; ++i) *drawn += g->levels[g->drawables[i].level].triangles;
    return f.budget_triangles;
}

// A machine that takes fixed_ms and so much a triangle, and tells it late, with noise and spikes.
typedef struct machine {
    double fixed_ms, ms_per_triangle, noise, ground_power;
    int latency;      // 1..4 updates
    int spike_every;  // frames; 0: none
    double times[4];
} machine;

// Draw a frame; what the next update is told of the frame `latency` before it.
static double tell(machine *m, int frame, int64_t triangles) {
    double ms = m->fixed_ms + m->ms_per_triangle * (double)triangles;
    ms *= 1 + m->noise * (kst_random01(5, (uint64_t)frame) - 0.5);
    if (m->spike_every && frame % m->spike_every == 0) ms *= 5;
    m->times[frame % 4] = ms;
    int told = frame + 1 - m->latency;
    return told < 0 ? 0 : m->times[told % 4];
}

typedef struct response {
    int settled;  // last frame after the step that the budget changed in, counted from the step
    int still;    // the same for the error of the ground, which slides after it
    int turns;    // times that it went the other way
    double end_ms;
} response;

// 100 frames at one target, then 200 at another.
static response step_target(machine m, double from_ms, double to_ms) {
    static greedy g;
    begin(&g, (float)from_ms, m.latency);
    g.ground_power = m.ground_power;
    response r = {0};
    int64_t budget = 0, drawn;
    double told = 0;
    int way = 0;
    for (int frame = 0; frame < 300; ++frame) {
        if (frame == 100) g.input.target_ms = (float)to_ms;
        float error_px = g.ground.error_px;
        int64_t now = frame_of(&g, told, &drawn);
        told = tell(&m, frame, drawn);
        if (frame >= 100 && g.ground.error_px != error_px) r.still = frame - 100;
        if (frame >= 100 && now != budget) {
            int turn = now > budget ? 1 : -1;
            r.turns += way && turn != way;
            way = turn;
            r.settled = frame - 100;
        }
        budget = now;
        r.end_ms = m.fixed_ms + m.ms_per_triangle * (double)drawn;
    }
    karst_governor_destroy(g.governor);
    return r;
}

static void a_step_of_the_target_settles_in_thirty_frames(void **state) {
    (void)state;
    static const double fixed[] = {0, 2, 6};
    int slowest = 0;
    for (int k = 0; k < 3; ++k)
        for (int way = 0; way < 2; ++way)
            for (int spikes = 0; spikes < 2; ++spikes) {
                machine m = {fixed[k], 8e-6, 0.04, 1, 2, spikes ? 7 : 0, {0}};
                double to = way ? 16.6 : 33.3;
                response r = step_target(m, way ? 33.3 : 16.6, to);
                print_message(
                    "%g ms fixed, %s%s: settled after %d frames, ground still after %d, turned %d times, %.2f ms\n",
                    fixed[k], way ? "33.3 to 16.6 ms" : "16.6 to 33.3 ms", spikes ? ", spikes" : "", r.settled, r.still,
                    r.turns, r.end_ms);
                assert_true(r.settled <= 30 && r.still <= 30 && r.turns <= 1);
                assert_true(r.end_ms > 0.88 * to && r.end_ms < 1.02 * to);
                slowest = r.settled > slowest ? r.settled : slowest;
            }
    assert_true(slowest > 0);
}

// A small step may leave one just inside the band, and noise take it out of it late.
static void any_machine_settles(void **state) {
    (void)state;
    int slowest = 0, late = 0, cases = 0;
    for (prop p = prop_begin("pace_machines", 200); prop_next(&p); ++cases) {
        machine m = {.fixed_ms = prop_real(&p, 0, 7),
                     .ms_per_triangle = exp(prop_real(&p, -13, -11)),
                     .noise = prop_real(&p, 0, 0.04),
                     .ground_power = prop_real(&p, 0.5, 2.5),
                     .latency = prop_int(&p, 1, 4),
                     .spike_every = prop_chance(&p, 0.5) ? prop_int(&p, 4, 30) : 0};
        double from = prop_real(&p, 14, 36), to = fmin(fmax(from * exp(prop_real(&p, -0.8, 0.8)), 14), 36);
        response r = step_target(m, from, to);
        prop_check(&p, r.turns <= 1);
        prop_check(&p, r.end_ms > 0.88 * to && r.end_ms < 1.02 * to);
        late += r.settled > 30;
        slowest = r.settled > slowest && r.settled <= 30 ? r.settled : slowest;
    }
    print_message("%d machines: all but %d settled within %d frames\n", cases, late, slowest);
    assert_true(50 * late <= cases);
}

// Control: a budget corrected in full every frame by the last time told swings for ever.
static void correcting_every_frame_would_swing(void **state) {
    (void)state;
    machine m = {0, 8e-6, 0.04, 1, 2, 0, {0}};
    double budget = 1e6;
    int turns = 0, way = 0;
    for (int frame = 0; frame < 300; ++frame) {
        double told = tell(&m, frame, (int64_t)budget), next = budget;
        if (frame > 2) next = budget * fmin(fmax(15.8 / told, 0.5), 1.5);
        int now = next > budget ? 1 : -1;
        if (frame >= 100 && fabs(next / budget - 1) > 0.02) {
            turns += way && now != way;
            way = now;
        }
        budget = next;
    }
    assert_true(turns > 20);
}

// How often the budget changes in 200 frames, the first of every twenty being slow.
static int changes_with(double usual_ms, double spike_ms, int in_a_row) {
    static greedy g;
    begin(&g, 16, 2);
    int64_t budget = 0, drawn;
    int changes = 0;
    for (int frame = 0; frame < 200; ++frame) {
        int64_t now = frame_of(&g, frame % 20 < in_a_row ? spike_ms : usual_ms, &drawn);
        changes += frame > 0 && now != budget;
        budget = now;
    }
    karst_governor_destroy(g.governor);
    return changes;
}

static void two_spikes_in_a_row_change_nothing(void **state) {
    (void)state;
    assert_int_equal(changes_with(15, 200, 0), 0);
    assert_int_equal(changes_with(15, 200, 2), 0);
    assert_true(changes_with(15, 200, 3) > 0);  // the control: the median sees three
}

// A frame that is late whatever is drawn keeps the least; one that has no target takes all there is.
static void the_least_is_kept_when_triangles_do_not_help(void **state) {
    (void)state;
    static greedy g;
    begin(&g, 16, 2);
    int64_t drawn, budget = 0;
    for (int frame = 0; frame < 200; ++frame) budget = frame_of(&g, 30, &drawn);
    assert_int_equal(budget, karst_governor_def_default().least_triangles);
    g.input.target_ms = 0;
    assert_int_equal(frame_of(&g, 30, &drawn), g.input.most_triangles);
    karst_governor_destroy(g.governor);
}

static void a_budget_that_nobody_takes_does_not_grow(void **state) {
    (void)state;
    static greedy g;
    begin(&g, 16, 2);
    g.input.ground = NULL;
    for (int i = 0; i < MESHES; ++i) g.drawables[i].most_triangles = 10000;  // half of what the first frame may have
    int64_t drawn, start = frame_of(&g, 2, &drawn), budget = 0;
    for (int frame = 0; frame < 200; ++frame) budget = frame_of(&g, 2, &drawn);
    assert_int_equal(budget, start);
    for (int i = 0; i < MESHES; ++i) g.drawables[i].most_triangles = 0;
    for (int frame = 0; frame < 200; ++frame) budget = frame_of(&g, 2, &drawn);
    assert_true(budget > 2 * start);  // the control
    karst_governor_destroy(g.governor);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_of_the_target_settles_in_thirty_frames),
                                       cmocka_unit_test(any_machine_settles),
                                       cmocka_unit_test(correcting_every_frame_would_swing),
                                       cmocka_unit_test(two_spikes_in_a_row_change_nothing),
                                       cmocka_unit_test(the_least_is_kept_when_triangles_do_not_help),
                                       cmocka_unit_test(a_budget_that_nobody_takes_does_not_grow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
