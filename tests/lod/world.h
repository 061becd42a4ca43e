// SPDX-License-Identifier: MIT
// A baked scene in a temporary file, for tests of level of detail.
#pragma once
#include "karst/bake.h"
#include "karst/scene.h"
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

// All triangles of a frame; *count receives how many. The caller frees.
static inline karst_drawn_vertex *world_expand(const world *w, const karst_frame *frame, int *count) {
    size_t room = frame->patch_count ? (size_t)frame->patch_count : 1;
    karst_drawn_vertex *out = malloc(sizeof *out * 3 * KARST_PATCH_MAX_TRIANGLES * room);
    int n = 0;
    for (int k = 0; k < frame->patch_count; ++k) n += karst_frame_expand(frame, w->scene, k, out + 3 * n);
    *count = n;
    return out;
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

// Fewer cases under KARST_TEST_QUICK; KARST_TEST_FRAMES asks for any number.
static inline int world_frames(int quick, int full) {
    const char *e = getenv("KARST_TEST_FRAMES");
    return e ? atoi(e) : getenv("KARST_TEST_QUICK") ? quick : full;
}

// Where each field vertex is drawn, by the drawn triangle over it; seen: 1 where there is one.
static inline void world_rasterise(const karst_drawn_vertex *t, int triangles, int columns, int rows, karst_vec3 *drawn,
                                   uint8_t *seen) {
    for (int k = 0; k < triangles; ++k) {
        const karst_drawn_vertex *v = t + 3 * k;
        double x0 = v[0].column, z0 = v[0].row, ax = v[1].column - x0, az = v[1].row - z0, bx = v[2].column - x0,
               bz = v[2].row - z0, area = ax * bz - bx * az;
        int lo_x = (int)fmin(fmin(x0, v[1].column), v[2].column), hi_x = (int)fmax(fmax(x0, v[1].column), v[2].column);
        int lo_z = (int)fmin(fmin(z0, v[1].row), v[2].row), hi_z = (int)fmax(fmax(z0, v[1].row), v[2].row);
        for (int z = lo_z; z <= hi_z && z < rows; ++z)
            for (int x = lo_x; x <= hi_x && x < columns; ++x) {
                double p = ((x - x0) * bz - bx * (z - z0)) / area, q = (ax * (z - z0) - (x - x0) * az) / area;
                double r = 1 - p - q;
                if (p < 0 || q < 0 || r < -1e-12) continue;
                drawn[z * columns + x] =
                    (karst_vec3){(float)(r * v[0].position.x + p * v[1].position.x + q * v[2].position.x),
                                 (float)(r * v[0].position.y + p * v[1].position.y + q * v[2].position.y),
                                 (float)(r * v[0].position.z + p * v[1].position.z + q * v[2].position.z)};
                seen[z * columns + x] = 1;
            }
    }
}
