// SPDX-License-Identifier: MIT
// What a frame draws, seen from the field: for tests and benches of level of detail.
#pragma once
#include "karst/scene.h"

// All triangles of a frame by karst_frame_expand, three vertices each; *count receives how many. malloc'ed, NULL when
// there is no memory.
karst_drawn_vertex *scene_expand(const karst_frame *frame, const karst_scene *scene, int *count);

// Where each field vertex is drawn: the place of the drawn triangle over it, relative to frame.origin. at and seen:
// columns * rows; seen is 1 where a triangle lies.
void scene_drawn_places(const karst_drawn_vertex *triangles, int count, int columns, int rows, karst_vec3 *at,
                        uint8_t *seen);

// How far what is drawn lies from the field's own (baked) vertices on the screen of a view.
typedef struct scene_truth {
    double worst_px, reported_px;   // reported: the largest over the frames
    int64_t samples, over, unseen;  // over: samples further off than their frame reported
} scene_truth;

// Settle a frame for the view, without culling, and measure it. tell: share of what the frame reports that it is held
// to (1; less: a control). Adds to *truth.
karst_status scene_measure_truth(karst_scene *scene, karst_field *field, const karst_lattice *lattice,
                                 const karst_view *view, const karst_budget *budget, double tell, scene_truth *truth);
