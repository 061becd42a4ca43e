// SPDX-License-Identifier: MIT
// karst export: the ground of a world or a pack as a raster or a mesh.
#include <math.h>

#include "app.h"
#include "karst/geo.h"
#include "karst/pack.h"
#include "karst/project.h"

static bool is_world(const char *path) {
    char head[16] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return n == sizeof head && !memcmp(head, "SQLite format 3", 16);
}

static karst_status export_world(args *a, const char *path, const char *out, karst_export_info *info,
                                 double *spacing_m) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    karst_project_ground ground;
    int count = 0;
    status = karst_project_grounds(project, &ground, 1, &count);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    if (!status && !count)
        status = kst_fail(&a->report, KARST_ERROR_UNSUPPORTED, "%s: has no ground yet: import one", path);
    if (!status) status = karst_geo_export(project, ground.id, out, &a->progress, &a->report, info);
    if (!status) *spacing_m = ground.shape.spacing_m;
    karst_project_close(project);
    return status;
}

static karst_status export_pack(args *a, const char *path, const char *out, karst_export_info *info) {
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(path, &def, &pack);
    if (status) return status;
    status = karst_geo_export_ground(karst_pack_ground(pack), out, &a->progress, &a->report, info);
    karst_pack_close(pack);
    return status;
}

// Options that read a file without a header, or of rounded samples, as what it is.
static void say_how_to_read(char *text, size_t room, const char *out, const karst_export_info *info, double spacing_m) {
    const char *dot = strrchr(out, '.');
    bool raw = dot && (dot[1] == 'r' || dot[1] == 'R'), georeferenced = dot && (dot[1] == 't' || dot[1] == 'T');
    size_t n = 0;
    text[0] = 0;
    if (raw && info->columns != info->rows)
        n += (size_t)snprintf(text + n, room - n, " --size %dx%d", info->columns, info->rows);
    if (!georeferenced) n += (size_t)snprintf(text + n, room - n, " --spacing %.17g", spacing_m);
    if (info->scale != 1) n += (size_t)snprintf(text + n, room - n, " --scale %.17g", info->scale);
    if (info->offset != 0) n += (size_t)snprintf(text + n, room - n, " --offset %.17g", info->offset);
    if (info->has_no_data && isfinite(info->no_data)) snprintf(text + n, room - n, " --no-data %g", info->no_data);
}

static void answer(args *a, const char *out, const karst_export_info *info, double spacing_m) {
    cJSON *o = a->out, *warnings = cJSON_CreateArray();
    cJSON_AddStringToObject(o, "file", out);
    if (info->columns) {
        char options[256];
        say_how_to_read(options, sizeof options, out, info, spacing_m);
        cJSON_AddNumberToObject(o, "columns", info->columns);
        cJSON_AddNumberToObject(o, "rows", info->rows);
        cJSON_AddNumberToObject(o, "scale", info->scale);
        cJSON_AddNumberToObject(o, "offset", info->offset);
        if (info->has_no_data && isfinite(info->no_data))
            cJSON_AddNumberToObject(o, "no_data", info->no_data);
        else if (info->has_no_data)
            cJSON_AddStringToObject(o, "no_data", "nan");
        else
            cJSON_AddNullToObject(o, "no_data");
        cJSON_AddStringToObject(o, "import_options", options[0] ? options + 1 : "");
        say(a, "%s: %d x %d heights%s\n", out, info->columns, info->rows, info->largest_error_m > 0 ? "" : ", exact");
        if (options[0]) say(a, "read it back with: karst import WORLD %s%s\n", out, options);
    } else {
        cJSON_AddNumberToObject(o, "vertices", (double)info->vertices);
        cJSON_AddNumberToObject(o, "triangles", (double)info->triangles);
        say(a, "%s: %llu vertices, %llu triangles\n", out, (unsigned long long)info->vertices,
            (unsigned long long)info->triangles);
    }
    cJSON_AddNumberToObject(o, "largest_error_m", info->largest_error_m);
    for (int i = 0; i < info->warning_count; ++i) cJSON_AddItemToArray(warnings, cJSON_CreateString(info->warnings[i]));
    cJSON_AddItemToObject(o, "warnings", warnings);
    if (a->json || a->quiet) return;
    for (int i = 0; i < info->warning_count; ++i) fprintf(stderr, "karst: warning: %s: %s\n", out, info->warnings[i]);
}

static int run(args *a) {
    const char *path = a->positional[0], *out = a->positional[1];
    karst_export_info info;
    double spacing_m = 1;
    karst_status status =
        is_world(path) ? export_world(a, path, out, &info, &spacing_m) : export_pack(a, path, out, &info);
    if (status) return could_not(a, status);
    answer(a, out, &info, spacing_m);
    return EXIT_DONE;
}

static const option options[] = {{0}};

const verb verb_export = {
    .name = "export",
    .usage = "WORLD|PACK FILE.(tif|png|r16|r32|obj|ply|glb)",
    .summary =
        "Write the ground as a raster of heights (worlds) or as its reference triangles (worlds and packs). 16-bit "
        "formats are exact when the heights are whole steps; it says how to read the file back.",
    .example = "karst export alps.karst alps.tif\nkarst export alps.kpack alps.glb",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
