// SPDX-License-Identifier: MIT
// Opacity of a field: rectangles in and out, borders and padding equal, stores, faults, and no memory while solid.
#include "karst/field.h"
#include "support/prop.h"

typedef struct shelf {  // a store in memory
    karst_field_chunk *chunk;
    bool *there;
    int32_t across;
} shelf;

static karst_status load(void *context, int32_t x, int32_t z, karst_field_chunk *out, bool *found) {
    const shelf *s = context;
    *found = s->there[z * s->across + x];
    if (*found) *out = s->chunk[z * s->across + x];
    return KARST_OK;
}

static karst_status save(void *context, int32_t x, int32_t z, const karst_field_chunk *chunk) {
    shelf *s = context;
    s->there[z * s->across + x] = true;
    s->chunk[z * s->across + x] = *chunk;
    return KARST_OK;
}

static karst_field *make(int columns, int rows, const karst_field_store *store) {
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){columns, rows, 1, {0, 0, 0}};
    def.store = store;
    def.cache_bytes = 60000;  // three chunks
    karst_field *field;
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    return field;
}

// Every chunk's samples against the whole lattice, stepped on beyond its last one.
static bool equals(karst_field *field, const uint8_t *want, int columns, int rows) {
    int across = (columns + 1) / 2, down = (rows + 1) / 2;
    int32_t nx, nz;
    karst_field_chunk_grid(field, &nx, &nz);
    karst_field_chunk *c = malloc(sizeof *c);
    bool same = true;
    for (int k = 0; k < nx * nz; ++k) {
        same &= karst_field_read_chunk(field, k % nx, k / nx, c) == KARST_OK;
        for (int j = 0; j < KARST_HALF_SIDE; ++j)
            for (int i = 0; i < KARST_HALF_SIDE; ++i) {
                int x = k % nx * 32 + i, z = k / nx * 32 + j;
                if (x >= across) x = across - 1;
                if (z >= down) z = down - 1;
                same &= c->transparency[j * KARST_HALF_SIDE + i] == 255 - want[z * across + x];
            }
    }
    free(c);
    uint8_t *all = malloc((size_t)across * (size_t)down);
    same &= karst_field_read_opacity(field, (karst_rect){0, 0, across, down}, all, across) == KARST_OK;
    same &= !memcmp(all, want, (size_t)across * (size_t)down);
    free(all);
    return same;
}

static void what_is_written_is_read_in_every_chunk(void **state) {
    (void)state;
    for (prop p = prop_begin("opacity", 12); prop_next(&p);) {
        int columns = prop_int(&p, 2, 300), rows = prop_int(&p, 2, 200), across = (columns + 1) / 2;
        int down = (rows + 1) / 2, chunks = ((columns - 2) / 64 + 1) * ((rows - 2) / 64 + 1);
        shelf s = {calloc((size_t)chunks, sizeof *s.chunk), calloc((size_t)chunks, 1), (columns - 2) / 64 + 1};
        karst_field_store store = {.load = load, .save = save, .context = &s};
        bool paged = prop_chance(&p, 0.5);
        karst_field *field = make(columns, rows, paged ? &store : NULL);
        uint8_t *want = malloc((size_t)across * (size_t)down), *part = malloc((size_t)across * (size_t)down);
        memset(want, 255, (size_t)across * (size_t)down);
        prop_check(&p, equals(field, want, columns, rows));
        for (int n = 0; n < 20; ++n) {
            karst_rect r = {prop_int(&p, 0, across - 1), prop_int(&p, 0, down - 1), 0, 0};
            r.x1 = prop_int(&p, r.x0, across);
            r.z1 = prop_int(&p, r.z0, down);
            bool solid = prop_chance(&p, 0.3);
            for (int j = r.z0; j < r.z1; ++j)
                for (int i = r.x0; i < r.x1; ++i)
                    want[j * across + i] = part[(j - r.z0) * across + i - r.x0] =
                        solid ? 255 : (uint8_t)prop_int(&p, 0, 255);
            prop_check(&p, karst_field_write_opacity(field, r, part, across) == KARST_OK);
        }
        prop_check(&p, equals(field, want, columns, rows));
        if (paged) {  // and once more from the store alone
            prop_check(&p, karst_field_flush(field) == KARST_OK);
            karst_field_destroy(field);
            field = make(columns, rows, &store);
            prop_check(&p, equals(field, want, columns, rows));
        }
        want[(across * down) / 2] ^= 1;  // control
        prop_check(&p, !equals(field, want, columns, rows));
        karst_field_destroy(field);
        free(want);
        free(part);
        free(s.chunk);
        free(s.there);
    }
}

static void what_is_out_of_range_is_refused(void **state) {
    (void)state;
    karst_field *field = make(71, 40, NULL);  // 36 x 20 samples
    uint8_t one = 9;
    const karst_rect bad[] = {{35, 0, 37, 1}, {0, 19, 1, 21}, {-1, 0, 0, 1}, {2, 0, 1, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(karst_field_write_opacity(field, bad[k], &one, 9), KARST_ERROR_ARGUMENT);
        assert_int_equal(karst_field_read_opacity(field, bad[k], &one, 9), KARST_ERROR_ARGUMENT);
    }
    assert_int_equal(karst_field_write_opacity(field, (karst_rect){35, 19, 36, 20}, &one, 1), KARST_OK);
    one = 0;
    assert_int_equal(karst_field_read_opacity(field, (karst_rect){35, 19, 36, 20}, &one, 1), KARST_OK);
    assert_int_equal(one, 9);
    karst_field_destroy(field);
}

static void each_failing_allocation_is_reported(void **state) {
    (void)state;
    uint8_t part[4] = {1, 2, 3, 4};
    for (uint64_t n = 1;; ++n) {
        karst_field *field = make(200, 200, NULL);
        kst_alloc_fail_after(n);
        karst_status status = karst_field_write_opacity(field, (karst_rect){31, 31, 33, 33}, part, 2);
        kst_alloc_fail_after(0);
        karst_field_destroy(field);
        if (!status) {
            assert_true(n > 4);  // four chunks share the corner
            return;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_in_every_chunk),
        cmocka_unit_test(what_is_out_of_range_is_refused),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
