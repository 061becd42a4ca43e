// SPDX-License-Identifier: MIT
// What the files of a net share.
#pragma once
#include <stdlib.h>

#include "surface/zone_record.h"

void kst_net_edge_points(const karst_net *net, int32_t edge, int32_t out[4][3]);
void kst_net_patch_points(const karst_net *net, int32_t patch, int32_t out[16][3]);
// From the first, as floats.
void kst_points_local(const int32_t points[16][3], karst_vec3 out[16]);
// Room for `count` corners inside edges, all KARST_NET_NONE.
karst_status kst_net_inside(karst_net *net, int32_t count);
// Tile corners of all patches by their noise sets; where patches meet, that of the highest rank. Of a finished net.
karst_status kst_net_share_sets(karst_net *net);
