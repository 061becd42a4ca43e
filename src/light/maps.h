// SPDX-License-Identifier: MIT
// Look maps: what a renderer wants to know of the land beside its shape: normals, sky visibility, curvature,
// drainage and a coarse height, over the whole ground. See docs/look.md. How bake calls it:
//
//     kst_look *look;
//     kst_look_create(&shape, def->map_side, &look);
//     kst_look_read(look, displaced, give_row, context, jobs, progress);
//     kst_look_build(look, jobs, progress, maps);                      // "normal", "relief", "height"
//     ... write the maps ...
//     kst_look_destroy(look);                                          // frees the samples too
//
// Memory: about 30 bytes a map sample. Bytes do not depend on jobs.
#pragma once
#include "core/core.h"
#include "karst/field.h"
#include "karst/pack.h"

enum { KST_LOOK_MAPS = 3 };

// What the bytes of "relief" mean, for those who read them: {sky visibility, curvature over 13 samples, over 3,
// drainage}. value = (byte - 128) / 127 * range for curvatures, in sides of a map sample; log2(samples drained) = byte
// / 10.
#define KST_LOOK_CURVATURE_WIDE 2.0f
#define KST_LOOK_CURVATURE_NEAR 0.5f
#define KST_LOOK_FLOW_CODES 10.0f

typedef struct kst_look kst_look;

// Size of the maps: a sample a cell, or the largest that keeps the shape within map_side.
void kst_look_size(int columns, int rows, int map_side, int *width, int *height);

karst_status kst_look_create(const karst_field_shape *shape, int map_side, kst_look **out);
void kst_look_destroy(kst_look *look);

// Gives one vertex row: heights y [m], sideways displacement x and z [m] (NULL when not displaced), and one byte a cell
// for the holes between it and the next row (of the last row not looked at). Called from any thread, more than once a
// row. Heights of holes do not matter.
typedef void kst_look_row_fn(void *context, int row, float *y, float *x, float *z, uint8_t *holes);

// Take in all rows.
karst_status kst_look_read(kst_look *look, bool displaced, kst_look_row_fn *fn, void *context, karst_jobs *jobs,
                           const karst_progress *progress);

// Make the maps, after all rows were read. samples stay the look's.
// "normal"  u8 x 2: mean normal x and z, value = (byte - 128) / 127, y positive
// "relief"  u8 x 4: see above
// "height"  u16 x 1: height relative to the ground's origin [m]
karst_status kst_look_build(kst_look *look, karst_jobs *jobs, const karst_progress *progress,
                            karst_map maps[KST_LOOK_MAPS]);
