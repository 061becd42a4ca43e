// SPDX-License-Identifier: MIT
// Strokes: dabs along a path, order, and the files that hold them.
#include "karst/stroke.h"

#include "edit/ground.h"

static karst_recordings parse(const char *text) {
    karst_recordings all = {0};
    karst_report report = {0};
    if (karst_recordings_parse(text, strlen(text), "test", &report, &all)) print_error("%s\n", report.message);
    assert_non_null(all.strokes);
    return all;
}

static karst_touched draw_one(karst_field *field, const karst_recording *r, karst_jobs *jobs) {
    karst_canvas canvas = {.shown = field, .target = field};
    karst_stroke *stroke;
    karst_touched touched;
    assert_int_equal(karst_stroke_create(&canvas, &r->brush, jobs, NULL, &stroke), KARST_OK);
    for (size_t k = 0; k < r->count; ++k) assert_int_equal(karst_stroke_add(stroke, &r->points[k]), KARST_OK);
    assert_int_equal(karst_stroke_end(stroke, &touched), KARST_OK);
    karst_stroke_destroy(stroke);
    return touched;
}

static karst_touched draw(karst_field *field, const char *text) {
    karst_recordings all = parse(text);
    karst_touched sum = {0};
    for (size_t k = 0; k < all.count; ++k) {
        karst_touched t = draw_one(field, &all.strokes[k], NULL);
        sum.dabs += t.dabs;
        sum.samples += t.samples;
    }
    karst_recordings_free(&all);
    return sum;
}

static vertices drawn(const char *text) {
    karst_field *field = flat_field(129, 129, 1);
    draw(field, text);
    vertices v = vertices_of(field);
    karst_field_destroy(field);
    return v;
}

static bool same_ground(const char *one, const char *two) {
    vertices a = drawn(one), b = drawn(two);
    bool same = all_same(&a, &b);
    vertices_free(&a), vertices_free(&b);
    return same;
}

// ---- dabs ----------------------------------------------------------------------------------------------

static void a_path_in_more_events_is_the_same_stroke(void **state) {
    (void)state;
    const char *brush = "karst-strokes 1\nbrush raise radius=16 strength=1 spacing=0.25\n";
    char one[256], two[256], other[256];
    snprintf(one, sizeof one, "%s20 30\n84 30\n", brush);
    snprintf(two, sizeof two, "%s20 30\n21 30\n36.5 30\n36.5 30\n77 30\n84 30\n", brush);
    snprintf(other, sizeof other, "%s20 30\n84 31\n", brush);
    assert_true(same_ground(one, two));
    assert_false(same_ground(one, other));
    karst_field *field = flat_field(129, 129, 1);
    assert_int_equal(draw(field, one).dabs, 17);  // 64 m, one every 4
    karst_field_destroy(field);
}

static void strokes_are_drawn_in_their_order(void **state) {
    (void)state;
    const char *raise = "brush raise radius=20 strength=5\n60 60\n",
               *flatten = "brush flatten radius=20 strength=1\n64 60\n";
    char one[256], two[256];
    snprintf(one, sizeof one, "karst-strokes 1\n%s%s", raise, flatten);
    snprintf(two, sizeof two, "karst-strokes 1\n%s%s", flatten, raise);
    assert_true(same_ground(one, one));
    assert_false(same_ground(one, two));
}

static const char many[] =
    "karst-strokes 1\n"
    "brush raise radius=60 strength=4 along=normal pressure-size=0.5 mirror-x=yes middle=128,128\n"
    "60 60\n100 90 pressure=0.5\n140 200 pressure=1\n"
    "brush noise radius=90 strength=2 detail=9 along=vertex vary-place=0.5 vary-size=0.3 seed=7\n"
    "20 20\n220 230\n"
    "brush smooth radius=70 strength=0.5 detail=2 per=second\n"
    "100 100\n150 150 time=1\n150 150 time=2\n"
    "brush grab radius=50 strength=1 falloff=sharp\n"
    "128 10 128\n150 30 128\n";

