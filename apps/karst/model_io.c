// SPDX-License-Identifier: MIT
// The command line: models in and told about.
#include "model_io.h"

#include <math.h>

bool model_is_made(const args *a) {
    return arg_text(a, "--made", NULL) != NULL;
}

static int make(args *a, const char *name, karst_model **out) {
    const scene_made *made = scene_made_find(name);
    if (!made) return say_usage(a, "made:%s: there are %s", name, SCENE_MADE_NAMES);
    karst_status status = made->make(out);
    return status ? could_not(a, status) : EXIT_DONE;
}

// The options that a file is read by, as far as a made model can follow them.
static int remake(args *a, double merge_m, double crease_rad, karst_model_import_info *info, karst_model **model) {
    karst_model_clean_def def = karst_model_clean_def_default();
    def.merge_m = merge_m;
    def.report = &a->report;
    karst_status status = karst_model_clean(*model, &def, &info->cleaned);
    karst_model *creased = NULL;
    if (!status && crease_rad >= 0) status = karst_model_crease(*model, crease_rad, &a->report, &creased);
    if (creased) {
        karst_model_destroy(*model);
        *model = creased;
        info->made_normals = true;
    }
    if (status) karst_model_destroy(*model);
    return status ? could_not(a, status) : EXIT_DONE;
}

int model_read(args *a, const char *path, karst_model_import_info *info, karst_model **out) {
    bool bad = false;
    karst_model_import_def def = karst_model_import_def_default();
    const char *up = arg_text(a, "--up", "y"), *made = arg_text(a, "--made", NULL);
    def.unit_m = arg_real(a, "--unit", 0, 1e-9, 1e9, &bad);
    def.merge_m = arg_real(a, "--merge", 0, 0, 1e9, &bad);
    double crease = arg_real(a, "--crease", -1, 0, 180, &bad);
    def.most_seconds = arg_real(a, "--seconds", def.most_seconds, 0.1, 1e6, &bad);
    def.memory_bytes = (uint64_t)(arg_real(a, "--memory", 8192, 64, 1 << 20, &bad) * 1048576);
    def.most_bytes = UINT64_MAX;  // memory is what is short
    if (bad) return EXIT_USAGE;
    if (strcmp(up, "y") && strcmp(up, "z")) return say_usage(a, "--up %s: y or z", up);
    def.up = *up == 'z' ? KARST_MODEL_UP_Z : KARST_MODEL_UP_Y;
    if (crease >= 0) def.crease_rad = crease * 0.017453292519943295;
    *info = (karst_model_import_info){.unit_m = 1};
    if (path && !strncmp(path, "made:", 5) && !made) {
        made = path + 5;
        path = NULL;
    }
    if (made) {
        if (path) return say_usage(a, "--made %s: and a file too, %s: one of them", made, path);
        int result = make(a, made, out);
        return result ? result : remake(a, def.merge_m, def.crease_rad, info, out);
    }
    if (!path) return say_usage(a, "which model? Give a file, or made:tank");
    karst_status status = karst_geo_import_model(path, &def, &a->progress, &a->report, info, out);
    if (status) return could_not(a, status);
    for (int k = 0; k < info->warning_count; ++k) say_note(a, "%s: %s", path, info->warnings[k]);
    return EXIT_DONE;
}

// ---- told ------------------------------------------------------------------------------------------------

static void number(args *a, cJSON *to, const char *name, double value, const char *unit) {
    cJSON_AddNumberToObject(to, name, value);
    say(a, "  %-16s %.15g%s%s\n", name, value, *unit ? " " : "", unit);
}

static void triple(args *a, const char *name, karst_pos p) {
    const double n[3] = {p.x, p.y, p.z};
    cJSON_AddItemToObject(a->out, name, cJSON_CreateDoubleArray(n, 3));
    say(a, "  %-16s %.9g, %.9g, %.9g\n", name, p.x, p.y, p.z);
}

