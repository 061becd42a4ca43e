// SPDX-License-Identifier: MIT
// Meshes in files: what is read back keeps the error that was asked for, rounding included.
#include "karst/geo.h"
#include "lod/mesh_check.h"
#include "scenes/scenes.h"

static char *whole_file(const char *path, long *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    char *text = malloc((size_t)*size + 1);
    assert_int_equal(fread(text, 1, (size_t)*size, f), *size);
    text[*size] = 0;
    fclose(f);
    return text;
}

// Put the vertices and triangles of a file into a mesh of as many.
static void read_obj(const char *text, karst_mesh *m) {
    uint32_t v = 0, t = 0;
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        karst_pos p;
        uint32_t c[3];
        if (sscanf(line, "v %lf %lf %lf", &p.x, &p.y, &p.z) == 3) m->position[v++] = p;
        if (sscanf(line, "f %u %u %u", &c[0], &c[1], &c[2]) == 3) {
            for (int k = 0; k < 3; ++k) m->triangle[t][k] = c[k] - 1;
            ++t;
        }
    }
    assert_true(v == m->vertex_count && t == m->triangle_count);
}

static void read_ply(const char *text, karst_mesh *m) {
    const char *at = strstr(text, "end_header\n") + 11;
    for (uint32_t v = 0; v < m->vertex_count; ++v, at = strchr(at, '\n') + 1)
        assert_int_equal(sscanf(at, "%lf %lf %lf", &m->position[v].x, &m->position[v].y, &m->position[v].z), 3);
    for (uint32_t t = 0; t < m->triangle_count; ++t, at = strchr(at, '\n') + 1)
        assert_int_equal(sscanf(at, "3 %u %u %u", &m->triangle[t][0], &m->triangle[t][1], &m->triangle[t][2]), 3);
    assert_true(!*at);
}

static void read_glb(const char *bytes, karst_mesh *m) {
    uint32_t json;
    double o[3];
    memcpy(&json, bytes + 12, 4);
    const char *place = strstr(bytes + 20, "\"translation\":[");
    assert_int_equal(sscanf(place + 15, "%lf,%lf,%lf", &o[0], &o[1], &o[2]), 3);
    const char *binary = bytes + 20 + json + 8;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        float p[3];
        memcpy(p, binary + 12 * v, 12);
        m->position[v] = (karst_pos){o[0] + (double)p[0], o[1] + (double)p[1], o[2] + (double)p[2]};
    }
    memcpy(m->triangle, binary + 24 * (size_t)m->vertex_count, 12 * (size_t)m->triangle_count);
}

static double largest_move(const karst_mesh *m, const karst_pos *before) {
    double worst = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        karst_pos a = m->position[v], b = before[v];
        worst = fmax(worst, sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z)));
    }
    return worst;
}

static void files_keep_the_error(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*read)(const char *, karst_mesh *);
    } kinds[] = {{"m.obj", read_obj}, {"m.ply", read_ply}, {"m.glb", read_glb}};
    for (int k = 0; k < 6; ++k) {
        karst_field *field;
        double spacing_m = k < 3 ? 2.0 / 3 : 700.1;  // of 100 m and of 100 km
        assert_int_equal(
            scene_rough_field(150, 120, spacing_m, 5, k % 2, true, (karst_pos){12345.678, -3, 1e6}, &field), KARST_OK);
        samples s = samples_of(field);
        karst_box bounds = karst_ground_bounds(karst_field_ground(field));
        bounds.min.y -= 2;
        bounds.max.y += 2;
        karst_mesh_def def = karst_mesh_def_default();
        karst_mesh *m;
        const char *path = temp_path(kinds[k % 3].name);
        def.error_m = 2;
        def.room_m = karst_geo_mesh_rounding(path, &bounds);
        assert_true(def.room_m > 0 && def.room_m < 0.1);
        assert_int_equal(karst_mesh_build(field, &def, &m), KARST_OK);
        karst_export_info info;
        assert_int_equal(karst_geo_export_mesh(m, path, NULL, NULL, &info), KARST_OK);
        assert_true(info.vertices == m->vertex_count && info.triangles == m->triangle_count);
        size_t bytes = m->vertex_count * sizeof *m->position;
        karst_pos *before = malloc(bytes);
        memcpy(before, m->position, bytes);
        memset(m->triangle, 0, m->triangle_count * sizeof *m->triangle);
        long size;
        char *text = whole_file(path, &size);
        kinds[k % 3].read(text, m);
        mesh_facts f = look_at_mesh(&s, (karst_rect){0, 0, 150, 120}, m);
        assert_true(mesh_is_good(&f, 2));
        double move = largest_move(m, before);
        assert_true(move <= def.room_m && move > def.room_m / 50);  // the bound is one, and no tale
        free(text);
        free(before);
        karst_mesh_destroy(m);
        samples_free(&s);
        karst_field_destroy(field);
    }
}

static void other_names_and_empty_meshes_are_refused(void **state) {
    (void)state;
    karst_report report = {0};
    karst_box bounds = {{0, 0, 0}, {1, 1, 1}};
    karst_mesh empty = {0};
    assert_int_equal(karst_geo_export_mesh(&empty, temp_path("m.tif"), NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "m.tif"));
    assert_int_equal(karst_geo_export_mesh(&empty, temp_path("m.obj"), NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "no triangle"));
    assert_true(karst_geo_mesh_rounding("m.tif", &bounds) == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_keep_the_error),
        cmocka_unit_test(other_names_and_empty_meshes_are_refused),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
