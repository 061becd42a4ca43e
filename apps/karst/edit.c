// SPDX-License-Identifier: MIT
// The command line: one step on the field of a world.
#include "edit.h"

#include <stdlib.h>

#include "karst/history.h"

// The project's line, when the failing call left it there.
static karst_status tell_why(args *a, const karst_project *project, karst_status status) {
    const char *line = project ? karst_project_message(project) : "";
    if (status && !a->report.message[0]) kst_fail(&a->report, status, "%s", line[0] ? line : karst_status_text(status));
    return status;
}

static karst_status say_why(args *a, const edit *e, karst_status status) {
    return tell_why(a, e->project, status);
}

karst_status edit_find_field(args *a, karst_project *project, const char *path, karst_project_ground *out) {
    karst_status status = karst_project_find_ground(project, KARST_PROJECT_FIELD, out);
    if (!status && !out->id)
        return kst_fail(&a->report, KARST_ERROR_ARGUMENT, "%s: has no field yet: karst import adds one", path);
    return tell_why(a, project, status);
}

// Id of the sheet that an option names; 0 when the option is not given.
static karst_status named(args *a, const edit *e, const char *given, karst_sheet_kind kind, int64_t *id) {
    const char *name = arg_text(a, given, NULL);
    karst_sheet sheet = {0};
    karst_status status = KARST_OK;
    if (name) status = karst_project_find_sheet(e->project, e->ground.id, kind, name, &sheet);
    *id = sheet.id;
    return status;
}

static karst_status open_canvas(args *a, edit *e) {
    int64_t layer = 0, mask = 0;
    karst_status status = named(a, e, "--layer", KARST_SHEET_LAYER, &layer);
    if (!status) status = named(a, e, "--mask", KARST_SHEET_MASK, &mask);
    if (!status) status = karst_project_canvas_open(e->project, e->ground.id, layer, mask, 0, &e->sheets);
    if (!status) e->canvas = *karst_project_canvas_get(e->sheets);
    return status;
}

static karst_status open_ground(args *a, const char *path, edit *e) {
    karst_status status = edit_find_field(a, e->project, path, &e->ground);
    return status ? status : open_canvas(a, e);
}

void edit_leave(edit *e) {
    karst_project_canvas_close(e->sheets);
    karst_project_close(e->project);
    *e = (edit){0};
}

karst_status edit_look(args *a, const char *path, edit *out) {
    edit e = {0};
    karst_status status = karst_project_open(path, KARST_PROJECT_READ, &a->report, &e.project);
    if (!status) status = open_ground(a, path, &e);
    say_why(a, &e, status);
    if (status)
        edit_leave(&e);
    else
        *out = e;
    return status;
}

karst_status edit_begin(args *a, const char *path, const char *name, edit *out) {
    edit e = {0};
    karst_status status = karst_project_open(path, KARST_PROJECT_WRITE, &a->report, &e.project);
    if (!status) status = open_ground(a, path, &e);
    if (!status) status = karst_project_begin(e.project, name);
    say_why(a, &e, status);
    if (status)
        edit_leave(&e);
    else
        *out = e;
    return status;
}

karst_status edit_find_head(karst_project *project, int64_t *head) {
    int count = 0;
    karst_status status = karst_project_log(project, NULL, 0, &count);
    karst_history_step *steps = calloc((size_t)count + 1, sizeof *steps);
    if (!status && !steps) status = KARST_ERROR_MEMORY;
    if (!status) status = karst_project_log(project, steps, count, &count);
    *head = 0;
    for (int k = 0; k < count && !status; ++k)
        if (steps[k].current) *head = steps[k].id;
    free(steps);
    return status;
}

karst_status edit_next(args *a, edit *e, const char *name) {
    karst_status status = e->kept ? KARST_OK : edit_find_head(e->project, &e->head);
    if (!status) status = karst_project_canvas_flush(e->sheets);
    if (!status) status = karst_project_commit(e->project);
    if (!status) e->kept = true;
    if (!status) status = karst_project_begin(e->project, name);
    return say_why(a, e, status);
}

karst_status edit_end(args *a, edit *e, karst_status status) {
    if (!status) status = karst_project_canvas_flush(e->sheets);
    if (!status) status = karst_project_commit(e->project);
    say_why(a, e, status);
    if (status) {
        karst_project_rollback(e->project);
        karst_project_canvas_close(e->sheets);
        e->sheets = NULL;
        if (e->kept && karst_project_go(e->project, e->head, NULL))
            kst_fail(&a->report, status, "%s; karst undo takes back what was done before",
                     karst_project_message(e->project));
    }
    edit_leave(e);
    return status;
}

// Id of a mask; 0 when there is none of that name.
static karst_status look_for_mask(edit *e, const char *name, int64_t *id) {
    karst_sheet *sheets = NULL;
    int count = 0;
    karst_status status = karst_project_sheets(e->project, e->ground.id, NULL, 0, &count);
    *id = 0;
    if (status || !count) return status;
    size_t bytes = (size_t)count * sizeof *sheets;
    sheets = kst_alloc(NULL, bytes);
    if (!sheets) return KARST_ERROR_MEMORY;
    status = karst_project_sheets(e->project, e->ground.id, sheets, count, &count);
    for (int k = 0; k < count && !status; ++k)
        if (sheets[k].kind == KARST_SHEET_MASK && !strcmp(sheets[k].name, name)) *id = sheets[k].id;
    kst_free(NULL, sheets, bytes);
    return status;
}

karst_status edit_open_mask(args *a, edit *e, const char *given, bool to_write, karst_field **out) {
    const char *name = arg_text(a, given, NULL);
    int64_t id = 0;
    *out = NULL;
    if (!name) return KARST_OK;
    karst_status status = to_write ? look_for_mask(e, name, &id) : named(a, e, given, KARST_SHEET_MASK, &id);
    if (!status && !id) {
        karst_project_canvas_close(e->sheets);
        e->sheets = NULL;
        status = karst_project_add_sheet(e->project, e->ground.id, KARST_SHEET_MASK, name, &id);
        if (!status) status = open_canvas(a, e);
    }
    if (!status) status = karst_project_sheet_field(e->project, id, 0, out);
    return say_why(a, e, status);
}
