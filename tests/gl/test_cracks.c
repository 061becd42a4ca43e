// SPDX-License-Identifier: MIT
// Closed ground on red: a red pixel would be a crack.
#include "stage.h"

enum { W = 320, H = 180, SIDE = 513, CONTROLS = 10 };

typedef enum ground { HEIGHTS, DISPLACED, STEPS, GROUNDS } ground;
static const char *const ground_name[GROUNDS] = {"heights", "displaced", "steps of 1000 m"};

// Blocks of a few cells, each 0 or 1000 m high: every coarser level is off by a kilometre somewhere, so any edge that
// two patches draw differently gapes.
static karst_field *step_field(int side, double spacing_m) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){side, side, spacing_m, {0, 0, 0}};
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    float row[SIDE];
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i)
            row[i] = kst_random(3, (uint64_t)(j / 22) << 32 | (uint64_t)(i / 26)) & 1 ? 1000 : 0;
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, side, j + 1}, row, NULL, NULL, side), KARST_OK);
    }
    return field;
}

static double spacing_of(ground kind) {
    return kind == STEPS ? 6 : 2;
}

static stage stage_of(ground kind, const char *defines) {
    return stage_make(kind == STEPS ? step_field(SIDE, spacing_of(kind))
                                    : rough_field(SIDE, spacing_of(kind), kind == DISPLACED, false),
                      defines);
}

// Whether the rays of all pixels come down inside the field, however it is drawn: the view's corners reach the lowest
// ground inside its outline.
// skirt_m: how far the ground goes on beyond it.
static bool looks_inside(const stage *s, const karst_view *view, double skirt_m) {
    karst_box b = karst_ground_bounds(karst_scene_ground(s->scene));
    b.min.x -= skirt_m, b.min.z -= skirt_m, b.max.x += skirt_m, b.max.z += skirt_m;
    for (int k = 0; k < 4; ++k) {
        karst_pos o, d;
        karst_view_ray(view, k & 1 ? W : 0, k & 2 ? H : 0, &o, &d);
        double t = (b.min.y - o.y) / d.y, x = o.x + d.x * t, z = o.z + d.z * t;
        if (!(d.y < 0 && x > b.min.x && x < b.max.x && z > b.min.z && z < b.max.z)) return false;
    }
    return true;
}

// Whether nothing is nearer than a metre or so, where the near plane would cut it.
static bool is_clear(const stage *s, karst_pos eye) {
    for (int k = 0; k < 8; ++k) {
        double y, x = eye.x + cos(k * 0.785), z = eye.z + sin(k * 0.785);
        if (!karst_scene_height(s->scene, x, z, &y) || y > eye.y - 0.5) return false;
    }
    return true;
}

// A camera that looks down so that every ray meets ground.
static karst_view camera_over(prop *p, const stage *s, double extent) {
    for (;;) {
        double x = prop_real(p, 0.2, 0.8) * extent, z = prop_real(p, 0.2, 0.8) * extent, y;
        assert_true(karst_scene_height(s->scene, x, z, &y));
        y += pow(2, prop_real(p, 1, 8));
        double turn = prop_real(p, 0, 6.2831853), down = prop_real(p, 0.5, 1.5);
        karst_pos eye = {x, y, z};
        karst_pos at = {x + cos(turn) * cos(down), y - sin(down), z + sin(turn) * cos(down)};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        if (looks_inside(s, &view, 0) && is_clear(s, eye)) return view;
    }
}

// KARST_TEST_CAMERAS asks for any number.
static int cameras(int few) {
    const char *asked = getenv("KARST_TEST_CAMERAS");
    return asked ? atoi(asked) : few;
}

typedef struct leak {
    long pixels;
    int frames;  // with any
    int first;   // case of the first
    int levels;  // bit l: chunks of level l were drawn
} leak;

// Red pixels over `count` cameras.
static leak red_pixels(stage *s, karst_method method, ground kind, int count) {
    static uint8_t rgb[3 * W * H];
    karst_gl_look look = look_on_red();
    leak sum = {0};
    for (prop p = prop_begin("cracks", count); prop_next(&p);) {
        karst_view view = camera_over(&p, s, spacing_of(kind) * (SIDE - 1));
        karst_budget budget = karst_budget_default();
        budget.method = method;
        budget.error_px = (float)pow(2, kind == STEPS ? prop_real(&p, 8, 13) : prop_real(&p, 0, 7));
        karst_frame frame;
        draw_still(s, &view, &budget, &look, &frame, rgb);
        long here = 0;
        for (int k = 0; k < W * H; ++k) here += is_red(rgb + 3 * k);
        for (int k = 0; k < frame.chunk_count; ++k) sum.levels |= 1 << frame.chunks[k].level;
        sum.pixels += here;
        sum.frames += here > 0;
        if (here) sum.first = sum.frames > 1 ? sum.first : p.at;
    }
    return sum;
}

static void no_red_shows_through_closed_ground(void **state) {
    (void)state;
    need_context();
    int count = cameras(25);
    for (int kind = 0; kind < GROUNDS; ++kind) {
        stage s = stage_of((ground)kind, "#define KARST_PLAIN\n");
        for (int k = 0; k < KARST_METHOD_COUNT; ++k) {
            leak red = red_pixels(&s, (karst_method)k, (ground)kind, count);
            print_message("%s, %s: %ld red pixels in %d of %d frames", karst_method_name((karst_method)k),
                          ground_name[kind], red.pixels, red.frames, test_count(count));
            print_message(red.frames ? ", first in case %d\n" : "\n", red.first);
            assert_true((red.levels & (red.levels - 1)) || getenv("KARST_TEST_QUICK"));
            assert_int_equal(red.pixels, 0);
        }
        stage_clear(&s);
    }
}

