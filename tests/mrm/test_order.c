// SPDX-License-Identifier: MIT
// The order of vertices: every level is as good a surface as the source, plain shapes stay exact to their least mesh.
#include "mrm_check.h"

static karst_mrm_build_def smooth(void) {
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.crease_rad = 1;
    return def;
}

static void check_levels(const karst_mrm *mrm, uint32_t borders, bool closed) {
    for (int k = 0; k < 100; ++k) {
        karst_mrm_level at = level_k(mrm, k);
        karst_model *level = level_of(mrm, at.vertices);
        judged j = judge_level(level, karst_mrm_model(mrm));
        if (level->triangle_count != at.triangles || level->vertex_count != at.vertices || j.borders > borders ||
            j.fans || j.twins || j.flat || j.turned || j.closed != closed)
            fail_msg("level %d of %u triangles: %u borders, %u fans, %u twins, %u flat, %u turned, %s", k,
                     level->triangle_count, j.borders, j.fans, j.twins, j.flat, j.turned, j.closed ? "closed" : "open");
        karst_model_destroy(level);
    }
}

static void every_level_of_a_sphere_is_closed_and_unturned(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm_build_def def = smooth();
    karst_mrm *mrm = built_with(MAKE(scene_model_facets(4, &m)), &def);
    check_levels(mrm, 0, true);
    karst_mrm_destroy(mrm);
}

static void facets_with_a_normal_each_reach_any_count(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_facets(4, &m)));
    assert_true(karst_mrm_level_of_triangles(mrm, 256).triangles >= 254);
    assert_true(karst_mrm_describe(mrm).least_triangles == 4);
    check_levels(mrm, 0, true);
    karst_mrm_destroy(mrm);
}

// Hills: on ground that is rough at every cell, the face nearest to a coarse one may look anywhere.
static void every_level_of_ground_is_open_at_its_border_alone(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        karst_model *m;
        must(scene_model_tile(40, 0, 0, seed, &m));
        for (uint32_t v = 0; v < m->vertex_count; ++v) m->position[v].y *= 0.3f;
        karst_mrm *mrm = built(m);
        check_levels(mrm, 4 * 40, false);
        karst_mrm_destroy(mrm);
    }
}

static void the_check_sees_a_hole_a_twin_and_a_turned_face(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_facets(2, &m)));
    const karst_model *source = karst_mrm_model(mrm);
    karst_model *level = level_of(mrm, UINT32_MAX);
    judged j = judge_level(level, source);
    assert_true(j.closed && !j.turned && !j.twins && !j.borders);
    uint32_t *t = level->triangle[0], first = t[0];
    t[0] = t[1], t[1] = first;
    assert_int_equal(judge_level(level, source).turned, 1);
    memcpy(level->triangle[0], level->triangle[1], sizeof *level->triangle);
    j = judge_level(level, source);
    assert_true(j.twins == 1 && j.borders == 3 && j.fans == 3 && !j.closed);
    karst_model_destroy(level);
    karst_mrm_destroy(mrm);
}

// ---- plain shapes --------------------------------------------------------------------------------------

static double area_of(const karst_model *m) {
    karst_model_facts facts;
    assert_int_equal(karst_model_look(m, NULL, &facts), KARST_OK);
    return facts.area_m2;
}

static void put(karst_model *m, float scale, float offset) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->position[v].x = m->position[v].x * scale + offset;
        m->position[v].y *= scale;
        m->position[v].z = m->position[v].z * scale - offset;
    }
}

// Exact at every level, down to `least` triangles, where it stops and says so.
static void check_exact(karst_model *m, float scale, float offset, uint32_t least) {
    put(m, scale, offset);
    double area = area_of(m), size = (double)scale * 64;
    karst_mrm *mrm = built(m);
    karst_mrm_info info = karst_mrm_describe(mrm);
    if (info.least_triangles != least || !info.is_least_right)
        fail_msg("stops at %u triangles, not %u%s", info.least_triangles, least, info.is_least_right ? "" : ", unsaid");
    assert_true(karst_mrm_level_of_triangles(mrm, 1).triangles == least);
    int count;
    const karst_mrm_level *curve = karst_mrm_curve(mrm, &count);
    prop_check(&(prop){.name = "exact"}, (double)curve[0].error_m <= 1e-6 * size);
    for (int k = 0; k < 100; k += 9) {
        karst_model *level = level_of(mrm, level_k(mrm, k).vertices);
        double now = area_of(level);
        if (!(fabs(now - area) <= 1e-6 * area))
            fail_msg("%u triangles: area %g, not %g", level->triangle_count, now, area);
        karst_model_destroy(level);
    }
    karst_mrm_destroy(mrm);
}

