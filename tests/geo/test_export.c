// SPDX-License-Identifier: MIT
// Export: what was imported comes back, exactly where the format can; meshes are the ground's triangles.
#include <cjson/cJSON.h>

#include "geo/imported.h"
#include "geo/mesh.h"
#include "scenes/scenes.h"

// A world whose field is filled from samples, NaN for no data.
static imported world_of(const float *heights, int columns, int rows, double spacing_m) {
    const char *path = temp_path("in.r32");
    write_bytes(path, heights, (size_t)(columns * rows) * 4);
    karst_import_def def = karst_import_def_default();
    def.width = columns;
    def.height = rows;
    def.spacing_m = spacing_m;
    imported r = import_file(path, &def);
    if (r.status) fail_msg("%s", r.report.message);
    return r;
}

static imported export_and_import(imported *in, const char *name, karst_export_info *info) {
    const char *path = temp_path(name);
    karst_report report = {0};
    if (karst_geo_export(in->project, in->ground, path, NULL, &report, info)) fail_msg("%s", report.message);
    karst_import_def def = karst_import_def_default();
    if (!strstr(name, ".tif")) {
        def.spacing_m = in->info.spacing_m;
        def.scale = info->scale;
        def.offset = info->offset;
        def.has_no_data = info->has_no_data && isfinite(info->no_data);
        def.no_data = info->no_data;
        if (strstr(name, ".r")) def.width = info->columns, def.height = info->rows;
    }
    imported out = import_file(path, &def);
    if (out.status) fail_msg("%s", out.report.message);
    return out;
}

// The same heights where there are any, the same gaps, the same holes.
static void expect_same(prop *p, const float *in, const imported *a, const imported *b, double tolerance) {
    prop_check(p, a->columns == b->columns && a->rows == b->rows);
    prop_near(p, a->info.spacing_m, b->info.spacing_m, 1e-12);
    int c = a->columns, r = a->rows, w = c - 1;
    prop_check(p, !memcmp(a->holes, b->holes, (size_t)(w * (r - 1))));
    prop_check(p, a->info.no_data_samples == b->info.no_data_samples);
    for (int k = 0; k < c * r; ++k)  // every sample that was given, lone ones too
        if (!isnan(in[k])) prop_near(p, in[k], b->heights[k], tolerance);
}

static void rasters_come_back(void **state) {
    (void)state;
    static const double steps[] = {1, 0.1, 0.01, 0};
    for (prop p = prop_begin("export_round_trip", 25); prop_next(&p);) {
        int c = prop_int(&p, 2, 140), r = prop_int(&p, 2, 140);
        double step = steps[prop_int(&p, 0, 3)], low = prop_chance(&p, 0.5) ? 0 : -300;
        double reach = step == 0.01 ? 500
                       : step == 1  ? 60000
                                    : 5000,
               gaps = prop_chance(&p, 0.5) ? prop_real(&p, 0, 0.6) : 0;
        float *in = malloc((size_t)(c * r) * sizeof *in);
        for (int k = 0; k < c * r; ++k) {
            double y = prop_real(&p, low, low + reach);
            in[k] = prop_chance(&p, gaps) ? NAN : step > 0 ? (float)(round(y / step) * step) : (float)y;
        }
        imported a = world_of(in, c, r, prop_real(&p, 0.5, 100));
        static const char *const names[] = {"o.r32", "o.tif", "o.r16", "o.png"};
        for (int k = 0; k < 4; ++k) {
            karst_export_info info;
            imported b = export_and_import(&a, names[k], &info);
            bool exact = k < 2 || step > 0;
            prop_check(&p, info.columns == c && info.rows == r && (info.warning_count > 0) == !exact);
            prop_check(&p, exact ? info.largest_error_m == 0
                                 : info.largest_error_m > 0 && info.largest_error_m <= info.scale * 0.5001 + 1e-3);
            expect_same(&p, in, &a, &b, info.largest_error_m);
            imported_free(&b);
        }
        imported_free(&a);
        free(in);
    }
}

