// SPDX-License-Identifier: MIT
// The command line: verbs that change the ground of a world, each one undoable step.
#pragma once
#include "app.h"
#include "karst/canvas.h"
#include "karst/project.h"

// A world open for one step.
typedef struct edit {
    karst_project *project;
    karst_project_ground ground;
    karst_canvas canvas;
} edit;

// Open the world at path, its ground as a canvas, and begin the step `name`. On error the line is in a->report.
karst_status edit_begin(args *a, const char *path, const char *name, edit *out);
// Keep the step if status is KARST_OK, drop it otherwise, and close. The world is whole either way.
karst_status edit_end(args *a, edit *e, karst_status status);
