// SPDX-License-Identifier: MIT
// The samples do what they say, on a pack that was baked just now.
#include <unistd.h>

#include "karst/bake.h"
#include "karst/pack.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/run.h"

static char pack_path[512];

static int bake_a_pack(void **state) {
    (void)state;
    snprintf(pack_path, sizeof pack_path, "%s", temp_path("rough.kpack"));
    karst_field *field;
    if (scene_rough_field(193, 161, 2, 5, true, true, (karst_pos){1000, 50, -2000}, &field)) return 1;
    karst_status status = karst_bake_field(field, pack_path, NULL, NULL, NULL, NULL);
    karst_field_destroy(field);
    return (int)status;
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hello_tells_the_height_in_the_middle),
        cmocka_unit_test(hello_gl_draws_a_picture),
    };
    return cmocka_run_group_tests(tests, bake_a_pack, temp_teardown);
}
