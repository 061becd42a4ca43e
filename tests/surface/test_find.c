// SPDX-License-Identifier: MIT
// What may lie at a place of a displaced field, found without reading all of it.
#include "scenes/scenes.h"
#include "support/prop.h"

static karst_field *make(prop *p, int *columns, int *rows) {
    *columns = prop_int(p, 2, 220), *rows = prop_int(p, 2, 220);
    karst_field *field = NULL;
    if (prop_chance(p, 0.5)) {
        assert_int_equal(scene_overhang_field(*columns, *rows, 2, prop_u64(p), &field), KARST_OK);
        return field;
    }
    karst_pos origin = {prop_real(p, -1e4, 1e4), 0, prop_real(p, -1e4, 1e4)};
    assert_int_equal(scene_rough_field(*columns, *rows, prop_real(p, 0.5, 8), prop_u64(p), true, true, origin, &field),
                     KARST_OK);
    return field;
}

// Vertices in the box that are not in the rect.
static int missed(karst_field *field, karst_box box, karst_rect r) {
    karst_field_shape s = karst_field_shape_of(field);
    size_t n = (size_t)s.columns * (size_t)s.rows;
    float *y = malloc(3 * n * sizeof *y), *x = y + n, *z = x + n;
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, s.columns, s.rows}, y, x, z, s.columns), KARST_OK);
    int count = 0;
    for (int j = 0; j < s.rows; ++j)
        for (int i = 0; i < s.columns; ++i) {
            size_t k = (size_t)j * (size_t)s.columns + (size_t)i;
            double px = s.origin.x + (i * s.spacing_m + (double)x[k]),
                   pz = s.origin.z + (j * s.spacing_m + (double)z[k]);
            bool inside = px >= box.min.x && px <= box.max.x && pz >= box.min.z && pz <= box.max.z;
            count += inside && !(i >= r.x0 && i < r.x1 && j >= r.z0 && j < r.z1);
        }
    free(y);
    return count;
}

static karst_box random_box(prop *p, karst_field *field) {
    karst_box all = karst_ground_bounds(karst_field_ground(field));
    double x = prop_real(p, all.min.x - 20, all.max.x + 20), z = prop_real(p, all.min.z - 20, all.max.z + 20);
    double r = prop_real(p, 0, 30);
    return (karst_box){{x - r, 0, z - r}, {x + r, 0, z + r}};
}

static void find_misses_no_vertex_in_the_box(void **state) {
    (void)state;
    int controls = 0;
    for (prop p = prop_begin("find", 60); prop_next(&p);) {
        int columns, rows;
        karst_field *field = make(&p, &columns, &rows);
        for (int k = 0; k < 10; ++k) {
            karst_box box = random_box(&p, field);
            karst_rect r;
            assert_int_equal(karst_field_find(field, box, &r), KARST_OK);
            prop_check(&p, missed(field, box, r) == 0);
            if (r.x1 - r.x0 > 4)
                controls += missed(field, box, (karst_rect){r.x0 + (r.x1 - r.x0) / 2, r.z0, r.x1, r.z1});
            // A write that carries a vertex far away is noticed.
            karst_rect one = {prop_int(&p, 0, columns - 1), prop_int(&p, 0, rows - 1), 0, 0};
            one.x1 = one.x0 + 1, one.z1 = one.z0 + 1;
            float y = 3, x = (float)prop_real(&p, -60, 60), z = (float)prop_real(&p, -60, 60);
            assert_int_equal(karst_field_write(field, one, &y, &x, &z, 1), KARST_OK);
        }
        karst_field_destroy(field);
    }
    assert_true(controls > 0);
}

static void top_is_the_first_of_all_heights(void **state) {
    (void)state;
    int none = 0, several = 0;
    for (prop p = prop_begin("top", 60); prop_next(&p);) {
        int columns, rows;
        karst_field *field = make(&p, &columns, &rows);
        for (int k = 0; k < 40; ++k) {
            karst_box box = random_box(&p, field);
            karst_level level[4];
            int count;
            double y = -1;
            bool found;
            assert_int_equal(karst_ground_heights(karst_field_ground(field), box.min.x, box.min.z, level, 4, &count),
                             KARST_OK);
            assert_int_equal(karst_field_top(field, box.min.x, box.min.z, &y, &found), KARST_OK);
            prop_check(&p, found == (count > 0));
            prop_near(&p, y, found ? level[0].y : -1, 1e-9);
            none += !found;
            several += count > 1;
        }
        karst_field_destroy(field);
    }
    assert_true(none > 0 && several > 0);
}

typedef struct counted {
    int loads;
} counted;

static karst_status load(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    (void)x, (void)z, (void)out;
    ++((counted *)context)->loads;
    *found = false;
    return KARST_OK;
}
static karst_status fail_load(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    (void)context, (void)x, (void)z, (void)out, (void)found;
    return KARST_ERROR_FILE;
}

static karst_status farthest(void *context, float *most_m) {
    (void)context;
    most_m[3 * 8 + 2] = 40;
    return KARST_OK;
}

static void a_store_that_knows_is_not_read(void **state) {
    (void)state;
    counted c = {0};
    karst_field_store store = {.load = load, .context = &c, .farthest = farthest};
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = 64 * 8 + 1;
    def.store = &store;
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    karst_rect r;
    assert_int_equal(karst_field_find(field, (karst_box){{400, 0, 400}, {410, 0, 410}}, &r), KARST_OK);
    assert_true(r.x0 == 400 && r.x1 == 411);
    assert_int_equal(karst_field_find(field, (karst_box){{220, 0, 220}, {221, 0, 221}}, &r), KARST_OK);
    assert_true(r.x0 == 180 && r.x1 == 222);  // chunk (2, 3) ends at column 192, and reaches 40 m
    assert_int_equal(c.loads, 0);
    karst_field_destroy(field);
}

static void a_store_is_looked_through_once(void **state) {
    (void)state;
    counted c = {0};
    karst_field_store store = {.load = load, .context = &c};
    karst_field_def def = karst_field_def_default();
    def.shape.columns = def.shape.rows = 64 * 8 + 1;
    def.store = &store;
    def.cache_bytes = 1;
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    karst_rect r;
    karst_box box = {{100, 0, 100}, {130, 0, 130}};
    assert_int_equal(karst_field_find(field, box, &r), KARST_OK);
    assert_int_equal(c.loads, 64);
    assert_true(r.x0 == 100 && r.z0 == 100 && r.x1 == 131 && r.z1 == 131);
    assert_int_equal(karst_field_find(field, box, &r), KARST_OK);
    assert_int_equal(c.loads, 64);
    double y = 1;
    bool found;
    assert_int_equal(karst_field_top(field, 100.5, 100.5, &y, &found), KARST_OK);
    assert_true(found && y == 0 && c.loads <= 66);
    karst_field_destroy(field);
    store.load = fail_load;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    assert_int_equal(karst_field_find(field, box, &r), KARST_ERROR_FILE);
    assert_int_equal(karst_field_top(field, 1, 1, &y, &found), KARST_ERROR_FILE);
    karst_field_destroy(field);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(find_misses_no_vertex_in_the_box),
        cmocka_unit_test(top_is_the_first_of_all_heights),
        cmocka_unit_test(a_store_that_knows_is_not_read),
        cmocka_unit_test(a_store_is_looked_through_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
