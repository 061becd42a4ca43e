// SPDX-License-Identifier: MIT
// karst info: what is in a world, a pack, a multi-resolution mesh or a model.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "app.h"
#include "karst/history.h"
#include "karst/pack.h"
#include "karst/project.h"
#include "karst/sheet.h"
#include "model_io.h"
#include "mrm_io.h"
#include "table.h"

// One figure for people and for programs. Text lines are "name  value unit".
static void number(args *a, cJSON *to, const char *name, double value, const char *unit) {
    cJSON_AddNumberToObject(to, name, value);
    say(a, "  %-14s %.15g%s%s\n", name, value, *unit ? " " : "", unit);
}
static void text(args *a, cJSON *to, const char *name, const char *value) {
    cJSON_AddStringToObject(to, name, value);
    say(a, "  %-14s %s\n", name, value);
}
static void triple(args *a, cJSON *to, const char *name, karst_pos p) {
    const double n[3] = {p.x, p.y, p.z};
    cJSON_AddItemToObject(to, name, cJSON_CreateDoubleArray(n, 3));
    say(a, "  %-14s %.15g, %.15g, %.15g\n", name, p.x, p.y, p.z);
}
static void hexadecimal(args *a, cJSON *to, const char *name, uint64_t value) {  // JSON numbers hold 53 bits
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)value);
    text(a, to, name, digits);
}

static void shape(args *a, cJSON *to, const karst_field_shape *s) {
    number(a, to, "columns", s->columns, "vertices");
    number(a, to, "rows", s->rows, "vertices");
    number(a, to, "spacing_m", s->spacing_m, "m");
    triple(a, to, "origin", s->origin);
}

static void bounds(args *a, cJSON *to, const karst_box *box) {
    if (box->min.x > box->max.x) return;  // all hole
    triple(a, to, "bounds_min", box->min);
    triple(a, to, "bounds_max", box->max);
}

// ---- a pack ------------------------------------------------------------------------------------------

static void maps(args *a, const karst_pack *pack) {
    cJSON *rows = cJSON_AddArrayToObject(a->out, "maps");
    for (int i = 0; i < karst_pack_map_count(pack); ++i) {
        karst_map map = karst_pack_map_info(pack, i);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", map.name);
        cJSON_AddNumberToObject(row, "width", map.width);
        cJSON_AddNumberToObject(row, "height", map.height);
        cJSON_AddNumberToObject(row, "channels", map.channels);
        cJSON_AddNumberToObject(row, "bits", 8 * map.sample_bytes);
        cJSON_AddItemToArray(rows, row);
        say(a, "  %-14s %s, %d x %d, %d x %d bits\n", i ? "" : "maps", map.name, map.width, map.height, map.channels,
            8 * map.sample_bytes);
    }
}

// Where its bytes are, as bits a vertex of level 0.
static void parts(args *a, const karst_pack *pack, const karst_field_shape *s) {
    karst_pack_parts p;
    if (karst_pack_parts_of(pack, &p)) return;  // karst check tells what is wrong
    const struct {
        const char *name;
        double bytes;
    } part[] = {{"heights", p.heights}, {"sideways", p.sideways}, {"normals", p.normals},    {"holes", p.holes},
                {"light", p.light},     {"corners", p.corners},   {"root", p.root},          {"maps", p.maps},
                {"zones", p.zones},     {"rest", p.rest},         {"directory", p.directory}};
    cJSON *rows = cJSON_AddObjectToObject(a->out, "bits_a_vertex");
    double per = 8 / ((double)s->columns * s->rows);
    for (size_t k = 0; k < sizeof part / sizeof *part; ++k) {
        cJSON_AddNumberToObject(rows, part[k].name, part[k].bytes * per);
        say(a, "  %-14s %-9s %7.3f bits a vertex\n", k ? "" : "of_them", part[k].name, part[k].bytes * per);
    }
}

