// SPDX-License-Identifier: MIT
// A baked scene in a temporary file, for tests of level of detail.
#pragma once
#include "karst/bake.h"
#include "karst/scene.h"
#include "scenes/drawn.h"
#include "scenes/scenes.h"
#include "support/prop.h"

typedef struct world {
    karst_field *field;
    karst_pack *pack;
    karst_scene *scene;
    karst_pack_info info;
} world;

static inline world world_make(const char *name, int columns, int rows, double spacing_m, uint64_t seed, bool displaced,
                               bool holes, karst_pos origin) {
    world w = {0};
    assert_int_equal(scene_rough_field(columns, rows, spacing_m, seed, displaced, holes, origin, &w.field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    const char *path = temp_path(name);
    if (karst_bake_field(w.field, path, &def, NULL, &report, NULL)) fail_msg("bake: %s", report.message);
    assert_int_equal(karst_pack_open(path, NULL, &w.pack), KARST_OK);
    assert_int_equal(karst_scene_create(w.pack, NULL, &w.scene), KARST_OK);
    w.info = karst_pack_info_of(w.pack);
    return w;
}

static inline void world_free(world *w) {
    karst_scene_destroy(w->scene);
    karst_pack_close(w->pack);
    karst_field_destroy(w->field);
}

// A camera near the ground of the world: mostly low, sometimes far.
static inline karst_view world_view(prop *p, const world *w) {
    karst_box b = w->info.bounds;
    karst_pos eye = {prop_real(p, b.min.x, b.max.x), 0, prop_real(p, b.min.z, b.max.z)};
    double high = prop_real(p, 0, 1), size = b.max.x - b.min.x;
    eye.y = prop_real(p, b.min.y, b.max.y) + high * high * high * size;
    if (prop_chance(p, 0.1)) eye.x += prop_real(p, -2, 2) * size;
    karst_pos look = {prop_real(p, b.min.x, b.max.x), prop_real(p, b.min.y, b.max.y), prop_real(p, b.min.z, b.max.z)};
    return karst_view_perspective(eye, look, (karst_vec3){0, 1, 0}, (float)prop_real(p, 0.4, 1.6), 1920, 1080);
}

// A test once a method: EVERY_METHOD(test) in the list of tests, world_method(state) in the test.
#define METHOD_TEST(test, method) \
    { #test ", " #method, test, NULL, NULL, (void *)(intptr_t)(method) }
#define EVERY_METHOD(test) \
    METHOD_TEST(test, KARST_METHOD_GRID), METHOD_TEST(test, KARST_METHOD_TESS), METHOD_TEST(test, KARST_METHOD_RINGS)
static inline karst_method world_method(void **state) {
    return (karst_method)(intptr_t)*state;
}
static inline karst_budget world_budget(karst_method method) {
    karst_budget b = karst_budget_default();
    b.method = method;
    return b;
}

// Whether there are enough cases to expect that each kind of them occurs.
static inline bool world_many(void) {
    return !getenv("KARST_TEST_QUICK");
}

// Fewer cases under KARST_TEST_QUICK; KARST_TEST_FRAMES asks for any number.
static inline int world_frames(int quick, int full) {
    const char *e = getenv("KARST_TEST_FRAMES");
    return e ? atoi(e) : getenv("KARST_TEST_QUICK") ? quick : full;
}
