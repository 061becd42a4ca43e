// SPDX-License-Identifier: MIT
// The command line: verbs that change the field of a world, each one undoable step.
#pragma once
#include "app.h"
#include "karst/canvas.h"
#include "karst/project.h"
#include "karst/sheet.h"

// Rows of every editing verb's table of options: what limits the edit, and what takes it.
// clang-format off
#define EDIT_OPTIONS \
    {"--mask", "NAME", "limit the change to a mask of the world, see karst mask"}, \
    {"--layer", "NAME", "change this layer in place of the base, see karst layer"}
// clang-format on

// A world open for one step.
typedef struct edit {
    karst_project *project;
    karst_project_ground ground;  // the field
    karst_canvas canvas;
    karst_project_canvas *sheets;  // owner of the fields of canvas
    bool kept;                     // edit_next() has kept a step
    int64_t head;                  // the step before them, 0 for none
} edit;

// The field of a world. Without one, and on any error, the line is in a->report.
karst_status edit_find_field(args *a, karst_project *project, const char *path, karst_project_ground *out);
// Open the world at path, its field as a canvas under --mask and --layer, and begin the step `name`. On error the line
// is in a->report.
karst_status edit_begin(args *a, const char *path, const char *name, edit *out);
// Open the world for reading and its field as it is now, whatever a writer does meanwhile.
karst_status edit_look(args *a, const char *path, edit *out);
// Close what edit_look() opened; zeroed is allowed.
void edit_leave(edit *e);
// The step at which a world stands, 0 for none.
karst_status edit_find_head(karst_project *project, int64_t *head);
// Keep what was done so far as a step of its own, and begin another of this name on the same canvas.
karst_status edit_next(args *a, edit *e, const char *name);
// Keep the step if status is KARST_OK, drop it otherwise, and undo those that edit_next() kept; close. The world is
// whole either way.
karst_status edit_end(args *a, edit *e, karst_status status);
// The mask of the world that an option names, to read, or to write (made when there is none). Before the canvas
// is used, which is opened anew. *out: NULL when the option is not given, else yours to flush and destroy before
// edit_end().
karst_status edit_open_mask(args *a, edit *e, const char *given, bool to_write, karst_field **out);
