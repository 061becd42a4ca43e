// SPDX-License-Identifier: MIT
// A governed scene: ground and meshes share one budget, and a real ground settles under it.
#include "karst/governor.h"
#include "world.h"

enum { MESHES = 40, CURVE = 48 };

static world rough;

static int setup(void **state) {
    (void)state;
    rough = world_make("governed.kpack", 513, 513, 2, 5, false, false, (karst_pos){0, 0, 0});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&rough);
    temp_remove();
    return 0;
}

typedef struct game {
    karst_governor *governor;
    karst_mrm_level levels[CURVE];
    karst_pos places[MESHES];
    karst_drawable drawables[MESHES];
    karst_governed_ground ground;
} game;

static void begin(game *g) {
    memset(g, 0, sizeof *g);
    assert_int_equal(karst_governor_create(NULL, &g->governor), KARST_OK);
    for (int k = 0; k < CURVE; ++k) {
        double share = exp((k - CURVE + 1) * 0.1);
        g->levels[k] = (karst_mrm_level){0, 0, (uint32_t)(5000 * share), (float)(0.004 * (1 / share - 1))};
    }
    for (int i = 0; i < MESHES; ++i) {
        g->places[i] = (karst_pos){1000 * kst_random01(1, (uint64_t)i), 0, 1000 * kst_random01(2, (uint64_t)i)};
        g->drawables[i] =
            (karst_drawable){.levels = g->levels, .level_count = CURVE, .weight = 1, .level = KARST_DRAWABLE_NEW};
    }
    g->ground = karst_governed_ground_default();
    g->ground.least_px = 0.05f;
    g->ground.most_px = 200;
}

static karst_view view_at(double x, double z) {
    karst_pos eye = {x, 0, z};
    double y;
    eye.y = karst_scene_height(rough.scene, x, z, &y) ? y + 15 : 50;
    return karst_view_perspective(eye, (karst_pos){500, eye.y - 20, 500}, (karst_vec3){0, 1, 0}, 1, 1920, 1080);
}

// One frame of a game; returns the triangles that were really drawn.
static int64_t play(game *g, const karst_view *view, int64_t most_triangles, karst_governor_figures *f) {
    double slope = karst_view_error_slope(view, 1);
    for (int i = 0; i < MESHES; ++i) {
        double dx = g->places[i].x - view->eye.x, dz = g->places[i].z - view->eye.z;
        g->drawables[i].pixels_per_m = (float)(1 / (slope * sqrt(dx * dx + dz * dz + 1)));
    }
    karst_governor_input input = {.most_triangles = most_triangles, .ground = &g->ground};
    karst_governor_update(g->governor, &input, g->drawables, MESHES, f);
    karst_budget budget = karst_budget_default();
    budget.error_px = g->ground.error_px;
    karst_frame frame;
    assert_int_equal(karst_scene_settle(rough.scene, view, 1, &budget, &frame), KARST_OK);
    g->ground.triangles = frame.figures.triangles;
    int64_t drawn = frame.figures.triangles;
    for (int i = 0; i < MESHES; ++i) drawn += g->levels[g->drawables[i].level].triangles;
    return drawn;
}

static void ground_and_meshes_settle_in_one_budget(void **state) {
    (void)state;
    static const int64_t budgets[] = {60000, 100000, 160000};
    float before = 1e30f;
    for (int k = 0; k < 3; ++k) {
        game g;
        begin(&g);
        karst_view view = view_at(120, 140);
        karst_governor_figures f;
        int64_t drawn = 0, unaware = 0;
        int settled = 0;
        for (int frame = 0; frame < 40; ++frame) {
            float px = g.ground.error_px;
            drawn = play(&g, &view, budgets[k], &f);
            if (frame == 0) unaware = drawn;
            if (f.changed || g.ground.error_px != px) settled = frame;
        }
        print_message("%lld triangles: %lld drawn, ground %.2f px, worst %.2f px, still after %d frames\n",
                      (long long)budgets[k], (long long)drawn, (double)g.ground.error_px, (double)f.worst_error_px,
                      settled);
        assert_true(drawn <= budgets[k] && drawn > budgets[k] * 9 / 10);
        assert_true(settled <= 30);
        assert_true(f.worst_error_px < before);
        assert_true(unaware > budgets[k]);  // the control: the first frame, before the ground told its triangles
        before = f.worst_error_px;
        karst_governor_destroy(g.governor);
    }
}

static void a_flight_keeps_to_its_budget(void **state) {
    (void)state;
    game g;
    begin(&g);
    karst_governor_figures f;
    int64_t most = 0;
    for (int frame = 0; frame < 120; ++frame) {
        karst_view view = view_at(100 + 2 * frame, 140 + frame);
        int64_t drawn = play(&g, &view, 100000, &f);
        if (frame >= 20 && drawn > most) most = drawn;
    }
    print_message("in flight at most %lld triangles of 100000\n", (long long)most);
    assert_true(most > 90000 && most < 115000);
    karst_governor_destroy(g.governor);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ground_and_meshes_settle_in_one_budget),
                                       cmocka_unit_test(a_flight_keeps_to_its_budget)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
