// SPDX-License-Identifier: MIT
// Pens: what a stroke draws on, a field or a net. The path and its dabs are the same.
#pragma once
#include "karst/stroke.h"
#include "karst/surface.h"

typedef struct kst_pen {
    void *context;
    karst_status (*top)(void *context, double x, double z, double *y, bool *found);  // the highest ground
    karst_status (*cast)(void *context, const karst_ray *ray, karst_pos *at, bool *found);
    karst_status (*dab)(void *context, const karst_brush_def *def, const karst_dab *dab, karst_touched *out);
    // Keep what a grab's dab may change; *kept false: too much, so it is made once, when the stroke ends.
    karst_status (*keep)(void *context, const karst_brush_def *def, const karst_dab *dab, bool *kept);
    karst_status (*put_back)(void *context);  // what was kept
    void (*destroy)(void *context);           // of the context; NULL: nothing
} kst_pen;

// As karst_stroke_create(). The context is the stroke's, also its destroy.
karst_status kst_stroke_create(const kst_pen *pen, const karst_brush_def *def, const karst_progress *progress,
                               karst_stroke **out);