static void a_file_gives_the_same_bytes_for_any_number_of_workers(void **state) {
    (void)state;
    uint64_t hash[3];
    const int workers[3] = {1, 2, 5};
    karst_recordings all = parse(many);
    for (int w = 0; w < 3; ++w) {
        karst_jobs_def def = karst_jobs_def_default();
        def.worker_count = workers[w];
        karst_jobs *jobs;
        assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
        karst_field *field = flat_field(257, 257, 1);
        for (size_t k = 0; k < all.count; ++k) draw_one(field, &all.strokes[k], jobs);
        vertices v = vertices_of(field);
        assert_true(borders_are_equal(field));
        hash[w] = kst_hash(v.y, 3 * vertex_count(&v) * sizeof(float), 0);
        vertices_free(&v);
        karst_field_destroy(field);
        karst_jobs_destroy(jobs);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
    karst_recordings_free(&all);
}

static void a_point_on_the_ground_follows_it_and_off_the_ground_lifts_the_pen(void **state) {
    (void)state;
    karst_field *field = flat_field(129, 129, 1);
    float up[129];
    for (int i = 0; i < 129; ++i) up[i] = (float)i;
    for (int j = 0; j < 129; ++j) karst_field_write(field, (karst_rect){0, j, 129, j + 1}, up, NULL, NULL, 129);
    // In space a stroke at height 0 meets only the low side, on the ground it climbs.
    vertices before = vertices_of(field);
    draw(field, "karst-strokes 1\nbrush raise radius=8 strength=1\n10 0 64\n110 0 64\n");
    vertices space = vertices_of(field);
    assert_true(same_bits(&before, &space, 64 * 129 + 100) && !same_bits(&before, &space, 64 * 129 + 4));
    draw(field, "karst-strokes 1\nbrush raise radius=8 strength=1\n10 64\n110 64\n");
    vertices ground = vertices_of(field);
    assert_false(same_bits(&space, &ground, 64 * 129 + 100));
    // Out over the border and back in: no line between the two places.
    karst_touched t = draw(field, "karst-strokes 1\nbrush raise radius=8 strength=1\n100 20\n200 20\n100 100\n");
    assert_int_equal(t.dabs, 2);
    // A ray finds the slope: x = y there.
    t = draw(field, "karst-strokes 1\nbrush raise radius=2 strength=9\nray 30 20 20 -1 0 0\nray 0 300 0 0 1 0\n");
    vertices rayed = vertices_of(field);
    assert_int_equal(t.dabs, 1);
    assert_false(same_bits(&ground, &rayed, 20 * 129 + 20) && same_bits(&ground, &rayed, 20 * 129 + 21));
    vertices_free(&before), vertices_free(&space), vertices_free(&ground), vertices_free(&rayed);
    karst_field_destroy(field);
}

static void a_pull_makes_an_overhang_and_a_grab_is_one_dab(void **state) {
    (void)state;
    karst_field *field = flat_field(129, 129, 1);
    draw(field,
         "karst-strokes 1\n"
         "brush raise radius=30 strength=25 spacing=0.2\n40 64\n90 64\n"
         "brush pull radius=14 strength=1 spacing=0.05\n64 20 50\n64 26 10\n");
    karst_level level[8];
    int count, most = 0;
    for (double z = 5; z < 60; z += 1) {
        assert_int_equal(karst_ground_heights(karst_field_ground(field), 64, z, level, 8, &count), KARST_OK);
        most = count > most ? count : most;
    }
    assert_true(most >= 3);
    karst_field_destroy(field);

    vertices grabbed = drawn("karst-strokes 1\nbrush grab radius=20 strength=1\n64 0 64\n70 9 60\n72 8 70\n");
    field = flat_field(129, 129, 1);
    karst_brush_def def = karst_brush_def_default();
    def.kind = KARST_BRUSH_GRAB;
    def.radius_m = 20;
    karst_canvas canvas = {.shown = field, .target = field};
    karst_dab dab = {.centre = {64, 0, 64}, .motion = {8, 8, 6}, .pressure = 1};
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL), KARST_OK);
    vertices once = vertices_of(field);
    assert_true(all_same(&grabbed, &once));
    vertices_free(&grabbed), vertices_free(&once);
    karst_field_destroy(field);

    // On the way it shows, and back at its beginning nothing has changed: points on the ground are on that of before.
    field = flat_field(129, 129, 1);
    canvas = (karst_canvas){.shown = field, .target = field};
    vertices flat = vertices_of(field);
    karst_stroke *stroke;
    assert_int_equal(karst_stroke_create(&canvas, &def, NULL, NULL, &stroke), KARST_OK);
    karst_stroke_point way[3] = {karst_stroke_point_at(64, 64), karst_stroke_point_at(70, 60),
                                 karst_stroke_point_at(64, 64)};
    way[1].kind = KARST_POINT_SPACE;
    way[1].position.y = 12;
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(karst_stroke_add(stroke, &way[k]), KARST_OK);
        vertices now = vertices_of(field);
        assert_true(all_same(&now, &flat) == (k != 1));
        vertices_free(&now);
    }
    assert_int_equal(karst_stroke_end(stroke, NULL), KARST_OK);
    karst_stroke_destroy(stroke);
    vertices_free(&flat);
    karst_field_destroy(field);
}

