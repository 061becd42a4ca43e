// SPDX-License-Identifier: MIT
// Shaders as texts: the reference compiler takes all of them, and the ground's vertex stage as GLSL ES 3.00 too.
#include "gl/program.h"
#include "support/prop.h"

static bool has_compiler(void) {
    return system("glslangValidator --version > /dev/null 2>&1") == 0;
}

// Put the files together as the renderer does and give them to the reference compiler.
static int compile(const char *prologue, const char *stage, const char *defines, const char *const files[]) {
    char name[64], command[1200];
    snprintf(name, sizeof name, "shader.%s", stage);
    FILE *out = fopen(temp_path(name), "w");
    assert_non_null(out);
    fprintf(out, "%s%s", kst_shader_find(prologue), defines);
    for (int k = 0; files[k]; ++k) fputs(kst_shader_find(files[k]), out);
    assert_int_equal(fclose(out), 0);
    snprintf(command, sizeof command, "glslangValidator %s > %s", temp_path(name), temp_path("log"));
    int result = system(command);
    if (result) {
        snprintf(command, sizeof command, "grep -m 3 ERROR %s", temp_path("log"));
        print_message("%s %s:\n", prologue, files[0]);
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
static const char *const fragments[][12] = {
    {LAND, "overlay.glsl", "ground.frag.glsl", NULL},
    {LAND, "surround.glsl", "sky.frag.glsl", NULL},
    {LAND, "surround.glsl", "water.frag.glsl", NULL},
};

static void all_compile_for_the_desktop(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    const char *defines[] = {"", "#define KARST_SHALLOW\n", "#define KARST_HOLES\n#define KARST_VERTEX_NORMALS\n",
                             "#define KARST_OVERLAY\n"};
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(compile("prologue.glsl", "vert", defines[k], ground_vertex), 0);
        assert_int_equal(compile("prologue.glsl", "vert", defines[k], tess_vertex), 0);
        assert_int_equal(compile("prologue.glsl", "tesc", defines[k], tess_control), 0);
        assert_int_equal(compile("prologue.glsl", "tese", defines[k], tess_evaluation), 0);
        assert_int_equal(compile("prologue.glsl", "frag", defines[k], fragments[0]), 0);
        if (k < 3) assert_int_equal(compile("prologue.glsl", "frag", "", fragments[k]), 0);
    }
}

static void ground_vertices_compile_for_the_web(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    const char *defines[] = {"", "#define KARST_SHALLOW\n", "#define KARST_VERTEX_NORMALS\n",
                             "#define KARST_OVERLAY\n"};
    for (int k = 0; k < 4; ++k) assert_int_equal(compile("prologue_es.glsl", "vert", defines[k], ground_vertex), 0);
    // Control: what GLSL ES 3.00 lacks is refused.
    assert_int_not_equal(
        compile("prologue_es.glsl", "vert", "int lowest(int m) { return findLSB(m); }\n", ground_vertex), 0);
}

static void ground_fragments_compile_for_the_web(void **state) {
    (void)state;
    if (!has_compiler()) skip();
    for (int k = 0; k < 3; ++k) assert_int_equal(compile("prologue_es.glsl", "frag", "", fragments[k]), 0);
    assert_int_equal(compile("prologue_es.glsl", "frag", "#define KARST_OVERLAY\n", fragments[0]), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_compile_for_the_desktop),
        cmocka_unit_test(ground_vertices_compile_for_the_web),
        cmocka_unit_test(ground_fragments_compile_for_the_web),
    };
    return cmocka_run_group_tests(tests, NULL, temp_teardown);
}
