// SPDX-License-Identifier: MIT
// The awkward files: for each the right heights, or one line that says why not.
#include "geo/imported.h"

enum { SIDE = 65, COUNT = SIDE * SIDE };

static float reference[COUNT];

static void read_reference(void) {
    const char *path = data_path("edge/ok_65x65_le.r16");
    if (!path) skip();
    uint8_t bytes[2 * COUNT];
    FILE *f = fopen(path, "rb");
    assert_int_equal(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
    for (int k = 0; k < COUNT; ++k) reference[k] = (float)(bytes[2 * k] | bytes[2 * k + 1] << 8);
    assert_true(reference[0] == 393 && reference[1] == 388);  // 89 01 84 01
}

static imported import_edge(const char *name, const karst_import_def *def) {
    char path[64];
    snprintf(path, sizeof path, "edge/%s", name);
    const char *found = data_path(path);
    if (!found) fail_msg("%s is missing", path);
    return import_file(found, def);
}

static void expect_reference(const char *name, imported *got, double scale, double offset, double tolerance) {
    if (got->status) fail_msg("%s: %s", name, got->report.message);
    if (got->columns != SIDE || got->rows != SIDE) fail_msg("%s: %d x %d", name, got->columns, got->rows);
    for (int k = 0; k < COUNT; ++k) {
        float want = (float)(reference[k] * scale + offset);
        if (!(fabsf(got->heights[k] - want) <= (float)tolerance))
            fail_msg("%s: (%d, %d) is %g, not %g", name, k % SIDE, k / SIDE, (double)got->heights[k], (double)want);
    }
    if (got->info.holes) fail_msg("%s: holes", name);
}

static void good_files_give_the_same_heights(void **state) {
    (void)state;
    read_reference();
    static const struct {
        const char *name;
        double tolerance, spacing_m;
    } files[] = {
        {"ok_65x65_le.r16", 0, 1},
        {"ok_65x65_le.r32", 0, 1},
        {"ok_65x65.asc", 0, 30},
        {"ok_65x65.flt", 0, 30},
        {"ok_65x65.hf2", 0.011, 30},
        {"ok_65x65.hfz", 0.011, 30},
        {"ok_65x65.ter", 0.033, 30},
        {"gray16_65x65.png", 0, 1},
        {"gray16_adam7_65x65.png", 0, 1},
        {"gray16_gama_65x65.png", 0, 1},
        {"gray16_trns_65x65.png", 0, 1},
        {"gray16_alpha_65x65.png", 0, 1},
        {"f64_65x65.tif", 0, 1},
        {"i32_65x65.tif", 0, 1},
        {"bigtiff_f32_65x65.tif", 0, 1},
        {"be_f32_65x65.tif", 0, 1},
        {"f32_deflate_p3_tiled16_65x65.tif", 0, 1},
        {"f32_lzw_p3_strip_65x65.tif", 0, 1},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        imported got = import_edge(files[k].name, NULL);
        expect_reference(files[k].name, &got, 1, 0, files[k].tolerance);
        if (got.info.spacing_m != files[k].spacing_m) fail_msg("%s: spacing %g", files[k].name, got.info.spacing_m);
        assert_false(warned(&got, "the other way round"));
        imported_free(&got);
    }
}

// These hold whole samples whose bytes were swapped before they were written: any reader sees noise. Karst refuses it
// in a line that names the file and the cure, mends it when told, and takes it as it is when told that.
static void swapped_samples_are_refused_and_mended(void **state) {
    (void)state;
    read_reference();
    static const struct {
        const char *name;
        double scale, offset, tolerance;
    } files[] = {
        {"zstd_i16_65x65.tif", 1, 0, 0},    {"be_i16_deflate_p2_65x65.tif", 1, 0, 0},
        {"southup_65x65.tif", 1, 0, 0},     {"pixelispoint_65x65.tif", 1, 0, 0},
        {"pixelisarea_65x65.tif", 1, 0, 0}, {"scale_offset_i16_65x65.tif", 0.1, 100, 1e-4},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        karst_import_def def = karst_import_def_default();
        imported got = import_edge(files[k].name, &def);
        if (got.status != KARST_ERROR_FORMAT) fail_msg("%s: %d", files[k].name, got.status);
        if (!strstr(got.report.message, files[k].name) || !strstr(got.report.message, "pass --swap-bytes"))
            fail_msg("%s", got.report.message);
        imported_free(&got);
        def.keep_bytes = true;
        got = import_edge(files[k].name, &def);
        if (got.status || !warned(&got, "--swap-bytes")) fail_msg("%s: kept: %s", files[k].name, got.report.message);
        imported_free(&got);
        def.keep_bytes = false;
        def.swap_bytes = true;
        got = import_edge(files[k].name, &def);
        expect_reference(files[k].name, &got, files[k].scale, files[k].offset, files[k].tolerance);
        assert_false(warned(&got, "--swap-bytes"));
        imported_free(&got);
    }
    karst_import_def big = karst_import_def_default();
    imported got = import_edge("be_65x65.r16", NULL);
    assert_true(warned(&got, "--order big"));
    imported_free(&got);
    big.order = KARST_ORDER_BIG;
    got = import_edge("be_65x65.r16", &big);
    expect_reference("be_65x65.r16", &got, 1, 0, 0);
    imported_free(&got);
}

static void south_first_is_flipped_and_steps_are_found(void **state) {
    (void)state;
    read_reference();
    karst_import_def def = karst_import_def_default();
    def.swap_bytes = true;
    imported got = import_edge("southup_65x65.tif", &def);
    assert_string_equal(got.info.row_order, "south first, flipped");
    imported_free(&got);
    got = import_edge("scale_offset_i16_65x65.tif", &def);
    assert_true(got.info.step_m == 0.1);
    imported_free(&got);
    got = import_edge("gray8_65x65.png", NULL);
    assert_int_equal(got.status, KARST_OK);
    for (int k = 0; k < COUNT; ++k) assert_true(fabsf(got.heights[k] - reference[k] / 8) <= 1);
    assert_true(got.info.min_m == 44 && got.info.max_m == 80);
    imported_free(&got);
    got = import_edge("mask1bit_65x65.png", NULL);
    assert_true(warned(&got, "one bit") && got.info.min_m == 0 && got.info.max_m == 1);
    imported_free(&got);
}

static void small_and_flat_files_come_in(void **state) {
    (void)state;
    read_reference();
    imported got = import_edge("flat_65x65.tif", NULL);
    assert_true(got.status == KARST_OK && got.info.min_m == 7 && got.info.max_m == 7 && got.info.step_m == 1);
    imported_free(&got);
    karst_import_def def = karst_import_def_default();
    def.swap_bytes = true;
    got = import_edge("two_2x2.tif", NULL);
    assert_int_equal(got.status, KARST_ERROR_FORMAT);
    imported_free(&got);
    got = import_edge("two_2x2.tif", &def);
    assert_true(got.columns == 2 && got.rows == 2 && got.heights[0] == 393 && got.heights[3] == 383);
    imported_free(&got);
    got = import_edge("sparse_ok_65x65.tif", NULL);
    assert_true(got.status == KARST_OK && got.info.min_m == 0 && got.info.max_m == 0 && got.info.holes == 0);
    imported_free(&got);
    got = import_edge("crlf_dxdy.asc", NULL);
    assert_true(got.columns == 2 && got.rows == 2 && got.info.holes == 1 && got.info.no_data_samples == 1);
    assert_true(got.heights[0] == 1 && got.heights[1] == 1 && got.heights[2] == 3 && got.heights[3] == 4);
    assert_true(got.info.file_spacing_x_m == 1 && got.info.file_spacing_z_m == 2);
    imported_free(&got);
    got = import_edge("nan_comma.asc", NULL);  // nan 1,5 2,5 / 3,5 nan 1e3
    assert_true(got.columns == 3 && got.rows == 2 && got.info.no_data_samples == 2 && got.info.holes == 2);
    assert_true(got.heights[1] == 1.5f && got.heights[2] == 2.5f && got.heights[3] == 3.5f && got.heights[5] == 1000);
    imported_free(&got);
}

static void what_is_missing_becomes_holes(void **state) {
    (void)state;
    read_reference();
    static const struct {
        const char *name;
        uint64_t missing;
        float min, max;
    } files[] = {
        {"nan_inf_65x65.tif", 4, -9999, 647},  // -9999 is not declared: a height, with a warning
        {"nan_inf_65x65.r32", 4, -9999, 647},
        {"nodata_nan_65x65.tif", 4, -9999, 647},
        {"nodata_fltmin_hole_65x65.tif", 3025, 359, 515},
        {"all_void_65x65.tif", COUNT, 0, 0},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        imported got = import_edge(files[k].name, NULL);
        if (got.status) fail_msg("%s", got.report.message);
        if (got.info.no_data_samples != files[k].missing || got.info.min_m != files[k].min ||
            got.info.max_m != files[k].max)
            fail_msg("%s: %llu missing, %g .. %g", files[k].name, (unsigned long long)got.info.no_data_samples,
                     (double)got.info.min_m, (double)got.info.max_m);
        for (int i = 0; i < COUNT; ++i) assert_true(isfinite(got.heights[i]) && got.heights[i] >= files[k].min);
        if (files[k].min < -9000) assert_true(warned(&got, "--no-data -9999"));
        imported_free(&got);
    }
    karst_import_def def = karst_import_def_default();
    def.has_no_data = true;
    def.no_data = -9999;
    imported got = import_edge("nan_inf_65x65.tif", &def);
    assert_true(got.info.no_data_samples == 5 && got.info.min_m == 359);
    imported_free(&got);
    got = import_edge("all_void_65x65.tif", NULL);
    assert_true(got.info.holes == 64 * 64 && warned(&got, "one hole"));
    imported_free(&got);
}

static void bad_files_are_refused_in_one_line(void **state) {
    (void)state;
    read_reference();
    static const struct {
        const char *name;
        karst_status status;
        const char *words[2];
    } files[] = {
        {"short1_65x65.r16", KARST_ERROR_FORMAT, {"8449", "8450"}},
        {"long1_65x65.r16", KARST_ERROR_FORMAT, {"8451", "8450"}},
        {"empty.r16", KARST_ERROR_FORMAT, {"found 0 bytes", "--size"}},
        {"nonsquare_77x30.r16", KARST_ERROR_FORMAT, {"4620", "--size"}},
        {"N44W072_short.hgt", KARST_ERROR_FORMAT, {"20000", "2884802"}},
        {"bomb_60000x60000_gray16.png", KARST_ERROR_LIMIT, {"60000 x 60000", ""}},
        {"crcbad_gray16.png", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_gray16.png", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_f32_100x80.tif", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_half_65x65.tif", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_hdr.tif", KARST_ERROR_FORMAT, {"header", ""}},
        {"trunc_65x65.hf2", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_65x65.hfz", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"trunc_65x65.ter", KARST_ERROR_FORMAT, {"damaged", ""}},
        {"short_rows.asc", KARST_ERROR_FORMAT, {"found 5", "expected 9"}},
        {"one_1x1.tif", KARST_ERROR_UNSUPPORTED, {"1 x 1", "2 x 2"}},
        {"row_65x1.tif", KARST_ERROR_UNSUPPORTED, {"65 x 1", "2 x 2"}},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        imported got = import_edge(files[k].name, NULL);
        const char *said = got.report.message;
        if (got.status != files[k].status || !strstr(said, files[k].name) || !strstr(said, files[k].words[0]) ||
            !strstr(said, files[k].words[1]) || strchr(said, '\n'))
            fail_msg("%s: status %d: %s", files[k].name, got.status, said);
        int count = -1;
        assert_int_equal(karst_project_grounds(got.project, NULL, 0, &count), KARST_OK);
        assert_int_equal(count, 0);
        imported_free(&got);
    }
    karst_import_def def = karst_import_def_default();
    def.width = 77;
    def.height = 30;
    imported got = import_edge("nonsquare_77x30.r16", &def);
    assert_true(got.status == KARST_OK && got.columns == 77 && got.rows == 30);
    imported_free(&got);
}

// The same crop as an exact tile, and as colours of two codings.
static void colours_hold_heights(void **state) {
    (void)state;
    const char *tile = data_path("N44W072.hgt");
    if (!tile) skip();
    imported want = import_file(tile, NULL);
    assert_int_equal(want.status, KARST_OK);
    assert_true(want.info.min_m == 115 && want.info.max_m == 1908 && want.info.holes == 0 && want.info.step_m == 1);
    assert_true(fabs(want.info.file_spacing_z_m - 92.6) < 0.1 && fabs(want.info.file_spacing_x_m - 66.3) < 0.1);
    static const char *const names[] = {"whitemtns_512_terrarium.png", "whitemtns_512_mapboxrgb.png"};
    for (int k = 0; k < 2; ++k) {
        const char *path = data_path(names[k]);
        imported got = import_file(path, NULL);
        assert_int_equal(got.status, KARST_ERROR_UNSUPPORTED);
        assert_non_null(strstr(got.report.message, "--rgb"));
        imported_free(&got);
        karst_import_def def = karst_import_def_default();
        def.rgb = k ? KARST_RGB_MAPBOX : KARST_RGB_TERRARIUM;
        got = import_file(path, &def);
        if (got.status) fail_msg("%s", got.report.message);
        for (int j = 0; j < 512; ++j)
            for (int i = 0; i < 512; ++i)
                assert_true(got.heights[j * 512 + i] == want.heights[(j + 300) * 1201 + i + 500]);
        assert_true(got.info.step_m == 1);
        imported_free(&got);
    }
    const char *raw = data_path("whitemtns_1025.r16");
    imported got = import_file(raw, NULL);
    for (int j = 0; j < 1025; ++j)
        for (int i = 0; i < 1025; ++i)
            assert_true(got.heights[j * 1025 + i] == want.heights[(j + 88) * 1201 + i + 100]);
    imported_free(&got);
    imported_free(&want);
}

static void real_files_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int columns, rows;
        double min, max, spacing_m;
        uint64_t missing;
    } files[] = {
        {"mt_everest_90m.tif", 1201, 1201, 192, 8642, 87.2, 130953},
        {"etopo20_f32.tif", 1081, 540, -9026.6, 6228.8, 36982, 0},
        {"SainteHelens.dem", 327, 468, 682, 2543, 30, 4151},
        {"here_valid_raster_f32.tif", 100, 80, 26.6, 44.1, 3.917, 970},
        {"california_400_400_1_float.lerc2", 400, 400, -83.0, 4080.6, 1, 0},
    };
    for (size_t k = 0; k < sizeof files / sizeof *files; ++k) {
        const char *path = data_path(files[k].name);
        if (!path) skip();
        imported got = import_file(path, NULL);
        if (got.status) fail_msg("%s", got.report.message);
        if (got.columns != files[k].columns || got.rows != files[k].rows ||
            fabs(got.info.min_m - files[k].min) > 0.06 || fabs(got.info.max_m - files[k].max) > 0.06 ||
            fabs(got.info.spacing_m / files[k].spacing_m - 1) > 1e-3 || got.info.no_data_samples != files[k].missing)
            fail_msg("%s: %d x %d, %g .. %g, %g m, %llu missing", files[k].name, got.columns, got.rows,
                     (double)got.info.min_m, (double)got.info.max_m, got.info.spacing_m,
                     (unsigned long long)got.info.no_data_samples);
        imported_free(&got);
    }
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_give_the_same_heights),
        cmocka_unit_test(swapped_samples_are_refused_and_mended),
        cmocka_unit_test(south_first_is_flipped_and_steps_are_found),
        cmocka_unit_test(small_and_flat_files_come_in),
        cmocka_unit_test(what_is_missing_becomes_holes),
        cmocka_unit_test(bad_files_are_refused_in_one_line),
        cmocka_unit_test(colours_hold_heights),
        cmocka_unit_test(real_files_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
