// SPDX-License-Identifier: MIT
// Memory: sizes that overflow, the injected fault, arenas.
#include "support/prop.h"

static void overflow_is_reported(void **state) {
    (void)state;
    size_t out = 7;
    assert_false(kst_size_mul(SIZE_MAX, 2, &out));
    assert_true(kst_size_mul(3, 5, &out));
    assert_int_equal(out, 15);
    assert_false(kst_size_add(SIZE_MAX, 1, &out));
    assert_true(kst_size_add(3, 5, &out));
    assert_int_equal(out, 8);
    assert_null(kst_alloc_array(NULL, SIZE_MAX / 2, 3));
    assert_null(kst_alloc(NULL, SIZE_MAX));
}

static void memory_is_aligned_and_cleared(void **state) {
    (void)state;
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
        uint8_t *memory = kst_alloc_zero(NULL, bytes);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        for (size_t i = 0; i < bytes; ++i) assert_int_equal(memory[i], 0);
        kst_free(NULL, memory, bytes);
    }
    kst_free(NULL, NULL, 5);
}

static void the_chosen_allocation_fails_and_no_other(void **state) {
    (void)state;
    for (uint64_t n = 1; n <= 5; ++n) {
        kst_alloc_fail_after(n);
        for (uint64_t i = 1; i <= 5; ++i) {
            void *memory = kst_alloc(NULL, 10);
            assert_int_equal(memory == NULL, i == n);
            kst_free(NULL, memory, 10);
        }
        assert_int_equal(kst_alloc_fail_after(0), 5);
    }
}

// Every piece keeps its bytes while the others are written, and all of it is aligned.
static void arena_pieces_do_not_overlap(void **state) {
    (void)state;
    for (prop p = prop_begin("arena", 50); prop_next(&p);) {
        kst_arena arena = {0};
        for (int pass = 0; pass < 3; ++pass) {
            uint8_t *piece[100];
            size_t size[100];
            int count = prop_int(&p, 1, 100);
            for (int i = 0; i < count; ++i) {
                size[i] = (size_t)prop_int(&p, 0, prop_chance(&p, 0.1) ? 300000 : 2000);
                piece[i] = kst_arena_alloc(&arena, size[i]);
                prop_check(&p, piece[i] && (uintptr_t)piece[i] % 64 == 0);
                memset(piece[i], i, size[i]);
            }
            for (int i = 0; i < count; ++i)
                for (size_t k = 0; k < size[i]; ++k) prop_check(&p, piece[i][k] == i);
            kst_arena_reset(&arena);
        }
        kst_arena_free(&arena);
        prop_check(&p, arena.block == NULL);
    }
}

static void arena_keeps_its_largest_block(void **state) {
    (void)state;
    kst_arena arena = {0};
    for (int i = 0; i < 100; ++i) assert_non_null(kst_arena_alloc(&arena, 5000));
    kst_arena_reset(&arena);
    kst_alloc_fail_after(1);  // what fits the kept block asks for nothing
    for (int i = 0; i < 50; ++i) assert_non_null(kst_arena_alloc(&arena, 5000));
    assert_null(kst_arena_alloc(&arena, 1 << 24));
    kst_alloc_fail_after(0);
    assert_non_null(kst_arena_alloc(&arena, 100));  // a failure leaves the arena usable
    assert_null(kst_arena_alloc(&arena, SIZE_MAX - 10));
    assert_null(kst_arena_alloc(&arena, SIZE_MAX / 2 + 1));
    kst_arena_free(&arena);
    kst_arena_reset(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overflow_is_reported),
        cmocka_unit_test(memory_is_aligned_and_cleared),
        cmocka_unit_test(the_chosen_allocation_fails_and_no_other),
        cmocka_unit_test(arena_pieces_do_not_overlap),
        cmocka_unit_test(arena_keeps_its_largest_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
