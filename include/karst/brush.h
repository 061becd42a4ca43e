// SPDX-License-Identifier: MIT
// Brushes: change the ground inside a sphere. See docs/sculpting.md.
//
// A brush is a sphere in space, not a disc in the plane: it takes the vertices whose place lies in it, so at the foot
// of a cliff it leaves the top alone, and on an overhang it takes the sheet that is within the sphere.
#pragma once
#include "karst/base.h"
#include "karst/canvas.h"
#include "karst/jobs.h"
#include "karst/stamp.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a dab does to a vertex of weight 1. Kinds that move by metres take strength as metres, the others as a share.
typedef enum karst_brush_kind {
    KARST_BRUSH_RAISE,    ///< moves it out by strength [m]
    KARST_BRUSH_LOWER,    ///< moves it in by strength [m]: digs
    KARST_BRUSH_SMOOTH,   ///< toward the mean of its neighbours within detail_m, by a share
    KARST_BRUSH_SHARPEN,  ///< away from that mean, by a share
    KARST_BRUSH_FLATTEN,  ///< onto the plane through the mean of the footprint, by a share
    KARST_BRUSH_PINCH,    ///< toward the line through the centre, by a share; a negative share spreads
    KARST_BRUSH_GRAB,     ///< by the way from the stroke's first point to its last, times strength
    KARST_BRUSH_PULL,     ///< by the way from the dab before to this one, times strength: drags ground along
    KARST_BRUSH_NOISE,    ///< by seeded noise of size detail_m, up to strength [m] in and out
    KARST_BRUSH_RESTORE,  ///< toward how it was (karst_brush_def.toward), by a share
    KARST_BRUSH_STAMP,    ///< by the stamp: height stamps strength metres at 1, vector stamps strength times radius
    KARST_BRUSH_KIND_COUNT
} karst_brush_kind;

/// Which way is out.
typedef enum karst_brush_along {
    KARST_ALONG_VERTICAL,  ///< up
    KARST_ALONG_VIEW,      ///< toward the eye
    KARST_ALONG_NORMAL,    ///< the mean normal of the footprint
    KARST_ALONG_VERTEX,    ///< each vertex's own normal
    KARST_ALONG_COUNT
} karst_brush_along;

/// Weight from the centre of the sphere to its skin.
typedef enum karst_falloff {
    KARST_FALLOFF_SMOOTH,  ///< 1 to 0 without an edge at either end
    KARST_FALLOFF_LINEAR,  ///< a cone
    KARST_FALLOFF_SHARP,   ///< a spike
    KARST_FALLOFF_FLAT,    ///< 1 everywhere inside
    KARST_FALLOFF_CUSTOM,  ///< the cubic through karst_brush_def.curve
    KARST_FALLOFF_COUNT
} karst_falloff;

/// What the restore brush goes back to.
typedef enum karst_toward {
    KARST_TOWARD_BASE,       ///< the ground without the layer that is edited: target must be one
    KARST_TOWARD_REFERENCE,  ///< karst_brush_def.reference
    KARST_TOWARD_COUNT
} karst_toward;

enum { KARST_RADIAL_MAX = 64 };

