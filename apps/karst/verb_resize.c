// SPDX-License-Identifier: MIT
// karst resize: the ground of a world at another spacing, or a part of it, or with a margin.
#include <math.h>

#include "app.h"
#include "edit.h"
#include "karst/project.h"

// Corners of --area, X0,Z0,X1,Z1; the whole ground otherwise.
static bool read_area(args *a, const karst_field_shape *s, double area[4]) {
    const char *text = arg_text(a, "--area", NULL);
    area[0] = s->origin.x;
    area[1] = s->origin.z;
    area[2] = s->origin.x + s->spacing_m * (s->columns - 1);
    area[3] = s->origin.z + s->spacing_m * (s->rows - 1);
    if (!text) return true;
    if (!parse_numbers(text, 4, area) || !(area[2] > area[0]) || !(area[3] > area[1])) {
        say_usage(a, "resize: --area %s: four numbers X0,Z0,X1,Z1 with X0 < X1 and Z0 < Z1", text);
        return false;
    }
    for (int k = 0; k < 4; ++k) {  // at a vertex, so that samples stay what they are
        double origin = k % 2 ? s->origin.z : s->origin.x;
        area[k] = origin + s->spacing_m * round((area[k] - origin) / s->spacing_m);
    }
    return true;
}

// Vertices along a side; the rest of a spacing at its end is cut off.
static int32_t vertices(double metres, double spacing) {
    double count = floor(metres / spacing + 1e-6) + 1;
    return count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

static int read_shape(args *a, const karst_field_shape *from, karst_field_shape *to) {
    double area[4];
    bool bad = false;
    int columns = 0, rows = 0;
    double spacing = arg_real(a, "--spacing", from->spacing_m, 1e-6, 1e6, &bad);
    bool sized = arg_pair(a, "--size", 2, KARST_FIELD_MAX_SIDE, &columns, &rows, &bad);
    if (bad || !read_area(a, from, area)) return EXIT_USAGE;
    double across = area[2] - area[0], down = area[3] - area[1];
    if (sized && arg_text(a, "--spacing", NULL)) return say_usage(a, "resize: --size or --spacing, not both");
    if (sized) {
        spacing = across / (columns - 1);
        if (fabs(down / spacing - (rows - 1)) > 0.5)
            return say_usage(a, "resize: --size %dx%d: the ground is %g x %g m, and its cells are square: %dx%d fits",
                             columns, rows, across, down, columns, vertices(down + 0.5 * spacing, spacing));
    } else {
        columns = vertices(across, spacing);
        rows = vertices(down, spacing);
    }
    *to = (karst_field_shape){columns, rows, spacing, {area[0], from->origin.y, area[1]}};
    return EXIT_DONE;
}

static karst_status resize(args *a, karst_project *project, int64_t ground, const karst_field_shape *to) {
    char name[KARST_NAME_BYTES];
    snprintf(name, sizeof name, "resize to %d x %d at %g m", to->columns, to->rows, to->spacing_m);
    karst_status status = karst_project_begin(project, name);
    if (!status) status = karst_project_resize(project, ground, to, &a->progress);
    if (!status) status = karst_project_commit(project);
    if (status) {
        kst_fail(&a->report, status, "%s", karst_project_message(project));
        karst_project_rollback(project);
    }
    return status;
}

static int run(args *a) {
    const char *path = a->positional[0];
    karst_project *project = NULL;
    karst_project_ground g;
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &a->report, &project);
    if (!status) status = edit_find_field(a, project, path, &g);
    karst_field_shape to;
    int result = status ? could_not(a, status) : read_shape(a, &g.shape, &to);
    if (!result && (status = resize(a, project, g.id, &to))) result = could_not(a, status);
    karst_project_close(project);
    if (result) return result;
    say(a, "%s: %d x %d vertices at %g m, %d x %d at %g m before\n", path, to.columns, to.rows, to.spacing_m,
        g.shape.columns, g.shape.rows, g.shape.spacing_m);
    cJSON_AddStringToObject(a->out, "world", path);
    cJSON_AddNumberToObject(a->out, "columns", to.columns);
    cJSON_AddNumberToObject(a->out, "rows", to.rows);
    cJSON_AddNumberToObject(a->out, "spacing_m", to.spacing_m);
    cJSON_AddNumberToObject(a->out, "origin_x", to.origin.x);
    cJSON_AddNumberToObject(a->out, "origin_z", to.origin.z);
    return EXIT_DONE;
}

static const option options[] = {
    {"--spacing", "M", "between neighbouring vertices [m] (as it is)"},
    {"--size", "WxH", "vertices along x and z, in place of --spacing"},
    {"--area", "X0,Z0,X1,Z1", "the part to keep [m], to the nearest vertices; beyond the ground its rim goes on (all)"},
    {0},
};

const verb verb_resize = {
    .name = "resize",
    .usage = "WORLD [options]",
    .summary =
        "Give the ground of a world another spacing, cut a part out of it or put a margin round it; layers and "
        "masks follow. Finer ground is a cubic through the samples, coarser ground their mean.",
    .example = "karst resize island.karst --spacing 2\nkarst resize island.karst --area 500,500,2500,1500",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
