// SPDX-License-Identifier: MIT
// karst mrm: multi-resolution meshes made, told about, and written as levels.
#include <stdlib.h>

#include "karst/mrmbuild.h"
#include "model_io.h"
#include "mrm_io.h"

// ---- build ---------------------------------------------------------------------------------------------

// "5,12,7" into numbers, yours to free(); NULL with one line said, and *bad set.
static uint32_t *read_list(args *a, const char *name, uint32_t *count, bool *bad) {
    const char *text = arg_text(a, name, NULL), *at = text;
    *count = 0;
    if (!text) return NULL;
    uint32_t *list = malloc((strlen(text) / 2 + 1) * sizeof *list);
    for (; list && !*bad; ++at) {
        char *end;
        unsigned long long value = strtoull(at, &end, 10);
        *bad = end == at || *at == '-' || value > UINT32_MAX || (*end && *end != ',');
        if (!*bad) list[(*count)++] = (uint32_t)value;
        at = end;
        if (*bad || !*at) break;
    }
    if (!*bad && list) return list;
    *bad = true;
    free(list);
    say_usage(a, "mrm: %s %s: whole numbers with commas between: %s 800,500", name, text, name);
    return NULL;
}

static int build(args *a) {
    const char *out = arg_text(a, "-o", NULL);
    bool bad = false;
    karst_mrm_build_def def = karst_mrm_build_def_default();
    def.boundary = (float)arg_real(a, "--boundary", 1, 1e-3, 1e6, &bad);
    def.texture = (float)arg_real(a, "--texture", 1, 0, 1000, &bad);
    def.normal = (float)arg_real(a, "--normal", 1, 0, 1000, &bad);
    def.keep_borders = arg_flag(a, "--keep-borders");
    def.move = arg_flag(a, "--move");
    def.fit_normals = arg_flag(a, "--fit-normals");
    def.past_right = arg_flag(a, "--past-right");
    if (bad) return EXIT_USAGE;
    if (!out) return say_usage(a, "mrm build: where should it go? -o M.kmrm");
    uint32_t *keep = read_list(a, "--keep", &def.keep_count, &bad);
    if (bad) return EXIT_USAGE;
    def.keep = keep;
    karst_model_import_info info;
    karst_model *model = NULL;
    karst_mrm *mrm = NULL;
    int result = model_read(a, a->positional_count > 1 ? a->positional[1] : NULL, &info, &model);
    if (!result) {
        karst_status status = karst_mrm_build(model, &def, &a->progress, &a->report, &mrm);
        if (!status) status = karst_mrm_write(mrm, out, &a->report);
        if (status)
            result = could_not(a, status);
        else
            mrm_tell(a, out, mrm);
        karst_model_destroy(model);
    }
    karst_mrm_destroy(mrm);
    free(keep);
    return result;
}

// ---- export --------------------------------------------------------------------------------------------

// x.glb of several levels: x-800.glb.
static void name_level(const char *out, uint32_t asked, bool only, char *name, size_t room) {
    const char *dot = strrchr(out, '.');
    if (only || !dot || strchr(dot, '/'))
        snprintf(name, room, "%s", out);
    else
        snprintf(name, room, "%.*s-%u%s", (int)(dot - out), out, asked, dot);
}

static int write_level(args *a, const karst_mrm *mrm, karst_mrm_level level, const char *name, cJSON *rows) {
    karst_model *model;
    karst_status status = karst_mrm_extract(mrm, level.vertices, &a->report, &model);
    if (status) return could_not(a, status);
    status = karst_geo_export_model(model, name, &a->progress, &a->report, NULL);
    karst_model_destroy(model);
    if (status) return could_not(a, status);
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "file", name);
    cJSON_AddNumberToObject(row, "vertices", level.vertices);
    cJSON_AddNumberToObject(row, "triangles", level.triangles);
    cJSON_AddNumberToObject(row, "error_m", (double)level.error_m);
    cJSON_AddItemToArray(rows, row);
    say(a, "%s: %u vertices, %u triangles, %.4g m off\n", name, level.vertices, level.triangles, (double)level.error_m);
    return EXIT_DONE;
}