/// Parameters of a brush. Start from karst_brush_def_default().
typedef struct karst_brush_def {
    karst_brush_kind kind;
    karst_brush_along along;
    karst_falloff falloff;
    float curve[4];            ///< of the custom falloff: weight 0..1 at the centre, 1/3, 2/3 and the skin
    double radius_m;           ///< of the sphere, > 0, any size
    double strength;           ///< a dab, at the centre; metres or share as the kind says
    bool per_second;           ///< strength counts a second, not a dab
    double spacing;            ///< of dabs along a stroke, share of the radius, > 0
    double detail_m;           ///< of smooth and sharpen: half width of the mean, 0: one vertex; of noise: its size
    double pressure_size;      ///< 0..1: how far the pen's pressure governs the radius
    double pressure_force;     ///< 0..1: the same for the strength
    double tilt;               ///< how far the pen's tilt turns the way out; 0: not at all
    bool mirror_x, mirror_z;   ///< a dab's image across the plane x = (z =) middle
    int radial;                ///< images round the vertical through middle, 1: the dab alone, at most KARST_RADIAL_MAX
    karst_pos middle;          ///< of the symmetry
    double vary_turn;          ///< 0..1 of a full turn, at random, of stamps
    double vary_size;          ///< 0..1: a dab may be this share smaller
    double vary_force;         ///< 0..1: or weaker
    double vary_place;         ///< 0..1 of the radius aside
    double turn;               ///< of stamps, in full turns, counter-clockwise seen from outside
    bool follow;               ///< stamps turn with the stroke
    uint64_t seed;             ///< of noise and of all that varies
    const karst_stamp *stamp;  ///< of KARST_BRUSH_STAMP, yours
    karst_toward toward;
    /// Paint in place of moving ground: raise adds strength to the y of this field inside the sphere, lower takes it
    /// away, within 0..1. A mask of the canvas's shape, yours; NULL: the ground moves.
    karst_field *paint;
    karst_field *reference;  ///< of the canvas's shape, yours; NULL: none
    uint32_t cookie;         ///< set by the default function, do not touch
} karst_brush_def;

/// Raise, vertical, smooth falloff, 10 m, 1 m a dab, a dab every quarter of a radius, pressure governs the strength.
KARST_API karst_brush_def karst_brush_def_default(void);

/// Whether all numbers are in range. @return KARST_OK or KARST_ERROR_ARGUMENT with what is wrong in report (or NULL)
KARST_API karst_status karst_brush_check(const karst_brush_def *def, karst_report *report);

/// Name of a kind as in stroke files ("raise"), static storage. Threads: any.
KARST_API const char *karst_brush_text(karst_brush_kind kind);

/// Weight of a place at distance share * radius from the centre; 0 from share 1 on. Threads: any. Cost: O(1).
KARST_API float karst_brush_weight(const karst_brush_def *def, double share);

/// One touch of a brush.
typedef struct karst_dab {
    karst_pos centre;      ///< world [m]
    karst_vec3 view;       ///< from the eye to the ground, any length; zero: straight down
    karst_vec3 motion;     ///< from the dab before to this one, or of the whole stroke (grab) [m]
    float pressure;        ///< 0..1
    float tilt_x, tilt_z;  ///< how far the pen's upper end leans along x and z: the sine, -1..1
    double seconds;        ///< since the dab before, for per_second
    uint64_t number;       ///< in its stroke, for what varies
} karst_dab;

/// What a dab or a stroke did.
typedef struct karst_touched {
    uint64_t dabs;     ///< made on ground; images of a symmetry count as one
    uint64_t samples;  ///< vertices that got new bits, each time
    karst_rect rect;   ///< holds all of them; empty when there are none
} karst_touched;

/// Make one dab. Vertices outside the sphere (of a stamp with flat falloff: outside the cube round it) and where the
/// mask is 0 keep every bit. A stroke does the same with memory kept from dab to dab. Asserts a def in range.
/// @param jobs NULL: the caller alone; the bytes are the same for any number of workers
/// @param progress for dabs of many million vertices; may be NULL. A cancelled dab is half-made: drop the step
/// @param out added to, so that several dabs add up; may be NULL
/// Threads: one writer a canvas. Cost: O(vertices near the sphere) time, in strips of rows of bounded memory.
/// @return KARST_ERROR_MEMORY, KARST_ERROR_CANCELLED, KARST_ERROR_ARGUMENT (a vertex would not be finite; restore
/// toward base without a layer, or toward a missing reference), and what the fields return
KARST_API karst_status karst_brush_dab(const karst_canvas *canvas, const karst_brush_def *def, const karst_dab *dab,
                                       karst_jobs *jobs, const karst_progress *progress, karst_touched *out);

#ifdef __cplusplus
}
#endif
