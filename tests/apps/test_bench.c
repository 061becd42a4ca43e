// SPDX-License-Identifier: MIT
// karst bench: the form of what it prints.
#include <cjson/cJSON.h>

#include "support/prop.h"
#include "support/run.h"

static void check_rows(const cJSON *rows) {
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        assert_true(cJSON_IsString(cJSON_GetObjectItem(row, "what")));
        assert_true(cJSON_IsString(cJSON_GetObjectItem(row, "unit")));
        const cJSON *value = cJSON_GetObjectItem(row, "value"), *peer = cJSON_GetObjectItem(row, "peer_value");
        assert_true(cJSON_IsNumber(value));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(row, "runs")));
        assert_true(!peer == !cJSON_GetObjectItem(row, "peer"));
        if (peer) assert_true(cJSON_IsNumber(peer) || cJSON_IsNull(peer));
    }
}

static const cJSON *find_row(const cJSON *rows, const char *what) {
    const cJSON *row;
    cJSON_ArrayForEach(row, rows) {
        if (!strcmp(cJSON_GetObjectItem(row, "what")->valuestring, what)) return row;
    }
    return NULL;
}

static double value_of(const cJSON *rows, const char *what) {
    const cJSON *row = find_row(rows, what);
    assert_non_null(row);
    return cJSON_GetObjectItem(row, "value")->valuedouble;
}

// What a quick run of a bench prints, its rows checked for their form; NULL when it could not run and said `excuse`.
static cJSON *printed(const char *name, const char *excuse) {
    ran r = run_karst("bench", name, "--quick", "--json");
    cJSON *object = NULL;
    if (!excuse || r.code != 1 || !strstr(r.err, excuse)) {
        assert_int_equal(r.code, 0);
        assert_true(is_one_line(r.out));
        object = cJSON_Parse(r.out);
        assert_non_null(object);
        assert_string_equal(cJSON_GetObjectItem(object, "bench")->valuestring, name);
        check_rows(cJSON_GetObjectItem(object, "rows"));
    }
    ran_free(&r);
    return object;
}

// A bench's work is tested where the code lies; under sanitizers two of them show the form.
static void skip_when_quick(void) {
    if (test_count(8) < 8) skip();
}

static void rays_are_printed_in_the_form_that_is_written_down(void **state) {
    (void)state;
    char hash[2][32];
    for (int turn = 0; turn < 2; ++turn) {
        cJSON *object = printed("rays", NULL);
        const cJSON *machine = cJSON_GetObjectItem(object, "machine"), *rows = cJSON_GetObjectItem(object, "rows");
        assert_true(cJSON_IsString(cJSON_GetObjectItem(machine, "cpu")));
        assert_true(cJSON_IsNumber(cJSON_GetObjectItem(machine, "cores")));
        assert_true(cJSON_IsString(cJSON_GetObjectItem(machine, "compiler")));
        static const char *const expected[] = {"heights_per_s",     "rays_per_s",       "memory",
                                               "rays_per_s_camera", "rays_per_s_sight", "rays_per_s_down",
                                               "rays_per_s_sky",    "rays_per_s_edges"};
        for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) assert_non_null(find_row(rows, expected[k]));
        const cJSON *peer = cJSON_GetObjectItem(find_row(rows, "memory"), "peer_value");
        if (cJSON_IsNumber(peer)) assert_true(value_of(rows, "memory") <= 0.1 * peer->valuedouble);
        const char *text = cJSON_GetObjectItem(find_row(rows, "rays_per_s_sky"), "hash")->valuestring;
        snprintf(hash[turn], sizeof hash[turn], "%s", text);
        cJSON_Delete(object);
    }
    assert_string_equal(hash[0], hash[1]);  // the figures differ, the answers do not
}

static void the_codec_keeps_its_bounds(void **state) {
    (void)state;
    cJSON *object = printed("codec", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    static const struct {
        const char *bits, *error;
        double bound;
    } expected[] = {{"bits_hills_0m", "true_error_hills_0m", 0},
                    {"bits_hills_1m", "true_error_hills_1m", 1},
                    {"bits_hills_5m", "true_error_hills_5m", 5}};
    double before = 16;
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        assert_true(value_of(rows, expected[k].error) <= expected[k].bound);
        double is = value_of(rows, expected[k].bits);
        assert_true(is > 0.1 && is < before);
        before = is;
    }
    static const char *const others[] = {"decode_hills_1m", "chunk_us_hills_1m", "encode_hills_1m"};
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) assert_non_null(find_row(rows, others[k]));
    cJSON_Delete(object);
}

