// SPDX-License-Identifier: MIT
// Routes: every drop reaches the edge, areas add up, hollows hold what a slow flood says, the same bytes on any
// threads.
#include "karst/erode.h"
#include "op/land_made.h"
#include "op/route.h"

typedef struct ground {
    int width, height;
    float *h;
} ground;

// Rough, flat in steps, in whole metres, or all level.
static ground any_ground(prop *p, int least, int most) {
    ground g = {prop_int(p, least, most), prop_int(p, least, most), NULL};
    g.h = made_floats((size_t)g.width * (size_t)g.height);
    uint64_t seed = prop_u64(p);
    int kind = prop_int(p, 0, 3);
    for (int y = 0; y < g.height; ++y)
        for (int x = 0; x < g.width; ++x) {
            float v = scene_height(x, y, seed), step = kind == 1 ? 20 : 1;
            g.h[y * g.width + x] = kind == 0 ? v : kind == 3 ? 7 : step * floorf(v / step);
        }
    return g;
}

static kst_route find(const ground *g, kst_route_way way, karst_jobs *jobs) {
    kst_route r;
    const kst_team team = {.jobs = jobs, .stage = "test"};
    assert_int_equal(kst_route_create(g->width, g->height, &r), KARST_OK);
    assert_int_equal(kst_route_find(&r, g->h, way, &team), KARST_OK);
    return r;
}

static kst_route_way any_way(prop *p) {
    return (kst_route_way){prop_chance(p, 0.5), prop_u64(p), (uint32_t)prop_int(p, 0, 99)};
}

static bool on_ring(const ground *g, int32_t cell) {
    int x = cell % g->width, y = cell / g->width;
    return !x || !y || x == g->width - 1 || y == g->height - 1;
}

// Each cell's drop runs to the ring, and each cell counts the drops that pass.
static bool drains(const ground *g, const kst_route *r) {
    int32_t cells = g->width * g->height;
    uint32_t *area = calloc((size_t)cells, sizeof *area);
    bool good = true;
    for (int32_t start = 0; start < cells && good; ++start) {
        int32_t cell = start, steps = 0;
        ++area[cell];
        while (!kst_route_is_outlet(r, cell) && steps++ < cells) ++area[cell = kst_route_receiver(r, cell)];
        good = kst_route_is_outlet(r, cell) && on_ring(g, cell);
    }
    good = good && !memcmp(area, r->area, (size_t)cells * sizeof *area);
    free(area);
    return good;
}

static void every_drop_reaches_the_edge_and_is_counted(void **state) {
    (void)state;
    for (prop p = prop_begin("route_drains", 60); prop_next(&p);) {
        ground g = any_ground(&p, 3, 60);
        kst_route r = find(&g, any_way(&p), NULL);
        prop_check(&p, drains(&g, &r));
        if (r.width > 3 && r.height > 3) {  // control: a pit is seen
            r.to[r.width + 1] = KST_ROUTE_NONE;
            prop_check(&p, !drains(&g, &r));
        }
        kst_route_free(&r);
        free(g.h);
    }
}

// What lies upstream is what has this cell as its receiver, and trees and trunk hold every cell once.
static void ways_up_are_the_ways_down(void **state) {
    (void)state;
    for (prop p = prop_begin("route_both_ways", 60); prop_next(&p);) {
        ground g = any_ground(&p, 3, 200);
        kst_route r = find(&g, any_way(&p), NULL);
        int32_t cells = g.width * g.height;
        int64_t links = 0, rooted = r.trunk_count;
        for (int32_t i = 0; i < cells; ++i) {
            if (!kst_route_is_outlet(&r, i)) prop_check(&p, r.from[kst_route_receiver(&r, i)] >> (r.to[i] ^ 4) & 1);
            links += __builtin_popcount(r.from[i]) + kst_route_is_outlet(&r, i);
        }
        prop_check(&p, links == cells);
        for (int32_t k = 0; k < r.tree_count; ++k) {
            rooted += r.area[r.tree[k]];
            prop_check(&p, r.area[r.tree[k]] <= KST_TREE_CELLS);
        }
        prop_check(&p, rooted == cells);
        kst_route_free(&r);
        free(g.h);
    }
}

static void any_number_of_threads_finds_the_same_route(void **state) {
    (void)state;
    for (prop p = prop_begin("route_threads", 8); prop_next(&p);) {
        ground g = any_ground(&p, 100, 300);
        kst_route_way way = any_way(&p);
        size_t cells = (size_t)g.width * (size_t)g.height;
        kst_route one = find(&g, way, NULL);
        for (int workers = 2; workers <= 5; workers += 3) {
            karst_jobs *jobs = made_jobs(workers);
            kst_route many = find(&g, way, jobs);
            prop_check(&p, !memcmp(one.to, many.to, cells) && !memcmp(one.from, many.from, cells));
            prop_check(&p, !memcmp(one.area, many.area, cells * sizeof *one.area));
            kst_route_free(&many);
            karst_jobs_destroy(jobs);
        }
        kst_route_free(&one);
        free(g.h);
    }
}

