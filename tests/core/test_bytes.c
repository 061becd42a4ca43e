// SPDX-License-Identifier: MIT
// Bytes: reading what may not be trusted, compression, hashes, random numbers, the one-line report.
#include "support/prop.h"

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

static void reading_past_the_end_gives_zeros_and_is_noted(void **state) {
    (void)state;
    for (prop p = prop_begin("reader", 500); prop_next(&p);) {
        int size = prop_int(&p, 0, 40);
        uint8_t *bytes = malloc((size_t)size + !size);  // on its own, so that a sanitizer sees an over-read
        for (int i = 0; i < size; ++i) bytes[i] = (uint8_t)(prop_u64(&p) | 1);
        kst_reader r = {bytes, bytes + size, false};
        int taken = 0;
        for (int turn = 0; turn < 12; ++turn) {
            int want = (int[]){1, 2, 4, 8}[prop_int(&p, 0, 3)];
            uint64_t v = want == 1   ? kst_read_u8(&r)
                         : want == 2 ? kst_read_u16(&r)
                         : want == 4 ? kst_read_u32(&r)
                                     : kst_read_u64(&r);
            bool fits = !r.bad;
            prop_check(&p, fits == (taken + want <= size) || taken + want > size);
            if (!fits) {
                prop_check(&p, v == 0 && taken + want > size);
                break;
            }
            uint64_t expect = 0;
            for (int i = want; i-- > 0;) expect = expect << 8 | bytes[taken + i];
            prop_check(&p, v == expect);
            taken += want;
        }
        if (r.bad) prop_check(&p, kst_read_u8(&r) == 0 && kst_read_bytes(&r, 0) == NULL);  // and stays bad
        free(bytes);
    }
    kst_reader r = {0};
    assert_null(kst_read_bytes(&r, SIZE_MAX));
    assert_true(r.bad);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    for (prop p = prop_begin("put_read", 200); prop_next(&p);) {
        uint8_t bytes[30];
        uint64_t v = prop_u64(&p);
        float f = (float)prop_real(&p, -1e6, 1e6);
        double d = prop_real(&p, -1e12, 1e12);
        kst_out out = {bytes};
        kst_put_uint(&out, v, 8);
        kst_put_uint(&out, v, 4);
        kst_put_uint(&out, v, 2);
        kst_put_f32(&out, f);
        kst_put_f64(&out, d);
        kst_put_uint(&out, v, 4);
        prop_check(&p, out.at == bytes + 30);
        kst_reader r = {bytes, bytes + 30, false};
        prop_check(&p, kst_read_u64(&r) == v);
        prop_check(&p, kst_read_u32(&r) == (uint32_t)v);
        prop_check(&p, kst_read_u16(&r) == (uint16_t)v);
        prop_check(&p, kst_read_f32(&r) == f);
        prop_check(&p, kst_read_f64(&r) == d);
        prop_check(&p, kst_read_i32(&r) == (int32_t)v);
        prop_check(&p, !r.bad);
    }
}

static void compressed_bytes_come_back_and_damage_does_not(void **state) {
    (void)state;
    int caught = 0, tried = 0;
    for (prop p = prop_begin("compress", 300); prop_next(&p);) {
        size_t size = (size_t)prop_int(&p, 0, 5000);
        uint8_t *bytes = malloc(size + 1), *back = malloc(size + 1);
        int step = prop_int(&p, 1, 50);
        for (size_t i = 0; i < size; ++i) bytes[i] = (uint8_t)(i / (size_t)step * 7);
        size_t room = kst_compress_bound(size);
        uint8_t *packed = malloc(room), *again = malloc(room);
        size_t n = kst_compress(bytes, size, packed, room, 5);
        prop_check(&p, n > 0 && n <= room);
        prop_check(&p, kst_compress(bytes, size, again, room, 5) == n && !memcmp(packed, again, n));
        prop_check(&p, kst_decompress(packed, n, back, size) && !memcmp(back, bytes, size));
        prop_check(&p, kst_compress(bytes, size, again, n - 1, 5) == 0);  // no room
        // Another size, a cut, or something behind the end is damage.
        if (size) prop_check(&p, !kst_decompress(packed, n, back, size - 1));
        prop_check(&p, !kst_decompress(packed, n, back, size + 1));
        for (size_t cut = 0; cut < n; cut += 1 + cut / 8) {
            uint8_t *part = malloc(cut + !cut);
            memcpy(part, packed, cut);
            prop_check(&p, !kst_decompress(part, cut, back, size));
            free(part);
        }
        uint8_t *longer = calloc(n + 1, 1);
        memcpy(longer, packed, n);
        prop_check(&p, !kst_decompress(longer, n + 1, back, size));
        free(longer);
        // A flipped bit may go unseen here (checksums are of those who store); it must not crash or overrun.
        for (int flip = 0; flip < 20; ++flip) {
            memcpy(again, packed, n);
            again[prop_int(&p, 0, (int)n - 1)] ^= (uint8_t)(1 << prop_int(&p, 0, 7));
            ++tried;
            caught += !kst_decompress(again, n, back, size) || memcmp(back, bytes, size);
        }
        free(bytes), free(back), free(packed), free(again);
    }
    assert_true(caught > tried / 2);
}

