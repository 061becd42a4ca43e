// SPDX-License-Identifier: MIT
// Stretched ground is relaxed before it is baked: near the author's, only where it is stretched, the same bytes always.
#include "karst/bake.h"
#include "karst/pack.h"
#include "karst/project.h"
#include "scenes/scenes.h"
#include "support/prop.h"
#include "support/surfaces.h"

enum { SIDE = 97 };

typedef struct land {
    int columns;
    float *y, *x, *z;
} land;

static void land_make(land *l, int columns) {
    size_t count = (size_t)columns * SIDE;
    *l = (land){columns, calloc(count, 4), calloc(count, 4), calloc(count, 4)};
}

static void land_free(land *l) {
    free(l->y);
    free(l->x);
    free(l->z);
}

// Flat ground with a mushroom in each of its squares whose number is a multiple of `apart`.
static void make_author(land *l, int squares, int apart) {
    land_make(l, squares * (SIDE - 1) + 1);
    karst_field *field;
    assert_int_equal(scene_mushroom_field(SIDE, 1, &field), KARST_OK);
    for (int s = 0; s < squares; s += apart) {
        int at = s * (SIDE - 1);
        assert_int_equal(
            karst_field_read(field, (karst_rect){0, 0, SIDE, SIDE}, l->y + at, l->x + at, l->z + at, l->columns),
            KARST_OK);
    }
    karst_field_destroy(field);
}

static karst_field *field_of(const land *l) {
    karst_field *field;
    karst_field_def def = karst_field_def_default();
    def.shape = (karst_field_shape){l->columns, SIDE, 1, {0, 0, 0}};
    assert_int_equal(karst_field_create(&def, &field), KARST_OK);
    assert_int_equal(karst_field_write(field, (karst_rect){0, 0, l->columns, SIDE}, l->y, l->x, l->z, l->columns),
                     KARST_OK);
    return field;
}

static karst_bake_info bake(const land *l, const char *path, float above, int workers, uint64_t memory_bytes) {
    karst_bake_def def = karst_bake_def_default();
    karst_jobs_def jobs_def = karst_jobs_def_default();
    karst_report report = {0};
    karst_bake_info info;
    jobs_def.worker_count = workers;
    assert_int_equal(karst_jobs_create(&jobs_def, &def.jobs), KARST_OK);
    def.map_side = 64;
    def.memory_bytes = memory_bytes;
    def.relax_above = above;
    karst_field *field = field_of(l);
    if (karst_bake_field(field, path, &def, NULL, &report, &info)) fail_msg("%s", report.message);
    karst_field_destroy(field);
    karst_jobs_destroy(def.jobs);
    return info;
}

static void read_pack(const char *path, land *l) {
    karst_pack *pack;
    karst_chunk *chunk = malloc(sizeof *chunk);
    assert_int_equal(karst_pack_open(path, NULL, &pack), KARST_OK);
    karst_lattice lattice = karst_pack_info_of(pack).lattice;
    land_make(l, lattice.shape.columns);
    int32_t chunks_x, chunks_z;
    karst_pack_chunk_grid(pack, 0, &chunks_x, &chunks_z);
    for (int32_t cz = 0; cz < chunks_z; ++cz)
        for (int32_t cx = 0; cx < chunks_x; ++cx) {
            assert_int_equal(karst_pack_read_chunk(pack, 0, cx, cz, chunk), KARST_OK);
            for (int k = 0; k < KARST_CHUNK_VERTICES; ++k) {
                int i = cx * KARST_CHUNK_CELLS + k % KARST_CHUNK_SIDE,
                    j = cz * KARST_CHUNK_CELLS + k / KARST_CHUNK_SIDE;
                if (i >= l->columns || j >= SIDE) continue;
                l->y[j * l->columns + i] = (float)(chunk->vertex[k].y * lattice.step_y_m);
                l->x[j * l->columns + i] = (float)(chunk->vertex[k].dx * lattice.step_xz_m);
                l->z[j * l->columns + i] = (float)(chunk->vertex[k].dz * lattice.step_xz_m);
            }
        }
    karst_pack_close(pack);
    free(chunk);
}

static double longest(const land *l) {
    double most = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i + 1 < l->columns; ++i) {
            int k = j * l->columns + i;
            double x = 1 + (double)(l->x[k + 1] - l->x[k]), y = (double)(l->y[k + 1] - l->y[k]),
                   z = (double)(l->z[k + 1] - l->z[k]);
            most = fmax(most, sqrt(x * x + y * y + z * z));
        }
    return most;
}

