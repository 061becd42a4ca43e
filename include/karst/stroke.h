// SPDX-License-Identifier: MIT
// Strokes: the path of a pen, made into dabs of a brush; recorded in files. See docs/sculpting.md.
#pragma once
#include "karst/base.h"
#include "karst/brush.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a point of a stroke says where it is.
typedef enum karst_point_kind {
    KARST_POINT_GROUND,  ///< on the highest ground at (x, z), as it is when the pen comes there
    KARST_POINT_SPACE,   ///< at (x, y, z)
    KARST_POINT_RAY,     ///< where the ray from position along view first meets the ground when the pen comes there
} karst_point_kind;

/// One event of a pen or mouse.
typedef struct karst_stroke_point {
    karst_point_kind kind;
    karst_pos position;    ///< world [m]; of a ray its origin
    karst_vec3 view;       ///< from the eye to the ground, any length; zero: straight down; of a ray its direction
    double time_s;         ///< not before the point before
    float pressure;        ///< 0..1
    float tilt_x, tilt_z;  ///< as in karst_dab
} karst_stroke_point;

/// A point on the ground at (x, z), pressure 1, seen from above, at time 0.
KARST_API karst_stroke_point karst_stroke_point_at(double x, double z);

typedef struct karst_stroke karst_stroke;

/// Begin a stroke on a canvas, which must outlive it. The first point makes a dab; then there is one every spacing *
/// radius of the path, wherever the points lie, so that the same path in more events is the same stroke. Between two
/// points everything is linear; where either lies on the ground, the dabs between do, each on what the dabs before
/// left. A point that meets no ground makes none and lifts the pen. Grab is one dab
/// from the first point to the last, made anew at every point from the ground before it (of more than 4 million
/// vertices when the stroke ends).
/// @param jobs, progress as for karst_brush_dab() @param out yours until karst_stroke_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY
KARST_API karst_status karst_stroke_create(const karst_canvas *canvas, const karst_brush_def *def, karst_jobs *jobs,
                                           const karst_progress *progress, karst_stroke **out);

/// Draw on to a point. Cost: O(vertices under its dabs). @return as karst_brush_dab()
KARST_API karst_status karst_stroke_add(karst_stroke *stroke, const karst_stroke_point *point);

/// End the stroke: what is left to do is done. @param out all that the stroke touched; may be NULL
/// @return as karst_brush_dab()
KARST_API karst_status karst_stroke_end(karst_stroke *stroke, karst_touched *out);

/// Free a stroke; what it drew stays. NULL is allowed.
KARST_API void karst_stroke_destroy(karst_stroke *stroke);

// ---- recorded strokes --------------------------------------------------------------------------------

enum { KARST_STROKE_NAME_BYTES = 64, KARST_STROKE_FILE_BYTES = 256 };

/// One recorded stroke.
typedef struct karst_recording {
    char name[KARST_STROKE_NAME_BYTES];   ///< for people and the history; may be empty
    char stamp[KARST_STROKE_FILE_BYTES];  ///< file of the brush's stamp, as the file says it; empty: none
    char axes[8];                         ///< of the stamp, for karst_stamp_axes()
    bool toward_begin;                    ///< restore goes toward the ground before the first stroke of the file
    karst_brush_def brush;                ///< its stamp and reference are NULL: who replays fills them in
    karst_stroke_point *points;
    size_t count;
} karst_recording;

/// The strokes of a file, in their order.
typedef struct karst_recordings {
    karst_recording *strokes;
    size_t count;
} karst_recordings;

/// Read strokes from text (docs/sculpting.md has the format). `name` stands before the line number in messages.
/// @param out yours until karst_recordings_free(); untouched on error
/// @return KARST_ERROR_FORMAT with NAME:LINE and what is wrong in report, KARST_ERROR_MEMORY, KARST_ERROR_LIMIT
KARST_API karst_status karst_recordings_parse(const char *text, size_t size, const char *name, karst_report *report,
                                              karst_recordings *out);

/// The same from a file. @return KARST_ERROR_FILE too
KARST_API karst_status karst_recordings_read(const char *path, karst_report *report, karst_recordings *out);

/// Write strokes; read back they are the same to the bit. Written beside and renamed. @return KARST_ERROR_FILE
KARST_API karst_status karst_recordings_write(const char *path, const karst_recordings *recordings,
                                              karst_report *report);

/// Free what a read gave; zeroes it.
KARST_API void karst_recordings_free(karst_recordings *recordings);

#ifdef __cplusplus
}
#endif
