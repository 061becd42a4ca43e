// SPDX-License-Identifier: MIT
// A field larger than its bake may hold: the same bytes in little memory; and files that are walked without being held.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "karst/bake.h"
#include "karst/field.h"
#include "karst/geo.h"
#include "karst/pack.h"
#include "support/prop.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COUNTS = 0, SIDE = 513, DISPLACED_SIDE = 257 };  // a sanitizer's own memory hides ours: only bytes are compared
#else
enum { COUNTS = 1, SIDE = 1537, DISPLACED_SIDE = 513 };
#endif

enum { MB = 1 << 20, LITTLE = COUNTS ? 4 * MB : MB / 4 };

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
    karst_field_store store = {.load = load, .save = save, .context = &displaced};
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

static void compare(bool displaced) {
    const char *small = temp_path("small.kpack"), *large = temp_path("large.kpack");
    uint64_t little = displaced ? MB / 4 : LITTLE;
    int64_t bounded = grown_by(small, displaced, little, 1), free_hand = grown_by(large, displaced, 512 * MB, 2);
    assert_true(bounded > 0 && free_hand > 0);
    assert_true(same_bytes(small, large));
    if (!COUNTS || displaced) return;  // a small field: what all bakes need hides the rest
    printf("%.1f MB resident within 4 MB, %.1f MB without a bound\n", (double)bounded * 1e-6, (double)free_hand * 1e-6);
    assert_true(bounded < 36 * MB);
    assert_true(free_hand > bounded + 8 * MB);  // the control: arrays in memory would be seen
}

static void little_memory_gives_the_same_pack(void **state) {
    (void)state;
    compare(false);
}

static void little_memory_gives_the_same_displaced_pack(void **state) {
    (void)state;
    compare(true);
}

// ---- files that are walked -----------------------------------------------------------------------------

static uint64_t resident_files(void) {
    unsigned long long all = 0, resident = 0, shared = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%llu %llu %llu", &all, &resident, &shared) != 3) shared = 0;
    if (f) fclose(f);
    return shared * (uint64_t)sysconf(_SC_PAGESIZE);
}

// A progress that sees how much of mapped files is resident.
typedef struct watch {
    uint64_t before, most;
} watch;

static bool look(void *context, const char *stage, double share) {
    (void)stage;
    (void)share;
    watch *w = context;
    uint64_t now = resident_files();
    if (now > w->before + w->most) w->most = now - w->before;
    return true;
}

// The control: what a map that nobody lets go of adds.
static uint64_t mapped_bytes(const char *path) {
    kst_map map;
    watch w = {resident_files(), 0};
    assert_int_equal(kst_file_map(path, NULL, &map), KARST_OK);
    uint64_t sum = kst_hash(map.bytes, map.size, 0);
    look(&w, NULL, 0);
    kst_file_release(&map, 0, map.size);
    assert_true(kst_hash(map.bytes, map.size, 0) == sum);  // what was let go of comes back
    kst_file_unmap(&map);
    return w.most;
}

static void check_lets_go_of_what_it_read(void **state) {
    (void)state;
    const char *path = temp_path("small.kpack");  // of the test before, else a new one
    karst_bake_info ignored;
    if (access(path, R_OK)) assert_int_equal(bake(path, false, 64 * MB, 2, &ignored), KARST_OK);
    karst_pack *pack;
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    uint64_t file_bytes = karst_pack_info_of(pack).file_bytes;
    karst_check checks[KARST_CHECK_MAX];
    int count;
    watch w = {resident_files(), 0};
    karst_progress progress = {look, &w};
    assert_int_equal(karst_pack_check(pack, NULL, &progress, checks, &count), KARST_OK);
    for (int k = 0; k < count; ++k) assert_int_equal(checks[k].failed, 0);
    karst_pack_close(pack);
    if (!COUNTS) return;
    assert_true(file_bytes > 2 * MB && w.most < file_bytes / 2);
    assert_true(mapped_bytes(path) >= file_bytes - MB);
}

// Rows or columns contiguous: either way a part of the file is resident.
static void import_lets_go_of_what_it_read(void **state) {
    (void)state;
    enum { WIDE = 1500, HIGH = 2000 };
    for (int turned = 0; turned < 2; ++turned) {
        char name[32], head[129];
        snprintf(name, sizeof name, "import%d.npy", turned);
        const char *path = temp_path(name);
        FILE *f = fopen(path, "wb");
        assert_non_null(f);
        int n =
            snprintf(head, sizeof head, "\x93NUMPY\x01%cv%c{'descr': '<f4', 'fortran_order': %s, 'shape': (%d, %d), }",
                     0, 0, turned ? "True" : "False", HIGH, WIDE);
        memset(head + n, ' ', (size_t)(127 - n));
        head[127] = '\n';
        assert_int_equal(fwrite(head, 1, 128, f), 128);
        for (int k = 0; k < WIDE * HIGH; ++k) {
            float y = turned ? (float)(k / HIGH + k % HIGH * 0.5) : (float)(k % WIDE + k / WIDE * 0.5);
            assert_int_equal(fwrite(&y, 4, 1, f), 1);
        }
        assert_int_equal(fclose(f), 0);
        karst_project *project;
        snprintf(name, sizeof name, "import%d.karst", turned);
        assert_int_equal(karst_project_create(temp_path(name), NULL, &project), KARST_OK);
        watch w = {resident_files(), 0};
        karst_progress progress = {look, &w};
        karst_report report = {0};
        int64_t ground;
        if (karst_geo_import(project, path, NULL, NULL, &progress, &report, NULL, &ground))
            fail_msg("%s", report.message);
        karst_field *field;
        float y;
        assert_int_equal(karst_project_field(project, ground, 0, &field), KARST_OK);
        assert_int_equal(karst_field_read(field, (karst_rect){1234, 1999, 1235, 2000}, &y, NULL, NULL, 1), KARST_OK);
        assert_true(y == 1234 + 999.5f);
        karst_field_destroy(field);
        karst_project_close(project);
        assert_true(w.most < 4 * MB);
        assert_true(mapped_bytes(path) >= (uint64_t)WIDE * HIGH * 4 - MB);
    }
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_memory_gives_the_same_pack),
        cmocka_unit_test(check_lets_go_of_what_it_read),
        cmocka_unit_test(little_memory_gives_the_same_displaced_pack),
        cmocka_unit_test(import_lets_go_of_what_it_read),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