static void stretched_ground_is_relaxed_and_the_rest_is_not(void **state) {
    (void)state;
    if (test_count(8) < 8) skip();  // half a minute under a sanitizer
    enum { SQUARES = 5 };
    const char *paths[2] = {temp_path("plain.kpack"), temp_path("relaxed.kpack")};
    land author, packs[2];
    make_author(&author, SQUARES, 4);  // the first and the last
    assert_int_equal(bake(&author, paths[0], 0, 1, 0).relaxed.regions, 0);
    karst_bake_info info = bake(&author, paths[1], 3, 1, 0);
    assert_int_equal(info.relaxed.regions, 2);
    assert_true(info.relaxed.moved > 1000 && info.relaxed.worst_before > 5);
    assert_true(info.relaxed.worst_after < 0.5 * info.relaxed.worst_before);
    assert_true(info.relaxed.largest_m > 0.1 && info.relaxed.largest_m <= 0.5);
    for (int k = 0; k < 2; ++k) read_pack(paths[k], &packs[k]);
    assert_true(longest(&packs[0]) > 5 && longest(&packs[1]) < 0.5 * longest(&packs[0]));
    surface_grid a = {author.columns, SIDE, 1, author.y, author.x, author.z};
    surface_grid b = {author.columns, SIDE, 1, packs[1].y, packs[1].x, packs[1].z};
    double bound = info.relaxed.largest_m + info.largest_error_m;
    assert_true(surface_apart(&a, &b, 2) <= bound && surface_apart(&b, &a, 2) <= bound);
    // The chunk in the middle is of no region: every vertex of it is as it would have been.
    int same = 0, other = 0;
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < author.columns; ++i) {
            int k = j * author.columns + i;
            bool is =
                packs[0].y[k] == packs[1].y[k] && packs[0].x[k] == packs[1].x[k] && packs[0].z[k] == packs[1].z[k];
            if (i >= 3 * KARST_CHUNK_CELLS && i <= 4 * KARST_CHUNK_CELLS) assert_true(is);
            same += is, other += !is;
        }
    assert_true(same > 0 && other > 1000);
    karst_pack *pack;
    karst_check checks[KARST_CHECK_MAX];
    int count;
    assert_int_equal(karst_pack_open(paths[1], NULL, &pack), KARST_OK);
    assert_int_equal(karst_pack_check(pack, NULL, NULL, checks, &count), KARST_OK);
    for (int k = 0; k < count; ++k) assert_true(checks[k].failed == 0);
    karst_pack_close(pack);
    for (int k = 0; k < 2; ++k) land_free(&packs[k]);
    land_free(&author);
}

static void the_bytes_are_always_the_same_and_a_region_is_kept(void **state) {
    (void)state;
    land author;
    make_author(&author, 1, 1);
    const char *world = temp_path("w.karst"), *path = temp_path("w.kpack"), *plain = temp_path("p.kpack");
    uint64_t hash = bake(&author, plain, 3, 1, 0).hash;
    karst_project *project;
    karst_report report;
    int64_t id;
    karst_field *field;
    karst_field_shape shape = {SIDE, SIDE, 1, {0, 0, 0}};
    const karst_rect all = {0, 0, SIDE, SIDE};
    assert_int_equal(karst_project_create(world, &report, &project), KARST_OK);
    assert_int_equal(karst_project_begin(project, "make"), KARST_OK);
    assert_int_equal(karst_project_add_field(project, "ground", &shape, &id), KARST_OK);
    assert_int_equal(karst_project_field(project, id, 0, &field), KARST_OK);
    assert_int_equal(karst_field_write(field, all, author.y, author.x, author.z, SIDE), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 64;
    def.relax_above = 3;
    def.memory_bytes = 1 << 17;  // in a file, and with other threads than above
    karst_jobs_def jobs_def = karst_jobs_def_default();
    jobs_def.worker_count = 3;
    assert_int_equal(karst_jobs_create(&jobs_def, &def.jobs), KARST_OK);
    karst_bake_info first, again;
    assert_int_equal(karst_bake(project, path, &def, NULL, &report, &first), KARST_OK);
    assert_true(first.hash == hash && first.relaxed.regions == 1 && first.scratch_bytes > 0);
    remove(path);
    assert_int_equal(karst_bake(project, path, &def, NULL, &report, &again), KARST_OK);
    assert_true(again.steps_run == 1 && again.hash == hash &&
                !memcmp(&again.relaxed, &first.relaxed, sizeof again.relaxed));
    def.relax_above = 0;  // and other parameters are another bake
    assert_int_equal(karst_bake(project, path, &def, NULL, &report, &again), KARST_OK);
    assert_true(again.hash != hash && again.relaxed.moved == 0);
    karst_field_destroy(field);
    karst_project_close(project);
    karst_jobs_destroy(def.jobs);
    land_free(&author);
}

static void heights_are_left_alone(void **state) {
    (void)state;
    land author;
    make_author(&author, 1, 1);
    for (int k = 0; k < SIDE * SIDE; ++k) author.x[k] = author.z[k] = 0, author.y[k] *= 3;  // steep, but no overhang
    assert_int_equal(bake(&author, temp_path("heights.kpack"), 3, 1, 0).relaxed.regions, 0);
    land_free(&author);
}

static void nonsense_is_refused(void **state) {
    (void)state;
    land author;
    make_author(&author, 1, 1);
    karst_field *field = field_of(&author);
    const float bad[][2] = {{1, 0}, {-3, 0}, {3, -1}, {NAN, 0}, {5000, 0}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        karst_bake_def def = karst_bake_def_default();
        karst_report report = {0};
        def.relax_above = bad[k][0];
        def.relax_distance_m = bad[k][1];
        assert_int_equal(karst_bake_field(field, temp_path("bad.kpack"), &def, NULL, &report, NULL),
                         KARST_ERROR_ARGUMENT);
        assert_non_null(strstr(report.message, "relax"));
    }
    karst_field_destroy(field);
    land_free(&author);
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretched_ground_is_relaxed_and_the_rest_is_not),
        cmocka_unit_test(the_bytes_are_always_the_same_and_a_region_is_kept),
        cmocka_unit_test(heights_are_left_alone),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
