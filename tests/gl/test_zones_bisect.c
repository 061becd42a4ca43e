// SPDX-License-Identifier: MIT
// Method bisect on the screen: the device has the points of the CPU twin, follows the mesh by what is dirty, and shows
// what method corner shows.
#include "zonestage.h"

enum { W = 240, H = 136, PIXELS = W * H };
typedef uint8_t picture[3 * PIXELS];

static ground begin(bool sample, uint8_t slot, const char *defines) {
    need_context();
    karst_gl_zones_def zones = karst_gl_zones_def_default();
    zones.tiles = stage_tiles();
    zones.anisotropy = 1;  // a processor that draws is four times slower with it
    return ground_make(ground_net(sample, slot), defines, 4, &zones);
}

static karst_view view_of(karst_pos eye, karst_pos at) {
    return karst_view_perspective(eye, at, (karst_vec3){0, 1, 0}, 0.9f, W, H);
}

static karst_zone_budget bisecting(float threshold) {
    karst_zone_budget budget = karst_zone_budget_default();
    budget.method = KARST_ZONE_METHOD_BISECT;
    budget.threshold = threshold;
    return budget;
}

static karst_zone_frame show(ground *g, const karst_view *view, const karst_zone_budget *budget) {
    karst_zone_frame frame;
    karst_zone_scene_update(g->scene, view, 1, budget, &frame);
    assert_int_equal(karst_gl_zones_show(g->zones, &frame), KARST_OK);
    return frame;
}

static void draw(ground *g, const karst_view *view, picture rgb) {
    assert_int_equal(karst_gl_render(g->gl, NULL, view, 0, &g->look, 1, rgb), KARST_OK);
}

// ---- the twin --------------------------------------------------------------------------------------

typedef struct census {
    int64_t points, moved, strange;
} census;

static void *read_buffer(const ground *g, int which, size_t bytes) {
    void *out = malloc(bytes + 1);
    assert_non_null(out);
    glGetNamedBufferSubData(g->zones->bisect.buffer[which], 0, (GLsizeiptr)bytes, out);
    return out;
}

// Corners of all triangles, on the device and by the twin.
static void count_points(const ground *g, const karst_zone_frame *f, census *out) {
    const karst_zone_mesh *m = &f->mesh;
    float(*drawn)[4] = read_buffer(g, KST_BISECT_DRAWN, 16 * (size_t)m->point_count);
    karst_zone_triangle *t = read_buffer(g, KST_BISECT_TRIANGLES, sizeof *t * (size_t)m->triangle_count);
    out->strange += memcmp(t, m->triangles, sizeof *t * (size_t)m->triangle_count) != 0;
    for (uint32_t k = 0; k < m->triangle_count; ++k) {
        if (t[k].point[0] == t[k].point[1]) continue;
        for (int c = 0; c < 3; ++c) {
            uint32_t p = t[k].point[c];
            karst_vec3 twin = karst_zone_frame_point(f, p);
            const int32_t *at = m->points[p].at;
            const float plain[3] = {(float)(at[0] - f->base[0]) * f->fine_m - f->fraction.x,
                                    (float)(at[1] - f->base[1]) * f->fine_m - f->fraction.y,
                                    (float)(at[2] - f->base[2]) * f->fine_m - f->fraction.z};
            ++out->points;
            out->moved += memcmp(plain, &twin, sizeof plain) != 0;
            out->strange += memcmp(drawn[p], &twin, sizeof twin) != 0;
        }
    }
    free(drawn);
    free(t);
}

// Jumps, walks, and zones that come and go, each followed by the device.
static census way_of(const char *defines, int cases) {
    ground g = begin(false, 11, defines);
    census all = {0};
    bool there = true;
    for (prop p = prop_begin("bisect twin", cases); prop_next(&p);) {
        double x = prop_real(&p, 20, 236), z = prop_real(&p, 20, 236);
        karst_zone_budget budget = bisecting((float)exp2(-prop_real(&p, 6, 11)));
        budget.tile_m = (float)prop_real(&p, 0, 50);
        budget.tile_fade_m = (float)prop_real(&p, 1, 40);
        for (int step = 0; step < 4; ++step) {
            karst_pos eye = {x + step * prop_real(&p, 0, 5), 0, z + step * prop_real(&p, 0, 5)};
            eye.y = scene_net_hill(eye.x, eye.z) + 2;
            if (step == 2) {
                uint16_t slot;
                if (there)
                    karst_zone_scene_remove(g.scene, 1);
                else
                    assert_int_equal(karst_zone_scene_add(g.scene, g.cut.zones[1], NULL, &slot), KARST_OK);
                there = !there;
            }
            karst_view view = view_of(eye, (karst_pos){eye.x + 10, eye.y - 3, eye.z});
            karst_zone_frame frame = show(&g, &view, &budget);
            count_points(&g, &frame, &all);
        }
    }
    ground_clear(&g);
    return all;
}