static void plain_shapes_are_exact_to_their_least_mesh(void **state) {
    (void)state;
    static const float scale[] = {1, 1e-6f, 1}, offset[] = {0, 0, 1e6f};
    for (int k = 0; k < 3; ++k) {
        karst_model *m;
        check_exact(MAKE(scene_model_grid(32, 1, &m)), scale[k], offset[k], 2);
        check_exact(MAKE(scene_model_holed_grid(32, 12, 20, 1, &m)), scale[k], offset[k], 8);
        if (k < 2) check_exact(MAKE(scene_model_cube(8, &m)), scale[k], offset[k], 12);
    }
    karst_model *m;
    check_exact(MAKE(scene_model_holed_grid(9, 2, 5, 1, &m)), 1, 0, 8);
}

static void past_right_goes_on_below_the_least_exact_mesh(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.past_right = true;
    karst_mrm *mrm = built_with(MAKE(scene_model_cube(8, &m)), &def);
    karst_mrm_info info = karst_mrm_describe(mrm);
    assert_true(info.least_triangles < 12 && !info.is_least_right);
    int count;
    assert_true(karst_mrm_curve(mrm, &count)[0].error_m > 0.1f);  // and so the exact check above can fail
    karst_mrm_destroy(mrm);
}

// Every compiler, processor and number of threads gives this order; a change of the algorithm shows here.
static void the_order_is_the_same_everywhere(void **state) {
    (void)state;
    static const uint64_t known[2] = {0x08837c994377932bu, 0x13283c022e3241a9u};
    for (int k = 0; k < 2; ++k) {
        karst_model *m;
        karst_mrm_build_def def = karst_mrm_build_def_default();
        def.move = k;
        karst_mrm *mrm = built_with(MAKE(scene_model_facets(3, &m)), &def);
        uint64_t hash = 0;
        for (uint32_t v = karst_mrm_describe(mrm).least_vertices; v < 640; v += 7) {
            karst_model *level = level_of(mrm, v);
            hash = kst_hash(level->triangle, level->triangle_count * sizeof *level->triangle, hash);
            hash = kst_hash(level->position, level->vertex_count * sizeof *level->position, hash);
            karst_model_destroy(level);
        }
        if (hash != known[k]) fail_msg("order %d is 0x%016llx", k, (unsigned long long)hash);
        karst_mrm_destroy(mrm);
    }
}

// ---- the author's controls -----------------------------------------------------------------------------

static bool has_place(const karst_model *m, karst_vec3 p) {
    for (uint32_t v = 0; v < m->vertex_count; ++v)
        if (!memcmp(&m->position[v], &p, sizeof p)) return true;
    return false;
}

static void kept_vertices_are_at_every_level(void **state) {
    (void)state;
    karst_model *m;
    must(scene_model_tile(24, 0, 0, 5, &m));
    const uint32_t keep[] = {100, 200, 300, 417};
    karst_vec3 place[4];
    for (int k = 0; k < 4; ++k) place[k] = m->position[keep[k]];
    karst_mrm_build_def def = karst_mrm_build_def_default();
    int without = 0;
    for (int with = 0; with < 2; ++with) {
        karst_model *copy;
        assert_int_equal(karst_model_copy(m, NULL, &copy), KARST_OK);
        def.keep = keep;
        def.keep_count = with ? 4 : 0;
        karst_mrm *mrm = built_with(copy, &def);
        karst_model *least = level_of(mrm, 0);
        for (int k = 0; k < 4; ++k) {
            if (with) assert_true(has_place(least, place[k]));
            without += !with && !has_place(least, place[k]);
        }
        karst_model_destroy(least);
        karst_mrm_destroy(mrm);
    }
    assert_true(without > 0);
    karst_model_destroy(m);
}

