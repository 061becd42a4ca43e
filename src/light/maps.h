// SPDX-License-Identifier: MIT
// Look maps: what a renderer wants to know of the land beside its shape: normals, sky visibility, curvature,
// drainage and a coarse height, over the whole ground. See docs/look.md. How bake calls it:
//
//     kst_look *look;
//     kst_look_create(&shape, def->map_side, &look);
//     for (row = 0; row < shape.rows; row += n)                        // every vertex row once, ascending
//         kst_look_add_rows(look, n, y, x, z, stride, holes, hole_stride);
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

// The next `count` vertex rows, `stride` floats apart: heights y, sideways displacement x and z (both NULL: none)
// [m]. holes: for each of these rows the flags of the cells between it and the next row, one byte a cell, NULL:
// none; the line of the last vertex row is not looked at. Heights of holes do not matter.
void kst_look_add_rows(kst_look *look, int count, const float *y, const float *x, const float *z, int stride,
                       const uint8_t *holes, int hole_stride);

// Make the maps, after all rows were added. samples stay the look's.
// "normal"  u8 x 2: mean normal x and z, value = (byte - 128) / 127, y positive
// "relief"  u8 x 4: see above
// "height"  u16 x 1: height relative to the ground's origin [m]
karst_status kst_look_build(kst_look *look, karst_jobs *jobs, const karst_progress *progress,
                            karst_map maps[KST_LOOK_MAPS]);
