// SPDX-License-Identifier: MIT
// Erosion: what water and gravity do to ground in a long time. See docs/erosion.md.
#pragma once
#include "karst/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Rain: drops that run downhill from cell to cell, take ground along where they run fast and lay it down where they
/// slow. They cut gullies and build fans; the large valleys are the rivers'. A drop is a cube of water one cell a side.
/// Heights and ways count in cells, so that no unit changes the result. Start from karst_droplets_def_default().
typedef struct karst_droplets_def {
    float drops;        ///< drops a cell, > 0; the same land in cells half as wide needs about 1.4 times as many a cell
    float reach_m;      ///< way after which a drop has dried up [m], at most 128 cells; 0: 30 cells
    float step_m;       ///< way between two looks at the ground [m], at most one cell; 0: one cell
    float inertia;      ///< share of its direction that a drop keeps over a cell, 0..1 (not 1)
    float capacity;     ///< ground that a full drop can carry on a slope of 1 [share of the drop], >= 0
    float least_slope;  ///< on flatter ground a drop carries as much as on this slope [m/m], >= 0
    float erode;        ///< share of what it could still carry that a drop takes up over a cell, 0..1
    float deposit;      ///< share of what it carries too much that it lays down over a cell, 0..1
    float gravity;      ///< how fast falling speeds a drop up: its speed squared grows by this for each cell of fall
    bool closed;        ///< nothing leaves: not over the edge, and not onto ground whose mask is 0
    uint32_t seed;      ///< other numbers give other drops
    uint32_t cookie;    ///< set by the default function, do not touch
} karst_droplets_def;

/// Gullies of a few metres on slopes, 0.3 drops a cell. Threads: any.
KARST_API karst_droplets_def karst_droplets_def_default(void);

/// Slides: ground steeper than its material bears moves down to its lower neighbours, until it rests.
/// Start from karst_thermal_def_default().
typedef struct karst_thermal_def {
    float talus;      ///< steepest slope that stays [m/m], > 0; where materials say their own, theirs counts
    float rate;       ///< share of what is too much that moves in a pass, 0..1
    float creep;      ///< share of every difference of heights that evens out in a pass, slides or not, 0..1
    int passes;       ///< >= 1; what slides comes about one cell further in a pass
    bool closed;      ///< nothing leaves over the edge; else the ground goes on beyond it as it comes
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_thermal_def;

/// Ten passes to slopes of 39 degrees (0.8). Threads: any.
KARST_API karst_thermal_def karst_thermal_def_default(void);

#ifdef __cplusplus
}
#endif
