// SPDX-License-Identifier: MIT
// Pictures out: the pixels that were given, and no half-written file.
#include <unistd.h>

#include <png.h>

#include "karst/geo.h"
#include "support/prop.h"

static void png_holds_the_pixels(void **state) {
    (void)state;
    for (prop p = prop_begin("png_round_trip", 20); prop_next(&p);) {
        int w = prop_int(&p, 1, 90), h = prop_int(&p, 1, 60);
        size_t bytes = (size_t)w * (size_t)h * 3;
        uint8_t *in = malloc(bytes), *out = calloc(bytes, 1);
        for (size_t i = 0; i < bytes; ++i) in[i] = (uint8_t)prop_u64(&p);
        const char *path = temp_path("a.png");
        karst_report report = {0};
        prop_check(&p, karst_geo_write_png(path, w, h, in, &report) == KARST_OK);
        png_image image = {.version = PNG_IMAGE_VERSION};
        prop_check(&p, png_image_begin_read_from_file(&image, path));
        prop_check(&p, (int)image.width == w && (int)image.height == h && image.format == PNG_FORMAT_RGB);
        prop_check(&p, png_image_finish_read(&image, NULL, out, 0, NULL));
        prop_check(&p, !memcmp(in, out, bytes));
        free(in);
        free(out);
    }
}

static void a_folder_that_is_not_there_is_said(void **state) {
    (void)state;
    karst_report report = {0};
    uint8_t pixel[3] = {1, 2, 3};
    assert_int_equal(karst_geo_write_png("/nowhere/at/all.png", 1, 1, pixel, &report), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "/nowhere/at/all.png"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(png_holds_the_pixels),
                                       cmocka_unit_test(a_folder_that_is_not_there_is_said)};
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
