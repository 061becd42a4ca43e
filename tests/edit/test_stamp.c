// SPDX-License-Identifier: MIT
// Stamps: pressed, taken, and through files.
#include "karst/stamp.h"

#include "edit/ground.h"
#include "geo/write_gdal.h"
#include "karst/geo.h"

enum { SIDE = 129 };

static void press_with(karst_field *field, const karst_stamp *stamp, karst_brush_def def, karst_pos at) {
    def.kind = KARST_BRUSH_STAMP;
    def.stamp = stamp;
    karst_canvas canvas = {.shown = field, .target = field};
    karst_dab dab = {.centre = at, .pressure = 1, .motion = {0, 0, 1}};
    assert_int_equal(karst_brush_dab(&canvas, &def, &dab, NULL, NULL, NULL), KARST_OK);
}

static karst_brush_def flat_brush(double radius_m) {
    karst_brush_def def = karst_brush_def_default();
    def.falloff = KARST_FALLOFF_FLAT;
    def.radius_m = radius_m;
    return def;
}

// A mushroom rock: a stem, and a cap that reaches out over the ground round it.
static karst_field *mushroom(void) {
    karst_field *field = flat_field(SIDE, SIDE, 1);
    float y[SIDE], x[SIDE], z[SIDE];
    for (int j = 0; j < SIDE; ++j) {
        for (int i = 0; i < SIDE; ++i) {
            double dx = i - 64, dz = j - 64, r = hypot(dx, dz), to = r, height = 0;
            if (r < 24) {  // from the rim of the footprint in: up the stem, out under the cap, over its top
                double t = (24 - r) / 24;
                if (t < 0.35)
                    to = 24 - 14 * t / 0.35, height = 12 * t / 0.35;
                else if (t < 0.65)
                    to = 10 + 14 * (t - 0.35) / 0.3, height = 12 + 3 * (t - 0.35) / 0.3;
                else
                    to = 24 * (1 - (t - 0.65) / 0.35), height = 15 + 8 * (t - 0.65) / 0.35;
            }
            y[i] = (float)height;
            x[i] = r > 0 ? (float)(dx / r * (to - r)) : 0;
            z[i] = r > 0 ? (float)(dz / r * (to - r)) : 0;
        }
        assert_int_equal(karst_field_write(field, (karst_rect){0, j, SIDE, j + 1}, y, x, z, SIDE), KARST_OK);
    }
    return field;
}

static karst_stamp *take(karst_field *field, double radius_m, int channels) {
    karst_canvas canvas = {.shown = field, .target = field};
    karst_stamp *stamp = NULL;
    assert_int_equal(karst_stamp_take(&canvas, (karst_pos){64, 0, 64}, radius_m, 0, channels, &stamp), KARST_OK);
    return stamp;
}

static double worst_difference(karst_field *one, karst_field *two, double scale, int from, int to) {
    vertices a = vertices_of(one), b = vertices_of(two);
    double worst = 0;
    for (int j = from; j < to; ++j)
        for (int i = from; i < to; ++i) {
            size_t k = (size_t)j * (size_t)a.shape.columns + (size_t)i;
            worst = fmax(worst, fabs((double)a.y[k] * scale - (double)b.y[k]));
            worst = fmax(worst, fabs((double)a.x[k] * scale - (double)b.x[k]));
            worst = fmax(worst, fabs((double)a.z[k] * scale - (double)b.z[k]));
        }
    vertices_free(&a), vertices_free(&b);
    return worst;
}

static int heights_at(karst_field *field, double x, double z) {
    karst_level level[8];
    int count = 0;
    assert_int_equal(karst_ground_heights(karst_field_ground(field), x, z, level, 8, &count), KARST_OK);
    return count;
}

