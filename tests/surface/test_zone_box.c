// SPDX-License-Identifier: MIT
// Boxes of pieces.
#include "scenes/nets.h"
#include "support/prop.h"

static void a_box_holds_all_vertices_and_little_else(void **state) {
    (void)state;
    for (int map = 0; map < 16; map += 15) {
        karst_net *net;
        scene_zones zones;
        scene_net_def def = {.side = 16, .slot = (uint8_t)map, .tiles_log2 = 3, .noise_set = 2};
        assert_int_equal(scene_net(&def, NULL, &net), KARST_OK);
        assert_int_equal(scene_zones_cut(net, NULL, &zones), KARST_OK);
        karst_fine *v = malloc(KARST_PIECE_FINE_MAX * KARST_PIECE_FINE_MAX * sizeof *v), low, high;
        double spare = 0, pieces = 0;
        int tight = 0;
        for (int z = 0; z < zones.count; ++z)
            for (uint32_t p = 0; p < zones.zones[z]->piece_count; ++p) {
                int side = (4 << zones.zones[z]->pieces[p].tiles_log2) + 1;
                karst_fine a = {INT32_MAX, INT32_MAX, INT32_MAX}, b = {INT32_MIN, INT32_MIN, INT32_MIN};
                karst_zone_fine(zones.zones[z], p, v);
                karst_zone_box(zones.zones[z], p, &low, &high);
                for (int k = 0; k < side * side; ++k) {
                    a.x = v[k].x < a.x ? v[k].x : a.x, b.x = v[k].x > b.x ? v[k].x : b.x;
                    a.y = v[k].y < a.y ? v[k].y : a.y, b.y = v[k].y > b.y ? v[k].y : b.y;
                    a.z = v[k].z < a.z ? v[k].z : a.z, b.z = v[k].z > b.z ? v[k].z : b.z;
                }
                assert_true(low.x <= a.x && low.y <= a.y && low.z <= a.z);
                assert_true(high.x >= b.x && high.y >= b.y && high.z >= b.z);
                spare += ((high.x - low.x) - (b.x - a.x)) / 4096.0, ++pieces;
                // Control: half a metre less, and displaced ground sticks out.
                tight += low.y + 2048 > a.y || high.y - 2048 < b.y;
            }
        assert_true(spare / pieces < 3);
        if (map) assert_true(tight > 0);
        free(v);
        scene_zones_free(&zones);
        karst_net_destroy(net);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_holds_all_vertices_and_little_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