static void a_raw_file_goes_through_unchanged(void **state) {
    (void)state;
    uint8_t in[2 * 33 * 33], out[sizeof in + 1];
    for (int k = 0; k < 33 * 33; ++k) {
        int y = (int)(400 + scene_height(k % 33, k / 33, 2));
        in[2 * k] = (uint8_t)y;
        in[2 * k + 1] = (uint8_t)(y >> 8);
    }
    write_bytes(temp_path("in.r16"), in, sizeof in);
    imported a = import_file(temp_path("in.r16"), NULL);
    karst_report report;
    karst_export_info info;
    assert_int_equal(karst_geo_export(a.project, a.ground, temp_path("out.r16"), NULL, &report, &info), KARST_OK);
    FILE *f = fopen(temp_path("out.r16"), "rb");
    assert_int_equal(fread(out, 1, sizeof out, f), sizeof in);
    fclose(f);
    assert_memory_equal(in, out, sizeof in);
    assert_true(info.scale == 1 && info.offset == 0 && !info.has_no_data);
    assert_int_equal(karst_geo_export(a.project, a.ground, temp_path("out.bmp"), NULL, &report, NULL),
                     KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.message, ".tif"));
    assert_int_equal(karst_geo_export(a.project, 77, temp_path("out.r16"), NULL, &report, NULL), KARST_ERROR_ARGUMENT);
    imported_free(&a);
}

// ---- meshes ------------------------------------------------------------------------------------------

typedef struct soup {
    double (*corner)[3][3];
    size_t count, room;
} soup;

static bool gather(void *context, const karst_triangle *t, int count) {
    soup *s = context;
    for (int i = 0; i < count; ++i) {
        if (s->count == s->room) s->corner = realloc(s->corner, (s->room = 2 * s->room + 64) * sizeof *s->corner);
        for (int k = 0; k < 3; ++k) {
            double *c = s->corner[s->count][k];
            c[0] = t[i].corner[k].x, c[1] = t[i].corner[k].y, c[2] = t[i].corner[k].z;
        }
        ++s->count;
    }
    return true;
}

typedef struct mesh_file {
    double (*vertex)[3];
    long (*face)[3];
    size_t vertices, faces;
} mesh_file;

static void read_obj(const char *path, mesh_file *m) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char line[256];
    m->vertex = malloc(sizeof *m->vertex * 100000);
    m->face = malloc(sizeof *m->face * 200000);
    while (fgets(line, sizeof line, f)) {
        double *v = m->vertex[m->vertices];
        long *t = m->face[m->faces];
        if (sscanf(line, "v %lf %lf %lf", &v[0], &v[1], &v[2]) == 3) ++m->vertices;
        if (sscanf(line, "f %ld %ld %ld", &t[0], &t[1], &t[2]) == 3) {
            for (int k = 0; k < 3; ++k) --t[k];
            ++m->faces;
        }
    }
    fclose(f);
}

static void read_ply(const char *path, mesh_file *m) {
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char line[256];
    size_t vertices = 0, faces = 0;
    while (fgets(line, sizeof line, f) && strcmp(line, "end_header\n") != 0) {
        sscanf(line, "element vertex %zu", &vertices);
        sscanf(line, "element face %zu", &faces);
    }
    m->vertex = malloc(sizeof *m->vertex * (vertices + 1));
    m->face = malloc(sizeof *m->face * (faces + 1));
    for (; m->vertices < vertices; ++m->vertices) {
        double *v = m->vertex[m->vertices];
        assert_int_equal(fscanf(f, "%lf %lf %lf", &v[0], &v[1], &v[2]), 3);
    }
    for (; m->faces < faces; ++m->faces) {
        long *t = m->face[m->faces];
        assert_int_equal(fscanf(f, " 3 %ld %ld %ld", &t[0], &t[1], &t[2]), 3);
    }
    assert_int_equal(fscanf(f, "%255s", line), EOF);
    fclose(f);
}

static const cJSON *at(const cJSON *o, const char *name) {
    const cJSON *v = cJSON_GetObjectItem(o, name);
    if (!v) fail_msg("no %s", name);
    return v;
}

static double number(const cJSON *o, const char *name) {
    return at(o, name)->valuedouble;
}

