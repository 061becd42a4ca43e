// SPDX-License-Identifier: MIT
// The command line: multi-resolution meshes read and told about, as karst mrm and karst info do it.
#pragma once
#include "app.h"
#include "karst/mrm.h"

// EXIT_DONE, or the line was said.
int mrm_open(args *a, const char *path, karst_mrm **out);
int mrm_info(args *a, const char *path);

// Figures and the curve, for people and into a->out.
void mrm_tell(args *a, const char *path, const karst_mrm *mrm);
