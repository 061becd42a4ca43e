// SPDX-License-Identifier: MIT
// Multi-resolution meshes by name.
#include "mesh_read.h"

#include <stdio.h>
#include <strings.h>

#include "core/core.h"
#ifdef KARST_WITH_AUTHOR
#include "karst/geo.h"
#include "karst/mrmbuild.h"
#include "scenes/made.h"
#endif

static bool is_made(const char *what) {
    return !strncmp(what, "made:", 5);
}

static bool begins_as_mrm(const char *path) {
    char head[4] = "";
    FILE *f = fopen(path, "rb");
    bool is = f && fread(head, 1, 4, f) == 4 && !memcmp(head, "KMRM", 4);
    if (f) fclose(f);
    return is;
}

bool mesh_is(const char *what) {
    static const char *const endings[] = {"kmrm", "glb", "gltf", "obj", "ply", "fbx",
                                          "3ds",  "md3", "stl",  "dae", "off"};
    const char *dot = strrchr(what, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; ++k)
        if (!strcasecmp(dot + 1, endings[k])) return true;
    return is_made(what) || begins_as_mrm(what);
}

#ifdef KARST_WITH_AUTHOR
static karst_status read_model(const char *what, const karst_progress *progress, karst_report *report,
                               karst_model **out) {
    if (!is_made(what)) {
        karst_model_import_def def = karst_model_import_def_default();
        return karst_geo_import_model(what, &def, progress, report, NULL, out);
    }
    const scene_made *made = scene_made_find(what + 5);
    if (!made) return kst_fail(report, KARST_ERROR_ARGUMENT, "%s: there are %s", what, SCENE_MADE_NAMES);
    karst_status status = made->make(out);
    return status ? kst_fail(report, status, "%s: no memory for it", what) : KARST_OK;
}

static karst_status build(const char *what, const karst_progress *progress, karst_report *report, karst_mrm **out) {
    karst_model *model;
    karst_status status = read_model(what, progress, report, &model);
    if (status) return status;
    status = karst_mrm_build(model, NULL, progress, report, out);
    karst_model_destroy(model);
    return status;
}
#else
static karst_status build(const char *what, const karst_progress *progress, karst_report *report, karst_mrm **out) {
    (void)progress, (void)out;
    return kst_fail(report, KARST_ERROR_UNSUPPORTED, "%s: this build reads .kmrm files only", what);
}
#endif

karst_status mesh_read(const char *what, const karst_progress *progress, karst_report *report, karst_mrm **out) {
    const char *dot = strrchr(what, '.');
    bool finished = !is_made(what) && (begins_as_mrm(what) || (dot && !strcasecmp(dot, ".kmrm")));
    return finished ? karst_mrm_open(what, NULL, report, out) : build(what, progress, report, out);
}
