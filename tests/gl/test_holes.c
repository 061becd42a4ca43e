// SPDX-License-Identifier: MIT
// Holes and outlines: a pixel shows ground exactly where a ray meets the reference triangles.
#include "stage.h"

enum { W = 160, H = 90, SIDE = 200 };  // 199 cells: the last chunks are partly outside

static karst_view any_view(prop *p, const stage *s, double extent) {
    double x = prop_real(p, -0.1, 1.1) * extent, z = prop_real(p, -0.1, 1.1) * extent, y = 0;
    karst_scene_height(s->scene, x, z, &y);
    karst_pos eye = {x, y + pow(2, prop_real(p, 2, 7)), z};
    karst_pos at = {prop_real(p, 0.2, 0.8) * extent, prop_real(p, -20, 20), prop_real(p, 0.2, 0.8) * extent};
    return karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
}

typedef struct difference {
    long pixels, holes, wrong, far_off;
} difference;

// Compare a picture on red with rays. wrong: pixels that differ although the rays round their middle agree; far_off:
// that differ and have no border between ground and nothing within `reach` pixels.
static void compare(const stage *s, const karst_view *view, const uint8_t *rgb, int reach, difference *d) {
    static bool hit[H][W];
    for (int j = 0; j < H; ++j)
        for (int i = 0; i < W; ++i) hit[j][i] = pixel_hits(s, view, i, j);
    for (int j = 0; j < H; ++j)
        for (int i = 0; i < W; ++i) {
            ++d->pixels;
            d->holes += !hit[j][i];
            if (is_red(rgb + 3 * (j * W + i)) != hit[j][i]) continue;
            bool same = true;
            for (int k = 0; k < 4; ++k)
                same &= pixel_hits(s, view, i + (k & 1 ? 0.03 : -0.03), j + (k & 2 ? 0.03 : -0.03)) == hit[j][i];
            d->wrong += same;
            bool border = false;
            for (int y = j - reach; y <= j + reach; ++y)
                for (int x = i - reach; x <= i + reach; ++x)
                    border |= x >= 0 && y >= 0 && x < W && y < H && hit[y][x] != hit[j][i];
            d->far_off += !border;
        }
}

static difference try_views(const char *name, const karst_budget *budget, bool displaced, int views,
                            const char *defines) {
    static uint8_t rgb[3 * W * H];
    difference d = {0};
    stage s = stage_make(rough_field(SIDE, 2, displaced, true), defines);
    karst_gl_look look = look_on_red();
    for (prop p = prop_begin(name, views); prop_next(&p);) {
        karst_view view = any_view(&p, &s, 2.0 * (SIDE - 1));
        karst_frame frame;
        draw_still(&s, &view, budget, &look, &frame, rgb);
        compare(&s, &view, rgb, 3, &d);
    }
    stage_clear(&s);
    print_message("%s, %s: %ld pixels, %ld without ground, %ld wrong, %ld far off\n", name,
                  displaced ? "displaced" : "heights", d.pixels, d.holes, d.wrong, d.far_off);
    return d;
}

static void full_detail_shows_what_rays_meet(void **state) {
    (void)state;
    need_context();
    karst_budget budget = karst_budget_default();
    budget.full_detail = true;
    for (int displaced = 0; displaced < 2; ++displaced) {
        difference d = try_views("full detail", &budget, displaced, 12, "#define KARST_PLAIN\n");
        assert_true(d.holes > d.pixels / 50);
        assert_true(d.wrong <= d.pixels / 20000);
        assert_int_equal(d.far_off, 0);
    }
}

static void coarser_levels_keep_the_rim(void **state) {
    (void)state;
    need_context();
    karst_budget budget = karst_budget_default();
    budget.error_px = 2;
    for (int displaced = 0; displaced < 2; ++displaced) {
        difference d = try_views("two pixels", &budget, displaced, 12, "#define KARST_PLAIN\n");
        assert_true(d.far_off <= d.pixels / 20000);
    }
}

// Control: without the test of the bit the holes are ground.
static void without_the_bit_holes_are_covered(void **state) {
    (void)state;
    need_context();
    karst_budget budget = karst_budget_default();
    budget.full_detail = true;
    difference d = try_views("no bits", &budget, false, 4, "#define KARST_PLAIN\n#define KARST_NO_BITS\n");
    assert_true(d.wrong > d.pixels / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_detail_shows_what_rays_meet),
        cmocka_unit_test(coarser_levels_keep_the_rim),
        cmocka_unit_test(without_the_bit_holes_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
