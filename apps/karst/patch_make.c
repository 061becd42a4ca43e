// SPDX-License-Identifier: MIT
// karst patch sample and fit: a net from code, and from the world's field.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "karst/netfit.h"

#include "net_edit.h"
#include "part.h"
#include "patch.h"
#include "scenes/nets.h"
#include "zone_set.h"

enum { ZSTD_LEVEL = 19 };

static double wall_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int patch_sample(args *a, const char *path) {
    bool bad = false;
    int64_t slot = arg_int(a, "--slot", KARST_NOISE_SLOTS - 1, 0, KARST_NOISE_SLOTS - 1, &bad);
    if (bad) return EXIT_USAGE;
    net_edit e;
    karst_net *net = NULL;
    karst_status status = net_edit_begin(a, path, "patch sample", NET_REPLACED, &e);
    if (status) return could_not(a, status);
    status = scene_net_sample((uint8_t)slot, &a->report, &net);
    if (!status) net_edit_replace(&e, net, "sample");
    status = net_edit_end(a, &e, status);
    return status ? could_not(a, status) : EXIT_DONE;
}

int patch_remove(args *a, const char *path) {
    net_edit e;
    karst_status status = net_edit_begin(a, path, "patch remove", NET_REMOVED, &e);
    if (status) return could_not(a, status);
    net_edit_replace(&e, NULL, "");
    status = net_edit_end(a, &e, KARST_OK);
    return status ? could_not(a, status) : EXIT_DONE;
}

// ---- fit -----------------------------------------------------------------------------------------------

// Bytes of a net's zones as a pack has them.
static karst_status zone_bytes(args *a, const karst_net *net, double *bytes) {
    zone_set set;
    karst_status status = zone_set_cut(net, &a->progress, &a->report, &set);
    *bytes = 0;
    for (int32_t k = 0; k < set.count && !status; ++k) {
        status = kst_progress_step(&a->progress, "pack", (double)k / set.count);
        if (status) break;
        size_t raw = karst_zone_write(set.zones[k], NULL, 0), room = kst_compress_bound(raw);
        uint8_t *from = malloc(raw), *to = malloc(room);
        if (!from || !to) status = kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory for the bytes of zones");
        if (!status) {
            karst_zone_write(set.zones[k], from, raw);
            *bytes += (double)kst_compress(from, raw, to, room, ZSTD_LEVEL);
        }
        free(from), free(to);
    }
    zone_set_free(&set);
    return status;
}

typedef struct fitted {
    karst_net_fitted of;
    double seconds, bytes, field_bytes;
} fitted;

// --add in a part that has its net already would be two in one place, which nothing mends.
static karst_status check_free(args *a, const karst_net *there, const karst_field_shape *shape, karst_rect part) {
    int32_t wide = (shape->columns + 14) / 16, rows = (shape->rows + 14) / 16;
    uint8_t *in = malloc((size_t)wide * (size_t)rows);
    if (!in) return kst_fail(&a->report, KARST_ERROR_MEMORY, "out of memory for the patches of the field");
    karst_status status = KARST_OK;
    // Nets that are not welded yet cannot be told apart; a bake names those that lie in one place.
    bool told = !karst_net_replaced(there, shape->columns, shape->rows, in, NULL);
    for (int32_t z = part.z0 / 16; told && !status && z < (part.z1 - 1) / 16; ++z)
        for (int32_t x = part.x0 / 16; !status && x < (part.x1 - 1) / 16; ++x)
            if (in[(size_t)z * (size_t)wide + (size_t)x])
                status =
                    kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                             "--area: a net is in place of the field at %.6g, %.6g already: fit a part beside it, "
                             "or leave --add out and fit all of it anew",
                             shape->origin.x + x * 16 * shape->spacing_m, shape->origin.z + z * 16 * shape->spacing_m);
    free(in);
    return status;
}

static karst_status fit(args *a, net_edit *e, const karst_project_ground *ground, int step_log2,
                        const karst_net_fit_def *def, fitted *out) {
    karst_net *net = NULL;
    karst_field *field = NULL;
    char source[KARST_SOURCE_BYTES];
    snprintf(source, sizeof source, "fitted to %s", ground->name);
    karst_status status = karst_project_field(e->project, ground->id, 0, &field);
    if (!status) status = karst_net_create(ground->shape.origin, step_log2, NULL, &net);
    double start = wall_s();
    if (!status) status = karst_net_from_field(net, field, def, &out->of);
    out->seconds = wall_s() - start;
    karst_field_destroy(field);
    if (!status && def->replace && net_edit_adds(a, e)) status = check_free(a, e->net, &ground->shape, out->of.rect);
    if (!status) {
        status = zone_bytes(a, net, &out->bytes);
        char why[KARST_REPORT_BYTES];
        memcpy(why, a->report.message, sizeof why);
        if (status == KARST_ERROR_LIMIT && step_log2 < -4)
            kst_fail(&a->report, status, "%s; try --steps %d", why, 1 << (-step_log2 - 1));
    }
    if (!status) status = karst_project_field_bytes(e->project, ground->id, out->of.rect, &out->field_bytes);
    if (status)
        karst_net_destroy(net);
    else
        status = net_edit_put(a, e, net, source);
    return status;
}

