// SPDX-License-Identifier: MIT
// The resident form: what is read back is what went in, whatever it was.
#include "karst/resident.h"

#include "core/core.h"
#include "support/prop.h"

enum { SIDE = KARST_CHUNK_SIDE, COUNT = KARST_CHUNK_VERTICES, HALF = KARST_HALF_VERTICES };

// A value of so many bits round a middle, which may wrap.
static uint32_t value_of(prop *p, int bits, uint32_t middle) {
    return middle + (bits ? (uint32_t)(prop_u64(p) >> (64 - bits)) : 0);
}

// Every component of its own width, from nothing to all bits, anywhere in its range, on ground that may slope.
static void random_chunk(prop *p, karst_chunk *c) {
    memset(c, 0, sizeof *c);
    int y = prop_int(p, 0, 32), dx = prop_int(p, 0, 16), dz = prop_int(p, 0, 16), n = prop_int(p, 0, 8);
    uint32_t middle = (uint32_t)prop_u64(p), middle_x = (uint32_t)prop_u64(p), middle_n = (uint32_t)prop_u64(p);
    uint32_t slope_x = (uint32_t)prop_int(p, -100000, 100000), slope_z = (uint32_t)prop_int(p, -100000, 100000);
    bool displaced = prop_chance(p, 0.7), occlusion = prop_chance(p, 0.5), fades = prop_chance(p, 0.5);
    bool holes = prop_chance(p, 0.5);
    for (int k = 0; k < COUNT; ++k) {
        uint32_t i = (uint32_t)(k % SIDE), j = (uint32_t)(k / SIDE);
        c->vertex[k].y = (int32_t)(value_of(p, y, middle) + i * slope_x + j * slope_z);
        if (displaced) {
            c->vertex[k].dx = (int16_t)(uint16_t)value_of(p, dx, middle_x);
            c->vertex[k].dz = (int16_t)(uint16_t)value_of(p, dz, middle_x >> 16);
        }
        c->normal[k] = (uint16_t)((value_of(p, n, middle_n) & 255) | value_of(p, 8 - n, middle_n >> 8) << 8);
    }
    for (int k = 0; k < HALF; ++k) {
        c->occlusion[k] = occlusion ? (uint8_t)prop_u64(p) : 0;
        c->transparency[k] = fades ? (uint8_t)prop_u64(p) : 0;
    }
    for (int j = 0; j < KARST_CHUNK_CELLS; ++j) c->hole[j] = holes ? prop_u64(p) & prop_u64(p) : 0;
}

static int first_block(uint32_t first) {
    return 1 + (first & KARST_RESIDENT_DISPLACED ? 3 : 2) * 81;
}

static float half_of(const uint8_t *half, int i, int j) {  // the mean of the even vertices round (i, j)
    float sum = 0;
    int count = 0;
    for (int b = j / 2; b <= (j + 1) / 2; ++b)
        for (int a = i / 2; a <= (i + 1) / 2; ++a, ++count) sum += half[b * KARST_HALF_SIDE + a];
    return sum / (float)count / 255;
}

// Vertices and cells of the form that are not the chunk's.
static int differences(const karst_chunk *c, const uint32_t *words) {
    int bad = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            karst_resident_vertex v = karst_resident_read(words, i, j);
            const karst_vertex *want = &c->vertex[j * SIDE + i];
            bool same = v.vertex.y == want->y && v.vertex.dx == want->dx && v.vertex.dz == want->dz;
            same &= v.normal == c->normal[j * SIDE + i];
            same &= fabsf(v.occlusion - half_of(c->occlusion, i, j)) < 1e-6f;
            same &= fabsf(v.opacity - (1 - half_of(c->transparency, i, j))) < 1e-6f;
            if (i < KARST_CHUNK_CELLS && j < KARST_CHUNK_CELLS)
                same &= karst_resident_hole(words, i, j) == (bool)(c->hole[j] >> i & 1);
            bad += !same;
        }
    return bad;
}

