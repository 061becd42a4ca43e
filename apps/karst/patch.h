// SPDX-License-Identifier: MIT
// The command line: sub-commands of karst patch.
#pragma once
#include "app.h"
#include "karst/net.h"
#include "table.h"

int patch_sample(args *a, const char *path);
int patch_fit(args *a, const char *path);
int patch_import(args *a, const char *path);
int patch_remove(args *a, const char *path);
int patch_check(args *a, const char *path);
int patch_follow(args *a, const char *path);
int patch_weld(args *a, const char *path);
int patch_noise(args *a, const char *path);
int patch_tile(args *a, const char *path);
int patch_split(args *a, const char *path);

// --set: a tile set's number; KARST_NET_NONE when not given. Nonsense says a line and sets *bad.
int patch_arg_set(args *a, bool *bad);
// Places of --dabs, of --at and --radius, or one that holds everything: rows of PATCH_DAB numbers x, y, z, radius, and
// the group that the line names or -1. grouped: it may name one.
enum { PATCH_DAB = 5 };
int patch_read_dabs(args *a, bool grouped, table *out);
#define PATCH_SET_NAMES "earth, grass, rock, moss, sand, path"
