// SPDX-License-Identifier: MIT
// karst patch: the net of curved patches of a world, fitted to its ground or removed.
#include <math.h>

#include "app.h"
#include "karst/netfit.h"
#include "karst/project.h"
#include "karst/zone.h"
#include "part.h"

typedef struct wish {
    karst_net_fit_def def;
    int step_log2;
    bool remove;
} wish;

static int read_wish(args *a, wish *w) {
    bool bad = false;
    *w = (wish){.def = karst_net_fit_def_default(), .remove = arg_flag(a, "--remove")};
    w->def.tolerance_m = arg_real(a, "--fit", w->def.tolerance_m, 1e-4, 1000, &bad);
    w->def.tile_cells = (int)arg_int(a, "--tile-cells", w->def.tile_cells, 1, 8, &bad);
    int64_t steps = arg_int(a, "--steps", 256, 16, 4096, &bad);
    if (bad) return EXIT_USAGE;
    if (!arg_text(a, "--fit", NULL) == !w->remove)
        return say_usage(a, "patch: --fit M or --remove: one of them says what to do");
    if (steps & (steps - 1)) return say_usage(a, "patch: --steps %d: 16, 32, 64 ... 4096", (int)steps);
    if (w->def.tile_cells & (w->def.tile_cells - 1))
        return say_usage(a, "patch: --tile-cells %d: 1, 2, 4 or 8", w->def.tile_cells);
    w->step_log2 = -(int)lround(log2((double)steps));
    return EXIT_DONE;
}

static karst_status no_ground(args *a) {
    return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: has no ground to fit patches to: karst import or karst new",
                    a->positional[0]);
}

// Patches over the ground as it is now. A usage error has been said when *usage is set.
static karst_status fit(args *a, karst_project *project, wish *w, bool *usage, karst_net_fitted *info,
                        karst_net **out) {
    karst_project_ground g;
    karst_field *field = NULL;
    int count = 0;
    karst_status status = karst_project_grounds(project, &g, 1, &count);
    if (!status && !count) return no_ground(a);
    if (!status && !arg_area(a, &g.shape, 3, &w->def.rect)) {
        *usage = true;
        return KARST_ERROR_ARGUMENT;
    }
    if (!status) status = karst_project_field(project, g.id, 0, &field);
    if (status) return kst_fail(&a->report, status, "%s", karst_project_message(project));
    w->def.progress = &a->progress;
    w->def.report = &a->report;
    status = karst_net_create(g.shape.origin, w->step_log2, NULL, out);
    if (!status) status = karst_net_from_field(*out, field, &w->def, info);
    karst_field_destroy(field);
    return status;
}

static karst_status keep(args *a, karst_project *project, const char *name, const karst_net *net) {
    karst_status status = karst_project_begin(project, name);
    if (!status) status = karst_project_set_net(project, net);
    if (!status) status = karst_project_commit(project);
    if (status) {
        kst_fail(&a->report, status, "%s", karst_project_message(project));
        karst_project_rollback(project);
    }
    return status;
}

static void answer(args *a, const karst_net *net, const karst_net_fitted *info) {
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    cJSON_AddNumberToObject(a->out, "patches", net ? net->patch_count : 0);
    if (!net) {
        say(a, "%s: has no patches any more\n", a->positional[0]);
        return;
    }
    say(a, "%s: %d patches, within %.3g m (mean %.3g m), %d over the tolerance, %d pairs of tiles left out for holes\n",
        a->positional[0], net->patch_count, info->worst_m, info->mean_m, info->over, info->left_out);
    cJSON_AddNumberToObject(a->out, "edges", net->edge_count);
    cJSON_AddNumberToObject(a->out, "corners", net->corner_count);
    cJSON_AddNumberToObject(a->out, "zones", karst_net_zones(net, NULL, 0));
    cJSON_AddNumberToObject(a->out, "worst_m", info->worst_m);
    cJSON_AddNumberToObject(a->out, "mean_m", info->mean_m);
    cJSON_AddNumberToObject(a->out, "over", info->over);
    cJSON_AddNumberToObject(a->out, "left_out", info->left_out);
}

static int run(args *a) {
    wish w;
    int result = read_wish(a, &w);
    if (result) return result;
    karst_project *project = NULL;
    karst_net *net = NULL;
    karst_net_fitted info = {0};
    bool usage = false;
    char name[KARST_NAME_BYTES];
    karst_status status = karst_project_open(a->positional[0], KARST_PROJECT_WRITE, &a->report, &project);
    if (!status && !w.remove) status = fit(a, project, &w, &usage, &info, &net);
    if (w.remove)
        snprintf(name, sizeof name, "remove the patches");
    else
        snprintf(name, sizeof name, "patches within %g m", w.def.tolerance_m);
    if (!status) status = keep(a, project, name, net);
    if (!status) answer(a, net, &info);
    karst_net_destroy(net);
    karst_project_close(project);
    return usage ? EXIT_USAGE : status ? could_not(a, status) : EXIT_DONE;
}

static const option options[] = {
    {"--fit", "M", "patches that lie within this distance of the ground's vertices, 0.0001..1000 [m]"},
    {"--tile-cells", "N", "cells of the ground along a tile: 1, 2, 4 or 8 (1)"},
    {"--steps", "N", "lattice steps in a metre, 16..4096, a power of two; 256 reach 128 m from a zone's middle (256)"},
    PART_OPTION,
    {"--remove", NULL, "take the world's patches away"},
    {0},
};

const verb verb_patch = {
    .name = "patch",
    .usage = "WORLD --fit M | --remove [options]",
    .summary =
        "Fit a net of curved patches to the ground of a world, in place of the one it has, or remove it. The "
        "ground stays; karst bake puts both into the pack.",
    .example = "karst patch island.karst --fit 0.1\nkarst patch island.karst --fit 0.05 --area 0,0,640,640",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
