// SPDX-License-Identifier: MIT
// karst relax: vertices slide along the surface to where the texture is stretched; one undoable step.
#include "karst/relax.h"

#include "edit.h"
#include "part.h"

static void answer(args *a, const karst_relax_info *info) {
    say(a, "%s: worst stretch %.3g -> %.3g, mean %.4g -> %.4g, %lld vertices moved, surface within %.3g m, %d sweeps\n",
        a->positional[0], info->worst_before, info->worst_after, info->mean_before, info->mean_after,
        (long long)info->moved, info->largest_m, info->sweeps);
    cJSON_AddStringToObject(a->out, "world", a->positional[0]);
    cJSON_AddNumberToObject(a->out, "worst_before", info->worst_before);
    cJSON_AddNumberToObject(a->out, "worst_after", info->worst_after);
    cJSON_AddNumberToObject(a->out, "mean_before", info->mean_before);
    cJSON_AddNumberToObject(a->out, "mean_after", info->mean_after);
    cJSON_AddNumberToObject(a->out, "moved", (double)info->moved);
    cJSON_AddNumberToObject(a->out, "largest_m", info->largest_m);
    cJSON_AddNumberToObject(a->out, "sweeps", info->sweeps);
}

static int run(args *a) {
    bool bad = false;
    karst_relax_def d = karst_relax_def_default();
    d.distance_m = arg_real(a, "--distance", 0, 0, 1e6, &bad);
    d.above = arg_real(a, "--above", d.above, 1.05, 100, &bad);
    d.sweeps = (int32_t)arg_int(a, "--sweeps", d.sweeps, 1, 10000, &bad);
    if (bad) return EXIT_USAGE;
    edit e;
    karst_status status = edit_begin(a, a->positional[0], "relax", &e);
    if (status) return could_not(a, status);
    karst_rect rect;
    if (!arg_area(a, &e.ground.shape, 2, &rect)) {
        edit_end(a, &e, KARST_ERROR_ARGUMENT);
        return EXIT_USAGE;
    }
    karst_relax_info info = {0};
    status = karst_relax_apply(&e.canvas, rect, &d, a->jobs, &a->progress, &info);
    status = edit_end(a, &e, status);
    if (status) return could_not(a, status);
    answer(a, &info);
    return EXIT_DONE;
}

static const option options[] = {
    {"--distance", "M", "how far the surface may be moved [m]; 0: half the spacing (0)"},
    {"--above", "S", "relax where an edge is longer than this many spacings, 1.05..100 (1.5)"},
    {"--sweeps", "N", "most sweeps of a stage, 1..10000 (16)"},
    PART_OPTION,
    EDIT_OPTIONS,
    {0},
};

const verb verb_relax = {
    .name = "relax",
    .usage = "WORLD [options]",
    .summary =
        "Slide vertices along the surface from where there are too many to where the texture is stretched, leaving "
        "the shape in place. One step, undone by karst undo.",
    .example = "karst relax island.karst --above 2 --mask cliffs",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run,
};