// On a cone about the middle of a cell, many chance routes together must not know the directions of the grid: the mean
// way is straight down, which the steepest of eight is not.
static void chance_ways_keep_to_no_direction_of_the_grid(void **state) {
    (void)state;
    enum { SIDE = 101, TURNS = 64 };
    ground g = {SIDE, SIDE, made_floats(SIDE * SIDE)};
    static const int way_x[8] = {1, 1, 0, -1, -1, -1, 0, 1}, way_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};
    for (int y = 0; y < SIDE; ++y)
        for (int x = 0; x < SIDE; ++x) g.h[y * SIDE + x] = -(float)hypot(x - 50, y - 50);
    double off[2] = {0, 0};
    for (int steepest = 0; steepest < 2; ++steepest) {
        static double sum_x[SIDE * SIDE], sum_y[SIDE * SIDE];
        memset(sum_x, 0, sizeof sum_x);
        memset(sum_y, 0, sizeof sum_y);
        for (int turn = 0; turn < TURNS; ++turn) {
            kst_route r = find(&g, (kst_route_way){steepest, 5, (uint32_t)turn}, NULL);
            for (int i = 0; i < SIDE * SIDE; ++i)
                if (r.to[i] != KST_ROUTE_NONE) sum_x[i] += way_x[r.to[i]], sum_y[i] += way_y[r.to[i]];
            kst_route_free(&r);
        }
        int count = 0;
        for (int y = 1; y < SIDE - 1; ++y)
            for (int x = 1; x < SIDE - 1; ++x) {
                int i = y * SIDE + x;
                double dx = x - 50, dy = y - 50, d = hypot(dx, dy);
                if (d < 20) continue;
                off[steepest] += fabs(sum_x[i] * dy - sum_y[i] * dx) / (hypot(sum_x[i], sum_y[i]) * d);
                ++count;
            }
        off[steepest] /= count;
    }
    assert_true(off[0] < 0.06);
    assert_true(off[1] > 0.15);  // control
    free(g.h);
}

// ---- hollows ---------------------------------------------------------------------------------------

// The level of standing water, slowly: sweeps until nothing sinks.
static void slow_flood(const ground *g, float *level) {
    int32_t cells = g->width * g->height;
    for (int32_t i = 0; i < cells; ++i) level[i] = on_ring(g, i) ? g->h[i] : INFINITY;
    for (bool again = true; again;) {
        again = false;
        for (int32_t k = 0; k < 2 * cells; ++k) {
            int32_t i = k < cells ? k : 2 * cells - 1 - k;
            if (on_ring(g, i)) continue;
            float low = INFINITY;
            for (int d = 0; d < 9; ++d) low = fminf(low, level[i + (d / 3 - 1) * g->width + d % 3 - 1]);
            float now = fmaxf(g->h[i], low);
            if (now < level[i]) level[i] = now, again = true;
        }
    }
}

static void hollows_hold_what_a_slow_flood_says(void **state) {
    (void)state;
    bool any = false;
    for (prop p = prop_begin("pits_flood", 60); prop_next(&p);) {
        ground g = any_ground(&p, 3, 60);
        int32_t cells = g.width * g.height;
        float *level = made_floats((size_t)cells), low = g.h[0], high = g.h[0];
        slow_flood(&g, level);
        double volume = 0, deepest = 0;
        int filled = 0;
        for (int32_t i = 0; i < cells; ++i) {
            double d = (double)level[i] - g.h[i];
            volume += d;
            deepest = fmax(deepest, d);
            filled += d > 0;
            low = fminf(low, g.h[i]);
            high = fmaxf(high, g.h[i]);
        }
        karst_pits pits;
        prop_check(&p, karst_pits_find(g.width, g.height, g.h, NULL, NULL, &pits) == KARST_OK);
        prop_near(&p, pits.share, (double)filled / cells, 1e-12);
        prop_near(&p, pits.deepest_m, deepest, 0);
        prop_near(&p, pits.fill_share, high > low ? volume / ((double)(high - low) * cells) : 0, 1e-9);
        any |= filled > 0;
        free(level);
        free(g.h);
    }
    assert_true(any);
}

static void small_grounds_have_no_hollows(void **state) {
    (void)state;
    const float h[6] = {1, 2, 3, 0, -1, 5};
    karst_pits pits = {.count = 9};
    assert_int_equal(karst_pits_find(2, 3, h, NULL, NULL, &pits), KARST_OK);
    assert_true(pits.count == 0 && pits.share == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_drop_reaches_the_edge_and_is_counted),
        cmocka_unit_test(ways_up_are_the_ways_down),
        cmocka_unit_test(any_number_of_threads_finds_the_same_route),
        cmocka_unit_test(chance_ways_keep_to_no_direction_of_the_grid),
        cmocka_unit_test(hollows_hold_what_a_slow_flood_says),
        cmocka_unit_test(small_grounds_have_no_hollows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