// Both tiles, each ordered alone: what lies on their common side is the same at any two levels.
static void kept_borders_of_neighbours_meet_at_any_levels(void **state) {
    (void)state;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    for (int with = 0; with < 2; ++with) {
        def.keep_borders = with;
        karst_model *m, *side[2];
        for (int k = 0; k < 2; ++k) {
            karst_mrm *mrm = built_with(MAKE(scene_model_tile(16, k, 0, 7, &m)), &def);
            side[k] = level_of(mrm, k ? 0 : 150);
            karst_mrm_destroy(mrm);
        }
        int on_side[2] = {0, 0};
        double at = side[1]->origin.x + (double)karst_model_bounds(side[1]).min.x - side[1]->origin.x;
        for (int k = 0; k < 2; ++k)
            for (uint32_t v = 0; v < side[k]->vertex_count; ++v)
                on_side[k] += fabs(side[k]->origin.x + (double)side[k]->position[v].x - at) < 1e-6;
        if (with) assert_true(on_side[0] == 17 && on_side[1] == 17);
        if (!with) assert_true(on_side[1] < 17);
        karst_model_destroy(side[0]);
        karst_model_destroy(side[1]);
    }
}

static void a_merge_distance_lets_shells_join(void **state) {
    (void)state;
    for (int near = 0; near < 2; ++near) {
        karst_model *m, *n;
        must(scene_model_grid(8, 1, &m));
        karst_model_size size = {
            .vertices = 2 * m->vertex_count, .wedges = 2 * m->wedge_count, .triangles = 2 * m->triangle_count};
        assert_int_equal(karst_model_create(&size, NULL, NULL, &n), KARST_OK);
        for (uint32_t v = 0; v < size.vertices; ++v) {  // the second beside the first, a millimetre off
            n->position[v] = m->position[v % m->vertex_count];
            n->position[v].x += v < m->vertex_count ? 0 : 8.001f;
            n->vertex[v] = v;
        }
        for (uint32_t t = 0; t < size.triangles; ++t)
            for (int k = 0; k < 3; ++k)
                n->triangle[t][k] =
                    m->vertex[m->triangle[t % m->triangle_count][k]] + (t < m->triangle_count ? 0 : m->vertex_count);
        karst_model_destroy(m);
        karst_mrm_build_def def = karst_mrm_build_def_default();
        def.merge_m = near ? 0.01 : 0;
        karst_mrm *mrm = built_with(n, &def);
        karst_model *level = level_of(mrm, UINT32_MAX);
        karst_model_facts facts;
        assert_int_equal(karst_model_look(level, NULL, &facts), KARST_OK);
        assert_int_equal(facts.parts, near ? 1 : 2);
        karst_model_destroy(level);
        karst_mrm_destroy(mrm);
    }
}

static void small_parts_vanish_before_large_ones(void **state) {
    (void)state;
    karst_model *m;
    karst_mrm *mrm = built(MAKE(scene_model_tank(&m)));
    karst_mrm_info info = karst_mrm_describe(mrm);
    karst_model_facts full, half;
    karst_model *level = level_of(mrm, UINT32_MAX);
    assert_int_equal(karst_model_look(level, NULL, &full), KARST_OK);
    karst_model_destroy(level);
    karst_mrm_level at = karst_mrm_level_of_triangles(mrm, info.triangles / 10);
    assert_true(at.triangles * 1.25 >= info.triangles / 10);
    level = level_of(mrm, at.vertices);
    assert_int_equal(karst_model_look(level, NULL, &half), KARST_OK);
    assert_true(half.parts < full.parts && half.area_m2 > 0.7 * full.area_m2);
    karst_model_destroy(level);
    karst_mrm_destroy(mrm);
}

// ---- being stopped, bad input --------------------------------------------------------------------------

static bool stop_at(void *context, const char *stage, double share) {
    (void)stage, (void)share;
    return --*(int *)context > 0;
}

