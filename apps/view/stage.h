// SPDX-License-Identifier: MIT
// Stage: one multi-resolution mesh at one level, lit or by its triangles, in parts of the picture.
#pragma once
#include "karst/mrm.h"
#include "orbit.h"

typedef struct stage stage;

// On the context that is current. The mesh must stay. @return KARST_ERROR_MEMORY, KARST_ERROR_UNSUPPORTED (report says
// why)
karst_status stage_create(const karst_mrm *mrm, karst_report *report, stage **out);
void stage_destroy(stage *s);

// The mesh at so many vertices. With a fraction, or in a window of more than 0, its newest vertices are on their way
// from their parents' places, so that nothing jumps. @return KARST_ERROR_MEMORY
karst_status stage_slide(stage *s, double vertices, uint32_t window);
// What is shown.
const karst_mrm_instance *stage_instance(const stage *s);

typedef enum stage_style { STAGE_LIT, STAGE_WIRES, STAGE_BOTH } stage_style;

// A picture begins; parts of it, from the left, each of all its height; it ends in framebuffer 0. @return
// KARST_ERROR_LIMIT: too large for the device
karst_status stage_begin(stage *s, int width, int height);
void stage_draw(stage *s, int from_x, int to_x, const orbit *from, stage_style style);
void stage_end(stage *s);
