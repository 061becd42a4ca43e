// SPDX-License-Identifier: MIT
// karst patch import: the quads of a mesh become smooth patches.
#include "karst/geo.h"

#include "net_edit.h"
#include "patch.h"

typedef struct wish {
    karst_quads_def quads;
    double crease_rad;
    int step_log2, tiles_log2, slot, set;
} wish;

static int read_wish(args *a, wish *w) {
    bool bad = false;
    const char *up = arg_text(a, "--up", "y");
    *w = (wish){.quads = karst_quads_def_default()};
    w->quads.unit_m = arg_real(a, "--unit", 1, 1e-6, 1e6, &bad);
    w->quads.progress = &a->progress;
    double crease_deg = arg_real(a, "--crease", 0, 0, 180, &bad);
    int64_t steps = arg_int(a, "--steps", 256, 16, 4096, &bad), tiles = arg_int(a, "--tiles", 8, 2, 16, &bad);
    w->slot = (int)arg_int(a, "--slot", 0, 0, KARST_NOISE_SLOTS - 1, &bad);
    w->set = patch_arg_set(a, &bad);
    if (bad) return EXIT_USAGE;
    if (strcmp(up, "y") != 0 && strcmp(up, "z") != 0) return say_usage(a, "patch: --up %s: y or z", up);
    if (steps & (steps - 1)) return say_usage(a, "patch: --steps %d: 16, 32, 64 ... 4096", (int)steps);
    if (tiles & (tiles - 1)) return say_usage(a, "patch: --tiles %d: 2, 4, 8 or 16", (int)tiles);
    w->quads.up = *up == 'z' ? KARST_MODEL_UP_Z : KARST_MODEL_UP_Y;
    w->crease_rad = crease_deg * 3.14159265358979323846 / 180;
    w->step_log2 = -__builtin_ctzll((uint64_t)steps), w->tiles_log2 = __builtin_ctzll((uint64_t)tiles);
    if (w->set < 0) w->set = KARST_TILE_ROCK;
    return EXIT_DONE;
}

// The field's origin, so that zones of both begin at the same place, or 0.
static karst_status choose_origin(karst_project *project, karst_pos *out) {
    karst_project_ground field = {0};
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &field);
    *out = field.shape.origin;
    return status;
}

static karst_status make(args *a, const karst_quads *q, const wish *w, karst_pos origin, karst_net **out) {
    uint8_t(*tiles)[2] = kst_alloc_array(NULL, (size_t)q->quad_count, sizeof *tiles);
    uint8_t *slot = kst_alloc(NULL, (size_t)q->quad_count), *set = kst_alloc(NULL, (size_t)q->quad_count);
    karst_net *net = NULL;
    karst_status status = tiles && slot && set ? KARST_OK : KARST_ERROR_MEMORY;
    if (!status) {
        memset(tiles, w->tiles_log2, (size_t)q->quad_count * sizeof *tiles);
        memset(slot, w->slot, (size_t)q->quad_count);
        memset(set, w->set, (size_t)q->quad_count);
        status = karst_net_create(origin, w->step_log2, NULL, &net);
    }
    if (!status) {
        karst_net_cage cage = {.places = q->places,
                               .place_count = q->place_count,
                               .quads = (const int32_t(*)[4])q->quads,
                               .quad_count = q->quad_count,
                               .tiles_log2 = (const uint8_t(*)[2])tiles,
                               .slot = slot,
                               .noise_set = set,
                               .crease_rad = w->crease_rad};
        status = karst_net_from_cage(net, &cage, &a->report);
    }
    kst_free(NULL, tiles, (size_t)q->quad_count * sizeof *tiles);
    kst_free(NULL, slot, (size_t)q->quad_count), kst_free(NULL, set, (size_t)q->quad_count);
    if (status)
        karst_net_destroy(net);
    else
        *out = net;
    return status;
}

int patch_import(args *a, const char *path) {
    wish w;
    int result = read_wish(a, &w);
    if (result) return result;
    karst_quads *q = NULL;
    net_edit e;
    karst_status status = karst_geo_read_quads(a->positional[2], &w.quads, &a->report, &q);
    if (!status) status = net_edit_begin(a, path, "patch import", NET_REPLACED, &e);
    if (status) {
        karst_quads_destroy(q);
        return could_not(a, status);
    }
    karst_net *net = NULL;
    karst_pos origin;
    int32_t quads = q->quad_count, turned = q->turned, creases = 0;
    status = choose_origin(e.project, &origin);
    if (net_edit_adds(a, &e)) origin = e.net->origin;
    if (net_edit_adds(a, &e) && !arg_flag(a, "--steps")) w.step_log2 = e.net->step_log2;
    if (!status) status = make(a, q, &w, origin, &net);
    karst_quads_destroy(q);
    if (!status) {
        for (int32_t k = 0; k < net->edge_count; ++k) creases += net->edges[k].crease;
        const char *file = a->positional[2], *slash = strrchr(file, '/');
        status = net_edit_put(a, &e, net, slash ? slash + 1 : file);
    }
    status = net_edit_end(a, &e, status);
    if (status) return could_not(a, status);
    say(a, "%d quads, %d of them turned over, %d edges are creases\n", quads, turned, creases);
    cJSON_AddNumberToObject(a->out, "quads", quads);
    cJSON_AddNumberToObject(a->out, "turned", turned);
    cJSON_AddNumberToObject(a->out, "creases", creases);
    return EXIT_DONE;
}
