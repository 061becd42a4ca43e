// SPDX-License-Identifier: MIT
// Deltas of chunks: exact, small under a smooth brush, refused when altered.
#include "project/world.h"
#include "support/prop.h"

// Ground with roughness down to the last bit.
static void make_ground(prop *p, karst_field_chunk *c) {
    memset(c, 0, sizeof *c);
    double slope = prop_real(p, -2, 2), rough = prop_real(p, 0, 1), base = prop_real(p, -500, 3000);
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k)
        c->y[k] = (float)(base + slope * (k % KARST_CHUNK_SIDE) + rough * prop_real(p, -1, 1));
}

static void add_dab(prop *p, karst_field_chunk *c, bool sideways, int *touched) {
    double radius = prop_real(p, 1, 60), x = prop_real(p, 0, 64), z = prop_real(p, 0, 64), height = prop_real(p, -5, 5);
    karst_field_chunk was = *c;
    *touched = 0;
    for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
        double u = (k % KARST_CHUNK_SIDE - x) / radius, v = (k / KARST_CHUNK_SIDE - z) / radius;
        double share = fmax(0, 1 - u * u - v * v);
        c->y[k] += (float)(height * share * share);
        if (sideways) c->x[k] += (float)share, c->z[k] -= (float)share;
        *touched += memcmp(&c->y[k], &was.y[k], 4) != 0;
    }
    c->displaced |= sideways;
}

static void scatter(prop *p, karst_field_chunk *c) {
    for (int k = prop_int(p, 0, 20); k; --k)
        c->y[prop_int(p, 0, KARST_CHUNK_VERTICES - 1)] = (float)prop_real(p, -1, 1);
    for (int k = prop_int(p, 0, 3); k; --k) c->hole[prop_int(p, 0, 63)] ^= prop_u64(p);
    for (int k = prop_int(p, 0, 3); k; --k)
        c->transparency[prop_int(p, 0, KARST_HALF_VERTICES - 1)] = (uint8_t)prop_u64(p);
}

static void what_a_delta_gives_is_exact(void **state) {
    (void)state;
    static karst_field_chunk takes, gives, chunk;
    size_t bound = kst_delta_bound();
    uint8_t *bytes = malloc(bound);
    int refused = 0;
    for (prop p = prop_begin("delta_round", 400); prop_next(&p);) {
        make_ground(&p, &takes);
        int touched;
        if (prop_chance(&p, 0.3)) add_dab(&p, &takes, true, &touched);
        gives = takes;
        if (prop_chance(&p, 0.7)) add_dab(&p, &gives, prop_chance(&p, 0.3), &touched);
        if (prop_chance(&p, 0.5)) scatter(&p, &gives);
        if (prop_chance(&p, 0.1)) {
            memset(gives.x, 0, sizeof gives.x);
            memset(gives.z, 0, sizeof gives.z);
            gives.displaced = false;
        }
        uint64_t ends = prop_u64(&p);
        size_t size = kst_delta_encode(&gives, &takes, ends, bytes, bound);
        prop_check(&p, size > 0 && kst_delta_check(bytes, size, ends) == KARST_OK);
        chunk = takes;
        prop_check(&p, kst_delta_apply(bytes, size, ends, &chunk) == KARST_OK);
        prop_check(&p, !memcmp(&chunk, &gives, sizeof chunk));
        prop_check(&p, kst_delta_check(bytes, size, ends + 1) == KARST_ERROR_FORMAT);
        int at = prop_int(&p, 1, (int)size - 1), bit = 1 << prop_int(&p, 0, 7);
        bytes[at] ^= (uint8_t)bit;
        refused += kst_delta_check(bytes, size, ends) == KARST_ERROR_FORMAT;
        bytes[at] ^= (uint8_t)bit;
        prop_check(&p, kst_delta_apply(bytes, (size_t)prop_int(&p, 0, (int)size - 1), ends, &chunk) != KARST_OK);
    }
    assert_true(refused >= test_count(400) || getenv("KARST_PROP_CASE"));  // every bit counts
    free(bytes);
}

static void a_smooth_brush_costs_under_three_bytes_a_vertex(void **state) {
    (void)state;
    static karst_field_chunk takes, gives;
    size_t bound = kst_delta_bound(), all = 0, plain = 0;
    uint8_t *bytes = malloc(bound);
    int64_t vertices = 0;
    for (prop p = prop_begin("delta_size", 80); prop_next(&p);) {
        int touched;
        make_ground(&p, &takes);
        gives = takes;
        add_dab(&p, &gives, false, &touched);
        if (touched < 500) continue;
        vertices += touched;
        all += kst_delta_encode(&gives, &takes, 0, bytes, bound);
        uint64_t hash;
        size_t room = kst_world_chunk_bound();
        uint8_t *whole = malloc(room);
        plain += kst_world_chunk_encode(&takes, whole, room, &hash);
        free(whole);
    }
    if (getenv("KARST_TEST_PRINT"))
        printf("%.2f bytes a vertex, %.2f when chunks are kept whole\n", (double)all / (double)vertices,
               (double)plain / (double)vertices);
    assert_true(vertices > 0 && all < 3 * (uint64_t)vertices);
    assert_true(plain > 3 * (uint64_t)vertices);  // control: it takes a difference
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_delta_gives_is_exact),
        cmocka_unit_test(a_smooth_brush_costs_under_three_bytes_a_vertex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
