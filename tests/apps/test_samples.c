// SPDX-License-Identifier: MIT
// The samples do what they say, on a pack that was baked just now.
#include <unistd.h>

#include "karst/bake.h"
#include "karst/pack.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"

static char pack_path[512], large_path[512];

static int bake_one(const char *path, int columns, int rows, bool displaced) {
    karst_field *field;
    if (scene_rough_field(columns, rows, 2, 5, displaced, displaced, (karst_pos){1000, 50, -2000}, &field)) return 1;
    karst_status status = karst_bake_field(field, path, NULL, NULL, NULL, NULL);
    karst_field_destroy(field);
    return (int)status;
}

static int bake_packs(void **state) {
    (void)state;
    snprintf(pack_path, sizeof pack_path, "%s", temp_path("rough.kpack"));
    snprintf(large_path, sizeof large_path, "%s", temp_path("large.kpack"));
    return bake_one(pack_path, 193, 161, true) || bake_one(large_path, 513, 513, false);
}

static bool is_built(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("KARST_BIN"), name);
    return !access(path, X_OK);
}

static void hello_tells_the_height_in_the_middle(void **state) {
    (void)state;
    if (!is_built("hello")) skip();
    karst_pack *pack;
    assert_int_equal(karst_pack_open(pack_path, NULL, &pack), KARST_OK);
    karst_box box = karst_pack_info_of(pack).bounds;
    double y;
    char line[128] = "there is no ground in the middle\n";
    if (karst_ground_height(karst_pack_ground(pack), (box.min.x + box.max.x) / 2, (box.min.z + box.max.z) / 2, &y))
        snprintf(line, sizeof line, "the ground in the middle is %.2f m high\n", y);
    karst_pack_close(pack);

    ran r = run_words((const char *const[]){"hello", pack_path, NULL});
    assert_int_equal(r.code, 0);
    assert_true(strstr(r.out, line) == r.out);
    ran_free(&r);
    r = run_words((const char *const[]){"hello", temp_path("none.kpack"), NULL});
    assert_int_equal(r.code, 1);
    assert_true(is_one_line(r.err) && strstr(r.err, "none.kpack"));
    ran_free(&r);
}

static void hello_gl_draws_a_picture(void **state) {
    (void)state;
    if (!is_built("hello_gl")) skip();
    const char *picture = temp_path("frame.ppm");
    ran r = run_words((const char *const[]){"hello_gl", pack_path, picture, NULL});
    if (r.code) print_error("%s", r.err);
    assert_int_equal(r.code, 0);
    kst_map map;
    assert_int_equal(kst_file_map(picture, NULL, &map), KARST_OK);
    const size_t head = strlen("P6\n640 360\n255\n");
    assert_int_equal(map.size, head + 3 * 640 * 360);
    assert_memory_equal(map.bytes, "P6\n640 360\n255\n", head);
    static bool seen[1 << 12];  // colours, four bits a channel
    int colours = 0;
    for (size_t i = head; i < map.size; i += 3) {
        int c = map.bytes[i] >> 4 | (map.bytes[i + 1] >> 4) << 4 | (map.bytes[i + 2] >> 4) << 8;
        colours += !seen[c];
        seen[c] = true;
    }
    assert_true(colours > 30);  // an empty frame has one, a sky alone a few
    kst_file_unmap(&map);
    ran_free(&r);
}

static void govern_keeps_to_its_budget(void **state) {
    (void)state;
    if (!is_built("govern")) skip();
    static const char *const budgets[] = {"100000", "200000"};
    double before_px = 1e30;
    for (int k = 0; k < 2; ++k) {
        ran r = run_words((const char *const[]){"govern", large_path, budgets[k], NULL});
        assert_int_equal(r.code, 0);
        print_message("%s", r.out);
        long least, most, budget;
        double low_px, high_px;
        assert_int_equal(sscanf(r.out, "%ld to %ld triangles a frame of %ld, at most %lf to %lf", &least, &most,
                                &budget, &low_px, &high_px),
                         5);
        assert_true(budget == atol(budgets[k]) && most < budget * 12 / 10 && least > budget * 7 / 10);
        assert_true(high_px > 1.15 * low_px && high_px < before_px);  // the error is what gives way
        before_px = high_px;
        ran_free(&r);
    }
    ran r = run_words((const char *const[]){"govern", pack_path, "none", NULL});
    assert_true(r.code == 2 && is_one_line(r.err));
    ran_free(&r);
}

static void field_and_net_meet(void **state) {
    (void)state;
    if (!is_built("meet") || !is_built("karst")) skip();
    char world[512], pack[512];
    snprintf(world, sizeof world, "%s", temp_path("meet.karst"));
    snprintf(pack, sizeof pack, "%s", temp_path("meet.kpack"));
    ran made[] = {run_karst("new", world, "--size", "129x129", "--quiet"),
                  run_karst("filter", world, "noise", "--height", "20", "--wavelength", "60", "--quiet"),
                  run_karst("patch", world, "fit", "--area", "40,40,90,90", "--replace", "--quiet"),
                  run_karst("bake", world, "-o", pack, "--map-side", "32", "--quiet")};
    for (size_t k = 0; k < sizeof made / sizeof *made; ++k) {
        if (made[k].code) fail_msg("%s", made[k].err);
        ran_free(&made[k]);
    }
    for (int k = 0; k < 2; ++k) {  // the second one has no net
        ran r = run_words((const char *const[]){"meet", k ? pack_path : pack, NULL});
        assert_int_equal(r.code, 0);
        print_message("%s", r.out);
        long field, net, common;
        assert_int_equal(sscanf(r.out, "field %ld triangles, net %ld, %ld corners in common", &field, &net, &common),
                         3);
        assert_true(field > 1000 && (net > 100) == !k && (common >= 4 * 16) == !k);
        ran_free(&r);
    }
    ran r = run_words((const char *const[]){"meet", temp_path("none.kpack"), NULL});
    assert_true(r.code == 2 && is_one_line(r.err));
    ran_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_tells_the_height_in_the_middle),
        cmocka_unit_test(hello_gl_draws_a_picture),
        cmocka_unit_test(govern_keeps_to_its_budget),
        cmocka_unit_test(field_and_net_meet),
    };
    return cmocka_run_group_tests(tests, bake_packs, temp_teardown);
}
