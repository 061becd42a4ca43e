// SPDX-License-Identifier: MIT
// karst export --stamp: a place of a world as a stamp for brushes.
#pragma once
#include "app.h"

// Rows of the verb's table of options.
// clang-format off
#define STAMP_OPTIONS \
    {"--stamp", "X,Z,R", "write the ground round X,Z, R m to each side, as a stamp of vectors (.exr .tif)"}, \
    {"--soft", "SHARE", "of the stamp's radius that fades out at its rim, 0..1 (0.15)"}, \
    {"--heights", NULL, "a stamp of heights alone"}, \
    {"--mask", "NAME", "of the world: the stamp's weight, see karst mask"}
// clang-format on

// The verb's exit code.
int export_stamp(args *a, const char *world, const char *out);