static void a_stamp_taken_and_pressed_on_flat_ground_is_the_shape_again(void **state) {
    (void)state;
    static const char *const files[] = {"rock.exr", "rock.tif"};
    karst_field *rock = mushroom();
    karst_stamp *taken = take(rock, 30.5, 3);
    for (int f = 0; f < 2; ++f) {
        karst_stamp *stamp = NULL;
        const char *path = temp_path(files[f]);
        assert_int_equal(karst_geo_write_stamp(path, taken, NULL), KARST_OK);
        assert_int_equal(karst_geo_read_stamp(path, NULL, &stamp), KARST_OK);
        assert_true(stamp->width == 61 && stamp->height == 61 && stamp->channels == 3);
        assert_memory_equal(stamp->samples, taken->samples, (size_t)61 * 61 * 3 * sizeof(float));
        karst_field *field = flat_field(SIDE, SIDE, 1);
        press_with(field, stamp, flat_brush(30.5), (karst_pos){64, 0, 64});
        assert_true(worst_difference(rock, field, 1, 0, SIDE) < 1e-4);
        assert_true(heights_at(field, 64 + 18.3, 64.2) == 3 && heights_at(rock, 64 + 18.3, 64.2) == 3);
        assert_true(heights_at(field, 64 + 28.3, 64.2) == 1);
        karst_field_destroy(field);
        karst_stamp_destroy(stamp);
    }
    // Of a radius that is no half number of vertices it is resampled: still within a hundredth of its size.
    karst_stamp *between = take(rock, 30.2, 3);
    karst_field *again = flat_field(SIDE, SIDE, 1);
    press_with(again, between, flat_brush(30.2), (karst_pos){64, 0, 64});
    assert_true(worst_difference(rock, again, 1, 0, SIDE) < 0.01 * 61);
    karst_field_destroy(again);
    karst_stamp_destroy(between);
    // Pressed between vertices it has the same three heights at its rim.
    karst_field *moved = flat_field(SIDE, SIDE, 1);
    press_with(moved, taken, flat_brush(30.5), (karst_pos){60.7, 0, 67.4});
    for (int k = 0; k < 8; ++k) {
        double s = 18.5 * cos(k * 0.7), c = 18.5 * sin(k * 0.7);
        assert_int_equal(heights_at(moved, 60.7 + s, 67.4 + c), 3);
    }
    karst_field_destroy(moved);
    karst_stamp_destroy(taken);
    karst_field_destroy(rock);
}

static void a_larger_stamp_is_the_same_shape_larger(void **state) {
    (void)state;
    karst_field *rock = mushroom(), *large = flat_field(SIDE, SIDE, 2);
    karst_stamp *taken = take(rock, 30.5, 3);
    press_with(large, taken, flat_brush(61), (karst_pos){128, 0, 128});
    assert_true(worst_difference(rock, large, 2, 0, SIDE) < 1e-4);
    karst_stamp_destroy(taken);
    karst_field_destroy(rock);
    karst_field_destroy(large);
}

static karst_stamp *arrow(int channels) {  // one mark right of the middle, up the picture a weaker one
    karst_stamp *s = NULL;
    assert_int_equal(karst_stamp_create(9, 9, channels, &s), KARST_OK);
    s->samples[(4 * 9 + 7) * channels + channels - 1] = 1;
    s->samples[(1 * 9 + 4) * channels + channels - 1] = 0.5f;
    return s;
}

static float y_at(karst_field *field, int i, int j) {
    float y;
    assert_int_equal(karst_field_read(field, (karst_rect){i, j, i + 1, j + 1}, &y, NULL, NULL, 1), KARST_OK);
    return y;
}

