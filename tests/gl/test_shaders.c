// SPDX-License-Identifier: MIT
// Shaders as texts: the reference compiler takes all of them, and the ground's as GLSL ES 3.00 too.
#include "gl/program.h"
#include "support/prop.h"

static bool has_compiler(void) {
    return system("glslangValidator --version > /dev/null 2>&1") == 0;
}

// A stage: the ending of its file, and the texts that the renderer puts together.
typedef struct stage {
    const char *kind;
    const char *const *files;
} stage;

// Give stages to the reference compiler, in one run of it.
static int compile(const char *prologue, const char *defines, const stage *stages, int count) {
    char name[64], command[2400] = "glslangValidator";
    for (int k = 0; k < count; ++k) {
        snprintf(name, sizeof name, "shader%d.%s", k, stages[k].kind);
        const char *path = temp_path(name);
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "%s%s", kst_shader_find(prologue), defines);
        for (int f = 0; stages[k].files[f]; ++f) fputs(kst_shader_find(stages[k].files[f]), out);
        assert_int_equal(fclose(out), 0);
        snprintf(command + strlen(command), sizeof command - strlen(command), " %s", path);
    }
    const char *log = temp_path("log");
    snprintf(command + strlen(command), sizeof command - strlen(command), " > %s", log);
    int result = system(command);
    if (result) {
        print_message("%s %s:\n", prologue, defines);
        snprintf(command, sizeof command, "grep -m 3 ERROR %s", log);
        if (system(command)) print_message("no message\n");
    }
    return result;
}

static const char *const ground_vertex[] = {"frame.glsl", "drawn.glsl", "vertex.glsl", "ground.vert.glsl", NULL};
static const char *const tess_vertex[] = {"tess.vert.glsl", NULL};
static const char *const tess_control[] = {"tess.tesc.glsl", NULL};
static const char *const tess_evaluation[] = {"frame.glsl", "drawn.glsl", "vertex.glsl", "tess.tese.glsl", NULL};
#define LAND \
    "frame.glsl", "air.glsl", "tone.glsl", "noise.glsl", "clouds.glsl", "maps.glsl", "material.glsl", "surface.glsl"
static const char *const fragments[][15] = {
    {LAND, "hole.glsl", "zone_light.glsl", "overlay.glsl", "ground.frag.glsl", NULL},
    {LAND, "surround.glsl", "sky.frag.glsl", NULL},
    {LAND, "surround.glsl", "water.frag.glsl", NULL},
    {LAND, "mesh.frag.glsl", NULL},
    {LAND, "mesh_shadow.frag.glsl", NULL},
    {LAND, "hole.glsl", "zone_lattice.glsl", "zone_light.glsl", "zone_material.glsl", "zone_beside.glsl",
     "zone.frag.glsl", NULL},
};
static const char *const mesh_vertex[] = {"frame.glsl", "mesh_morph.glsl", "mesh.vert.glsl", NULL};
static const char *const shadow_vertex[] = {"frame.glsl", "mesh_morph.glsl", "mesh_shadow.vert.glsl", NULL};

static const char *const zone_vertex[] = {
    "frame.glsl", "zone_lattice.glsl", "zone_numbers.glsl", "zone_distance.glsl", "zone_bisect.glsl", "zone.vert.glsl",
    NULL};
static const char *const zone_compute[] = {"zone_lattice.glsl", "zone_numbers.glsl", "zone_distance.glsl",
                                           "zone.comp.glsl", NULL};
static const char *const bisect_compute[] = {"zone_numbers.glsl", "zone_distance.glsl", "zone_bisect.comp.glsl", NULL};

static const char *const seen_compute[] = {"zone_seen.comp.glsl", NULL};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))
static const stage all[] = {
    {"vert", ground_vertex}, {"vert", tess_vertex},   {"tesc", tess_control},   {"tese", tess_evaluation},
    {"frag", fragments[0]},  {"frag", fragments[1]},  {"frag", fragments[2]},   {"vert", mesh_vertex},
    {"frag", fragments[3]},  {"vert", shadow_vertex}, {"frag", fragments[4]},   {"vert", zone_vertex},
    {"frag", fragments[5]},  {"comp", zone_compute},  {"comp", bisect_compute}, {"comp", seen_compute}};
static const stage web[] = {{"vert", ground_vertex}, {"frag", fragments[0]}, {"frag", fragments[1]},
                            {"frag", fragments[2]},  {"vert", mesh_vertex},  {"frag", fragments[3]},
                            {"vert", shadow_vertex}, {"frag", fragments[4]}};

static void all_compile_for_the_desktop(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    const char *defines[] = {"", "#define KARST_SHALLOW\n", "#define KARST_HOLES\n#define KARST_VERTEX_NORMALS\n",
                             "#define KARST_OVERLAY\n"};
    for (int k = 0; k < COUNT(defines); ++k)
        assert_int_equal(compile("prologue.glsl", defines[k], all, k ? 5 : COUNT(all)), 0);
}

static void the_ground_compiles_for_the_web(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    const char *defines[] = {"", "#define KARST_SHALLOW\n", "#define KARST_VERTEX_NORMALS\n",
                             "#define KARST_OVERLAY\n"};
    for (int k = 0; k < COUNT(defines); ++k)
        assert_int_equal(compile("prologue_es.glsl", defines[k], web, k ? 2 : COUNT(web)), 0);
    // Control: what GLSL ES 3.00 lacks is refused.
    assert_int_not_equal(compile("prologue_es.glsl", "int lowest(int m) { return findLSB(m); }\n", web, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_compile_for_the_desktop),
        cmocka_unit_test(the_ground_compiles_for_the_web),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
