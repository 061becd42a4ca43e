// SPDX-License-Identifier: MIT
// The ground of a pack: the author's ground to within the bound, decoded once whoever asks, counted, and silent about
// nothing when a chunk is damaged.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "pack/alter.h"
#include "pack/pack.h"

static void heights_are_the_authors_within_the_bound(void **state) {
    (void)state;
    const char *path = temp_path("author.kpack");
    karst_field *field;
    assert_int_equal(scene_rough_field(300, 200, 2, 5, false, true, (karst_pos){-200, 10, 1e6}, &field), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    karst_report report = {0};
    karst_bake_info info;
    assert_int_equal(karst_bake_field(field, path, &def, NULL, &report, &info), KARST_OK);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    const karst_ground *ground = karst_pack_ground(pack);
    assert_ptr_equal(ground, karst_pack_ground(pack));
    int there = 0, none = 0;
    for (prop p = prop_begin("pack_ground", 4000); prop_next(&p);) {
        double x = prop_real(&p, -210, 410), z = 1e6 + prop_real(&p, -10, 410), mine, authors;
        bool here = karst_ground_height(ground, x, z, &mine);
        prop_check(&p, here == karst_ground_height(karst_field_ground(field), x, z, &authors));
        if (here) prop_near(&p, mine, authors, info.largest_error_m + 1e-9);
        ++*(here ? &there : &none);
    }
    assert_true(there > test_count(1000) && none > test_count(100));
    assert_int_equal(karst_ground_chunk_count(ground), 5 * 4);
    karst_box box = karst_ground_bounds(ground), all = karst_pack_info_of(pack).bounds;
    assert_memory_equal(&box, &all, sizeof box);
    karst_pack_close(pack);
    karst_field_destroy(field);
}

static void memory_follows_what_was_touched(void **state) {
    (void)state;
    const char *path = temp_path("touched.kpack");
    bake_scene(path, 300, 200, true, false);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    const karst_ground *ground = karst_pack_ground(pack);
    size_t empty = karst_ground_memory(ground);
    assert_true(empty < 8192);
    double y;
    assert_true(karst_ground_height(ground, 1e6 + 60, -3e5 + 60, &y));
    size_t one = karst_ground_memory(ground);
    assert_true(one > empty + KARST_CHUNK_VERTICES * 8);
    assert_true(karst_ground_height(ground, 1e6 + 61, -3e5 + 60, &y));
    assert_int_equal(karst_ground_memory(ground), one);  // decoded once
    for (int i = 0; i < 20; ++i)
        assert_true(karst_ground_height(ground, 1e6 + 64 + 128 * (i % 4), -3e5 + 64 + 128 * (i % 3), &y));
    assert_true(karst_ground_memory(ground) > one);
    karst_pack_close(pack);
}

// ---- the budget ----------------------------------------------------------------------------------------

static karst_pack *open_with(const char *path, uint64_t ground_bytes) {
    karst_pack_def def = karst_pack_def_default();
    def.ground_bytes = ground_bytes;
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_OK);
    return pack;
}

// Walk over the ground for a while; the most memory that was seen.
static size_t walk_over(const karst_ground *ground, const karst_ground *same, int steps) {
    size_t most = 0;
    for (int k = 0; k < test_count(steps); ++k) {
        double x = 1e6 + 598 * kst_random01(3, (uint64_t)k), z = -3e5 + 398 * kst_random01(4, (uint64_t)k);
        double mine = -1, theirs = -1;
        assert_int_equal(karst_ground_height(ground, x, z, &mine), karst_ground_height(same, x, z, &theirs));
        assert_true(mine == theirs);
        karst_ray ray = karst_ray_make((karst_pos){x, 200, z}, (karst_pos){0.7, -0.3, -0.6});
        karst_hit a, b;
        assert_int_equal(karst_ground_cast(ground, &ray, &a), karst_ground_cast(same, &ray, &b));
        assert_true(a.hit == b.hit && (!a.hit || a.t == b.t));
        size_t memory = karst_ground_memory(ground);
        if (memory > most) most = memory;
    }
    return most;
}

