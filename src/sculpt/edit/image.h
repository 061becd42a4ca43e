// SPDX-License-Identifier: MIT
// Images: a dab and its likenesses under the brush's symmetry, in numbers ready for the rows.
#pragma once
#include "edit/vec.h"
#include "edit/walk.h"

enum { KST_IMAGES_MAX = 4 * KARST_RADIAL_MAX };

typedef struct kst_image {
    karst_pos centre;  // world
    double radius_m, amount;
    double m[4];          // the symmetry: x' = m0 x + m1 z, z' = m2 x + m3 z; orthogonal
    karst_pos view;       // unit, toward the eye
    karst_pos lean;       // added to the way out
    karst_pos motion;     // [m]
    karst_pos out;        // unit
    karst_pos mean;       // of the footprint, relative to the centre
    karst_pos right, up;  // of the stamp, unit
    double turn;          // of the stamp, full turns
} kst_image;

static inline karst_pos kst_image_of(const kst_image *i, karst_pos v) {
    return (karst_pos){i->m[0] * v.x + i->m[1] * v.z, v.y, i->m[2] * v.x + i->m[3] * v.z};
}
static inline karst_pos kst_image_back(const kst_image *i, karst_pos v) {
    return (karst_pos){i->m[0] * v.x + i->m[2] * v.z, v.y, i->m[1] * v.x + i->m[3] * v.z};
}

// The images of a dab; none when its radius or amount is 0. Directions that need the footprint come later.
int kst_images_make(const karst_brush_def *def, const karst_dab *dab, kst_image out[KST_IMAGES_MAX]);

// How far from the centre a vertex may be and be changed, in radii.
double kst_image_reach(const karst_brush_def *def);

// Whether the way out needs a look at the footprint first, and then the way: sums (KST_STRIP_SUMS) are those of
// kst_brush_look(), not read otherwise. False: the footprint is empty.
bool kst_image_looks(const karst_brush_def *def);
bool kst_image_orient(const karst_brush_def *def, kst_image *image, const double *sums);

// What one row function works with.
typedef struct kst_brush_run {
    const karst_brush_def *def;
    const kst_image *image;
    int image_count;
    int half;          // of the window of smooth and sharpen [vertices]
    karst_pos origin;  // of the field
} kst_brush_run;

// Weights of a span for one image, and the vertices' places relative to its centre. False: all weights are 0.
typedef struct kst_span {
    int32_t row, x0, x1;
    double *rx, *ry, *rz, *weight;
} kst_span;
void kst_weigh_places(const karst_brush_def *def, const kst_image *image, int count, const double *rx, const double *ry,
                      const double *rz, double *weight);
bool kst_weigh(const kst_strip *s, const kst_brush_run *run, const kst_image *image, kst_span *span);

// Rows of the walks: sums of the footprint of run->image[0] (weight; weighted place; weighted normal), and the change.
kst_row_fn kst_brush_look, kst_brush_change;

// What a vertex of weight 1 would move by: dx, dy, dz of a span. delta.c
void kst_brush_delta(const kst_strip *s, const kst_brush_run *run, const kst_image *image, const kst_span *span,
                     int worker, double *dx, double *dy, double *dz);

// The same where it follows from places and normals alone, on a grid or not (not of smooth, sharpen and restore). Along
// vertices dx, dy, dz hold their normals before, of any length. push.c
void kst_brush_push(const kst_brush_run *run, const kst_image *image, const kst_span *span, double *dx, double *dy,
                    double *dz);

// Images that overlap: add what one would do to sums that begin as 0; then the share of the summed movement that a
// vertex goes, into sum. push.c
typedef struct kst_mix {
    double *sum, *most, *x, *y, *z;
} kst_mix;
void kst_mix_add(const kst_mix *mix, int count, const double *weight, const double *dx, const double *dy,
                 const double *dz);
void kst_mix_shares(const kst_mix *mix, int count);

// Normal of a vertex from its neighbours, as long as the area round it.
karst_pos kst_vertex_normal(const kst_strip *s, int32_t column, int32_t row);
