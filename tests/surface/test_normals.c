// SPDX-License-Identifier: MIT
// Normals in bulk against one at a time.
#include "surface/normals.h"

#include "support/prop.h"

static void bulk_codes_are_the_single_ones(void **state) {
    (void)state;
    enum { COUNT = 200 };
    float x[COUNT], y[COUNT], z[COUNT];
    uint16_t code[COUNT];
    for (prop p = prop_begin("normals", 300); prop_next(&p);) {
        int count = prop_int(&p, 1, COUNT);
        double size = pow(10, prop_real(&p, -6, 6));
        for (int k = 0; k < count; ++k) {
            x[k] = (float)(size * prop_real(&p, -1, 1));
            y[k] = (float)(size * prop_real(&p, -1, 1));
            z[k] = (float)(size * prop_real(&p, -1, 1));
            if (prop_chance(&p, 0.1)) x[k] = 0;
            if (prop_chance(&p, 0.1)) y[k] = 0;
            if (prop_chance(&p, 0.1)) z[k] = 0;
        }
        kst_normals_encode(x, y, z, count, code);
        for (int k = 0; k < count; ++k) {
            float length = sqrtf(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
            karst_vec3 unit = {0, 1, 0};
            if (length > 0) unit = (karst_vec3){x[k] / length, y[k] / length, z[k] / length};
            prop_check(&p, code[k] == karst_normal_encode(unit));
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bulk_codes_are_the_single_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
