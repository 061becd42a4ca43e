// SPDX-License-Identifier: MIT
// Weld: make one net of parts that lie side by side, and mend what tools leave behind. See docs/patch.md.
#pragma once
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum karst_repair_kind {
    KARST_REPAIR_CORNER,   ///< corner `index` became corner `into`
    KARST_REPAIR_EDGE,     ///< edge `index` became edge `into`
    KARST_REPAIR_BOUND,    ///< edge `index` became eighths `from` to `to` of edge `into`
    KARST_REPAIR_TURNED,   ///< patch `index` was turned over: its neighbours saw its lower side
    KARST_REPAIR_REMOVED,  ///< patch `index` was removed: it had lost a side, or was patch `into` again
} karst_repair_kind;

/// One thing that a weld did.
typedef struct karst_net_repair {
    karst_repair_kind kind;
    int32_t index, into;  ///< as numbered before; into KARST_NET_NONE: nothing
    uint8_t from, to;     ///< of an edge: where on `into` its corners 0 and 1 are [eighths]
    karst_pos at;         ///< world [m]
} karst_net_repair;

/// Parameters of a weld. Start from karst_net_weld_def_default().
typedef struct karst_net_weld_def {
    double distance_m;  ///< corners up to this far apart become one, >= 0; default 0.01
    void (*tell)(void *context, const karst_net_repair *repair);  ///< of each repair, in order; NULL: nobody
    void *context;
    karst_report *report;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_net_weld_def;

/// 1 cm, nobody is told.
KARST_API karst_net_weld_def karst_net_weld_def_default(void);

/// How many repairs of each kind.
typedef struct karst_net_welded {
    int32_t corners, edges, bound, turned, removed;
    int32_t painted;  ///< tile corners of patches whose set or tint changed, since those that they met had another
} karst_net_welded;

/// Weld a net, finished or not, and finish it. In this order:
/// - A corner that stands alone becomes the nearest one of lower number within the distance; places stay those of the
///   lower number. Corners of seams come before all others.
/// - Edges between the same two corners become the one of least number, if they run alike: their middles are no further
///   apart than the distance or a quarter of their chord. Corners inside them go along.
/// - Patches that lost a side, lie on themselves or are the same as another go.
/// - A corner that stands alone becomes the nearest one inside an edge within the distance. An edge becomes a half, a
///   quarter or an eighth of another one if its ends lie within the distance of there, it runs alike, and both are open
///   there; its ends become corners inside that edge. What is bound to it goes along, down to eighths. A seam
///   goes with seams alone, by the vertices of the field that both have, however far apart.
/// - Neighbours run opposite ways along their edge: of patches that hang together the fewer ones are turned over.
/// - Edges and corners that no patch needs go. An edge that became one with a seam is a seam; one that has patches on
///   both sides now is none any more.
/// - Where something was joined, all patches that meet in a tile corner get the set of the highest rank there and the
///   mean of their tints. An edge takes the calmest map of those that it was made of, and where the maps of
///   what met were unlike, a corner's own displacement is of the calmest edge that ends there.
/// Numbers keep their order. A net that has nothing to mend keeps every bit, but for those.
/// Threads: one call a net. Cost: O(n log n). Of edges between the same two corners that run apart 64 are looked at.
/// @param info may be NULL
/// @return KARST_ERROR_FORMAT (an element names one that is not there; tiles that do not agree, told as a strip; or
/// what karst_net_finish() says), as karst_net_finish(); the net is then not finished
KARST_API karst_status karst_net_weld(karst_net *net, const karst_net_weld_def *def, karst_net_welded *info);

/// A strip: patches one beside the other whose sides must have the same number of tiles, since each edge has one. It
/// ends at open edges and at binds.
typedef struct karst_net_strip {
    int32_t patch;     ///< the least one of it
    int32_t axis;      ///< its numbers are those along s (0) or t (1) of that patch
    int32_t patches;   ///< how many, one that it crosses twice counts twice
    uint8_t tiles[2];  ///< least and most; unlike: what it may not be
    karst_pos at;      ///< of that patch, world [m]
} karst_net_strip;

/// All strips of a net, finished or not, whose patches name edges that are there: those of unlike numbers first, then
/// the longest. @param out room for `capacity` @return their number, which may be larger; KARST_NET_NONE: out of memory
/// Threads: any. Cost: O(n log n).
KARST_API int32_t karst_net_strips(const karst_net *net, karst_net_strip *out, int32_t capacity);

#ifdef __cplusplus
}
#endif