static void a_resting_pen_adds_by_the_second(void **state) {
    (void)state;
    const char *rest = "karst-strokes 1\nbrush raise radius=8 strength=2 per=second\n64 0 64 time=1\n64 0 64 time=%g\n";
    char text[256];
    snprintf(text, sizeof text, rest, 1.5);
    vertices a = drawn(text);
    snprintf(text, sizeof text, rest, 3.0);
    vertices b = drawn(text);
    assert_true(a.y[64 * 129 + 64] == 1 && b.y[64 * 129 + 64] == 4);
    vertices_free(&a), vertices_free(&b);
}

static void want_of_memory_is_told(void **state) {
    (void)state;
    karst_field *field = flat_field(65, 65, 1);
    karst_canvas canvas = {.shown = field, .target = field};
    karst_brush_def def = karst_brush_def_default();
    kst_alloc_fail_after(1);
    karst_stroke *stroke = NULL;
    assert_int_equal(karst_stroke_create(&canvas, &def, NULL, NULL, &stroke), KARST_ERROR_MEMORY);
    kst_alloc_fail_after(0);
    assert_null(stroke);
    karst_stroke_point p = karst_stroke_point_at(30, 30);
    assert_int_equal(karst_stroke_create(&canvas, &def, NULL, NULL, &stroke), KARST_OK);
    kst_alloc_fail_after(1);
    assert_int_equal(karst_stroke_add(stroke, &p), KARST_ERROR_MEMORY);
    kst_alloc_fail_after(0);
    karst_stroke_destroy(stroke);
    karst_field_destroy(field);
}

// ---- files ---------------------------------------------------------------------------------------------

static void what_is_written_reads_back_to_the_bit(void **state) {
    (void)state;
    karst_recordings all = parse(many), back = {0};
    snprintf(all.strokes[1].name, sizeof all.strokes[1].name, "rough # and ready");
    const char *path = temp_path("a.strokes");
    assert_int_equal(karst_recordings_write(path, &all, NULL), KARST_OK);
    assert_int_equal(karst_recordings_read(path, NULL, &back), KARST_OK);
    assert_int_equal(back.count, all.count);
    for (size_t k = 0; k < all.count; ++k) {
        karst_recording *a = &all.strokes[k], *b = &back.strokes[k];
        assert_string_equal(a->name, b->name);
        assert_int_equal(a->count, b->count);
        assert_memory_equal(&a->brush, &b->brush, sizeof a->brush);
        for (size_t i = 0; i < a->count; ++i) {
            karst_stroke_point *p = &a->points[i], *q = &b->points[i];
            assert_int_equal(p->kind, q->kind);
            assert_memory_equal(&p->position, &q->position, sizeof p->position);
            assert_memory_equal(&p->view, &q->view, sizeof p->view);
            assert_true(p->time_s == q->time_s && p->pressure == q->pressure && p->tilt_x == q->tilt_x);
        }
    }
    karst_recordings_free(&all);
    karst_recordings_free(&back);
    assert_null(back.strokes);
    assert_int_equal(karst_recordings_read(temp_path("none"), NULL, &back), KARST_ERROR_FILE);
}

