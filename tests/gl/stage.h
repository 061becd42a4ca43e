// SPDX-License-Identifier: MIT
// What renderer tests share: a context, baked worlds, a scene and a renderer.
#pragma once
#include "gl/renderer.h"
#include "karst/bake.h"
#include "karst/tile.h"
#include "scenes/scenes.h"
#include "support/prop.h"

typedef struct stage {
    karst_jobs *jobs;
    karst_pack *pack;
    karst_scene *scene;
    karst_gl *gl;
} stage;

// A context for the whole program, or skip() where none can be had.
static inline void need_context(void) {
    static karst_gl_context *context;
    static bool tried;
    karst_report report = {0};
    if (!tried && karst_gl_context_create(&report, &context)) print_message("skipped: %s\n", report.message);
    tried = true;
    if (!context) skip();
}

// The tiles that Karst makes, once for the whole program.
static inline const karst_tile_bank *stage_tiles(void) {
    static karst_tile_bank bank;
    static bool made;
    if (!made) karst_tile_bank_make(&bank);
    made = true;
    return &bank;
}

// Bake a field and put it on a stage. defines: for the shaders. The field is destroyed.
static inline stage stage_make(karst_field *field, const char *defines) {
    stage s = {0};
    karst_report report = {0};
    const char *path = temp_path("stage.kpack");
    assert_int_equal(karst_jobs_create(NULL, &s.jobs), KARST_OK);
    karst_bake_def bake = karst_bake_def_default();
    bake.jobs = s.jobs;
    karst_bake_info info;
    if (karst_bake_field(field, path, &bake, NULL, &report, &info)) fail_msg("%s", report.message);
    karst_field_destroy(field);
    assert_int_equal(karst_pack_open(path, NULL, &s.pack), KARST_OK);
    karst_scene_def scene = karst_scene_def_default();
    scene.jobs = s.jobs;
    assert_int_equal(karst_scene_create(s.pack, &scene, &s.scene), KARST_OK);
    karst_gl_def def = karst_gl_def_default();
    def.report = &report;
    def.jobs = s.jobs;
    karst_status status =
        *defines ? kst_gl_create_with(s.pack, &def, defines, &s.gl) : karst_gl_create(s.pack, &def, &s.gl);
    if (status) fail_msg("%s", report.message);
    return s;
}

static inline void stage_clear(stage *s) {
    karst_gl_destroy(s->gl);
    karst_scene_destroy(s->scene);
    karst_pack_close(s->pack);
    karst_jobs_destroy(s->jobs);
    *s = (stage){0};
}

static inline karst_field *rough_field(int side, double spacing_m, bool displaced, bool holes) {
    karst_field *field;
    assert_int_equal(scene_rough_field(side, side, spacing_m, 5, displaced, holes, (karst_pos){0, 0, 0}, &field),
                     KARST_OK);
    return field;
}

static inline void draw_still(stage *s, const karst_view *view, const karst_budget *budget, const karst_gl_look *look,
                              karst_frame *frame, uint8_t *rgb) {
    assert_int_equal(karst_scene_settle(s->scene, view, 1, budget, frame), KARST_OK);
    assert_int_equal(karst_gl_render(s->gl, frame, view, 0, look, 1, rgb), KARST_OK);
}

static inline karst_gl_look look_on_red(void) {
    karst_gl_look look = karst_gl_look_default();
    look.sky = false;
    look.background[0] = 1;
    return look;
}
static inline bool is_red(const uint8_t *pixel) {
    return pixel[0] == 255 && !pixel[1] && !pixel[2];
}

// Whether the reference triangles are met by the ray through the middle of pixel (x, y).
static inline bool pixel_hits(const stage *s, const karst_view *view, double x, double y) {
    karst_pos origin, direction;
    karst_view_ray(view, x + 0.5, y + 0.5, &origin, &direction);
    karst_ray ray = karst_ray_make(origin, direction);
    karst_hit hit = {0};
    assert_int_equal(karst_ground_cast(karst_scene_ground(s->scene), &ray, &hit), KARST_OK);
    return hit.hit;
}