static int64_t levels(args *a, const karst_pack *pack, int count) {
    int64_t all = 0;
    cJSON *rows = cJSON_AddArrayToObject(a->out, "levels");
    for (int level = 0; level < count; ++level) {
        int32_t x, z;
        karst_pack_chunk_grid(pack, level, &x, &z);
        float error = 0;
        int64_t split = 0;  // near a seam, drawn by finer ones from anywhere
        for (int64_t i = 0; i < (int64_t)x * z; ++i) {
            float of = karst_pack_nodes(pack, level)[i].error;
            if (of < KARST_SEAM_ERROR_M)
                error = fmaxf(error, of);
            else
                ++split;
        }
        cJSON *row = cJSON_CreateObject();
        cJSON_AddNumberToObject(row, "chunks_x", x);
        cJSON_AddNumberToObject(row, "chunks_z", z);
        cJSON_AddNumberToObject(row, "error_m", float_number(error));
        cJSON_AddNumberToObject(row, "always_split", (double)split);
        cJSON_AddItemToArray(rows, row);
        say(a, "  %-14s %d: %d x %d chunks, ", level ? "" : "levels", level, x, z);
        if (split < (int64_t)x * z) say(a, "off by at most %.3g m%s", (double)error, split ? ", " : "");
        if (split) say(a, "%lld always split for a seam", (long long)split);
        say(a, "\n");
        all += (int64_t)x * z;
    }
    return all;
}

static void zones(args *a, const karst_pack *pack) {
    int32_t count = karst_pack_zone_count(pack);
    number(a, a->out, "zones", count, "of patches");
    if (!count) return;
    double patches = 0, bytes = 0;
    karst_box box = karst_pack_zone_info(pack, 0).bounds;
    for (int32_t k = 0; k < count; ++k) {
        karst_pack_zone zone = karst_pack_zone_info(pack, k);
        const karst_pos *low = &zone.bounds.min, *high = &zone.bounds.max;
        patches += zone.patch_count, bytes += zone.bytes;
        box.min = (karst_pos){fmin(box.min.x, low->x), fmin(box.min.y, low->y), fmin(box.min.z, low->z)};
        box.max = (karst_pos){fmax(box.max.x, high->x), fmax(box.max.y, high->y), fmax(box.max.z, high->z)};
    }
    number(a, a->out, "patches", patches, "");
    number(a, a->out, "zone_bytes", bytes, "bytes");
    triple(a, a->out, "net_origin", karst_pack_net_origin(pack));
    triple(a, a->out, "net_min", box.min);
    triple(a, a->out, "net_max", box.max);
    number(a, a->out, "seam_corners", karst_pack_seam_count(pack),
           "of the field's patches, where the net takes its place");
}

static int info_pack(args *a, const char *path) {
    karst_pack_def def = karst_pack_def_default();
    def.report = &a->report;
    karst_pack *pack;
    karst_status status = karst_pack_open(path, &def, &pack);
    if (status) return could_not(a, status);
    karst_pack_info info = karst_pack_info_of(pack);
    say(a, "%s: pack, version %u\n", path, info.version);
    cJSON_AddStringToObject(a->out, "kind", "pack");
    cJSON_AddNumberToObject(a->out, "version", info.version);
    shape(a, a->out, &info.lattice.shape);
    number(a, a->out, "min_m", float_number(info.min_y_m), "m");
    number(a, a->out, "max_m", float_number(info.max_y_m), "m");
    bounds(a, a->out, &info.bounds);
    number(a, a->out, "holes", (double)info.hole_count, "cells");
    number(a, a->out, "error_m", float_number(info.lattice.bound_m), "m from the author's ground");
    number(a, a->out, "step_y_m", info.lattice.step_y_m, "m");
    number(a, a->out, "step_xz_m", info.lattice.step_xz_m, "m");
    number(a, a->out, "cell_steps", info.lattice.cell_steps, "steps");
    int64_t chunks = levels(a, pack, info.level_count);
    number(a, a->out, "chunks", (double)chunks, "");
    maps(a, pack);
    zones(a, pack);
    number(a, a->out, "bytes", (double)info.file_bytes, "bytes");
    parts(a, pack, &info.lattice.shape);
    hexadecimal(a, a->out, "world_hash", info.world_hash);
    karst_pack_close(pack);
    return EXIT_DONE;
}

