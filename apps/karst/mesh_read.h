// SPDX-License-Identifier: MIT
// Multi-resolution meshes by name: read, or built of what a model file holds or code makes.
#pragma once
#include "karst/jobs.h"
#include "karst/mrm.h"

// Whether a word names a mesh: made:NAME, a .kmrm file (by its first bytes), or a model file by its ending.
bool mesh_is(const char *what);

// Read or build it. On failure the report says why. *out is yours. progress may be NULL.
karst_status mesh_read(const char *what, const karst_progress *progress, karst_report *report, karst_mrm **out);
