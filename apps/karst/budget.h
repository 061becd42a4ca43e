// SPDX-License-Identifier: MIT
// Budget: one for the ground and the army of a frame, or else an error for the one and triangles for the other.
#pragma once
#include "army.h"
#include "karst/scene.h"
#include "patches.h"

enum { BUDGET_TRIANGLES_MAX = ARMY_TRIANGLES_MAX };

typedef struct budget {
    bool is_one;             // over both; else `ground.error_px` stays, and the army has army_triangles
    int64_t triangles;       // of both, in a frame
    float target_ms;         // that a frame may take; 0: only triangles count
    int64_t army_triangles;  // of the army, without one budget
    karst_governed_ground ground;
    karst_governor *alone;           // where there is no army
    karst_governor_figures figures;  // of the last frame
    bool is_still;                   // and nothing changed in it
} budget;

// One budget, where `triangles` or `target_ms` is not 0: no finer ground than error_px then, which is otherwise its
// error. @return KARST_ERROR_MEMORY
karst_status budget_open(budget *b, int64_t triangles, float target_ms, float error_px, int64_t army_triangles);
void budget_close(budget *b);

// Divide it for a view: b->ground.error_px and the levels of the army (which may have no units) are those to draw with.
// frame_ms: what the frame two before this one took, 0 when that is not known.
karst_status budget_divide(budget *b, army *a, const karst_view *view, float frame_ms);
// What the ground then drew.
void budget_tell(budget *b, const karst_frame *frame);

// For a still picture: divide and choose until nothing changes any more, seams of patches with it. The same for the
// same pack and view.
karst_status budget_settle(budget *b, army *a, patches *p, karst_scene *scene, const karst_view *view,
                           const karst_budget *how);
