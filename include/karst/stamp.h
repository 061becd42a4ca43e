// SPDX-License-Identifier: MIT
// Stamps: pictures of heights or of vectors that a brush presses into the ground. See docs/sculpting.md.
#pragma once
#include "karst/base.h"
#include "karst/canvas.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A stamp covers a square round its dab, its longer side two radii long; pixels are samples at their middles, rows
/// from the top. Row 0 is the far side for one who looks along -z at a dab that is not turned.
typedef struct karst_stamp {
    int width, height;  ///< pixels, >= 1
    int channels;       ///< 1: a height out of the ground; 3: right, up the picture, out; in radii
    float *samples;     ///< width * height * channels, interleaved, finite
} karst_stamp;

/// Room for a stamp, all zero. @param out yours until karst_stamp_destroy(); untouched on error
/// @return KARST_ERROR_MEMORY, KARST_ERROR_ARGUMENT (sizes below 1, channels neither 1 nor 3, over 2^28 samples)
KARST_API karst_status karst_stamp_create(int width, int height, int channels, karst_stamp **out);

/// Free a stamp. NULL is allowed.
KARST_API void karst_stamp_destroy(karst_stamp *stamp);

/// Bring the channels of a file in order: which of them is right, up and out, as programs disagree. Three letters of r,
/// g, b, each after - where it counts the other way: "rgb" is how brushes of sculpting programs are exchanged, "rbg"
/// how displacement maps on a surface are (out in green). @return KARST_ERROR_ARGUMENT when the text is none of these
KARST_API karst_status karst_stamp_axes(karst_stamp *stamp, const char *axes);

/// Make a stamp of the ground in a square of half side radius_m round centre: how far the ground there lies from its
/// rest place, with the height of the rim (the mean on the circle) as 0. Pixels are as dense as vertices, an odd number
/// of them; pressed with the same radius on a vertex of flat ground of the same spacing it is the shape again. The mask
/// is its weight, and a soft border fades it out from 1 - soft of the radius to the circle; outside the circle it is 0.
/// @param channels 1: heights alone; 3: vectors @param out yours until karst_stamp_destroy(); untouched on error
/// @return KARST_ERROR_ARGUMENT (a radius below two vertices, or nothing inside the ground), KARST_ERROR_MEMORY, and as
/// karst_field_read() Threads: as reads. Cost: O(vertices in the square).
KARST_API karst_status karst_stamp_take(const karst_canvas *canvas, karst_pos centre, double radius_m, double soft,
                                        int channels, karst_stamp **out);

#ifdef __cplusplus
}
#endif
