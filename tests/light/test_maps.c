// SPDX-License-Identifier: MIT
// Look maps: sizes, means, holes, relief of known shapes, the same bytes on any number of workers.
#include <time.h>

#include "light/flow.h"
#include "light/maps.h"
#include "support/prop.h"

typedef struct land {
    karst_field_shape shape;
    float *y;
    uint8_t *holes;
} land;

static land land_make(int columns, int rows, double spacing, float (*height)(double x, double z)) {
    land l = {{columns, rows, spacing, {0, 0, 0}}, malloc((size_t)columns * (size_t)rows * sizeof(float)), NULL};
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) l.y[j * columns + i] = height(i * spacing, j * spacing);
    return l;
}

static void give_row(void *context, int row, float *y, float *x, float *z, uint8_t *holes) {
    const land *l = context;
    size_t c = (size_t)l->shape.columns, at = (size_t)row * c;
    assert_true(row >= 0 && row < l->shape.rows && !x && !z);
    memcpy(y, l->y + at, c * sizeof(float));
    memset(holes, 0, c - 1);
    if (l->holes && row < l->shape.rows - 1) memcpy(holes, l->holes + at, c - 1);
}

static kst_look *build(const land *l, int map_side, int workers, karst_map maps[KST_LOOK_MAPS]) {
    kst_look *look;
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = workers;
    karst_jobs *jobs;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    assert_int_equal(kst_look_create(&l->shape, map_side, &look), KARST_OK);
    assert_int_equal(kst_look_read(look, false, give_row, (void *)(uintptr_t)l, jobs, NULL), KARST_OK);
    assert_int_equal(kst_look_build(look, jobs, NULL, maps), KARST_OK);
    karst_jobs_destroy(jobs);
    return look;
}

static const uint8_t *bytes_at(const karst_map *m, int i, int j) {
    return (const uint8_t *)m->samples + (size_t)(j * m->width + i) * (size_t)(m->channels * m->sample_bytes);
}
static float height_at(const karst_map *m, int i, int j) {
    return m->offset + m->scale * ((const uint16_t *)m->samples)[j * m->width + i];
}

static float plane(double x, double z) {
    return (float)(100 + 0.5 * x - 0.25 * z);
}
static float valley(double x, double z) {
    return (float)(fabs(x - 640) * 0.8 + z * 0.05);
}
static float rough(double x, double z) {
    return (float)(300 * sin(x * 0.003) * cos(z * 0.004) + 80 * sin(x * 0.021 + z * 0.013) +
                   20 * sin(x * 0.09) * sin(z * 0.07));
}

static void sizes_keep_the_shape(void **state) {
    (void)state;
    int w, h;
    kst_look_size(1201, 601, 2048, &w, &h);
    assert_int_equal(w, 1200);
    assert_int_equal(h, 600);
    kst_look_size(16385, 8193, 2048, &w, &h);
    assert_int_equal(w, 2048);
    assert_int_equal(h, 1024);
    kst_look_size(100000, 2, 64, &w, &h);
    assert_int_equal(w, 64);
    assert_int_equal(h, 1);
}

// A plane stays a plane: its mean is the height at the middle of the share. Cells that are split between two shares
// count as flat, which is off by an eighth of a cell at most.
static void plane_is_kept_at_any_size(void **state) {
    (void)state;
    int sides[] = {4096, 64, 100, 61};
    for (int k = 0; k < 4; ++k) {
        land l = land_make(129, 97, 10, plane);
        karst_map m[KST_LOOK_MAPS];
        kst_look *look = build(&l, sides[k], 1, m);
        for (int j = 0; j < m[2].height; ++j)
            for (int i = 0; i < m[2].width; ++i) {
                double x = (i + 0.5) / m[2].width * 1280, z = (j + 0.5) / m[2].height * 960;
                assert_true(fabs(height_at(&m[2], i, j) - plane(x, z)) < (k < 2 ? 0.02 : 10 * (0.5 + 0.25) / 8 + 0.02));
                const uint8_t *n = bytes_at(&m[0], i, j);
                double length = sqrt(1 + 0.25 + 0.0625);
                assert_true(fabs((n[0] - 128) / 127.0 + 0.5 / length) < 0.006);
                assert_true(fabs((n[1] - 128) / 127.0 - 0.25 / length) < 0.006);
            }
        kst_look_destroy(look);
        free(l.y);
    }
}