// Control: a patch that takes its own level on its edges must leak.
static void unmatched_edges_show_red(void **state) {
    (void)state;
    need_context();
    const ground kinds[2] = {HEIGHTS, STEPS};
    for (int g = 0; g < 2; ++g) {
        stage s = stage_of(kinds[g], "#define KARST_PLAIN\n#define KARST_PATCH_OWNS_EDGE\n");
        for (int k = 0; k < KARST_METHOD_COUNT; ++k) {
            leak red = red_pixels(&s, (karst_method)k, kinds[g], CONTROLS);
            print_message("control, %s, %s: %ld red pixels in %d of %d frames\n", karst_method_name((karst_method)k),
                          ground_name[kinds[g]], red.pixels, red.frames, test_count(CONTROLS));
            assert_true(red.frames > 0 || getenv("KARST_TEST_QUICK"));  // a control needs its cameras
        }
        stage_clear(&s);
    }
}

// A camera near an edge or a corner of the ground that has some of the skirt in its picture and sees no end of it.
static karst_view camera_at_rim(prop *p, const stage *s, double extent, double skirt_m) {
    for (;;) {
        double y, rim = pow(2, prop_real(p, 2, 7)),
                  along = prop_chance(p, 0.3) ? rim : prop_real(p, 0.05, 0.95) * extent;
        double x = rim, z = along;
        if (prop_chance(p, 0.5)) x = along, z = rim;
        if (prop_chance(p, 0.5)) x = extent - x;
        if (prop_chance(p, 0.5)) z = extent - z;
        if (!karst_scene_height(s->scene, x, z, &y)) continue;
        y += pow(2, prop_real(p, 1, 7));
        double turn = prop_real(p, 0, 6.2831853), down = prop_real(p, 0.4, 1.5);
        karst_pos eye = {x, y, z};
        karst_pos at = {x + cos(turn) * cos(down), y - sin(down), z + sin(turn) * cos(down)};
        karst_view view = karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
        if (looks_inside(s, &view, 0.8 * skirt_m) && !looks_inside(s, &view, 0) && is_clear(s, eye)) return view;
    }
}

// Red pixels over `count` cameras at the rim. coarse: the control, with skirts that take no care of the outline.
static leak red_pixels_at_rim(stage *s, karst_method method, double extent, int count, bool coarse) {
    static uint8_t rgb[3 * W * H];
    karst_gl_look look = look_on_red();
    leak sum = {0};
    for (prop p = prop_begin("skirt", count); prop_next(&p);) {
        karst_budget budget = karst_budget_default();
        budget.method = method;
        budget.error_px = (float)pow(2, prop_real(&p, 0, 6));
        budget.skirt_m = (float)(0.5 * extent);
        karst_view view = camera_at_rim(&p, s, extent, 0.5 * extent);
        karst_frame frame;
        assert_int_equal(karst_scene_settle(s->scene, &view, 1, &budget, &frame), KARST_OK);
        karst_patch *patches = malloc((size_t)frame.patch_count * sizeof *patches);
        memcpy(patches, frame.patches, (size_t)frame.patch_count * sizeof *patches);
        for (int k = 0; k < frame.patch_count && coarse; ++k) {
            const karst_frame_chunk *c = &frame.chunks[patches[k].chunk_index];
            for (int q = 0; q < 4 && (c->mirror_x || c->mirror_z); ++q) patches[k].corner_level[q] = 4;
        }
        frame.patches = patches;
        assert_int_equal(karst_gl_render(s->gl, &frame, &view, 0, &look, 1, rgb), KARST_OK);
        free(patches);
        long here = 0;
        for (int k = 0; k < W * H; ++k) here += is_red(rgb + 3 * k);
        for (int k = 0; k < frame.chunk_count; ++k) sum.levels |= 1 << frame.chunks[k].level;
        sum.pixels += here;
        sum.frames += here > 0;
    }
    return sum;
}

// On ground whose patches end on its outline, and on ground whose outline runs through patches and cells of them.
static void no_red_shows_through_a_skirt(void **state) {
    (void)state;
    need_context();
    int count = cameras(8);
    for (int kind = 0; kind < 4; ++kind) {
        int side = kind & 2 ? 470 : 449;
        stage s = stage_make(rough_field(side, 2, kind & 1, false), "#define KARST_PLAIN\n");
        for (int k = 0; k < KARST_METHOD_COUNT; ++k) {
            leak red = red_pixels_at_rim(&s, (karst_method)k, 2.0 * (side - 1), count, false);
            print_message("%s, %s, %d vertices, at the rim: %ld red pixels in %d of %d frames\n",
                          karst_method_name((karst_method)k), ground_name[kind & 1], side, red.pixels, red.frames,
                          test_count(count));
            assert_int_equal(red.pixels, 0);
        }
        leak red = red_pixels_at_rim(&s, KARST_METHOD_GRID, 2.0 * (side - 1), CONTROLS, true);
        print_message("control, %s, %d vertices, at the rim: %ld red pixels in %d of %d frames\n",
                      ground_name[kind & 1], side, red.pixels, red.frames, test_count(CONTROLS));
        assert_true(red.frames > 0 || getenv("KARST_TEST_QUICK"));  // a control needs its cameras
        stage_clear(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_red_shows_through_closed_ground),
        cmocka_unit_test(unmatched_edges_show_red),
        cmocka_unit_test(no_red_shows_through_a_skirt),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