static void what_is_wrong_is_told_by_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *line, *what;
    } wrong[] = {
        {"", "test:0:", "karst-strokes 1"},
        {"hello\n", "test:1:", "karst-strokes 1"},
        {"karst-strokes 2\n", "test:1:", "karst-strokes 1"},
        {"karst-strokes 1\n1 2\n", "test:2:", "before any brush"},
        {"karst-strokes 1\nstroke\n", "test:2:", "before any brush"},
        {"karst-strokes 1\nbrush lift\n", "test:2:", "no such brush"},
        {"karst-strokes 1\n\n# x\nbrush raise radius=-3\n", "test:4:", "radius"},
        {"karst-strokes 1\nbrush raise radius=nan\n", "test:2:", "radius=nan"},
        {"karst-strokes 1\nbrush raise radius=0x10\n", "test:2:", "radius=0x10"},
        {"karst-strokes 1\nbrush raise along=up\n", "test:2:", "vertical, view, normal, vertex"},
        {"karst-strokes 1\nbrush raise size=3\n", "test:2:", "no such key"},
        {"karst-strokes 1\nbrush raise curve=1,2\n", "test:2:", "curve"},
        {"karst-strokes 1\nbrush raise radial=65\n", "test:2:", "radial"},
        {"karst-strokes 1\nbrush stamp\n", "test:2:", "stamp=FILE"},
        {"karst-strokes 1\nbrush raise stamp=a.exr\n", "test:2:", "brush stamp"},
        {"karst-strokes 1\nbrush smooth strength=2\n", "test:2:", "strength"},
        {"karst-strokes 1\nbrush raise\n1\n", "test:3:", "x z"},
        {"karst-strokes 1\nbrush raise\n1 2 3 4\n", "test:3:", "not a point"},
        {"karst-strokes 1\nbrush raise\n1 1e10\n", "test:3:", "not a point"},
        {"karst-strokes 1\nbrush raise\n1 2 pressure=1.5\n", "test:3:", "pressure"},
        {"karst-strokes 1\nbrush raise\n1 2 time=5\n1 2 time=4\n", "test:4:", "time"},
        {"karst-strokes 1\nbrush raise\nray 1 2 3 0 0 0\n", "test:3:", "direction"},
        {"karst-strokes 1\nbrush raise\nray 1 2 3 4\n", "test:3:", "six numbers"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        karst_recordings all = {0};
        karst_report report = {0};
        karst_status status = karst_recordings_parse(wrong[k].text, strlen(wrong[k].text), "test", &report, &all);
        if (status != KARST_ERROR_FORMAT || !strstr(report.message, wrong[k].line) ||
            !strstr(report.message, wrong[k].what))
            print_error("case %zu: %s\n", k, report.message);
        assert_int_equal(status, KARST_ERROR_FORMAT);
        assert_non_null(strstr(report.message, wrong[k].line));
        assert_non_null(strstr(report.message, wrong[k].what));
        assert_null(all.strokes);
    }
}