static void the_device_has_the_points_of_the_twin_to_the_bit(void **state) {
    (void)state;
    census all = way_of("", 3), control = way_of("#define KARST_POINTS_STAY\n", 1);
    print_message("%lld corners, %lld of them moved, %lld strange; of points that stay %lld of %lld are strange\n",
                  (long long)all.points, (long long)all.moved, (long long)all.strange, (long long)control.strange,
                  (long long)control.points);
    assert_true(all.moved > 1000);
    assert_int_equal(all.strange, 0);
    assert_true(control.strange > 100);
}

// ---- what goes up ----------------------------------------------------------------------------------

static void a_still_camera_brings_nothing_up_and_a_step_little(void **state) {
    (void)state;
    ground g = begin(true, 15, "");
    karst_zone_budget budget = bisecting(3.5e-4f);
    karst_view view = view_of((karst_pos){60, 40, 100}, (karst_pos){90, 20, 160});
    show(&g, &view, &budget);
    uint64_t first = karst_gl_zones_figures(g.zones).uploaded_bytes;
    karst_zone_frame frame = show(&g, &view, &budget);
    karst_gl_zone_figures still = karst_gl_zones_figures(g.zones);
    assert_int_equal(still.uploaded_bytes, 0);
    assert_int_equal(still.triangles, frame.figures.triangles);
    assert_int_equal(still.vertices, frame.mesh.live_points);
    view.eye.x += 0.1;
    show(&g, &view, &budget);
    uint64_t step = karst_gl_zones_figures(g.zones).uploaded_bytes;
    print_message("%lld triangles; at first %.1f MB go up, from a still camera 0, for a step of 0.1 m %.1f KB\n",
                  (long long)still.triangles, (double)first * 1e-6, (double)step * 1e-3);
    assert_in_range(step, 1, first / 20);
    ground_clear(&g);
}

static int most_difference(const uint8_t *a, const uint8_t *b) {
    int most = 0;
    for (int k = 0; k < 3 * PIXELS; ++k) most = abs(a[k] - b[k]) > most ? abs(a[k] - b[k]) : most;
    return most;
}

// Finest vertices are written over, those in use as well.
static void spoil_fine(karst_gl_zones *z) {
    const uint32_t none = 0;
    for (int32_t s = 0; s < z->stay_room; ++s)
        for (uint32_t p = 0; p < z->stays[s].piece_count; ++p) {
            kst_rows rows = z->stays[s].fine[p].rows;
            if (rows.count)
                glClearNamedBufferSubData(z->pool.buffer, GL_R32UI, (GLintptr)rows.first * 16,
                                          (GLsizeiptr)rows.count * 16, GL_RED_INTEGER, GL_UNSIGNED_INT, &none);
        }
}

