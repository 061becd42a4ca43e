// SPDX-License-Identifier: MIT
// Patches from a field: a net that follows sampled ground within a tolerance, with large patches where it is smooth.
// See docs/patch.md.
#pragma once
#include "karst/field.h"
#include "karst/jobs.h"
#include "karst/net.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Parameters of a fit. Start from karst_net_fit_def_default().
typedef struct karst_net_fit_def {
    karst_rect rect;     ///< vertices of the field; empty, the default: all. What is over the last whole pair of tiles
                         ///< along x and z is left out
    double tolerance_m;  ///< most that the net may lie beside a vertex of the field at equal (u, v); default 0.1
    int tile_cells;      ///< cells of the field along a tile: 1, 2, 4 or 8; default 1. Patches have 2 to 16 tiles
    uint8_t slot;        ///< displacement map of all tiles, above the tolerance; default 0: none
    uint8_t noise_set;
    bool replace;  ///< the net is to take the place of the field: the region is cut to whole patches of the field (16
                   ///< cells, counted from cell 0) and the edges round it are seams, flat. tile_cells must be 1, the
                   ///< tolerance at most 0.9 m, the net's origin that of the field, the spacing a whole number of fine
                   ///< steps, and there must be ground along the border. Round a hole edges are open. Default false
    const karst_progress *progress;
    karst_report *report;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_net_fit_def;

/// All of the field within 0.1 m, a tile a cell, not displaced.
KARST_API karst_net_fit_def karst_net_fit_def_default(void);

/// What a fit came to.
typedef struct karst_net_fitted {
    int32_t patches, edges, corners;
    int32_t of_tiles[5];     ///< patches of 1 << k tiles a side
    int32_t over;            ///< patches that stay over the tolerance though they are of 2 tiles
    int32_t left_out;        ///< pairs of tiles left out for a hole under them
    double worst_m, mean_m;  ///< distance between net and field at equal (u, v), at the field's vertices
    karst_rect rect;         ///< what it covers
} karst_net_fitted;

/// Fill an empty net with patches through a region of a field. They begin at 16 tiles and are cut in four until they
/// fit; small ones bind to large ones. Borders and insides are tangent to the field where that is close enough, else
/// least squares. The net is then finished, its zones counted from its own origin.
/// @param field read only @param info may be NULL
/// Threads: one call a net; the field is read. Cost: about 1 us a vertex; 24 bytes each while it runs.
/// @return as karst_net_finish(), karst_field_read(); KARST_ERROR_ARGUMENT (tolerance, tile_cells, a rect outside or
/// smaller than two tiles, what `replace` asks for), KARST_ERROR_CANCELLED. The net is then not finished
KARST_API karst_status karst_net_from_field(karst_net *net, karst_field *field, const karst_net_fit_def *def,
                                            karst_net_fitted *info);

#ifdef __cplusplus
}
#endif
