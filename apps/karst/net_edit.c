// SPDX-License-Identifier: MIT
// The command line: one step on the net of a world.
#include "net_edit.h"

#include "edit.h"
#include "karst/history.h"

// The project's line, when the failing call left it there.
static karst_status say_why(args *a, const karst_project *project, karst_status status) {
    const char *line = project ? karst_project_message(project) : "";
    if (status && !a->report.message[0]) kst_fail(&a->report, status, "%s", line[0] ? line : karst_status_text(status));
    return status;
}

// The ground of a world's net, with id 0 when there is none, and the net if it is read.
static karst_status get_net(args *a, karst_project *project, const char *path, net_use use,
                            karst_project_ground *ground, karst_net **out) {
    karst_project_ground g = {0};
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_PATCH, &g);
    *ground = g;
    bool read = use == NET_NEEDED || (use == NET_REPLACED && arg_flag(a, "--add"));
    if (!status && g.id && read) status = karst_project_get_net(project, g.id, NULL, out);
    if (!status && !g.id && use != NET_REPLACED)
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                          "%s: has no net of patches yet: karst patch %s sample, fit or import", path, path);
    return say_why(a, project, status);
}

karst_status net_look(args *a, const char *path, karst_net **out) {
    karst_project *project;
    karst_project_ground ground;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = get_net(a, project, path, NET_NEEDED, &ground, out);
    karst_project_close(project);
    return status;
}

karst_status net_edit_begin(args *a, const char *path, const char *name, net_use use, net_edit *out) {
    net_edit e = {.path = path};
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &a->report, &e.project);
    if (status) return status;
    karst_project_ground ground;
    status = get_net(a, e.project, path, use, &ground, &e.net);
    e.ground = ground.id;
    e.patches = ground.net.patch_count;
    if (!status) status = say_why(a, e.project, karst_project_begin(e.project, name));
    if (status) {
        karst_net_destroy(e.net);
        karst_project_close(e.project);
    } else {
        *out = e;
    }
    return status;
}

void net_edit_replace(net_edit *e, karst_net *net, const char *source) {
    karst_net_destroy(e->net);
    e->net = net;
    snprintf(e->source, sizeof e->source, "%s", source);
}

// What stands here becomes the world's net.
static karst_status keep(net_edit *e) {
    karst_status status = KARST_OK;
    if (e->net && e->ground)
        status = karst_project_set_net(e->project, e->ground, e->net);
    else if (e->net)
        status = karst_project_add_net(e->project, NULL, e->net, &e->ground);
    else if (e->ground)
        status = karst_project_remove_ground(e->project, e->ground);
    if (!status && e->net && e->source[0]) status = karst_project_set_source(e->project, e->ground, e->source, 0);
    return status;
}

bool net_edit_adds(const args *a, const net_edit *e) {
    return arg_flag(a, "--add") && e->net;
}

karst_status net_edit_put(args *a, net_edit *e, karst_net *net, const char *source) {
    if (!net_edit_adds(a, e)) {
        if (e->patches)
            say_note(a, "%s: the %d patches that were there go; --add keeps them, karst undo brings them back", e->path,
                     e->patches);
        net_edit_replace(e, net, source);
        return KARST_OK;
    }
    karst_status status = karst_net_append(e->net, net, &a->report);
    karst_net_destroy(net);
    return status ? status : karst_net_finish(e->net, &a->report);
}

karst_status net_edit_next(args *a, net_edit *e, const char *name) {
    karst_status status = e->kept ? KARST_OK : edit_find_head(e->project, &e->head);
    if (!status) status = keep(e);
    if (!status) status = karst_project_commit(e->project);
    if (!status) e->kept = true;
    if (!status) status = karst_project_begin(e->project, name);
    return say_why(a, e->project, status);
}

karst_status net_stands_alone(karst_project *project, bool *alone) {
    karst_project_ground field = {0}, patch = {0};
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_FIELD, &field);
    if (!status) status = karst_project_find_ground(project, KARST_PROJECT_PATCH, &patch);
    *alone = !field.id && patch.id;
    return status;
}

karst_status net_is_alone(args *a, const char *path, bool *alone) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = say_why(a, project, net_stands_alone(project, alone));
    karst_project_close(project);
    return status;
}

bool net_beside_field(const char *path) {
    karst_project *project;
    karst_project_ground field = {0}, patch = {0};
    if (karst_project_open(path, KARST_PROJECT_READ, NULL, &project)) return false;
    bool found = !karst_project_find_ground(project, KARST_PROJECT_FIELD, &field) &&
                 !karst_project_find_ground(project, KARST_PROJECT_PATCH, &patch) && field.id && patch.id;
    karst_project_close(project);
    return found;
}

karst_status net_edit_end(args *a, net_edit *e, karst_status status) {
    if (!status) status = kst_progress_step(&a->progress, "keep", 0);
    if (!status) status = keep(e);
    if (!status) status = karst_project_commit(e->project);
    say_why(a, e->project, status);
    if (status) {
        karst_project_rollback(e->project);
        if (e->kept && karst_project_go(e->project, e->head, NULL))
            kst_fail(&a->report, status, "%s; karst undo takes back what was done before",
                     karst_project_message(e->project));
    } else {
        net_tell(a, e->path, e->net);
    }
    karst_net_destroy(e->net);
    karst_project_close(e->project);
    *e = (net_edit){0};
    return status;
}

void net_tell(args *a, const char *path, const karst_net *net) {
    cJSON_AddStringToObject(a->out, "world", path);
    if (!net) {
        say(a, "%s: has no patches any more\n", path);
        cJSON_AddNumberToObject(a->out, "patches", 0);
        return;
    }
    int32_t zones = karst_net_zones(net, NULL, 0);
    say(a, "%s: a net of %d patches, %d edges, %d corners in %d zones\n", path, net->patch_count, net->edge_count,
        net->corner_count, zones);
    cJSON_AddNumberToObject(a->out, "patches", net->patch_count);
    cJSON_AddNumberToObject(a->out, "edges", net->edge_count);
    cJSON_AddNumberToObject(a->out, "corners", net->corner_count);
    cJSON_AddNumberToObject(a->out, "zones", zones);
}