// A piece is refined while a triangle of it has a corner inside a tile; else its finest normals may go.
static void refined_pieces_give_way_and_are_counted(void **state) {
    (void)state;
    static picture ample, frugal;
    ground g = begin(true, 15, "");
    karst_gl_zones *few, *all = g.zones;
    karst_gl_zones_def def = karst_gl_zones_def_default();
    def.tiles = stage_tiles();
    def.fine_bytes = 64 << 10;
    def.anisotropy = 1;
    assert_int_equal(karst_gl_zones_create(g.gl, g.scene, &def, &few), KARST_OK);
    int32_t gone = 0, wrong = 0, most = 0, control = 0;
    for (int k = 0; k < 4; ++k) {
        karst_zone_budget budget = bisecting(2e-3f);
        karst_view view = view_of((karst_pos){80 + 80 * k, 24, 60 + 8 * k}, (karst_pos){110 + 80 * k, 12, 100});
        karst_zone_frame frame = show(&g, &view, &budget);
        draw(&g, &view, ample);
        assert_int_equal(karst_gl_zones_show(few, &frame), KARST_OK);
        g.look.zones = few;
        draw(&g, &view, frugal);
        g.look.zones = all;
        gone += karst_gl_zones_figures(all).fine_pieces - karst_gl_zones_figures(few).fine_pieces;
        int here = most_difference(ample, frugal);
        most = here > most ? here : most;
        int64_t named = 0, counted = 0;
        for (uint32_t t = 0; t < frame.mesh.triangle_count; ++t) named += all->bisect.fine_of[t] != UINT32_MAX;
        for (int32_t s = 0; s < all->stay_room; ++s)
            for (uint32_t p = 0; p < all->stays[s].piece_count; ++p) {
                counted += all->stays[s].fine[p].triangles;
                wrong += few->stays[s].fine[p].triangles != all->stays[s].fine[p].triangles;
                wrong += all->stays[s].fine[p].triangles && !all->stays[s].fine[p].rows.count;
            }
        wrong += named != counted || !counted;
        if (k < 3) continue;
        spoil_fine(few);
        g.look.zones = few;
        draw(&g, &view, frugal);
        control = most_difference(ample, frugal);
    }
    karst_gl_zones_destroy(few);
    ground_clear(&g);
    print_message("%d pieces went; pictures without them differ by %d of 255, without those in use by %d\n", gone, most,
                  control);
    assert_true(gone > 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(most, 0);
    assert_true(control > 2);
}

// ---- the same picture as method corner -------------------------------------------------------------

static double mean_difference(const uint8_t *a, const uint8_t *b) {
    int64_t sum = 0;
    for (int k = 0; k < 3 * PIXELS; ++k) sum += abs(a[k] - b[k]);
    return (double)sum / (3 * PIXELS);
}

static void bisect_and_corner_show_the_same_ground(void **state) {
    (void)state;
    static picture by_bisect, by_corner, control;
    static const karst_pos eye[3] = {{372, 18, 40}, {121, 20, 170}, {300, 60, 120}},
                           at[3] = {{392, 30, 88}, {121, 22, 200}, {250, 30, 220}};
    ground g = begin(true, 15, "");
    double most = 0, least = 255;
    for (int k = 0; k < 3; ++k) {
        karst_view view = view_of(eye[k], at[k]);
        karst_zone_budget budget = bisecting(3.5e-4f);
        karst_zone_frame frame = show(&g, &view, &budget);
        long long triangles = frame.mesh.live_triangles;
        draw(&g, &view, by_bisect);
        budget.method = KARST_ZONE_METHOD_CORNER;
        budget.cull = false;
        frame = show(&g, &view, &budget);
        draw(&g, &view, by_corner);
        budget = bisecting(5e-2f);  // control: coarser
        budget.tile_m = 0;
        show(&g, &view, &budget);
        draw(&g, &view, control);
        double same = mean_difference(by_bisect, by_corner), other = mean_difference(control, by_corner);
        print_message("%lld triangles and %lld of corner: pictures differ by %.2f of 255; when coarser by %.2f\n",
                      triangles, (long long)frame.figures.triangles, same, other);
        most = same > most ? same : most;
        least = other < least ? other : least;
    }
    ground_clear(&g);
    assert_true(most < 2);
    assert_true(least > 2 * most);
}

// ---- what no view sees -----------------------------------------------------------------------------

// Culled and not, and seen from the other side, where what was left out is missing.
static void what_no_view_sees_is_left_out_and_the_picture_stays(void **state) {
    (void)state;
    static picture culled, whole;
    ground g = begin(true, 15, "");
    int64_t drawn = 0, all = 0, differ = 0, missed = 0;
    for (prop p = prop_begin("culled", 24); prop_next(&p);) {
        karst_pos eye = {prop_real(&p, 0, 480), prop_real(&p, 5, 90), prop_real(&p, 0, 480)};
        double turn = prop_real(&p, 0, 6.28), rise = prop_real(&p, -0.7, 0.4);
        karst_pos at = {eye.x + sin(turn) * cos(rise), eye.y + sin(rise), eye.z + cos(turn) * cos(rise)};
        karst_view view = view_of(eye, at), back = view_of(eye, (karst_pos){2 * eye.x - at.x, at.y, 2 * eye.z - at.z});
        karst_zone_budget budget = bisecting((float)exp2(-prop_real(&p, 7, 12)));
        budget.cull = false;
        karst_zone_frame frame = show(&g, &view, &budget);
        uint64_t round = frame.mesh.round;
        prop_check(&p, !g.zones->seen.culled && frame.figures.triangles == frame.mesh.live_triangles);
        draw(&g, &back, whole);
        budget.cull = true;
        frame = show(&g, &view, &budget);
        prop_check(&p, frame.mesh.round == round && !frame.mesh.rebuilt);  // the mesh does not know
        draw(&g, &back, culled);
        missed += memcmp(culled, whole, sizeof whole) != 0;
        draw(&g, &view, culled);
        uint32_t command[5];
        glGetNamedBufferSubData(g.zones->seen.buffer[KST_SEEN_COMMAND], 0, sizeof command, command);
        prop_check(&p, g.zones->seen.culled && command[0] == 3 * (uint32_t)frame.figures.triangles && command[1] == 1);
        drawn += frame.figures.triangles, all += frame.mesh.live_triangles;
        show(&g, &view, &budget);
        prop_check(&p, karst_gl_zones_figures(g.zones).uploaded_bytes == 0);  // still, and seen as before
        budget.cull = false;
        show(&g, &view, &budget);
        draw(&g, &view, whole);
        differ += memcmp(culled, whole, sizeof whole) != 0;
    }
    ground_clear(&g);
    print_message("%lld of %lld triangles drawn; %lld pictures differ, from behind %lld\n", (long long)drawn,
                  (long long)all, (long long)differ, (long long)missed);
    assert_int_equal(differ, 0);
    assert_true(missed > 0 && drawn < all * 3 / 4);
}

// ---- closed ground ---------------------------------------------------------------------------------

static long red_pixels(const char *defines) {
    static picture rgb;
    ground g = begin(true, 15, defines);
    karst_gl_look look = look_on_red();
    look.zones = g.zones;
    long red = 0;
    for (prop p = prop_begin("bisect on red", 6); prop_next(&p);) {
        // In the hall of the cave, looking in.
        karst_pos eye = {124 + prop_real(&p, -3, 3), 20 + prop_real(&p, -2, 4), prop_real(&p, 222, 242)};
        double turn = prop_real(&p, -0.5, 0.5), rise = prop_real(&p, -0.5, 0.5);
        karst_view view =
            view_of(eye, (karst_pos){eye.x + sin(turn) * cos(rise), eye.y + sin(rise), eye.z + cos(turn) * cos(rise)});
        karst_zone_budget budget = bisecting((float)exp2(-prop_real(&p, 5, 12)));
        budget.tile_m = (float)prop_real(&p, 0, 20);
        show(&g, &view, &budget);
        assert_int_equal(karst_gl_render(g.gl, NULL, &view, 0, &look, 1, rgb), KARST_OK);
        for (int k = 0; k < PIXELS; ++k) red += is_red(rgb + 3 * k);
    }
    ground_clear(&g);
    return red;
}

static void no_red_shows_in_the_cave(void **state) {
    (void)state;
    long red = red_pixels("#define KARST_PLAIN\n"),
         control = red_pixels("#define KARST_PLAIN\n#define KARST_PATCH_OWNS_EDGE\n");
    print_message("%ld red pixels in 6 frames; with points that triangles move for themselves %ld\n", red, control);
    assert_int_equal(red, 0);
    assert_true(control > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_has_the_points_of_the_twin_to_the_bit),
        cmocka_unit_test(a_still_camera_brings_nothing_up_and_a_step_little),
        cmocka_unit_test(refined_pieces_give_way_and_are_counted),
        cmocka_unit_test(bisect_and_corner_show_the_same_ground),
        cmocka_unit_test(what_no_view_sees_is_left_out_and_the_picture_stays),
        cmocka_unit_test(no_red_shows_in_the_cave),
    };
    if (getenv("KARST_TEST_FILTER")) cmocka_set_test_filter(getenv("KARST_TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