static void right_is_plus_x_and_up_is_minus_z_until_turned_or_mirrored(void **state) {
    (void)state;
    karst_stamp *s = arrow(1);
    karst_brush_def def = flat_brush(4.5);  // a pixel a metre
    def.strength = 8;
    karst_field *f = flat_field(65, 65, 1);
    press_with(f, s, def, (karst_pos){32, 0, 32});
    assert_true(y_at(f, 35, 32) == 8 && y_at(f, 32, 29) == 4 && y_at(f, 29, 32) == 0);
    karst_field_destroy(f);
    f = flat_field(65, 65, 1);
    def.turn = 0.25;  // counter-clockwise from above: right becomes -z
    press_with(f, s, def, (karst_pos){32, 0, 32});
    assert_true(fabsf(y_at(f, 32, 29) - 8) < 1e-5f && fabsf(y_at(f, 29, 32) - 4) < 1e-5f);
    karst_field_destroy(f);
    f = flat_field(65, 65, 1);
    def.turn = 0;
    def.mirror_x = true;
    def.middle = (karst_pos){30, 0, 0};
    press_with(f, s, def, (karst_pos){40, 0, 32});
    assert_true(y_at(f, 43, 32) == 8 && y_at(f, 17, 32) == 8 && y_at(f, 20, 29) == 4);
    karst_field_destroy(f);
    f = flat_field(65, 65, 1);
    def.mirror_x = false;
    def.follow = true;  // the dab moves along +z: right is +z, up is +x
    press_with(f, s, def, (karst_pos){32, 0, 32});
    assert_true(y_at(f, 32, 35) == 8 && y_at(f, 35, 32) == 4);
    karst_field_destroy(f);
    karst_stamp_destroy(s);
}

static void what_varies_is_a_matter_of_the_seed(void **state) {
    (void)state;
    karst_stamp *s = arrow(1);
    karst_brush_def def = flat_brush(12);
    def.vary_turn = 1, def.vary_size = 0.5, def.vary_force = 0.5;
    uint64_t hash[3];
    for (int k = 0; k < 3; ++k) {
        def.seed = k < 2 ? 5 : 6;
        karst_field *f = flat_field(65, 65, 1);
        press_with(f, s, def, (karst_pos){32, 0, 32});
        vertices v = vertices_of(f);
        hash[k] = kst_hash(v.y, vertex_count(&v) * sizeof(float), 0);
        vertices_free(&v);
        karst_field_destroy(f);
    }
    assert_true(hash[0] == hash[1] && hash[0] != hash[2]);
    karst_stamp_destroy(s);
}

