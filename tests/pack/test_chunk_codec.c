// SPDX-License-Identifier: MIT
// Chunks through bytes and back: bit for bit, whatever is in them; and what damaged bytes do.
#include "pack/make_pack.h"

static void every_chunk_comes_back_bit_for_bit(void **state) {
    (void)state;
    size_t room = kst_pack_encode_bound();
    uint8_t *bytes = malloc(room), *again = malloc(room);
    karst_chunk *chunk = malloc(sizeof *chunk), *back = malloc(sizeof *back);
    for (prop p = prop_begin("chunk_round_trip", 200); prop_next(&p);) {
        int level = prop_int(&p, 0, KARST_MAX_LEVEL);
        make_chunk(&p, chunk, prop_chance(&p, 0.5), prop_chance(&p, 0.5), prop_chance(&p, 0.5));
        if (prop_chance(&p, 0.2)) chunk->vertex[prop_int(&p, 0, KARST_CHUNK_VERTICES - 1)].dx = INT16_MIN;
        if (prop_chance(&p, 0.2)) chunk->vertex[prop_int(&p, 0, KARST_CHUNK_VERTICES - 1)].y = INT32_MIN;
        size_t size = kst_pack_encode_chunk(chunk, level, bytes, room);
        prop_check(&p, size > 0);
        memset(back, 0xee, sizeof *back);
        prop_check(&p, kst_pack_decode_chunk(bytes, size, level, NULL, back) == KARST_OK);
        prop_check(&p, !memcmp(chunk, back, sizeof *chunk));
        prop_check(&p, kst_pack_encode_chunk(back, level, again, room) == size && !memcmp(bytes, again, size));
        prop_check(&p,
                   kst_pack_decode_chunk(bytes, size, (level + 1) % KARST_MAX_LEVEL, NULL, back) == KARST_ERROR_FORMAT);
    }
    free(chunk);
    free(back);
    free(bytes);
    free(again);
}

static void too_little_room_is_told(void **state) {
    (void)state;
    prop p = prop_begin("room", 1);
    uint8_t *bytes = malloc(kst_pack_encode_bound());
    karst_chunk *chunk = malloc(sizeof *chunk);
    make_chunk(&p, chunk, true, true, true);
    size_t size = kst_pack_encode_chunk(chunk, 3, bytes, kst_pack_encode_bound());
    assert_true(size > 1000);
    for (size_t room = 0; room < size; room += 997) assert_int_equal(kst_pack_encode_chunk(chunk, 3, bytes, room), 0);
    free(chunk);
    free(bytes);
}

// Without a checksum before it the decoder may give back a wrong chunk, but must stay in its bounds; where it says
// yes, encoding again must give a chunk that decodes to the same.
static void damaged_bytes_do_no_harm(void **state) {
    (void)state;
    size_t room = kst_pack_encode_bound();
    uint8_t *good = malloc(room), *bytes = malloc(room);
    karst_chunk *chunk = malloc(sizeof *chunk), *back = malloc(sizeof *back);
    int refused = 0;
    for (prop p = prop_begin("chunk_damage", 2000); prop_next(&p);) {
        make_chunk(&p, chunk, p.at & 1, p.at & 2, false);
        size_t size = kst_pack_encode_chunk(chunk, 2, good, room);
        memcpy(bytes, good, size);
        for (int n = prop_int(&p, 1, 4); n > 0; --n)
            bytes[prop_int(&p, 0, p.at & 4 ? 20 : (int)size - 1)] ^= (uint8_t)prop_int(&p, 1, 255);
        if (prop_chance(&p, 0.2)) size = (size_t)prop_int(&p, 0, (int)size);
        refused += kst_pack_decode_chunk(bytes, size, 2, NULL, back) != KARST_OK;
    }
    assert_true(refused > test_count(1000));
    free(chunk);
    free(back);
    free(good);
    free(bytes);
}

static void corners_that_are_not_numbers_are_refused(void **state) {
    (void)state;
    prop p = prop_begin("nan", 1);
    size_t room = kst_pack_encode_bound();
    uint8_t *bytes = malloc(room);
    karst_chunk *chunk = malloc(sizeof *chunk), *back = malloc(sizeof *back);
    make_chunk(&p, chunk, false, false, false);
    chunk->corners.max_y[7] = NAN;
    assert_int_equal(kst_pack_decode_chunk(bytes, kst_pack_encode_chunk(chunk, 0, bytes, room), 0, NULL, back),
                     KARST_ERROR_FORMAT);
    chunk->corners.max_y[7] = 1;
    assert_int_equal(kst_pack_decode_chunk(bytes, kst_pack_encode_chunk(chunk, 0, bytes, room), 0, NULL, back),
                     KARST_OK);
    chunk->corners.error[4][24] = -1;
    assert_int_equal(kst_pack_decode_chunk(bytes, kst_pack_encode_chunk(chunk, 0, bytes, room), 0, NULL, back),
                     KARST_ERROR_FORMAT);
    free(chunk);
    free(back);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_comes_back_bit_for_bit),
        cmocka_unit_test(too_little_room_is_told),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(corners_that_are_not_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