static void ground_is_kept_within_its_budget(void **state) {
    (void)state;
    const char *path = temp_path("budget.kpack");
    bake_scene(path, 300, 200, true, true);
    karst_pack *whole = open_with(path, UINT64_C(1) << 30);
    size_t chunk = karst_pack_hold_bytes(whole);
    assert_true(chunk > KARST_CHUNK_VERTICES * sizeof(karst_vertex));
    for (int budget = 0; budget <= 6; budget += 3) {
        karst_pack *tight = open_with(path, (uint64_t)budget * chunk);
        const karst_ground *ground = karst_pack_ground(tight);
        karst_hit hit;  // the boxes over all chunks come with the first ray
        karst_ray ray = karst_ray_make((karst_pos){1e6, 200, -3e5}, (karst_pos){0, 1, 0});
        assert_int_equal(karst_ground_cast(ground, &ray, &hit), KARST_OK);
        size_t empty = karst_ground_memory(ground);
        size_t most = walk_over(ground, karst_pack_ground(whole), 600);
        assert_true(most <= empty + (size_t)budget * chunk);
        assert_true(budget == 0 || most > empty);
        karst_pack_close(tight);
    }
    karst_pack *loose = open_with(path, UINT64_C(1) << 30);  // the control: there is more ground than that
    assert_true(walk_over(karst_pack_ground(loose), karst_pack_ground(whole), 600) > 12 * chunk);
    karst_pack_close(loose);
    karst_pack_close(whole);
}

static void held_ground_stays(void **state) {
    (void)state;
    const char *path = temp_path("held.kpack");
    bake_scene(path, 300, 200, false, false);
    karst_pack *whole = open_with(path, UINT64_C(1) << 30);
    karst_pack *pack = open_with(path, 2 * karst_pack_hold_bytes(whole));
    const karst_ground *ground = karst_pack_ground(pack);
    double y;
    for (int turn = 0; turn < 2; ++turn) {  // held twice, dropped twice
        assert_int_equal(karst_pack_hold(pack, 0, 0), KARST_OK);
        assert_int_equal(karst_pack_hold(pack, 1, 0), KARST_OK);
    }
    for (int turn = 0; turn < 3; ++turn) {
        walk_over(ground, karst_pack_ground(whole), 100);
        kst_alloc_fail_after(0);
        assert_true(karst_ground_height(ground, 1e6 + 60, -3e5 + 60, &y));
        uint64_t made = kst_alloc_fail_after(0);
        if (turn < 2)
            assert_int_equal(made, 0);
        else
            assert_true(made > 0);  // the control: no longer held, it had to be decoded again
        if (turn == 2) break;
        karst_pack_drop(pack, 0, 0);
        karst_pack_drop(pack, 1, 0);
    }
    karst_pack_close(pack);
    // Where all ground fits nothing ever goes.
    assert_int_equal(karst_pack_hold(whole, 2, 1), KARST_OK);
    karst_pack_drop(whole, 2, 1);
    karst_pack_close(whole);
}

// ---- threads -------------------------------------------------------------------------------------------

// Tight: nearly every question decodes a chunk, where loose ones do it a few dozen times in all.
enum { THREADS = 4, QUESTIONS = 1500, QUESTIONS_TIGHT = 400 };

typedef struct asker {
    const karst_ground *ground;
    int start, questions;
    double y[QUESTIONS];
} asker;

static void question(int k, double *x, double *z) {
    *x = 1e6 + 598 * kst_random01(1, (uint64_t)k);
    *z = -3e5 + 398 * kst_random01(2, (uint64_t)k);
}

static void *ask(void *context) {
    asker *a = context;
    for (int n = 0; n < a->questions; ++n) {
        int k = (a->start + n) % a->questions;
        double x, z;
        question(k, &x, &z);
        a->y[k] = -1e9;
        (void)karst_ground_height(a->ground, x, z, &a->y[k]);
    }
    return NULL;
}

static void many_threads_get_one_answer(void **state) {
    (void)state;
    const char *path = temp_path("threads.kpack");
    bake_scene(path, 300, 200, true, true);
    asker *askers = calloc(THREADS + 1, sizeof *askers);
    for (int round = 0; round < 4; ++round) {
        bool tight = round >= 2;  // chunks come and go under the askers
        const int questions = test_count(tight ? QUESTIONS_TIGHT : QUESTIONS);
        karst_pack *pack = open_with(path, tight ? 200000 : UINT64_C(1) << 30);
        pthread_t thread[THREADS];
        for (int t = 0; t < THREADS; ++t) {  // neighbours start close together, so they race for the same chunks
            askers[t] =
                (asker){.ground = karst_pack_ground(pack), .start = t / 2 * questions / 2, .questions = questions};
            assert_int_equal(pthread_create(&thread[t], NULL, ask, &askers[t]), 0);
        }
        for (int k = 0; k < test_count(200) && tight; ++k) {
            assert_int_equal(karst_pack_hold(pack, k % 5, k % 4), KARST_OK);
            if (k > 2) karst_pack_drop(pack, (k - 3) % 5, (k - 3) % 4);
        }
        for (int t = 0; t < THREADS; ++t) pthread_join(thread[t], NULL);
        size_t memory = karst_ground_memory(karst_pack_ground(pack));
        karst_pack_close(pack);
        assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
        askers[THREADS] = (asker){.ground = karst_pack_ground(pack), .questions = questions};
        ask(&askers[THREADS]);
        if (!tight) assert_int_equal(karst_ground_memory(karst_pack_ground(pack)), memory);  // nothing kept twice
        for (int t = 0; t < THREADS; ++t) assert_memory_equal(askers[t].y, askers[THREADS].y, sizeof askers[t].y);
        karst_pack_close(pack);
    }
    free(askers);
}

