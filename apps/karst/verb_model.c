// SPDX-License-Identifier: MIT
// karst model: what a mesh file holds, and the same written clean.
#include "model_io.h"

static int write_model(args *a, const karst_model *model, const char *out) {
    karst_export_info info;
    karst_status status = karst_geo_export_model(model, out, &a->progress, &a->report, &info);
    if (status) return could_not(a, status);
    cJSON_AddStringToObject(a->out, "file", out);
    say(a, "%s: %llu wedges, %llu triangles\n", out, (unsigned long long)info.vertices,
        (unsigned long long)info.triangles);
    return EXIT_DONE;
}

static int run(args *a) {
    const char *path = a->positional_count ? a->positional[0] : NULL, *out = arg_text(a, "-o", NULL);
    karst_model_import_info info;
    karst_model *model;
    int result = model_read(a, path, &info, &model);
    if (result) return result;
    result = model_tell(a, path ? path : arg_text(a, "--made", ""), model, &info);
    if (!result && out) result = write_model(a, model, out);
    karst_model_destroy(model);
    return result;
}

static const option options[] = {
    MODEL_OPTIONS,
    {"-o", "FILE", "write it as .glb, .obj or .ply"},
    {0},
};

const verb verb_model = {
    .name = "model",
    .usage = "FILE [options]",
    .summary =
        "Read a mesh (glb, gltf, obj, ply, fbx, 3ds, md3, stl, dae, off and what else Assimp reads): one model of all "
        "its parts, equal vertices joined, triangles that are none left out. Say what is in it; -o writes it clean.",
    .example =
        "karst model tank.fbx --crease 40 -o tank.glb\nkarst model scan.ply --up z --merge 0.001 --json\n"
        "karst model --made tank -o tank.glb",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
