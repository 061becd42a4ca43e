// SPDX-License-Identifier: MIT
// Zones drawn: nothing pops. Each point of the finest lattice of each piece is followed on the drawn surface.
#include "zonedrawn.h"

// The largest move of the surface for steps of the eye, over `walks`. whole, a control: levels are rounded down, points
// never move.
static double walk(land *l, zone_drawn *d, karst_zone_method method, float threshold, double step_m, int walks,
                   bool whole) {
    karst_zone_budget budget = karst_zone_budget_default();
    budget.method = method, budget.cull = false, budget.threshold = threshold;
    double most = 0;
    for (int w = 0; w < walks && !(whole && most > 0.03); ++w) {
        karst_pos eye = zone_weld_eye(l->net, 23, (uint64_t)w);
        double way = 6.2831853 * kst_random01(29, (uint64_t)w), dx = cos(way) * step_m, dz = sin(way) * step_m;
        for (int k = 0; k < 6; ++k) {
            karst_zone_frame f = frame_of(l, eye, &budget);
            float *levels = malloc((f.level_count + 1) * sizeof *levels);
            for (uint32_t i = 0; whole && i < f.level_count; ++i) levels[i] = floorf(f.levels[i]);
            if (whole) f.levels = levels;
            karst_zone_point *points = malloc((f.mesh.point_count + 1) * sizeof *points);
            for (uint32_t i = 0; whole && i < f.mesh.point_count; ++i)
                points[i] = f.mesh.points[i], points[i].ramp = (karst_zone_ramp){0};
            if (whole) f.mesh.points = points;
            zone_draw(l, &f, d, k & 1);
            free(points);
            if (k) most = fmax(most, zone_largest_move(d));
            free(levels);
            eye.x += dx, eye.z += dz;
        }
    }
    return most;
}

static void nothing_moves_further_than_the_eye(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_drawn d = zone_drawn_make(&l);
    static const float threshold[2] = {8e-3f, 3.5e-4f};
    for (int k = 0; k < 2 * KARST_ZONE_METHOD_COUNT; ++k) {
        karst_zone_method method = (karst_zone_method)(k / 2);
        float t = threshold[k & 1];
        double cm = walk(&l, &d, method, t, 0.01, test_count(8), false);
        double mm = walk(&l, &d, method, t, 0.001, test_count(8), false);
        printf("%s, threshold %.1e: %.2f mm for 1 cm, %.3f mm for 1 mm\n", karst_zone_method_name(method), (double)t,
               1e3 * cm, 1e3 * mm);
        assert_true(cm > 1e-4 && cm <= 0.01);
        assert_true(mm <= 0.001);
    }
    for (int k = 0; k < KARST_ZONE_METHOD_COUNT; ++k)
        assert_true(walk(&l, &d, (karst_zone_method)k, threshold[0], 0.01, 16, true) > 0.03);
    zone_drawn_free(&l, &d);
    land_free(&l);
}

// Against the finest vertices, by the surface that this file draws.
static void the_error_told_is_the_error_seen(void **state) {
    (void)state;
    land l = land_make(15);
    land_put_all(&l);
    zone_drawn d = zone_drawn_make(&l);
    karst_fine *v = malloc(KARST_ZONE_VERTICES_MAX * sizeof *v);
    double last = 0;
    for (int k = 0; k < 3; ++k) {
        karst_zone_budget budget = karst_zone_budget_default();
        budget.cull = false, budget.tile_m = 0;
        budget.threshold = k == 0 ? 1e-8f : k == 1 ? 1e-4f : 1e-2f;
        karst_pos eye = {90.1, scene_net_hill(90, 130) + 5, 130.3};
        karst_view view = view_at(eye);
        karst_zone_frame f = frame_of(&l, eye, &budget);
        karst_zone_error told = karst_zone_frame_error(&f, l.scene, &view);
        zone_draw(&l, &f, &d, 0);
        double metres = 0, pixels = 0;
        for (int z = 0; z < l.zones.count; ++z)
            for (uint32_t p = 0; p < l.zones.zones[z]->piece_count; ++p) {
                const karst_zone *zone = l.zones.zones[z];
                size_t first = d.first[z] + d.piece[z][p], side = (4u << zone->pieces[p].tiles_log2) + 1;
                karst_zone_fine(zone, p, v);
                for (size_t i = 0; i < side * side; ++i) {
                    double x = (double)f.fine_m * (v[i].x + zone->bias.x),
                           y = (double)f.fine_m * (v[i].y + zone->bias.y),
                           z_m = (double)f.fine_m * (v[i].z + zone->bias.z);
                    const karst_pos *at = &d.at[0][first + i];
                    double e =
                        sqrt((at->x - x) * (at->x - x) + (at->y - y) * (at->y - y) + (at->z - z_m) * (at->z - z_m));
                    double away =
                        sqrt((x - eye.x) * (x - eye.x) + (y - eye.y) * (y - eye.y) + (z_m - eye.z) * (z_m - eye.z));
                    metres = fmax(metres, e);
                    pixels = fmax(pixels, e / (away * karst_view_error_slope(&view, 1)));
                }
            }
        assert_true(fabs(metres - (double)told.metres) < 1e-4);
        assert_true(fabs(pixels - (double)told.pixels) < 1e-2);
        if (k == 0) assert_true(told.metres == 0 && told.metric == 0);
        if (k) assert_true(told.metres > last + 0.05 && told.metric > 0.5f * budget.threshold);
        printf("threshold %.0e: %.1e, %.2f m, %.1f px\n", (double)budget.threshold, (double)told.metric,
               (double)told.metres, (double)told.pixels);
        last = (double)told.metres;
        karst_zone_refined r;
        assert_int_equal(karst_zone_scene_refine(l.scene, &r), KARST_OK);
        karst_zone_error again = karst_zone_frame_error(&f, l.scene, &view);
        assert_memory_equal(&again, &told, sizeof told);
    }
    free(v);
    zone_drawn_free(&l, &d);
    land_free(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_moves_further_than_the_eye),
                                       cmocka_unit_test(the_error_told_is_the_error_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