static void every_chunk_is_read_back_bit_for_bit(void **state) {
    (void)state;
    karst_chunk *c = malloc(sizeof *c);
    uint32_t *words = malloc(sizeof *words * (KARST_RESIDENT_WORDS_MAX + 1));
    int32_t least = INT32_MAX, most = 0;
    bool width[33] = {0};
    for (prop p = prop_begin("resident", 600); prop_next(&p);) {
        random_chunk(&p, c);
        memset(words, 0xEE, sizeof *words * (KARST_RESIDENT_WORDS_MAX + 1));
        int32_t count = karst_resident_pack(c, words);
        prop_check(&p, count == karst_resident_words(words[0]) && karst_resident_check(words, count));
        prop_check(&p, words[count] == 0xEEEEEEEE);  // not a word more was written
        prop_check(&p, differences(c, words) == 0);
        width[words[first_block(words[0])] & 63] = true;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    int widths = 0;
    for (int k = 0; k <= 32; ++k) widths += width[k];
    print_message("%d..%d words, %d widths of y\n", least, most, widths);
    assert_true(widths > 20 || test_count(100) < 100);
    free(c);
    free(words);
}

static void extremes_come_back(void **state) {
    (void)state;
    karst_chunk *c = calloc(1, sizeof *c);
    uint32_t *words = malloc(sizeof *words * KARST_RESIDENT_WORDS_MAX);
    karst_resident_pack(c, words);  // all zero: tables and heads alone
    assert_int_equal(karst_resident_words(words[0]), 1 + 2 * 81 + 2 * 64);
    assert_int_equal(differences(c, words), 0);
    for (int k = 0; k < COUNT; ++k) {
        bool odd = k % 2;
        c->vertex[k] =
            (karst_vertex){odd ? INT32_MAX : INT32_MIN, odd ? INT16_MIN : INT16_MAX, odd ? INT16_MAX : INT16_MIN};
        c->normal[k] = odd ? 0xFFFF : 0;
    }
    memset(c->occlusion, 255, sizeof c->occlusion);
    memset(c->transparency, 255, sizeof c->transparency);
    memset(c->hole, 255, sizeof c->hole);
    int32_t count = karst_resident_pack(c, words);
    assert_true(count <= KARST_RESIDENT_WORDS_MAX);
    assert_int_equal(differences(c, words), 0);
    assert_true(karst_resident_read(words, 31, 5).opacity == 0 && karst_resident_read(words, 31, 5).occlusion == 1);
    free(c);
    free(words);
}

// Two chunks that share an edge and nothing else, and a parent: what they share is read equal.
static void shared_vertices_are_read_equal(void **state) {
    (void)state;
    karst_chunk *a = malloc(sizeof *a), *b = malloc(sizeof *b), *parent = malloc(sizeof *parent);
    uint32_t *in_a = malloc(sizeof *in_a * KARST_RESIDENT_WORDS_MAX),
             *in_b = malloc(sizeof *in_b * KARST_RESIDENT_WORDS_MAX);
    uint32_t *in_parent = malloc(sizeof *in_parent * KARST_RESIDENT_WORDS_MAX);
    for (prop p = prop_begin("shared", 40); prop_next(&p);) {
        random_chunk(&p, a);
        random_chunk(&p, b);
        random_chunk(&p, parent);
        for (int j = 0; j < SIDE; ++j) {
            b->vertex[j * SIDE] = a->vertex[j * SIDE + 64];
            b->normal[j * SIDE] = a->normal[j * SIDE + 64];
        }
        for (int j = 0; j < KARST_HALF_SIDE; ++j) {
            b->occlusion[j * KARST_HALF_SIDE] = a->occlusion[j * KARST_HALF_SIDE + 32];
            b->transparency[j * KARST_HALF_SIDE] = a->transparency[j * KARST_HALF_SIDE + 32];
        }
        for (int j = 0; j < SIDE; j += 2)
            for (int i = 0; i < SIDE; i += 2) parent->vertex[j / 2 * SIDE + i / 2] = a->vertex[j * SIDE + i];
        karst_resident_pack(a, in_a);
        karst_resident_pack(b, in_b);
        karst_resident_pack(parent, in_parent);
        for (int j = 0; j < SIDE; ++j) {
            karst_resident_vertex left = karst_resident_read(in_a, 64, j), right = karst_resident_read(in_b, 0, j);
            prop_check(&p, !memcmp(&left.vertex, &right.vertex, sizeof left.vertex) && left.normal == right.normal);
            prop_check(&p, left.occlusion == right.occlusion && left.opacity == right.opacity);
        }
        for (int j = 0; j < SIDE; j += 2)
            for (int i = 0; i < SIDE; i += 2) {
                karst_vertex fine = karst_resident_read(in_a, i, j).vertex;
                karst_vertex coarse = karst_resident_read(in_parent, i / 2, j / 2).vertex;
                prop_check(&p, !memcmp(&fine, &coarse, sizeof fine));
            }
    }
    free(a);
    free(b);
    free(parent);
    free(in_a);
    free(in_b);
    free(in_parent);
}

static void control_a_changed_bit_is_a_changed_vertex(void **state) {
    (void)state;
    karst_chunk *c = malloc(sizeof *c);
    uint32_t *words = malloc(sizeof *words * KARST_RESIDENT_WORDS_MAX);
    for (prop p = prop_begin("changed", 60); prop_next(&p);) {
        random_chunk(&p, c);
        int32_t count = karst_resident_pack(c, words);
        // A whole height; data of blocks end in bits that stand for nothing.
        words[prop_int(&p, 1, 81)] ^= 1u << prop_int(&p, 6, 31);
        prop_check(&p, karst_resident_check(words, count) && differences(c, words) > 0);
    }
    free(c);
    free(words);
}

// What stands in memory need not be a form: the check says so, or all of it can be read within its words.
static void damaged_words_are_refused_or_read_within(void **state) {
    (void)state;
    karst_chunk *c = malloc(sizeof *c);
    uint32_t *words = malloc(sizeof *words * KARST_RESIDENT_WORDS_MAX);
    int refused = 0, taken = 0;
    for (prop p = prop_begin("damaged", 2000); prop_next(&p);) {
        if (p.at % 16 == 0 || p.at < 2) random_chunk(&p, c);
        int32_t count = karst_resident_pack(c, words);
        int head = first_block(words[0]);
        for (int n = prop_int(&p, 1, 3); n > 0; --n) {
            int at = prop_chance(&p, 0.2) ? 0 : head + prop_int(&p, 0, 127);
            words[at] ^= 1u << prop_int(&p, 0, 31);
        }
        if (prop_chance(&p, 0.1)) words[0] = (uint32_t)prop_u64(&p);
        uint32_t *exact = malloc(sizeof *exact * (size_t)count);  // a sanitizer sees a read beyond
        memcpy(exact, words, sizeof *exact * (size_t)count);
        bool good = karst_resident_check(exact, count);
        for (int k = 0; good && k < 200; ++k) {
            karst_resident_read(exact, prop_int(&p, 0, 64), prop_int(&p, 0, 64));
            karst_resident_hole(exact, prop_int(&p, 0, 63), prop_int(&p, 0, 63));
        }
        prop_check(&p, !karst_resident_check(exact, count - 1));
        refused += !good;
        taken += good;
        free(exact);
    }
    print_message("%d refused, %d readable\n", refused, taken);
    assert_true(refused && taken);
    assert_false(karst_resident_check(words, 0));
    free(c);
    free(words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_chunk_is_read_back_bit_for_bit),
        cmocka_unit_test(extremes_come_back),
        cmocka_unit_test(shared_vertices_are_read_equal),
        cmocka_unit_test(control_a_changed_bit_is_a_changed_vertex),
        cmocka_unit_test(damaged_words_are_refused_or_read_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
