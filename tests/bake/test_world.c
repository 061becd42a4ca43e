// SPDX-License-Identifier: MIT
// Bake of a world file: what is kept between bakes, and what is not.
#include <sqlite3.h>

#include "karst/bake.h"
#include "scenes/scenes.h"
#include "support/prop.h"

enum { COLUMNS = 300, ROWS = 280 };

// A world with one rough field; returns its ground.
static int64_t make_world(const char *path, bool displaced) {
    karst_field *from, *to;
    karst_project *project;
    karst_report report;
    int64_t id;
    assert_int_equal(scene_rough_field(COLUMNS, ROWS, 2, 5, displaced, true, (karst_pos){10, 0, -4}, &from), KARST_OK);
    karst_field_shape shape = karst_field_shape_of(from);
    assert_int_equal(karst_project_create(path, &report, &project), KARST_OK);
    assert_int_equal(karst_project_begin(project, "make"), KARST_OK);
    assert_int_equal(karst_project_add_field(project, "ground", &shape, &id), KARST_OK);
    assert_int_equal(karst_project_field(project, id, 0, &to), KARST_OK);
    float *y = malloc(sizeof(float) * COLUMNS * ROWS * 3), *x = y + COLUMNS * ROWS, *z = x + COLUMNS * ROWS;
    uint8_t *holes = malloc((COLUMNS - 1) * (ROWS - 1));
    karst_rect all = {0, 0, COLUMNS, ROWS}, cells = {0, 0, COLUMNS - 1, ROWS - 1};
    assert_int_equal(karst_field_read(from, all, y, x, z, COLUMNS), KARST_OK);
    assert_int_equal(karst_field_read_holes(from, cells, holes, COLUMNS - 1), KARST_OK);
    assert_int_equal(karst_field_write(to, all, y, displaced ? x : NULL, displaced ? z : NULL, COLUMNS), KARST_OK);
    assert_int_equal(karst_field_write_holes(to, cells, holes, COLUMNS - 1), KARST_OK);
    assert_int_equal(karst_field_flush(to), KARST_OK);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    free(y);
    free(holes);
    karst_field_destroy(to);
    karst_field_destroy(from);
    karst_project_close(project);
    return id;
}

// Move one vertex up.
static void edit(const char *path, int64_t id, int column, int row, float by) {
    karst_project *project;
    karst_field *field;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_WRITE, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_begin(project, "edit"), KARST_OK);
    assert_int_equal(karst_project_field(project, id, 0, &field), KARST_OK);
    karst_rect one = {column, row, column + 1, row + 1};
    float y;
    assert_int_equal(karst_field_read(field, one, &y, NULL, NULL, 1), KARST_OK);
    y += by;
    assert_int_equal(karst_field_write(field, one, &y, NULL, NULL, 1), KARST_OK);
    assert_int_equal(karst_field_flush(field), KARST_OK);
    assert_int_equal(karst_project_commit(project), KARST_OK);
    karst_field_destroy(field);
    karst_project_close(project);
}

static karst_bake_info bake_world(const char *path, const char *pack) {
    karst_project *project;
    karst_report report = {0};
    karst_bake_info info = {0};
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 64;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_READ, &report, &project), KARST_OK);
    if (karst_bake(project, pack, &def, NULL, &report, &info)) fail_msg("%s", report.message);
    karst_project_close(project);
    return info;
}

// The same world baked with nothing kept.
static void bake_without_cache(const char *path, int64_t id, const char *pack) {
    karst_project *project;
    karst_field *field;
    karst_bake_def def = karst_bake_def_default();
    def.map_side = 64;
    assert_int_equal(karst_project_open(path, KARST_PROJECT_READ, NULL, &project), KARST_OK);
    assert_int_equal(karst_project_field(project, id, 0, &field), KARST_OK);
    assert_int_equal(karst_bake_field(field, pack, &def, NULL, NULL, NULL), KARST_OK);
    karst_field_destroy(field);
    karst_project_close(project);
}

