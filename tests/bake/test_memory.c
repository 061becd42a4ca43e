// SPDX-License-Identifier: MIT
// A field larger than its bake may hold: the same bytes in little memory.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "karst/bake.h"
#include "karst/field.h"
#include "support/prop.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTS = 0 };  // a sanitizer's own memory hides ours
#else
enum { COUNTS = 1 };
#endif

enum { SIDE = 2049, DISPLACED_SIDE = 1537, MB = 1 << 20 };

// A store that makes its chunks when asked, so that nobody holds the field.
static karst_status load(void *context, int32_t chunk_x, int32_t chunk_z, karst_field_chunk *out, bool *found) {
    out->displaced = *(bool *)context;
    memset(out->hole, 0, sizeof out->hole);
    out->hole[chunk_x % 64] = (uint64_t)chunk_z << 7;
    for (int j = 0; j < KARST_CHUNK_SIDE; ++j)
        for (int i = 0; i < KARST_CHUNK_SIDE; ++i) {
            int column = chunk_x * KARST_CHUNK_CELLS + i, row = chunk_z * KARST_CHUNK_CELLS + j;
            int k = j * KARST_CHUNK_SIDE + i;
            double r = kst_random01(5, (uint64_t)row << 32 | (uint32_t)column);
            out->y[k] = (float)((column % 512) * (row % 300) * 1e-3 + r);
            out->x[k] = (float)(0.3 * r);
            out->z[k] = (float)(-0.2 * r);
        }
    *found = true;
    return KARST_OK;
}

static karst_status save(void *context, int32_t chunk_x, int32_t chunk_z, const karst_field_chunk *chunk) {
    (void)context;
    (void)chunk_x;
    (void)chunk_z;
    (void)chunk;
    return KARST_ERROR_FILE;
}

static karst_status bake(const char *path, bool displaced, uint64_t memory_bytes, int workers, karst_bake_info *info) {
    karst_field_store store = {load, save, &displaced};
    karst_field_def def = karst_field_def_default();
    int side = displaced ? DISPLACED_SIDE : SIDE;
    def.shape = (karst_field_shape){side, side, 1, {0, 0, 0}};
    def.store = &store;
    def.cache_bytes = 4 * MB;
    karst_field *field;
    karst_status status = karst_field_create(&def, &field);
    if (status) return status;
    karst_jobs_def jobs_def = karst_jobs_def_default();
    jobs_def.worker_count = workers;
    karst_bake_def bake_def = karst_bake_def_default();
    bake_def.map_side = 64;
    bake_def.memory_bytes = memory_bytes;
    status = karst_jobs_create(&jobs_def, &bake_def.jobs);
    if (!status) status = karst_bake_field(field, path, &bake_def, NULL, NULL, info);
    karst_jobs_destroy(bake_def.jobs);
    karst_field_destroy(field);
    return status;
}

// In a process of its own: how much its peak of resident memory grew [bytes].
static int64_t grown_by(const char *path, bool displaced, uint64_t memory_bytes, int workers) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct rusage before, after;
        karst_bake_info info = {0};
        getrusage(RUSAGE_SELF, &before);
        karst_status status = bake(path, displaced, memory_bytes, workers, &info);
        getrusage(RUSAGE_SELF, &after);
        int64_t grown = status || (info.scratch_bytes > 0) != (memory_bytes < 100 * MB)
                            ? -1
                            : (after.ru_maxrss - before.ru_maxrss) * 1024;
        _exit(write(ends[1], &grown, sizeof grown) != sizeof grown);
    }
    int code;
    int64_t grown = -1;
    assert_int_equal(read(ends[0], &grown, sizeof grown), sizeof grown);
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_int_equal(code, 0);
    close(ends[0]);
    close(ends[1]);
    return grown;
}

static void compare(bool displaced, int64_t least_saved) {
    const char *small = temp_path("small.kpack"), *large = temp_path("large.kpack");
    int64_t bounded = grown_by(small, displaced, 4 * MB, 2), free_hand = grown_by(large, displaced, 512 * MB, 1);
    assert_true(bounded > 0 && free_hand > 0);
    assert_true(same_bytes(small, large));
    if (!COUNTS) return;
    printf("%s: %.1f MB resident within 4 MB, %.1f MB without a bound\n", displaced ? "displaced" : "heights",
           (double)bounded * 1e-6, (double)free_hand * 1e-6);
    assert_true(bounded < 36 * MB);
    assert_true(free_hand > bounded + least_saved);  // the control: arrays in memory would be seen
}

static void little_memory_gives_the_same_pack(void **state) {
    (void)state;
    compare(false, 15 * MB);
}

static void little_memory_gives_the_same_displaced_pack(void **state) {
    (void)state;
    compare(true, 8 * MB);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_memory_gives_the_same_pack),
        cmocka_unit_test(little_memory_gives_the_same_displaced_pack),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