static void valley_is_dim_concave_and_drained(void **state) {
    (void)state;
    land l = land_make(129, 129, 10, valley);
    karst_map m[KST_LOOK_MAPS];
    kst_look *look = build(&l, 2048, 2, m);
    const uint8_t *floor_at = bytes_at(&m[1], 63, 20), *slope = bytes_at(&m[1], 30, 64),
                  *mouth = bytes_at(&m[1], 63, 2);
    assert_true(floor_at[0] < slope[0]);                  // sees less sky
    assert_true(floor_at[1] < 110 && floor_at[2] < 110);  // hollow at both scales
    assert_true(abs(slope[1] - 128) < 4 && abs(slope[2] - 128) < 4);
    assert_true(mouth[3] > slope[3] + 40);  // 16 times the water and more
    kst_look_destroy(look);
    free(l.y);
}

static void holes_do_not_count_and_are_filled(void **state) {
    (void)state;
    land l = land_make(129, 129, 10, plane);
    l.holes = calloc(129 * 129, 1);
    for (int j = 40; j < 60; ++j)
        for (int i = 40; i < 60; ++i) {
            l.holes[j * 129 + i] = 1;
            if (j > 40 && i > 40) l.y[j * 129 + i] = -1e5f;  // what no-data may hold
        }
    karst_map m[KST_LOOK_MAPS];
    kst_look *look = build(&l, 64, 1, m);
    for (int j = 0; j < 64; ++j)
        for (int i = 0; i < 64; ++i) assert_true(height_at(&m[2], i, j) > -500 && height_at(&m[2], i, j) < 1000);
    kst_look_destroy(look);
    // Control: without the flags the pit is seen.
    free(l.holes);
    l.holes = NULL;
    look = build(&l, 64, 1, m);
    assert_true(height_at(&m[2], 25, 25) < -1000);
    kst_look_destroy(look);
    free(l.y);
}

static void all_hole_is_flat(void **state) {
    (void)state;
    land l = land_make(9, 9, 1, plane);
    l.holes = malloc(81);
    memset(l.holes, 1, 81);
    karst_map m[KST_LOOK_MAPS];
    kst_look *look = build(&l, 64, 1, m);
    assert_true(height_at(&m[2], 4, 4) == 0);
    kst_look_destroy(look);
    free(l.holes);
    free(l.y);
}

static void water_is_kept(void **state) {
    (void)state;
    enum { N = 64 };
    float level[N * N], flow[N * N];
    for (prop p = prop_begin("water_is_kept", 20); prop_next(&p);) {
        for (int k = 0; k < N * N; ++k) level[k] = (float)prop_real(&p, 0, 100);  // pits everywhere
        assert_int_equal(kst_flow_build(level, N, N, flow, NULL, NULL), KARST_OK);
        double most = 0;
        for (int k = 0; k < N * N; ++k) {
            prop_check(&p, flow[k] >= 1 && flow[k] <= N * N * 1.001f);
            most = flow[k] > most ? flow[k] : most;
        }
        prop_check(&p, most > 100);  // basins spill and gather
    }
}

static void bytes_do_not_depend_on_workers(void **state) {
    (void)state;
    land l = land_make(301, 257, 30, rough);
    karst_map a[KST_LOOK_MAPS], b[KST_LOOK_MAPS];
    kst_look *one = build(&l, 200, 1, a), *five = build(&l, 200, 5, b);
    for (int k = 0; k < KST_LOOK_MAPS; ++k)
        assert_memory_equal(a[k].samples, b[k].samples,
                            (size_t)a[k].width * (size_t)a[k].height * (size_t)(a[k].channels * a[k].sample_bytes));
    kst_look_destroy(one);
    kst_look_destroy(five);
    free(l.y);
}

static void time_is_told(void **state) {
    (void)state;
    land l = land_make(1201, 1201, 30, rough);
    struct timespec t0, t1;
    clock_gettime(CLOCK_MONOTONIC, &t0);
    karst_map m[KST_LOOK_MAPS];
    kst_look *look = build(&l, 2048, 2, m);
    clock_gettime(CLOCK_MONOTONIC, &t1);
    print_message("maps of 1201 x 1201: %.3f s\n",
                  (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) * 1e-9);
    kst_look_destroy(look);
    free(l.y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_keep_the_shape),
        cmocka_unit_test(plane_is_kept_at_any_size),
        cmocka_unit_test(valley_is_dim_concave_and_drained),
        cmocka_unit_test(holes_do_not_count_and_are_filled),
        cmocka_unit_test(all_hole_is_flat),
        cmocka_unit_test(water_is_kept),
        cmocka_unit_test(bytes_do_not_depend_on_workers),
        cmocka_unit_test(time_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