static int export(args *a) {
    const char *out = arg_text(a, "-o", NULL);
    bool bad = false;
    double error_m = arg_real(a, "--error", -1, 0, 1e9, &bad);
    uint32_t count, *triangles = bad ? NULL : read_list(a, "--triangles", &count, &bad);
    if (bad) return EXIT_USAGE;
    if (!out || (!triangles && error_m < 0) || (triangles && error_m >= 0)) {
        free(triangles);
        return say_usage(a, "mrm export: which levels, and where to? --triangles 800,500 or --error M, and -o x.glb");
    }
    karst_mrm *mrm;
    int result = mrm_open(a, a->positional[1], &mrm);
    if (!result) {
        cJSON *rows = cJSON_AddArrayToObject(a->out, "levels");
        uint32_t least = karst_mrm_describe(mrm).least_triangles;
        if (!triangles) result = write_level(a, mrm, karst_mrm_level_of_error(mrm, (float)error_m), out, rows);
        for (uint32_t k = 0; triangles && k < count && !result; ++k) {
            char name[4096];
            name_level(out, triangles[k], count == 1, name, sizeof name);
            if (triangles[k] < least)
                say_note(a, "mrm export: %u triangles: %u are the least there are", triangles[k], least);
            result = write_level(a, mrm, karst_mrm_level_of_triangles(mrm, triangles[k]), name, rows);
        }
        karst_mrm_destroy(mrm);
    }
    free(triangles);
    return result;
}

// ---- the verb ------------------------------------------------------------------------------------------

static int run(args *a) {
    const char *what = a->positional[0];
    if (!strcmp(what, "build")) return build(a);
    if (strcmp(what, "export") && strcmp(what, "info")) return say_usage(a, "mrm %s: build, export or info", what);
    if (a->positional_count < 2) return say_usage(a, "mrm %s: which file? M.kmrm", what);
    return strcmp(what, "info") ? export(a) : mrm_info(a, a->positional[1]);
}

static const option options[] = {
    {"-o", "FILE", "build: the .kmrm; export: .glb, .obj or .ply, with the count in the name where there are several"},
    {"--triangles", "N,N,...", "export: levels of at most so many triangles"},
    {"--error", "M", "export: the coarsest level that is found to be no farther off [m]"},
    {"--keep", "V,V,...", "build: vertices of the model, from 0, that stay at every level"},
    {"--keep-borders", NULL, "build: vertices on borders stay at every level, so that neighbours meet"},
    {"--move", NULL, "build: vertices may move to lie closer to the source: other places at other levels"},
    {"--fit-normals", NULL,
     "build: coarse levels get normals fitted to the source, in copies of vertices (a fifth more)"},
    {"--past-right", NULL, "build: go on where an exact shape would be lost (a cube below 12 triangles)"},
    {"--boundary", "W", "build: weight of borders, seams and lines between materials, 0.001..1e6 (1)"},
    {"--texture", "W", "build: weight of texture coordinates, 0..1000 (1)"},
    {"--normal", "W", "build: weight of normals, 0..1000 (1)"},
    MODEL_OPTIONS,
    {0},
};

const verb verb_mrm = {
    .name = "mrm",
    .usage = "build MODEL -o M.kmrm | export M.kmrm --triangles N,... -o FILE | info M.kmrm",
    .summary =
        "Multi-resolution meshes: order all vertices of a model by importance, so that it can be shown "
        "with any number of triangles, and write levels of it.",
    .example =
        "karst mrm build tank.glb -o tank.kmrm\nkarst mrm info tank.kmrm\n"
        "karst mrm export tank.kmrm --triangles 800,500,300 -o tank.glb",
    .options = options,
    .least = 1,
    .most = 2,
    .run = run,
};
