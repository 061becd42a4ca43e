// SPDX-License-Identifier: MIT
// The command line: parts of a ground and ranges of numbers.
#pragma once
#include "app.h"
#include "karst/field.h"

// Row of a verb's table of options.
#define PART_OPTION \
    { "--area", "X0,Z0,X1,Z1", "only vertices whose rest places lie in this part [world m] (all)" }

// The vertices that --area selects of a ground, or all. False, and one line is said, on nonsense and when they are
// fewer than least x least.
bool arg_area(args *a, const karst_field_shape *shape, int least, karst_rect *out);

// "A..B", "A..", "..B" with A <= B, an open end infinite; then "~S", softness >= 0, may follow where soft is not NULL.
// False when not given; nonsense prints one line and sets *bad.
bool arg_range(args *a, const char *name, double *low, double *high, double *soft, bool *bad);
