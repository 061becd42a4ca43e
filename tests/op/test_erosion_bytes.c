// SPDX-License-Identifier: MIT
// The bytes that erosion gives, written down: a compiler, its options or a processor that gives others fails here.
// A change that means to change them writes the new numbers.
#include "op/droplets.h"
#include "op/land_made.h"
#include "op/thermal.h"

// Ground of whole numbers, which no compiler makes otherwise.
static made whole_land(void) {
    made m = make_land(333, 222, 1);
    for (size_t i = 0; i < m.count; ++i) {
        int x = (int)(i % 333), y = (int)(i / 333), h = 0;
        for (int length = 64, k = 0; length >= 4; length /= 2, ++k) {
            int u = x % length, v = y % length, c[4];
            for (int n = 0; n < 4; ++n)
                c[n] = (int)(kst_random((uint64_t)length,
                                        (uint64_t)(x / length + n % 2) << 32 | (uint64_t)(y / length + n / 2)) >>
                             56);
            h += ((c[0] * (length - u) + c[1] * u) * (length - v) + (c[2] * (length - u) + c[3] * u) * v) / length;
        }
        m.before[i] = (float)h / 64;
    }
    make_anew(&m);
    return m;
}

static void check(const made *m, uint64_t expected) {
    uint64_t is = made_hash(m);
    if (is != expected) print_error("bytes: 0x%016llx\n", (unsigned long long)is);
    assert_true(is == expected);
}

static void droplets_and_slides_give_the_bytes_that_are_written_down(void **state) {
    (void)state;
    made m = whole_land();
    karst_jobs *jobs = made_jobs(3);
    karst_droplets_def drops = karst_droplets_def_default();
    assert_int_equal(kst_droplets(&m.land, &drops, jobs, NULL, NULL), KARST_OK);
    check(&m, 0x4053f5cdd8353b73);
    karst_thermal_def slides = karst_thermal_def_default();
    slides.creep = 0.2f;
    slides.talus = 0.4f;
    assert_int_equal(kst_thermal(&m.land, &slides, jobs, NULL, NULL), KARST_OK);
    check(&m, 0x503986f888014ee2);
    uint64_t whole = made_hash(&m);
    m.land.height_m[5] += 0x1p-10f;  // control: a little of one sample shows
    assert_true(made_hash(&m) != whole);
    karst_jobs_destroy(jobs);
    unmake(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(droplets_and_slides_give_the_bytes_that_are_written_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