static void a_file_may_be_written_by_hand(void **state) {
    (void)state;
    karst_recordings all = parse(
        "  # a comment\n"
        "karst-strokes 1   # the version\r\n"
        "brush raise name=\"the north face\" radius=4e1 strength=2.5 along=view mirror-z=yes middle=3,-4\r\n"
        "  1 2  pressure=0.25 view=0,-1,1\n"
        "\t3 4 5   time=2 tilt=0.5,-0.5\n"
        "stroke name=again radius=10\n"
        "ray 0 9 0 0 -1 0\n"
        "5 6");
    assert_int_equal(all.count, 2);
    const karst_recording *a = &all.strokes[0], *b = &all.strokes[1];
    assert_string_equal(a->name, "the north face");
    assert_true(a->brush.radius_m == 40 && a->brush.strength == 2.5 && a->brush.along == KARST_ALONG_VIEW);
    assert_true(a->brush.mirror_z && !a->brush.mirror_x && a->brush.middle.x == 3 && a->brush.middle.z == -4);
    assert_true(a->count == 2 && a->points[0].kind == KARST_POINT_GROUND && a->points[1].kind == KARST_POINT_SPACE);
    assert_true(a->points[1].pressure == 0.25f && a->points[1].view.z == 1 && a->points[1].tilt_z == -0.5f);
    assert_true(b->brush.radius_m == 10 && b->brush.strength == 2.5);
    assert_true(b->count == 2 && b->points[0].kind == KARST_POINT_RAY && b->points[1].pressure == 1);
    karst_recordings_free(&all);
}

// scenes/arch.strokes: rock overhead, ground below, and a way through.
static void the_arch_of_the_scenes_stands_and_can_be_walked_through(void **state) {
    (void)state;
    char path[512];
    const char *source = getenv("KARST_SOURCE");
    snprintf(path, sizeof path, "%s/scenes/arch.strokes", source ? source : "../..");
    karst_recordings all = {0};
    assert_int_equal(karst_recordings_read(path, NULL, &all), KARST_OK);
    karst_field *field = flat_field(385, 385, 0.5);
    for (size_t k = 0; k < all.count; ++k) draw_one(field, &all.strokes[k], NULL);
    const karst_ground *ground = karst_field_ground(field);
    karst_level level[8];
    int count;
    assert_int_equal(karst_ground_heights(ground, 132, 104, level, 8, &count), KARST_OK);
    assert_true(count == 3 && level[0].y - level[1].y > 3 && level[1].y - level[2].y > 6);
    karst_ray across = karst_ray_make((karst_pos){112, level[2].y + 4, 106}, (karst_pos){1, 0, 0});
    karst_hit hit;
    across.t_max = 45;
    assert_int_equal(karst_ground_cast(ground, &across, &hit), KARST_OK);
    assert_false(hit.hit);
    across.origin.z = 122;  // control: its leg is in the way
    assert_int_equal(karst_ground_cast(ground, &across, &hit), KARST_OK);
    assert_true(hit.hit);
    // The cliff leans out: three heights under its lip.
    assert_int_equal(karst_ground_heights(ground, 60, 72, level, 8, &count), KARST_OK);
    assert_int_equal(count, 3);
    assert_true(borders_are_equal(field));
    // The same bytes from every compiler; they change only when what a brush does is changed on purpose.
    vertices v = vertices_of(field);
    assert_true(kst_hash(v.y, 3 * vertex_count(&v) * sizeof(float), 0) == 0x96df5428ed059165);
    vertices_free(&v);
    karst_field_destroy(field);
    karst_recordings_free(&all);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_in_more_events_is_the_same_stroke),
        cmocka_unit_test(strokes_are_drawn_in_their_order),
        cmocka_unit_test(a_file_gives_the_same_bytes_for_any_number_of_workers),
        cmocka_unit_test(a_point_on_the_ground_follows_it_and_off_the_ground_lifts_the_pen),
        cmocka_unit_test(a_pull_makes_an_overhang_and_a_grab_is_one_dab),
        cmocka_unit_test(a_resting_pen_adds_by_the_second),
        cmocka_unit_test(want_of_memory_is_told),
        cmocka_unit_test(what_is_written_reads_back_to_the_bit),
        cmocka_unit_test(what_is_wrong_is_told_by_line),
        cmocka_unit_test(a_file_may_be_written_by_hand),
        cmocka_unit_test(the_arch_of_the_scenes_stands_and_can_be_walked_through),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
