// SPDX-License-Identifier: MIT
// Scenes: whatever memory, threads or files do, a frame is whole or the last one stays.
#include "world.h"

static world tall;

static int setup(void **state) {
    (void)state;
    tall = world_make("scene.kpack", 300, 200, 4, 3, false, true, (karst_pos){10, 0, -10});
    return 0;
}

static int teardown(void **state) {
    (void)state;
    world_free(&tall);
    temp_remove();
    return 0;
}

// Every allocation of a scene and of its first updates fails in turn: an error, nothing lost, and the next update is
// whole.
static void a_scene_survives_a_lack_of_memory(void **state) {
    karst_budget b = world_budget(world_method(state));
    karst_pos eye = {600, 80, 300};
    karst_view v = karst_view_perspective(eye, (karst_pos){0, 0, 0}, (karst_vec3){0, 1, 0}, 1, 640, 360);
    int refused = 0;
    for (uint64_t n = 1; n < 400; ++n) {
        karst_scene *scene = NULL;
        karst_frame f = {.patch_count = -7}, want;
        kst_alloc_fail_after(n);
        karst_status status = karst_scene_create(tall.pack, NULL, &scene);
        if (!status) status = karst_scene_settle(scene, &v, 1, &b, &f);
        kst_alloc_fail_after(0);
        if (status) {
            ++refused;
            assert_int_equal(status, KARST_ERROR_MEMORY);
            assert_int_equal(f.patch_count, -7);
        }
        if (scene) {
            assert_int_equal(karst_scene_settle(scene, &v, 1, &b, &want), KARST_OK);
            assert_true(want.patch_count > 0 && want.figures.chunks_awaited == 0);
        }
        karst_scene_destroy(scene);
        if (!status) break;
    }
    assert_true(refused > 5);
}

static uint64_t frame_hash(const karst_frame *f) {
    uint64_t h = kst_hash(f->patches, sizeof *f->patches * (size_t)f->patch_count, 1);
    return kst_hash_u64(h, kst_hash(f->batches, sizeof *f->batches * (size_t)f->batch_count, 2));
}

static void the_frame_does_not_depend_on_threads(void **state) {
    uint64_t want[12] = {0};
    for (int workers = 1; workers <= 5; workers += workers == 1 ? 1 : 3) {
        karst_jobs_def jobs_def = karst_jobs_def_default();
        jobs_def.worker_count = workers;
        karst_scene_def def = karst_scene_def_default();
        assert_int_equal(karst_jobs_create(&jobs_def, &def.jobs), KARST_OK);
        karst_scene *scene;
        assert_int_equal(karst_scene_create(tall.pack, &def, &scene), KARST_OK);
        int at = 0;
        for (prop p = prop_begin("scene_threads", 12); prop_next(&p);) {
            karst_view v = world_view(&p, &tall);
            karst_budget b = world_budget(world_method(state));
            b.load_limit = prop_int(&p, 1, 20);
            b.wait = true;
            karst_frame f;
            prop_check(&p, !karst_scene_update(scene, &v, 1, &b, &f));
            if (workers == 1) want[at] = frame_hash(&f);
            prop_check(&p, frame_hash(&f) == want[at]);
            ++at;
        }
        karst_scene_destroy(scene);
        karst_jobs_destroy(def.jobs);
    }
}

// What the pack says about sideways moves: none in a height field, and no vertex further in a displaced one.
static void a_pack_tells_how_far_vertices_lie_beside_their_place(void **state) {
    (void)state;
    assert_true(tall.info.beside_m == 0);
    world moved = world_make("moved.kpack", 130, 70, 2, 5, true, false, (karst_pos){0, 0, 0});
    static float y[130 * 70], x[130 * 70], z[130 * 70];
    assert_int_equal(karst_field_read(moved.field, (karst_rect){0, 0, 130, 70}, y, x, z, 130), KARST_OK);
    float most = 0;
    for (int k = 0; k < 130 * 70; ++k) most = fmaxf(most, fmaxf(fabsf(x[k]), fabsf(z[k])));
    assert_true(most > 1 && fabsf(moved.info.beside_m - most) < 0.1f);
    world_free(&moved);
}

static void every_method_has_a_name_that_finds_it(void **state) {
    (void)state;
    char all[256] = "";
    for (int k = 0; k < KARST_METHOD_COUNT; ++k) {
        const char *name = karst_method_name((karst_method)k);
        karst_method found = (karst_method)KARST_METHOD_COUNT;
        assert_true(karst_method_find(name, &found) && found == (karst_method)k);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", name);
    }
    assert_string_equal(all, KARST_METHOD_NAMES);
    karst_method same = KARST_METHOD_GRID;
    assert_false(karst_method_find("no such", &same));
    assert_false(karst_method_find("", &same));
    assert_int_equal(same, KARST_METHOD_GRID);
}

typedef struct held {
    int level, column, row;
} held;

static void take_uploads(held *slots, const karst_frame *f) {
    for (int k = 0; k < f->upload_count; ++k) {
        const karst_upload *u = &f->uploads[k];
        assert_true(u->slot < 16 && u->chunk);
        slots[u->slot] = (held){u->level, u->column, u->row};
    }
}

static bool are_held(const held *slots, const karst_frame *f) {
    for (int k = 0; k < f->chunk_count; ++k) {
        const karst_frame_chunk *c = &f->chunks[k];
        const held *h = &slots[c->slot];
        if (h->level != c->level || h->column != c->column || h->row != c->row) return false;
    }
    return true;
}

// Every chunk that a frame draws from was uploaded before or with that frame, also when updates between failed.
// `forget` is the control: a renderer that misses an upload does not hold what it draws.
static bool walk_with_failures(karst_method method, bool forget, int *failed) {
    karst_scene_def def = karst_scene_def_default();
    def.slot_count = 16;
    bool all = true;
    for (prop p = prop_begin("scene_uploads", 150); prop_next(&p);) {
        karst_scene *scene;
        assert_int_equal(karst_scene_create(tall.pack, &def, &scene), KARST_OK);
        held slots[16];
        for (int k = 0; k < 16; ++k) slots[k].level = -1;
        for (int step = 0; step < 8; ++step) {
            karst_view v = world_view(&p, &tall);
            karst_budget b = world_budget(method);
            b.load_limit = prop_int(&p, 1, 8);
            b.error_px = (float)exp(prop_real(&p, 0, 5));
            if (step < 4) kst_alloc_fail_after((uint64_t)prop_int(&p, 1, 20));
            karst_frame f = {0};
            karst_status status = karst_scene_update(scene, &v, 1, &b, &f);
            kst_alloc_fail_after(0);
            *failed += status != KARST_OK;
            if (status) continue;
            if (!forget || prop_chance(&p, 0.5)) take_uploads(slots, &f);
            all &= are_held(slots, &f);
        }
        karst_scene_destroy(scene);
    }
    return all;
}

static void every_slot_drawn_was_uploaded(void **state) {
    int failed = 0, unused = 0;
    assert_true(walk_with_failures(world_method(state), false, &failed));
    assert_true(failed > 0);
    assert_false(walk_with_failures(world_method(state), true, &unused));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        EVERY_METHOD(a_scene_survives_a_lack_of_memory),
        EVERY_METHOD(the_frame_does_not_depend_on_threads),
        EVERY_METHOD(every_slot_drawn_was_uploaded),
        cmocka_unit_test(a_pack_tells_how_far_vertices_lie_beside_their_place),
        cmocka_unit_test(every_method_has_a_name_that_finds_it),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