// ---- a world -----------------------------------------------------------------------------------------

// Bounds need every sample once.
static karst_status field_bounds(karst_project *project, int64_t ground, karst_box *out) {
    karst_field *field;
    karst_status status = karst_project_field(project, ground, 0, &field);
    if (status) return status;
    *out = karst_ground_bounds(karst_field_ground(field));
    karst_field_destroy(field);
    return KARST_OK;
}

// Names of the layers and of the masks above a ground.
static karst_status sheet_names(args *a, karst_project *project, int64_t ground, cJSON *to) {
    int capacity = 0, count = 0;
    karst_status status = karst_project_sheets(project, ground, NULL, 0, &capacity);
    karst_sheet *sheets = calloc((size_t)capacity + 1, sizeof *sheets);
    if (!status) status = sheets ? karst_project_sheets(project, ground, sheets, capacity, &count) : KARST_ERROR_MEMORY;
    static const char *const names[] = {"layers", "masks"};
    for (int kind = KARST_SHEET_LAYER; kind <= KARST_SHEET_MASK && !status; ++kind) {
        cJSON *list = cJSON_AddArrayToObject(to, names[kind]);
        for (int i = 0; i < count; ++i) {
            if ((int)sheets[i].kind != kind) continue;
            bool first = !cJSON_GetArraySize(list), shows = kind == KARST_SHEET_MASK || sheets[i].on;
            cJSON_AddItemToArray(list, cJSON_CreateString(sheets[i].name));
            say(a, "  %-14s %s%s\n", first ? names[kind] : "", sheets[i].name, shows ? "" : " (off)");
        }
    }
    free(sheets);
    return status;
}

static karst_status history_rows(args *a, karst_project *project) {
    int capacity = 0, count = 0;
    karst_status status = karst_project_log(project, NULL, 0, &capacity);
    karst_history_step *steps = calloc((size_t)capacity + 1, sizeof *steps);
    if (!status) status = steps ? karst_project_log(project, steps, capacity, &count) : KARST_ERROR_MEMORY;
    double bytes = 0;
    for (int i = 0; i < count; ++i) bytes += (double)steps[i].bytes;
    free(steps);
    if (status) return status;
    number(a, a->out, "steps", count, "");
    number(a, a->out, "history_bytes", bytes, "bytes");
    return KARST_OK;
}

static karst_status field_rows(args *a, karst_project *project, const karst_project_ground *g, cJSON *row) {
    karst_box box;
    karst_status status = field_bounds(project, g->id, &box);
    if (status) return status;
    shape(a, row, &g->shape);
    bounds(a, row, &box);
    number(a, row, "chunks", ceil((g->shape.columns - 1) / 64.0) * ceil((g->shape.rows - 1) / 64.0), "");
    number(a, row, "hole_share", g->hole_share, "");
    number(a, row, "step_m", g->step_m, "m, 0 when unknown");
    return sheet_names(a, project, g->id, row);
}

static void grow(karst_box *box, const karst_net *net, const int32_t at[3]) {
    double step = ldexp(1, net->step_log2), x = net->origin.x + step * at[0], y = net->origin.y + step * at[1],
           z = net->origin.z + step * at[2];
    box->min = (karst_pos){fmin(box->min.x, x), fmin(box->min.y, y), fmin(box->min.z, z)};
    box->max = (karst_pos){fmax(box->max.x, x), fmax(box->max.y, y), fmax(box->max.z, z)};
}

// Of control points: patches lie within, before displacement.
static karst_box net_bounds(const karst_net *net) {
    karst_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t k = 0; k < net->corner_count; ++k) grow(&box, net, net->corners[k].at);
    for (int32_t k = 0; k < 2 * net->edge_count; ++k) grow(&box, net, net->edges[k / 2].handle[k % 2]);
    for (int32_t k = 0; k < 4 * net->patch_count; ++k) grow(&box, net, net->patches[k / 4].inner[k % 4]);
    return box;
}

