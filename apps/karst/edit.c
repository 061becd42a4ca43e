// SPDX-License-Identifier: MIT
// The command line: one step on the ground of a world.
#include "edit.h"

// The project's line, when the failing call left it there.
static karst_status say_why(args *a, const edit *e, karst_status status) {
    const char *line = e->project ? karst_project_message(e->project) : "";
    if (status && !a->report.message[0]) kst_fail(&a->report, status, "%s", line[0] ? line : karst_status_text(status));
    return status;
}

static karst_status open_ground(args *a, const char *path, edit *e) {
    int count = 0;
    karst_status status = karst_project_grounds(e->project, &e->ground, 1, &count);
    if (!status && !count)
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: has no ground yet: karst import or karst new", path);
    karst_field *field = NULL;
    if (!status) status = karst_project_field(e->project, e->ground.id, 0, &field);
    if (!status) e->canvas = (karst_canvas){.shown = field, .target = field};
    return status;
}

static void leave(edit *e) {
    karst_field_destroy(e->canvas.shown);
    karst_project_close(e->project);
    *e = (edit){0};
}

karst_status edit_begin(args *a, const char *path, const char *name, edit *out) {
    edit e = {0};
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &a->report, &e.project);
    if (!status) status = open_ground(a, path, &e);
    if (!status) status = karst_project_begin(e.project, name);
    say_why(a, &e, status);
    if (status)
        leave(&e);
    else
        *out = e;
    return status;
}

karst_status edit_end(args *a, edit *e, karst_status status) {
    if (!status) status = karst_field_flush(e->canvas.target);
    if (!status) status = karst_project_commit(e->project);
    say_why(a, e, status);
    if (status) karst_project_rollback(e->project);
    leave(e);
    return status;
}
