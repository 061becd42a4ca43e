// SPDX-License-Identifier: MIT
// Canvas: the ground that an edit sees, the sheet that it changes, the mask that limits it. See docs/sculpting.md.
#pragma once
#include "karst/base.h"
#include "karst/field.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A ground open for edits. Without layers `shown` and `target` are one field, made from any field:
/// (karst_canvas){field, field}; karst_project_canvas_open() makes one of a world, with its layers.
typedef struct karst_canvas {
    karst_field *shown;   ///< what the ground looks like: base and layers together; read this
    karst_field *target;  ///< what changes: the base or one layer; of the same shape, may be `shown` itself
    karst_field *mask;    ///< y 0..1 a vertex limits every edit; same shape; NULL: all may change
    /// Called after target changed in rect, so that shown follows; NULL when they are one field.
    karst_status (*changed)(void *context, karst_rect rect);
    void *context;
} karst_canvas;

/// Read the mask of vertices [rect), inside the ground: 0..1 whatever the mask holds, 1 everywhere when there is none.
/// `stride` floats a row. @return as karst_field_read()
KARST_API karst_status karst_canvas_read_mask(const karst_canvas *canvas, karst_rect rect, float *mask, int stride);

/// Make the ground look like y (x, z; both NULL: unchanged) at vertices [rect), `stride` floats a row. Only vertices
/// whose bits differ from what is shown change: a vertex left alone keeps every bit, in the target too. Where target is
/// a layer it takes the difference. The mask is not asked: who computes y has mixed it in.
/// @return as karst_field_write(); nothing has changed when it is KARST_ERROR_ARGUMENT (not finite)
/// Threads: one writer. Cost: a read and a write of the rect.
KARST_API karst_status karst_canvas_write(const karst_canvas *canvas, karst_rect rect, const float *y, const float *x,
                                          const float *z, int stride);

#ifdef __cplusplus
}
#endif
