// SPDX-License-Identifier: MIT
// karst patch check, follow and weld: is the net whole ground, and making it so.
#include <math.h>
#include <stdlib.h>

#include "karst/netweld.h"

#include "net_edit.h"
#include "patch.h"
#include "zone_set.h"

// Open edges are borders; the count tells a hole that nobody meant.
static int32_t open_edges(const karst_net *net) {
    int32_t count = 0;
    for (int32_t k = 0; k < net->edge_count; ++k) count += net->edges[k].tiles && net->edges[k].open;
    return count;
}

static void tell_shape(args *a, const karst_net *net, int32_t zones) {
    karst_net_strip longest = {0};
    int32_t open = open_edges(net), strips = karst_net_strips(net, &longest, 1);
    say(a, "every rule kept; %d zones fit together; %d edges are open\n", zones, open);
    say(a, "%d strips of equal tiles, the longest of %d patches with %d, at %.1f, %.1f, %.1f\n", strips,
        longest.patches, longest.tiles[0], longest.at.x, longest.at.y, longest.at.z);
    cJSON_AddBoolToObject(a->out, "ok", true);
    cJSON_AddNumberToObject(a->out, "open_edges", open);
    cJSON_AddNumberToObject(a->out, "strips", strips);
    cJSON_AddNumberToObject(a->out, "longest_strip", longest.patches);
    cJSON_AddNumberToObject(a->out, "longest_strip_tiles", longest.tiles[0]);
}

// The field along seams as it is now.
typedef struct beside {
    karst_field *field;
    double fine_m;
} beside;

// To the nearest fine step; a pack has it to its own error.
static bool vertex_of(void *context, int32_t column, int32_t row, int32_t fine[3]) {
    const beside *b = context;
    karst_field_shape s = karst_field_shape_of(b->field);
    float v[3];
    if (column < 0 || row < 0 || column >= s.columns || row >= s.rows) return false;
    if (karst_field_read(b->field, (karst_rect){column, row, column + 1, row + 1}, &v[1], &v[0], &v[2], 1))
        return false;
    const double at[3] = {column * s.spacing_m + (double)v[0], (double)v[1], row * s.spacing_m + (double)v[2]};
    for (int k = 0; k < 3; ++k) {
        double steps = round(at[k] / b->fine_m);
        if (!(fabs(steps) <= INT32_MAX)) return false;
        fine[k] = (int32_t)steps;
    }
    return true;
}

static bool has_seams(const karst_net *net) {
    for (int32_t k = 0; k < net->edge_count; ++k)
        if (net->edges[k].seam) return true;
    return false;
}

// The field that a net has seams with.
static karst_status open_beside(args *a, karst_project *project, const char *path, const karst_project_ground *ground,
                                const karst_net *net, beside *out) {
    const karst_pos *o = &ground->shape.origin;
    if (o->x != net->origin.x || o->y != net->origin.y || o->z != net->origin.z)
        return kst_fail(&a->report, KARST_ERROR_FORMAT,
                        "%s: the field has another origin since the net was fitted in its place: fit it anew, or karst "
                        "undo what moved the field",
                        path);
    *out = (beside){.fine_m = ldexp(1.0 / KARST_NET_FINE, net->step_log2)};
    karst_status status = karst_project_field(project, ground->id, 0, &out->field);
    return status ? kst_fail(&a->report, status, "%s", karst_project_message(project)) : KARST_OK;
}

// Whether the border still is where the field is.
static karst_status check_seams(args *a, karst_project *project, const char *path, const karst_project_ground *ground,
                                karst_net *net) {
    beside b;
    if (!has_seams(net)) return KARST_OK;
    karst_status status = open_beside(a, project, path, ground, net, &b);
    if (status) return status;
    status = karst_net_pin(net, vertex_of, &b, &a->report);
    karst_field_destroy(b.field);
    return status;
}

// How many patches of the world's field the net takes the place of, when it still meets it.
static karst_status count_replaced(args *a, const char *path, karst_net *net, int32_t *count) {
    karst_project *project;
    karst_project_ground ground;
    *count = 0;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &ground);
    if (status) kst_fail(&a->report, status, "%s", karst_project_message(project));
    if (!status && ground.id) status = check_seams(a, project, path, &ground, net);
    karst_project_close(project);
    if (status || !ground.id) return status;
    size_t patches = ((size_t)ground.shape.columns + 14) / 16 * (((size_t)ground.shape.rows + 14) / 16);
    uint8_t *in = malloc(patches + 1);
    if (!in) return kst_fail(&a->report, KARST_ERROR_MEMORY, "%s: out of memory for the patches of its field", path);
    status = karst_net_replaced(net, ground.shape.columns, ground.shape.rows, in, &a->report);
    for (size_t k = 0; k < patches && !status; ++k) *count += in[k];
    free(in);
    return status;
}

int patch_check(args *a, const char *path) {
    karst_net *net = NULL;
    zone_set set = {0};
    int32_t replaced = 0;
    karst_status status = net_look(a, path, &net);  // what comes out of a world keeps every rule of a net
    if (!status) status = count_replaced(a, path, net, &replaced);
    if (!status) status = zone_set_cut(net, &a->progress, &a->report, &set);
    if (!status) status = kst_progress_step(&a->progress, "check", 0.5);
    if (!status) status = karst_zones_check((const karst_zone *const *)set.zones, set.count, NULL, &a->report);
    if (status) {
        zone_set_free(&set);
        karst_net_destroy(net);
        return could_not(a, status);
    }
    net_tell(a, path, net);
    tell_shape(a, net, set.count);
    if (replaced) say(a, "in place of %d patches of the field\n", replaced);
    cJSON_AddNumberToObject(a->out, "replaced", replaced);
    zone_set_free(&set);
    karst_net_destroy(net);
    return EXIT_DONE;
}

