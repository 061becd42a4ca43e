// SPDX-License-Identifier: MIT
// The command line: worlds that appear whole or not at all.
#pragma once
#include "app.h"
#include "karst/project.h"

// A world that a verb changes: the one at path, or a new one under a passing name until world_finish.
typedef struct world {
    karst_project *project;
    const char *path;
    char *passing;  // NULL: the world was there
} world;

// Start a new world for path, which must be free.
karst_status world_create(world *w, const char *path, karst_report *report);
// Open the world at path for editing, or start a new one when there is none.
karst_status world_open_or_create(world *w, const char *path, karst_report *report);
// Close; a new world gets its name if status is KARST_OK and leaves nothing behind otherwise.
karst_status world_finish(world *w, karst_status status, karst_report *report);
