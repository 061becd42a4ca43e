// SPDX-License-Identifier: MIT
// Scratch: arrays keep their bytes while pages come and go, and little of them is resident.
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/prop.h"

enum { MB = 1 << 20 };

static uint64_t resident_files(void) {
    unsigned long long all = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%llu %llu %llu", &all, &resident, &shared), 3);
    fclose(f);
    return shared * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t expected(int array, size_t i) {
    return kst_random((uint64_t)array, i);
}

static void arrays_keep_their_bytes_within_any_budget(void **state) {
    (void)state;
    for (prop p = prop_begin("scratch", 24); prop_next(&p);) {
        kst_scratch *scratch;
        uint64_t budget = p.at % 3 ? (uint64_t)prop_int(&p, 0, 6 * MB) : (uint64_t)1 << 40;
        assert_int_equal(kst_scratch_create(temp_path("pack"), budget, &scratch), KARST_OK);
        enum { ARRAYS = 12 };
        uint64_t *array[ARRAYS];
        size_t count[ARRAYS], total = 0;
        for (int k = 0; k < ARRAYS; ++k) {
            count[k] = (size_t)prop_int(&p, 0, 100000);
            array[k] = kst_scratch_alloc(scratch, count[k], 8);
            prop_check(&p, array[k] && (uintptr_t)array[k] % 64 == 0);
            for (size_t i = 0; i < count[k]; ++i) array[k][i] = expected(k, i);
            kst_scratch_ease(scratch);
            total += 8 * count[k];
            if (k % 4 == 3) {  // room given back is used again, and harms nobody
                kst_scratch_free(scratch, array[k - 2], count[k - 2], 8);
                array[k - 2] = NULL;
            }
        }
        prop_check(&p, total > budget - budget / 4 || kst_scratch_file_bytes(scratch) == 0);
        prop_check(&p, total / 2 < budget || kst_scratch_file_bytes(scratch) > 0);  // a quarter is given back
        for (int k = 0; k < ARRAYS; ++k) {
            for (size_t i = 0; array[k] && i < count[k]; ++i)
                if (array[k][i] != expected(k, i)) prop_check(&p, array[k][i] == expected(k, i));
            kst_scratch_free(scratch, array[k], count[k], 8);
        }
        kst_scratch_destroy(scratch);
    }
}

// How much of 64 MB is resident at most while they are written and read in pieces.
static uint64_t most_resident(uint64_t budget, bool ease) {
    enum { SIZE = 64 * MB, PIECE = MB / 4 };
    kst_scratch *scratch;
    uint64_t before = resident_files(), most = 0;
    assert_int_equal(kst_scratch_create(temp_path("pack"), budget, &scratch), KARST_OK);
    uint8_t *bytes = kst_scratch_alloc(scratch, SIZE, 1);
    assert_non_null(bytes);
    for (int pass = 0; pass < 2; ++pass)
        for (size_t at = 0; at < SIZE; at += PIECE) {
            for (size_t i = at; i < at + PIECE; i += 512)
                if (pass)
                    assert_int_equal(bytes[i], (uint8_t)(i / 512 * 7));
                else
                    bytes[i] = (uint8_t)(i / 512 * 7);
            if (ease) kst_scratch_ease(scratch);
            uint64_t now = resident_files();
            if (now > before + most) most = now - before;
        }
    kst_scratch_free(scratch, bytes, SIZE, 1);
    kst_scratch_destroy(scratch);
    return most;
}

static void what_is_resident_stays_within_the_budget(void **state) {
    (void)state;
    assert_true(most_resident(16 * MB, true) <= 5 * MB);
    assert_true(most_resident(16 * MB, false) >= 60 * MB);  // the control: nobody eases
}

// Workers write, keep results and ease at once; nothing is lost.
typedef struct crowd {
    kst_scratch *scratch;
    uint32_t *array;
    void *result[256];
    bool kept[256];
} crowd;
enum { RANGE = 4096, RESULT = 50000 };

static karst_status work(int begin, int end, int worker, void *context) {
    (void)worker;
    crowd *c = context;
    karst_status status = KARST_OK;
    for (int n = begin; n < end && !status; ++n) {
        for (int i = 0; i < RANGE; ++i) c->array[n * RANGE + i] = (uint32_t)(n * RANGE + i) * 2654435761u;
        c->result[n] = kst_alloc(NULL, RESULT);
        if (!c->result[n]) return KARST_ERROR_MEMORY;
        memset(c->result[n], n, RESULT);
        status = kst_scratch_keep(c->scratch, &c->result[n], RESULT, &c->kept[n]);
        kst_scratch_ease(c->scratch);
    }
    return status;
}

static void workers_share_it(void **state) {
    (void)state;
    enum { COUNT = 256 };
    karst_jobs *jobs;
    karst_jobs_def def = karst_jobs_def_default();
    def.worker_count = 4;
    assert_int_equal(karst_jobs_create(&def, &jobs), KARST_OK);
    crowd c = {0};
    assert_int_equal(kst_scratch_create(temp_path("pack"), 2 * MB, &c.scratch), KARST_OK);
    c.array = kst_scratch_alloc(c.scratch, COUNT * RANGE, 4);
    assert_non_null(c.array);
    assert_int_equal(kst_jobs_run(jobs, COUNT, 1, work, &c, NULL, "work", 0, 1), KARST_OK);
    int kept = 0;
    for (int n = 0; n < COUNT; ++n) {
        for (int i = 0; i < RANGE; ++i)
            assert_int_equal(c.array[n * RANGE + i], (uint32_t)(n * RANGE + i) * 2654435761u);
        const uint8_t *result = c.result[n];
        for (int i = 0; i < RESULT; i += 97) assert_int_equal(result[i], n);
        kept += c.kept[n];
        if (!c.kept[n]) kst_free(NULL, c.result[n], RESULT);
    }
    assert_true(kept > 200 && kept < COUNT);  // the first ones found room in memory
    kst_scratch_free(c.scratch, c.array, COUNT * RANGE, 4);
    kst_scratch_destroy(c.scratch);
    karst_jobs_destroy(jobs);
}

static void its_file_has_no_name(void **state) {
    (void)state;
    kst_scratch *scratch;
    assert_int_equal(kst_scratch_create(temp_path("lone/pack"), 0, &scratch), KARST_OK);
    assert_null(kst_scratch_alloc(scratch, MB, 1));  // no such folder
    karst_report report = {0};
    assert_int_equal(kst_scratch_fail(scratch, &report), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "lone/pack: needs a scratch file"));
    kst_scratch_destroy(scratch);

    assert_int_equal(kst_scratch_create(temp_path("pack"), 0, &scratch), KARST_OK);
    uint8_t *bytes = kst_scratch_alloc(scratch, MB, 1);
    assert_non_null(bytes);
    assert_int_equal(kst_scratch_file_bytes(scratch), MB);
    DIR *d = opendir(temp_folder());
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) assert_int_equal(e->d_name[0], '.');
    closedir(d);
    kst_scratch_free(scratch, bytes, MB, 1);
    kst_scratch_destroy(scratch);
}

static void a_full_disk_is_a_line_and_no_signal(void **state) {
    (void)state;
    struct rlimit old, small = {8 * MB, 8 * MB};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    kst_scratch *scratch;
    assert_int_equal(kst_scratch_create(temp_path("pack"), 0, &scratch), KARST_OK);
    uint8_t *first = kst_scratch_alloc(scratch, 4 * MB, 1), *second = kst_scratch_alloc(scratch, 8 * MB, 1);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, handler);
    assert_non_null(first);
    assert_null(second);
    karst_report report = {0};
    assert_int_equal(kst_scratch_fail(scratch, &report), KARST_ERROR_FILE);
    assert_non_null(strstr(report.message, "make room"));
    memset(first, 1, 4 * MB);
    kst_scratch_free(scratch, first, 4 * MB, 1);
    kst_scratch_destroy(scratch);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_keep_their_bytes_within_any_budget),
        cmocka_unit_test(what_is_resident_stays_within_the_budget),
        cmocka_unit_test(workers_share_it),
        cmocka_unit_test(its_file_has_no_name),
        cmocka_unit_test(a_full_disk_is_a_line_and_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