static void read_glb(const char *path, mesh_file *m) {
    static uint8_t bytes[8 << 20];
    FILE *f = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    kst_reader r = {bytes, bytes + size, false};
    assert_int_equal(kst_read_u32(&r), 0x46546C67);
    assert_int_equal(kst_read_u32(&r), 2);
    assert_int_equal(kst_read_u32(&r), size);
    uint32_t json_size = kst_read_u32(&r);
    assert_int_equal(kst_read_u32(&r), 0x4E4F534A);
    assert_int_equal(json_size % 4, 0);
    cJSON *json = cJSON_ParseWithLength((const char *)kst_read_bytes(&r, json_size), json_size);
    assert_non_null(json);
    uint32_t bin_size = kst_read_u32(&r);
    assert_int_equal(kst_read_u32(&r), 0x004E4942);
    assert_int_equal(bin_size % 4, 0);
    const uint8_t *bin = kst_read_bytes(&r, bin_size);
    assert_false(r.bad || r.at != r.end);
    const cJSON *accessors = at(json, "accessors"), *views = at(json, "bufferViews");
    assert_string_equal(at(at(json, "asset"), "version")->valuestring, "2.0");
    assert_true(number(cJSON_GetArrayItem(at(json, "buffers"), 0), "byteLength") == bin_size);
    const cJSON *primitive = cJSON_GetArrayItem(at(cJSON_GetArrayItem(at(json, "meshes"), 0), "primitives"), 0);
    const cJSON *position = cJSON_GetArrayItem(accessors, (int)number(at(primitive, "attributes"), "POSITION"));
    const cJSON *normal = cJSON_GetArrayItem(accessors, (int)number(at(primitive, "attributes"), "NORMAL"));
    const cJSON *indices = cJSON_GetArrayItem(accessors, (int)number(primitive, "indices"));
    const cJSON *where = at(cJSON_GetArrayItem(at(json, "nodes"), 0), "translation");
    const uint8_t *start[3];
    const cJSON *all[3] = {position, normal, indices};
    for (int k = 0; k < 3; ++k) {
        const cJSON *view = cJSON_GetArrayItem(views, (int)number(all[k], "bufferView"));
        start[k] = bin + (size_t)number(view, "byteOffset");
        size_t need = (size_t)number(all[k], "count") * (k < 2 ? 12 : 4);
        assert_true(number(view, "byteLength") == (double)need && start[k] + need <= bin + bin_size);
    }
    m->vertices = (size_t)number(position, "count");
    m->faces = (size_t)number(indices, "count") / 3;
    m->vertex = malloc(sizeof *m->vertex * m->vertices);
    m->face = malloc(sizeof *m->face * m->faces);
    kst_reader p = {start[0], bin + bin_size, false}, n = {start[1], bin + bin_size, false},
               i = {start[2], bin + bin_size, false};
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < m->vertices; ++v) {
        double square = 0;
        for (int k = 0; k < 3; ++k) {
            double x = (double)kst_read_f32(&p), y = (double)kst_read_f32(&n);
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
            m->vertex[v][k] = x + cJSON_GetArrayItem(where, k)->valuedouble;
            square += y * y;
        }
        assert_true(fabs(square - 1) < 1e-5);
    }
    for (int k = 0; k < 3; ++k) {
        assert_true((float)cJSON_GetArrayItem(at(position, "min"), k)->valuedouble == (float)low[k]);
        assert_true((float)cJSON_GetArrayItem(at(position, "max"), k)->valuedouble == (float)high[k]);
    }
    for (size_t t = 0; t < m->faces; ++t)
        for (int k = 0; k < 3; ++k) m->face[t][k] = kst_read_u32(&i);
    cJSON_Delete(json);
}

static void meshes_are_the_reference_triangles(void **state) {
    (void)state;
    for (prop p = prop_begin("export_mesh", 12); prop_next(&p);) {
        int c = prop_int(&p, 2, 150), r = prop_int(&p, 2, 150);
        bool displaced = prop_chance(&p, 0.5), holes = prop_chance(&p, 0.6), far = prop_chance(&p, 0.4);
        karst_pos origin = far ? (karst_pos){1e6, 50, -2e6} : (karst_pos){0, 0, 0};
        karst_field *field;
        assert_int_equal(scene_rough_field(c, r, 1.5, (uint64_t)p.at, displaced, holes, origin, &field), KARST_OK);
        const karst_ground *ground = karst_field_ground(field);
        soup want = {0};
        for (uint32_t k = 0; k < karst_ground_chunk_count(ground); ++k)
            assert_int_equal(karst_ground_triangles(ground, k, gather, &want), KARST_OK);
        static const char *const names[] = {"m.obj", "m.ply", "m.glb"};
        size_t vertices = 0;
        for (int k = 0; k < 3 && want.count; ++k) {
            const char *path = temp_path(names[k]);
            karst_report report;
            karst_export_info info;
            if (karst_geo_export_ground(ground, path, NULL, &report, &info)) fail_msg("%s", report.message);
            mesh_file m = {0};
            if (k == 0) read_obj(path, &m);
            if (k == 1) read_ply(path, &m);
            if (k == 2) read_glb(path, &m);
            prop_check(&p, m.faces == want.count && info.triangles == want.count && info.vertices == m.vertices);
            if (k) prop_check(&p, m.vertices == vertices);
            vertices = m.vertices;
            if (!holes) prop_check(&p, m.vertices == (size_t)(c * r));  // welded
            for (size_t t = 0; t < m.faces; ++t)
                for (int v = 0; v < 3; ++v) {
                    prop_check(&p, m.face[t][v] >= 0 && (size_t)m.face[t][v] < m.vertices);
                    for (int a = 0; a < 3; ++a)  // same corners in the same order: the upper side stays up
                        prop_near(&p, m.vertex[m.face[t][v]][a], want.corner[t][v][a], 1e-4);
                }
            for (size_t t = 0; t < m.faces && !displaced; ++t) {
                const double *a = m.vertex[m.face[t][0]], *b = m.vertex[m.face[t][1]], *d = m.vertex[m.face[t][2]];
                prop_check(&p, (b[2] - a[2]) * (d[0] - a[0]) - (b[0] - a[0]) * (d[2] - a[2]) > 0);  // normal's y
            }
            free(m.vertex);
            free(m.face);
        }
        free(want.corner);
        karst_field_destroy(field);
    }
}

