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

static karst_status get_net(args *a, karst_project *project, const char *path, int needed, karst_net **out) {
    karst_status status = karst_project_get_net(project, NULL, out);
    if (!status && !*out && needed)
        status = kst_fail(&a->report, KARST_ERROR_ARGUMENT,
                          "%s: has no net of patches yet: karst patch %s sample, fit or import", path, path);
    return say_why(a, project, status);
}

karst_status net_look(args *a, const char *path, karst_net **out) {
    karst_project *project;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = get_net(a, project, path, NET_NEEDED, out);
    karst_project_close(project);
    return status;
}

karst_status net_edit_begin(args *a, const char *path, const char *name, int needed, net_edit *out) {
    net_edit e = {.path = path};
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &a->report, &e.project);
    if (status) return status;
    status = get_net(a, e.project, path, needed, &e.net);
    if (!status) status = say_why(a, e.project, karst_project_begin(e.project, name));
    if (status) {
        karst_net_destroy(e.net);
        karst_project_close(e.project);
    } else {
        *out = e;
    }
    return status;
}

void net_edit_replace(net_edit *e, karst_net *net) {
    karst_net_destroy(e->net);
    e->net = net;
}

karst_status net_edit_next(args *a, net_edit *e, const char *name) {
    karst_status status = e->kept ? KARST_OK : edit_find_head(e->project, &e->head);
    if (!status) status = karst_project_set_net(e->project, e->net);
    if (!status) status = karst_project_commit(e->project);
    if (!status) e->kept = true;
    if (!status) status = karst_project_begin(e->project, name);
    return say_why(a, e->project, status);
}

karst_status net_is_alone(args *a, const char *path, bool *alone) {
    karst_project *project;
    karst_net *net = NULL;
    int grounds = 0;
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &project);
    if (status) return status;
    status = karst_project_grounds(project, NULL, 0, &grounds);
    if (!status && !grounds) status = karst_project_get_net(project, NULL, &net);
    say_why(a, project, status);
    *alone = net != NULL;
    karst_net_destroy(net);
    karst_project_close(project);
    return status;
}

karst_status net_edit_end(args *a, net_edit *e, karst_status status) {
    if (!status) status = kst_progress_step(&a->progress, "keep", 0);
    if (!status) status = karst_project_set_net(e->project, e->net);
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
