// SPDX-License-Identifier: MIT
// Cages that fold: creases where quads meet at more than the angle, smooth elsewhere.
#include "scenes/nets.h"
#include "support/prop.h"
#include "surface/net.h"
#include "surface/net_bytes.h"

enum { SIDE = 8 };

static karst_net *net_of(const karst_pos *places, int place_count, const int32_t (*quads)[4], int quad_count,
                         double crease_rad) {
    karst_net *net;
    karst_report report = {0};
    assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
    karst_net_cage cage = {.places = places,
                           .place_count = place_count,
                           .quads = quads,
                           .quad_count = quad_count,
                           .crease_rad = crease_rad};
    if (karst_net_from_cage(net, &cage, &report)) fail_msg("%s", report.message);
    return net;
}

static int creases_of(const karst_net *net) {
    int count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) count += net->edges[k].crease;
    return count;
}

// Largest distance of control points from the plane of a patch's corners [steps].
static double bulge_of(const karst_net *net, int32_t patch) {
    int32_t p[16][3];
    karst_vec3 c[16];
    kst_net_patch_points(net, patch, p);
    kst_points_local((const int32_t(*)[3])p, c);
    karst_vec3 n = kst_unit(kst_cross(kst_sub(c[3], c[0]), kst_sub(c[12], c[0])));
    double most = 0;
    for (int k = 0; k < 16; ++k) most = fmax(most, fabs((double)kst_dot(n, kst_sub(c[k], c[0]))));
    return most;
}

static void a_cube_of_creases_is_a_cube(void **state) {
    (void)state;
    karst_pos places[8];
    static const int32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int k = 0; k < 8; ++k) places[k] = (karst_pos){k & 1 ? 12 : 0, k & 2 ? 12 : 0, k & 4 ? 12 : 0};
    karst_net *round = net_of(places, 8, quads, 6, 0), *sharp = net_of(places, 8, quads, 6, 0.7);
    assert_int_equal(creases_of(round), 0);
    assert_int_equal(creases_of(sharp), 12);
    for (int32_t k = 0; k < 6; ++k) {
        assert_true(bulge_of(sharp, k) <= 1);
        assert_true(bulge_of(round, k) > 100);  // control: without creases it is a ball
    }
    karst_net_destroy(round), karst_net_destroy(sharp);
}

// A roof whose ridge runs along x at row SIDE / 2 and winds in z by `wind_m`.
static karst_net *roof(double wind_m, double crease_rad) {
    karst_pos places[(SIDE + 1) * (SIDE + 1)];
    int32_t quads[SIDE * SIDE][4];
    for (int j = 0; j <= SIDE; ++j)
        for (int i = 0; i <= SIDE; ++i) {
            double from = abs(j - SIDE / 2);
            places[j * (SIDE + 1) + i] =
                (karst_pos){10.0 * i, 40 - 10 * from, 10.0 * j + wind_m * sin(i * 1.3) * (1 - from / (SIDE / 2))};
        }
    for (int k = 0; k < SIDE * SIDE; ++k) {
        int32_t a = k / SIDE * (SIDE + 1) + k % SIDE, v[4] = {a, a + 1, a + SIDE + 2, a + SIDE + 1};
        memcpy(quads[k], v, sizeof v);
    }
    return net_of(places, (SIDE + 1) * (SIDE + 1), (const int32_t(*)[4])quads, SIDE * SIDE, crease_rad);
}

static void a_ridge_folds_and_its_slopes_stay_even(void **state) {
    (void)state;
    karst_net *sharp = roof(0, 1), *round = roof(0, 0);
    assert_int_equal(creases_of(sharp), SIDE);  // the slopes meet at a right angle
    double most = 0;
    for (int32_t k = 0; k < SIDE * SIDE; ++k) {
        assert_true(bulge_of(sharp, k) <= 1);
        most = fmax(most, bulge_of(round, k));
    }
    assert_true(most > 200);
    karst_net_destroy(sharp), karst_net_destroy(round);
}

