// SPDX-License-Identifier: MIT
// Split: smaller patches where an author wants them, so that brushes have points to move. See docs/patch.md.
#pragma once
#include "karst/jobs.h"
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A sphere in which patches are to be small.
typedef struct karst_net_split_place {
    karst_pos at;     ///< world [m]
    double radius_m;  ///< >= 0, INFINITY: the whole net
    double side_m;    ///< patches that meet it are cut until their sides are no longer than this, > 0
} karst_net_split_place;

/// Parameters of a split. Start from karst_net_split_def_default().
typedef struct karst_net_split_def {
    const karst_net_split_place *places;  ///< their order does not matter
    int32_t place_count;                  ///< default 0
    const karst_progress *progress;
    karst_report *report;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_net_split_def;

/// No places.
KARST_API karst_net_split_def karst_net_split_def_default(void);

/// What a split did.
typedef struct karst_net_split_info {
    int32_t cut;    ///< patches cut, in four or in two; one that came of another counts anew
    int32_t edges;  ///< edges that became two
    int32_t held;   ///< patches there that stay longer than wanted: they have 2 tiles that way
} karst_net_split_info;

/// Cut patches of a finished net in smaller ones where places ask for it. A patch that a sphere meets, before
/// displacement, is halved along s and t where its longer side that way is longer than wanted and has 4 tiles or more,
/// so in four or in two, and so are those that come of it. The net is then finished; its pins go.
/// - The surface before displacement stays, to within rounding to whole steps. Tiles stay what they are, each with its
///   map, group and paint: a patch of N tiles gives patches of N / 2.
/// - Patches that are not cut take small ones as parts of their edge, halves to eighths. An edge which no patch takes
/// as
///   a whole any more becomes two, seams too, so there are always parts left to take.
/// - Displacement at the middle of what was cut stays; along new edges it is that of the calmest tile beside them. Maps
///   begin anew in each patch and repeat every 8 tiles: those of patches of 16 tiles go on as they were, of others each
///   quarter is turned so that it shows another quarter of the map.
/// - Numbers stay: of what was cut that at the least s and t keeps it, others come last.
/// @param info may be NULL @return KARST_ERROR_LIMIT, KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED: the net is as it was.
/// Threads: one call a net. Cost: O(net) for each halving, and 20 ns a patch and place; memory for the net twice.
KARST_API karst_status karst_net_split(karst_net *net, const karst_net_split_def *def, karst_net_split_info *info);

#ifdef __cplusplus
}
#endif
