// SPDX-License-Identifier: MIT
// The command line: export of nets of patches.
#pragma once
#include "app.h"
#include "karst/geo.h"

// Rows of the table of options of karst export.
// clang-format off
#define NET_EXPORT_OPTIONS \
    {"--net", NULL, "the net of patches, not the field: as triangles (the default where there is no field)"}, \
    {"--level", "N", "of a net: every 2^N-th finest vertex, 0..3; 2 is a tile's corners (0)"}
// clang-format on

// Is it the net of this world or pack that is wanted, by --net or for want of a field? What cannot be opened is not.
bool export_wants_net(args *a, const char *path, bool world);
// Write it as a mesh. Nonsense is said and sets *usage.
karst_status export_net(args *a, const char *path, bool world, const char *out, bool *usage, karst_export_info *info);
