// SPDX-License-Identifier: MIT
// karst import: an elevation file becomes the ground of a world.
#include <float.h>
#include <strings.h>

#include "karst/geo.h"
#include "world.h"

// Index of text among names, or -1 with one line said.
static int choose(args *a, const char *name, const char *const *names, int otherwise, bool *bad) {
    const char *text = arg_text(a, name, NULL);
    if (!text) return otherwise;
    char all[128] = {0};
    for (int i = 0; names[i]; ++i) {
        if (!strcasecmp(text, names[i])) return i;
        if (names[i][0]) snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", all[0] ? ", " : "", names[i]);
    }
    *bad = true;
    say_usage(a, "%s: %s %s: one of %s", a->verb->name, name, text, all);
    return otherwise;
}

static karst_import_def read_options(args *a, bool *bad) {
    static const char *const types[] = {"guess", "u8", "u16", "i16", "i32", "f32", "f64", NULL};
    static const char *const orders[] = {"little", "big", NULL};
    static const char *const codings[] = {"none", "terrarium", "mapbox", NULL};
    karst_import_def def = karst_import_def_default();
    double origin[3] = {0, 0, 0};
    arg_pair(a, "--size", 2, KARST_FIELD_MAX_SIDE, &def.width, &def.height, bad);
    def.type = (karst_sample_type)choose(a, "--type", types, KARST_SAMPLE_GUESS, bad);
    def.order = (karst_byte_order)choose(a, "--order", orders, KARST_ORDER_LITTLE, bad);
    def.rgb = (karst_rgb_coding)choose(a, "--rgb", codings, KARST_RGB_NONE, bad);
    def.header_bytes = (uint64_t)arg_int(a, "--header", 0, 0, (int64_t)1 << 40, bad);
    def.spacing_m = arg_real(a, "--spacing", 0, 1e-6, 1e6, bad);
    def.scale = arg_real(a, "--scale", 1, -1e6, 1e6, bad);
    def.offset = arg_real(a, "--offset", 0, -1e9, 1e9, bad);
    def.has_no_data = arg_text(a, "--no-data", NULL) != NULL;
    def.no_data = arg_real(a, "--no-data", 0, -DBL_MAX, DBL_MAX, bad);
    def.flip_rows = arg_flag(a, "--flip");
    def.swap_bytes = arg_flag(a, "--swap-bytes");
    def.keep_bytes = arg_flag(a, "--keep-bytes");
    def.replace = arg_flag(a, "--replace");
    def.member = arg_text(a, "--member", NULL);
    def.name = arg_text(a, "--name", NULL);
    arg_triple(a, "--origin", origin, bad);
    def.origin = (karst_pos){origin[0], origin[1], origin[2]};
    if (!*bad && def.scale == 0) {
        *bad = true;
        say_usage(a, "import: --scale 0 makes everything flat");
    }
    return def;
}