static void the_world_exports_its_field_as_a_mesh(void **state) {
    (void)state;
    float in[9] = {0, 1, 2, 3, NAN, 5, 6, 7, 8}, all[4] = {NAN, NAN, NAN, NAN}, four[4] = {1, 2, 3, 4};
    imported a = world_of(in, 3, 3, 1);
    karst_report report;
    karst_export_info info;
    const char *path = temp_path("none.obj");
    assert_int_equal(karst_geo_export(a.project, a.ground, path, NULL, &report, &info), KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "one hole"));
    assert_int_not_equal(access(path, F_OK), 0);
    imported_free(&a);
    a = world_of(all, 2, 2, 1);
    assert_int_equal(karst_geo_export(a.project, a.ground, temp_path("void.r16"), NULL, &report, &info), KARST_OK);
    imported_free(&a);
    a = world_of(four, 2, 2, 1);
    assert_int_equal(karst_geo_export(a.project, a.ground, path, NULL, &report, &info), KARST_OK);
    assert_true(info.vertices == 4 && info.triangles == 2);
    imported_free(&a);
}

static bool refuse(void *context, const char *stage, double share) {
    (void)stage;
    return share < *(double *)context;
}

static void a_stopped_export_leaves_the_old_file(void **state) {
    (void)state;
    float *in = malloc(300 * 300 * sizeof *in);
    for (int k = 0; k < 300 * 300; ++k) in[k] = scene_height(k % 300, k / 300, 5);
    imported a = world_of(in, 300, 300, 1);
    static const char *const names[] = {"s.tif", "s.png", "s.r16", "s.r32", "s.obj", "s.ply", "s.glb"};
    for (int k = 0; k < 7; ++k) {
        const char *path = temp_path(names[k]);
        write_bytes(path, "old", 3);
        double until = 0.3;
        karst_progress progress = {refuse, &until};
        karst_report report = {0};
        assert_int_equal(karst_geo_export(a.project, a.ground, path, &progress, &report, NULL), KARST_ERROR_CANCELLED);
        char now[8] = {0};
        FILE *f = fopen(path, "rb");
        assert_int_equal(fread(now, 1, 8, f), 3);
        fclose(f);
        assert_string_equal(now, "old");
        until = 2;
        assert_int_equal(karst_geo_export(a.project, a.ground, path, &progress, &report, NULL), KARST_OK);
    }
    imported_free(&a);
    free(in);
}

static void decimals_are_right_to_a_tenth_of_a_micrometre(void **state) {
    (void)state;
    char text[48];
    for (prop p = prop_begin("put_decimal", 20000); prop_next(&p);) {
        double v = prop_real(&p, -1, 1) * pow(10, prop_int(&p, -8, 8));
        int n = kst_put_decimal(text, v);
        prop_check(&p, n == (int)strlen(text));
        prop_near(&p, strtod(text, NULL), v, 5.1e-8 + fabs(v) * 1e-15);
    }
    static const struct {
        double v;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "0"},
                 {1, "1"},
                 {-2.5, "-2.5"},
                 {0.0000001, "0.0000001"},
                 {-1e-9, "0"},
                 {1e15, "1000000000000000"},
                 {120.03, "120.03"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        kst_put_decimal(text, cases[k].v);
        assert_true(strtod(text, NULL) == strtod(cases[k].text, NULL));
        if (k != 6) assert_string_equal(text, cases[k].text);
    }
}

int main(void) {
    temp_in_memory();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rasters_come_back),
        cmocka_unit_test(a_raw_file_goes_through_unchanged),
        cmocka_unit_test(meshes_are_the_reference_triangles),
        cmocka_unit_test(the_world_exports_its_field_as_a_mesh),
        cmocka_unit_test(a_stopped_export_leaves_the_old_file),
        cmocka_unit_test(decimals_are_right_to_a_tenth_of_a_micrometre),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