static void channels_come_in_the_order_asked_for(void **state) {
    (void)state;
    karst_stamp *s = NULL;
    assert_int_equal(karst_stamp_create(1, 1, 3, &s), KARST_OK);
    memcpy(s->samples, (float[]){1, 2, 3}, 12);
    assert_int_equal(karst_stamp_axes(s, "rgb"), KARST_OK);
    assert_true(s->samples[0] == 1 && s->samples[1] == 2 && s->samples[2] == 3);
    assert_int_equal(karst_stamp_axes(s, "r-bg"), KARST_OK);
    assert_true(s->samples[0] == 1 && s->samples[1] == -3 && s->samples[2] == 2);
    static const char *const bad[] = {"", "rg", "rgbr", "rrg", "xyz", "--rgb", "rgb-"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k)
        assert_int_equal(karst_stamp_axes(s, bad[k]), KARST_ERROR_ARGUMENT);
    karst_stamp_destroy(s);
    assert_int_equal(karst_stamp_create(0, 5, 1, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_stamp_create(5, 5, 2, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_stamp_create(1 << 20, 1 << 20, 3, &s), KARST_ERROR_ARGUMENT);
}

static const char *corpus(const char *name) {
    static char path[512];
    const char *source = getenv("KARST_SOURCE");
    snprintf(path, sizeof path, "%s/fuzz/corpus/exr/%s", source ? source : "..", name);
    return path;
}

// The same picture as another program wrote it in every packing: all decode alike.
static void openexr_of_every_packing_reads_alike(void **state) {
    (void)state;
    static const char *const names[] = {"none.exr", "rle.exr", "zip1.exr", "zip16.exr", "half.exr"};
    karst_stamp *first = NULL;
    if (karst_geo_read_stamp(corpus(names[0]), NULL, &first)) skip();
    assert_true(first->width == 24 && first->height == 20 && first->channels == 3);
    double sum = 0;
    for (int k = 0; k < 24 * 20 * 3; ++k) sum += (double)first->samples[k];
    assert_true(sum > 100);
    for (int n = 1; n < 5; ++n) {
        karst_stamp *other;
        assert_int_equal(karst_geo_read_stamp(corpus(names[n]), NULL, &other), KARST_OK);
        for (int k = 0; k < 24 * 20 * 3; ++k)
            assert_true(fabsf(first->samples[k] - other->samples[k]) <= (n == 4 ? 1e-3f : 0));
        karst_stamp_destroy(other);
    }
    karst_report report = {0};
    karst_stamp *none = NULL;
    assert_int_equal(karst_geo_read_stamp(corpus("cut.exr"), &report, &none), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "cut.exr"));
    assert_null(none);
    karst_stamp_destroy(first);
}

static void gray_pictures_are_heights(void **state) {
    (void)state;
    uint8_t rgb[4 * 3] = {0, 255, 127, 255, 0, 128, 255, 255, 255, 0, 0, 0};
    const char *path = temp_path("colour.png");
    assert_int_equal(karst_geo_write_png(path, 2, 2, rgb, NULL), KARST_OK);
    karst_stamp *s;
    assert_int_equal(karst_geo_read_stamp(path, NULL, &s), KARST_OK);
    assert_true(s->channels == 3 && s->samples[0] == -1 && s->samples[1] == 1 && s->samples[9] == -1);
    karst_stamp_destroy(s);
    const uint16_t gray[4] = {0, 65535, 13107, 32768};  // a fifth, and a half and a bit
    const char *png = temp_path("gray.png");
    assert_int_equal(kst_write_png(png, 2, 2, 1, KST_KIND_U16, gray, NULL, 0, NULL), KARST_OK);
    assert_int_equal(karst_geo_read_stamp(png, NULL, &s), KARST_OK);
    assert_true(s->channels == 1 && s->samples[0] == 0 && s->samples[1] == 1 && s->samples[2] == 0.2f);
    karst_stamp_destroy(s);
    karst_stamp *heights = arrow(1);
    const char *tif = temp_path("heights.tif"), *exr = temp_path("heights.exr");
    assert_int_equal(karst_geo_write_stamp(tif, heights, NULL), KARST_OK);
    assert_int_equal(karst_geo_write_stamp(exr, heights, NULL), KARST_OK);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(karst_geo_read_stamp(k ? exr : tif, NULL, &s), KARST_OK);
        assert_true(s->channels == 1 && s->width == 9);
        assert_memory_equal(s->samples, heights->samples, 81 * sizeof(float));
        karst_stamp_destroy(s);
    }
    karst_report report = {0};
    assert_int_equal(karst_geo_write_stamp(temp_path("a.jpg"), heights, &report), KARST_ERROR_UNSUPPORTED);
    assert_int_equal(karst_geo_read_stamp(temp_path("none.exr"), &report, &s), KARST_ERROR_FILE);
    assert_int_equal(karst_geo_read_stamp(temp_path("none.png"), &report, &s), KARST_ERROR_FILE);
    karst_stamp_destroy(heights);
}

static void a_stamp_needs_ground_to_be_taken_from(void **state) {
    (void)state;
    karst_field *field = flat_field(65, 65, 1);
    karst_canvas canvas = {.shown = field, .target = field};
    karst_stamp *s = NULL;
    assert_int_equal(karst_stamp_take(&canvas, (karst_pos){30, 0, 30}, 1, 0, 3, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_stamp_take(&canvas, (karst_pos){900, 0, 30}, 20, 0, 3, &s), KARST_ERROR_ARGUMENT);
    assert_int_equal(karst_stamp_take(&canvas, (karst_pos){60, 0, 60}, 20, 0.3, 1, &s), KARST_OK);  // partly outside
    assert_true(s->width == 41);
    karst_stamp_destroy(s);
    karst_field_destroy(field);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stamp_taken_and_pressed_on_flat_ground_is_the_shape_again),
        cmocka_unit_test(a_larger_stamp_is_the_same_shape_larger),
        cmocka_unit_test(right_is_plus_x_and_up_is_minus_z_until_turned_or_mirrored),
        cmocka_unit_test(what_varies_is_a_matter_of_the_seed),
        cmocka_unit_test(channels_come_in_the_order_asked_for),
        cmocka_unit_test(openexr_of_every_packing_reads_alike),
        cmocka_unit_test(gray_pictures_are_heights),
        cmocka_unit_test(a_stamp_needs_ground_to_be_taken_from),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
