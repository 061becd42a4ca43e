// SPDX-License-Identifier: MIT
// What the floats of a frame are relative to: a field and a net on one origin have one place.
#include "karst/zonescene.h"
#include "lod/lod.h"
#include "world.h"

static void a_way_is_whole_steps_and_an_exact_rest(void **state) {
    (void)state;
    int64_t plain = 0;  // the control: rests of eyes as they are
    for (prop p = prop_begin("origin_way", 20000); prop_next(&p);) {
        double ground = prop_real(&p, -1e6, 1e6), eye = ground + prop_real(&p, -1, 1) * exp2(prop_real(&p, -4, 16));
        double way = kst_origin_way(eye, ground), step = exp2(prop_int(&p, -16, 8));
        prop_check(&p, fabs(way - (eye - ground)) <= 0x1p-17);
        float rest, raw;
        int64_t base = kst_origin_base(way, step, INT64_MIN / 2, INT64_MAX / 2, &rest);
        prop_check(&p, (double)base * step + (double)rest == way && rest >= 0 && (double)rest < step);
        base = kst_origin_base(eye - ground, step, INT64_MIN / 2, INT64_MAX / 2, &raw);
        plain += (double)base * step + (double)raw != eye - ground;
    }
    assert_true(plain > 0);
}

static void a_field_and_a_net_are_drawn_from_one_place(void **state) {
    (void)state;
    const karst_pos origin = {5e5 + 0.1, -20.7, 3e5};
    world w = world_make("origin.kpack", 100, 90, 2, 3, true, false, origin);
    karst_zone_scene_def def = karst_zone_scene_def_default();
    def.origin = origin;
    karst_zone_scene *net;
    assert_int_equal(karst_zone_scene_create(&def, &net), KARST_OK);
    int other = 0;
    for (prop p = prop_begin("origin_frames", 50); prop_next(&p);) {
        karst_view view = world_view(&p, &w);
        karst_budget budget = karst_budget_default();
        karst_zone_budget zones = karst_zone_budget_default();
        karst_frame f;
        karst_zone_frame z;
        assert_int_equal(karst_scene_update(w.scene, &view, 1, &budget, &f), KARST_OK);
        karst_zone_scene_update(net, &view, 1, &zones, &z);
        prop_check(&p, !memcmp(&f.origin, &z.origin, sizeof f.origin));
        other += memcmp(&f.origin, &view.eye, sizeof f.origin) != 0;
    }
    assert_true(other > 0);
    karst_zone_scene_destroy(net);
    world_free(&w);
    temp_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_way_is_whole_steps_and_an_exact_rest),
        cmocka_unit_test(a_field_and_a_net_are_drawn_from_one_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
