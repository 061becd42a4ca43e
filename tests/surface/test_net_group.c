// SPDX-License-Identifier: MIT
// Groups of tiles: those whose middle lies in the sphere, whatever is painted at their corners.
#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/net.h"

static karst_net *net_of(void) {
    karst_report report = {0};
    karst_net *net = NULL;
    if (scene_net(&(scene_net_def){.side = 16, .slot = 3, .tiles_log2 = 3, .noise_set = 2}, &report, &net))
        fail_msg("%s", report.message);
    return net;
}

// How far the middle of tile (i, j) is from a place [m], by Bernstein's polynomials in doubles.
static double away(const karst_net *net, int32_t patch, int i, int j, karst_pos from) {
    const karst_net_patch *p = &net->patches[patch];
    int32_t points[16][3];
    double at[3] = {0}, to[3] = {from.x - net->origin.x, from.y - net->origin.y, from.z - net->origin.z}, sum = 0;
    double u[2] = {(i + 0.5) / (1 << p->tiles_log2[0]), (j + 0.5) / (1 << p->tiles_log2[1])}, b[2][4];
    for (int k = 0; k < 2; ++k) {
        double v = 1 - u[k];
        b[k][0] = v * v * v, b[k][1] = 3 * u[k] * v * v, b[k][2] = 3 * u[k] * u[k] * v, b[k][3] = u[k] * u[k] * u[k];
    }
    kst_net_patch_points(net, patch, points);
    for (int k = 0; k < 16; ++k)
        for (int axis = 0; axis < 3; ++axis) at[axis] += b[0][k & 3] * b[1][k >> 2] * points[k][axis];
    for (int axis = 0; axis < 3; ++axis) {
        double d = ldexp(at[axis], net->step_log2) - to[axis];
        sum += d * d;
    }
    return sqrt(sum);
}

static void a_sphere_holds_the_tiles_whose_middle_it_does(void **state) {
    (void)state;
    karst_net *net = net_of();
    int painted = 0, left = 0;
    for (prop p = prop_begin("group", 60); prop_next(&p);) {
        double x = prop_int(&p, 0, 160), z = prop_int(&p, 0, 160), radius = prop_int(&p, 1, 30);
        karst_pos at = {x, scene_net_hill(x, z), z};
        int group = prop_int(&p, 0, KARST_TILE_GROUPS - 1);
        karst_net_patch *before = malloc((size_t)net->patch_count * sizeof *before);
        memcpy(before, net->patches, (size_t)net->patch_count * sizeof *before);
        int32_t changed = karst_net_paint_group(net, at, radius, group), found = 0;
        for (int32_t k = 0; k < net->patch_count; ++k)
            for (int j = 0; j < 1 << net->patches[k].tiles_log2[1]; ++j)
                for (int i = 0; i < 1 << net->patches[k].tiles_log2[0]; ++i) {
                    int now = net->patches[k].group[16 * j + i], then = before[k].group[16 * j + i];
                    double d = away(net, k, i, j, at);
                    bool in = d<radius - 1e-3, out = d> radius + 1e-3;
                    prop_check(&p, (!in || now == group) && (!out || now == then));
                    painted += in, left += out;
                    found += now != then;
                }
        prop_check(&p, changed == found && net->finished);
        prop_check(&p, karst_net_paint_group(net, at, radius, group) == 0);
        // Nothing else of a patch is touched.
        for (int32_t k = 0; k < net->patch_count; ++k)
            memcpy(before[k].group, net->patches[k].group, sizeof before[k].group);
        prop_check(&p, !memcmp(before, net->patches, (size_t)net->patch_count * sizeof *before));
        free(before);
    }
    assert_true(painted > 1000 && left > 10000);
    karst_net_destroy(net);
}

static void a_group_that_is_none_is_named(void **state) {
    (void)state;
    karst_net *net = net_of();
    karst_report report = {0};
    net->patches[3].group[16 * 2 + 5] = KARST_TILE_GROUPS - 1;
    assert_int_equal(karst_net_finish(net, &report), KARST_OK);  // control
    net->patches[3].group[16 * 2 + 5] = KARST_TILE_GROUPS;
    assert_int_equal(karst_net_finish(net, &report), KARST_ERROR_FORMAT);
    assert_string_equal(report.message, "patch 3, tile 5, 2: tile group 12; groups are 0 to 11");
    karst_net_destroy(net);
}

static void everywhere_is_every_tile(void **state) {
    (void)state;
    karst_net *net = net_of();
    int32_t tiles = 0;
    for (int32_t k = 0; k < net->patch_count; ++k)
        tiles += 1 << (net->patches[k].tiles_log2[0] + net->patches[k].tiles_log2[1]);
    assert_int_equal(karst_net_paint_group(net, (karst_pos){0, 0, 0}, INFINITY, 4), tiles);
    assert_int_equal(karst_net_paint_group(net, (karst_pos){0, 1e6, 0}, 10, 5), 0);
    karst_net_destroy(net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_holds_the_tiles_whose_middle_it_does),
        cmocka_unit_test(a_group_that_is_none_is_named),
        cmocka_unit_test(everywhere_is_every_tile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
