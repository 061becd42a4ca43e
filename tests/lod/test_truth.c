// SPDX-License-Identifier: MIT
// The promise in pixels: no sample is drawn further from its place than told.
#include "world.h"

static world displaced, tall, strip;

static int setup(void **state) {
    (void)state;
    displaced = world_make("displaced.kpack", 333, 270, 2, 5, true, true, (karst_pos){1e6, 20, -1e6});
    tall = world_make("tall.kpack", 513, 513, 4, 9, false, false, (karst_pos){0, 0, 0});
    strip = world_make("strip.kpack", 1600, 60, 2, 6, true, false, (karst_pos){-5e5, 0, 7});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&displaced);
    world_free(&tall);
    world_free(&strip);
    temp_remove();
    return 0;
}

static void measure(const world *w, prop *p, karst_method method, float error_px, double tell, scene_truth *truth) {
    karst_view v = world_view(p, w);
    karst_budget b = world_budget(method);
    b.error_px = error_px;
    scene_truth one = {0};
    prop_check(p, !scene_measure_truth(w->scene, w->field, &w->info.lattice, &v, &b, tell, &one));
    prop_check(p, one.reported_px <= error_px);
    truth->worst_px = fmax(truth->worst_px, one.worst_px);
    truth->samples += one.samples;
    truth->over += one.over;
    truth->unseen += one.unseen;
}

static void no_sample_is_further_off_than_told(void **state) {
    karst_method m = world_method(state);
    scene_truth fine = {0}, coarse = {0}, beside = {0}, control = {0};
    for (prop p = prop_begin("truth", world_frames(8, 16)); prop_next(&p);) measure(&tall, &p, m, 1, 1, &fine);
    for (prop p = prop_begin("truth_coarse", world_frames(8, 10)); prop_next(&p);)
        measure(&tall, &p, m, 12, 1, &coarse);
    for (prop p = prop_begin("truth_displaced", world_frames(8, 16)); prop_next(&p);)
        measure(&displaced, &p, m, prop_chance(&p, 0.5) ? 4 : 30, 1, &beside);
    for (prop p = prop_begin("truth", world_frames(8, 8)); prop_next(&p);) measure(&tall, &p, m, 8, 0.125, &control);
    print_message(
        "%s: heights: worst %.3f of 1 px asked, %.3f of 12; displaced, 4 or 30 px asked: worst %.3f px; %lld samples, "
        "%lld over what was told; control: %lld over\n",
        karst_method_name(m), fine.worst_px, coarse.worst_px, beside.worst_px,
        (long long)(fine.samples + coarse.samples + beside.samples), (long long)(fine.over + coarse.over + beside.over),
        (long long)control.over);
    assert_true(fine.samples > 100000 && coarse.samples > 100000 && beside.samples > 10000);
    assert_int_equal(fine.unseen + coarse.unseen, 0);
    assert_int_equal(fine.over + coarse.over + beside.over, 0);
    assert_true(control.over > 0);
}

// Where memory keeps ground coarse, the frame says so, and its error is still the largest there is.
static void what_memory_keeps_coarse_is_told(void **state) {
    karst_method m = world_method(state);
    const world *worlds[] = {&displaced, &tall, &strip};
    scene_truth truth = {0};
    int kept = 0, plenty = 0;
    for (prop p = prop_begin("truth_memory", world_frames(9, 24)); prop_next(&p);) {
        const world *w = worlds[p.at % 3];
        karst_scene_def def = karst_scene_def_default();
        def.memory_bytes = (uint64_t)prop_int(&p, 16, 90) * sizeof(karst_chunk);
        karst_scene *scene;
        prop_check(&p, !karst_scene_create(w->pack, &def, &scene));
        karst_view v = world_view(&p, w);
        karst_budget b = world_budget(m);
        b.error_px = (float)exp(prop_real(&p, -1, 6));
        b.cull = false;
        scene_truth one = {0};
        prop_check(&p, !scene_measure_truth(scene, w->field, &w->info.lattice, &v, &b, 1, &one));
        karst_frame f;
        prop_check(&p, !karst_scene_settle(scene, &v, 1, &b, &f));
        prop_check(&p, f.figures.kept_for_memory || one.reported_px <= (double)b.error_px);
        kept += one.reported_px > (double)b.error_px;
        plenty += !f.figures.kept_for_memory;
        truth.over += one.over;
        truth.samples += one.samples;
        b.full_detail = true;
        prop_check(&p, !karst_scene_settle(scene, &v, 1, &b, &f));
        prop_check(&p, !f.figures.kept_for_memory == !(f.figures.worst_error_px > 0));
        karst_scene_destroy(scene);
    }
    print_message("%s, little memory: %d frames over the error asked, %d had enough; %lld samples, %lld over\n",
                  karst_method_name(m), kept, plenty, (long long)truth.samples, (long long)truth.over);
    assert_int_equal(truth.over, 0);
    assert_true(!world_many() || (kept > 0 && plenty > 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {EVERY_METHOD(no_sample_is_further_off_than_told),
                                       EVERY_METHOD(what_memory_keeps_coarse_is_told)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
