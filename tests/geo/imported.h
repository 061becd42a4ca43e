// SPDX-License-Identifier: MIT
// A file through karst_geo_import into a world and out of its field again, for tests.
#pragma once
#include <unistd.h>

#include "karst/geo.h"
#include "support/prop.h"

typedef struct imported {
    karst_status status;
    karst_report report;
    karst_import_info info;
    int columns, rows;
    float *heights;  // vertices
    uint8_t *holes;  // cells
    karst_project *project;
    int64_t ground;
} imported;

static inline imported import_file(const char *path, const karst_import_def *def) {
    static int turn;
    char name[32];
    snprintf(name, sizeof name, "i%d.karst", turn++);
    const char *world = temp_path(name);
    imported r = {0};
    assert_int_equal(karst_project_create(world, &r.report, &r.project), KARST_OK);
    unlink(world);  // the open file stays
    r.status = karst_geo_import(r.project, path, def, NULL, NULL, &r.report, &r.info, &r.ground);
    if (r.status) return r;
    karst_field *field;
    assert_int_equal(karst_project_field(r.project, r.ground, 0, &field), KARST_OK);
    r.columns = r.info.columns;
    r.rows = r.info.rows;
    size_t n = (size_t)r.columns * (size_t)r.rows;
    r.heights = malloc(n * sizeof *r.heights);
    r.holes = malloc(n);
    assert_int_equal(karst_field_read(field, (karst_rect){0, 0, r.columns, r.rows}, r.heights, NULL, NULL, r.columns),
                     0);
    assert_int_equal(
        karst_field_read_holes(field, (karst_rect){0, 0, r.columns - 1, r.rows - 1}, r.holes, r.columns - 1), 0);
    karst_field_destroy(field);
    return r;
}

static inline void imported_free(imported *r) {
    free(r->heights);
    free(r->holes);
    karst_project_close(r->project);
    *r = (imported){0};
}

static inline bool warned(const imported *r, const char *words) {
    for (int i = 0; i < r->info.warning_count; ++i)
        if (strstr(r->info.warnings[i], words)) return true;
    return false;
}

static inline void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}
