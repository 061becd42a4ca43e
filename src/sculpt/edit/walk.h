// SPDX-License-Identifier: MIT
// A walk over a rectangle of vertices in strips of rows: read with a halo, look or change row by row, write what
// changed.
//
// The halo of a strip is what the ground was before the walk: rows that a strip before has changed are kept from before
// they were. So a row sees the same whatever the strips are, and memory is bounded for a rectangle of any size.
#pragma once
#include "core/core.h"
#include "karst/brush.h"

enum { KST_STRIP_SUMS = 8, KST_SCRATCH_ROWS = 16, KST_SPAN = 2048 };

typedef struct kst_strip {
    karst_field_shape shape;
    karst_rect rect;         // what the strip may change
    karst_rect held;         // rect and the halo, cut off at the borders of the ground
    int stride;              // of the three below
    const float *y, *x, *z;  // of held, as before the walk
    int width;               // of rect, and stride of what follows
    float *new_y, *new_x, *new_z;
    const float *mask;                   // NULL: 1 everywhere
    const float *ref_y, *ref_x, *ref_z;  // what restore goes toward; NULL without
    double *sums;                        // KST_STRIP_SUMS a row
    double *scratch;                     // KST_SCRATCH_ROWS rows of `scratch_width` a worker, for a span and its halo
    size_t scratch_width;
} kst_strip;

// Index of a vertex in the old planes and in the new ones.
static inline size_t kst_old_at(const kst_strip *s, int32_t column, int32_t row) {
    return (size_t)(row - s->held.z0) * (size_t)s->stride + (size_t)(column - s->held.x0);
}
static inline size_t kst_new_at(const kst_strip *s, int32_t column, int32_t row) {
    return (size_t)(row - s->rect.z0) * (size_t)s->width + (size_t)(column - s->rect.x0);
}
static inline double *kst_scratch_row(const kst_strip *s, int worker, int k) {
    return s->scratch + ((size_t)worker * KST_SCRATCH_ROWS + (size_t)k) * s->scratch_width;
}

// Memory that a stroke keeps from dab to dab. Zero-initialise.
typedef struct kst_work {
    void *memory;
    size_t bytes;
} kst_work;
void kst_work_free(kst_work *work);

// Vertices [x0, x1) of a row, at most KST_SPAN of them; a row's spans come in order, on one worker.
typedef void kst_row_fn(const kst_strip *strip, int32_t row, int32_t x0, int32_t x1, int worker, void *context);

typedef struct kst_walk {
    const karst_canvas *canvas;
    karst_jobs *jobs;
    const karst_progress *progress;
    kst_work *work;
    karst_rect rect;
    int halo;       // vertices
    bool looks;     // nothing is written: rows add to sums
    bool restores;  // fill ref_*
    karst_toward toward;
    karst_field *reference;
    karst_field *paint;  // its y is what changes, and is in ref_y as it was; NULL: the canvas
    kst_row_fn *row;     // changes the new planes there, or adds to the row's sums
    void *context;
} kst_walk;

// Row by row, on all workers. sums (KST_STRIP_SUMS; may be NULL) gets the rows' added in order, touched is added to.
karst_status kst_walk_run(const kst_walk *walk, double *sums, karst_touched *touched);
