// SPDX-License-Identifier: MIT
// karst new: a world with a flat field, or with a net of patches.
#include "net_edit.h"
#include "scenes/nets.h"
#include "world.h"

static karst_status fill(world *w, const char *name, const karst_field_shape *shape, karst_report *report) {
    int64_t id;
    karst_status status = karst_project_begin(w->project, "new");
    if (!status) status = karst_project_add_field(w->project, name, shape, &id);
    if (!status) status = karst_project_commit(w->project);
    if (status) kst_fail(report, status, "%s", karst_project_message(w->project));
    return status;
}

static karst_status keep_net(world *w, const char *name, const karst_net *net, karst_report *report) {
    int64_t id;
    karst_status status = karst_project_begin(w->project, "new");
    if (!status) status = karst_project_add_net(w->project, name, net, &id);
    if (!status) status = karst_project_set_source(w->project, id, "sample", 0);
    if (!status) status = karst_project_commit(w->project);
    if (status) kst_fail(report, status, "%s", karst_project_message(w->project));
    return status;
}

static int new_net(args *a, const char *path, const char *name) {
    static const char *const not_with[] = {"--size", "--spacing", "--origin"};
    for (size_t k = 0; k < sizeof not_with / sizeof *not_with; ++k)
        if (arg_flag(a, not_with[k]))
            return say_usage(a, "new: %s is of a field; a world made with --net has none", not_with[k]);
    if (strcmp(name, "sample") != 0) return say_usage(a, "new: --net %s: there is sample", name);
    world w;
    karst_net *net = NULL;
    karst_status status = scene_net_sample(KARST_NOISE_SLOTS - 1, &a->report, &net);
    if (!status) {
        status = world_create(&w, path, &a->report);
        if (!status) status = keep_net(&w, arg_text(a, "--name", NULL), net, &a->report);
        status = world_finish(&w, status, &a->report);
    }
    if (!status) net_tell(a, path, net);
    karst_net_destroy(net);
    return status ? could_not(a, status) : EXIT_DONE;
}

static int run(args *a) {
    const char *path = a->positional[0], *net = arg_text(a, "--net", NULL);
    if (net) return new_net(a, path, net);
    bool bad = false;
    karst_field_shape shape = {.columns = 1025, .rows = 1025};
    double origin[3] = {0, 0, 0};
    arg_pair(a, "--size", 2, KARST_FIELD_MAX_SIDE, &shape.columns, &shape.rows, &bad);
    shape.spacing_m = arg_real(a, "--spacing", 1, 1e-6, 1e6, &bad);
    arg_triple(a, "--origin", origin, &bad);
    if (bad) return EXIT_USAGE;
    shape.origin = (karst_pos){origin[0], origin[1], origin[2]};

    world w;
    karst_status status = world_create(&w, path, &a->report);
    if (!status) status = fill(&w, arg_text(a, "--name", "ground"), &shape, &a->report);
    status = world_finish(&w, status, &a->report);
    if (status) return could_not(a, status);
    say(a, "%s: a flat field of %d x %d vertices at %g m\n", path, shape.columns, shape.rows, shape.spacing_m);
    cJSON_AddStringToObject(a->out, "world", path);
    cJSON_AddNumberToObject(a->out, "columns", shape.columns);
    cJSON_AddNumberToObject(a->out, "rows", shape.rows);
    cJSON_AddNumberToObject(a->out, "spacing_m", shape.spacing_m);
    return EXIT_DONE;
}

static const option options[] = {
    {"--size", "WxH", "vertices along x and z, each 2..1048576 (1025x1025)"},
    {"--spacing", "M", "between neighbouring vertices [m] (1)"},
    {"--origin", "X,Y,Z", "world position of vertex (0, 0) [m] (0,0,0)"},
    {"--name", "TEXT", "name of the ground (ground, or net of --net)"},
    {"--net", "sample", "a net of curved patches in place of a field: a small land with caves and an arch"},
    {0},
};

const verb verb_new = {
    .name = "new",
    .usage = "WORLD [options]",
    .summary = "Make a world with one flat field, or with a sample of curved patches.",
    .example = "karst new island.karst --size 2049x2049 --spacing 2\nkarst new land.karst --net sample",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