static void answer(args *a, const karst_import_info *info, const char *path, const char *file) {
    cJSON *o = a->out, *warnings = cJSON_CreateArray();
    bool any = info->no_data_samples < (uint64_t)info->columns * (uint64_t)info->rows;
    cJSON_AddStringToObject(o, "world", path);
    cJSON_AddStringToObject(o, "file", file);
    cJSON_AddNumberToObject(o, "columns", info->columns);
    cJSON_AddNumberToObject(o, "rows", info->rows);
    cJSON_AddNumberToObject(o, "spacing_m", info->spacing_m);
    if (any) {
        cJSON_AddNumberToObject(o, "min_m", (double)info->min_m);
        cJSON_AddNumberToObject(o, "max_m", (double)info->max_m);
    } else {
        cJSON_AddNullToObject(o, "min_m");
        cJSON_AddNullToObject(o, "max_m");
    }
    cJSON_AddNumberToObject(o, "holes", (double)info->holes);
    cJSON_AddNumberToObject(o, "step_m", info->step_m);
    for (int i = 0; i < info->warning_count; ++i) cJSON_AddItemToArray(warnings, cJSON_CreateString(info->warnings[i]));
    cJSON_AddItemToObject(o, "warnings", warnings);
    cJSON_AddStringToObject(o, "format", info->format);
    cJSON_AddStringToObject(o, "type", info->type);
    cJSON_AddStringToObject(o, "byte_order", info->byte_order);
    cJSON_AddStringToObject(o, "row_order", info->row_order);
    cJSON_AddNumberToObject(o, "no_data_samples", (double)info->no_data_samples);
    cJSON_AddNumberToObject(o, "file_spacing_x_m", info->file_spacing_x_m);
    cJSON_AddNumberToObject(o, "file_spacing_z_m", info->file_spacing_z_m);

    say(a, "%s: %s, %d x %d samples of %s%s%s%s, %s\n", file, info->format, info->columns, info->rows, info->type,
        info->byte_order[0] ? ", " : "", info->byte_order, info->byte_order[0] ? "-endian" : "", info->row_order);
    if (any)
        say(a, "heights %.9g .. %.9g m, ", (double)info->min_m, (double)info->max_m);
    else
        say(a, "no heights, ");
    if (info->step_m > 0)
        say(a, "in steps of %g m", info->step_m);
    else
        say(a, "continuous");
    say(a, "; %.9g m between vertices; %llu samples without data, %llu cells are holes\n", info->spacing_m,
        (unsigned long long)info->no_data_samples, (unsigned long long)info->holes);
    if (a->json || a->quiet) return;
    for (int i = 0; i < info->warning_count; ++i) fprintf(stderr, "karst: warning: %s: %s\n", file, info->warnings[i]);
}

static int run(args *a) {
    bool bad = false;
    karst_import_def def = read_options(a, &bad);
    if (bad) return EXIT_USAGE;
    const char *path = a->positional[0], *file = a->positional[1];
    karst_import_info info;
    world w;
    karst_status status = world_open_or_create(&w, path, &a->report);
    if (!status) status = karst_geo_import(w.project, file, &def, a->jobs, &a->progress, &a->report, &info, NULL);
    status = world_finish(&w, status, &a->report);
    if (status) return could_not(a, status);
    answer(a, &info, path, file);
    return EXIT_DONE;
}

static const option options[] = {
    {"--replace", NULL, "replace the ground that the world has"},
    {"--spacing", "M", "between neighbouring samples [m] (from the file, else 1)"},
    {"--origin", "X,Y,Z", "world position of the first sample [m] (0,0,0)"},
    {"--scale", "S", "height = sample * S + offset, over the file's own (1)"},
    {"--offset", "M", "see --scale [m] (0)"},
    {"--no-data", "V", "samples of this value are no data, beside what the file says"},
    {"--flip", NULL, "the first row is the southern one, against what the file says"},
    {"--rgb", "CODING", "heights coded in colours: terrarium, mapbox (none)"},
    {"--swap-bytes", NULL, "samples were written with their bytes the wrong way round, against what the file says"},
    {"--keep-bytes", NULL, "take samples that look so, and are refused, as they are"},
    {"--size", "WxH", "samples of RAW (a square, if the file is one exactly)"},
    {"--type", "TYPE", "samples of RAW: u8, u16, i16, i32, f32, f64 (.r8 u8, .r16 .raw u16, .r32 f32)"},
    {"--order", "ORDER", "byte order of RAW: little, big (little)"},
    {"--header", "N", "bytes to skip in RAW (0)"},
    {"--member", "NAME", "array of an npz (the first two-dimensional one)"},
    {"--name", "TEXT", "name of the ground (ground)"},
    {0},
};

const verb verb_import = {
    .name = "import",
    .usage = "WORLD FILE [options]",
    .summary =
        "Make an elevation file the ground of a world, which is made if it is not there: GeoTIFF, PNG, HGT, and "
        "what else GDAL reads; npy and npz; samples without a header. Tells what it found.",
    .example = "karst import alps.karst N46E007.hgt\nkarst import island.karst heights.r16 --spacing 2 --scale 0.1",
    .options = options,
    .least = 2,
    .most = 2,
    .run = run,
};
