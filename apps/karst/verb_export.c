// SPDX-License-Identifier: MIT
// karst export: the ground of a world or a pack as a raster or a mesh.
#include <math.h>
#include <strings.h>
#include <time.h>

#include "app.h"
#include "export_net.h"
#include "export_stamp.h"
#include "karst/geo.h"
#include "karst/mesh.h"
#include "karst/pack.h"
#include "karst/project.h"
#include "net_edit.h"

static bool is_world(const char *path) {
    char head[16] = {0};
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(head, 1, sizeof head, f) : 0;
    if (f) fclose(f);
    return n == sizeof head && !memcmp(head, "SQLite format 3", 16);
}

// What is wanted of a mesh, and what came of it.
typedef struct meshing {
    bool on, refit;
    double error_m, seconds;  // asked; wall time
    karst_mesh *mesh;
} meshing;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Make the mesh of a field or a pack, so that it keeps its error in the file, and write it.
static karst_status export_mesh(args *a, meshing *m, karst_field *field, karst_pack *pack, const char *out,
                                karst_export_info *info) {
    const karst_ground *ground = field ? karst_field_ground(field) : karst_pack_ground(pack);
    karst_box bounds = karst_ground_bounds(ground);
    bounds.min.y -= m->error_m;
    bounds.max.y += m->error_m;
    karst_mesh_def def = karst_mesh_def_default();
    def.error_m = m->error_m;
    double rounding = karst_geo_mesh_rounding(out, &bounds);
    if (rounding < m->error_m) def.room_m = rounding;  // else it is said what writing rounds
    def.refit = m->refit;
    def.jobs = a->jobs;
    def.progress = &a->progress;
    def.report = &a->report;
    double begin = seconds();
    karst_status status = field ? karst_mesh_build(field, &def, &m->mesh) : karst_mesh_build_pack(pack, &def, &m->mesh);
    m->seconds = seconds() - begin;
    return status ? status : karst_geo_export_mesh(m->mesh, out, &a->progress, &a->report, info);
}

static karst_status export_world(args *a, const char *path, const char *out, meshing *m, karst_export_info *info,
                                 double *spacing_m) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    karst_project_ground ground;
    karst_field *field = NULL;
    status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &ground);
    if (!status && ground.id && m->on) status = karst_project_field(project, ground.id, 0, &field);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    if (!status && !ground.id)
        status = kst_fail(&a->report, KARST_ERROR_UNSUPPORTED, "%s: has no field yet: karst import adds one", path);
    if (!status)
        status = m->on ? export_mesh(a, m, field, NULL, out, info)
                       : karst_geo_export(project, ground.id, out, &a->progress, &a->report, info);
    if (!status) *spacing_m = ground.shape.spacing_m;
    karst_field_destroy(field);
    karst_project_close(project);
    return status;
}

