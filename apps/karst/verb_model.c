// SPDX-License-Identifier: MIT
// karst model: what a mesh file holds, and the same written clean.
#include "model_io.h"
#include "model_picture.h"

static int write_model(args *a, const karst_model *model, const char *out) {
    karst_export_info info;
    karst_status status = karst_geo_export_model(model, out, &a->progress, &a->report, &info);
    if (status) return could_not(a, status);
    cJSON_AddStringToObject(a->out, "file", out);
    say(a, "%s: %llu wedges, %llu triangles\n", out, (unsigned long long)info.vertices,
        (unsigned long long)info.triangles);
    return EXIT_DONE;
}

static int write_picture(args *a, const karst_model *model, const char *path) {
    bool bad = false;
    model_view view = {.width = 960, .height = 540, .wireframe = arg_flag(a, "--wireframe")};
    view.turn_rad = arg_real(a, "--turn", 35, -360, 360, &bad) * 0.017453292519943295;
    view.rise_rad = arg_real(a, "--rise", 20, -89, 89, &bad) * 0.017453292519943295;
    arg_pair(a, "--size", 16, 8192, &view.width, &view.height, &bad);
    if (bad) return EXIT_USAGE;
    size_t bytes = 3 * (size_t)view.width * (size_t)view.height;
    uint8_t *rgb = kst_alloc(NULL, bytes);
    karst_status status = rgb && model_picture(model, &view, rgb) ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) status = karst_geo_write_png(path, view.width, view.height, rgb, &a->report);
    kst_free(NULL, rgb, bytes);
    if (status) return could_not(a, status);
    cJSON_AddStringToObject(a->out, "picture", path);
    say(a, "%s: %d x %d pixels\n", path, view.width, view.height);
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
    const char *picture = arg_text(a, "--picture", NULL);
    if (!result && picture) result = write_picture(a, model, picture);
    karst_model_destroy(model);
    return result;
}

static const option options[] = {
    MODEL_OPTIONS,
    {"-o", "FILE", "write it as .glb, .obj or .ply"},
    {"--picture", "PNG", "draw it, materials in one light"},
    {"--turn", "DEGREES", "of the picture: seen from so far right of its front, -360..360 (35)"},
    {"--rise", "DEGREES", "and from so far above, -89..89 (20)"},
    {"--size", "WxH", "of the picture [pixels], 16..8192 (960x540)"},
    {"--wireframe", NULL, "and the sides of triangles"},
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
        "karst model --made tank -o tank.glb --picture tank.png",
    .options = options,
    .least = 0,
    .most = 1,
    .run = run,
};