// ---- damage and memory -----------------------------------------------------------------------------------

static void a_damaged_chunk_is_an_error_and_no_hole(void **state) {
    (void)state;
    const char *path = temp_path("damaged.kpack");
    bake_scene(path, 300, 200, false, false);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    uint64_t at = pack->directory.records[kst_pack_record_of(&pack->directory, 0, 0, 0)].place + 50;
    karst_pack_close(pack);
    int fd = open(path, O_RDWR);
    uint8_t byte;
    assert_true(pread(fd, &byte, 1, (off_t)at) == 1);
    byte ^= 1;
    assert_true(pwrite(fd, &byte, 1, (off_t)at) == 1);
    close(fd);
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    const karst_ground *ground = karst_pack_ground(pack);
    karst_level level;
    int count = -1;
    assert_int_equal(karst_ground_heights(ground, 1e6 + 50, -3e5 + 50, &level, 1, &count), KARST_ERROR_FORMAT);
    assert_int_equal(karst_ground_heights(ground, 1e6 + 300, -3e5 + 50, &level, 1, &count),
                     KARST_OK);  // the next record
    assert_int_equal(count, 1);
    karst_ray down = karst_ray_make((karst_pos){1e6 + 50, 500, -3e5 + 50}, (karst_pos){0, -1, 0});
    karst_hit hit;
    assert_int_equal(karst_ground_cast(ground, &down, &hit), KARST_ERROR_FORMAT);
    karst_chunk *chunk = malloc(sizeof *chunk);
    assert_int_equal(karst_pack_read_chunk(pack, 0, 0, 0, chunk), KARST_ERROR_FORMAT);
    free(chunk);
    karst_pack_close(pack);
}

static void failing_allocations_are_told_and_mended(void **state) {
    (void)state;
    const char *path = temp_path("memory.kpack");
    bake_scene(path, 100, 60, true, false);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    karst_level level;
    int count, struck_count = 0;
    for (uint64_t n = 1;; ++n) {
        kst_alloc_fail_after(n);
        karst_status status = karst_ground_heights(karst_pack_ground(pack), 1e6 + 50, -3e5 + 50, &level, 1, &count);
        if (kst_alloc_fail_after(0) < n) {
            assert_int_equal(status, KARST_OK);
            break;
        }
        assert_int_equal(status, KARST_ERROR_MEMORY);
        ++struck_count;
    }
    assert_true(struck_count >= 2);
    karst_pack_close(pack);
}

// A host's allocator gets back every byte it gave.
static _Atomic int64_t balance, given;
static void *count_alloc(size_t bytes, void *context) {
    (void)context;
    balance += (int64_t)bytes;
    given += 1;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}
static void count_free(void *memory, size_t bytes, void *context) {
    (void)context;
    balance -= (int64_t)bytes;
    free(memory);
}

static void the_hosts_allocator_gets_everything_back(void **state) {
    (void)state;
    const char *path = temp_path("host.kpack");
    bake_scene(path, 200, 130, true, true);
    karst_allocator allocator = {count_alloc, count_free, NULL};
    karst_pack_def def = karst_pack_def_default();
    def.allocator = &allocator;
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, &def, &pack), KARST_OK);
    karst_map map;
    assert_int_equal(karst_pack_map(pack, "height", &map), KARST_OK);
    double y;
    for (int i = 0; i < 12; ++i) (void)karst_ground_height(karst_pack_ground(pack), 1e6 + 33 * i, -3e5 + 20 * i, &y);
    karst_ray ray = karst_ray_make((karst_pos){1e6, 100, -3e5}, (karst_pos){1, -0.2, 0.6});
    karst_hit hit;
    assert_int_equal(karst_ground_cast(karst_pack_ground(pack), &ray, &hit), KARST_OK);
    assert_true(balance > 100000 && given > 10);
    karst_pack_close(pack);
    assert_int_equal(balance, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_are_the_authors_within_the_bound),
        cmocka_unit_test(memory_follows_what_was_touched),
        cmocka_unit_test(ground_is_kept_within_its_budget),
        cmocka_unit_test(held_ground_stays),
        cmocka_unit_test(many_threads_get_one_answer),
        cmocka_unit_test(a_damaged_chunk_is_an_error_and_no_hole),
        cmocka_unit_test(failing_allocations_are_told_and_mended),
        cmocka_unit_test(the_hosts_allocator_gets_everything_back),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