static karst_status export_pack(args *a, const char *path, const char *out, meshing *m, karst_export_info *info) {
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(path, &def, &pack);
    if (status) return status;
    status = m->on ? export_mesh(a, m, NULL, pack, out, info)
                   : karst_geo_export_ground(karst_pack_ground(pack), out, &a->progress, &a->report, info);
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

static void answer(args *a, const char *out, const karst_export_info *info, const meshing *m, double spacing_m) {
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
    if (m->mesh) {
        double error_m = m->mesh->error_m + info->largest_error_m;
        cJSON_AddStringToObject(o, "method", "rqt");
        cJSON_AddBoolToObject(o, "refit", m->refit);
        cJSON_AddNumberToObject(o, "error_m", error_m);
        cJSON_AddNumberToObject(o, "seconds", m->seconds);
        say(a, "nowhere farther than %.6g m from the ground; made in %.2f s\n", error_m, m->seconds);
    }
    cJSON_AddNumberToObject(o, "largest_error_m", info->largest_error_m);
    for (int i = 0; i < info->warning_count; ++i) cJSON_AddItemToArray(warnings, cJSON_CreateString(info->warnings[i]));
    cJSON_AddItemToObject(o, "warnings", warnings);
    if (a->json || a->quiet) return;
    for (int i = 0; i < info->warning_count; ++i) fprintf(stderr, "karst: warning: %s: %s\n", out, info->warnings[i]);
}

static bool is_mesh(const char *out) {
    const char *dot = strrchr(out, '.');
    return dot && (!strcasecmp(dot, ".obj") || !strcasecmp(dot, ".ply") || !strcasecmp(dot, ".glb"));
}

static int run(args *a) {
    const char *path = a->positional[0], *out = a->positional[1], *method = arg_text(a, "--method", "reference");
    if (arg_text(a, "--stamp", NULL)) return export_stamp(a, path, out);
    karst_export_info info;
    double spacing_m = 1;
    bool bad = false;
    meshing m = {.on = !strcmp(method, "rqt"), .refit = !arg_flag(a, "--no-refit")};
    if (!m.on && strcmp(method, "reference")) return say_usage(a, "--method %s: there are reference and rqt", method);
    m.error_m = arg_real(a, "--error", -1, 0, 1e9, &bad);
    if (bad) return EXIT_USAGE;
    if (m.on && m.error_m < 0) return say_usage(a, "--method rqt: say how far it may be off: --error M [m]");
    if (m.on && !is_mesh(out)) return say_usage(a, "--method rqt: makes a mesh: write .obj, .ply or .glb");
    if (!m.on && (m.error_m >= 0 || !m.refit)) return say_usage(a, "--error and --no-refit are for --method rqt");
    bool world = is_world(path);
    export_what what = export_choose(a, path, world);
    if (what == EXPORT_BOTH && m.on) what = EXPORT_FIELD;
    bool net = what != EXPORT_FIELD;
    if (net && m.on) return say_usage(a, "--method rqt: is of a field; --level makes a net coarser");
    if (net && !is_mesh(out)) return say_usage(a, "%s: a net is written as .obj, .ply or .glb", out);
    if (!net && arg_flag(a, "--level")) return say_usage(a, "--level: is of a net; say --net too");
    if (net) {
        karst_status status = export_net(a, path, world, what, out, &bad, &info);
        if (!status) answer(a, out, &info, &m, spacing_m);
        return bad ? EXIT_USAGE : status ? could_not(a, status) : EXIT_DONE;
    }
    karst_status status =
        world ? export_world(a, path, out, &m, &info, &spacing_m) : export_pack(a, path, out, &m, &info);
    if (!status && world && net_beside_field(path))
        say_note(a, "%s: the field alone; --net writes the net of patches, and a baked pack gives both as one mesh",
                 out);
    if (!status) answer(a, out, &info, &m, spacing_m);
    karst_mesh_destroy(m.mesh);
    return status ? could_not(a, status) : EXIT_DONE;
}

static const option options[] = {
    {"--method", "NAME", "of a mesh: reference, all triangles; rqt, few, to a proved error (reference)"},
    {"--error", "M", "rqt: the largest distance from the ground [m]"},
    {"--no-refit", NULL, "rqt: every vertex on the ground: quicker, more triangles"},
    NET_EXPORT_OPTIONS,
    STAMP_OPTIONS,
    {0},
};

const verb verb_export = {
    .name = "export",
    .usage = "WORLD|PACK FILE.(tif|png|r16|r32|obj|ply|glb) [options]",
    .summary =
        "Write the ground as a raster of heights (worlds) or as triangles (worlds and packs). 16-bit "
        "formats are exact when the heights are whole steps; it says how to read the file back.",
    .example =
        "karst export alps.karst alps.tif\nkarst export alps.kpack alps.glb\n"
        "karst export alps.karst alps.obj --method rqt --error 5\n"
        "karst export land.karst land.glb --net --level 2\n"
        "karst export alps.karst rock.exr --stamp 320,410,25",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
