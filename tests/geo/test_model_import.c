// SPDX-License-Identifier: MIT
// Models in files: what is written comes back, what is hostile gives a line and no more.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "geo/apart.h"
#include "karst/geo.h"
#include "scenes/models.h"
#include "support/prop.h"
#include "support/run.h"

#define MADE(call) assert_int_equal((call), KARST_OK)

static karst_model *import(const char *path, const karst_model_import_def *def) {
    karst_model *m = NULL;
    karst_report report = {0};
    if (karst_geo_import_model(path, def, NULL, &report, NULL, &m)) fail_msg("%s", report.message);
    MADE(karst_model_check(m, NULL));
    return m;
}

static karst_model *round_trip(const karst_model *m, const char *name, const karst_model_import_def *def) {
    const char *path = temp_path(name);
    karst_report report = {0};
    karst_export_info info;
    if (karst_geo_export_model(m, path, NULL, &report, &info)) fail_msg("%s", report.message);
    assert_true(info.triangles == m->triangle_count && info.vertices == m->wedge_count);
    return import(path, def);
}

static void put(const char *name, const char *text) {
    FILE *f = fopen(temp_path(name), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

// Importing gives this status and a line that names the file.
static void refused(const char *name, karst_status status, const char *word, const karst_model_import_def *def) {
    karst_report report = {0};
    karst_model *m = NULL;
    const char *path = temp_path(name);
    assert_int_equal(karst_geo_import_model(path, def, NULL, &report, NULL, &m), status);
    assert_null(m);
    assert_ptr_equal(strstr(report.message, path), report.message);
    if (!strstr(report.message, word)) fail_msg("%s", report.message);
    assert_null(strchr(report.message, '\n'));
}

// ---- round trips ----------------------------------------------------------------------------------------

// Corners of two models, which may number their wedges and order their triangles by material otherwise: one for one.
typedef struct corner {
    float position[3], normal[3], uv[2];
} corner;

static void list_corners(const karst_model *m, uint32_t t, corner out[3]) {
    for (int k = 0; k < 3; ++k) {
        uint32_t w = m->triangle[t][k];
        memset(&out[k], 0, sizeof out[k]);
        memcpy(out[k].position, &m->position[m->vertex[w]], 12);
        if (m->normal) memcpy(out[k].normal, &m->normal[w], 12);
        if (m->uv_sets) memcpy(out[k].uv, m->uv[0][w], 8);
    }
}

// The largest difference over all triangles, a's sorted by material as writers sort them.
static float largest_difference(const karst_model *a, const karst_model *b, bool by_material) {
    assert_int_equal(a->triangle_count, b->triangle_count);
    float worst = 0;
    uint32_t t = 0;
    for (uint32_t paint = 0; paint < (by_material ? a->material_count : 1); ++paint)
        for (uint32_t s = 0; s < a->triangle_count; ++s) {
            if (by_material && a->paint[s] != paint) continue;
            corner x[3], y[3];
            list_corners(a, s, x);
            list_corners(b, t++, y);
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 8; ++i)
                    worst = fmaxf(worst, fabsf((&x[k].position[0])[i] - (&y[k].position[0])[i]));
        }
    return worst;
}

static void glb_gives_the_tank_back(void **state) {
    (void)state;
    karst_model *tank, *m;
    MADE(scene_model_tank(&tank));
    m = round_trip(tank, "tank.glb", NULL);
    assert_true(m->vertex_count == tank->vertex_count && m->wedge_count == tank->wedge_count && m->uv_sets == 1);
    assert_true(largest_difference(tank, m, true) < 1e-6f);
    for (uint32_t k = 0; k < tank->material_count; ++k) {
        assert_string_equal(m->material[k].name, tank->material[k].name);
        assert_memory_equal(m->material[k].colour, tank->material[k].colour, 16);
    }
    assert_true(m->joint_count == 3 && m->material_count == 5);
    for (int k = 0; k < 3; ++k) {
        assert_string_equal(m->joint[k].name, tank->joint[k].name);
        assert_int_equal(m->joint[k].parent, tank->joint[k].parent);
        for (int i = 0; i < 12; ++i)
            assert_true(fabsf(m->joint[k].bind[i / 4][i % 4] - tank->joint[k].bind[i / 4][i % 4]) < 1e-6f);
    }
    uint32_t moved[3] = {0}, wanted[3] = {0};
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        ++moved[m->skin[v].joint[0]];
        ++wanted[tank->skin[v].joint[0]];
    }
    assert_memory_equal(moved, wanted, sizeof moved);
    karst_model_destroy(m);
    karst_model_destroy(tank);
}