static void tell_materials(args *a, const karst_model *m) {
    cJSON *rows = cJSON_AddArrayToObject(a->out, "materials");
    for (uint32_t k = 0; k < m->material_count; ++k) {
        cJSON *row = cJSON_CreateObject();
        uint32_t triangles = 0;
        for (uint32_t t = 0; t < m->triangle_count; ++t) triangles += m->paint[t] == k;
        cJSON_AddStringToObject(row, "name", m->material[k].name);
        cJSON_AddNumberToObject(row, "triangles", triangles);
        cJSON_AddItemToArray(rows, row);
        if (k < 16) say(a, "  %-16s %s, %u triangles\n", k ? "" : "materials", m->material[k].name, triangles);
    }
    if (m->material_count > 16) say(a, "  %-16s and %u more\n", "", m->material_count - 16);
}

static void tell_joints(args *a, const karst_model *m) {
    cJSON *rows = cJSON_AddArrayToObject(a->out, "joints");
    for (uint32_t k = 0; k < m->joint_count; ++k) cJSON_AddItemToArray(rows, cJSON_CreateString(m->joint[k].name));
    if (m->joint_count) say(a, "  %-16s %u\n", "joints", m->joint_count);
}

int model_tell(args *a, const char *name, const karst_model *m, const karst_model_import_info *info) {
    karst_model_facts f;
    karst_status status = karst_model_look(m, &a->report, &f);
    if (status) return could_not(a, status);
    const karst_model_cleaned *c = &info->cleaned;
    karst_box box = karst_model_bounds(m);
    say(a, "%s: model\n", name);
    cJSON_AddStringToObject(a->out, "kind", "model");
    const struct {
        const char *name;
        double value;
        const char *unit;
    } figures[] = {
        {"triangles", m->triangle_count, ""},
        {"vertices", m->vertex_count, "places"},
        {"wedges", m->wedge_count, "vertices as a graphics card counts them"},
        {"uv_sets", m->uv_sets, ""},
        {"parts", f.parts, "that share no vertex"},
        {"border_edges", f.border_edges, "of one triangle"},
        {"fan_edges", f.fan_edges, "of more than two"},
        {"opposed_edges", f.opposed_edges, "whose triangles face opposite ways"},
        {"seam_edges", f.seam_edges, "of texture, colour or normal"},
        {"twins", f.twins, "pairs of triangles back to back"},
        {"flat", f.flat, "triangles of no area"},
        {"area_m2", f.area_m2, "m2"},
        {"bytes", (double)karst_model_bytes(m), "bytes in memory"},
        {"merged_vertices", c->merged_vertices, "of the file"},
        {"merged_wedges", c->merged_wedges, "of the file"},
        {"collapsed", c->collapsed, "triangles of the file, left out: two corners at one place"},
        {"duplicates", c->duplicates, "triangles of the file, left out"},
        {"left_out", (double)info->points_and_lines, "points and lines of the file"},
        {"unit_m", info->unit_m, "m in a unit of the file"},
    };
    for (size_t k = 0; k < sizeof figures / sizeof *figures; ++k)
        number(a, a->out, figures[k].name, figures[k].value, figures[k].unit);
    cJSON_AddBoolToObject(a->out, "closed", f.closed);
    cJSON_AddBoolToObject(a->out, "normals", m->normal != NULL);
    cJSON_AddBoolToObject(a->out, "colours", m->colour != NULL);
    say(a, "  %-16s %s%s%s%s\n", "it has", m->normal ? (info->made_normals ? "made normals" : "normals") : "no normals",
        m->colour ? ", colours" : "", m->skin ? ", a skin" : "", f.closed ? ", no border" : "");
    if (box.min.x <= box.max.x) {
        triple(a, "bounds_min", box.min);
        triple(a, "bounds_max", box.max);
    }
    tell_materials(a, m);
    tell_joints(a, m);
    return EXIT_DONE;
}
