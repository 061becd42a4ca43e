// SPDX-License-Identifier: MIT
// The sixteen-bit code of normals.
#include "karst/chunk.h"
#include "support/prop.h"

static karst_vec3 random_normal(prop *p) {
    for (;;) {
        double x = prop_real(p, -1, 1), y = prop_real(p, -1, 1), z = prop_real(p, -1, 1), l = x * x + y * y + z * z;
        if (l < 1 && l > 0.01) return (karst_vec3){(float)(x / sqrt(l)), (float)(y / sqrt(l)), (float)(z / sqrt(l))};
    }
}

static double dot(karst_vec3 a, karst_vec3 b) {
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z;
}

static void the_code_taken_is_the_nearest_of_all(void **state) {
    (void)state;
    static karst_vec3 all[65536];
    for (int c = 0; c < 65536; ++c) all[c] = karst_normal_decode((uint16_t)c);
    double worst = 1;
    for (prop p = prop_begin("normal", 1500); prop_next(&p);) {
        karst_vec3 n = random_normal(&p);
        if (prop_chance(&p, 0.3)) n.y *= 0.01f;  // round the equator, where the octahedron folds
        double l = sqrt(dot(n, n)), best = -1;
        n = (karst_vec3){(float)(n.x / l), (float)(n.y / l), (float)(n.z / l)};
        for (int c = 0; c < 65536; ++c) {
            double d = dot(all[c], n);
            if (d > best) best = d;
        }
        double got = dot(karst_normal_decode(karst_normal_encode(n)), n);
        prop_check(&p, got >= best - 1e-6);
        if (got < worst) worst = got;
    }
    assert_true(acos(worst) < 0.0112 && acos(worst) > 0.005);
}

static void every_code_decodes_to_unit_length_and_back(void **state) {
    (void)state;
    for (int c = 0; c < 65536; ++c) {
        karst_vec3 n = karst_normal_decode((uint16_t)c), again = karst_normal_decode(karst_normal_encode(n));
        assert_true(fabs(dot(n, n) - 1) < 1e-6);
        assert_true(dot(n, again) > 1 - 1e-6);
    }
    karst_vec3 up = karst_normal_decode(0x8080);
    assert_true(up.x == 0 && up.y == 1 && up.z == 0);
    assert_int_equal(karst_normal_encode((karst_vec3){0, 1, 0}), 0x8080);
    assert_int_equal(karst_normal_encode((karst_vec3){0, 0, 0}), 0x8080);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_code_taken_is_the_nearest_of_all),
        cmocka_unit_test(every_code_decodes_to_unit_length_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