static void other_formats_give_the_shape_back(void **state) {
    (void)state;
    static const char *const name[] = {"m.obj", "m.ply"};
    for (int k = 0; k < 4; ++k) {
        karst_model *m, *back;
        MADE(k < 2 ? scene_model_tank(&m) : scene_model_cube(4, &m));
        back = round_trip(m, name[k % 2], NULL);
        karst_model_facts a, b;
        MADE(karst_model_look(back, NULL, &b));
        if (k < 2) {  // the file has no joints: their vertices may join
            assert_true(back->vertex_count <= m->vertex_count);
        } else {
            MADE(karst_model_look(m, NULL, &a));
            assert_true(a.closed && b.closed && back->vertex_count == m->vertex_count &&
                        back->wedge_count == m->wedge_count && a.seam_edges == b.seam_edges);
        }
        assert_true(largest_difference(m, back, false) < 2e-6f);
        if (k == 0) assert_int_equal(back->material_count, 5);
        karst_model_destroy(back);
        karst_model_destroy(m);
    }
}

static void colours_sets_and_origin_survive_glb(void **state) {
    (void)state;
    karst_model_size size = {.vertices = 3, .wedges = 3, .triangles = 1, .uv_sets = 3, .colours = true};
    karst_model *m, *back;
    MADE(karst_model_create(&size, NULL, NULL, &m));
    m->origin = (karst_pos){1e6, -5, 123456};
    for (uint32_t v = 0; v < 3; ++v) {
        m->position[v] = (karst_vec3){(float)(v == 1) * 0.125f, 0, (float)(v == 2) * 0.25f};
        m->vertex[v] = m->triangle[0][v] = v;
        for (int k = 0; k < 3; ++k) m->uv[k][v][0] = (float)(k + 1) / 4;
        for (int k = 0; k < 4; ++k) m->colour[v][k] = (uint8_t)(40 * v + (uint32_t)k);
    }
    back = round_trip(m, "colours.glb", NULL);
    assert_true(back->uv_sets == 3 && back->colour && back->origin.x == 1e6 && back->origin.z == 123456);
    for (uint32_t v = 0; v < 3; ++v) {
        assert_memory_equal(back->colour[v], m->colour[v], 4);
        for (int k = 0; k < 3; ++k) assert_true(back->uv[k][v][0] == m->uv[k][v][0]);
        assert_memory_equal(&back->position[v], &m->position[v], 12);
    }
    karst_model_destroy(back);
    karst_model_destroy(m);
}