static karst_status net_rows(args *a, karst_project *project, const karst_project_ground *g, cJSON *row) {
    karst_net *net;
    karst_status status = karst_project_get_net(project, g->id, NULL, &net);
    if (status) return status;
    number(a, row, "patches", g->net.patch_count, "");
    number(a, row, "edges", g->net.edge_count, "");
    number(a, row, "corners", g->net.corner_count, "");
    number(a, row, "zones", karst_net_zones(net, NULL, 0), "of 160 x 160 m");
    number(a, row, "step_m", ldexp(1, g->net.step_log2), "m");
    triple(a, row, "origin", g->net.origin);
    karst_box box = net_bounds(net);
    bounds(a, row, &box);
    karst_net_destroy(net);
    return KARST_OK;
}

static karst_status ground_rows(args *a, karst_project *project) {
    enum { MOST = 64 };  // more than a sound world holds
    karst_project_ground grounds[MOST];
    int count = 0;
    karst_status status = karst_project_grounds(project, grounds, MOST, &count);
    cJSON *rows = cJSON_AddArrayToObject(a->out, "grounds");
    for (int i = 0; i < count && i < MOST && !status; ++i) {
        const karst_project_ground *g = &grounds[i];
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, row);
        say(a, "ground %lld\n", (long long)g->id);
        cJSON_AddNumberToObject(row, "id", (double)g->id);
        text(a, row, "name", g->name);
        text(a, row, "kind", karst_project_kind_name(g->kind));
        status = g->kind == KARST_PROJECT_FIELD ? field_rows(a, project, g, row) : net_rows(a, project, g, row);
        if (status) break;
        text(a, row, "source", g->source);
        hexadecimal(a, row, "hash", g->hash);
    }
    return status;
}

static int info_world(args *a, const char *path, double bytes) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return could_not(a, status);
    say(a, "%s: world\n", path);
    cJSON_AddStringToObject(a->out, "kind", "world");
    status = ground_rows(a, project);
    if (!status) say(a, "in all\n");
    if (!status) status = history_rows(a, project);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    karst_project_close(project);
    if (status) return could_not(a, status);
    number(a, a->out, "bytes", bytes, "bytes");
    return EXIT_DONE;
}

// ---- anything else may be a mesh -------------------------------------------------------------------------

static int info_model(args *a, const char *path) {
    karst_model_import_def def = karst_model_import_def_default();
    karst_model_import_info info;
    karst_model *model;
    karst_status status = karst_geo_import_model(path, &def, &a->progress, &a->report, &info, &model);
    if (status == KARST_ERROR_UNSUPPORTED || status == KARST_ERROR_FORMAT)
        return say_error(a, "neither a world (.karst) nor a pack (.kpack), nor a model: %s", a->report.message);
    if (status) return could_not(a, status);
    int result = model_tell(a, path, model, &info);
    karst_model_destroy(model);
    return result;
}

// ---- the verb ----------------------------------------------------------------------------------------

static int run(args *a) {
    const char *path = a->positional[0];
    FILE *file = fopen(path, "rb");
    if (!file) return say_error(a, "%s: cannot open: %s", path, strerror(errno));
    char magic[16] = {0};
    size_t got = fread(magic, 1, sizeof magic, file);
    fseeko(file, 0, SEEK_END);
    double bytes = (double)ftello(file);
    fclose(file);
    if (got >= 5 && !memcmp(magic, "KPACK", 5)) return info_pack(a, path);
    if (got >= 4 && !memcmp(magic, "KMRM", 4)) return mrm_info(a, path);
    if (got == sizeof magic && !memcmp(magic, "SQLite format 3", 16)) return info_world(a, path, bytes);
    return info_model(a, path);
}

const verb verb_info = {
    .name = "info",
    .usage = "WORLD|PACK|MRM|MODEL",
    .summary =
        "What is in a world, a pack, a multi-resolution mesh or a mesh file (karst model reads it with options).",
    .example = "karst info island.kpack --json",
    .least = 1,
    .most = 1,
    .run = run,
};