static void hashes_are_those_of_xxh3_for_ever(void **state) {
    (void)state;
    static const struct {
        size_t size;
        uint64_t seed, hash;
    } known[] = {
        // of bytes i * 7 + 3, by libxxhash 0.8: one for each way through the function
        {0, 0x0u, 0x2D06800538D394C2u},    {1, 0x123456789ABCDEFu, 0x741A549EC5C1DDF0u},
        {3, 0x0u, 0xA9088DDA485B481Cu},    {4, 0x123456789ABCDEFu, 0x3C6A3C9ADC39A804u},
        {8, 0x0u, 0x60539DB630471163u},    {9, 0x123456789ABCDEFu, 0x3F99CFCA83720A42u},
        {16, 0x0u, 0xB8C859B0F030B585u},   {17, 0x123456789ABCDEFu, 0x30950A9D13F8427Bu},
        {33, 0x0u, 0x3E44983AD21679C8u},   {65, 0x123456789ABCDEFu, 0xD663EADC724A925Bu},
        {97, 0x0u, 0x1DAA83271A8E7B7Cu},   {128, 0x123456789ABCDEFu, 0xFA029FBEB6516B5Fu},
        {129, 0x0u, 0xC664BF3311C6ABC4u},  {240, 0x123456789ABCDEFu, 0xAEC1CACDF9EDCFD2u},
        {241, 0x0u, 0x8BEADD3A8874FE17u},  {1024, 0x123456789ABCDEFu, 0x9F2432931EAA1C2Cu},
        {1025, 0x0u, 0x806C2072ED713576u}, {2048, 0x123456789ABCDEFu, 0xCB14AB11350BCC3Eu},
    };
    uint8_t bytes[2048];
    for (int i = 0; i < 2048; ++i) bytes[i] = (uint8_t)(i * 7 + 3);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        assert_true(kst_hash(bytes, known[i].size, known[i].seed) == known[i].hash);
#ifdef XXH_INLINE_ALL
    for (prop p = prop_begin("hash_peer", 3000); prop_next(&p);) {
        size_t size = (size_t)prop_int(&p, 0, prop_chance(&p, 0.5) ? 260 : 2040), at = (size_t)prop_int(&p, 0, 7);
        uint64_t seed = prop_chance(&p, 0.3) ? 0 : prop_u64(&p);
        prop_check(&p, kst_hash(bytes + at, size, seed) == XXH3_64bits_withSeed(bytes + at, size, seed));
    }
#endif
    assert_true(kst_hash(NULL, 0, 0) == kst_hash("", 0, 0));
    assert_true(kst_hash("karst", 5, 0) != kst_hash("karst", 5, 1));
    assert_true(kst_hash_u64(1, 2) != kst_hash_u64(2, 1));
    for (prop p = prop_begin("hash", 200); prop_next(&p);) {  // one bit changes the hash, copies do not
        uint8_t a[600], b[600];
        int size = prop_int(&p, 1, 600);
        for (int i = 0; i < size; ++i) a[i] = (uint8_t)prop_u64(&p);
        memcpy(b, a, sizeof b);
        prop_check(&p, kst_hash(a, (size_t)size, 9) == kst_hash(b, (size_t)size, 9));
        b[prop_int(&p, 0, size - 1)] ^= (uint8_t)(1 << prop_int(&p, 0, 7));
        prop_check(&p, kst_hash(a, (size_t)size, 9) != kst_hash(b, (size_t)size, 9));
    }
}

static void random_numbers_follow_seed_and_place(void **state) {
    (void)state;
    double sum = 0;
    for (uint64_t i = 0; i < 100000; ++i) {
        double r = kst_random01(5, i);
        assert_true(r >= 0 && r < 1);
        sum += r;
    }
    assert_true(fabs(sum / 100000 - 0.5) < 0.005);
    assert_true(kst_random(1, 2) == kst_random(1, 2));
    assert_true(kst_random(1, 2) != kst_random(2, 1));
}

static void a_report_is_one_line_that_ends(void **state) {
    (void)state;
    karst_report report = {0};
    assert_int_equal(kst_fail(&report, KARST_ERROR_FORMAT, "%s: row %d", "a\nb\x1b[31m", 7), KARST_ERROR_FORMAT);
    assert_string_equal(report.message, "a?b?[31m: row 7");
    char *name = malloc(2000);
    memset(name, 'x', 1999);
    name[1999] = 0;
    kst_fail(&report, KARST_ERROR_FILE, "%s", name);
    assert_int_equal(strlen(report.message), KARST_REPORT_BYTES - 1);
    assert_int_equal(kst_fail(NULL, KARST_ERROR_BUSY, "nobody hears"), KARST_ERROR_BUSY);
    free(name);
}

static void every_status_has_a_name(void **state) {
    (void)state;
    for (int i = 0; i < KARST_STATUS_COUNT; ++i) {
        const char *text = karst_status_text((karst_status)i);
        assert_true(text && *text);
        for (int k = 0; k < i; ++k) assert_string_not_equal(text, karst_status_text((karst_status)k));
    }
    assert_string_equal(karst_status_text((karst_status)999), "unknown status");
    assert_string_equal(karst_status_text((karst_status)-1), "unknown status");
    int major, minor, patch;
    assert_int_equal(sscanf(karst_version_text(), "%d.%d.%d", &major, &minor, &patch), 3);
    assert_int_equal(major, KARST_VERSION_MAJOR);
    assert_int_equal(minor, KARST_VERSION_MINOR);
    assert_int_equal(patch, KARST_VERSION_PATCH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_past_the_end_gives_zeros_and_is_noted),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(compressed_bytes_come_back_and_damage_does_not),
        cmocka_unit_test(hashes_are_those_of_xxh3_for_ever),
        cmocka_unit_test(random_numbers_follow_seed_and_place),
        cmocka_unit_test(a_report_is_one_line_that_ends),
        cmocka_unit_test(every_status_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
