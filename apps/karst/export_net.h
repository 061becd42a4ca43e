// SPDX-License-Identifier: MIT
// The command line: export of nets of patches.
#pragma once
#include "app.h"
#include "karst/geo.h"

// Rows of the table of options of karst export.
// clang-format off
#define NET_EXPORT_OPTIONS \
    {"--net", NULL, \
     "the net of patches, not the field: as triangles (the default where there is no field; a pack whose net takes the " \
     "place of a part of its field is written with both)"}, \
    {"--level", "N", "of a net: every 2^N-th finest vertex, 0..3; 2 is a tile's corners (0)"}
// clang-format on

// What of a world or a pack is written.
typedef enum export_what { EXPORT_FIELD, EXPORT_NET, EXPORT_BOTH } export_what;

// The net by --net or for want of a field; both of a pack where they meet. What cannot be opened is a field.
export_what export_choose(args *a, const char *path, bool world);
// Write the net, or both, as a mesh. Nonsense is said and sets *usage.
karst_status export_net(args *a, const char *path, bool world, export_what what, const char *out, bool *usage,
                        karst_export_info *info);
