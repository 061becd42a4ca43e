// SPDX-License-Identifier: MIT
// One bake, from a field to a pack.
#pragma once
#include "bake/graph.h"
#include "bake/sheet.h"
#include "karst/bake.h"
#include "pack/writer.h"
#include "surface/net.h"

// field NULL: the net alone.
karst_status kst_bake_run(karst_field *field, const char *path, const karst_bake_def *def, kst_graph *graph,
                          karst_report *report, karst_bake_info *info);

// The def, checked: NULL gives the default.
karst_status kst_bake_check(const karst_bake_def *def, karst_report *report, karst_bake_def *out);

// A hash of what this program makes of a small field and of another with a seam: keys of kept results hold it, so that
// results of another program, whose codecs, maps, errors or zones differ, are not taken for its own. Cost: about 10 ms.
karst_status kst_bake_version(uint64_t *out);

// ---- seam.c: a net in place of part of the field ------------------------------------------------------

typedef struct kst_bake_seams {
    karst_net *net;    // the caller's once more, to be pinned; NULL: it has no seams, and nothing else is set
    uint8_t *patches;  // of each patch of level 0 of the field: 1 where the net is in its place
    size_t patch_count;
    karst_pack_seam *corners;  // of patches on seams, by row, then column; whole when all zones are cut
    int32_t corner_count;
} kst_bake_seams;

// net NULL: none. Close it whatever comes back.
karst_status kst_bake_seams_open(const karst_net *net, const karst_field_shape *shape, karst_report *report,
                                 kst_bake_seams *out);
// Pin the net to the vertices as they are baked.
karst_status kst_bake_seams_pin(kst_bake_seams *seams, const kst_sheet *sheet, karst_report *report);
void kst_bake_seams_close(kst_bake_seams *seams);

// ---- net.c: zones ------------------------------------------------------------------------------------

// Zones of a net, cut one by one as the pack is written.
typedef struct kst_net_zones {
    const karst_net *net;
    kst_cutter *cutter;
    karst_noise_bank *bank;
    kst_bake_seams *seams;  // told of each zone
    karst_report *report;
} kst_net_zones;

// net NULL: none; that of the seams goes before it. Free it whatever comes back.
karst_status kst_net_zones_make(const karst_net *net, kst_bake_seams *seams, karst_report *report, kst_net_zones *out);
void kst_net_zones_contents(kst_net_zones *zones, kst_pack_contents *out);
void kst_net_zones_free(kst_net_zones *zones);
// The field of a pack that holds a net alone: one cell of hole.
karst_status kst_hole_field(const karst_net *net, karst_field **out);

// ---- maps.c: look maps -------------------------------------------------------------------------------

karst_status kst_maps_build(const kst_sheet *sheet, int32_t map_side, kst_graph *graph, kst_bytes *out,
                            karst_report *report);
// Put what was built into what the pack writer gets; it points into maps.
void kst_maps_contents(const kst_bytes *maps, kst_pack_contents *out);