static void tell_fit(args *a, const fitted *f, bool seams) {
    const karst_net_fitted *of = &f->of;
    int32_t columns = of->rect.x1 - of->rect.x0, rows = of->rect.z1 - of->rect.z0;
    say(a, "%d x %d vertices: %d patches, %.0f bytes of zones, the field's chunks there %.0f; %.2f s\n", columns, rows,
        of->patches, f->bytes, f->field_bytes, f->seconds);
    say(a, "off by at most %.4g m, %.4g in the mean\n", of->worst_m, of->mean_m);
    if (seams)
        say(a, "in place of %d x %d patches of the field, whose border of %d cells the pack will share\n",
            (columns - 1) / 16, (rows - 1) / 16, 2 * (columns + rows - 2));
    cJSON_AddBoolToObject(a->out, "replace", seams);
    if (of->over) say(a, "%d patches of two tiles stay over the tolerance\n", of->over);
    if (of->left_out) say(a, "%d pairs of tiles left out for holes\n", of->left_out);
    cJSON_AddNumberToObject(a->out, "bytes", f->bytes);
    cJSON_AddNumberToObject(a->out, "field_bytes", f->field_bytes);
    cJSON_AddNumberToObject(a->out, "seconds", f->seconds);
    cJSON_AddNumberToObject(a->out, "worst_m", of->worst_m);
    cJSON_AddNumberToObject(a->out, "mean_m", of->mean_m);
    cJSON_AddNumberToObject(a->out, "over", of->over);
    cJSON_AddNumberToObject(a->out, "left_out", of->left_out);
    const int sides[4] = {of->rect.x0, of->rect.z0, of->rect.x1, of->rect.z1};
    cJSON_AddItemToObject(a->out, "rect", cJSON_CreateIntArray(sides, 4));
    cJSON *tiles = cJSON_AddObjectToObject(a->out, "patches_of_tiles");
    for (int k = 1; k < 5; ++k) {
        char name[8];
        snprintf(name, sizeof name, "%d", 1 << k);
        cJSON_AddNumberToObject(tiles, name, of->of_tiles[k]);
    }
}

int patch_fit(args *a, const char *path) {
    bool bad = false;
    karst_net_fit_def def = karst_net_fit_def_default();
    def.tolerance_m = arg_real(a, "--tolerance", 0.1, 1e-3, 1e6, &bad);
    def.tile_cells = (int)arg_int(a, "--tile-cells", 1, 1, 8, &bad);
    def.slot = (uint8_t)arg_int(a, "--slot", 0, 0, KARST_NOISE_SLOTS - 1, &bad);
    int64_t steps = arg_int(a, "--steps", 256, 16, 4096, &bad);
    int set = patch_arg_set(a, &bad);
    if (bad) return EXIT_USAGE;
    if (steps & (steps - 1)) return say_usage(a, "patch: --steps %d: 16, 32, 64 ... 4096", (int)steps);
    if (def.tile_cells & (def.tile_cells - 1))
        return say_usage(a, "patch: --tile-cells %d: 1, 2, 4 or 8", def.tile_cells);
    def.replace = arg_flag(a, "--replace");
    if (def.replace && (def.tile_cells != 1 || def.tolerance_m > 0.9))
        return say_usage(a, "patch: --replace takes tiles of 1 cell and a tolerance of at most 0.9 m");
    def.noise_set = set < 0 ? KARST_TILE_GRASS : (uint8_t)set;
    def.progress = &a->progress, def.report = &a->report;
    net_edit e;
    fitted f = {0};
    karst_project_ground ground;
    karst_status status = net_edit_begin(a, path, "patch fit", NET_REPLACED, &e);
    if (status) return could_not(a, status);
    status = karst_project_find_ground(e.project, KARST_PROJECT_FIELD, &ground);
    if (!status && !ground.id)
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: has no field to fit patches to: karst import adds one",
                          path);
    bool usage = !status && !arg_area(a, &ground.shape, def.replace ? 17 : 2 * def.tile_cells + 1, &def.rect);
    if (usage) status = KARST_ERROR_ARGUMENT;
    int step_log2 = !status && net_edit_adds(a, &e) && !arg_flag(a, "--steps") ? e.net->step_log2
                                                                               : -__builtin_ctzll((uint64_t)steps);
    if (!status) status = fit(a, &e, &ground, step_log2, &def, &f);
    status = net_edit_end(a, &e, status);
    if (usage) return EXIT_USAGE;
    if (status) return could_not(a, status);
    tell_fit(a, &f, def.replace);
    return EXIT_DONE;
}