// ---- follow --------------------------------------------------------------------------------------------

static karst_status follow(args *a, net_edit *e, const char *path, karst_net_followed *info) {
    karst_project_ground ground;
    karst_status status = karst_project_find_ground(e->project, KARST_PROJECT_FIELD, &ground);
    if (status) return kst_fail(&a->report, status, "%s", karst_project_message(e->project));
    if (!ground.id || !has_seams(e->net))
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                        "%s: no net takes the place of a field here: karst patch %s fit --replace", path, path);
    beside b;
    status = open_beside(a, e->project, path, &ground, e->net, &b);
    if (status) return status;
    status = karst_net_follow(e->net, vertex_of, &b, &a->report, info);
    if (!status) status = karst_net_pin(e->net, vertex_of, &b, &a->report);
    karst_field_destroy(b.field);
    return status;
}

int patch_follow(args *a, const char *path) {
    net_edit e;
    karst_net_followed info = {0};
    karst_status status = net_edit_begin(a, path, "patch follow", NET_NEEDED, &e);
    if (!status) status = net_edit_end(a, &e, follow(a, &e, path, &info));
    if (status) return could_not(a, status);
    say(a, "%d edges of seams moved, by %.3g m at most\n", info.edges, info.moved_m);
    cJSON_AddNumberToObject(a->out, "edges_moved", info.edges);
    cJSON_AddNumberToObject(a->out, "moved_m", info.moved_m);
    return EXIT_DONE;
}

// ---- weld ----------------------------------------------------------------------------------------------

enum { REPAIRS_TOLD = 20, REPAIRS_LISTED = 10000 };

typedef struct listener {
    args *a;
    cJSON *list;
    int count;
} listener;

static void hear(void *context, const karst_net_repair *r) {
    static const char *const kinds[] = {"corner", "edge", "bound", "turned", "removed"};
    static const char *const lines[] = {"corner %d became corner %d",
                                        "edge %d became edge %d",
                                        "edge %d became eighths %d to %d of edge %d",
                                        "patch %d turned over, its lower side was up",
                                        "patch %d removed: lost a side",
                                        "patch %d removed: patch %d again"};
    listener *l = context;
    char line[100];
    int form = r->kind == KARST_REPAIR_REMOVED && r->into != KARST_NET_NONE ? 5 : (int)r->kind;
    if (l->count++ < REPAIRS_TOLD) {
        if (r->kind == KARST_REPAIR_BOUND)
            snprintf(line, sizeof line, lines[form], r->index, r->from, r->to, r->into);
        else
            snprintf(line, sizeof line, lines[form], r->index, r->into);
        say(l->a, "  %s, at %.2f, %.2f, %.2f\n", line, r->at.x, r->at.y, r->at.z);
    }
    if (l->count > REPAIRS_LISTED || !l->a->json) return;
    const double at[3] = {r->at.x, r->at.y, r->at.z};
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "kind", kinds[r->kind]);
    cJSON_AddNumberToObject(row, "index", r->index);
    if (r->into != KARST_NET_NONE) cJSON_AddNumberToObject(row, "into", r->into);
    if (r->kind == KARST_REPAIR_BOUND) {
        const int eighths[2] = {r->from, r->to};
        cJSON_AddItemToObject(row, "eighths", cJSON_CreateIntArray(eighths, 2));
    }
    cJSON_AddItemToObject(row, "at", cJSON_CreateDoubleArray(at, 3));
    cJSON_AddItemToArray(l->list, row);
}

int patch_weld(args *a, const char *path) {
    bool bad = false;
    karst_net_weld_def def = karst_net_weld_def_default();
    karst_net_welded done = {0};
    def.distance_m = arg_real(a, "--distance", def.distance_m, 0, 1000, &bad);
    if (bad) return EXIT_USAGE;
    listener l = {.a = a, .list = cJSON_AddArrayToObject(a->out, "repairs")};
    def.tell = hear, def.context = &l, def.report = &a->report;
    net_edit e;
    karst_status status = net_edit_begin(a, path, "patch weld", NET_NEEDED, &e);
    if (!status) {
        int32_t before = open_edges(e.net);
        status = karst_net_weld(e.net, &def, &done);
        int32_t after = status ? 0 : open_edges(e.net);
        status = net_edit_end(a, &e, status);
        if (!status && l.count > REPAIRS_TOLD) say(a, "  ... and %d more\n", l.count - REPAIRS_TOLD);
        if (!status) say(a, "%d open edges, there were %d\n", after, before);
        cJSON_AddNumberToObject(a->out, "open_edges", after);
        cJSON_AddNumberToObject(a->out, "open_edges_before", before);
    }
    if (status) return could_not(a, status);
    say(a, "%d corners and %d edges merged, %d edges bound to larger ones, %d patches turned over, %d removed\n",
        done.corners, done.edges, done.bound, done.turned, done.removed);
    if (done.painted) say(a, "%d tile corners painted like those that they meet\n", done.painted);
    cJSON_AddNumberToObject(a->out, "merged_corners", done.corners);
    cJSON_AddNumberToObject(a->out, "merged_edges", done.edges);
    cJSON_AddNumberToObject(a->out, "bound_edges", done.bound);
    cJSON_AddNumberToObject(a->out, "painted", done.painted);
    cJSON_AddNumberToObject(a->out, "turned", done.turned);
    cJSON_AddNumberToObject(a->out, "removed", done.removed);
    return EXIT_DONE;
}