// Equal hashes are equal bytes: of noise at every vector width.
static void noise_is_one_at_every_width(void **state) {
    (void)state;
    cJSON *object = printed("noise", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows"), *best = find_row(rows, "fbm8"), *row;
    int widths = 0;
    cJSON_ArrayForEach(row, rows) {
        const char *what = cJSON_GetObjectItem(row, "what")->valuestring;
        bool wide = !strcmp(what, "fbm8_scalar") || !strcmp(what, "fbm8_sse2") || !strncmp(what, "fbm8_avx", 8);
        bool same = cJSON_Compare(cJSON_GetObjectItem(row, "hash"), cJSON_GetObjectItem(best, "hash"), true);
        assert_true(row == best || same == wide);  // other rows are other noise
        widths += wide;
    }
    assert_true(widths >= 1 && value_of(rows, "fbm8") > 0);
    cJSON_Delete(object);
}

static void chunks_are_small_and_true(void **state) {
    (void)state;
    skip_when_quick();
    cJSON *object = printed("resident", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    assert_true(value_of(rows, "bytes_per_vertex") <= 7);
    assert_true(value_of(rows, "worst_error_ratio") <= 1);
    assert_true(value_of(rows, "worst_error_overhang") <= 0.005);
    cJSON_Delete(object);
}

// Every method has every row, and two cameras are within the bar. Needs a renderer.
static void methods_are_close_to_full_detail(void **state) {
    (void)state;
    skip_when_quick();
    cJSON *object = printed("methods", "context");
    if (!object) skip();
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    static const char *const methods[] = {"grid", "tess", "rings"}, *const what[] = {"triangles", "draws", "cpu_ms",
                                                                                     "draw_ms", "picture_diff"};
    for (int m = 0; m < 3; ++m)
        for (int k = 0; k < 5; ++k) {
            char name[64];
            snprintf(name, sizeof name, "%s_%s", what[k], methods[m]);
            double is = value_of(rows, name);
            assert_true(k < 4 || is <= 0.002);
        }
    assert_true(value_of(rows, "draws_tess") == 1);
    cJSON_Delete(object);
}

// Two threads give the bytes of one.
static void erosion_is_the_same_on_two_threads(void **state) {
    (void)state;
    skip_when_quick();
    cJSON *object = printed("erode", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    const char *one = cJSON_GetObjectItem(find_row(rows, "droplet_step_ns"), "hash")->valuestring;
    const char *two = cJSON_GetObjectItem(find_row(rows, "two_thread_speedup"), "hash")->valuestring;
    const char *slides = cJSON_GetObjectItem(find_row(rows, "thermal_ns"), "hash")->valuestring;
    assert_string_equal(one, two);
    assert_string_not_equal(one, slides);  // control: other results have another hash
    one = cJSON_GetObjectItem(find_row(rows, "preset_wall_s"), "hash")->valuestring;
    two = cJSON_GetObjectItem(find_row(rows, "preset_speedup"), "hash")->valuestring;
    assert_string_equal(one, two);
    assert_true(value_of(rows, "pits_share") <= 0.02 && value_of(rows, "mass_error") <= 1e-6);
    cJSON_Delete(object);
}

static void meshes_keep_their_kind_and_size(void **state) {
    (void)state;
    skip_when_quick();
    cJSON *object = printed("mrm", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    assert_true(value_of(rows, "new_borders") <= 0 && value_of(rows, "new_twins") <= 0);
    assert_true(value_of(rows, "new_fans") <= 0);
    assert_true(value_of(rows, "record_bytes") <= 0.4 && value_of(rows, "record_file") <= 0.22);
    assert_true(value_of(rows, "cache_misses") <= 1.3 && value_of(rows, "slide") > 1e6);
    cJSON_Delete(object);
}

static void a_governed_frame_is_close_to_the_best(void **state) {
    (void)state;
    skip_when_quick();
    cJSON *object = printed("governor", NULL);
    const cJSON *rows = cJSON_GetObjectItem(object, "rows");
    assert_true(value_of(rows, "frame_us_10k") > 0 && value_of(rows, "frame_us_10k_leap") > 0);
    assert_true(value_of(rows, "worst_error_over_optimum") <= 1.05);
    assert_true(value_of(rows, "worst_error_over_optimum_slack_0") <= 1.00001);
    cJSON_Delete(object);
}

static void an_unknown_bench_is_wrong_usage(void **state) {
    (void)state;
    ran r = run_karst("bench", "moon");
    assert_int_equal(r.code, 2);
    assert_true(is_one_line(r.err));
    assert_non_null(strstr(r.err, "moon"));
    ran_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_are_printed_in_the_form_that_is_written_down),
        cmocka_unit_test(the_codec_keeps_its_bounds),
        cmocka_unit_test(noise_is_one_at_every_width),
        cmocka_unit_test(chunks_are_small_and_true),
        cmocka_unit_test(methods_are_close_to_full_detail),
        cmocka_unit_test(erosion_is_the_same_on_two_threads),
        cmocka_unit_test(meshes_keep_their_kind_and_size),
        cmocka_unit_test(a_governed_frame_is_close_to_the_best),
        cmocka_unit_test(an_unknown_bench_is_wrong_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