static void units_axes_and_normals_are_the_callers(void **state) {
    (void)state;
    put("t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    karst_model_import_def def = karst_model_import_def_default();
    def.unit_m = 0.01;
    def.up = KARST_MODEL_UP_Z;
    def.crease_rad = 0;
    karst_model *m = import(temp_path("t.obj"), &def);
    karst_box b = karst_model_bounds(m);
    assert_true(fabs(b.max.x - 0.01) < 1e-9 && fabs(b.max.y - 0.01) < 1e-9 && fabs(b.min.z + 0.01) < 1e-9);
    assert_true(m->vertex_count == 4 && m->wedge_count == 12 && m->normal);
    karst_model_facts f;
    MADE(karst_model_look(m, NULL, &f));
    assert_true(f.closed);
    for (uint32_t t = 0; t < 4; ++t) {  // outside stays outside
        uint32_t w = m->triangle[t][0];
        karst_vec3 p = m->position[m->vertex[w]], n = m->normal[w];
        assert_true(n.x * (p.x - 0.002f) + n.y * (p.y - 0.002f) + n.z * (p.z + 0.002f) > 0);
    }
    karst_model_destroy(m);
    m = import(temp_path("t.obj"), NULL);
    assert_true(!m->normal && m->wedge_count == 4 && karst_model_bounds(m).max.y == 1);
    karst_model_destroy(m);
}

// ---- bad input ------------------------------------------------------------------------------------------

static void bad_files_give_one_line(void **state) {
    (void)state;
    karst_model_import_def def = karst_model_import_def_default();
    refused("missing.obj", KARST_ERROR_FILE, "No such file", NULL);
    put("empty.obj", "");
    refused("empty.obj", KARST_ERROR_FORMAT, "empty", NULL);
    put("text.xyz", "hello\n");
    refused("text.xyz", KARST_ERROR_UNSUPPORTED, "reader", NULL);
    put("points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    refused("points.obj", KARST_ERROR_UNSUPPORTED, "no triangle", NULL);
    put("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    refused("nan.obj", KARST_ERROR_FORMAT, "finite", NULL);
    put("inf.obj", "v 0 0 0\nv 1e39 0 0\nv 0 1 0\nf 1 2 3\n");
    refused("inf.obj", KARST_ERROR_FORMAT, "finite", NULL);
    put("index.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    refused("index.obj", KARST_ERROR_FORMAT, "ndex", NULL);
    put("flat.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n");
    refused("flat.obj", KARST_ERROR_UNSUPPORTED, "one place", NULL);
    put("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    def.most_triangles = 0;
    refused("one.obj", KARST_ERROR_ARGUMENT, "limit", &def);
    def.most_triangles = 1;
    karst_model *m = import(temp_path("one.obj"), &def);
    karst_model_destroy(m);
    def.most_bytes = 10;
    refused("one.obj", KARST_ERROR_LIMIT, "10", &def);
    put("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n");
    def = karst_model_import_def_default();
    def.most_triangles = 1;
    refused("two.obj", KARST_ERROR_LIMIT, "over 1 triangles", &def);
    def = karst_model_import_def_default();
    def.unit_m = -1;
    refused("two.obj", KARST_ERROR_ARGUMENT, "unit", &def);
    refused("", KARST_ERROR_FILE, "not a file", NULL);
}

static void soup_is_cleaned_and_told(void **state) {
    (void)state;
    put("soup.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0.5 0.5 0\nf 1 2 3\nf 4 2 3\nf 3 2 1\nf 1 1 2\nf 2 5 3\nf 1 4 2\n");
    karst_model *m;
    karst_model_import_info info;
    MADE(karst_geo_import_model(temp_path("soup.obj"), NULL, NULL, NULL, &info, &m));
    assert_true(info.cleaned.duplicates == 1 && info.cleaned.twins == 1 && info.cleaned.flat == 1);
    assert_true(info.cleaned.collapsed == 2 && m->triangle_count == 3 && m->vertex_count == 4);
    karst_model_destroy(m);
}

// Files cut short or with bytes changed: a line or a model, and this process lives.
static void damaged_files_never_fault(void **state) {
    (void)state;
    static const char *const name[] = {"d.glb", "d.obj", "d.ply"};
    karst_model *tank;
    MADE(scene_model_cube(3, &tank));
    for (int k = 0; k < 3; ++k) MADE(karst_geo_export_model(tank, temp_path(name[k]), NULL, NULL, NULL));
    karst_model_destroy(tank);
    int refusals = 0, models = 0;
    karst_model_import_def def = karst_model_import_def_default();
    def.memory_bytes = (uint64_t)1 << 30;
    def.most_seconds = 0.3;  // some readers never end on some of these
    for (prop p = prop_begin("damage", 120); prop_next(&p);) {
        const char *from = name[p.at % 3], *to = temp_path(p.at % 3 == 0 ? "x.glb" : p.at % 3 == 1 ? "x.obj" : "x.ply");
        size_t size;
        uint8_t *bytes = read_bytes(temp_path(from), &size);
        if (prop_chance(&p, 0.3)) size = (size_t)prop_int(&p, 1, (int)size - 1);
        for (int n = prop_int(&p, 0, 12); n; --n) bytes[prop_int(&p, 0, (int)size - 1)] = (uint8_t)prop_u64(&p);
        remove(to);
        write_part(to, bytes, 0, size);
        free(bytes);
        karst_model *m = NULL;
        karst_report report = {0};
        karst_status status = karst_geo_import_model(to, &def, NULL, &report, NULL, &m);
        prop_check(&p, (status == KARST_OK) == (m != NULL));
        prop_check(&p, !status || (strlen(report.message) > 10 && !strchr(report.message, '\n')));
        if (m) prop_check(&p, karst_model_check(m, NULL) == KARST_OK && m->triangle_count > 0);
        karst_model_destroy(m);
        refusals += status != KARST_OK;
        models += status == KARST_OK;
    }
    assert_true(getenv("KARST_PROP_CASE") || (refusals > 0 && models > 0));
}

// ---- the process of its own -----------------------------------------------------------------------------

static void crash(void *context, int file) {
    (void)context, (void)file;
    raise(SIGSEGV);
}
static void loop(void *context, int file) {
    (void)context, (void)file;
    for (;;) pause();
}
static void say_nothing(void *context, int file) {
    (void)context, (void)file;
}
static void answer(void *context, int file) {
    kst_apart_write(file, context, 6);
}
static bool never(void *context, const char *stage, double share) {
    (void)context, (void)stage, (void)share;
    return false;
}

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void a_crash_apart_is_a_line_here(void **state) {
    (void)state;
    kst_apart_limits limits = {(uint64_t)1 << 30, 0.2};
    kst_map bytes = {0};
    karst_report report = {0};
    MADE(kst_apart_run(answer, "hello", &limits, "f", NULL, NULL, &bytes));
    assert_true(bytes.size == 6 && !memcmp(bytes.bytes, "hello", 6));
    kst_apart_free(&bytes);
    assert_int_equal(kst_apart_run(crash, NULL, &limits, "f", NULL, &report, &bytes), KARST_ERROR_FORMAT);
    assert_non_null(strstr(report.message, "signal 11"));
    assert_int_equal(kst_apart_run(say_nothing, NULL, &limits, "f", NULL, &report, &bytes), KARST_ERROR_FORMAT);
    double begin = now_s();
    assert_int_equal(kst_apart_run(loop, NULL, &limits, "f", NULL, &report, &bytes), KARST_ERROR_LIMIT);
    assert_true(now_s() - begin > 0.15);
    karst_progress progress = {never, NULL};
    limits.seconds = 60;
    begin = now_s();
    assert_int_equal(kst_apart_run(loop, NULL, &limits, "f", &progress, &report, &bytes), KARST_ERROR_CANCELLED);
    assert_true(now_s() - begin < 20);  // not the limit; a busy machine takes its time
    assert_null(bytes.bytes);
}

// ---- writing --------------------------------------------------------------------------------------------

static void what_cannot_be_written_is_refused(void **state) {
    (void)state;
    karst_model *m;
    karst_report report = {0};
    MADE(scene_model_cube(2, &m));
    assert_int_equal(karst_geo_export_model(m, temp_path("m.stl"), NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);
    karst_progress progress = {never, NULL};
    static const char *const name[] = {"no.glb", "no.obj", "no.ply"};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(karst_geo_export_model(m, temp_path(name[k]), &progress, &report, NULL),
                         KARST_ERROR_CANCELLED);
        assert_int_not_equal(access(temp_path(name[k]), F_OK), 0);
    }
    m->position[1].y = NAN;
    assert_int_equal(karst_geo_export_model(m, temp_path("m.glb"), NULL, &report, NULL), KARST_ERROR_FORMAT);
    m->position[1].y = 0;
    m->triangle_count = 0;
    assert_int_equal(karst_geo_export_model(m, temp_path("m.glb"), NULL, &report, NULL), KARST_ERROR_UNSUPPORTED);
    karst_model_destroy(m);
}

// ---- models of other hands, where this machine has them -------------------------------------------------

// In the folder KARST_TEST_MODELS, else among those of Debian's assimp-testmodels. NULL: not here.
static const char *model_path(const char *name, char path[512]) {
    const char *const folder[] = {getenv("KARST_TEST_MODELS"), "/usr/share/assimp/models"};
    for (int k = 0; k < 2; ++k) {
        if (!folder[k]) continue;
        snprintf(path, 512, "%s/%s", folder[k], name);
        if (!access(path, R_OK)) return path;
    }
    return NULL;
}

static void real_models_are_read(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t triangles, vertices, joints, borders;
    } known[] = {
        {"Collada/duck.dae", 4212, 2108, 0, 0},
        {"FBX/huesitos.fbx", 120, 62, 9, 0},
        {"3DS/fels.3ds", 768, 386, 0, 0},
        {"glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb", 110336, 60040, 0, 13308},
        // data/meshes of libcgal-demo
        {"armadillo.off", 52000, 26002, 0, 0},
        {"fandisk_large.off", 31682, 15843, 0, 0},
        {"lion-head.off", 16674, 8356, 0, 36},
        {"turbine.off", 18460, 9210, 0, 0},
    };
    int found = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; ++k) {
        char room[512];
        const char *path = model_path(known[k].name, room);
        if (!path) continue;
        ++found;
        karst_model *m = import(path, NULL);
        karst_model_facts f;
        MADE(karst_model_look(m, NULL, &f));
        assert_true(m->triangle_count == known[k].triangles && m->vertex_count == known[k].vertices);
        assert_true(m->joint_count == known[k].joints && f.border_edges == known[k].borders);
        karst_model_destroy(m);
    }
    if (!found) skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glb_gives_the_tank_back),
        cmocka_unit_test(other_formats_give_the_shape_back),
        cmocka_unit_test(colours_sets_and_origin_survive_glb),
        cmocka_unit_test(units_axes_and_normals_are_the_callers),
        cmocka_unit_test(bad_files_give_one_line),
        cmocka_unit_test(soup_is_cleaned_and_told),
        cmocka_unit_test(damaged_files_never_fault),
        cmocka_unit_test(a_crash_apart_is_a_line_here),
        cmocka_unit_test(what_cannot_be_written_is_refused),
        cmocka_unit_test(real_models_are_read),
    };
    temp_in_memory();
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
