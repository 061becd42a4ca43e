// SPDX-License-Identifier: MIT
// Moving points of a finished net: what belongs together there, and what follows from points that moved, at a cost that
// does not grow with the net. See docs/patch.md.
#pragma once
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/// For each element k of one kind, entries of[first[k]] to of[first[k + 1] - 1], rising.
typedef struct karst_net_list {
    int32_t *first, *of;
} karst_net_list;

/// Who touches what in a finished net. Holds as long as nothing is added to it and no element names another one; points
/// may move. Read the lists; the rest is karst_net_moved()'s.
typedef struct karst_net_links {
    karst_net_list patches_of_corner;  ///< 4 * patch + which of its corners
    karst_net_list edges_of_corner;    ///< 2 * edge + which of its ends
    karst_net_list patches_of_edge;    ///< 4 * patch + which of its sides
    int32_t corner_count, edge_count, patch_count;
    const karst_allocator *allocator;
    struct kst_net_links_room *room;  ///< do not touch
} karst_net_links;

/// Find the links of a finished net. @param out yours until karst_net_links_free(); untouched on error
/// @return KARST_ERROR_MEMORY. Threads: any. Cost: O(net), 0.5 us a patch; 140 bytes each.
KARST_API karst_status karst_net_links_make(const karst_net *net, karst_net_links *out);
/// Free links; zeroes them.
KARST_API void karst_net_links_free(karst_net_links *links);

/// Points of a finished net have moved, nothing else: bring corners inside edges, normals, radii and sizes up to date,
/// to the bits that karst_net_finish() would give.
/// @param patches all patches of which a corner, a handle of an edge or an inner point moved
/// @param report one line that names the patch at fault and the remedy; may be NULL
/// @return KARST_ERROR_LIMIT: the net is not finished; move the points back, and call again with the same patches
/// Threads: one call a net. Cost: 3 us a patch moved and of those round it, and no allocation.
KARST_API karst_status karst_net_moved(karst_net *net, karst_net_links *links, const int32_t *patches, int32_t count,
                                       karst_report *report);

/// The 16 control points of a patch of a finished net, 4 j + i, i along s [steps]. Threads: any. Cost: O(1).
KARST_API void karst_net_patch_at(const karst_net *net, int32_t patch, int32_t out[16][3]);
/// The four control points of an edge [steps]. Threads: any. Cost: O(1).
KARST_API void karst_net_edge_at(const karst_net *net, int32_t edge, int32_t out[4][3]);
/// The place of a corner inside an edge, by that edge [steps]. Threads: any. Cost: O(1).
KARST_API void karst_net_inside_at(const karst_net *net, int32_t corner, int32_t out[3]);

#ifdef __cplusplus
}
#endif
