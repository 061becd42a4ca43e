// SPDX-License-Identifier: MIT
// Governor: one budget for the whole frame, divided so that the largest visible error is least. See docs/governor.md.
//
// Everything that is drawn offers its error against its triangles: meshes the curve of their records, ground its error
// in pixels. One threshold of error serves all: each is as coarse as the threshold allows, and the threshold is the
// least that the budget pays for. The budget follows the measured frame time.
#pragma once
#include "karst/base.h"
#include "karst/mrm.h"
#include "karst/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct karst_governor karst_governor;

/// Parameters of a governor. Start from karst_governor_def_default().
typedef struct karst_governor_def {
    int32_t most_drawables;  ///< in any frame, 0..4194304; default 16384, about 60 bytes each
    float slack;  ///< what hysteresis may cost: the largest error is at most 1 + slack times the least possible, and a
                  ///< level gets coarser only where half of that is to spare; default 0.04, 0..1; 0: none
    int64_t start_triangles;  ///< of the first frames, until their time is known; default 1,000,000, > 0
    int64_t least_triangles;  ///< that frame time never takes away; default 50,000, 1..start_triangles
    int32_t latency_frames;   ///< updates from that which gave out a frame to that which is told its time: 1 for the
                              ///< processor's time, 2 or 3 for the device's; default 2, 1..16
    float time_band;          ///< the budget stays while the frame takes target * (1 - time_band)..target; default 0.1,
                              ///< 0.02..0.5
    const karst_allocator *allocator;
    uint32_t cookie;  ///< set by the default function, do not touch
} karst_governor_def;

/// 16,384 drawables, 4 % slack, a million triangles to start with, times two frames late.
KARST_API karst_governor_def karst_governor_def_default(void);

/// Make a governor: all the memory that it will ever use.
/// @param def NULL: the default @param out yours until karst_governor_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_governor_create(const karst_governor_def *def, karst_governor **out);
/// NULL is allowed.
KARST_API void karst_governor_destroy(karst_governor *governor);

enum { KARST_DRAWABLE_NEW = -1, KARST_DRAWABLE_LEVELS_MAX = 65535 };

/// Something that can be drawn at several levels. Keep it from frame to frame, in any order: `level` is its memory.
typedef struct karst_drawable {
    const karst_mrm_level *levels;  ///< coarse first, triangles rising, error_m falling: karst_mrm_curve(), or a table
                                    ///< of your own for proxies and sprites, whose `vertices` and `wedges` are yours
    int32_t level_count;            ///< 1..KARST_DRAWABLE_LEVELS_MAX
    float pixels_per_m;             ///< what an error of 1 m is on the screen now: scale / (distance *
                                    ///< karst_view_error_slope(view, 1)), finite, >= 0; 0 when it is not seen
    float weight;  ///< importance: its error counts so many times; 1: as it is, 4 for the player's own unit, >= 0
    uint32_t least_triangles;  ///< never less, where there is a level like that; 0: no such limit
    uint32_t most_triangles;   ///< never more, where there is a level like that; 0: no such limit
    int32_t level;             ///< in: of the last frame, or KARST_DRAWABLE_NEW; out: of this frame. Slide a mesh with
                               ///< karst_mrm_set_level(instance, levels[level].vertices)
} karst_drawable;

enum { KARST_GOVERNED_STEEPEST = 3 };

/// Ground, whose level of detail is an error in pixels: karst_budget.error_px. What it would draw with another error is
/// guessed from what it drew with the last, and settles within some frames. Start from
/// karst_governed_ground_default().
typedef struct karst_governed_ground {
    float weight;             ///< as of a drawable; default 1
    float least_px, most_px;  ///< range of error_px; default 0.5..32; 0 < least_px <= most_px
    float most_step;    ///< error_px grows or shrinks by no more than this factor a frame, so that ground slides and
                        ///< never pops; default 1.05, > 1; 0: no limit, as for still pictures. None either until it
                        ///< first came that near, nor after a frame whose triangles are not known: set 0 at a cut
    int64_t triangles;  ///< in: drawn last frame with error_px: karst_frame.figures.triangles; 0, default: not known,
                        ///< or none in sight: error_px then stays
    float drawn_px;     ///< in: largest error of that frame: karst_frame.figures.worst_error_px. Over error_px by more
                        ///< than a quarter, finer ground is on its way, and error_px gets no finer; default 0: as asked
    float error_px;     ///< in: of the last frame; out: of this one. Default 4, which is the first frame's; 0: most_px
    int32_t steepness;  ///< in and out, memory of it: half the pixels are taken to be 4^(2^steepness) times the
                        ///< triangles; default 0, 0..KARST_GOVERNED_STEEPEST
} karst_governed_ground;

/// Weight 1, half a pixel to 32, a twentieth a frame at most, 4 to begin with.
KARST_API karst_governed_ground karst_governed_ground_default(void);

/// Tell a ground what its last frame drew: `triangles` and `drawn_px`. Threads: any.
KARST_API void karst_governed_ground_tell(karst_governed_ground *ground, const karst_frame *frame);

/// What a frame may cost.
typedef struct karst_governor_input {
    int64_t most_triangles;         ///< of all drawables and the ground, >= 0
    float target_ms;                ///< a frame should take no longer; 0: only triangles count
    float frame_ms;                 ///< measured time of the frame `latency_frames` ago; 0: not known
    karst_governed_ground *ground;  ///< NULL: none
} karst_governor_input;

enum { KARST_WORST_NONE = -1, KARST_WORST_GROUND = -2 };

/// What came out.
typedef struct karst_governor_figures {
    int64_t budget_triangles;  ///< that this frame had
    int64_t triangles;         ///< expected to be drawn, ground included
    float error_px;            ///< the threshold: what limits let be finer is over it by half the slack at most
    float worst_error_px;      ///< largest error on the screen times weight
    int32_t worst;             ///< whose that is: a drawable, KARST_WORST_GROUND, KARST_WORST_NONE
    int32_t changed;           ///< drawables with another level than last frame, new ones included
    int32_t probes;            ///< passes over all drawables
    float median_ms;           ///< frame time that the budget went by, 0 before there is one
    bool is_over;              ///< even the coarsest of all is over the budget, and is given out
} karst_governor_figures;

/// Divide the budget of a frame. Deterministic: the same calls give the same levels. No clock, no allocation, no
/// thread.
/// @param drawables read, and their levels written @param count 0..most_drawables @param out may be NULL
/// Threads: one update of a governor at a time. Cost: O(count) a pass; some 5 passes when little changed, 100 at most.
KARST_API void karst_governor_update(karst_governor *governor, const karst_governor_input *input,
                                     karst_drawable *drawables, int count, karst_governor_figures *out);

/// Forget frame times and thresholds, as after a loading screen; levels in drawables are the caller's.
KARST_API void karst_governor_reset(karst_governor *governor);

#ifdef __cplusplus
}
#endif
