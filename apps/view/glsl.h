// SPDX-License-Identifier: MIT
// GLSL: a program of two stages.
#pragma once
#include "karst/base.h"

// Name of the program, or 0: the report then says why `what` ("text") cannot be drawn here.
unsigned glsl_link(const char *what, const char *vertex, const char *fragment, karst_report *report);