static void a_winding_ridge_has_no_kink_along_it(void **state) {
    (void)state;
    karst_net *net = roof(4, 0.8);
    assert_int_equal(creases_of(net), SIDE);
    int seen = 0;
    for (int32_t k = 0; k < net->edge_count; ++k)
        for (int32_t m = 0; m < net->edge_count; ++m) {
            const karst_net_edge *a = &net->edges[k], *b = &net->edges[m];
            if (!a->crease || !b->crease || a->corner[1] != b->corner[0]) continue;
            const int32_t *at = net->corners[a->corner[1]].at;
            karst_vec3 in, out;
            in = (karst_vec3){(float)(at[0] - a->handle[1][0]), (float)(at[1] - a->handle[1][1]),
                              (float)(at[2] - a->handle[1][2])};
            out = (karst_vec3){(float)(b->handle[0][0] - at[0]), (float)(b->handle[0][1] - at[1]),
                               (float)(b->handle[0][2] - at[2])};
            assert_true(kst_dot(kst_unit(in), kst_unit(out)) > 0.99999f);
            ++seen;
        }
    assert_int_equal(seen, SIDE - 1);
    karst_net_destroy(net);
}

static uint64_t hash_of(const karst_net *net) {
    uint64_t hash = 0;
    const int32_t count[KST_NET_PARTS] = {net->corner_count, net->edge_count, net->patch_count};
    for (int part = 0; part < KST_NET_PARTS; ++part) {
        size_t size = (size_t)count[part] * kst_net_element_bytes((kst_net_part)part);
        uint8_t *bytes = malloc(size + 1);
        kst_net_put_elements(net, (kst_net_part)part, 0, count[part], bytes);
        hash = kst_hash(bytes, size, hash);
        free(bytes);
    }
    return hash;
}

static void what_folds_nowhere_is_smooth_to_the_last_bit(void **state) {
    (void)state;
    karst_net *smooth = roof(4, 0), *never = roof(4, 3.1415926), *sharp = roof(4, 0.8);
    assert_true(hash_of(smooth) == hash_of(never) && hash_of(smooth) != hash_of(sharp));
    karst_net_destroy(smooth), karst_net_destroy(never), karst_net_destroy(sharp);
}

static void an_angle_that_is_none_is_told(void **state) {
    (void)state;
    karst_net *net;
    karst_report report = {0};
    const double bad[] = {-0.1, 3.2, NAN};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
        karst_net_cage cage = {.crease_rad = bad[k]};
        assert_int_equal(karst_net_from_cage(net, &cage, &report), KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, "creases"));
        karst_net_destroy(net);
    }
}

static void running_out_of_memory_leaks_nothing(void **state) {
    (void)state;
    karst_pos places[4] = {{0, 0, 0}, {9, 0, 0}, {9, 0, 9}, {0, 0, 9}};
    const int32_t quads[1][4] = {{0, 1, 2, 3}};
    karst_status status = KARST_ERROR_MEMORY;
    uint64_t n = 1;
    for (; status; ++n) {
        karst_net *net;
        assert_int_equal(karst_net_create((karst_pos){0, 0, 0}, -8, NULL, &net), KARST_OK);
        karst_net_cage cage = {.places = places, .place_count = 4, .quads = quads, .quad_count = 1, .crease_rad = 1};
        kst_alloc_fail_after(n);
        status = karst_net_from_cage(net, &cage, NULL);
        kst_alloc_fail_after(0);
        assert_true(status == KARST_OK || status == KARST_ERROR_MEMORY);
        karst_net_destroy(net);
    }
    assert_true(n > 12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_of_creases_is_a_cube),
        cmocka_unit_test(a_ridge_folds_and_its_slopes_stay_even),
        cmocka_unit_test(a_winding_ridge_has_no_kink_along_it),
        cmocka_unit_test(what_folds_nowhere_is_smooth_to_the_last_bit),
        cmocka_unit_test(an_angle_that_is_none_is_told),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
