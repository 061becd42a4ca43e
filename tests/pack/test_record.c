// SPDX-License-Identifier: MIT
// Records within packs: read in any order from any thread, and no bit paid for what heights do not say.
#include "pack/alter.h"
#include "pack/pack.h"

enum { COLUMNS = 420, ROWS = 300, READS = 400 };

// Whole metres, but for one vertex when asked.
static double heights_bytes(const char *path, float error_m, float odd) {
    karst_field *field;
    karst_field_def field_def = karst_field_def_default();
    field_def.shape = (karst_field_shape){COLUMNS, ROWS, 30, {0, 0, 0}};
    assert_int_equal(karst_field_create(&field_def, &field), KARST_OK);
    float *y = malloc(sizeof *y * COLUMNS * ROWS);
    for (int k = 0; k < COLUMNS * ROWS; ++k)
        y[k] = floorf(300 * sinf((float)(k % COLUMNS) / 40) + 3 * (float)kst_random01(1, (uint64_t)k) +
                      (float)(k / COLUMNS));
    y[77777] += odd;
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, COLUMNS, ROWS}, y, NULL, NULL, COLUMNS), KARST_OK);
    free(y);
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 16;
    def.error_m = error_m;
    assert_int_equal(karst_bake_field(field, path, &def, NULL, NULL, NULL), KARST_OK);
    karst_field_destroy(field);
    karst_pack *pack;
    karst_pack_parts parts;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    assert_int_equal(karst_pack_parts_of(pack, &parts), KARST_OK);
    karst_pack_close(pack);
    return parts.heights;
}

static void whole_metres_do_not_pay_for_their_fraction(void **state) {
    (void)state;
    double metres = heights_bytes(temp_path("metres.kpack"), 0.5f, 0),
           fine = heights_bytes(temp_path("fine.kpack"), 0.01f, 0);
    double control = heights_bytes(temp_path("odd.kpack"), 0.01f, 0.25f);
    assert_true(fine <= 1.01 * metres);
    assert_true(control > 1.5 * fine);
}

typedef struct reads {
    karst_pack *pack;
    uint64_t seed;
    uint64_t hash[READS];
    _Atomic int failed;
} reads;

static void read_range(int begin, int end, int worker, void *context) {
    (void)worker;
    reads *r = context;
    karst_chunk *chunk = malloc(sizeof *chunk);
    int levels = karst_pack_info_of(r->pack).level_count;
    for (int k = begin; k < end; ++k) {
        int level = (int)(kst_random(r->seed, (uint64_t)(3 * k)) % (uint64_t)levels);
        int32_t nx, nz;
        karst_pack_chunk_grid(r->pack, level, &nx, &nz);
        int32_t x = (int32_t)(kst_random(r->seed, (uint64_t)(3 * k + 1)) % (uint64_t)nx);
        int32_t z = (int32_t)(kst_random(r->seed, (uint64_t)(3 * k + 2)) % (uint64_t)nz);
        if (karst_pack_read_chunk(r->pack, level, x, z, chunk)) ++r->failed;
        r->hash[k] = kst_hash(chunk, sizeof *chunk, 0);
    }
    free(chunk);
}

// With little memory most records are decoded again and again, while others look at them.
static void chunks_are_the_same_from_any_thread_in_any_order(void **state) {
    (void)state;
    const char *path = temp_path("threads.kpack");
    bake_scene(path, 500, 300, true, true);
    reads *r = calloc(2, sizeof *r);
    for (int turn = 0; turn < 4; ++turn) {
        karst_pack_def def = karst_pack_def_default();
        def.ground_bytes = turn < 2 ? 0 : def.ground_bytes;
        karst_jobs_def jobs_def = karst_jobs_def_default();
        jobs_def.worker_count = turn ? 4 : 1;
        karst_jobs *jobs;
        assert_int_equal(karst_jobs_create(&jobs_def, &jobs), KARST_OK);
        reads *now = &r[turn > 0];
        now->seed = turn == 3 ? 8 : 7;
        assert_int_equal(karst_pack_open(path, &def, &now->pack), KARST_OK);
        karst_jobs_for(jobs, READS, 1, read_range, now);
        karst_pack_close(now->pack);
        karst_jobs_destroy(jobs);
        assert_int_equal(now->failed, 0);
        assert_int_equal(memcmp(r[0].hash, now->hash, sizeof now->hash) == 0, turn < 3);  // the last: other chunks
    }
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_metres_do_not_pay_for_their_fraction),
        cmocka_unit_test(chunks_are_the_same_from_any_thread_in_any_order),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
