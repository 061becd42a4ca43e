// SPDX-License-Identifier: MIT
// The command line: models in and told about, as several verbs do it.
#pragma once
#include "app.h"
#include "karst/geo.h"
#include "scenes/made.h"

// Options of every verb that reads a model; goes into its table.
#define MODEL_OPTIONS                                                                                            \
    {"--unit", "M", "metres in a unit of the file, 1e-9..1e9 (as the file says, else 1)"},                       \
        {"--up", "AXIS", "the axis that points up in the file: y or z (y; formats that say are turned)"},        \
        {"--merge", "M", "vertices up to this far apart become one [m] (only equal ones)"},                      \
        {"--crease", "DEGREES", "new normals: edges sharper than this are hard, 0..180 (the file's normals)"}, { \
        "--made", "NAME", "no file, a model made by code, or give made:NAME as FILE: " SCENE_MADE_NAMES          \
    }

// Read what the options and `path` say; path may be NULL with --made. EXIT_DONE, or the line was said.
int model_read(args *a, const char *path, karst_model_import_info *info, karst_model **out);

// Whether there was --made, so that no file is asked for.
bool model_is_made(const args *a);

// Figures of a model, for people and into a->out.
int model_tell(args *a, const char *name, const karst_model *model, const karst_model_import_info *info);