// At each look in turn, through every stage.
static void being_asked_to_stop_stops_and_leaks_nothing(void **state) {
    (void)state;
    karst_model *m;
    must(scene_model_tile(24, 0, 0, 5, &m));
    karst_mrm_build_def def = smooth();
    karst_status status = KARST_ERROR_CANCELLED;
    int looks = 0;
    while (status) {
        int left = ++looks;
        karst_progress progress = {stop_at, &left};
        karst_mrm *mrm = (karst_mrm *)&left;
        karst_report report = {0};
        status = karst_mrm_build(m, &def, &progress, &report, &mrm);
        if (status) assert_true(status == KARST_ERROR_CANCELLED && mrm == (karst_mrm *)&left && report.message[0]);
        if (!status) karst_mrm_destroy(mrm);
    }
    assert_true(looks > 25);
    karst_model_destroy(m);
}

static void no_allocation_that_fails_leaks_or_crashes(void **state) {
    (void)state;
    karst_model *m;
    must(scene_model_tank(&m));
    karst_mrm_build_def def = smooth();
    def.move = def.fit_normals = true;
    bool failed = true;
    int n = 0;
    for (n = 1; failed && n < 500; ++n) {
        karst_mrm *mrm = NULL;
        kst_alloc_fail_after((uint64_t)n);
        karst_status status = karst_mrm_build(m, &def, NULL, NULL, &mrm);
        kst_alloc_fail_after(0);
        failed = status != KARST_OK;
        if (failed && status != KARST_ERROR_MEMORY) fail_msg("allocation %d: %s", n, karst_status_text(status));
        karst_mrm_destroy(mrm);
        if (n > 60) n += 9;  // those of the levels that are measured repeat
    }
    assert_true(!failed && n > 60);
    karst_model_destroy(m);
}

static void bad_input_is_one_line(void **state) {
    (void)state;
    karst_model *m;
    must(scene_model_grid(4, 1, &m));
    karst_mrm *mrm = NULL;
    karst_report report = {0};
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.merge_m = -1;
    assert_int_equal(karst_mrm_build(m, &def, NULL, &report, &mrm), KARST_ERROR_ARGUMENT);
    assert_non_null(strstr(report.message, "merge"));
    def.merge_m = 100;  // all is one place
    assert_int_equal(karst_mrm_build(m, &def, NULL, &report, &mrm), KARST_ERROR_UNSUPPORTED);
    def = karst_mrm_build_def_default();
    uint32_t far = 25;
    def.keep = &far, def.keep_count = 1;
    assert_int_equal(karst_mrm_build(m, &def, NULL, &report, &mrm), KARST_ERROR_ARGUMENT);
    m->position[3].y = NAN;
    assert_int_equal(karst_mrm_build(m, NULL, NULL, &report, &mrm), KARST_ERROR_FORMAT);
    m->position[3].y = 0;
    m->triangle_count = 0;
    assert_int_equal(karst_mrm_build(m, NULL, NULL, &report, &mrm), KARST_ERROR_UNSUPPORTED);
    assert_null(mrm);
    karst_model_destroy(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_of_a_sphere_is_closed_and_unturned),
        cmocka_unit_test(facets_with_a_normal_each_reach_any_count),
        cmocka_unit_test(every_level_of_ground_is_open_at_its_border_alone),
        cmocka_unit_test(the_check_sees_a_hole_a_twin_and_a_turned_face),
        cmocka_unit_test(plain_shapes_are_exact_to_their_least_mesh),
        cmocka_unit_test(past_right_goes_on_below_the_least_exact_mesh),
        cmocka_unit_test(the_order_is_the_same_everywhere),
        cmocka_unit_test(kept_vertices_are_at_every_level),
        cmocka_unit_test(kept_borders_of_neighbours_meet_at_any_levels),
        cmocka_unit_test(a_merge_distance_lets_shells_join),
        cmocka_unit_test(small_parts_vanish_before_large_ones),
        cmocka_unit_test(being_asked_to_stop_stops_and_leaks_nothing),
        cmocka_unit_test(no_allocation_that_fails_leaks_or_crashes),
        cmocka_unit_test(bad_input_is_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
