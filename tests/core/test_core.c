// SPDX-License-Identifier: MIT
// Core: the first properties; the house's own tests stand beside it.
#include "support/prop.h"

static void overflow_is_reported(void **state) {
    (void)state;
    size_t out = 7;
    assert_false(kst_size_mul(SIZE_MAX, 2, &out));
    assert_true(kst_size_mul(3, 5, &out));
    assert_int_equal(out, 15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(overflow_is_reported)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