static void run_sql(const char *path, const char *text) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void an_unchanged_world_is_not_baked_again(void **state) {
    (void)state;
    const char *world = temp_path("a.karst"), *pack = temp_path("a.kpack"), *plain = temp_path("plain.kpack");
    int64_t id = make_world(world, true);
    karst_bake_info first = bake_world(world, pack);
    assert_true(first.steps_run > 10 && first.steps_reused == 0);
    bake_without_cache(world, id, plain);
    assert_true(same_bytes(pack, plain));

    karst_bake_info again = bake_world(world, pack);
    assert_int_equal(again.steps_run, 0);
    assert_int_equal(again.steps_reused, first.steps_run);
    assert_true(again.hash == first.hash && again.file_bytes == first.file_bytes);
    assert_true(again.largest_error_m == first.largest_error_m && again.chunk_count == first.chunk_count);

    remove(pack);  // the results are kept, the file is not: only the writing is done again
    again = bake_world(world, pack);
    assert_int_equal(again.steps_run, 1);
    assert_true(again.hash == first.hash && same_bytes(pack, plain));

    FILE *f = fopen(pack, "r+b");  // a pack that somebody wrote to is made again
    fseek(f, 5000, SEEK_SET);
    int byte = fgetc(f);
    fseek(f, 5000, SEEK_SET);
    fputc(byte ^ 1, f);
    fclose(f);
    bake_world(world, pack);
    assert_true(same_bytes(pack, plain));
}

static void an_edit_bakes_what_depends_on_it(void **state) {
    (void)state;
    const char *world = temp_path("b.karst"), *pack = temp_path("b.kpack"), *plain = temp_path("plain.kpack");
    int64_t id = make_world(world, false);
    karst_bake_info first = bake_world(world, pack);
    edit(world, id, 97, 101, 3);  // on no coarse lattice, inside a chunk
    karst_bake_info again = bake_world(world, pack);
    assert_true(again.steps_run > 3 && again.steps_reused >= 2);  // rows of errors; all records look to the whole
    bake_without_cache(world, id, plain);
    assert_true(same_bytes(pack, plain));
    edit(world, id, 97, 101, -3);  // back: everything is still known
    again = bake_world(world, pack);
    assert_true(again.steps_run <= 1);
    assert_true(again.hash == first.hash);
}

static void damaged_results_are_not_used(void **state) {
    (void)state;
    const char *world = temp_path("c.karst"), *pack = temp_path("c.kpack"), *plain = temp_path("plain.kpack");
    int64_t id = make_world(world, true);
    karst_bake_info first = bake_world(world, pack);
    bake_without_cache(world, id, plain);
    remove(pack);
    run_sql(world,
            "UPDATE cache SET data = substr(data, 1, length(data) / 2) || x'55' || "
            "substr(data, length(data) / 2 + 2)");
    karst_bake_info again = bake_world(world, pack);
    assert_true(again.steps_run >= first.steps_run - 1);  // a byte that was 55 before is no damage
    assert_true(same_bytes(pack, plain));
    remove(pack);
    run_sql(world, "UPDATE cache SET data = substr(data, 1, 5)");
    assert_int_equal(bake_world(world, pack).steps_run, first.steps_run);
    assert_true(same_bytes(pack, plain));
    remove(pack);
    run_sql(world, "DELETE FROM cache");
    assert_int_equal(bake_world(world, pack).steps_run, first.steps_run);
    assert_true(same_bytes(pack, plain));
}

static void a_world_without_ground_says_so(void **state) {
    (void)state;
    karst_project *project;
    karst_report report;
    assert_int_equal(karst_project_create(temp_path("d.karst"), &report, &project), KARST_OK);
    assert_int_equal(karst_bake(project, temp_path("d.kpack"), NULL, NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "no ground"));
    karst_project_close(project);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unchanged_world_is_not_baked_again),
        cmocka_unit_test(an_edit_bakes_what_depends_on_it),
        cmocka_unit_test(damaged_results_are_not_used),
        cmocka_unit_test(a_world_without_ground_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
